// A sum in one launch: the last block to finish adds what the others have left in memory.
#include "check.h"

__device__ unsigned int finished = 0;

template <unsigned Block> __global__ void sum(const int *in, int n, volatile int *part, int *out) {
	__shared__ int s[Block];
	__shared__ bool last;
	int v = 0;
	for (int i = blockIdx.x * Block + threadIdx.x; i < n; i += Block * gridDim.x)
		v += in[i];
	s[threadIdx.x] = v;
	__syncthreads();
	for (unsigned k = Block / 2; k > 0; k /= 2) {
		if (threadIdx.x < k)
			s[threadIdx.x] += s[threadIdx.x + k];
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		part[blockIdx.x] = s[0];
		__threadfence();
		last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		int total = 0;
		for (unsigned b = 0; b < gridDim.x; b++)
			total += part[b];
		*out = total;
		finished = 0;
	}
}

int main() {
	const int n = 20000, blocks = 40;
	int *in, *part, *out, want = 0, *h = new int[n];
	for (int i = 0; i < n; i++)
		want += h[i] = i % 100 - 30;
	CHECK(cudaMalloc(&in, n * sizeof(int)));
	CHECK(cudaMalloc(&part, blocks * sizeof(int)));
	CHECK(cudaMallocHost(&out, sizeof(int)));
	CHECK(cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice));
	for (int k = 0; k < 3; k++) {
		*out = -1;
		sum<128><<<blocks, 128>>>(in, n, part, out);
		CHECK(cudaDeviceSynchronize());
		EXPECT(*out == want);
	}
	delete[] h;
	printf("ok\n");
}
