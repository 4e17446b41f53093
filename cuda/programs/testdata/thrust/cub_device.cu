// CUB: algorithms of the whole device but for sorts.
#include "numbers.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <cuda_fp16.h>
#include <map>
#include <numeric>

// RUN calls an algorithm twice, as CUB has it: for the size of its storage, and to work.
#define RUN(...)                                                                     \
	do {                                                                               \
		void *storage_ = nullptr;                                                        \
		size_t bytes_ = 0;                                                               \
		auto call_ = [&](void *s, size_t &b) { return __VA_ARGS__; };                    \
		CHECK(call_(nullptr, bytes_));                                                   \
		CHECK(cudaMalloc(&storage_, bytes_));                                            \
		CHECK(call_(storage_, bytes_));                                                  \
		CHECK(cudaFree(storage_));                                                       \
	} while (0)

struct isSmall {
	__host__ __device__ bool operator()(int x) const { return x < 20; }
};
struct isLarge {
	__host__ __device__ bool operator()(int x) const { return x >= 80; }
};
struct times3 {
	__host__ __device__ int operator()(int x) const { return 3 * x; }
};
struct difference {
	template <typename T> __host__ __device__ T operator()(T x, T y) const { return x - y; }
};

template <typename T> T *raw(thrust::device_vector<T> &v) { return thrust::raw_pointer_cast(v.data()); }

int main() {
	const int n = 9001;
	std::vector<int> a = numbers<int>(n, 0, 100), want(n);
	thrust::device_vector<int> da = a, out(n), one(4);
	int *in = raw(da), *to = raw(out), *single = raw(one);

	// Reductions.
	RUN(cub::DeviceReduce::Sum(s, b, in, single, n));
	EXPECT(one[0] == std::accumulate(a.begin(), a.end(), 0));
	RUN(cub::DeviceReduce::Max(s, b, in, single, n));
	EXPECT(one[0] == *std::max_element(a.begin(), a.end()));
	RUN(cub::DeviceReduce::Reduce(s, b, in, single, n, cub::Min(), 1000));
	EXPECT(one[0] == *std::min_element(a.begin(), a.end()));
	thrust::device_vector<cub::KeyValuePair<int, int>> pair(1);
	RUN(cub::DeviceReduce::ArgMin(s, b, in, raw(pair), n));
	cub::KeyValuePair<int, int> least = pair[0];
	EXPECT(least.key == std::min_element(a.begin(), a.end()) - a.begin() && least.value == a[least.key]);
	cub::TransformInputIterator<int, times3, int *> tripled(in, times3());
	RUN(cub::DeviceReduce::Sum(s, b, tripled, single, n));
	EXPECT(one[0] == 3 * std::accumulate(a.begin(), a.end(), 0));
	std::vector<double> x = numbers<double>(n, -1000, 1000);
	thrust::device_vector<double> dx = x, sum(1);
	RUN(cub::DeviceReduce::Sum(s, b, raw(dx), raw(sum), n));
	EXPECT(sum[0] == std::accumulate(x.begin(), x.end(), 0.0));
	thrust::device_vector<__half> halves(100, __float2half(0.25f)), half(1);
	RUN(cub::DeviceReduce::Sum(s, b, raw(halves), raw(half), 100));
	EXPECT(__half2float(half[0]) == 25);
	std::vector<int> offsets = {0, 10, 10, 500, 4000, n}, ends;
	thrust::device_vector<int> dof = offsets;
	RUN(cub::DeviceSegmentedReduce::Sum(s, b, in, to, 5, raw(dof), raw(dof) + 1));
	for (int i = 0; i < 5; i++)
		EXPECT(out[i] == std::accumulate(a.begin() + offsets[i], a.begin() + offsets[i + 1], 0));

	// Prefix sums.
	RUN(cub::DeviceScan::InclusiveSum(s, b, in, to, n));
	std::partial_sum(a.begin(), a.end(), want.begin());
	EXPECT(host(out) == want);
	RUN(cub::DeviceScan::ExclusiveScan(s, b, in, to, cub::Max(), -1, n));
	for (int i = 0, most = -1; i < n; most = std::max(most, a[i++]))
		want[i] = most;
	EXPECT(host(out) == want);
	std::vector<int> keys(n);
	for (int i = 1; i < n; i++)
		keys[i] = keys[i - 1] + (a[i] % 5 == 0);
	thrust::device_vector<int> dk = keys;
	RUN(cub::DeviceScan::ExclusiveSumByKey(s, b, raw(dk), in, to, n));
	for (int i = 0; i < n; i++)
		want[i] = i > 0 && keys[i] == keys[i - 1] ? want[i - 1] + a[i - 1] : 0;
	EXPECT(host(out) == want);

	// Some of the elements.
	auto first = [&](int count) {
		std::vector<int> got = host(out);
		got.resize(count);
		return got;
	};
	want.clear();
	std::copy_if(a.begin(), a.end(), std::back_inserter(want), isSmall());
	RUN(cub::DeviceSelect::If(s, b, in, to, single, n, isSmall()));
	EXPECT(first(one[0]) == want);
	thrust::device_vector<char> flags(n);
	for (int i = 0; i < n; i += 1000)
		flags[i] = 1;
	RUN(cub::DeviceSelect::Flagged(s, b, in, raw(flags), to, single, n));
	EXPECT(one[0] == 10 && out[3] == a[3000]);
	std::vector<int> runs = keys;
	for (int &k : runs)
		k /= 3;
	dk = runs;
	std::vector<int> unique = runs;
	unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
	RUN(cub::DeviceSelect::Unique(s, b, raw(dk), to, single, n));
	EXPECT(first(one[0]) == unique);
	RUN(cub::DevicePartition::If(s, b, in, to, single, n, isSmall()));
	EXPECT(one[0] == (int)want.size());
	std::vector<int> got = host(out);
	EXPECT(std::is_partitioned(got.begin(), got.end(), isSmall()) && std::equal(want.begin(), want.end(), got.begin()));
	thrust::device_vector<int> large(n), rest(n);
	RUN(cub::DevicePartition::If(s, b, in, to, raw(large), raw(rest), single, n, isSmall(), isLarge()));
	EXPECT(one[0] == (int)want.size() && one[1] == (int)std::count_if(a.begin(), a.end(), isLarge()) && first(one[0]) == want);
	RUN(cub::DeviceRunLengthEncode::Encode(s, b, raw(dk), to, raw(rest), single, n));
	EXPECT(first(one[0]) == unique && thrust::reduce(rest.begin(), rest.begin() + unique.size()) == n);
	RUN(cub::DeviceRunLengthEncode::NonTrivialRuns(s, b, raw(dk), to, raw(rest), single, n));
	EXPECT(one[0] > 0 && rest[0] == (int)std::count(runs.begin(), runs.end(), runs[out[0]]) && rest[0] > 1);
	thrust::device_vector<int> sums(n);
	RUN(cub::DeviceReduce::ReduceByKey(s, b, raw(dk), to, in, raw(sums), single, cub::Sum(), n));
	std::map<int, int> of;
	for (int i = 0; i < n; i++)
		of[runs[i]] += a[i];
	EXPECT(one[0] == (int)of.size() && sums[5] == of[unique[5]] && sums[one[0] - 1] == of[unique.back()]);

	// Histograms.
	thrust::device_vector<int> bins(256);
	RUN(cub::DeviceHistogram::HistogramEven(s, b, in, raw(bins), 11, 0, 100, n));
	for (int i = 0; i < 10; i++)
		EXPECT(bins[i] == (int)std::count_if(a.begin(), a.end(), [i](int v) { return v / 10 == i; }));
	thrust::device_vector<int> levels(std::vector<int>{0, 3, 50, 51, 100});
	RUN(cub::DeviceHistogram::HistogramRange(s, b, in, raw(bins), 5, raw(levels), n));
	EXPECT(bins[0] == (int)std::count_if(a.begin(), a.end(), [](int v) { return v < 3; }) && bins[2] == (int)std::count(a.begin(), a.end(), 50));
	std::vector<unsigned char> pixels = numbers<unsigned char>(4 * 2000, 0, 256);
	thrust::device_vector<unsigned char> dp = pixels;
	thrust::device_vector<int> channels(3 * 256);
	int *of3[3] = {raw(channels), raw(channels) + 256, raw(channels) + 512}, count[3] = {257, 257, 257}, low[3] = {0, 0, 0}, high[3] = {256, 256, 256};
	RUN(cub::DeviceHistogram::MultiHistogramEven<4, 3>(s, b, raw(dp), of3, count, low, high, 2000));
	std::vector<int> wanted(3 * 256);
	for (int i = 0; i < 2000; i++)
		for (int c = 0; c < 3; c++)
			wanted[256 * c + pixels[4 * i + c]]++;
	EXPECT(host(channels) == wanted);

	RUN(cub::DeviceAdjacentDifference::SubtractLeftCopy(s, b, in, to, n, difference()));
	want.resize(n);
	std::adjacent_difference(a.begin(), a.end(), want.begin());
	EXPECT(host(out) == want);
	printf("ok\n");
}
