// Kernels that take functions: lambdas with captures, functors, variadic templates; std::array, std::tuple and constexpr in device code.
#include "check.h"
#include <array>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

template <typename F> __global__ void forEach(int n, F f) {
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		f(i);
}
template <typename F, typename... Args> __global__ void call(F f, Args... args) { f(args...); }

constexpr int square(int x) { return x * x; }

struct Polynomial {
	std::array<float, 3> c;
	__host__ __device__ float operator()(float x) const { return (c[2] * x + c[1]) * x + c[0]; }
};

template <typename T, int N> struct Vec {
	T v[N];
	__host__ __device__ Vec operator+(const Vec &o) const {
		Vec r;
		for (int i = 0; i < N; i++)
			r.v[i] = v[i] + o.v[i];
		return r;
	}
};

enum class Mode { Add, Mul };
template <Mode M, typename T> __device__ std::enable_if_t<M == Mode::Add, T> apply(T a, T b) { return a + b; }
template <Mode M, typename T> __device__ std::enable_if_t<M == Mode::Mul, T> apply(T a, T b) { return a * b; }
template <Mode M> __global__ void combine(int *p) { p[0] = apply<M>(p[0], 7); }

// Host code asks what a lambda of the device returns, as libraries do where that can be asked.
template <typename F, typename T> static T *applied(F f, T *) {
	static_assert(!__nv_is_extended_device_lambda_closure_type(F), "its return type cannot be asked for");
	static_assert(std::is_same<decltype(f(T())), T>::value, "");
	T *result;
	CHECK(cudaMallocManaged(&result, sizeof(T)));
	call<<<1, 1>>>([=] __device__() { *result = f(T(3)); });
	CHECK(cudaDeviceSynchronize());
	return result;
}

int main() {
	EXPECT(*applied([] __device__(double x) { return x / 2; }, (double *)nullptr) == 1.5);
	const int n = 300;
	float *x;
	int *p;
	CHECK(cudaMallocManaged(&x, n * sizeof(float)));
	CHECK(cudaMallocManaged(&p, 16 * sizeof(int)));
	float factor = 0.5f;
	forEach<<<4, 32>>>(n, [=] __device__(int i) { x[i] = factor * i + square(3); });
	Polynomial poly{{1, 2, 3}};
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		EXPECT(x[i] == factor * i + 9);
	forEach<<<4, 32>>>(n, [=] __host__ __device__(int i) { x[i] = poly((float)i); });
	CHECK(cudaDeviceSynchronize());
	EXPECT(x[10] == 321 && poly(10) == 321);
	p[0] = 5;
	call<<<1, 1>>>([] __device__(int *p, int a, double b) { p[1] = a + (int)b; }, p, 3, 4.5);
	combine<Mode::Add><<<1, 1>>>(p);
	combine<Mode::Mul><<<1, 1>>>(p);
	forEach<<<1, 1>>>(1, [=] __device__(int) {
		Vec<int, 3> a{{1, 2, 3}}, b{{10, 20, 30}};
		auto c = a + b;
		auto [u, v] = std::make_pair(c.v[1], c.v[2]);
		p[2] = u, p[3] = v;
		std::tuple<int, float> t(4, 2.5f);
		p[4] = std::get<0>(t) + (int)(2 * std::get<1>(t));
		if constexpr (sizeof(void *) == 8)
			p[5] = std::is_same<decltype(u), int>::value;
	});
	CHECK(cudaDeviceSynchronize());
	EXPECT(p[0] == 84 && p[1] == 7 && p[2] == 22 && p[3] == 33 && p[4] == 9 && p[5] == 1);
	printf("ok\n");
}
