/* LAPACK's functions for batches of small matrices, with one block per matrix. */
#include "blas.cuh"

constexpr int THREADS = 128, MOST = 32; /* MOST: rows of a matrix that is inverted in shared memory */

typedef complex<float> c32;
typedef complex<double> c64;

template <typename T> __device__ T size_of(T x) { return x < 0 ? -x : x; }
template <typename T> __device__ T size_of(complex<T> x) { return size_of(x.re) + size_of(x.im); }

/* largest returns the row, from first on, with the largest element of a column; the first if there are several. */
template <typename T> __device__ int largest(const T *column, int64_t step, int first, int rows) {
	using R = typename real_of<T>::type;
	__shared__ R sizes[THREADS];
	__shared__ int indices[THREADS];
	R best = -1;
	int index = first;
	for (int i = first + threadIdx.x; i < rows; i += THREADS)
		if (R size = size_of(column[i * step]); size > best)
			best = size, index = i;
	sizes[threadIdx.x] = best, indices[threadIdx.x] = index;
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half) {
			R other = sizes[threadIdx.x + half];
			int at = indices[threadIdx.x + half];
			if (other > sizes[threadIdx.x] || (other == sizes[threadIdx.x] && at < indices[threadIdx.x]))
				sizes[threadIdx.x] = other, indices[threadIdx.x] = at;
		}
	}
	__syncthreads();
	index = indices[0];
	__syncthreads();
	return index;
}

/* getrf replaces a by its factors L and U; pivots are optional. */
template <typename T> __device__ void getrf(const lapack_args &g) {
	for (int64_t batch = blockIdx.x; batch < g.batches; batch += gridDim.x) {
		T *a = start<T>(g.a, batch);
		int n = (int)g.n, info = 0;
		int64_t lda = g.a.col;
		for (int j = 0; j < n; j++) {
			int pivot = j;
			if (g.pivots != nullptr) {
				pivot = largest(a + j * lda, 1, j, n);
				if (threadIdx.x == 0)
					g.pivots[batch * n + j] = pivot + 1;
			}
			if (pivot != j)
				for (int k = threadIdx.x; k < n; k += THREADS) {
					T x = a[j + k * lda];
					a[j + k * lda] = a[pivot + k * lda];
					a[pivot + k * lda] = x;
				}
			__syncthreads();
			T divisor = a[j + j * lda];
			if (is_zero(divisor))
				info = info != 0 ? info : j + 1;
			else
				for (int i = j + 1 + threadIdx.x; i < n; i += THREADS)
					a[i + j * lda] = a[i + j * lda] / divisor;
			__syncthreads();
			int left = n - j - 1;
			for (int e = threadIdx.x; e < left * left; e += THREADS) {
				int i = j + 1 + e % left, k = j + 1 + e / left;
				a[i + k * lda] = a[i + k * lda] - a[i + j * lda] * a[j + k * lda];
			}
			__syncthreads();
		}
		if (threadIdx.x == 0)
			g.info[batch] = info;
	}
}

/* exchange exchanges rows of b, which has n columns, according to the pivots of m rows. */
template <typename T> __device__ void exchange(const lapack_args &g, T *b, int64_t batch) {
	if (g.pivots == nullptr)
		return;
	for (int64_t k = threadIdx.x; k < g.n; k += THREADS)
		for (int64_t j = 0; j < g.m; j++) {
			int64_t i = g.backwards ? g.m - 1 - j : j, pivot = g.pivots[batch * g.m + i] - 1;
			T x = b[i + k * g.b.col];
			b[i + k * g.b.col] = b[pivot + k * g.b.col];
			b[pivot + k * g.b.col] = x;
		}
}

template <typename T> __device__ void laswp(const lapack_args &g) {
	for (int64_t batch = blockIdx.x; batch < g.batches; batch += gridDim.x)
		exchange(g, start<T>(g.b, batch), batch);
}

/* identity makes b the right side for the inverse: the identity with exchanged rows. */
template <typename T> __device__ void identity(const lapack_args &g) {
	for (int64_t batch = blockIdx.x; batch < g.batches; batch += gridDim.x) {
		const T *a = start<const T>(g.a, batch);
		T *b = start<T>(g.b, batch);
		for (int64_t k = threadIdx.x; k < g.n; k += THREADS)
			for (int64_t i = 0; i < g.n; i++)
				b[i + k * g.b.col] = T(i == k ? 1 : 0);
		exchange(g, b, batch);
		if (threadIdx.x == 0) {
			int info = 0;
			for (int i = (int)g.n - 1; i >= 0; i--)
				if (is_zero(a[i + i * g.a.col]))
					info = i + 1;
			g.info[batch] = info;
		}
	}
}

/* matinv makes b the inverse of a, by Gauss-Jordan elimination. */
template <typename T> __device__ void matinv(const lapack_args &g) {
	__shared__ T w[2 * MOST][MOST + 1]; /* columns of a, and of the identity */
	int n = (int)g.n;
	for (int64_t batch = blockIdx.x; batch < g.batches; batch += gridDim.x) {
		const T *a = start<const T>(g.a, batch);
		T *b = start<T>(g.b, batch);
		int info = 0;
		for (int e = threadIdx.x; e < n * n; e += THREADS) {
			int i = e % n, k = e / n;
			w[k][i] = a[i + k * g.a.col];
			w[n + k][i] = T(i == k ? 1 : 0);
		}
		__syncthreads();
		for (int j = 0; j < n && info == 0; j++) {
			int pivot = largest(w[j], 1, j, n);
			if (pivot != j)
				for (int k = threadIdx.x; k < 2 * n; k += THREADS) {
					T x = w[k][j];
					w[k][j] = w[k][pivot];
					w[k][pivot] = x;
				}
			__syncthreads();
			T divisor = w[j][j];
			if (is_zero(divisor))
				info = j + 1;
			__syncthreads();
			for (int k = threadIdx.x; k < 2 * n && info == 0; k += THREADS)
				w[k][j] = w[k][j] / divisor;
			__syncthreads();
			int right = 2 * n - j - 1; /* column j itself is no longer needed */
			for (int e = threadIdx.x; e < n * right && info == 0; e += THREADS) {
				int i = e % n, k = j + 1 + e / n;
				if (i != j)
					w[k][i] = w[k][i] - w[j][i] * w[k][j];
			}
			__syncthreads();
		}
		for (int e = threadIdx.x; e < n * n; e += THREADS)
			b[e % n + e / n * g.b.col] = w[n + e / n][e % n];
		if (threadIdx.x == 0)
			g.info[batch] = info;
		__syncthreads();
	}
}

template <typename T> __device__ T real_value(T x) { return x; }
template <typename T> __device__ T real_value(complex<T> x) { return x.re; }
template <typename T> __device__ T square_of(T x) { return x * x; }
template <typename T> __device__ T square_of(complex<T> x) { return x.re * x.re + x.im * x.im; }

/* geqrf replaces a by R and, below it, the Householder vectors, without their first elements, which are 1. */
template <typename T> __device__ void geqrf(const lapack_args &g) {
	using R = typename real_of<T>::type;
	__shared__ R squares[THREADS];
	int m = (int)g.m, n = (int)g.n;
	int64_t lda = g.a.col;
	for (int64_t batch = blockIdx.x; batch < g.batches; batch += gridDim.x) {
		T *a = start<T>(g.a, batch), *taus = ((T **)g.tau)[batch];
		for (int j = 0; j < m && j < n; j++) {
			T *column = a + j * lda, alpha = column[j], tau(0);
			R sum = 0;
			for (int i = j + 1 + threadIdx.x; i < m; i += THREADS)
				sum += square_of(column[i]);
			squares[threadIdx.x] = sum;
			for (int half = THREADS / 2; half > 0; half /= 2) {
				__syncthreads();
				if (threadIdx.x < half)
					squares[threadIdx.x] += squares[threadIdx.x + half];
			}
			__syncthreads();
			R below = squares[0], re = real_value(alpha);
			if (below != 0 || square_of(alpha) != re * re) {
				R beta = sqrt(square_of(alpha) + below);
				if (re > 0)
					beta = -beta;
				tau = (T(beta) - alpha) / T(beta);
				T divisor = alpha - T(beta);
				for (int i = j + 1 + threadIdx.x; i < m; i += THREADS)
					column[i] = column[i] / divisor;
				if (threadIdx.x == 0)
					column[j] = T(beta);
			}
			if (threadIdx.x == 0)
				taus[j] = tau;
			__syncthreads();
			for (int k = j + 1 + threadIdx.x; k < n; k += THREADS) {
				T *other = a + k * lda, dot = other[j];
				for (int i = j + 1; i < m; i++)
					dot = dot + conj(column[i]) * other[i];
				dot = conj(tau) * dot;
				other[j] = other[j] - dot;
				for (int i = j + 1; i < m; i++)
					other[i] = other[i] - column[i] * dot;
			}
			__syncthreads();
		}
	}
}

/* An element of a triangle with its columns contiguous in b, and as a part of a. */
template <typename T> __device__ T &packed(const lapack_args &g, int64_t i, int64_t j) {
	return start<T>(g.b, 0)[g.a.triangle == LOWER ? i + j * (2 * g.n - j - 1) / 2 : i + j * (j + 1) / 2];
}
template <typename T, bool PACK> __device__ void pack(const lapack_args &g) {
	T *a = start<T>(g.a, 0);
	for (int64_t j = blockIdx.x; j < g.n; j += gridDim.x)
		for (int64_t i = threadIdx.x; i < g.n; i += THREADS)
			if (g.a.triangle == LOWER ? i >= j : i <= j) {
				if (PACK)
					packed<T>(g, i, j) = a[i + j * g.a.col];
				else
					a[i + j * g.a.col] = packed<T>(g, i, j);
			}
}

#define KERNEL(NAME, ...) extern "C" __global__ void __launch_bounds__(THREADS) NAME(lapack_args g) { __VA_ARGS__(g); }
#define LAPACK(NAME, T)                                                                                      \
	KERNEL(getrf_##NAME, getrf<T>) KERNEL(laswp_##NAME, laswp<T>) KERNEL(identity_##NAME, identity<T>)          \
	KERNEL(matinv_##NAME, matinv<T>) KERNEL(geqrf_##NAME, geqrf<T>) KERNEL(tpttr_##NAME, pack<T, false>) KERNEL(trttp_##NAME, pack<T, true>)
LAPACK(s, float)
LAPACK(d, double)
LAPACK(c, c32)
LAPACK(z, c64)
