// What the programs share: matrices on both sides, with numbers that sums do not round, and a reference in double on the host.
#pragma once
#include <complex>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <vector>

#include "../programs/check.h"

#define BLAS(call)                                                                                        \
	do {                                                                                                    \
		cublasStatus_t status_ = (call);                                                                      \
		if (status_ != CUBLAS_STATUS_SUCCESS) {                                                               \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cublasGetStatusName(status_));         \
			exit(1);                                                                                            \
		}                                                                                                     \
	} while (0)

typedef std::complex<double> number;

// numberOf and valueOf convert an element of each type.
template <typename T> number numberOf(T x) { return (double)(float)x; }
inline number numberOf(double x) { return x; }
inline number numberOf(cuComplex x) { return {x.x, x.y}; }
inline number numberOf(cuDoubleComplex x) { return {x.x, x.y}; }
template <typename T> T valueOf(number x) { return T((float)x.real()); }
template <> inline double valueOf<double>(number x) { return x.real(); }
template <> inline cuComplex valueOf<cuComplex>(number x) { return make_cuComplex((float)x.real(), (float)x.imag()); }
template <> inline cuDoubleComplex valueOf<cuDoubleComplex>(number x) { return make_cuDoubleComplex(x.real(), x.imag()); }

template <typename T> constexpr bool isComplex = sizeof(T) == 2 * sizeof(float) && !std::is_same<T, double>::value || sizeof(T) == 16;

// Numbers from -4 to 4, the same in each run.
inline int next() {
	static unsigned int state = 1;
	state = state * 1664525 + 1013904223;
	return (int)(state >> 16) % 9 - 4;
}
template <typename T> T random() {
	number x(next(), isComplex<T> ? next() : 0);
	return valueOf<T>(x);
}

// A vector in memory of both sides.
template <typename T> struct Both {
	std::vector<T> host;
	T *device;
	explicit Both(size_t n) : host(n) {
		for (T &x : host)
			x = random<T>();
		CHECK(cudaMalloc(&device, (n + 1) * sizeof(T)));
		up();
	}
	~Both() { cudaFree(device); }
	void up() { CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice)); }
	std::vector<T> down() const {
		std::vector<T> got(host.size());
		CHECK(cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
		return got;
	}
};

// element is that of op(a).
template <typename T> number element(const std::vector<T> &a, size_t ld, cublasOperation_t op, size_t i, size_t j, size_t offset = 0) {
	bool swapped = op == CUBLAS_OP_T || op == CUBLAS_OP_C;
	number x = numberOf(a[offset + (swapped ? j + i * ld : i + j * ld)]);
	return op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG ? std::conj(x) : x;
}

inline bool near(number got, number want, double tolerance) { return std::abs(got - want) <= tolerance * (1 + std::abs(want)); }
