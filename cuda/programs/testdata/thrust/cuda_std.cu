// libcu++: parts of the standard library in kernels, and what a pointer may say of the caches.
#include "../programs/check.h"
#include <array>
#include <chrono>
#include <cmath>
#include <complex>
#include <cuda/annotated_ptr>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/cassert>
#include <cuda/std/chrono>
#include <cuda/std/climits>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/iterator>
#include <cuda/std/limits>
#include <cuda/std/ratio>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

// results are computed by the host and by the device.
struct results {
	cuda::std::array<double, 8> numbers;
	cuda::std::tuple<int, float, char> tuple;
	cuda::std::complex<float> z[6];
	cuda::std::pair<int, double> pair;
};

struct sum {
	template <typename... T> __host__ __device__ double operator()(T... x) const { return (x + ...); }
};
template <typename F, typename Tuple, size_t... I> __host__ __device__ double apply(F f, const Tuple &t, cuda::std::index_sequence<I...>) {
	return f(cuda::std::get<I>(t)...);
}

__host__ __device__ void compute(results &r, float x) {
	auto &n = r.numbers;
	n.fill(1);
	n[1] = cuda::std::numeric_limits<int>::max();
	n[2] = cuda::std::isnan(x) + 2 * cuda::std::isinf(1 / (x - x)) + 4 * cuda::std::signbit(-x);
	n[3] = cuda::std::popcount(0xf0f0u) + 100 * cuda::std::countl_zero(1u) + 10000 * cuda::std::bit_width(1000u);
	r.tuple = cuda::std::make_tuple(3, x, 'c');
	cuda::std::get<1>(r.tuple) += 1;
	n[4] = cuda::std::tuple_size<decltype(r.tuple)>::value + apply(sum(), r.tuple, cuda::std::make_index_sequence<3>());
	int a, b = 2;
	cuda::std::tie(a, cuda::std::ignore) = cuda::std::make_tuple(7, 8);
	cuda::std::swap(a, b);
	n[5] = 10 * a + b;
	n[6] = cuda::std::chrono::duration_cast<cuda::std::chrono::milliseconds>(cuda::std::chrono::seconds(3) + cuda::std::chrono::microseconds(2500)).count();
	n[7] = cuda::std::ratio_add<cuda::std::ratio<1, 3>, cuda::std::ratio<1, 6>>::den + cuda::std::plus<int>()(3, 4) + (cuda::std::end(n) - cuda::std::begin(n));
	cuda::std::complex<float> w(x, 2);
	r.z[0] = w * w + 1.0f;
	r.z[1] = w / cuda::std::conj(w);
	r.z[2] = cuda::std::exp(w);
	r.z[3] = cuda::std::sqrt(w);
	r.z[4] = cuda::std::polar(cuda::std::abs(w), cuda::std::arg(w));
	r.z[5] = cuda::std::pow(w, 2.5f) - cuda::std::sin(w);
	r.pair = cuda::std::make_pair(5, 0.25);
}

__global__ void kernel(results *r, float x) { compute(*r, x); }

__global__ void times(long long *t) {
	auto a = cuda::std::chrono::high_resolution_clock::now();
	auto s = cuda::std::chrono::system_clock::now();
	__nanosleep(2000);
	auto b = cuda::std::chrono::high_resolution_clock::now();
	t[0] = cuda::std::chrono::duration_cast<cuda::std::chrono::nanoseconds>(b - a).count();
	t[1] = cuda::std::chrono::duration_cast<cuda::std::chrono::seconds>(s.time_since_epoch()).count();
}

__global__ void annotated(cuda::annotated_ptr<int, cuda::access_property::persisting> kept, cuda::annotated_ptr<const int, cuda::access_property::streaming> once,
                          int *out, const int *plain) {
	__shared__ int s[32];
	cuda::annotated_ptr<int, cuda::access_property::shared> shared(s);
	int t = threadIdx.x;
	shared[t] = once[t] + kept[t];
	kept[t] = 2 * shared[t];
	cuda::annotated_ptr<const int, cuda::access_property> some(plain, cuda::access_property(cuda::access_property::persisting(), 0.5f));
	out[t] = some[t] + *cuda::associate_access_property(&once[t], cuda::access_property::normal());
	cuda::apply_access_property(plain, 128, cuda::access_property::persisting());
	cuda::discard_memory(out + 32, 128);
}

int main() {
	results *device, host;
	CHECK(cudaMallocManaged(&device, sizeof *device));
	kernel<<<1, 1>>>(device, 0.75f);
	CHECK(cudaDeviceSynchronize());
	compute(host, 0.75f);
	EXPECT(device->numbers == host.numbers && device->tuple == host.tuple && device->pair == host.pair);
	const double want[] = {1, 2147483647, 6, 8 + 3100 + 100000, 3 + 3 + 1.75 + 99, 27, 3002, 2 + 7 + 8};
	for (int i = 0; i < 8; i++)
		EXPECT(host.numbers[i] == want[i]);
	std::complex<float> w(0.75f, 2), z[] = {w * w + 1.0f, w / std::conj(w), std::exp(w), std::sqrt(w), w, std::pow(w, 2.5f) - std::sin(w)};
	for (int i = 0; i < 6; i++) {
		EXPECT(std::abs(std::complex<float>(device->z[i].real(), device->z[i].imag()) - z[i]) < 1e-5f * std::abs(z[i]));
		EXPECT(std::abs(std::complex<float>(host.z[i].real(), host.z[i].imag()) - z[i]) < 1e-5f * std::abs(z[i]));
	}

	long long *t;
	CHECK(cudaMallocManaged(&t, 2 * sizeof *t));
	times<<<1, 1>>>(t);
	CHECK(cudaDeviceSynchronize());
	EXPECT(t[0] >= 0);

	int *a, *b, *out;
	CHECK(cudaMallocManaged(&a, 4 * 32));
	CHECK(cudaMallocManaged(&b, 4 * 32));
	CHECK(cudaMallocManaged(&out, 4 * 64));
	for (int i = 0; i < 32; i++) {
		a[i] = i;
		b[i] = 100 * i;
	}
	annotated<<<1, 32>>>(cuda::annotated_ptr<int, cuda::access_property::persisting>(a), cuda::annotated_ptr<const int, cuda::access_property::streaming>(b), out, b);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 32; i++)
		EXPECT(a[i] == 202 * i && out[i] == 200 * i);
	printf("ok\n");
}
