/* Products of matrices. A block computes a tile of 8 TM by 16 TN elements, and each thread TM by TN of them, from
   tiles of op(A) and op(B) in shared memory, in the type of the sum. */
#pragma once

#include "blas.cuh"

constexpr int DOWN = 8, ACROSS = 16, THREADS = DOWN * ACROSS, DEPTH = 16;

/* A thread's elements are in packs that are loaded at once. Packs of neighbouring threads are adjacent. */
template <typename T, int N> struct alignas(N * sizeof(T)) pack {
	T v[N];
};
template <typename T, int N> constexpr int pack_size = sizeof(T) * N <= 16 ? N : 16 / sizeof(T);
template <int SIDE, int PACK> __device__ int place_of(int thread, int i) { return i / PACK * (SIDE * PACK) + thread * PACK + i % PACK; }

template <int SIDE, typename T, int N> __device__ void load_packs(T (&to)[N], const T *row, int thread) {
	constexpr int PACK = pack_size<T, N>;
#pragma unroll
	for (int i = 0; i < N; i += PACK) {
		pack<T, PACK> p = *(const pack<T, PACK> *)(row + place_of<SIDE, PACK>(thread, i));
#pragma unroll
		for (int j = 0; j < PACK; j++)
			to[i + j] = p.v[j];
	}
}

/* load_tile loads WIDTH rows (or columns) from first on, with DEPTH elements each from k on, to shared memory.
   Neighbouring threads read neighbouring elements. across is the distance between rows, and along that within one. */
template <int WIDTH, typename Acc, typename In>
__device__ void load_tile(Acc (*tile)[WIDTH + 16 / sizeof(Acc)], const In *at, int64_t across, int64_t along, int64_t first, int64_t end, int64_t k, int64_t k_end, bool conjugate) {
	constexpr int EACH = WIDTH * DEPTH / THREADS;
	bool rows = along != 1;
	int t = threadIdx.x;
	int row = rows ? t % WIDTH : t / DEPTH, depth = rows ? t / WIDTH : t % DEPTH;
	int row_step = rows ? 0 : THREADS / DEPTH, depth_step = rows ? THREADS / WIDTH : 0;
	const In *p = at + (first + row) * across + (k + depth) * along;
	int64_t step = row_step * across + depth_step * along;
	if (first + WIDTH <= end && k + DEPTH <= k_end) {
#pragma unroll
		for (int i = 0; i < EACH; i++, p += step) {
			Acc x = to<Acc>(*p);
			tile[depth + i * depth_step][row + i * row_step] = conjugate ? conj(x) : x;
		}
		return;
	}
	int64_t rows_left = end - first - row, depth_left = k_end - k - depth;
#pragma unroll 1
	for (int i = 0; i < EACH; i++, p += step) {
		Acc x = i * row_step < rows_left && i * depth_step < depth_left ? to<Acc>(*p) : Acc(0);
		tile[depth + i * depth_step][row + i * row_step] = conjugate ? conj(x) : x;
	}
}

template <int WIDTH, typename Acc, typename In>
__device__ void load_shaped(Acc (*tile)[WIDTH + 16 / sizeof(Acc)], const matrix &a, const In *at, int64_t first, int64_t end, int64_t k, int64_t k_end) {
	for (int e = threadIdx.x; e < WIDTH * DEPTH; e += THREADS) {
		int row = e % WIDTH, depth = e / WIDTH;
		bool inside = first + row < end && k + depth < k_end;
		tile[depth][row] = inside ? element<Acc>(a, at, first + row, k + depth) : Acc(0);
	}
}

/* GELU in the approximation by the hyperbolic tangent, as in cuBLAS. */
__device__ inline float tanh_of(float x) { return tanhf(0.7978845608f * (x + 0.044715f * x * x * x)); }
__device__ inline float gelu(float x) { return 0.5f * x * (1 + tanh_of(x)); }
__device__ inline float gelu_slope(float x) {
	float t = tanh_of(x);
	return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.7978845608f * (1 + 3 * 0.044715f * x * x);
}

/* activate adds a bias, if any, to the sum x, and applies an activation, or multiplies by its derivative. It is
   not inlined, because a kernel calls it in many places. */
template <typename Out> __device__ __noinline__ float activate(float x, activation a, const void *bias, bool wide, int64_t row, void *aux, int64_t place) {
	if (bias != nullptr)
		x += wide ? ((const float *)bias)[row] : to<float>(((const Out *)bias)[row]);
	switch (a) {
	case RELU:
		return x > 0 || x != x ? x : 0;
	case GELU:
		if (aux != nullptr)
			((Out *)aux)[place] = to<Out>(x);
		return gelu(x);
	case DRELU:
		return ((const unsigned char *)aux)[place / 8] >> place % 8 & 1 ? x : 0;
	case DGELU:
		return x * gelu_slope(to<float>(((const Out *)aux)[place]));
	default:
		return x;
	}
}

/* finish applies the bias and activation of cublasLt to an element. Types other than cublasLt's have neither. */
template <typename Out, typename Acc> __device__ Acc finish(const gemm_args &, int64_t, int64_t, int64_t, Acc x) { return x; }
template <typename Out> __device__ float finish(const gemm_args &g, int64_t batch, int64_t row, int64_t col, float x) {
	if (g.activation != NONE)
		x = activate<Out>(x, g.activation, g.bias, g.wide_bias, batch * g.bias_batch + row, g.aux, batch * g.aux_batch + row + col * g.aux_col);
	return x;
}

/* store computes an element of d from alpha times the sum. */
template <typename Acc, typename Out>
__device__ __forceinline__ void store(const gemm_args &g, int64_t batch, int64_t row, int64_t col, const Out *c, Out *d, Acc x, Acc beta) {
	bool inside = row < g.m && col < g.n && (g.triangle == WHOLE || (g.triangle == LOWER ? row >= col : col >= row));
	if (!inside)
		return;
	if (!is_zero(beta))
		x = fma_of(beta, to<Acc>(c[row * g.c.row + col * g.c.col]), x);
	if (g.real_diagonal && row == col)
		x = real_part(x);
	d[row * g.d.row + col * g.d.col] = to<Out>(finish<Out>(g, batch, row, col, x));
}

template <typename In, typename Out, typename Acc, int TM, int TN> __device__ __forceinline__ void gemm(const gemm_args &g) {
	constexpr int M = DOWN * TM, N = ACROSS * TN, PAD = 16 / sizeof(Acc);
	alignas(16) __shared__ Acc a_tile[DEPTH][M + PAD];
	alignas(16) __shared__ Acc b_tile[DEPTH][N + PAD];
	int tx = threadIdx.x % DOWN, ty = threadIdx.x / DOWN;
	Acc alpha = value_of<Acc>(g.alpha), beta = value_of<Acc>(g.beta);
	int64_t tiles = (g.m + M - 1) / M;
	for (int64_t batch = blockIdx.z; batch < g.batches; batch += gridDim.z)
		for (int64_t col0 = blockIdx.y * (int64_t)N; col0 < g.n; col0 += gridDim.y * (int64_t)N)
			for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
				int64_t row0 = (g.in_place < 0 ? tiles - 1 - tile : tile) * M;
				if (g.triangle == LOWER ? row0 + M <= col0 : g.triangle == UPPER && col0 + N <= row0)
					continue;
				int64_t k = 0, k_end = is_zero(alpha) ? 0 : g.k;
				if (g.a.shape == TRIANGULAR || g.a.shape == UNIT_TRIANGULAR) {
					if (g.a.triangle == LOWER)
						k_end = min(k_end, row0 + M);
					else
						k = row0;
				}
				const In *a = start<const In>(g.a, batch), *b = start<const In>(g.b, batch);
				Acc sums[TM][TN];
#pragma unroll
				for (int i = 0; i < TM; i++)
#pragma unroll
					for (int j = 0; j < TN; j++)
						sums[i][j] = Acc(0);
				for (; k < k_end; k += DEPTH) {
					if (g.a.shape == GENERAL)
						load_tile<M>(a_tile, a, g.a.row, g.a.col, row0, g.m, k, k_end, g.a.conj);
					else
						load_shaped<M>(a_tile, g.a, a, row0, g.m, k, k_end);
					load_tile<N>(b_tile, b, g.b.col, g.b.row, col0, g.n, k, k_end, g.b.conj);
					__syncthreads();
					/* elements loaded after the last are zero */
					int deep = k_end - k < DEPTH ? (int)(k_end - k + 3) & ~3 : DEPTH;
#pragma unroll 4
					for (int depth = 0; depth < deep; depth++) {
						Acc left[TM], right[TN];
						load_packs<DOWN>(left, a_tile[depth], tx);
						load_packs<ACROSS>(right, b_tile[depth], ty);
#pragma unroll
						for (int i = 0; i < TM; i++)
#pragma unroll
							for (int j = 0; j < TN; j++)
								sums[i][j] = fma_of(left[i], right[j], sums[i][j]);
					}
					__syncthreads();
				}
				const Out *c = start<const Out>(g.c, batch);
				Out *d = start<Out>(g.d, batch);
#pragma unroll
				for (int j = 0; j < TN; j++)
#pragma unroll
					for (int i = 0; i < TM; i++)
						store(g, batch, row0 + place_of<DOWN, pack_size<Acc, TM>>(tx, i), col0 + place_of<ACROSS, pack_size<Acc, TN>>(ty, j), c, d, alpha * sums[i][j], beta);
			}
}

#define GEMM(NAME, IN, OUT, ACC, ACROSS_EACH)                                                                                                      \
	extern "C" __global__ void __launch_bounds__(THREADS) gemm_large_##NAME(gemm_args g) { gemm<IN, OUT, ACC, 4, ACROSS_EACH>(g); } \
	extern "C" __global__ void __launch_bounds__(THREADS) gemm_small_##NAME(gemm_args g) { gemm<IN, OUT, ACC, 2, 1>(g); }
