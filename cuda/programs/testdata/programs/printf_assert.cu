// printf from kernels arrives before the host has waited for them, and a failed assert is an error that stays.
#include "check.h"
#include <cassert>
#include <cstring>

__global__ void hello(float f) {
	printf("[%d, %d]:\t\tValue is:%d\n", blockIdx.y * gridDim.x + blockIdx.x, threadIdx.x, 10);
	if (threadIdx.x == 0)
		printf("%5.2f|%-6s|%c|%llx|%%|%e\n", f, "abc", 'z', 0x123456789abcull, 1.5);
}
__global__ void fails(int limit) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	assert(i < limit);
}

int main() {
	hello<<<2, 2>>>(3.14159f);
	CHECK(cudaDeviceSynchronize());
	fails<<<1, 32>>>(32);
	CHECK(cudaDeviceSynchronize());
	fails<<<1, 32>>>(31);
	EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
	EXPECT(strcmp(cudaGetErrorString(cudaErrorAssert), "device-side assert triggered") == 0);
	EXPECT(strcmp(cudaGetErrorName(cudaErrorAssert), "cudaErrorAssert") == 0);
	printf("ok\n");
}
