// Sums by four ways of reducing, from templates with dynamic shared memory of the element's type.
#include "check.h"
#include <numeric>
#include <vector>

template <class T> struct SharedMemory {
	__device__ inline operator T *() {
		extern __shared__ int bytes[];
		return (T *)bytes;
	}
};
template <> struct SharedMemory<double> {
	__device__ inline operator double *() {
		extern __shared__ double doubles[];
		return doubles;
	}
};

template <class T> __global__ void reduceTree(const T *in, T *out, unsigned n) {
	T *s = SharedMemory<T>();
	unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
	T v = i < n ? in[i] : 0;
	if (i + blockDim.x < n)
		v += in[i + blockDim.x];
	s[t] = v;
	__syncthreads();
	for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
		if (t < k)
			s[t] += s[t + k];
		__syncthreads();
	}
	if (t == 0)
		out[blockIdx.x] = s[0];
}

template <class T> __inline__ __device__ T warpSum(T v) {
	for (int offset = warpSize / 2; offset > 0; offset /= 2)
		v += __shfl_down_sync(0xffffffff, v, offset);
	return v;
}

template <class T, unsigned Block> __global__ void reduceWarps(const T *in, T *out, unsigned n) {
	__shared__ T part[Block / 32];
	T v = 0;
	for (unsigned i = blockIdx.x * Block + threadIdx.x; i < n; i += Block * gridDim.x)
		v += in[i];
	v = warpSum(v);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = v;
	__syncthreads();
	if (threadIdx.x < 32) {
		v = threadIdx.x < Block / 32 ? part[threadIdx.x] : 0;
		v = warpSum(v);
		if (threadIdx.x == 0)
			out[blockIdx.x] = v;
	}
}

template <class T> __global__ void reduceAtomic(const T *in, T *out, unsigned n) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	T v = warpSum(i < n ? in[i] : (T)0);
	if ((threadIdx.x & 31) == 0)
		atomicAdd(out, v);
}

template <class T> void test() {
	const unsigned n = 10007, block = 128, blocks = (n + 2 * block - 1) / (2 * block);
	std::vector<T> in(n), part(blocks);
	for (unsigned i = 0; i < n; i++)
		in[i] = (T)(i % 13);
	T want = std::accumulate(in.begin(), in.end(), (T)0), *din, *dout;
	CHECK(cudaMalloc(&din, n * sizeof(T)));
	CHECK(cudaMalloc(&dout, blocks * sizeof(T)));
	CHECK(cudaMemcpy(din, &in[0], n * sizeof(T), cudaMemcpyDefault));
	reduceTree<T><<<blocks, block, block * sizeof(T)>>>(din, dout, n);
	CHECK(cudaMemcpy(&part[0], dout, blocks * sizeof(T), cudaMemcpyDeviceToHost));
	EXPECT(std::accumulate(part.begin(), part.end(), (T)0) == want);
	reduceWarps<T, 256><<<1, 256>>>(din, dout, n);
	CHECK(cudaMemcpy(&part[0], dout, sizeof(T), cudaMemcpyDeviceToHost));
	EXPECT(part[0] == want);
	CHECK(cudaMemset(dout, 0, sizeof(T)));
	reduceAtomic<T><<<(n + 95) / 96, 96>>>(din, dout, n);
	CHECK(cudaMemcpy(&part[0], dout, sizeof(T), cudaMemcpyDeviceToHost));
	EXPECT(part[0] == want);
	CHECK(cudaFree(din));
	CHECK(cudaFree(dout));
}

int main() {
	test<int>();
	test<float>();
	test<double>();
	test<unsigned>();
	printf("ok\n");
}
