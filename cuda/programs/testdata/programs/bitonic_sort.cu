// Keys with values are sorted by a bitonic network: in shared memory where that is enough, in global memory otherwise.
#include "check.h"
#include <algorithm>
#include <vector>

typedef unsigned int uint;

__device__ inline void compare(uint &ka, uint &va, uint &kb, uint &vb, uint up) {
	if ((ka > kb) == up) {
		uint t;
		t = ka, ka = kb, kb = t;
		t = va, va = vb, vb = t;
	}
}

__global__ void sortShared(uint *keys, uint *values, uint n) {
	__shared__ uint k[1024], v[1024];
	uint base = blockIdx.x * 1024, t = threadIdx.x;
	k[t] = keys[base + t], v[t] = values[base + t];
	k[t + 512] = keys[base + t + 512], v[t + 512] = values[base + t + 512];
	for (uint size = 2; size <= 1024; size <<= 1) {
		uint up = ((base / 2 + t) & (size / 2)) == 0;
		for (uint stride = size / 2; stride > 0; stride >>= 1) {
			__syncthreads();
			uint pos = 2 * t - (t & (stride - 1));
			compare(k[pos], v[pos], k[pos + stride], v[pos + stride], up);
		}
	}
	__syncthreads();
	keys[base + t] = k[t], values[base + t] = v[t];
	keys[base + t + 512] = k[t + 512], values[base + t + 512] = v[t + 512];
}

__global__ void mergeGlobal(uint *keys, uint *values, uint size, uint stride) {
	uint i = blockIdx.x * blockDim.x + threadIdx.x, up = (i & (size / 2)) == 0, pos = 2 * i - (i & (stride - 1));
	compare(keys[pos], values[pos], keys[pos + stride], values[pos + stride], up);
}

int main() {
	const uint n = 4096;
	std::vector<uint> keys(n), values(n), sorted(n), order(n);
	uint seed = 1;
	for (uint i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		keys[i] = seed >> 8 & 0xffff, values[i] = i;
	}
	uint *dk, *dv;
	CHECK(cudaMalloc(&dk, n * sizeof(uint)));
	CHECK(cudaMalloc(&dv, n * sizeof(uint)));
	CHECK(cudaMemcpy(dk, keys.data(), n * sizeof(uint), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dv, values.data(), n * sizeof(uint), cudaMemcpyHostToDevice));
	sortShared<<<n / 1024, 512>>>(dk, dv, n);
	for (uint size = 2048; size <= n; size <<= 1)
		for (uint stride = size / 2; stride > 0; stride >>= 1)
			mergeGlobal<<<n / 512, 256>>>(dk, dv, size, stride);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(sorted.data(), dk, n * sizeof(uint), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(order.data(), dv, n * sizeof(uint), cudaMemcpyDeviceToHost));
	for (uint i = 0; i < n; i++)
		EXPECT(keys[order[i]] == sorted[i]);
	std::sort(keys.begin(), keys.end());
	EXPECT(keys == sorted);
	printf("ok\n");
}
