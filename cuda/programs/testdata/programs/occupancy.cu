// Occupancy, attributes of kernels, and more shared memory than 48 KB.
#include "check.h"

__global__ void small(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void architecture(int *p) {
#ifdef __CUDA_ARCH__
	*p = __CUDA_ARCH__ / 10;
#endif
}
__global__ void big(int *p, int n) {
	extern __shared__ int s[];
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		s[i] = i;
	__syncthreads();
	if (threadIdx.x == 0)
		p[0] = s[n - 1] + s[0];
}

int main() {
	int minGrid, block, active;
	CHECK(cudaOccupancyMaxPotentialBlockSize(&minGrid, &block, small, 0, 0));
	EXPECT(block > 0 && block % 32 == 0 && minGrid > 0);
	CHECK(cudaOccupancyMaxPotentialBlockSize(&minGrid, &block, (void *)small, 0, 256));
	EXPECT(block <= 256);
	CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&minGrid, &block, big, [](int threads) { return threads * 64; }));
	EXPECT(block >= 32);
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, small, 1024, 0));
	EXPECT(active >= 1 && active <= 2);
	cudaFuncAttributes attr;
	CHECK(cudaFuncGetAttributes(&attr, small));
	EXPECT(attr.maxThreadsPerBlock == 1024 && attr.sharedSizeBytes == 0 && attr.numRegs > 0);
	const int bytes = 96 * 1024;
	int *p, got;
	CHECK(cudaMalloc(&p, sizeof(int)));
	architecture<<<1, 1>>>(p);
	CHECK(cudaMemcpy(&got, p, sizeof(int), cudaMemcpyDeviceToHost));
	cudaDeviceProp device;
	CHECK(cudaGetDeviceProperties(&device, 0));
	EXPECT(attr.ptxVersion == got && attr.binaryVersion == 10 * device.major + device.minor);
	big<<<1, 256, bytes>>>(p, bytes / 4);
	EXPECT(cudaGetLastError() != cudaSuccess);
	CHECK(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
	CHECK(cudaFuncSetCacheConfig(big, cudaFuncCachePreferShared));
	big<<<1, 256, bytes>>>(p, bytes / 4);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(&got, p, sizeof(int), cudaMemcpyDeviceToHost));
	EXPECT(got == bytes / 4 - 1);
	printf("ok\n");
}
