/* LAPACK's functions for batches of matrices, given by arrays of addresses. */
#include "blas.h"

#include "level3.h"

static struct matrix array_of(const void *at, int64_t ld)
{
	struct matrix m = plain(at, ld);

	m.array = 1;
	return m;
}

static cublasStatus_t on_batch(cublasHandle_t handle, const char *name, const char *type, struct lapack_args *g)
{
	if (g->n == 0 || g->batches == 0)
		return CUBLAS_STATUS_SUCCESS;
	return launch(handle->place, handle->stream, LAPACK, name, type, (struct grid){blocks(g->batches, 1, INT32_MAX), 1, 1, 128}, g);
}

static cublasStatus_t getrf(cublasHandle_t handle, const char *type, int n, const void *a, int lda, int *p, int *info, int batches)
{
	BEGIN;
	CHECK(n >= 0 && batches >= 0 && lda >= at_least_one(n));
	struct lapack_args g = {.n = n, .batches = batches, .a = array_of(a, lda), .pivots = p, .info = info};
	return on_batch(handle, "getrf", type, &g);
}

/* solve solves with one of the factors of a, for the right side b. */
static cublasStatus_t solve(cublasHandle_t handle, const char *type, cublasFillMode_t uplo, cublasOperation_t op, int n, int nrhs, const void *a, int lda, const void *b, int ldb, int batches)
{
	return triangular_system(handle, type, CUBLAS_SIDE_LEFT, uplo, op, uplo == CUBLAS_FILL_MODE_LOWER ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, n, nrhs, batches, one(type),
	                         array_of(a, lda), array_of(b, ldb));
}

static cublasStatus_t getrs(cublasHandle_t handle, const char *type, cublasOperation_t op, int n, int nrhs, const void *a, int lda, const int *p, const void *b, int ldb, int *info,
                            int batches)
{
	BEGIN;
	CHECK(info != NULL);
	*info = !is_operation(op) ? -1 : n < 0 ? -2 : nrhs < 0 ? -3 : lda < at_least_one(n) ? -5 : ldb < at_least_one(n) ? -8 : batches < 0 ? -10 : 0;
	CHECK(*info == 0);
	struct lapack_args g = {.m = n, .n = nrhs, .batches = batches, .b = array_of(b, ldb), .pivots = (int *)p, .backwards = op != CUBLAS_OP_N};
	if (op == CUBLAS_OP_N) {
		TRY(on_batch(handle, "laswp", type, &g));
		TRY(solve(handle, type, CUBLAS_FILL_MODE_LOWER, op, n, nrhs, a, lda, b, ldb, batches));
		return solve(handle, type, CUBLAS_FILL_MODE_UPPER, op, n, nrhs, a, lda, b, ldb, batches);
	}
	TRY(solve(handle, type, CUBLAS_FILL_MODE_UPPER, op, n, nrhs, a, lda, b, ldb, batches));
	TRY(solve(handle, type, CUBLAS_FILL_MODE_LOWER, op, n, nrhs, a, lda, b, ldb, batches));
	return on_batch(handle, "laswp", type, &g);
}

static cublasStatus_t getri(cublasHandle_t handle, const char *type, int n, const void *a, int lda, const int *p, const void *c, int ldc, int *info, int batches)
{
	BEGIN;
	CHECK(n >= 0 && batches >= 0 && lda >= at_least_one(n) && ldc >= at_least_one(n));
	struct lapack_args g = {.m = n, .n = n, .batches = batches, .a = array_of(a, lda), .b = array_of(c, ldc), .pivots = (int *)p, .info = info};
	TRY(on_batch(handle, "identity", type, &g));
	TRY(solve(handle, type, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, a, lda, c, ldc, batches));
	return solve(handle, type, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, n, n, a, lda, c, ldc, batches);
}

static cublasStatus_t matinv(cublasHandle_t handle, const char *type, int n, const void *a, int lda, const void *inverse, int ldi, int *info, int batches)
{
	enum { MOST = 32 };

	BEGIN;
	CHECK(n >= 0 && n <= MOST && batches >= 0 && lda >= at_least_one(n) && ldi >= at_least_one(n));
	struct lapack_args g = {.n = n, .batches = batches, .a = array_of(a, lda), .b = array_of(inverse, ldi), .info = info};
	return on_batch(handle, "matinv", type, &g);
}

static cublasStatus_t geqrf(cublasHandle_t handle, const char *type, int m, int n, const void *a, int lda, const void *tau, int *info, int batches)
{
	BEGIN;
	CHECK(info != NULL);
	*info = m < 0 ? -1 : n < 0 ? -2 : lda < at_least_one(m) ? -4 : batches < 0 ? -7 : 0;
	CHECK(*info == 0);
	struct lapack_args g = {.m = m, .n = n, .batches = batches, .a = array_of(a, lda), .tau = (void *)(uintptr_t)tau};
	return on_batch(handle, "geqrf", type, &g);
}

static cublasStatus_t pack(cublasHandle_t handle, const char *name, const char *type, cublasFillMode_t uplo, int n, const void *a, int lda, const void *ap)
{
	BEGIN;
	CHECK(is_triangle(uplo) && n >= 0 && lda >= at_least_one(n));
	struct lapack_args g = {.n = n, .batches = n, .a = plain(a, lda), .b = plain(ap, 1)}; /* one block per column */
	g.a.triangle = triangle_of(uplo);
	return on_batch(handle, name, type, &g);
}

#define LAPACK_OF(L, TYPE, T)                                                                                                                          \
	API cublasStatus_t cublas##L##getrfBatched(cublasHandle_t handle, int n, T *const a[], int lda, int *p, int *info, int batches)                      \
	{                                                                                                                                                    \
		return getrf(handle, TYPE, n, a, lda, p, info, batches);                                                                                           \
	}                                                                                                                                                    \
	API cublasStatus_t cublas##L##getriBatched(cublasHandle_t handle, int n, const T *const a[], int lda, const int *p, T *const c[], int ldc, int *info, \
	                                           int batches)                                                                                              \
	{                                                                                                                                                    \
		return getri(handle, TYPE, n, a, lda, p, c, ldc, info, batches);                                                                                   \
	}                                                                                                                                                    \
	API cublasStatus_t cublas##L##getrsBatched(cublasHandle_t handle, cublasOperation_t op, int n, int nrhs, const T *const a[], int lda, const int *p,  \
	                                           T *const b[], int ldb, int *info, int batches)                                                            \
	{                                                                                                                                                    \
		return getrs(handle, TYPE, op, n, nrhs, a, lda, p, b, ldb, info, batches);                                                                         \
	}                                                                                                                                                    \
	API cublasStatus_t cublas##L##matinvBatched(cublasHandle_t handle, int n, const T *const a[], int lda, T *const inverse[], int ldi, int *info,       \
	                                            int batches)                                                                                             \
	{                                                                                                                                                    \
		return matinv(handle, TYPE, n, a, lda, inverse, ldi, info, batches);                                                                               \
	}                                                                                                                                                    \
	API cublasStatus_t cublas##L##geqrfBatched(cublasHandle_t handle, int m, int n, T *const a[], int lda, T *const tau[], int *info, int batches)       \
	{                                                                                                                                                    \
		return geqrf(handle, TYPE, m, n, a, lda, tau, info, batches);                                                                                      \
	}                                                                                                                                                    \
	API cublasStatus_t cublas##L##tpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *ap, T *a, int lda)                                 \
	{                                                                                                                                                    \
		return pack(handle, "tpttr", TYPE, uplo, n, a, lda, ap);                                                                                           \
	}                                                                                                                                                    \
	API cublasStatus_t cublas##L##trttp(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T *a, int lda, T *ap)                                 \
	{                                                                                                                                                    \
		return pack(handle, "trttp", TYPE, uplo, n, a, lda, ap);                                                                                           \
	}
LAPACK_OF(S, "s", float)
LAPACK_OF(D, "d", double)
LAPACK_OF(C, "c", cuComplex)
LAPACK_OF(Z, "z", cuDoubleComplex)
