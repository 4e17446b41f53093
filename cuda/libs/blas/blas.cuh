/* Types and conversions of the kernels. */
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "args.h"

template <typename T> struct alignas(2 * sizeof(T)) complex {
	T re, im;
	complex() = default;
	__device__ complex(T re, T im = 0) : re(re), im(im) {}
};

template <typename T> __device__ complex<T> operator+(complex<T> a, complex<T> b) { return {a.re + b.re, a.im + b.im}; }
template <typename T> __device__ complex<T> operator-(complex<T> a, complex<T> b) { return {a.re - b.re, a.im - b.im}; }
template <typename T> __device__ complex<T> operator*(complex<T> a, complex<T> b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
template <typename T> __device__ bool operator==(complex<T> a, complex<T> b) { return a.re == b.re && a.im == b.im; }
template <typename T> __device__ bool operator!=(complex<T> a, complex<T> b) { return !(a == b); }

/* Scaled by the larger part of the divisor to avoid unnecessary overflow. */
template <typename T> __device__ complex<T> operator/(complex<T> a, complex<T> b) {
	if (fabs(b.re) >= fabs(b.im)) {
		T r = b.im / b.re, d = b.re + b.im * r;
		return {(a.re + a.im * r) / d, (a.im - a.re * r) / d};
	}
	T r = b.re / b.im, d = b.re * r + b.im;
	return {(a.re * r + a.im) / d, (a.im * r - a.re) / d};
}

template <typename T> __device__ T conj(T x) { return x; }
template <typename T> __device__ complex<T> conj(complex<T> x) { return {x.re, -x.im}; }
template <typename T> __device__ T real_part(T x) { return x; }
template <typename T> __device__ complex<T> real_part(complex<T> x) { return {x.re, 0}; }
template <typename T> struct real_of {
	using type = T;
};
template <typename T> struct real_of<complex<T>> {
	using type = T;
};

/* acc + a * b, rounded once. */
__device__ inline float fma_of(float a, float b, float acc) { return __builtin_fmaf(a, b, acc); }
__device__ inline double fma_of(double a, double b, double acc) { return __builtin_fma(a, b, acc); }
__device__ inline __half fma_of(__half a, __half b, __half acc) { return __hfma(a, b, acc); }
__device__ inline int fma_of(int a, int b, int acc) { return a * b + acc; }
template <typename T> __device__ complex<T> fma_of(complex<T> a, complex<T> b, complex<T> acc) {
	return {fma_of(-a.im, b.im, fma_of(a.re, b.re, acc.re)), fma_of(a.im, b.re, fma_of(a.re, b.im, acc.im))};
}

/* Conversions between the types in memory and the types of computations. */
template <typename To, typename From> struct converter {
	static __device__ To of(From x) { return To(x); }
};
template <> struct converter<float, __half> {
	static __device__ float of(__half x) { return __half2float(x); }
};
template <> struct converter<__half, float> {
	static __device__ __half of(float x) { return __float2half(x); }
};
template <> struct converter<float, __nv_bfloat16> {
	static __device__ float of(__nv_bfloat16 x) { return __bfloat162float(x); }
};
template <> struct converter<__nv_bfloat16, float> {
	static __device__ __nv_bfloat16 of(float x) { return __float2bfloat16(x); }
};
template <typename To, typename From> __device__ To to(From x) { return converter<To, From>::of(x); }

/* value_of returns the value of a scalar. */
template <typename T> __device__ T stored_value(const scalar &s) {
	T value;
	memcpy(&value, s.value, sizeof(T));
	if (s.at != nullptr)
		value = *(const T *)s.at;
	return value;
}
template <typename T> struct reader {
	static __device__ T of(const scalar &s) { return stored_value<T>(s); }
};
template <typename T> struct reader<complex<T>> {
	static __device__ complex<T> of(const scalar &s) {
		complex<T> value = s.real ? complex<T>(stored_value<T>(s)) : stored_value<complex<T>>(s);
		return s.conj ? conj(value) : value;
	}
};
template <typename T> __device__ T value_of(const scalar &s) { return reader<T>::of(s); }

/* start returns the address of a matrix of a batch. */
template <typename T> __device__ T *start(const matrix &m, int64_t batch) {
	T *at = m.array ? ((T **)m.at)[batch] : (T *)m.at + batch * m.batch;
	return at + m.offset;
}

/* at returns element i of a vector. */
template <typename T> __device__ T &at(const vector &v, int64_t i) { return ((T *)v.at)[i * v.step]; }

template <typename T> __device__ bool is_zero(T x) { return x == T(0); }
__device__ inline bool is_zero(__half x) { return __half2float(x) == 0; }

/* element returns an element of a matrix with any shape except GENERAL. */
template <typename Acc, typename In> __device__ Acc element(const matrix &a, const In *at, int64_t i, int64_t j) {
	bool outside = a.triangle == LOWER ? j > i : i > j, conjugate = a.conj;
	if (a.shape == TRIANGULAR || a.shape == UNIT_TRIANGULAR) {
		if (outside)
			return Acc(0);
		if (i == j && a.shape == UNIT_TRIANGULAR)
			return Acc(1);
	} else if (outside) {
		int64_t swapped = i;
		i = j, j = swapped;
		conjugate = conjugate != (a.shape == HERMITIAN);
	}
	Acc x = to<Acc>(at[i * a.row + j * a.col]);
	if (a.shape == HERMITIAN && i == j)
		x = real_part(x);
	return conjugate ? conj(x) : x;
}
