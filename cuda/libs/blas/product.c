/* Selection of the kernel for a product. */
#include "blas.h"

/* with_vector computes a product with one column. */
static cublasStatus_t with_vector(struct place *place, CUstream stream, const char *type, struct gemm_args *g)
{
	enum { THREADS = 128, WARP = 32 };
	bool warps = g->a.col == 1 && g->a.shape == GENERAL;
	struct grid grid = {blocks(g->m, warps ? THREADS / WARP : THREADS, 65535), 1, blocks(g->batches, 1, 65535), THREADS};

	return launch(place, stream, LEVEL2, warps ? "gemv_warps" : "gemv_rows", type, grid, g);
}

static bool has_column(const struct gemm_args *g, const char *type)
{
	return g->n == 1 && !g->b.conj && g->triangle == WHOLE && !g->in_place && g->activation == NONE &&
	       (g->a.shape == GENERAL || g->a.shape == SYMMETRIC || g->a.shape == HERMITIAN) && strcmp(type, "h") != 0 && type[0] != 'i';
}

/* elements returns the number of elements in tiles that cover a matrix. */
static int64_t elements(int64_t m, int64_t n, int64_t down, int64_t across) { return (m + down - 1) / down * down * ((n + across - 1) / across * across); }

cublasStatus_t product(struct place *place, CUstream stream, const char *type, const struct gemm_args *args)
{
	enum { THREADS = 128, DOWN = 32, SMALL = 16 }; /* of tiles */
	struct gemm_args g = *args;
	int across = type[0] == 'c' || type[0] == 'z' ? 32 : 64;

	if (g.m == 0 || g.n == 0 || g.batches == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (has_column(&g, type))
		return with_vector(place, stream, type, &g);
	struct gemm_args t = g; /* a row is a column of the transposed product */
	t.m = g.n;
	t.n = g.m;
	t.a = transposed(g.b);
	t.b = transposed(g.a);
	t.c = transposed(g.c);
	t.d = transposed(g.d);
	if (g.a.shape == GENERAL && has_column(&t, type))
		return with_vector(place, stream, type, &t);
	/* An element takes about twice as many instructions in a small tile. */
	bool large = elements(g.m, g.n, DOWN, across) <= 2 * elements(g.m, g.n, SMALL, SMALL);
	int down = large ? DOWN : SMALL;
	if (!large)
		across = SMALL;
	struct grid grid = {g.in_place ? 1 : blocks(g.m, down, INT32_MAX), blocks(g.n, across, 65535), blocks(g.batches, 1, 65535), THREADS};
	bool same = type[1] == 0 && type[0] != 'h';
	return launch(place, stream, same ? GEMM : GEMM_SHORT, large ? "gemm_large" : "gemm_small", type, grid, &g);
}

const char *kernels_for(cudaDataType a, cudaDataType b, cudaDataType c, int compute, size_t *size)
{
	enum { HALF = 1, SINGLE, DOUBLE, INTEGER, COMPLEX_SINGLE, COMPLEX_DOUBLE };
	static const struct {
		int in, out, compute;
		const char *type;
	} kernels[] = {
		{CUDA_R_32F, CUDA_R_32F, SINGLE, "s"},          {CUDA_R_64F, CUDA_R_64F, DOUBLE, "d"},          {CUDA_C_32F, CUDA_C_32F, COMPLEX_SINGLE, "c"},
		{CUDA_C_64F, CUDA_C_64F, COMPLEX_DOUBLE, "z"},  {CUDA_R_16F, CUDA_R_16F, HALF, "h"},            {CUDA_R_16F, CUDA_R_16F, SINGLE, "hh"},
		{CUDA_R_16F, CUDA_R_32F, SINGLE, "hs"},         {CUDA_R_16BF, CUDA_R_16BF, SINGLE, "bb"},       {CUDA_R_16BF, CUDA_R_32F, SINGLE, "bs"},
		{CUDA_R_8I, CUDA_R_32I, INTEGER, "ii"},         {CUDA_R_8I, CUDA_R_32F, SINGLE, "is"},
	};
	static const size_t sizes[] = {0, 2, 4, 8, 4, 8, 16};
	bool is_complex = c == CUDA_C_32F || c == CUDA_C_64F;
	int with = 0;

	switch (compute) {
	case CUBLAS_COMPUTE_16F:
	case CUBLAS_COMPUTE_16F_PEDANTIC:
	case CUDA_R_16F:
		with = HALF;
		break;
	case CUBLAS_COMPUTE_32F:
	case CUBLAS_COMPUTE_32F_PEDANTIC:
	case CUBLAS_COMPUTE_32F_FAST_16F:
	case CUBLAS_COMPUTE_32F_FAST_16BF:
	case CUBLAS_COMPUTE_32F_FAST_TF32:
	case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
	case CUDA_R_32F:
	case CUDA_C_32F:
		with = is_complex ? COMPLEX_SINGLE : SINGLE;
		break;
	case CUBLAS_COMPUTE_64F:
	case CUBLAS_COMPUTE_64F_PEDANTIC:
	case CUDA_R_64F:
	case CUDA_C_64F:
		with = is_complex ? COMPLEX_DOUBLE : DOUBLE;
		break;
	case CUBLAS_COMPUTE_32I:
	case CUBLAS_COMPUTE_32I_PEDANTIC:
	case CUDA_R_32I:
		with = INTEGER;
		break;
	}
	*size = sizes[with];
	for (size_t i = 0; a == b && i < sizeof kernels / sizeof kernels[0]; i++)
		if (kernels[i].in == (int)a && kernels[i].out == (int)c && kernels[i].compute == with)
			return kernels[i].type;
	return NULL;
}
