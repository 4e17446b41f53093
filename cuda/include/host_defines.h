/* Words of CUDA C++ as clang's attributes. */
#ifndef SIMTRUN_HOST_DEFINES_H
#define SIMTRUN_HOST_DEFINES_H

#pragma GCC system_header

#define __HOST_DEFINES_H__ /* Thrust asks for it */

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

/* A managed variable has a place in the host's memory and one in the device's. The runtime knows it by its
   section, and copies it before launches and after them. */
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device)) __attribute__((section("simtrun_managed")))
#endif

#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#elif __clang_major__ == 19 && defined(__CUDA_ARCH__)
#define __grid_constant__ __attribute__((annotate("simtrun_grid_constant")))
#else
#define __grid_constant__
#endif
#if __clang_major__ < 15
#define __noinline__ __attribute__((noinline))
#endif
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

#if defined(_MSC_VER)
#define __forceinline__ __forceinline
#define __align__(n) __declspec(align(n))
#else
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#endif
#define __builtin_align__(n) __align__(n)
#define __inline_hint__
#define __device_builtin__
#define __cudart_builtin__
#define __nv_pure__
#define __maxnreg__(n)
#if defined(__CUDA__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define __cluster_dims__(...) __attribute__((annotate("simtrun_cluster_dims", __VA_ARGS__))) /* simtrun cc reads it */
#elif defined(__CUDA_ARCH__)
#define __cluster_dims__(...) _Pragma("GCC error \"__cluster_dims__: clusters of blocks are there from sm_90 on (-arch=sm_90)\"")
#else
#define __cluster_dims__(...)
#endif
#define __block_size__(...) _Pragma("GCC error \"__block_size__ is not supported\"")
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB

#endif
