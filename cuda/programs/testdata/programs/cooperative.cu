// A launch whose blocks wait for each other: a stencil iterated within one kernel.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <vector>
namespace cg = cooperative_groups;

__global__ void diffuse(float *a, float *b, int n, int steps, float *total) {
	cg::grid_group grid = cg::this_grid();
	for (int s = 0; s < steps; s++) {
		for (int i = grid.thread_rank(); i < n; i += grid.size()) {
			float left = i > 0 ? a[i - 1] : 0, right = i < n - 1 ? a[i + 1] : 0;
			b[i] = 0.25f * left + 0.5f * a[i] + 0.25f * right;
		}
		grid.sync();
		float *t = a;
		a = b;
		b = t;
	}
	float sum = 0;
	for (int i = grid.thread_rank(); i < n; i += grid.size())
		sum += a[i];
	auto tile = cg::tiled_partition<32>(cg::this_thread_block());
	sum = cg::reduce(tile, sum, cg::plus<float>());
	if (tile.thread_rank() == 0)
		atomicAdd(total, sum);
}

// Arrivals and waits apart: each thread takes over what another of its block, and then what one of another block, had.
__global__ void pass(int *p) {
	extern __shared__ int s[];
	cg::thread_block block = cg::this_thread_block();
	cg::grid_group grid = cg::this_grid();
	const int n = grid.size(), i = grid.thread_rank();
	s[threadIdx.x] = p[i];
	cg::thread_block::arrival_token token = block.barrier_arrive();
	int next = (threadIdx.x + 1) % blockDim.x;
	block.barrier_wait(std::move(token));
	p[i] = s[next];
	auto arrived = grid.barrier_arrive();
	int other = (i + blockDim.x) % n;
	grid.barrier_wait(std::move(arrived));
	int v = p[other];
	grid.sync();
	p[i] = v;
}

static void arrivals() {
	const int blocks = 6, threads = 96, n = blocks * threads;
	int *p;
	CHECK(cudaMallocManaged(&p, n * sizeof(int)));
	for (int i = 0; i < n; i++)
		p[i] = i;
	void *args[] = {&p};
	CHECK(cudaLaunchCooperativeKernel(pass, blocks, threads, args, threads * sizeof(int)));
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++) {
		int from = (i + threads) % n;
		EXPECT(p[i] == from / threads * threads + (from + 1) % threads);
	}
	CHECK(cudaFree(p));
}

int main() {
	arrivals();
	int n = 3000, steps = 10, device = 0, supported = 0, blocks = 0;
	CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device));
	EXPECT(supported);
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, diffuse, 128, 0));
	EXPECT(blocks > 0);
	std::vector<float> h(n), want(n), next(n);
	for (int i = 0; i < n; i++)
		want[i] = h[i] = (float)(i % 16);
	for (int s = 0; s < steps; s++) {
		for (int i = 0; i < n; i++)
			next[i] = 0.25f * (i > 0 ? want[i - 1] : 0) + 0.5f * want[i] + 0.25f * (i < n - 1 ? want[i + 1] : 0);
		want.swap(next);
	}
	float *a, *b, *total, sum, expected = 0;
	CHECK(cudaMalloc(&a, n * sizeof(float)));
	CHECK(cudaMalloc(&b, n * sizeof(float)));
	CHECK(cudaMalloc(&total, sizeof(float)));
	CHECK(cudaMemset(total, 0, sizeof(float)));
	CHECK(cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	void *args[] = {&a, &b, &n, &steps, &total};
	CHECK(cudaLaunchCooperativeKernel((void *)diffuse, dim3(8), dim3(128), args, 0, 0));
	CHECK(cudaMemcpy(h.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&sum, total, sizeof(float), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++) {
		EXPECT(h[i] > want[i] - 1e-4f && h[i] < want[i] + 1e-4f);
		expected += want[i];
	}
	EXPECT(sum > expected * 0.9999f && sum < expected * 1.0001f);
	printf("ok\n");
}
