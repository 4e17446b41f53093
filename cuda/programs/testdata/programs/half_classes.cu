// Classes of half precision of a library's own, with conversions to those of CUDA and to float: CUDA's operators and conversions, which would make each sum
// ambiguous, are switched off.
#define __CUDA_NO_HALF_OPERATORS__
#define __CUDA_NO_HALF_CONVERSIONS__
#define __CUDA_NO_HALF2_OPERATORS__
#define __CUDA_NO_BFLOAT16_OPERATORS__
#define __CUDA_NO_BFLOAT16_CONVERSIONS__
#define __CUDA_NO_BFLOAT162_OPERATORS__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdio.h>
#include <type_traits>

template <class T> struct Convert;
template <> struct Convert<__half> {
	static __host__ __device__ float get(__half h) { return __half2float(h); }
	static __host__ __device__ __half make(float f) { return __float2half(f); }
};
template <> struct Convert<__nv_bfloat16> {
	static __host__ __device__ float get(__nv_bfloat16 h) { return __bfloat162float(h); }
	static __host__ __device__ __nv_bfloat16 make(float f) { return __float2bfloat16(f); }
};

template <class T> struct Number {
	T value;
	__host__ __device__ Number(float f) : value(Convert<T>::make(f)) {}
	__host__ __device__ Number(T t) : value(t) {}
	__host__ __device__ operator float() const { return Convert<T>::get(value); }
	__host__ __device__ operator T() const { return value; }
	__host__ __device__ Number operator-() const { return -Convert<T>::get(value); }
};

template <class T> constexpr bool bare = !std::is_convertible<float, T>::value && !std::is_constructible<T, float>::value && !std::is_constructible<T, int>::value &&
                                         !std::is_convertible<T, float>::value && !std::is_convertible<T, bool>::value && !std::is_assignable<T &, double>::value;
static_assert(bare<__half> && bare<__nv_bfloat16>, "no conversions");
static_assert(std::is_convertible<__half, __half_raw>::value && std::is_convertible<__nv_bfloat16_raw, __nv_bfloat16>::value, "but those of the bits");

// Sums is true of types with an operator +.
template <class T, class = void> struct Sums : std::false_type {};
template <class T> struct Sums<T, decltype(void(std::declval<T>() + std::declval<T>()))> : std::true_type {};
static_assert(!Sums<__half>::value && !Sums<__half2>::value && !Sums<__nv_bfloat16>::value && !Sums<__nv_bfloat162>::value && Sums<float>::value, "no operators");

template <class T> __host__ __device__ float hardshrink(Number<T> a, Number<T> limit) { return a >= -limit && a <= limit ? 0.0f : a * 2; }

template <class T> __global__ void kernel(float *out) {
	__shared__ volatile T shared[32];
	shared[threadIdx.x] = Convert<T>::make(0.25f);
	__syncwarp();
	out[threadIdx.x] = Convert<T>::get(T(shared[31 - threadIdx.x]));
	out[threadIdx.x] += hardshrink<T>(threadIdx.x - 15.5f, 8.0f) + Convert<T>::get(__hfma(Number<T>(2), Number<T>(threadIdx.x), Number<T>(1)));
}

template <class T> int run() {
	float *out;
	cudaMallocManaged(&out, 32 * sizeof(float));
	kernel<T><<<1, 32>>>(out);
	cudaDeviceSynchronize();
	int failed = 0;
	for (int i = 0; i < 32; i++)
		failed += out[i] != (i - 15.5f < -8 || i - 15.5f > 8 ? 2 * (i - 15.5f) : 0) + 2 * i + 1.25f;
	return failed;
}

int main() {
	int failed = run<__half>() + run<__nv_bfloat16>();
	printf(failed == 0 ? "ok\n" : "failed: %d\n", failed);
	return failed != 0;
}
