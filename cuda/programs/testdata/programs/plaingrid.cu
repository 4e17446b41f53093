// The grid of a launch that is not cooperative cannot be synchronised: is_valid() is false, and sync() traps.
#include <cooperative_groups.h>
#include "check.h"
namespace cg = cooperative_groups;

__global__ void valid(int *out) { *out = cg::this_grid().is_valid(); }

__global__ void syncs(int *out) {
	cg::this_grid().sync();
	*out = 7;
}

int main() {
	int *p;
	CHECK(cudaMallocManaged(&p, sizeof(int)));
	*p = 5;
	valid<<<4, 32>>>(p);
	CHECK(cudaDeviceSynchronize());
	EXPECT(*p == 0);
	void *args[] = {&p};
	CHECK(cudaLaunchCooperativeKernel(valid, 4, 32, args));
	CHECK(cudaDeviceSynchronize());
	EXPECT(*p == 1);
	CHECK(cudaLaunchCooperativeKernel(syncs, 4, 32, args));
	CHECK(cudaDeviceSynchronize());
	EXPECT(*p == 7);
	*p = 5;
	syncs<<<4, 32>>>(p);
	EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
	EXPECT(*p == 5);
	printf("ok\n");
}
