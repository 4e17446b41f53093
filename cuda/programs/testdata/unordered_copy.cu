// A copy that nothing orders after a kernel. Its loop is unrolled: four stores on one line are one finding.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *x) {
#pragma unroll
	for (int i = 0; i < 4; i++)
		x[i * blockDim.x + threadIdx.x] = i;
}

int main() {
	const int n = 1024;
	static int h[n];
	int *x;
	cudaStream_t fills, copies;
	cudaMalloc(&x, sizeof h);
	cudaStreamCreate(&fills);
	cudaStreamCreate(&copies);
	fill<<<1, n / 4, 0, fills>>>(x);
	cudaMemcpyAsync(h, x, sizeof h, cudaMemcpyDeviceToHost, copies);
	cudaDeviceSynchronize();
	cudaStreamDestroy(fills);
	cudaStreamDestroy(copies);
	cudaFree(x);
}
