#include "parts.h"
#include <cuda_runtime.h>

// Both files have a kernel and a variable of this name, each its own.
static __device__ int value;
static __global__ void kernel() { value = FACTOR; }

int first() {
	int v = 0;
	kernel<<<1, 1>>>();
	return cudaMemcpyFromSymbol(&v, value, sizeof(v)) == cudaSuccess ? v : -1;
}
