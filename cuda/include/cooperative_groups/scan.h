/* Prefix sums over groups of lanes. */
#ifndef SIMTRUN_COOPERATIVE_GROUPS_SCAN_H
#define SIMTRUN_COOPERATIVE_GROUPS_SCAN_H

#pragma GCC system_header

#include "reduce.h"

#if defined(__CUDA__)
namespace cooperative_groups {

template <typename Group, typename T, typename Op>
__device__ __inline__ T inclusive_scan(const Group &group, T value, Op &&op) {
	unsigned int rank = (unsigned int)group.thread_rank();
	for (unsigned int step = 1; step < group.size(); step *= 2) {
		T other = group.shfl_up(value, step);
		if (rank >= step)
			value = op(other, value);
	}
	return value;
}
template <typename Group, typename T> __device__ __inline__ T inclusive_scan(const Group &group, T value) {
	return inclusive_scan(group, value, plus<T>());
}
template <typename Group, typename T, typename Op>
__device__ __inline__ T exclusive_scan(const Group &group, T value, Op &&op) {
	T other = group.shfl_up(inclusive_scan(group, value, op), 1);
	return group.thread_rank() == 0 ? T() : other;
}
template <typename Group, typename T> __device__ __inline__ T exclusive_scan(const Group &group, T value) {
	return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups
#endif
#endif
