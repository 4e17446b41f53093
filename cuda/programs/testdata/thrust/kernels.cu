// Thrust: execution policies, streams, algorithms within kernels, complex and random numbers, memory, and exceptions.
#include "numbers.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <random>
#include <thrust/binary_search.h>
#include <thrust/complex.h>
#include <thrust/device_malloc.h>
#include <thrust/device_free.h>
#include <thrust/device_new.h>
#include <thrust/device_delete.h>
#include <thrust/execution_policy.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/memory.h>
#include <thrust/optional.h>
#include <thrust/pair.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/universal_vector.h>

// sortRows: each thread sorts a row, sums it, and finds a value in it.
__global__ void sortRows(int *rows, int *sums, int *places, int columns) {
	int *row = rows + threadIdx.x * columns, *end = row + columns;
	thrust::sort(thrust::seq, row, end);
	sums[threadIdx.x] = thrust::reduce(thrust::seq, row, end);
	places[threadIdx.x] = thrust::lower_bound(thrust::seq, row, end, 50) - row;
	thrust::inclusive_scan(thrust::seq, row, end, row);
}

__global__ void powers(thrust::complex<double> *z, int n) {
	int i = threadIdx.x;
	if (i < n) {
		thrust::complex<double> w(0.1 * i, 1 - 0.05 * i);
		z[6 * i] = w * w / (w + 1.0);
		z[6 * i + 1] = thrust::exp(w);
		z[6 * i + 2] = thrust::sqrt(w);
		z[6 * i + 3] = thrust::pow(w, 3.0);
		z[6 * i + 4] = thrust::complex<double>(thrust::abs(w), thrust::arg(w));
		z[6 * i + 5] = thrust::conj(thrust::sin(w));
	}
}

struct inCircle {
	__host__ __device__ int operator()(unsigned i) const {
		thrust::default_random_engine engine;
		engine.discard(2 * i);
		thrust::uniform_real_distribution<float> u(0, 1);
		float x = u(engine), y = u(engine);
		return x * x + y * y < 1;
	}
};
struct draw {
	__host__ __device__ unsigned operator()(int i) const {
		thrust::taus88 a(i + 1);
		thrust::ranlux24 b(i + 1);
		thrust::minstd_rand c;
		c.discard(i);
		thrust::uniform_int_distribution<int> die(1, 6);
		return a() ^ b() ^ c() ^ (unsigned)die(c);
	}
};

struct account {
	int balance;
};

int main() {
	const int rows = 40, columns = 33;
	std::vector<int> a = numbers<int>(rows * columns, 0, 100), sums(rows), places(rows);
	thrust::device_vector<int> da = a, ds(rows), dp(rows);
	sortRows<<<1, rows>>>(da.data().get(), ds.data().get(), dp.data().get(), columns);
	for (int r = 0; r < rows; r++) {
		auto row = a.begin() + r * columns;
		std::sort(row, row + columns);
		sums[r] = std::accumulate(row, row + columns, 0);
		places[r] = std::lower_bound(row, row + columns, 50) - row;
		std::partial_sum(row, row + columns, row);
	}
	EXPECT(host(da) == a && host(ds) == sums && host(dp) == places);

	// Policies.
	cudaStream_t stream;
	CHECK(cudaStreamCreate(&stream));
	thrust::sort(thrust::cuda::par.on(stream), da.begin(), da.end());
	CHECK(cudaStreamSynchronize(stream));
	std::sort(a.begin(), a.end());
	EXPECT(host(da) == a);
	int *raw;
	CHECK(cudaMallocAsync(&raw, 1000 * sizeof(int), stream));
	thrust::sequence(thrust::cuda::par_nosync.on(stream), thrust::device_pointer_cast(raw), thrust::device_pointer_cast(raw) + 1000);
	EXPECT(thrust::reduce(thrust::cuda::par.on(stream), raw, raw + 1000) == 499500);
	EXPECT(thrust::reduce(thrust::device, raw, raw + 1000, 0, thrust::maximum<int>()) == 999);
	CHECK(cudaFreeAsync(raw, stream));
	EXPECT(thrust::reduce(thrust::cuda::par.on(cudaStreamPerThread), da.begin(), da.end()) == std::accumulate(a.begin(), a.end(), 0));
	CHECK(cudaStreamDestroy(stream));
	thrust::host_vector<int> h = da;
	thrust::sort(h.begin(), h.end(), thrust::greater<int>());
	thrust::sort(thrust::host, a.begin(), a.end(), thrust::greater<int>());
	EXPECT(std::equal(h.begin(), h.end(), a.begin()));

	// Memory.
	thrust::universal_vector<int> u(1000);
	thrust::sequence(thrust::device, u.begin(), u.end());
	CHECK(cudaDeviceSynchronize());
	EXPECT(u[999] == 999 && std::accumulate(u.begin(), u.end(), 0) == 499500);
	thrust::device_ptr<double> p = thrust::device_malloc<double>(10);
	p[3] = 2.5;
	p[3] += 1;
	EXPECT(p[3] == 3.5);
	thrust::device_free(p);
	thrust::device_ptr<account> one = thrust::device_new<account>(thrust::device_malloc<account>(1), account{7});
	account was = *one;
	EXPECT(was.balance == 7);
	thrust::device_delete(one);
	thrust::pointer<int, thrust::cuda::tag> temporary = thrust::malloc<int>(thrust::cuda::par, 100);
	thrust::fill(temporary, temporary + 100, 4);
	EXPECT(thrust::reduce(temporary, temporary + 100) == 400);
	thrust::free(thrust::cuda::par, temporary);
	thrust::device_vector<int> grown;
	for (int i = 0; i < 10; i++)
		grown.push_back(i);
	grown.insert(grown.begin() + 3, 5, 100);
	EXPECT(grown.size() == 15 && grown[2] == 2 && grown[7] == 100 && grown.back() == 9);

	// Numbers.
	const int n = 20;
	thrust::device_vector<thrust::complex<double>> z(6 * n);
	powers<<<1, 32>>>(z.data().get(), n);
	std::vector<thrust::complex<double>> got = host(z);
	for (int i = 0; i < n; i++) {
		std::complex<double> w(0.1 * i, 1 - 0.05 * i);
		std::complex<double> want[] = {w * w / (w + 1.0), std::exp(w), std::sqrt(w), std::pow(w, 3.0), {std::abs(w), std::arg(w)}, std::conj(std::sin(w))};
		for (int k = 0; k < 6; k++)
			EXPECT(std::abs(std::complex<double>(got[6 * i + k]) - want[k]) < 1e-12 * (1 + std::abs(want[k])));
	}
	thrust::counting_iterator<unsigned> from(0);
	int in = thrust::transform_reduce(from, from + 4000, inCircle(), 0, thrust::plus<int>()), inHost = 0;
	for (unsigned i = 0; i < 4000; i++)
		inHost += inCircle()(i);
	EXPECT(in == inHost && std::abs(4.0 * in / 4000 - M_PI) < 0.1);
	thrust::device_vector<unsigned> drawn(300);
	thrust::transform(from, from + 300, drawn.begin(), draw());
	for (int i = 0; i < 300; i += 7)
		EXPECT(drawn[i] == draw()(i));
	thrust::minstd_rand ours(5);
	std::minstd_rand theirs(5);
	EXPECT(ours() == theirs() && ours() == theirs());
	thrust::optional<int> nothing, something = 3;
	EXPECT(!nothing && *something == 3 && nothing.value_or(4) == 4);

	// What fails throws.
	bool thrown = false;
	try {
		thrust::device_vector<char> huge((size_t)1 << 44);
	} catch (const std::bad_alloc &) {
		thrown = true;
	}
	EXPECT(thrown && cudaGetLastError() == cudaSuccess);
	thrown = false;
	try {
		thrust::for_each_n(thrust::device, thrust::counting_iterator<int>(0), 10, [] __device__(int) { __trap(); });
	} catch (const thrust::system_error &e) {
		thrown = e.code().category() == thrust::cuda_category() && e.code().value() == cudaErrorLaunchFailure;
	}
	EXPECT(thrown);
	printf("ok\n");
	fflush(stdout);
	_Exit(0); // vectors cannot be freed after the kernel that failed
}
