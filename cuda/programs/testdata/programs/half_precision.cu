// Dot products of halves and bfloat16 on the device, compared with the host's arithmetic of the same types.
#include "check.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

template <typename T> __global__ void scale(T *x, T a, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = x[i] * a + T(1.0f);
}
__global__ void dot(const half2 *a, const half2 *b, float *out, int n) {
	half2 sum = __float2half2_rn(0.f);
	for (int i = threadIdx.x; i < n; i += 32)
		sum = __hfma2(a[i], b[i], sum);
	for (int d = 16; d > 0; d /= 2)
		sum = __hadd2(sum, __shfl_down_sync(0xffffffff, sum, d));
	if (threadIdx.x == 0)
		*out = __low2float(sum) + __high2float(sum);
}

template <typename T> void test() {
	const int n = 500;
	std::vector<T> h(n), back(n);
	for (int i = 0; i < n; i++)
		h[i] = T(i * 0.37f - 60);
	T *d;
	CHECK(cudaMalloc(&d, n * sizeof(T)));
	CHECK(cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice));
	scale<<<2, 256>>>(d, T(0.5f), n);
	CHECK(cudaMemcpy(back.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++) {
		float want = (float)h[i] * 0.5f + 1, got = (float)back[i], error = want - got;
		EXPECT(error * error <= want * want * 1e-4f + 1e-4f);
	}
}

int main() {
	test<half>();
	test<__nv_bfloat16>();
	test<float>();
	half2 h[64], *a;
	float *out, got;
	for (int i = 0; i < 64; i++)
		h[i] = __floats2half2_rn(i % 3, i % 5);
	CHECK(cudaMalloc(&a, sizeof(h)));
	CHECK(cudaMalloc(&out, sizeof(float)));
	CHECK(cudaMemcpy(a, h, sizeof(h), cudaMemcpyHostToDevice));
	dot<<<1, 32>>>(a, a, out, 64);
	CHECK(cudaMemcpy(&got, out, sizeof(float), cudaMemcpyDeviceToHost));
	float want = 0;
	for (int i = 0; i < 64; i++)
		want += (i % 3) * (i % 3) + (i % 5) * (i % 5);
	EXPECT(got == want);
	EXPECT((float)(half(1.5f) * half(2.0f) - half(0.5f)) == 2.5f && half(2049.0f) == half(2048.0f));
	printf("ok\n");
}
