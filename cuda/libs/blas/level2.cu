/* Matrix-vector products, also of batches. b and d are columns. The row operations of cublasLt are here, too. */
#include "blas.cuh"

constexpr int THREADS = 128, WARP = 32;

template <typename Acc, typename Out> __device__ void put(const gemm_args &g, int64_t batch, int64_t i, Acc sum, Acc alpha, Acc beta) {
	Acc y = alpha * sum;
	if (!is_zero(beta))
		y = fma_of(beta, to<Acc>(start<const Out>(g.c, batch)[i * g.c.row]), y);
	start<Out>(g.d, batch)[i * g.d.row] = to<Out>(y);
}

/* One thread per row; neighbouring rows are adjacent in memory. */
template <typename In, typename Out, typename Acc> __device__ void rows(const gemm_args &g) {
	Acc alpha = value_of<Acc>(g.alpha), beta = value_of<Acc>(g.beta);
	int64_t k = is_zero(alpha) ? 0 : g.k;
	for (int64_t batch = blockIdx.z; batch < g.batches; batch += gridDim.z) {
		const In *a = start<const In>(g.a, batch), *x = start<const In>(g.b, batch);
		for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < g.m; i += gridDim.x * (int64_t)THREADS) {
			Acc sum = Acc(0);
			if (g.a.shape != GENERAL)
				for (int64_t j = 0; j < k; j++)
					sum = fma_of(element<Acc>(g.a, a, i, j), to<Acc>(x[j * g.b.row]), sum);
			else
				for (int64_t j = 0; j < k; j++) {
					Acc e = to<Acc>(a[i * g.a.row + j * g.a.col]);
					sum = fma_of(g.a.conj ? conj(e) : e, to<Acc>(x[j * g.b.row]), sum);
				}
			put<Acc, Out>(g, batch, i, sum, alpha, beta);
		}
	}
}

__device__ inline float from_lane(float x, int distance) { return __shfl_down_sync(~0u, x, distance); }
__device__ inline double from_lane(double x, int distance) { return __shfl_down_sync(~0u, x, distance); }
template <typename T> __device__ complex<T> from_lane(complex<T> x, int distance) { return {from_lane(x.re, distance), from_lane(x.im, distance)}; }

/* One warp per row; the elements of a row are adjacent in memory. */
template <typename In, typename Out, typename Acc> __device__ void warps(const gemm_args &g) {
	Acc alpha = value_of<Acc>(g.alpha), beta = value_of<Acc>(g.beta);
	int64_t k = is_zero(alpha) ? 0 : g.k;
	int lane = threadIdx.x % WARP;
	for (int64_t batch = blockIdx.z; batch < g.batches; batch += gridDim.z) {
		const In *a = start<const In>(g.a, batch), *x = start<const In>(g.b, batch);
		for (int64_t i = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / WARP; i < g.m; i += gridDim.x * (int64_t)(THREADS / WARP)) {
			Acc sum = Acc(0);
			for (int64_t j = lane; j < k; j += WARP) {
				Acc e = to<Acc>(a[i * g.a.row + j * g.a.col]);
				sum = fma_of(g.a.conj ? conj(e) : e, to<Acc>(x[j * g.b.row]), sum);
			}
			for (int distance = WARP / 2; distance > 0; distance /= 2)
				sum = sum + from_lane(sum, distance);
			if (lane == 0)
				put<Acc, Out>(g, batch, i, sum, alpha, beta);
		}
	}
}

#define GEMV(NAME, IN, OUT, ACC)                                                                                                       \
	extern "C" __global__ void __launch_bounds__(THREADS) gemv_rows_##NAME(gemm_args g) { rows<IN, OUT, ACC>(g); }                 \
	extern "C" __global__ void __launch_bounds__(THREADS) gemv_warps_##NAME(gemm_args g) { warps<IN, OUT, ACC>(g); }
GEMV(s, float, float, float)
GEMV(d, double, double, double)
GEMV(c, complex<float>, complex<float>, complex<float>)
GEMV(z, complex<double>, complex<double>, complex<double>)
GEMV(hh, __half, __half, float)
GEMV(hs, __half, float, float)
GEMV(bb, __nv_bfloat16, __nv_bfloat16, float)
GEMV(bs, __nv_bfloat16, float, float)

template <typename T> __device__ void sums(const row_args &g) {
	for (int64_t batch = blockIdx.z; batch < g.batches; batch += gridDim.z) {
		const T *a = start<const T>(g.a, batch);
		for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < g.m; i += gridDim.x * (int64_t)THREADS) {
			float sum = 0;
			for (int64_t j = 0; j < g.n; j++)
				sum += to<float>(a[i * g.a.row + j * g.a.col]);
			int64_t place = batch * g.y_batch + i;
			if (g.wide)
				((float *)g.y)[place] = sum;
			else
				((T *)g.y)[place] = to<T>(sum);
		}
	}
}

/* A thread computes 8 elements of a column. */
template <typename T> __device__ void mask(const row_args &g) {
	int64_t bytes = (g.m + 7) / 8;
	for (int64_t batch = blockIdx.z; batch < g.batches; batch += gridDim.z) {
		const T *a = start<const T>(g.a, batch);
		for (int64_t e = blockIdx.x * (int64_t)THREADS + threadIdx.x; e < bytes * g.n; e += gridDim.x * (int64_t)THREADS) {
			int64_t j = e / bytes, first = e % bytes * 8;
			unsigned int bits = 0;
			for (int64_t i = first; i < first + 8 && i < g.m; i++)
				bits |= (unsigned int)(to<float>(a[i * g.a.row + j * g.a.col]) > 0) << (i - first);
			((unsigned char *)g.y)[(batch * g.y_batch + j * g.y_col + first) / 8] = (unsigned char)bits;
		}
	}
}

#define ROWS(NAME, T)                                                                                                \
	extern "C" __global__ void __launch_bounds__(THREADS) sums_##NAME(row_args g) { sums<T>(g); }                \
	extern "C" __global__ void __launch_bounds__(THREADS) mask_##NAME(row_args g) { mask<T>(g); }
ROWS(s, float)
ROWS(h, __half)
ROWS(b, __nv_bfloat16)
