#include "parts.h"

__device__ int calls = 1;
__constant__ float weights[4];
__managed__ int shared_with_host = 77;
__device__ Operation operations[3] = {add, multiply, nullptr};
__device__ int *where = &calls;

__global__ void weigh(const float *x, float *y, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = weighted(x + i);
}

// The first of two kernels with dynamic shared memory of one name.
extern __shared__ int buffer[];

__global__ void rotate(int *x) {
	buffer[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	x[threadIdx.x] = buffer[(threadIdx.x + 1) % blockDim.x];
}

template <typename T> __global__ void fill(T *x, T value, int n) {
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		x[i] = value + T(next() * 0);
}
template __global__ void fill<double>(double *x, double value, int n);

static __device__ int own = 5;
static __device__ int twice(int x) { return 2 * x; }
static __global__ void kernel() { own = twice(own); }

int ownOfTables() {
	int v = 0;
	kernel<<<1, 1>>>();
	return cudaMemcpyFromSymbol(&v, own, sizeof(v)) == cudaSuccess ? v : -1;
}

double registryOfTables() {
	double *d, h = 0;
	cudaMalloc(&d, sizeof(h));
	store<<<1, 1>>>(d);
	cudaMemcpy(&h, d, sizeof(h), cudaMemcpyDeviceToHost);
	cudaFree(d);
	return h;
}
