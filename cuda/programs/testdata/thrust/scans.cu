// Thrust: prefix sums, what keeps some of the elements, and what works on runs of equal keys.
#include "numbers.h"
#include <algorithm>
#include <numeric>
#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/transform_scan.h>
#include <thrust/unique.h>

struct isOdd {
	__host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct twice {
	__host__ __device__ int operator()(int x) const { return 2 * x; }
};

// affine is a function x -> a x + b; to compose them is associative, and not commutative.
struct affine {
	unsigned a, b;
};
struct compose {
	__host__ __device__ affine operator()(affine f, affine g) const { return {g.a * f.a, g.a * f.b + g.b}; }
};

int main() {
	const int n = 7001;
	std::vector<int> a = numbers<int>(n, -50, 50), want(n);
	thrust::device_vector<int> da = a, out(n);

	thrust::inclusive_scan(da.begin(), da.end(), out.begin());
	std::partial_sum(a.begin(), a.end(), want.begin());
	EXPECT(host(out) == want);
	thrust::exclusive_scan(da.begin(), da.end(), out.begin(), 100);
	for (int i = n - 1; i > 0; i--)
		want[i] = want[i - 1] + 100;
	want[0] = 100;
	EXPECT(host(out) == want);
	thrust::inclusive_scan(da.begin(), da.end(), out.begin(), thrust::maximum<int>());
	std::partial_sum(a.begin(), a.end(), want.begin(), [](int x, int y) { return std::max(x, y); });
	EXPECT(host(out) == want);
	thrust::transform_inclusive_scan(da.begin(), da.end(), out.begin(), twice(), thrust::plus<int>());
	std::partial_sum(a.begin(), a.end(), want.begin());
	for (int i = 0; i < n; i++)
		EXPECT(out[i] == 2 * want[i] || i % 100 != 0);
	std::vector<affine> f(n), g(n);
	for (int i = 0; i < n; i++)
		f[i] = {(unsigned)a[i] | 1, (unsigned)i};
	thrust::device_vector<affine> df = f;
	thrust::inclusive_scan(df.begin(), df.end(), df.begin(), compose());
	std::partial_sum(f.begin(), f.end(), g.begin(), compose());
	std::vector<affine> got = host(df);
	EXPECT(std::equal(g.begin(), g.end(), got.begin(), [](affine x, affine y) { return x.a == y.a && x.b == y.b; }));

	// Runs of keys.
	std::vector<int> keys(n), runs, sums;
	for (int i = 0, key = 0; i < n; i++) {
		key += (a[i] & 7) == 0;
		keys[i] = key % 3;
		if (i == 0 || keys[i] != keys[i - 1]) {
			runs.push_back(keys[i]);
			sums.push_back(0);
		}
		sums.back() += a[i];
		want[i] = sums.back();
	}
	thrust::device_vector<int> dk = keys, outKeys(n);
	thrust::inclusive_scan_by_key(dk.begin(), dk.end(), da.begin(), out.begin());
	EXPECT(host(out) == want);
	thrust::exclusive_scan_by_key(dk.begin(), dk.end(), da.begin(), out.begin());
	for (int i = 0; i < n; i++)
		want[i] -= a[i];
	EXPECT(host(out) == want);
	auto ends = thrust::reduce_by_key(dk.begin(), dk.end(), da.begin(), outKeys.begin(), out.begin());
	outKeys.resize(ends.first - outKeys.begin());
	out.resize(ends.second - out.begin());
	EXPECT(host(outKeys) == runs && host(out) == sums);
	size_t count = thrust::reduce_by_key(dk.begin(), dk.end(), thrust::constant_iterator<int>(1), thrust::make_discard_iterator(), out.begin()).second - out.begin();
	EXPECT(count == runs.size() && thrust::reduce(out.begin(), out.end()) == n);
	thrust::device_vector<int> unique = dk;
	unique.erase(thrust::unique(unique.begin(), unique.end()), unique.end());
	EXPECT(host(unique) == runs);
	out.resize(n);
	ends = thrust::unique_by_key_copy(dk.begin(), dk.end(), thrust::counting_iterator<int>(0), outKeys.begin(), out.begin());
	for (size_t i = 0, at = 0; i < runs.size(); i++, at++) {
		while (at > 0 && keys[at] == keys[at - 1])
			at++;
		EXPECT(i % 16 != 0 || out[i] == (int)at);
	}

	// Some of the elements.
	std::vector<int> odd, even;
	std::partition_copy(a.begin(), a.end(), std::back_inserter(odd), std::back_inserter(even), isOdd());
	out.resize(thrust::copy_if(da.begin(), da.end(), out.begin(), isOdd()) - out.begin());
	EXPECT(host(out) == odd);
	out.assign(n, 0);
	out.resize(thrust::copy_if(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n), da.begin(), out.begin(), isOdd()) - out.begin());
	EXPECT(out.size() == odd.size() && a[out[17]] == odd[17]);
	out = da;
	out.erase(thrust::remove_if(out.begin(), out.end(), isOdd()), out.end());
	EXPECT(host(out) == even);
	out = da;
	size_t split = thrust::stable_partition(out.begin(), out.end(), isOdd()) - out.begin();
	odd.insert(odd.end(), even.begin(), even.end());
	EXPECT(split == odd.size() - even.size() && host(out) == odd);
	EXPECT(thrust::is_partitioned(out.begin(), out.end(), isOdd()) && !thrust::is_partitioned(da.begin(), da.end(), isOdd()));
	thrust::device_vector<int> doubled(n);
	thrust::copy(da.begin(), da.end(), thrust::make_transform_output_iterator(doubled.begin(), twice()));
	EXPECT(doubled[5] == 2 * a[5] && doubled[n - 1] == 2 * a[n - 1]);
	printf("ok\n");
}
