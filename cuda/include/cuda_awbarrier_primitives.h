/* Barriers in shared memory, at which threads arrive and wait in two steps. */
#ifndef SIMTRUN_CUDA_AWBARRIER_PRIMITIVES_H
#define SIMTRUN_CUDA_AWBARRIER_PRIMITIVES_H

#pragma GCC system_header

#include <stdint.h>

#include "cuda_runtime.h"

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

#if defined(__CUDA__)
#define SIMTRUN_MBARRIER(BARRIER) ((unsigned int)__cvta_generic_to_shared(BARRIER))

static __inline__ __device__ uint32_t __mbarrier_maximum_count() { return (1 << 20) - 1; }
static __inline__ __device__ void __mbarrier_init(__mbarrier_t *barrier, uint32_t count) {
	__asm__ __volatile__("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SIMTRUN_MBARRIER(barrier)), "r"(count) : "memory");
}
static __inline__ __device__ void __mbarrier_inval(__mbarrier_t *barrier) {
	__asm__ __volatile__("mbarrier.inval.shared.b64 [%0];" ::"r"(SIMTRUN_MBARRIER(barrier)) : "memory");
}
static __inline__ __device__ __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) {
	__mbarrier_token_t token;
	__asm__ __volatile__("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(SIMTRUN_MBARRIER(barrier)) : "memory");
	return token;
}
static __inline__ __device__ __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) {
	__mbarrier_token_t token;
	__asm__ __volatile__("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(SIMTRUN_MBARRIER(barrier)) : "memory");
	return token;
}
static __inline__ __device__ uint32_t __mbarrier_token_pending_count(__mbarrier_token_t token) {
	uint32_t count;
	__asm__("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
	return count;
}
static __inline__ __device__ bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) {
	uint32_t complete;
	__asm__ __volatile__("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
	                     : "=r"(complete) : "r"(SIMTRUN_MBARRIER(barrier)), "l"(token) : "memory");
	return complete;
}
static __inline__ __device__ bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity) {
	uint32_t complete;
	__asm__ __volatile__("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
	                     : "=r"(complete) : "r"(SIMTRUN_MBARRIER(barrier)), "r"((uint32_t)parity) : "memory");
	return complete;
}
/* Before sm_90 no instruction waits: the answer is that of the moment, as if the time were over. */
static __inline__ __device__ bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token, uint32_t nanoseconds) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
	uint32_t complete;
	__asm__ __volatile__("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p; }"
	                     : "=r"(complete) : "r"(SIMTRUN_MBARRIER(barrier)), "l"(token), "r"(nanoseconds) : "memory");
	return complete;
#else
	return __mbarrier_test_wait(barrier, token);
#endif
}
static __inline__ __device__ bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool parity, uint32_t nanoseconds) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
	uint32_t complete;
	__asm__ __volatile__("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2, %3; selp.u32 %0, 1, 0, p; }"
	                     : "=r"(complete) : "r"(SIMTRUN_MBARRIER(barrier)), "r"((uint32_t)parity), "r"(nanoseconds) : "memory");
	return complete;
#else
	return __mbarrier_test_wait_parity(barrier, parity);
#endif
}
#undef SIMTRUN_MBARRIER
#endif

#endif
