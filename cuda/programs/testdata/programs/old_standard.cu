//cc: -std=c++03
// C++ of 2003, as benchmarks of CUDA's first years are compiled: vectors, symbols, events.
#include "check.h"
#include <vector>

__constant__ float factors[4];

__global__ void scale(float *out, const float4 *in, const float *add, int n) {
	uint3 at = threadIdx;
	dim3 size = blockDim;
	unsigned int i = blockIdx.x * size.x + at.x;
	if (i < n) {
		float4 v = in[i];
		out[i] = v.x * factors[0] + v.y * factors[1] + v.z * factors[2] + v.w * factors[3] + add[i];
	}
}

int main() {
	const int n = 200;
	std::vector<float4> in(n);
	std::vector<float> add(n), out(n);
	for (int i = 0; i < n; i++)
		in[i] = make_float4(i, 1, 2, 3), add[i] = 10 * i;
	float4 *dIn;
	float *dAdd, *dOut;
	CHECK(cudaMalloc((void **)&dIn, n * sizeof(float4)));
	CHECK(cudaMalloc(&dAdd, n * sizeof(float)));
	CHECK(cudaMalloc(&dOut, n * sizeof(float)));
	CHECK(cudaMemcpy(dIn, &in[0], n * sizeof(float4), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dAdd, &add[0], n * sizeof(float), cudaMemcpyHostToDevice));
	float f[4] = {1, 2, 4, 8};
	CHECK(cudaMemcpyToSymbol(factors, f, sizeof(f)));
	cudaEvent_t begin, end;
	float ms;
	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	CHECK(cudaEventRecord(begin, 0));
	scale<<<dim3((n + 63) / 64), 64>>>(dOut, dIn, dAdd, n);
	CHECK(cudaEventRecord(end, 0));
	CHECK(cudaEventSynchronize(end));
	CHECK(cudaEventElapsedTime(&ms, begin, end));
	CHECK(cudaMemcpy(&out[0], dOut, n * sizeof(float), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(out[i] == 11 * i + 2 + 8 + 24);
	printf("ok\n");
}
