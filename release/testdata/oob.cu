#include <cstdio>

__global__ void fill(float *x)
{
	x[threadIdx.x] = 1;
}

int main()
{
	float *x;
	cudaMalloc(&x, 31 * sizeof(float));
	fill<<<1, 32>>>(x);
	printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
