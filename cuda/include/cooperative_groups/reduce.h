/* Reductions over groups of lanes. */
#ifndef SIMTRUN_COOPERATIVE_GROUPS_REDUCE_H
#define SIMTRUN_COOPERATIVE_GROUPS_REDUCE_H

#pragma GCC system_header

#include "../cooperative_groups.h"

#if defined(__CUDA__)
namespace cooperative_groups {

#define SIMTRUN_OPERATION(NAME, EXPRESSION)                                                                            \
	template <typename T = void> struct NAME {                                                                           \
		__host__ __device__ __inline__ T operator()(T a, T b) const { return EXPRESSION; }                                 \
	};                                                                                                                   \
	template <> struct NAME<void> {                                                                                      \
		template <typename T> __host__ __device__ __inline__ T operator()(T a, T b) const { return EXPRESSION; }           \
	};
SIMTRUN_OPERATION(plus, a + b)
SIMTRUN_OPERATION(less, b < a ? b : a)
SIMTRUN_OPERATION(greater, a < b ? b : a)
SIMTRUN_OPERATION(bit_and, a & b)
SIMTRUN_OPERATION(bit_or, a | b)
SIMTRUN_OPERATION(bit_xor, a ^ b)
#undef SIMTRUN_OPERATION

template <unsigned int Size, typename Parent, typename T, typename Op>
__device__ __inline__ T reduce(const thread_block_tile<Size, Parent> &tile, T value, Op &&op) {
#pragma unroll
	for (unsigned int step = Size / 2; step > 0; step /= 2)
		value = op(value, tile.shfl_xor(value, step));
	return value;
}

template <typename T, typename Op>
__device__ __inline__ T reduce(const coalesced_group &group, T value, Op &&op) {
	T sum = group.shfl(value, 0);
	for (unsigned int rank = 1; rank < group.size(); rank++)
		sum = op(sum, group.shfl(value, rank));
	return sum;
}

template <typename Group, typename T, typename Op>
__device__ __inline__ void reduce_update_async(const Group &group, T *to, T value, Op &&op) {
	value = reduce(group, value, op);
	if (group.thread_rank() == 0)
		*to = op(*to, value);
}

template <typename Group, typename T, typename Op>
__device__ __inline__ void reduce_store_async(const Group &group, T *to, T value, Op &&op) {
	value = reduce(group, value, op);
	if (group.thread_rank() == 0)
		*to = value;
}

} // namespace cooperative_groups
#endif
#endif
