#include "parts.h"
#include <cuda_runtime.h>

static __device__ int value = 4;
static __global__ void kernel() { value += FACTOR; }

int second() {
	int v = 0;
	kernel<<<1, 1>>>();
	return cudaMemcpyFromSymbol(&v, value, sizeof(v)) == cudaSuccess ? v : -1;
}
