// Errors of launches and calls, as the API documents them.
#include "check.h"
#if __has_include(<GL/gl.h>)
#include <cuda_gl_interop.h>
#endif

__global__ void kernel(int *p) { *p = threadIdx.x; }
__global__ void shared(int *p) {
	extern __shared__ int dynamic[];
	__shared__ int some[32];
	dynamic[threadIdx.x] = some[threadIdx.x] = threadIdx.x;
	__syncthreads();
	if (threadIdx.x == 0)
		*p = dynamic[31] + some[30];
}

int main() {
	int *p;
	CHECK(cudaMalloc(&p, 4));
	kernel<<<1, 2048>>>(p);
	EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
	EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
	EXPECT(cudaGetLastError() == cudaSuccess);
	kernel<<<0, 32>>>(p);
	EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
	shared<<<1, 32, 48 << 10>>>(p); // with the static bytes more than 48 KiB
	EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
	CHECK(cudaFuncSetAttribute(shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
	shared<<<1, 32, 64 << 10>>>(p);
	EXPECT(cudaGetLastError() == cudaSuccess);
	shared<<<1, 32, (64 << 10) + 4>>>(p);
	EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
	shared<<<1, 2048, 64 << 10>>>(p);
	EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
	EXPECT(cudaSetDevice(1000) == cudaErrorInvalidDevice);
	EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
	EXPECT(cudaMemcpy(p, p, 4, (cudaMemcpyKind)17) == cudaErrorInvalidMemcpyDirection);
	cudaGetLastError();
	void *huge = &huge;
	EXPECT(cudaMalloc(&huge, (size_t)1 << 60) == cudaErrorMemoryAllocation);
	EXPECT(huge == nullptr);
	cudaGetLastError();
	cudaGraphicsResource_t resource = nullptr;
	EXPECT(cudaGraphicsMapResources(1, &resource) == cudaErrorNotSupported && cudaGetLastError() == cudaErrorNotSupported);
#if __has_include(<GL/gl.h>)
	CHECK(cudaGLSetGLDevice(0));
	EXPECT(cudaGraphicsGLRegisterBuffer(&resource, 1, cudaGraphicsRegisterFlagsNone) == cudaErrorNotSupported && resource == nullptr);
	cudaGetLastError();
#endif
	CHECK(cudaFree(nullptr));
	CHECK(cudaFree(0));
	CHECK(cudaFreeHost(nullptr));
	kernel<<<1, 32>>>((int *)16);
	cudaError_t error = cudaDeviceSynchronize();
	EXPECT(error == cudaErrorIllegalAddress);
	EXPECT(cudaMalloc(&p, 4) == cudaErrorIllegalAddress);
	CHECK(cudaDeviceReset());
	cudaGetLastError();
	CHECK(cudaMalloc(&p, 4));
	kernel<<<1, 1>>>(p);
	CHECK(cudaDeviceSynchronize());
	printf("ok\n");
}
