// Thrust: sorts by radix and by merging, searches in what is sorted, and operations of sets.
#include "numbers.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <thrust/binary_search.h>
#include <thrust/functional.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/shuffle.h>
#include <thrust/sort.h>
#include <thrust/tuple.h>
#include <thrust/random.h>

template <typename T> void sorts(int n) {
	std::vector<T> a = numbers<T>(n, 0, 100000);
	for (int i = 0; i < n; i += 3)
		a[i] = (T)(-(double)a[i] / 3);
	thrust::device_vector<T> d = a;
	thrust::sort(d.begin(), d.end());
	EXPECT(thrust::is_sorted(d.begin(), d.end()));
	std::sort(a.begin(), a.end());
	EXPECT(host(d) == a);
	thrust::sort(d.begin(), d.end(), thrust::greater<T>());
	std::reverse(a.begin(), a.end());
	EXPECT(host(d) == a);
}

// byLastDigit leaves many elements equal, so that a sort that is not stable is found.
struct byLastDigit {
	__host__ __device__ bool operator()(int x, int y) const { return x % 10 < y % 10; }
};
struct point {
	int x, y;
	__host__ __device__ bool operator<(const point &p) const { return x < p.x || (x == p.x && y < p.y); }
	__host__ __device__ bool operator==(const point &p) const { return x == p.x && y == p.y; }
};

int main() {
	const int n = 6007;
	sorts<int>(n);
	sorts<float>(n);

	std::vector<int> keys = numbers<int>(n, 0, 1000), index(n);
	std::iota(index.begin(), index.end(), 0);
	thrust::device_vector<int> dk = keys, di = index;
	thrust::stable_sort_by_key(dk.begin(), dk.end(), di.begin());
	std::stable_sort(index.begin(), index.end(), [&](int x, int y) { return keys[x] < keys[y]; });
	EXPECT(host(di) == index);
	dk = keys;
	thrust::stable_sort(dk.begin(), dk.end(), byLastDigit());
	std::vector<int> sorted = keys;
	std::stable_sort(sorted.begin(), sorted.end(), byLastDigit());
	EXPECT(host(dk) == sorted);

	std::vector<point> points(n);
	for (int i = 0; i < n; i++)
		points[i] = {keys[i] / 100, keys[(i + 1) % n]};
	thrust::device_vector<point> dp = points;
	thrust::sort(dp.begin(), dp.end());
	std::sort(points.begin(), points.end());
	EXPECT(host(dp) == points);
	thrust::device_vector<int> first = keys, second(n);
	thrust::sequence(second.begin(), second.end());
	thrust::sort(thrust::make_zip_iterator(thrust::make_tuple(first.begin(), second.begin())),
	             thrust::make_zip_iterator(thrust::make_tuple(first.end(), second.end())));
	EXPECT(host(second) == index);

	// Searches.
	std::sort(keys.begin(), keys.end());
	dk = keys;
	std::vector<int> sought = numbers<int>(500, -10, 1010, 9), want(500);
	thrust::device_vector<int> ds = sought, at(500);
	thrust::lower_bound(dk.begin(), dk.end(), ds.begin(), ds.end(), at.begin());
	for (int i = 0; i < 500; i++)
		want[i] = std::lower_bound(keys.begin(), keys.end(), sought[i]) - keys.begin();
	EXPECT(host(at) == want);
	thrust::upper_bound(dk.begin(), dk.end(), ds.begin(), ds.end(), at.begin());
	for (int i = 0; i < 500; i++)
		want[i] = std::upper_bound(keys.begin(), keys.end(), sought[i]) - keys.begin();
	EXPECT(host(at) == want);
	EXPECT(thrust::binary_search(dk.begin(), dk.end(), keys[77]) && !thrust::binary_search(dk.begin(), dk.end(), -1));
	EXPECT(thrust::lower_bound(dk.begin(), dk.end(), 500) - dk.begin() == std::lower_bound(keys.begin(), keys.end(), 500) - keys.begin());

	// Sets.
	std::vector<int> a = numbers<int>(2000, 0, 3000, 3), b = numbers<int>(1700, 0, 3000, 4), both;
	std::sort(a.begin(), a.end());
	std::sort(b.begin(), b.end());
	thrust::device_vector<int> da = a, db = b, out(3700);
	auto is = [&](thrust::device_vector<int>::iterator end) {
		std::vector<int> got = host(out);
		got.resize(end - out.begin());
		bool same = got == both;
		both.clear();
		return same;
	};
	std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
	EXPECT(is(thrust::merge(da.begin(), da.end(), db.begin(), db.end(), out.begin())));
	std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
	EXPECT(is(thrust::set_union(da.begin(), da.end(), db.begin(), db.end(), out.begin())));
	std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
	EXPECT(is(thrust::set_intersection(da.begin(), da.end(), db.begin(), db.end(), out.begin())));
	std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
	EXPECT(is(thrust::set_difference(da.begin(), da.end(), db.begin(), db.end(), out.begin())));
	std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
	EXPECT(is(thrust::set_symmetric_difference(da.begin(), da.end(), db.begin(), db.end(), out.begin())));

	thrust::shuffle(second.begin(), second.end(), thrust::default_random_engine(5));
	EXPECT(!thrust::is_sorted(second.begin(), second.end()));
	thrust::sort(second.begin(), second.end());
	EXPECT(second[0] == 0 && second[n - 1] == n - 1 && thrust::is_sorted(second.begin(), second.end()));
	printf("ok\n");
}
