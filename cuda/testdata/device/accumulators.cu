// A tile of a product of matrices as people write it: accumulators in an array, loops without #pragma unroll.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void product(int n, const float *a, const float *b, float *c)
{
	__shared__ float as[BM * BK], bs[BK * BN];
	const int column = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
	a += blockIdx.y * BM * n;
	b += blockIdx.x * BN;
	c += blockIdx.y * BM * n + blockIdx.x * BN;
	float sums[TM * TN] = {0}, x[TM], y[TN];
	for (int k = 0; k < n; k += BK) {
		for (int i = threadIdx.x; i < BM * BK; i += blockDim.x)
			as[i] = a[i / BK * n + k + i % BK];
		for (int i = threadIdx.x; i < BK * BN; i += blockDim.x)
			bs[i] = b[(k + i / BN) * n + i % BN];
		__syncthreads();
		for (int d = 0; d < BK; ++d) {
			for (int i = 0; i < TM; ++i)
				x[i] = as[(row * TM + i) * BK + d];
			for (int i = 0; i < TN; ++i)
				y[i] = bs[d * BN + column * TN + i];
			for (int i = 0; i < TM; ++i)
				for (int j = 0; j < TN; ++j)
					sums[i * TN + j] += x[i] * y[j];
		}
		__syncthreads();
	}
	for (int i = 0; i < TM; ++i)
		for (int j = 0; j < TN; ++j)
			c[(row * TM + i) * n + column * TN + j] = sums[i * TN + j];
}

template __global__ void product<128, 128, 8, 8, 8>(int, const float *, const float *, float *);
template __global__ void product<64, 64, 8, 8, 4>(int, const float *, const float *, float *);
template __global__ void product<128, 64, 16, 16, 8>(int, const float *, const float *, float *);
