#include "parts.h"
#include <cuda_runtime.h>

int plain(void) {
	int *d, h = 5, back = 0;
	if (cudaMalloc((void **)&d, sizeof(int)) != cudaSuccess)
		return -1;
	cudaMemcpy(d, &h, sizeof(int), cudaMemcpyHostToDevice);
	cudaMemcpy(&back, d, sizeof(int), cudaMemcpyDeviceToHost);
	cudaFree(d);
	return back;
}
