// Thrust: what works on each element, searches and reductions, on iterators of all kinds.
#include "numbers.h"
#include <algorithm>
#include <numeric>
#include <thrust/adjacent_difference.h>
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/reduce.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

using namespace thrust::placeholders;

struct saxpy {
	float a;
	__host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct square {
	__host__ __device__ int operator()(int x) const { return x * x; }
};
struct isEven {
	__host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct addThird {
	template <typename Tuple> __host__ __device__ void operator()(Tuple t) const {
		thrust::get<2>(t) = thrust::get<0>(t) + thrust::get<1>(t);
	}
};
struct larger {
	__host__ __device__ thrust::tuple<int, int> operator()(const thrust::tuple<int, int> &a, const thrust::tuple<int, int> &b) const {
		return thrust::get<0>(a) >= thrust::get<0>(b) ? a : b;
	}
};

int main() {
	const int n = 5003;
	std::vector<int> a = numbers<int>(n, -1000, 1000), b = numbers<int>(n, -1000, 1000, 2), want(n);
	thrust::device_vector<int> da = a, db = b, out(n);

	thrust::transform(da.begin(), da.end(), db.begin(), out.begin(), thrust::plus<int>());
	std::transform(a.begin(), a.end(), b.begin(), want.begin(), std::plus<int>());
	EXPECT(host(out) == want);
	thrust::transform(da.begin(), da.end(), out.begin(), 3 * _1 - 1);
	for (int i = 0; i < n; i++)
		want[i] = 3 * a[i] - 1;
	EXPECT(host(out) == want);
	thrust::transform_if(da.begin(), da.end(), out.begin(), thrust::negate<int>(), isEven());
	for (int i = 0; i < n; i++)
		want[i] = a[i] % 2 == 0 ? -a[i] : want[i];
	EXPECT(host(out) == want);
	thrust::device_vector<float> x(n, 0.5f), y(n, 2);
	thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), saxpy{3});
	EXPECT(host(y) == std::vector<float>(n, 3.5f));

	thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(da.begin(), db.begin(), out.begin())),
	                 thrust::make_zip_iterator(thrust::make_tuple(da.end(), db.end(), out.end())), addThird());
	std::transform(a.begin(), a.end(), b.begin(), want.begin(), std::plus<int>());
	EXPECT(host(out) == want);
	int *raw = thrust::raw_pointer_cast(out.data());
	thrust::for_each_n(thrust::device, thrust::counting_iterator<int>(0), n, [raw] __device__(int i) { raw[i] = i * i; });
	for (int i = 0; i < n; i++)
		want[i] = i * i;
	EXPECT(host(out) == want);

	thrust::sequence(out.begin(), out.end(), 5, 3);
	thrust::replace_if(out.begin(), out.end(), isEven(), 0);
	thrust::reverse(out.begin(), out.end());
	for (int i = 0; i < n; i++)
		want[n - 1 - i] = (5 + 3 * i) % 2 == 0 ? 0 : 5 + 3 * i;
	EXPECT(host(out) == want);
	thrust::tabulate(out.begin(), out.end(), square());
	thrust::device_vector<int> other(n);
	thrust::swap_ranges(out.begin(), out.end(), other.begin());
	EXPECT(out[10] == 0 && other[10] == 100 && other[n - 1] == (n - 1) * (n - 1));
	thrust::adjacent_difference(da.begin(), da.end(), out.begin());
	std::adjacent_difference(a.begin(), a.end(), want.begin());
	EXPECT(host(out) == want);

	std::vector<int> order(n);
	for (int i = 0; i < n; i++)
		order[i] = (int)(i * 17LL % n);
	thrust::device_vector<int> map = order;
	thrust::gather(map.begin(), map.end(), da.begin(), out.begin());
	thrust::scatter(da.begin(), da.end(), map.begin(), other.begin());
	EXPECT(thrust::equal(out.begin(), out.end(), thrust::make_permutation_iterator(da.begin(), map.begin())));
	for (int i = 0; i < n; i++)
		want[order[i]] = a[i];
	EXPECT(host(other) == want);
	other[n / 2] += 1;
	thrust::device_vector<int> wanted = want;
	EXPECT(thrust::mismatch(other.begin(), other.end(), wanted.begin()).first - other.begin() == n / 2);

	EXPECT(thrust::reduce(da.begin(), da.end()) == std::accumulate(a.begin(), a.end(), 0));
	EXPECT(thrust::reduce(da.begin(), da.end(), -5000, thrust::maximum<int>()) == *std::max_element(a.begin(), a.end()));
	EXPECT(thrust::transform_reduce(da.begin(), da.end(), square(), 0LL, thrust::plus<long long>()) ==
	       std::inner_product(a.begin(), a.end(), a.begin(), 0LL));
	EXPECT(thrust::inner_product(da.begin(), da.end(), db.begin(), 0) == std::inner_product(a.begin(), a.end(), b.begin(), 0));
	EXPECT(thrust::max_element(da.begin(), da.end()) - da.begin() == std::max_element(a.begin(), a.end()) - a.begin());
	EXPECT(thrust::min_element(da.begin(), da.end()) - da.begin() == std::min_element(a.begin(), a.end()) - a.begin());
	auto both = thrust::minmax_element(da.begin(), da.end());
	EXPECT(*both.first == *std::min_element(a.begin(), a.end()) && *both.second == *std::max_element(a.begin(), a.end()));
	thrust::tuple<int, int> best = thrust::reduce(
	    thrust::make_zip_iterator(thrust::make_tuple(da.begin(), thrust::counting_iterator<int>(0))),
	    thrust::make_zip_iterator(thrust::make_tuple(da.end(), thrust::counting_iterator<int>(n))), thrust::make_tuple(-5000, -1), larger());
	EXPECT(thrust::get<0>(best) == *std::max_element(a.begin(), a.end()) && a[thrust::get<1>(best)] == thrust::get<0>(best));
	EXPECT(thrust::reduce(thrust::constant_iterator<int>(3), thrust::constant_iterator<int>(3) + n) == 3 * n);
	EXPECT(thrust::reduce(thrust::make_transform_iterator(da.begin(), square()), thrust::make_transform_iterator(da.end(), square())) ==
	       std::inner_product(a.begin(), a.end(), a.begin(), 0));

	EXPECT(thrust::count_if(da.begin(), da.end(), isEven()) == std::count_if(a.begin(), a.end(), isEven()));
	EXPECT(thrust::count(da.begin(), da.end(), 7) == std::count(a.begin(), a.end(), 7));
	EXPECT(thrust::find(da.begin(), da.end(), a[3000]) - da.begin() == std::find(a.begin(), a.end(), a[3000]) - a.begin());
	EXPECT(thrust::all_of(da.begin(), da.end(), _1 < 1000) && !thrust::any_of(da.begin(), da.end(), _1 > 1000) &&
	       thrust::none_of(da.begin(), da.end(), _1 == 1000));
	printf("ok\n");
}
