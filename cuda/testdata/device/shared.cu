// Shared memory of both kinds, barriers with a vote, and constants.
__constant__ int weights[4] = {1, 10, 100, 1000};
extern __shared__ int dynamic[];

template <int N> __device__ int reverse(int *tile, int v) {
	tile[threadIdx.x] = v;
	__syncthreads();
	return tile[N - 1 - threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(64) shared(int *out) {
	__shared__ int tile[64];
	int i = threadIdx.x, v = reverse<64>(tile, 3 * i);
	dynamic[63 - i] = v;
	int odd = __syncthreads_count(v & 1), all = __syncthreads_and(v >= 0), any = __syncthreads_or(v == 189);
	out[i] = dynamic[i] * 1000 + odd * 10 + all + any + weights[i & 3] * 1000000;
}
