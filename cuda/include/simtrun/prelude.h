/* What nvcc includes before the first line of a .cu file. `simtrun cc` has clang include this file instead.

   The parts that belong to the compiler, built-in variables, functions of libdevice and intrinsics, are headers of
   clang's own. They expect to be included in this order, with the macros that are defined here. */
#ifndef SIMTRUN_PRELUDE_H
#define SIMTRUN_PRELUDE_H

#pragma GCC system_header

#if defined(__CUDA__) && defined(__clang__)

#include <simtrun/letters_begin.h>

#define __CUDACC__ 1
#if !defined(__CUDACC_RTC__) && !defined(SIMTRUN_NO_NVCC)
#define __NVCC__ 1 /* programs test for it; libraries that support clang as a CUDA compiler omit it for clang */
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1

/* Libraries query whether a type is an extended lambda, which clang cannot answer on the host: the answer is no.
   To clang a lambda is a class like others, which its name identifies. */
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) simtrun_lambdas::named(simtrun_lambdas::name<__VA_ARGS__>())
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#if __cplusplus >= 201103L
/* What alignas(X) demands, for a type or a number X: simtrun cc writes an alignas after __shared__ as an attribute, which
   takes numbers only. */
namespace simtrun_alignment {
template <class T> constexpr unsigned long long of() { return alignof(T); }
template <unsigned long long N> constexpr unsigned long long of() { return N; }
} // namespace simtrun_alignment

namespace simtrun_lambdas {
template <class T> constexpr const char *name() { return __PRETTY_FUNCTION__; }
constexpr bool begins(const char *s, const char *with) { return !*with || (*s == *with && begins(s + 1, with + 1)); }
constexpr bool named(const char *s) { return *s && (begins(s, "[T = (lambda at ") || named(s + 1)); }
} // namespace simtrun_lambdas
#endif

#if defined(__CUDACC_RTC__) && defined(__linux__)
/* Sources for NVRTC, which has no stdint.h, define these types themselves, with long long for 64 bits. glibc uses
   long. */
#define _BITS_STDINT_INTN_H 1
#define _BITS_STDINT_UINTN_H 1
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#endif

#include <__clang_cuda_math_forward_declares.h>

#include <assert.h>
#include <cmath>
#include <cstdlib>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if __cplusplus >= 201103L
#include <utility>
#endif

#include <simtrun/version.h>

typedef uint32_t cuuint32_t; /* for clang's headers */
typedef uint64_t cuuint64_t;
#include <host_defines.h>
#include <vector_types.h>
#include <vector_functions.h>
#include <driver_types.h>

#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
/* Votes without a mask, which simtrun/intrinsics.h defines, and the functions of simtrun/device_names.h. */
#define __float_as_int simtrun_clang__float_as_int
#define __int_as_float simtrun_clang__int_as_float
#define __float_as_uint simtrun_clang__float_as_uint
#define __uint_as_float simtrun_clang__uint_as_float
#define __any simtrun_clang__any
#define __all simtrun_clang__all
#define __ballot simtrun_clang__ballot
#include <__clang_cuda_device_functions.h>
#undef __float_as_int
#undef __int_as_float
#undef __float_as_uint
#undef __uint_as_float
#undef __any
#undef __all
#undef __ballot
#include <__clang_cuda_math.h>

#include <simtrun/math.h>
#include <simtrun/atomics.h>
#if __cplusplus >= 201103L
#include <simtrun/nv_atomics.h>
#endif
#include <simtrun/system.h>
#include <simtrun/memory.h>
#include <new>

#include <__clang_cuda_cmath.h>
#include <simtrun/intrinsics.h>
#include <device_types.h>
#include <simtrun/device_names.h>
#include <simtrun/dpx.h>
#include <__clang_cuda_complex_builtins.h>

#include <simtrun/warp.h>
#include <simtrun/host_math.h>
#include <cuda_runtime.h>
#if __cplusplus >= 201103L
#include <simtrun/textures.h>
#endif

#include <simtrun/letters_end.h>

#endif
#endif
