//cc: -arch=sm_90
// A cluster of blocks sums through the shared memory of its first one; launches with attributes.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void clusterSum(const int *in, int *out) {
	__shared__ int sum;
	cg::cluster_group cluster = cg::this_cluster();
	if (threadIdx.x == 0)
		sum = 0;
	cluster.sync();
	int *first = cluster.map_shared_rank(&sum, 0);
	atomicAdd(first, in[blockIdx.x * blockDim.x + threadIdx.x]);
	cluster.sync();
	if (cluster.thread_rank() == 0)
		out[blockIdx.x / cluster.num_blocks()] = sum;
}

int main() {
	const int blocks = 8, threads = 64, size = 4, n = blocks * threads;
	int *in, *out;
	CHECK(cudaMallocManaged(&in, n * sizeof(int)));
	CHECK(cudaMallocManaged(&out, blocks / size * sizeof(int)));
	for (int i = 0; i < n; i++)
		in[i] = i;
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute[1];
	attribute[0].id = cudaLaunchAttributeClusterDimension;
	attribute[0].val.clusterDim.x = size;
	attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
	config.gridDim = blocks, config.blockDim = threads, config.attrs = attribute, config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, clusterSum, in, out));
	CHECK(cudaDeviceSynchronize());
	for (int c = 0; c < blocks / size; c++) {
		int want = 0;
		for (int i = 0; i < size * threads; i++)
			want += c * size * threads + i;
		EXPECT(out[c] == want);
	}
	printf("ok\n");
}
