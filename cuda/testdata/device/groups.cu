// Cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__device__ int sum(const cg::thread_group &g, int *t, int v) {
	int rank = g.thread_rank();
	for (int i = g.size() / 2; i > 0; i /= 2) {
		t[rank] = v;
		g.sync();
		if (rank < i)
			v += t[rank + i];
		g.sync();
	}
	return v;
}

extern "C" __global__ void groups(int *out, int *total) {
	__shared__ int t[64];
	auto block = cg::this_thread_block();
	auto grid = cg::this_grid();
	auto tile = cg::tiled_partition<32>(block);
	cg::thread_block_tile<8> part = cg::tiled_partition<8>(tile);
	int i = block.thread_rank(), *o = out + 12 * grid.thread_rank();
	o[0] = cg::reduce(tile, i, cg::plus<int>());
	o[1] = cg::reduce(part, i, cg::greater<int>());
	o[2] = cg::inclusive_scan(part, i);
	o[3] = cg::exclusive_scan(tile, 1, cg::plus<int>());
	o[4] = sum(block, t, i);
	o[5] = part.shfl_down(i, 1) + 100 * part.meta_group_rank();
	if (i % 3 == 0) {
		auto some = cg::coalesced_threads();
		o[6] = some.thread_rank() + 100 * some.size() + 10000 * cg::reduce(some, 1, cg::plus<int>());
	} else
		o[6] = -1;
	auto same = cg::labeled_partition(tile, i % 4);
	o[7] = same.shfl(i, 0) + 100 * same.size();
	o[8] = part.ballot(i & 1) + part.any(i == 9) * 1000;
	cg::memcpy_async(block, t, out + 12 * 64 * 2, sizeof(int) * 64);
	cg::wait(block);
	o[9] = t[63 - i];
	atomicAdd(total, 1);
	grid.sync();
	o[10] = *total;
	grid.sync();
	atomicAdd(total, 1);
	grid.sync();
	o[11] = *total;
}
