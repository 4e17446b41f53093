// Prefix sums in three launches.
#include "check.h"
#include <vector>

#define BLOCK 256

__global__ void scanBlocks(int *data, int *sums, int n) {
	__shared__ int buf[2][BLOCK];
	int t = threadIdx.x, i = blockIdx.x * BLOCK + t, in = 0;
	buf[0][t] = i < n ? data[i] : 0;
	__syncthreads();
	for (int step = 1; step < BLOCK; step <<= 1) {
		buf[1 - in][t] = t >= step ? buf[in][t] + buf[in][t - step] : buf[in][t];
		in = 1 - in;
		__syncthreads();
	}
	if (i < n)
		data[i] = buf[in][t];
	if (sums != nullptr && t == BLOCK - 1)
		sums[blockIdx.x] = buf[in][t];
}

__global__ void addSums(int *data, const int *sums, int n) {
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (blockIdx.x > 0 && i < n)
		data[i] += sums[blockIdx.x - 1];
}

int main() {
	const int n = 30000, blocks = (n + BLOCK - 1) / BLOCK;
	std::vector<int> h(n), got(n);
	for (int i = 0; i < n; i++)
		h[i] = i % 11 - 2;
	int *data, *sums;
	CHECK(cudaMalloc(&data, n * sizeof(int)));
	CHECK(cudaMalloc(&sums, blocks * sizeof(int)));
	CHECK(cudaMemcpy(data, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
	scanBlocks<<<blocks, BLOCK>>>(data, sums, n);
	scanBlocks<<<1, BLOCK>>>(sums, nullptr, blocks);
	addSums<<<blocks, BLOCK>>>(data, sums, n);
	CHECK(cudaMemcpy(got.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
	int sum = 0;
	for (int i = 0; i < n; i++) {
		sum += h[i];
		EXPECT(got[i] == sum);
	}
	printf("ok\n");
}
