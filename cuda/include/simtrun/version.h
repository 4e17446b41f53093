/* The version of CUDA that these headers stand for. */
#ifndef SIMTRUN_VERSION_H
#define SIMTRUN_VERSION_H

#pragma GCC system_header

#ifndef CUDA_VERSION
#define CUDA_VERSION 12080
#endif
#define CUDART_VERSION CUDA_VERSION
#define __CUDART_API_VERSION CUDART_VERSION

#endif
