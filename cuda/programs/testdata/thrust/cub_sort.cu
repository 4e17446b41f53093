// CUB: sorts of the device, of segments, and storage that is kept.
#include "numbers.h"
#include <algorithm>
#include <cmath>
#include <cub/cub.cuh>
#include <cuda_fp16.h>
#include <numeric>
#include <thrust/sequence.h>

static cub::CachingDeviceAllocator allocator(true);

// RUN calls an algorithm twice, as CUB has it: for the size of its storage, and to work.
#define RUN(...)                                                                     \
	do {                                                                               \
		void *storage_ = nullptr;                                                        \
		size_t bytes_ = 0;                                                               \
		auto call_ = [&](void *s, size_t &b) { return __VA_ARGS__; };                    \
		CHECK(call_(nullptr, bytes_));                                                   \
		CHECK(allocator.DeviceAllocate(&storage_, bytes_));                              \
		CHECK(call_(storage_, bytes_));                                                  \
		CHECK(allocator.DeviceFree(storage_));                                           \
	} while (0)

template <typename T> T *raw(thrust::device_vector<T> &v) { return thrust::raw_pointer_cast(v.data()); }

struct after {
	template <typename T> __host__ __device__ bool operator()(const T &x, const T &y) const { return y < x; }
};

template <typename K> void sortsKeys(int n) {
	std::vector<K> a = numbers<K>(n, 0, 30000);
	for (int i = 0; i < n; i += 2)
		a[i] = (K)(a[i] - (K)15000);
	thrust::device_vector<K> in = a, out(n);
	RUN(cub::DeviceRadixSort::SortKeys(s, b, raw(in), raw(out), n));
	std::sort(a.begin(), a.end());
	EXPECT(host(out) == a);
	RUN(cub::DeviceRadixSort::SortKeysDescending(s, b, raw(in), raw(out), n));
	std::reverse(a.begin(), a.end());
	EXPECT(host(out) == a);
}

int main() {
	sortsKeys<unsigned char>(3000);
	sortsKeys<int>(20000);
	sortsKeys<double>(3000);

	const int n = 5000;
	std::vector<unsigned> keys = numbers<unsigned>(n, 0, 1 << 20);
	std::vector<int> index(n);
	std::iota(index.begin(), index.end(), 0);
	thrust::device_vector<unsigned> dk = keys, dk2(n);
	thrust::device_vector<int> di = index, di2(n);
	cub::DoubleBuffer<unsigned> kb(raw(dk), raw(dk2));
	cub::DoubleBuffer<int> ib(raw(di), raw(di2));
	RUN(cub::DeviceRadixSort::SortPairs(s, b, kb, ib, n, 4, 12)); // by 8 bits
	auto byBits = [&](int x, int y) { return (keys[x] >> 4 & 255) < (keys[y] >> 4 & 255); };
	std::stable_sort(index.begin(), index.end(), byBits);
	std::vector<int> got(n);
	CHECK(cudaMemcpy(got.data(), ib.Current(), n * sizeof(int), cudaMemcpyDeviceToHost));
	EXPECT(got == index);

	std::vector<float> f(n);
	for (int i = 0; i < n; i++)
		f[i] = (keys[i] % 64) / 8.0f - 4;
	thrust::device_vector<__half> h(n), h2(n);
	std::vector<__half> fh(n);
	for (int i = 0; i < n; i++)
		fh[i] = __float2half(f[i]);
	h = fh;
	RUN(cub::DeviceRadixSort::SortKeys(s, b, raw(h), raw(h2), n));
	std::sort(f.begin(), f.end());
	fh = host(h2);
	for (int i = 0; i < n; i++)
		EXPECT(__half2float(fh[i]) == f[i]);

	// Segments of all sizes, some of them empty.
	std::vector<int> values = numbers<int>(n, -500, 500), offsets = {0, 0, 1, 3, 30, 31, 200, 1000, 1000, n};
	const int segments = offsets.size() - 1;
	thrust::device_vector<int> dv = values, out(n), dof = offsets;
	thrust::sequence(di.begin(), di.end());
	RUN(cub::DeviceSegmentedRadixSort::SortKeys(s, b, raw(dv), raw(out), n, segments, raw(dof), raw(dof) + 1));
	std::vector<int> want = values;
	for (int i = 0; i < segments; i++)
		std::sort(want.begin() + offsets[i], want.begin() + offsets[i + 1]);
	EXPECT(host(out) == want);
	out.assign(n, 0);
	RUN(cub::DeviceSegmentedSort::SortKeys(s, b, raw(dv), raw(out), n, segments, raw(dof), raw(dof) + 1));
	EXPECT(host(out) == want);
	RUN(cub::DeviceSegmentedSort::StableSortPairsDescending(s, b, raw(dv), raw(out), raw(di), raw(di2), n, segments, raw(dof), raw(dof) + 1));
	std::iota(index.begin(), index.end(), 0);
	for (int i = 0; i < segments; i++)
		std::stable_sort(index.begin() + offsets[i], index.begin() + offsets[i + 1], [&](int x, int y) { return values[x] > values[y]; });
	EXPECT(host(di2) == index);

	RUN(cub::DeviceMergeSort::SortPairs(s, b, raw(dv), raw(di), n, after()));
	std::iota(index.begin(), index.end(), 0);
	std::stable_sort(index.begin(), index.end(), [&](int x, int y) { return values[x] > values[y]; });
	std::stable_sort(values.begin(), values.end(), after());
	EXPECT(host(dv) == values);
	dv = host(out);
	RUN(cub::DeviceMergeSort::StableSortKeys(s, b, raw(dv), n, after()));
	EXPECT(host(dv) == values);
	printf("ok\n");
}
