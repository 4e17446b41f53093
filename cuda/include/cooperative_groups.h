/* Cooperative groups: the threads of a grid, a block, a part of a warp, or those that are just active. */
#ifndef SIMTRUN_COOPERATIVE_GROUPS_H
#define SIMTRUN_COOPERATIVE_GROUPS_H

#pragma GCC system_header

#include "cuda_runtime.h"

#if defined(__CUDA__)

#define SIMTRUN_GROUP static __inline__ __device__

/* The barrier of the grid: how many blocks have arrived, and how often all have. */
static __device__ unsigned int simtrun_grid_arrived;
static __device__ unsigned int simtrun_grid_generation;

namespace cooperative_groups {

namespace details {
SIMTRUN_GROUP unsigned int laneId() {
	unsigned int id;
	__asm__("mov.u32 %0, %%laneid;" : "=r"(id));
	return id;
}
SIMTRUN_GROUP unsigned int lanesBelow() {
	unsigned int mask;
	__asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
	return mask;
}
SIMTRUN_GROUP unsigned int blockThreads() { return blockDim.x * blockDim.y * blockDim.z; }
SIMTRUN_GROUP unsigned int blockRank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

/* A value of any type goes through shuffles word by word. MOVE(word) is the word of another lane. */
template <typename T, typename Move> __device__ __inline__ T shuffled(T value, Move move) {
	const int words = (sizeof(T) + 3) / 4;
	unsigned int word[words];
	word[words - 1] = 0;
	__builtin_memcpy(word, &value, sizeof(T));
#pragma unroll
	for (int i = 0; i < words; i++)
		word[i] = move(word[i]);
	__builtin_memcpy(&value, word, sizeof(T));
	return value;
}

/* The lane with the n-th bit of a mask, counted from 0. */
SIMTRUN_GROUP unsigned int laneOf(unsigned int mask, unsigned int n) {
	for (; n > 0; n--)
		mask &= mask - 1;
	return __ffs((int)mask) - 1;
}

/* The address of the workspace of a cooperative launch; 0 in other launches. */
SIMTRUN_GROUP unsigned long long gridWorkspace() {
	unsigned int low, high;
	__asm__("mov.u32 %0, %%envreg1;" : "=r"(low));
	__asm__("mov.u32 %0, %%envreg2;" : "=r"(high));
	return (unsigned long long)high << 32 | low;
}

SIMTRUN_GROUP void gridSync() {
	if (gridWorkspace() == 0)
		__trap();
	__syncthreads();
	if (blockRank() == 0) {
		unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
		volatile unsigned int *generation = &simtrun_grid_generation;
		unsigned int before = *generation;
		__threadfence();
		if (atomicAdd(&simtrun_grid_arrived, 1u) == blocks - 1) {
			simtrun_grid_arrived = 0;
			__threadfence();
			atomicAdd(&simtrun_grid_generation, 1u);
		} else
			while (*generation == before)
				__nanosleep(100);
		__threadfence();
	}
	__syncthreads();
}
} // namespace details

struct thread_block_base {};

/* What barrier_arrive gives, for barrier_wait. Blocks and grids wait for all where threads wait, not where they arrive. */
struct simtrun_arrival {};

/* A group whose kind is known when the program runs: a block, or lanes of a warp. */
class thread_group {
public:
	__device__ __inline__ unsigned long long size() const { return block ? details::blockThreads() : __popc(mask); }
	__device__ __inline__ unsigned long long num_threads() const { return size(); }
	__device__ __inline__ unsigned long long thread_rank() const {
		return block ? details::blockRank() : __popc(mask & details::lanesBelow());
	}
	__device__ __inline__ void sync() const {
		if (block)
			__syncthreads();
		else
			__syncwarp(mask);
	}
	__device__ __inline__ bool is_valid() const { return true; }
	__device__ __inline__ unsigned int simtrun_mask() const { return mask; }

protected:
	friend __device__ __inline__ thread_group tiled_partition(const thread_group &parent, unsigned int size);
	bool block = true;
	unsigned int mask = 0;
};

/* Memory with which tiles of several warps work together: an mbarrier for each of up to 16 tiles, and words of each thread. */
template <unsigned int Threads = 1024> struct block_tile_memory {
	unsigned long long barriers[16];
	unsigned long long words[Threads];
};

class thread_block : public thread_group {
public:
	/* Tiles of several warps find it. */
	unsigned long long *simtrun_memory = nullptr;
	typedef simtrun_arrival arrival_token;
	__device__ __inline__ static void sync() { __syncthreads(); }
	__device__ __inline__ static arrival_token barrier_arrive() { return arrival_token(); }
	__device__ __inline__ static void barrier_wait(arrival_token &&) { __syncthreads(); }
	__device__ __inline__ static unsigned int thread_rank() { return details::blockRank(); }
	__device__ __inline__ static unsigned int size() { return details::blockThreads(); }
	__device__ __inline__ static unsigned int num_threads() { return details::blockThreads(); }
	__device__ __inline__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	__device__ __inline__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
	__device__ __inline__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
	__device__ __inline__ static dim3 dim_threads() { return group_dim(); }
};
SIMTRUN_GROUP thread_block this_thread_block() { return thread_block(); }
template <unsigned int Threads> __device__ __inline__ thread_block this_thread_block(block_tile_memory<Threads> &memory) {
	thread_block block;
	block.simtrun_memory = memory.barriers;
	return block;
}

#if (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900) && (!defined(__clang__) || __clang_major__ >= 18)
#define SIMTRUN_CLUSTERS
#endif

class grid_group {
public:
	typedef simtrun_arrival arrival_token;
	__device__ __inline__ void sync() const { details::gridSync(); }
	__device__ __inline__ static arrival_token barrier_arrive() { return arrival_token(); }
	__device__ __inline__ static void barrier_wait(arrival_token &&) { details::gridSync(); }
	/* False in a launch that is not cooperative; there sync() traps. */
	__device__ __inline__ bool is_valid() const { return details::gridWorkspace() != 0; }
	__device__ __inline__ static unsigned long long num_blocks() {
		return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
	}
	__device__ __inline__ static unsigned long long block_rank() {
		return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
	}
	__device__ __inline__ static unsigned long long size() { return num_blocks() * details::blockThreads(); }
	__device__ __inline__ static unsigned long long num_threads() { return size(); }
	__device__ __inline__ static unsigned long long thread_rank() {
		return block_rank() * details::blockThreads() + details::blockRank();
	}
	__device__ __inline__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	__device__ __inline__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
	__device__ __inline__ static dim3 dim_blocks() { return group_dim(); }
#ifdef SIMTRUN_CLUSTERS
	__device__ __inline__ static dim3 cluster_index() { return __clusterIdx(); }
	__device__ __inline__ static dim3 dim_clusters() { return __clusterGridDimInClusters(); }
	__device__ __inline__ static unsigned long long num_clusters() {
		dim3 all = dim_clusters();
		return (unsigned long long)all.x * all.y * all.z;
	}
	__device__ __inline__ static unsigned long long cluster_rank() {
		dim3 at = cluster_index(), all = dim_clusters();
		return at.x + (unsigned long long)all.x * (at.y + (unsigned long long)all.y * at.z);
	}
#endif
};
SIMTRUN_GROUP grid_group this_grid() { return grid_group(); }

/* What groups of lanes of one warp have in common. */
class simtrun_lanes : public thread_group {
public:
	__device__ __inline__ void sync() const { __syncwarp(mask); }
	__device__ __inline__ int any(int predicate) const { return __any_sync(mask, predicate); }
	__device__ __inline__ int all(int predicate) const { return __all_sync(mask, predicate); }

protected:
	__device__ __inline__ explicit simtrun_lanes(unsigned int lanes) {
		block = false;
		mask = lanes;
	}
};

/* The number of a group among those into which its parent was partitioned, and how many those are. */
class simtrun_place {
public:
	__device__ __inline__ unsigned int meta_group_rank() const { return rank; }
	__device__ __inline__ unsigned int meta_group_size() const { return groups; }

protected:
	__device__ __inline__ simtrun_place(unsigned int rank, unsigned int groups) : rank(rank), groups(groups) {}
	unsigned int rank, groups;
};

/* Lanes that are active where it is made. They have ranks in their order. */
class coalesced_group : public simtrun_lanes, public simtrun_place {
public:
	__device__ __inline__ explicit coalesced_group(unsigned int lanes, unsigned int rank = 0, unsigned int groups = 1)
	    : simtrun_lanes(lanes), simtrun_place(rank, groups) {}
	__device__ __inline__ unsigned int size() const { return __popc(mask); }
	__device__ __inline__ unsigned int num_threads() const { return size(); }
	__device__ __inline__ unsigned int thread_rank() const { return __popc(mask & details::lanesBelow()); }
	__device__ __inline__ unsigned int ballot(int predicate) const { return packed(__ballot_sync(mask, predicate)); }
	template <typename T> __device__ __inline__ T shfl(T value, unsigned int rank) const {
		unsigned int lane = rank < size() ? details::laneOf(mask, rank) : details::laneId(), lanes = mask;
		return details::shuffled(value, [=](unsigned int w) { return __shfl_sync(lanes, w, (int)lane); });
	}
	template <typename T> __device__ __inline__ T shfl_up(T value, unsigned int delta) const {
		unsigned int rank = thread_rank();
		return shfl(value, rank < delta ? rank : rank - delta);
	}
	template <typename T> __device__ __inline__ T shfl_down(T value, unsigned int delta) const {
		unsigned int rank = thread_rank();
		return shfl(value, rank + delta < size() ? rank + delta : rank);
	}
	template <typename T> __device__ __inline__ unsigned int match_any(T value) const {
		return packed(__match_any_sync(mask, value));
	}
	template <typename T> __device__ __inline__ unsigned int match_all(T value, int &pred) const {
		return packed(__match_all_sync(mask, value, &pred));
	}

private:
	/* The bits of the group's lanes, side by side. */
	__device__ __inline__ unsigned int packed(unsigned int lanes) const {
		if (mask == 0xffffffffu)
			return lanes;
		unsigned int bits = 0, n = 0;
		for (unsigned int rest = mask; rest; rest &= rest - 1, n++)
			bits |= (lanes >> (__ffs((int)rest) - 1) & 1) << n;
		return bits;
	}
};
SIMTRUN_GROUP coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* The place of a tile, which follows from the rank in its parent if the type names that. */
template <unsigned int Size, typename Parent> class simtrun_tile {
public:
	__device__ __inline__ static unsigned int meta_group_rank() { return Parent::thread_rank() / Size; }
	__device__ __inline__ static unsigned int meta_group_size() { return (Parent::size() + Size - 1) / Size; }

protected:
	__device__ __inline__ simtrun_tile() {}
	template <typename Tile> __device__ __inline__ explicit simtrun_tile(const Tile &) {}
};
template <unsigned int Size> class simtrun_tile<Size, void> : public simtrun_place {
protected:
	__device__ __inline__ simtrun_tile() : simtrun_place(0, 1) {}
	template <typename Tile>
	__device__ __inline__ explicit simtrun_tile(const Tile &tile)
	    : simtrun_place(tile.meta_group_rank(), tile.meta_group_size()) {}
};

/* SIZE lanes of a warp, a power of two, that follow one another. */
template <unsigned int Size, typename Parent = void>
class thread_block_tile : public simtrun_lanes, public simtrun_tile<Size, Parent> {
	static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

public:
	__device__ __inline__ thread_block_tile() : simtrun_lanes(lanesOfTile()) {}
	template <typename Other>
	__device__ __inline__ thread_block_tile(const thread_block_tile<Size, Other> &other)
	    : simtrun_lanes(lanesOfTile()), simtrun_tile<Size, Parent>(other) {}
	__device__ __inline__ static unsigned int size() { return Size; }
	__device__ __inline__ static constexpr unsigned int num_threads() { return Size; }
	__device__ __inline__ static unsigned int thread_rank() { return details::laneId() & (Size - 1); }
	__device__ __inline__ unsigned int ballot(int predicate) const {
		return (__ballot_sync(mask, predicate) & mask) >> (details::laneId() & ~(Size - 1));
	}
	template <typename T> __device__ __inline__ T shfl(T value, int rank) const {
		unsigned int lanes = mask;
		return details::shuffled(value, [=](unsigned int w) { return __shfl_sync(lanes, w, rank, (int)Size); });
	}
	template <typename T> __device__ __inline__ T shfl_up(T value, unsigned int delta) const {
		unsigned int lanes = mask;
		return details::shuffled(value, [=](unsigned int w) { return __shfl_up_sync(lanes, w, delta, (int)Size); });
	}
	template <typename T> __device__ __inline__ T shfl_down(T value, unsigned int delta) const {
		unsigned int lanes = mask;
		return details::shuffled(value, [=](unsigned int w) { return __shfl_down_sync(lanes, w, delta, (int)Size); });
	}
	template <typename T> __device__ __inline__ T shfl_xor(T value, unsigned int bits) const {
		unsigned int lanes = mask;
		return details::shuffled(value, [=](unsigned int w) { return __shfl_xor_sync(lanes, w, (int)bits, (int)Size); });
	}
	template <typename T> __device__ __inline__ unsigned int match_any(T value) const {
		return (__match_any_sync(mask, value) & mask) >> (details::laneId() & ~(Size - 1));
	}
	template <typename T> __device__ __inline__ unsigned int match_all(T value, int &pred) const {
		return (__match_all_sync(mask, value, &pred) & mask) >> (details::laneId() & ~(Size - 1));
	}

private:
	__device__ __inline__ static unsigned int lanesOfTile() {
		return (unsigned int)((1ull << Size) - 1) << (details::laneId() & ~(Size - 1));
	}
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
/* A tile of several warps. Its threads meet at an mbarrier, and what they give each other lies in the block's memory. */
template <unsigned int Size> class simtrun_warps {
	static_assert(Size <= 1024 && (Size & (Size - 1)) == 0, "a tile of several warps has 64, 128, 256, 512 or 1024 threads");

public:
	/* All threads of the block make it. */
	__device__ __inline__ explicit simtrun_warps(unsigned long long *memory) : memory(memory) {
		if (memory == nullptr)
			__trap(); /* the block was not made with block_tile_memory */
		if (thread_rank() == 0)
			__asm__ __volatile__("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier()), "r"(Size) : "memory");
		__syncthreads();
	}
	__device__ __inline__ static unsigned int size() { return Size; }
	__device__ __inline__ static constexpr unsigned int num_threads() { return Size; }
	__device__ __inline__ static unsigned int thread_rank() { return details::blockRank() & (Size - 1); }
	__device__ __inline__ void sync() const {
		unsigned long long state;
		unsigned int done = 0;
		__asm__ __volatile__("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(barrier()) : "memory");
		while (!done)
			__asm__ __volatile__("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
			                     : "=r"(done)
			                     : "r"(barrier()), "l"(state)
			                     : "memory");
	}
	template <typename T> __device__ __inline__ T shfl(T value, int rank) const {
		return exchanged(value, [=](unsigned int) { return (unsigned int)rank; });
	}
	template <typename T> __device__ __inline__ T shfl_up(T value, unsigned int delta) const {
		return exchanged(value, [=](unsigned int mine) { return mine < delta ? mine : mine - delta; });
	}
	template <typename T> __device__ __inline__ T shfl_down(T value, unsigned int delta) const {
		return exchanged(value, [=](unsigned int mine) { return mine + delta < Size ? mine + delta : mine; });
	}
	template <typename T> __device__ __inline__ T shfl_xor(T value, unsigned int bits) const {
		return exchanged(value, [=](unsigned int mine) { return (mine ^ bits) & (Size - 1); });
	}
	__device__ __inline__ int any(int predicate) const {
		bool found = false;
		simtrun_each(predicate != 0, [&](bool one) { found |= one; });
		return found;
	}
	__device__ __inline__ int all(int predicate) const { return !any(!predicate); }

	/* Calls look with the value of each thread, in the order of their ranks. */
	template <typename T, typename Look> __device__ __inline__ void simtrun_each(T value, Look look) const {
		put(value);
		for (unsigned int rank = 0; rank < Size; rank++)
			look(get<T>(rank));
		sync();
	}

private:
	__device__ __inline__ static unsigned int number() { return details::blockRank() / Size; }
	__device__ __inline__ unsigned int barrier() const {
		return (unsigned int)__cvta_generic_to_shared(memory + number());
	}
	__device__ __inline__ unsigned long long *wordOf(unsigned int rank) const {
		return memory + 16 + number() * Size + rank;
	}
	template <typename T> __device__ __inline__ void put(T value) const {
		static_assert(sizeof(T) <= 8, "tiles of several warps exchange values of up to 8 bytes");
		__builtin_memcpy(wordOf(thread_rank()), &value, sizeof(T));
		sync();
	}
	template <typename T> __device__ __inline__ T get(unsigned int rank) const {
		T value;
		__builtin_memcpy(&value, wordOf(rank), sizeof(T));
		return value;
	}
	template <typename T, typename Source> __device__ __inline__ T exchanged(T value, Source source) const {
		put(value);
		value = get<T>(source(thread_rank()) & (Size - 1));
		sync();
		return value;
	}
	unsigned long long *memory;
};
#define SIMTRUN_WARPS(SIZE)                                                                                            \
	template <typename Parent>                                                                                           \
	class thread_block_tile<SIZE, Parent> : public simtrun_warps<SIZE>, public simtrun_tile<SIZE, Parent> {              \
	public:                                                                                                              \
		using simtrun_warps<SIZE>::simtrun_warps;                                                                          \
		template <typename Other>                                                                                          \
		__device__ __inline__ thread_block_tile(const thread_block_tile<SIZE, Other> &other)                               \
		    : simtrun_warps<SIZE>(other), simtrun_tile<SIZE, Parent>(other) {}                                             \
	};
SIMTRUN_WARPS(64)
SIMTRUN_WARPS(128)
SIMTRUN_WARPS(256)
SIMTRUN_WARPS(512)
SIMTRUN_WARPS(1024)
#undef SIMTRUN_WARPS
#endif

template <unsigned int Size, typename Parent>
__device__ __inline__ thread_block_tile<Size, Parent> tiled_partition(const Parent &parent) {
	if constexpr (Size <= 32)
		return thread_block_tile<Size, Parent>();
	else
		return thread_block_tile<Size, Parent>(parent.simtrun_memory);
}

__device__ __inline__ thread_group tiled_partition(const thread_group &parent, unsigned int size) {
	thread_group tile;
	tile.block = false;
	if (parent.block || parent.mask == 0xffffffffu) {
		unsigned int lanes = size >= 32 ? 0xffffffffu : (1u << size) - 1;
		tile.mask = lanes << (details::laneId() & ~(size - 1) & 31);
	} else {
		/* Lanes of a smaller group: those whose ranks are in the same stretch. */
		unsigned int rank = (unsigned int)parent.thread_rank(), n = 0;
		for (unsigned int rest = parent.mask; rest; rest &= rest - 1, n++)
			if (n / size == rank / size)
				tile.mask |= rest & (0u - rest);
	}
	return tile;
}
SIMTRUN_GROUP coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size) {
	unsigned int mask = tiled_partition((const thread_group &)parent, size).simtrun_mask();
	return coalesced_group(mask, parent.thread_rank() / size, (parent.size() + size - 1) / size);
}

/* The threads of a group that have the same label. */
template <typename Label> __device__ __inline__ coalesced_group labeled_partition(const simtrun_lanes &group, Label label) {
	unsigned int mask = group.simtrun_mask(), same = __match_any_sync(mask, label), first = same & (0u - same);
	unsigned int firsts = __ballot_sync(mask, first == 1u << details::laneId());
	return coalesced_group(same, __popc(firsts & (first - 1)), __popc(firsts));
}
SIMTRUN_GROUP coalesced_group binary_partition(const simtrun_lanes &group, bool predicate) {
	unsigned int mask = group.simtrun_mask(), yes = __ballot_sync(mask, predicate);
	if (yes == 0 || yes == mask)
		return coalesced_group(mask);
	return coalesced_group(predicate ? yes : mask & ~yes, predicate, 2);
}

/* The group of the calling thread alone. */
SIMTRUN_GROUP thread_block_tile<1> this_thread() { return thread_block_tile<1>(); }

template <typename Group> __device__ __inline__ void sync(const Group &group) { group.sync(); }
template <typename Group> __device__ __inline__ unsigned long long thread_rank(const Group &group) {
	return group.thread_rank();
}
template <typename Group> __device__ __inline__ unsigned long long group_size(const Group &group) {
	return group.size();
}

template <typename Group, typename Work> __device__ __inline__ void invoke_one(const Group &group, Work &&work) {
	if (group.thread_rank() == 0)
		work();
}

template <typename Group, typename Work>
__device__ __inline__ auto invoke_one_broadcast(const Group &group, Work &&work) -> decltype(work()) {
	decltype(work()) result{};
	if (group.thread_rank() == 0)
		result = work();
	return group.shfl(result, 0);
}

#ifdef SIMTRUN_CLUSTERS
class cluster_group {
public:
	typedef simtrun_arrival arrival_token;
	__device__ __inline__ static void sync() {
		__cluster_barrier_arrive();
		__cluster_barrier_wait();
	}
	__device__ __inline__ static arrival_token barrier_arrive() {
		__cluster_barrier_arrive();
		return arrival_token();
	}
	__device__ __inline__ static void barrier_wait() { __cluster_barrier_wait(); }
	__device__ __inline__ static void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
	__device__ __inline__ static unsigned int block_rank() { return __clusterRelativeBlockRank(); }
	__device__ __inline__ static unsigned int num_blocks() { return __clusterSizeInBlocks(); }
	__device__ __inline__ static unsigned int num_threads() { return num_blocks() * details::blockThreads(); }
	__device__ __inline__ static unsigned int size() { return num_threads(); }
	__device__ __inline__ static unsigned int thread_rank() {
		return block_rank() * details::blockThreads() + details::blockRank();
	}
	__device__ __inline__ static dim3 block_index() { return __clusterRelativeBlockIdx(); }
	__device__ __inline__ static dim3 dim_blocks() { return __clusterDim(); }
	__device__ __inline__ static dim3 dim_threads() {
		dim3 blocks = dim_blocks();
		return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
	}
	template <typename T> __device__ __inline__ static T *map_shared_rank(T *p, int rank) {
		return (T *)__cluster_map_shared_rank(p, rank);
	}
	__device__ __inline__ static unsigned int query_shared_rank(const void *p) { return __cluster_query_shared_rank(p); }
};
SIMTRUN_GROUP cluster_group this_cluster() { return cluster_group(); }
#endif

/* Names of CUDA 11, in which tiles of several warps took their memory by the size of what they hand over. */
namespace experimental {
using cooperative_groups::this_thread_block;
using cooperative_groups::tiled_partition;
template <unsigned int Bytes = 8, unsigned int Threads = 1024> using block_tile_memory = cooperative_groups::block_tile_memory<Threads>;
} // namespace experimental

} // namespace cooperative_groups

#undef SIMTRUN_CLUSTERS
#undef SIMTRUN_GROUP
#endif
#endif
