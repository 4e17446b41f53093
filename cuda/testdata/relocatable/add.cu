#include "parts.h"

__device__ int add(int a, int b) {
	atomicAdd(&calls, 1);
	return a + b;
}
__device__ float weighted(const float *x) {
	float sum = 0;
	for (int k = 0; k < 4; k++)
		sum += weights[k] * x[k];
	return sum;
}
