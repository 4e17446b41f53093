// A file that is compiled without -rdc=true. Its names are its own.
#include <cuda_runtime.h>

__device__ int calls = 1000;
__device__ int add(int a, int b) { return a - b; }
__global__ void ordinaryKernel(int *x) { *x = add(calls, 1); }

extern "C" int ordinaryResult(void) {
	int *d, h = 0;
	cudaMalloc(&d, sizeof(h));
	ordinaryKernel<<<1, 1>>>(d);
	cudaMemcpy(&h, d, sizeof(h), cudaMemcpyDeviceToHost);
	cudaFree(d);
	return h;
}
