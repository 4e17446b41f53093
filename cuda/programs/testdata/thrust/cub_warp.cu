// CUB: what the lanes of a warp do together, loads and stores by caches, iterators, and words of PTX.
#include "numbers.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>

const int WARPS = 4, ITEMS = 4;

template <int LANES> __global__ void reductions(const int *in, int *sums, int *scanned, int *totals, int valid) {
	typedef cub::WarpReduce<int, LANES> Reduce;
	typedef cub::WarpScan<int, LANES> Scan;
	__shared__ typename Reduce::TempStorage reduce[128 / LANES];
	__shared__ typename Scan::TempStorage scan[128 / LANES];
	int t = threadIdx.x, group = t / LANES, total, inclusive, exclusive;
	int sum = Reduce(reduce[group]).Sum(in[t]);
	__syncwarp();
	int most = Reduce(reduce[group]).Reduce(in[t], cub::Max(), valid);
	Scan(scan[group]).InclusiveSum(in[t], inclusive, total);
	__syncwarp();
	Scan(scan[group]).ExclusiveScan(in[t], exclusive, -5000, cub::Max());
	if (t % LANES == 0) {
		sums[2 * group] = sum;
		sums[2 * group + 1] = most;
		totals[group] = total;
	}
	scanned[2 * t] = inclusive;
	scanned[2 * t + 1] = exclusive;
}

// The heads of segments are the lanes whose number is 0, 5, 6 and 20.
__global__ void segments(const int *in, int *out) {
	typedef cub::WarpReduce<int> Reduce;
	__shared__ typename Reduce::TempStorage storage;
	int lane = threadIdx.x;
	out[lane] = Reduce(storage).HeadSegmentedSum(in[lane], lane == 0 || lane == 5 || lane == 6 || lane == 20);
}

__global__ void sorts(const int *in, int *out, int *striped) {
	typedef cub::WarpMergeSort<int, ITEMS, 32> Sort;
	typedef cub::WarpExchange<int, ITEMS, 32> Exchange;
	typedef cub::WarpLoad<int, ITEMS, cub::WARP_LOAD_TRANSPOSE, 32> Load;
	typedef cub::WarpStore<int, ITEMS, cub::WARP_STORE_DIRECT, 32> Store;
	__shared__ union {
		typename Sort::TempStorage sort;
		typename Exchange::TempStorage exchange;
		typename Load::TempStorage load;
		typename Store::TempStorage store;
	} storage[WARPS];
	int warp = threadIdx.x / 32, at = warp * 32 * ITEMS, items[ITEMS];
	Load(storage[warp].load).Load(in + at, items);
	__syncwarp();
	Sort(storage[warp].sort).Sort(items, [](int a, int b) { return a < b; });
	__syncwarp();
	Store(storage[warp].store).Store(out + at, items);
	__syncwarp();
	Exchange(storage[warp].exchange).BlockedToStriped(items, items);
	for (int i = 0; i < ITEMS; i++)
		striped[at + 32 * i + threadIdx.x % 32] = items[i];
}

__global__ void words(const int *in, int *out) {
	int t = threadIdx.x, *mine = out + 16 * t;
	double wide = cub::ShuffleDown<32>(t + 0.5, 2, 31, 0xffffffff);
	mine[0] = cub::ThreadLoad<cub::LOAD_CA>(in + t) + cub::ThreadLoad<cub::LOAD_CG>(in + t) + cub::ThreadLoad<cub::LOAD_LDG>(in + t) +
	          cub::ThreadLoad<cub::LOAD_CS>(in + t) + cub::ThreadLoad<cub::LOAD_CV>(in + t);
	cub::ThreadStore<cub::STORE_CG>(mine + 1, t);
	cub::ThreadStore<cub::STORE_WT>(mine + 2, t);
	cub::ThreadStore<cub::STORE_CS>(mine + 3, t);
	mine[4] = cub::LaneId();
	mine[5] = cub::WarpId();
	mine[6] = cub::LaneMaskLt();
	mine[7] = cub::LaneMaskGe();
	mine[8] = cub::BFE(0x12345678, 8, 12);
	cub::BFI((unsigned &)mine[9], 0u, 0xffffffffu, 4u, 8u);
	mine[10] = cub::SHR_ADD(64u, 3u, 5u);
	mine[11] = cub::PRMT(0x33221100, 0x77665544, 0x7531);
	mine[12] = cub::MatchAny<4>(t & 15);
	mine[13] = (int)(2 * wide);
	mine[14] = cub::RowMajorTid(128, 1, 1);
	mine[15] = cub::ShuffleIndex<32>(t * t, 5, 0xffffffff);
}

template <typename I> __global__ void through(I from, int *to) { to[threadIdx.x] = (int)from[threadIdx.x]; }

template <typename I> void copies(I from, const int *want, thrust::device_vector<int> &out) {
	through<<<1, 100>>>(from, out.data().get());
	std::vector<int> got = host(out);
	EXPECT(std::equal(want, want + 100, got.begin()));
}

struct halved {
	__host__ __device__ int operator()(int x) const { return x / 2; }
};

template <int LANES> void checkReductions(const std::vector<int> &a, thrust::device_vector<int> &da, int valid) {
	thrust::device_vector<int> sums(256), scanned(256), totals(128);
	reductions<LANES><<<1, 128>>>(da.data().get(), sums.data().get(), scanned.data().get(), totals.data().get(), valid);
	std::vector<int> s = host(sums), c = host(scanned), t = host(totals);
	for (int g = 0; g < 128 / LANES; g++) {
		auto from = a.begin() + g * LANES;
		EXPECT(s[2 * g] == std::accumulate(from, from + LANES, 0) && t[g] == s[2 * g] && s[2 * g + 1] == *std::max_element(from, from + valid));
		int sum = 0, most = -5000;
		for (int i = 0; i < LANES; i++) {
			EXPECT(c[2 * (g * LANES + i)] == (sum += from[i]) && c[2 * (g * LANES + i) + 1] == most);
			most = std::max(most, from[i]);
		}
	}
}

int main() {
	const int n = WARPS * 32 * ITEMS;
	std::vector<int> a = numbers<int>(n, -1000, 1000);
	thrust::device_vector<int> da = a, o1(2048), o2(2048);
	int *in = da.data().get(), *p1 = o1.data().get(), *p2 = o2.data().get();
	checkReductions<32>(a, da, 20);
	checkReductions<8>(a, da, 5);
	checkReductions<2>(a, da, 2);

	segments<<<1, 32>>>(in, p1);
	EXPECT(o1[0] == std::accumulate(a.begin(), a.begin() + 5, 0) && o1[5] == a[5] && o1[6] == std::accumulate(a.begin() + 6, a.begin() + 20, 0) &&
	       o1[20] == std::accumulate(a.begin() + 20, a.begin() + 32, 0));

	sorts<<<1, WARPS * 32>>>(in, p1, p2);
	std::vector<int> want = a, got = host(o1), striped = host(o2);
	for (int w = 0; w < WARPS; w++)
		std::sort(want.begin() + w * 32 * ITEMS, want.begin() + (w + 1) * 32 * ITEMS);
	EXPECT(std::equal(want.begin(), want.end(), got.begin()) && std::equal(want.begin(), want.end(), striped.begin()));

	words<<<1, 128>>>(in, p1);
	std::vector<int> w = host(o1);
	for (int t = 0; t < 128; t++) {
		const int *m = &w[16 * t], lane = t % 32;
		unsigned same = 0x00010001u << (t & 15);
		EXPECT(m[0] == 5 * a[t] && m[1] == t && m[2] == t && m[3] == t && m[4] == lane && m[5] == t / 32);
		EXPECT((unsigned)m[6] == (1u << lane) - 1 && (unsigned)m[7] == ~0u << lane && m[8] == 0x456 && m[9] == 0xff0 && m[10] == 13 && (unsigned)m[11] == 0x77553311u);
		EXPECT((unsigned)m[12] == same && m[13] == 2 * (lane < 30 ? t + 2 : t) + 1 && m[14] == t && m[15] == (t / 32 * 32 + 5) * (t / 32 * 32 + 5));
	}

	std::vector<int> halves(100), ones(100, 1), count(100);
	std::transform(a.begin(), a.begin() + 100, halves.begin(), halved());
	std::iota(count.begin(), count.end(), 7);
	copies(cub::CacheModifiedInputIterator<cub::LOAD_CG, int>(in), a.data(), o1);
	copies(cub::TransformInputIterator<int, halved, int *>(in, halved()), halves.data(), o1);
	copies(cub::CountingInputIterator<int>(7), count.data(), o1);
	copies(cub::ConstantInputIterator<int>(1), ones.data(), o1);
	cub::TexObjInputIterator<int> texture;
	CHECK(texture.BindTexture(in, n * sizeof(int)));
	copies(texture, a.data(), o1);
	CHECK(texture.UnbindTexture());
	printf("ok\n");
}
