/* The runtime API of kernels. What launches others is declared, as Thrust and CUB name it in code that is never run; what calls it does not
   link. Functions are the host's as well, for clang refuses a device's in code of both sides. */
#ifndef SIMTRUN_CUDA_DEVICE_RUNTIME_API_H
#define SIMTRUN_CUDA_DEVICE_RUNTIME_API_H

#pragma GCC system_header

#include "cuda_runtime.h"

#if defined(__CUDA__)
/* A condition of a graph is in memory, and its handle is the address. */
static __inline__ __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value) {
	atomicExch((unsigned int *)handle, value);
}

/* A launch with cudaLaunchAttributeProgrammaticStreamSerialization begins when its predecessor has ended, which is no earlier than it may. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
static __inline__ __device__ void cudaTriggerProgrammaticLaunchCompletion(void) {
	__asm__ __volatile__("griddepcontrol.launch_dependents;" ::: "memory");
}
static __inline__ __device__ void cudaGridDependencySynchronize(void) { __asm__ __volatile__("griddepcontrol.wait;" ::: "memory"); }
#endif

extern "C" {
__host__ __device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__host__ __device__ cudaError_t cudaLaunchDevice(void *func, void *parameters, struct dim3 grid, struct dim3 block, unsigned int shared,
                                                 cudaStream_t stream);
__host__ __device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
}
#endif

#endif
