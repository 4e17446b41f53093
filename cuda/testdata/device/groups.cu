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

// Tiles of several warps: 64 of 256 threads each.
extern "C" __global__ void warps(int *out, int *stored) {
	__shared__ cg::experimental::block_tile_memory<sizeof(int), 256> named; // as of CUDA 11
	__shared__ int last[4];
	cg::block_tile_memory<256> &memory = named;
	auto block = cg::this_thread_block(memory);
	auto tile = cg::experimental::tiled_partition<64>(block);
	cg::thread_block_tile<64> same = tile;
	int i = block.thread_rank(), *o = out + 8 * i;
	o[0] = cg::reduce(tile, i, cg::plus<int>());
	o[1] = tile.thread_rank() + 1000 * tile.meta_group_rank() + 10000 * tile.meta_group_size();
	o[2] = tile.shfl(i, 5) + 1000 * tile.shfl_down(i, 1);
	o[3] = cg::inclusive_scan(same, 1);
	o[4] = tile.any(i == 70) + 2 * tile.all(i >= 64);
	// One tile alone waits for its last warp.
	if (tile.meta_group_rank() == 2) {
		if (tile.thread_rank() == 63)
			last[2] = i;
		tile.sync();
		o[5] = last[2];
	} else
		o[5] = 0;
	o[6] = cg::invoke_one_broadcast(tile, [=] { return i + 7; });
	cg::reduce_store_async(tile, stored + tile.meta_group_rank(), i, cg::greater<int>());
	o[7] = (int)tile.shfl_up((double)i + 0.5, 2) + tile.shfl_xor(i, 32);
}

template <typename Group> __device__ int place(const Group &g) { return g.meta_group_rank() + 100 * g.meta_group_size(); }

// Places of groups in what they are a part of.
extern "C" __global__ void places(int *out) {
	auto block = cg::this_thread_block();
	auto warp = cg::tiled_partition<32>(block);
	auto eight = cg::tiled_partition<8>(warp);
	cg::thread_block_tile<4> four = cg::tiled_partition<4>(eight);
	cg::thread_block_tile<4> copy = four;
	int i = block.thread_rank(), *o = out + 10 * i;
	o[0] = place(warp);
	o[1] = place(cg::tiled_partition<8>(block));
	o[2] = place(eight);
	o[3] = place(copy);
	o[4] = place(cg::tiled_partition<2>(copy));
	o[5] = place(cg::this_thread());
	o[6] = place(cg::binary_partition(warp, i % 3 == 0));
	o[7] = place(cg::binary_partition(warp, i < 32));
	o[8] = place(cg::labeled_partition(warp, i % 32 * 7 % 10 % 5));
	auto some = cg::binary_partition(warp, i % 32 < 20);
	o[9] = place(cg::tiled_partition(some, 8));
}
