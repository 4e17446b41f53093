// Parameters of kernels beyond 4 KiB, which sm_70 and PTX 8.1 brought.
#include "check.h"

const int n = 8000;
struct Many {
	int values[n];
};

__global__ void sum(const __grid_constant__ Many many, int *out) {
	int total = 0;
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		total += many.values[i];
	atomicAdd(out, total);
}

int main() {
	static Many many;
	int want = 0, *out;
	for (int i = 0; i < n; i++)
		want += many.values[i] = i % 1000 - 3;
	CHECK(cudaMallocManaged(&out, sizeof(int)));
	*out = 0;
	sum<<<2, 64>>>(many, out);
	CHECK(cudaDeviceSynchronize());
	EXPECT(*out == 2 * want);
	printf("ok\n");
}
