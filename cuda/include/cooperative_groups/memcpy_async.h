/* Copies by a group. Each is one group of cp.async in every thread, if it is from global to shared memory in words. */
#ifndef SIMTRUN_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define SIMTRUN_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#pragma GCC system_header

#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

#if defined(__CUDA__)
namespace cooperative_groups {

template <typename Group, typename T>
__device__ __inline__ void memcpy_async(const Group &group, T *to, const T *from, size_t bytes) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
	const bool async = __isShared(to) && __isGlobal(from);
#else
	const bool async = false;
#endif
	char *p = (char *)to;
	const char *q = (const char *)from;
	size_t all = (size_t)p | (size_t)q | bytes, unit = all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : 4;
	size_t first = group.thread_rank(), step = group.size();
	if (all % 4 != 0)
		for (size_t i = first; i < bytes; i += step)
			p[i] = q[i];
	else if (async)
		for (size_t i = unit * first; i < bytes; i += unit * step)
			__pipeline_memcpy_async(p + i, q + i, unit);
	else
		for (size_t i = 4 * first; i < bytes; i += 4 * step)
			*(int *)(p + i) = *(const int *)(q + i);
	__pipeline_commit();
}
template <typename Group, typename To, typename From>
__device__ __inline__ void memcpy_async(const Group &group, To *to, size_t toCount, const From *from, size_t fromCount) {
	size_t n = toCount * sizeof(To), m = fromCount * sizeof(From);
	memcpy_async(group, (char *)to, (const char *)from, n < m ? n : m);
}
template <unsigned int Stage, typename Group> __device__ __inline__ void wait_prior(const Group &group) {
	__pipeline_wait_prior(Stage);
	group.sync();
}
template <typename Group> __device__ __inline__ void wait(const Group &group) { wait_prior<0>(group); }

} // namespace cooperative_groups
#endif
#endif
