// One lane counts for its warp, in a variable that the others do not set, and a shuffle tells them.
extern "C" __global__ void aggregate(int *count, double *sum, int *places) {
	unsigned active = __activemask();
	int lane = threadIdx.x % 32, leader = __ffs(active) - 1;
	int first;
	double before;
	if (lane == leader) {
		first = atomicAdd(count, __popc(active));
		before = atomicAdd(sum, 0.5);
	}
	first = __shfl_sync(active, first, leader);
	before = __shfl_sync(active, before, leader);
	places[threadIdx.x] = first + __popc(active & ((1u << lane) - 1)) + 1000 * (before == first / 64.0);
}
