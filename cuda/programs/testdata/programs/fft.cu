// A Fourier transform of complex numbers in shared memory, and its inverse.
#include "check.h"
#include <cmath>
#include <cuComplex.h>
#include <math_constants.h>
#include <vector>

template <int N> __global__ void fft(cuComplex *data, float sign) {
	__shared__ cuComplex s[N];
	const int t = threadIdx.x;
	cuComplex *row = data + blockIdx.x * N;
	const int bits = 31 - __clz(N);
	for (int i = t; i < N; i += blockDim.x)
		s[__brev(i) >> (32 - bits)] = row[i];
	for (int half = 1; half < N; half *= 2) {
		__syncthreads();
		for (int i = t; i < N / 2; i += blockDim.x) {
			int k = i % half, at = (i / half) * 2 * half + k;
			float si, co;
			sincosf(sign * CUDART_PI_F * k / half, &si, &co);
			cuComplex a = s[at], b = cuCmulf(s[at + half], make_cuComplex(co, si));
			s[at] = cuCaddf(a, b);
			s[at + half] = cuCsubf(a, b);
		}
	}
	__syncthreads();
	for (int i = t; i < N; i += blockDim.x)
		row[i] = s[i];
}

int main() {
	const int n = 256, rows = 3;
	std::vector<cuComplex> h(n * rows), f(n * rows);
	for (int i = 0; i < n * rows; i++)
		h[i] = make_cuComplex(std::cos(i * 0.3f) + i % 5, i % 7 - 3.0f);
	cuComplex *d;
	CHECK(cudaMalloc(&d, h.size() * sizeof(cuComplex)));
	CHECK(cudaMemcpy(d, h.data(), h.size() * sizeof(cuComplex), cudaMemcpyHostToDevice));
	fft<n><<<rows, 64>>>(d, -1.0f);
	CHECK(cudaMemcpy(f.data(), d, f.size() * sizeof(cuComplex), cudaMemcpyDeviceToHost));
	for (int k = 0; k < n; k += 17) {
		double re = 0, im = 0;
		for (int i = 0; i < n; i++) {
			double a = -2 * M_PI * i * k / n;
			re += h[i].x * std::cos(a) - h[i].y * std::sin(a), im += h[i].x * std::sin(a) + h[i].y * std::cos(a);
		}
		EXPECT(std::hypot(f[k].x - re, f[k].y - im) < 1e-2);
	}
	fft<n><<<rows, 64>>>(d, 1.0f);
	CHECK(cudaMemcpy(f.data(), d, f.size() * sizeof(cuComplex), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n * rows; i++)
		EXPECT(cuCabsf(cuCsubf(cuCdivf(f[i], make_cuComplex(n, 0)), h[i])) < 1e-4f);
	printf("ok\n");
}
