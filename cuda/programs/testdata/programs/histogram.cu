// Histograms with atomics in shared and global memory.
#include "check.h"

const int Bins = 256;

__global__ void histogram(const unsigned char *data, int n, unsigned *bins) {
	__shared__ unsigned local[Bins];
	for (int b = threadIdx.x; b < Bins; b += blockDim.x)
		local[b] = 0;
	__syncthreads();
	int stride = blockDim.x * gridDim.x;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
		atomicAdd(&local[data[i]], 1u);
	__syncthreads();
	for (int b = threadIdx.x; b < Bins; b += blockDim.x)
		if (local[b])
			atomicAdd(bins + b, local[b]);
}

int main() {
	const int n = 1 << 16;
	unsigned char *data;
	unsigned *bins, want[Bins] = {}, seed = 12345;
	CHECK(cudaMallocManaged(&data, n));
	CHECK(cudaMallocManaged(&bins, Bins * sizeof(unsigned)));
	for (int i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		data[i] = seed >> 24;
		want[data[i]]++;
	}
	CHECK(cudaMemset(bins, 0, Bins * sizeof(unsigned)));
	histogram<<<24, 192>>>(data, n, bins);
	CHECK(cudaDeviceSynchronize());
	for (int b = 0; b < Bins; b++)
		EXPECT(bins[b] == want[b]);
	cudaFree(data);
	cudaFree(bins);
	printf("ok\n");
}
