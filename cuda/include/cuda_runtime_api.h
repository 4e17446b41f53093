#ifndef SIMTRUN_CUDA_RUNTIME_API_H
#define SIMTRUN_CUDA_RUNTIME_API_H
#include "driver_types.h"

/* An argument that may be left out in C++. */
#if defined(__cplusplus)
#define SIMTRUN_DEFAULT(value) = value
#else
#define SIMTRUN_DEFAULT(value)
#endif

#if defined(__cplusplus)
extern "C" {
#endif
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared SIMTRUN_DEFAULT(0), void *stream SIMTRUN_DEFAULT(0));
cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);
#if defined(__cplusplus)
}
#endif
#endif
