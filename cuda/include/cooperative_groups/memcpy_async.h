/* Copies by a group. They are done at once: waiting for them is waiting for the group. */
#ifndef SIMTRUN_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define SIMTRUN_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#pragma GCC system_header

#include "../cooperative_groups.h"

#if defined(__CUDA__)
namespace cooperative_groups {

template <typename Group, typename T>
__device__ __inline__ void memcpy_async(const Group &group, T *to, const T *from, size_t bytes) {
	char *p = (char *)to;
	const char *q = (const char *)from;
	size_t first = group.thread_rank(), step = group.size();
	if (((size_t)p | (size_t)q | bytes) % 4 == 0)
		for (size_t i = 4 * first; i < bytes; i += 4 * step)
			*(int *)(p + i) = *(const int *)(q + i);
	else
		for (size_t i = first; i < bytes; i += step)
			p[i] = q[i];
}
template <typename Group, typename To, typename From>
__device__ __inline__ void memcpy_async(const Group &group, To *to, size_t toCount, const From *from, size_t fromCount) {
	size_t n = toCount * sizeof(To), m = fromCount * sizeof(From);
	memcpy_async(group, (char *)to, (const char *)from, n < m ? n : m);
}
template <typename Group> __device__ __inline__ void wait(const Group &group) { group.sync(); }
template <unsigned int Stage, typename Group> __device__ __inline__ void wait_prior(const Group &group) { group.sync(); }

} // namespace cooperative_groups
#endif
#endif
