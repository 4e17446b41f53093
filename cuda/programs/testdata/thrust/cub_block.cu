// CUB: what the threads of a block do together.
#include "numbers.h"
#include <algorithm>
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>
#include <numeric>

const int THREADS = 128, ITEMS = 5, TILE = THREADS * ITEMS;

template <cub::BlockReduceAlgorithm ALGORITHM> __device__ int sumBy(int x) {
	typedef cub::BlockReduce<int, THREADS, ALGORITHM> Reduce;
	__shared__ typename Reduce::TempStorage storage;
	return Reduce(storage).Sum(x);
}

template <cub::BlockScanAlgorithm ALGORITHM> __global__ void scans(const int *in, int *out, int *total) {
	typedef cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
	typedef cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE> Store;
	typedef cub::BlockScan<int, THREADS, ALGORITHM> Scan;
	__shared__ union {
		typename Load::TempStorage load;
		typename Store::TempStorage store;
		typename Scan::TempStorage scan;
	} storage;
	int items[ITEMS], sum;
	Load(storage.load).Load(in + blockIdx.x * TILE, items);
	__syncthreads();
	Scan(storage.scan).ExclusiveSum(items, items, sum);
	__syncthreads();
	Store(storage.store).Store(out + blockIdx.x * TILE, items);
	if (threadIdx.x == 0)
		total[blockIdx.x] = sum;
}

__global__ void reductions(const int *in, int *sums, int n) {
	int x = threadIdx.x < n ? in[threadIdx.x] : 0;
	int s[] = {sumBy<cub::BLOCK_REDUCE_RAKING>(x), sumBy<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(x), sumBy<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(x)};
	typedef cub::BlockReduce<int, THREADS> Reduce;
	__shared__ typename Reduce::TempStorage storage;
	int most = Reduce(storage).Reduce(x, cub::Max(), n);
	if (threadIdx.x == 0) {
		for (int i = 0; i < 3; i++)
			sums[i] = s[i];
		sums[3] = most;
	}
}

// Running totals from tile to tile.
struct prefix {
	int total;
	__device__ int operator()(int tile) {
		int before = total;
		total += tile;
		return before;
	}
};

__global__ void tiles(const int *in, int *out, int n) {
	typedef cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_STRIPED> Load;
	typedef cub::BlockExchange<int, THREADS, ITEMS> Exchange;
	typedef cub::BlockScan<int, THREADS, cub::BLOCK_SCAN_WARP_SCANS> Scan;
	typedef cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_VECTORIZE> Store;
	__shared__ typename Load::TempStorage load;
	__shared__ typename Exchange::TempStorage exchange;
	__shared__ typename Scan::TempStorage scan;
	__shared__ typename Store::TempStorage store;
	prefix before{0};
	for (int at = 0; at < n; at += TILE) {
		int items[ITEMS];
		Load(load).Load(in + at, items, n - at, 0);
		Exchange(exchange).StripedToBlocked(items, items);
		Scan(scan).InclusiveSum(items, items, before);
		Store(store).Store(out + at, items, n - at);
		__syncthreads();
	}
}

__global__ void sorts(const int *in, int *ascending, int *descending, int *merged, int *places) {
	typedef cub::BlockRadixSort<int, THREADS, ITEMS, int> Sort;
	typedef cub::BlockRadixSort<int, THREADS, ITEMS> KeySort;
	typedef cub::BlockMergeSort<int, THREADS, ITEMS> MergeSort;
	__shared__ union {
		typename Sort::TempStorage sort;
		typename KeySort::TempStorage keySort;
		typename MergeSort::TempStorage mergeSort;
	} storage;
	int t = threadIdx.x, keys[ITEMS], other[ITEMS], more[ITEMS], values[ITEMS];
	cub::LoadDirectBlocked(t, in, keys);
	cub::LoadDirectBlocked(t, in, other);
	cub::LoadDirectBlocked(t, in, more);
	for (int i = 0; i < ITEMS; i++)
		values[i] = t * ITEMS + i;
	Sort(storage.sort).Sort(keys, values);
	__syncthreads();
	KeySort(storage.keySort).SortDescendingBlockedToStriped(other);
	__syncthreads();
	MergeSort(storage.mergeSort).Sort(more, [](int a, int b) { return a % 100 < b % 100 || (a % 100 == b % 100 && a < b); });
	cub::StoreDirectBlocked(t, ascending, keys);
	cub::StoreDirectBlocked(t, places, values);
	cub::StoreDirectStriped<THREADS>(t, descending, other);
	cub::StoreDirectBlocked(t, merged, more);
}

__global__ void neighbours(const int *in, int *heads, int *left, int *bins, int *moved) {
	typedef cub::BlockDiscontinuity<int, THREADS> Discontinuity;
	typedef cub::BlockAdjacentDifference<int, THREADS> Difference;
	typedef cub::BlockHistogram<int, THREADS, ITEMS, 16, cub::BLOCK_HISTO_SORT> Histogram;
	typedef cub::BlockShuffle<int, THREADS> Shuffle;
	__shared__ typename Discontinuity::TempStorage discontinuity;
	__shared__ typename Difference::TempStorage difference;
	__shared__ typename Histogram::TempStorage histogram;
	__shared__ typename Shuffle::TempStorage shuffle;
	__shared__ int counts[16];
	int t = threadIdx.x, items[ITEMS], flags[ITEMS], minus[ITEMS];
	cub::LoadDirectBlockedVectorized(t, (int *)in, items);
	Discontinuity(discontinuity).FlagHeads(flags, items, cub::Inequality());
	Difference(difference).SubtractLeft(items, minus, cub::Difference());
	cub::StoreDirectBlocked(t, heads, flags);
	cub::StoreDirectBlocked(t, left, minus);
	for (int &i : items)
		i &= 15;
	Histogram(histogram).Histogram(items, counts);
	__syncthreads();
	if (t < 16)
		bins[t] = counts[t];
	int got;
	Shuffle(shuffle).Rotate(t, got, 3);
	moved[t] = got;
}

int main() {
	const int blocks = 4, n = blocks * TILE;
	std::vector<int> a = numbers<int>(n, -1000, 1000), want(n), totals(blocks);
	thrust::device_vector<int> da = a, o1(n), o2(n), o3(n), o4(n);
	int *in = da.data().get(), *p1 = o1.data().get(), *p2 = o2.data().get(), *p3 = o3.data().get(), *p4 = o4.data().get();

	for (int i = 0; i < n; i++) {
		want[i] = i % TILE == 0 ? 0 : want[i - 1] + a[i - 1];
		totals[i / TILE] = want[i] + a[i];
	}
	auto check = [&] {
		EXPECT(host(o1) == want);
		std::vector<int> sums = host(o2);
		EXPECT(std::equal(totals.begin(), totals.end(), sums.begin()));
		thrust::fill(o1.begin(), o1.end(), 0);
	};
	scans<cub::BLOCK_SCAN_RAKING><<<blocks, THREADS>>>(in, p1, p2);
	check();
	scans<cub::BLOCK_SCAN_RAKING_MEMOIZE><<<blocks, THREADS>>>(in, p1, p2);
	check();
	scans<cub::BLOCK_SCAN_WARP_SCANS><<<blocks, THREADS>>>(in, p1, p2);
	check();

	reductions<<<1, THREADS>>>(in, p1, 77);
	int sum = std::accumulate(a.begin(), a.begin() + 77, 0);
	EXPECT(o1[0] == sum && o1[1] == sum && o1[2] == sum && o1[3] == *std::max_element(a.begin(), a.begin() + 77));

	tiles<<<1, THREADS>>>(in, p1, n - 100);
	std::partial_sum(a.begin(), a.end(), want.begin());
	for (int i = 0; i < n - 100; i += 13)
		EXPECT(o1[i] == want[i]);

	sorts<<<1, THREADS>>>(in, p1, p2, p3, p4);
	std::vector<int> tile(a.begin(), a.begin() + TILE), sorted = tile, places(TILE), up = host(o1), down = host(o2), merged = host(o3), values = host(o4);
	std::iota(places.begin(), places.end(), 0);
	std::stable_sort(places.begin(), places.end(), [&](int x, int y) { return tile[x] < tile[y]; });
	std::sort(sorted.begin(), sorted.end());
	EXPECT(std::equal(sorted.begin(), sorted.end(), up.begin()) && std::equal(sorted.rbegin(), sorted.rend(), down.begin()) &&
	       std::equal(places.begin(), places.end(), values.begin()));
	std::sort(sorted.begin(), sorted.end(), [](int x, int y) { return x % 100 < y % 100 || (x % 100 == y % 100 && x < y); });
	EXPECT(std::equal(sorted.begin(), sorted.end(), merged.begin()));

	for (int &x : a)
		x = x / 100 + 10;
	da = a;
	neighbours<<<1, THREADS>>>(in, p1, p2, p3, p4);
	std::vector<int> heads = host(o1), minus = host(o2), bins = host(o3), moved = host(o4);
	for (int i = 0; i < TILE; i++)
		EXPECT(heads[i] == (i == 0 || a[i] != a[i - 1]) && minus[i] == (i == 0 ? a[0] : a[i] - a[i - 1]));
	for (int b = 0; b < 16; b++)
		EXPECT(bins[b] == std::count_if(a.begin(), a.begin() + TILE, [b](int x) { return (x & 15) == b; }));
	for (int t = 0; t < THREADS; t++)
		EXPECT(moved[t] == (t + 3) % THREADS);
	printf("ok\n");
}
