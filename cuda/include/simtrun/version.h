/* The version of CUDA that these headers provide. */
#ifndef SIMTRUN_VERSION_H
#define SIMTRUN_VERSION_H

#pragma GCC system_header

#ifndef CUDA_VERSION
#define CUDA_VERSION 12080
#endif
#define CUDART_VERSION CUDA_VERSION
#define __CUDART_API_VERSION CUDART_VERSION

/* A version of clang that is newer than the tested ones may define names of CUDA that clang's headers lacked
   before. The condition makes simtrun's functions separate overloads, which calls prefer, instead of
   redefinitions. */
#ifndef SIMTRUN_NEWEST_CLANG
#define SIMTRUN_NEWEST_CLANG 22
#endif
#if __clang_major__ > SIMTRUN_NEWEST_CLANG
#define SIMTRUN_OVERLOAD __attribute__((enable_if(true, "")))
#else
#define SIMTRUN_OVERLOAD
#endif

#endif
