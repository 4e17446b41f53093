// Thrust: algorithms that are not waited for, and those that begin after them.
#include "numbers.h"
#include <numeric>
#include <thrust/async/copy.h>
#include <thrust/async/reduce.h>
#include <thrust/async/scan.h>
#include <thrust/async/transform.h>
#include <thrust/event.h>
#include <thrust/functional.h>
#include <thrust/future.h>
#include <thrust/host_vector.h>

int main() {
	const int n = 3000;
	std::vector<int> a = numbers<int>(n, -100, 100), sums(n);
	thrust::device_vector<int> v = a, w(n), x(n);
	auto sum = thrust::async::reduce(v.begin(), v.end(), 5, thrust::plus<int>());
	auto negated = thrust::async::transform(v.begin(), v.end(), w.begin(), thrust::negate<int>());
	auto other = thrust::async::reduce(thrust::device.after(negated), w.begin(), w.end(), 0, thrust::plus<int>());
	auto scanned = thrust::async::inclusive_scan(v.begin(), v.end(), x.begin());
	thrust::host_vector<int> h(n);
	scanned.wait();
	thrust::async::copy(x.begin(), x.end(), h.begin()).wait();
	std::partial_sum(a.begin(), a.end(), sums.begin());
	EXPECT(std::equal(sums.begin(), sums.end(), h.begin()));
	EXPECT(sum.get() == 5 + sums.back() && other.get() == -sums.back());
	printf("ok\n");
}
