#include "parts.h"

__device__ int multiply(int a, int b) {
	atomicAdd(where, 10);
	return a * b;
}
