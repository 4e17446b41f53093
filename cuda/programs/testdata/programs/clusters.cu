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
	cg::cluster_group::arrival_token token = cluster.barrier_arrive();
	cluster.barrier_wait(std::move(token));
	if (cluster.thread_rank() == 0)
		out[blockIdx.x / cluster.num_blocks()] = sum;
}

// Kernels that say how large their clusters are, and are launched as others.
template <int X, int Y> __global__ void __cluster_dims__(X, Y * 1, 1) __launch_bounds__(32) ranks(int *out) {
	cg::cluster_group cluster = cg::this_cluster();
	cg::grid_group grid = cg::this_grid();
	if (threadIdx.x == 0)
		out[blockIdx.y * gridDim.x + blockIdx.x] = cluster.num_blocks() * 100 + cluster.block_rank() + grid.cluster_rank() * 1000 +
			grid.num_clusters() * 10000 + cluster.dim_threads().y * 100000 + grid.cluster_index().x * 1000000 + grid.dim_clusters().y * 10000000;
}
extern "C" __cluster_dims__(2) __global__ void pairs(int *out) { out[blockIdx.x] = cg::this_cluster().dim_blocks().x; }
__global__ void alone(int *out) { out[blockIdx.x] = cg::this_cluster().num_blocks(); }

static void fixedSizes() {
	int *out;
	CHECK(cudaMallocManaged(&out, 8 * sizeof(int)));
	ranks<4, 1><<<8, 32>>>(out);
	CHECK(cudaDeviceSynchronize());
	for (int b = 0; b < 8; b++)
		EXPECT(out[b] == 10120400 + b % 4 + b / 4 * 1001000);
	ranks<2, 2><<<dim3(4, 2), 32>>>(out);
	CHECK(cudaDeviceSynchronize());
	for (int b = 0; b < 8; b++)
		EXPECT(out[b] == 10220400 + b / 4 * 2 + b % 2 + b % 4 / 2 * 1001000);
	pairs<<<2, 1>>>(out);
	CHECK(cudaDeviceSynchronize());
	EXPECT(out[0] == 2 && out[1] == 2);
	alone<<<2, 1>>>(out);
	CHECK(cudaDeviceSynchronize());
	EXPECT(out[0] == 1 && out[1] == 1);
	pairs<<<3, 1>>>(out); // no multiple of the cluster
	EXPECT(cudaGetLastError() != cudaSuccess);
}

// A kernel that says when the next may begin, which says when it wants what that has written.
__global__ void write(int *p) {
	p[threadIdx.x] = threadIdx.x;
	cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void reverse(int *p) {
	cudaGridDependencySynchronize();
	int v = p[blockDim.x - 1 - threadIdx.x];
	__syncthreads();
	p[threadIdx.x] = v;
}

static void dependent() {
	int *p;
	CHECK(cudaMallocManaged(&p, 64 * sizeof(int)));
	write<<<1, 64>>>(p);
	cudaLaunchAttribute early = {};
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization, early.val.programmaticStreamSerializationAllowed = 1;
	cudaLaunchConfig_t config = {};
	config.gridDim = 1, config.blockDim = 64, config.attrs = &early, config.numAttrs = 1;
	CHECK(cudaLaunchKernelEx(&config, reverse, p));
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++)
		EXPECT(p[i] == 63 - i);
}

int main() {
	const int blocks = 8, threads = 64, size = 4, n = blocks * threads;
	int *in, *out;
	CHECK(cudaMallocManaged(&in, n * sizeof(int)));
	CHECK(cudaMallocManaged(&out, blocks / size * sizeof(int)));
	for (int i = 0; i < n; i++)
		in[i] = i;
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute[4] = {};
	attribute[0].id = cudaLaunchAttributeClusterDimension;
	attribute[0].val.clusterDim.x = size;
	attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
	attribute[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference; /* which changes nothing here, as what follows */
	attribute[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;
	attribute[2].id = cudaLaunchAttributeMemSyncDomain;
	attribute[2].val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
	attribute[3].id = cudaLaunchAttributePreferredSharedMemoryCarveout;
	attribute[3].val.sharedMemCarveout = 50;
	static_assert(sizeof(cudaLaunchAttribute) == 72, "as CUDA has it");
	config.gridDim = blocks, config.blockDim = threads, config.attrs = attribute, config.numAttrs = 4;
	CHECK(cudaLaunchKernelEx(&config, clusterSum, in, out));
	CHECK(cudaDeviceSynchronize());
	for (int c = 0; c < blocks / size; c++) {
		int want = 0;
		for (int i = 0; i < size * threads; i++)
			want += c * size * threads + i;
		EXPECT(out[c] == want);
	}
	fixedSizes();
	dependent();
	printf("ok\n");
}
