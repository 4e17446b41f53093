/* Elementwise operations on matrices, and the diagonal blocks of triangular systems. */
#include "blas.cuh"

typedef complex<float> c32;
typedef complex<double> c64;

constexpr int THREADS = 128;

template <typename T> __device__ T load(const matrix &m, int64_t i, int64_t j) {
	T x = ((const T *)m.at)[i * m.row + j * m.col];
	return m.conj ? conj(x) : x;
}

template <typename T> __device__ void elementwise(const elementwise_args &g) {
	T alpha = value_of<T>(g.alpha), beta = value_of<T>(g.beta);
	for (int64_t j = blockIdx.y; j < g.n; j += gridDim.y)
		for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < g.m; i += gridDim.x * (int64_t)THREADS) {
			T x(0);
			if (g.x.at != nullptr)
				x = load<T>(g.a, i, j) * at<T>(g.x, g.columns ? j : i);
			else {
				if (!is_zero(alpha))
					x = alpha * load<T>(g.a, i, j);
				if (!is_zero(beta))
					x = fma_of(beta, load<T>(g.b, i, j), x);
			}
			((T *)g.c.at)[i * g.c.row + j * g.c.col] = x;
		}
}

/* A triangular system with at most SIZE unknowns and a lower triangular matrix. A block solves it for SIZE
   columns: one warp, with a column in each lane. */
constexpr int SIZE = 32;

template <typename T> __device__ void solve(const gemm_args &g) {
	__shared__ T a_tile[SIZE][SIZE + 1], x_tile[SIZE][SIZE + 1];
	T alpha = value_of<T>(g.alpha);
	int lane = threadIdx.x, m = (int)g.m;
	for (int64_t batch = blockIdx.z; batch < g.batches; batch += gridDim.z) {
		const T *a = start<const T>(g.a, batch);
		T *x = start<T>(g.d, batch);
		for (int e = lane; e < m * SIZE; e += SIZE) {
			int i = e / SIZE, j = e % SIZE;
			if (j <= i)
				a_tile[i][j] = element<T>(g.a, a, i, j);
		}
		for (int64_t col = blockIdx.x * (int64_t)SIZE; col < g.n; col += gridDim.x * (int64_t)SIZE) {
			int cols = (int)min((long long)SIZE, (long long)(g.n - col));
			bool down = g.d.col != 1 && g.d.col != -1;
			for (int e = 0; e < SIZE; e++) {
				int i = down ? lane : e, j = down ? e : lane;
				if (i < m && j < cols)
					x_tile[i][j] = is_zero(alpha) ? T(0) : alpha * x[i * g.d.row + (col + j) * g.d.col];
			}
			__syncwarp();
			for (int i = 0; i < m && lane < cols && !is_zero(alpha); i++) {
				T sum = x_tile[i][lane];
				for (int k = 0; k < i; k++)
					sum = sum - a_tile[i][k] * x_tile[k][lane];
				x_tile[i][lane] = g.a.shape == UNIT_TRIANGULAR ? sum : sum / a_tile[i][i];
			}
			__syncwarp();
			for (int e = 0; e < SIZE; e++) {
				int i = down ? lane : e, j = down ? e : lane;
				if (i < m && j < cols)
					x[i * g.d.row + (col + j) * g.d.col] = x_tile[i][j];
			}
			__syncwarp();
		}
		__syncwarp();
	}
}

#define MATRICES(NAME, T)                                                                                                     \
	extern "C" __global__ void __launch_bounds__(THREADS) elementwise_##NAME(elementwise_args g) { elementwise<T>(g); }   \
	extern "C" __global__ void __launch_bounds__(SIZE) solve_##NAME(gemm_args g) { solve<T>(g); }
MATRICES(s, float)
MATRICES(d, double)
MATRICES(c, c32)
MATRICES(z, c64)
