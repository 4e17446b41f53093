/* Asynchronous copies of a thread from global to shared memory. */
#ifndef SIMTRUN_CUDA_PIPELINE_PRIMITIVES_H
#define SIMTRUN_CUDA_PIPELINE_PRIMITIVES_H

#pragma GCC system_header

#include "cuda_runtime.h"

#if defined(__CUDA__)
static __inline__ __device__ void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
	unsigned int address = (unsigned int)__cvta_generic_to_shared(to), bytes = (unsigned int)(size - zeros);
	size_t source = __cvta_generic_to_global(from);
	if (size == 4)
		__asm__ __volatile__("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(source), "r"(bytes) : "memory");
	else if (size == 8)
		__asm__ __volatile__("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address), "l"(source), "r"(bytes) : "memory");
	else
		__asm__ __volatile__("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(source), "r"(bytes) : "memory");
#else
	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = i < size - zeros ? ((const char *)from)[i] : 0;
#endif
}
static __inline__ __device__ void __pipeline_commit() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
	__asm__ __volatile__("cp.async.commit_group;" ::: "memory");
#endif
}
/* The number of groups that may be pending is a constant of the instruction. */
static __inline__ __device__ void __pipeline_wait_prior(size_t n) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
	switch (n) {
	case 0: __asm__ __volatile__("cp.async.wait_group 0;" ::: "memory"); break;
	case 1: __asm__ __volatile__("cp.async.wait_group 1;" ::: "memory"); break;
	case 2: __asm__ __volatile__("cp.async.wait_group 2;" ::: "memory"); break;
	case 3: __asm__ __volatile__("cp.async.wait_group 3;" ::: "memory"); break;
	default: __asm__ __volatile__("cp.async.wait_group 4;" ::: "memory"); break;
	}
#endif
}
#endif
#endif
