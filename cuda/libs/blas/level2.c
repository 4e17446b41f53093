/* Matrix-vector operations. A vector is a matrix with one column. */
#include "blas.h"

#include "level3.h"

static cublasStatus_t gemv(cublasHandle_t handle, const char *type, size_t size, cublasOperation_t op, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda,
                           long long stridea, const void *x, int64_t incx, long long stridex, const void *beta, const void *y, int64_t incy, long long stridey, int64_t batches,
                           bool arrays)
{
	BEGIN;
	CHECK(is_operation(op) && m >= 0 && n >= 0 && lda >= at_least_one(m) && incx != 0 && incy != 0 && batches >= 0 && alpha != NULL && beta != NULL);
	if (m == 0 || n == 0)
		return CUBLAS_STATUS_SUCCESS;
	struct gemm_args g = {.batches = batches, .a = operand(op, a, lda), .n = 1};
	bool same = op == CUBLAS_OP_N || op == CUBLAS_OP_CONJG;
	g.m = same ? m : n;
	g.k = same ? n : m;
	g.b = column(x, g.k, incx);
	g.c = column(y, g.m, incy);
	g.alpha = scalar_of(handle, alpha, size);
	g.beta = scalar_of(handle, beta, size);
	g.a.batch = stridea;
	g.b.batch = stridex;
	g.c.batch = stridey;
	g.a.array = g.b.array = g.c.array = arrays;
	g.d = g.c;
	return product(handle->place, handle->stream, type, &g);
}

#define GEMV(L, TYPE, T)                                                                                                                        \
	API cublasStatus_t F(cublas##L##gemv_v2)(cublasHandle_t handle, cublasOperation_t op, N m, N n, const T *alpha, const T *a, N lda, const T *x, \
	                                         N incx, const T *beta, T *y, N incy)                                                                  \
	{                                                                                                                                             \
		return gemv(handle, TYPE, sizeof(T), op, m, n, alpha, a, lda, 0, x, incx, 0, beta, y, incy, 0, 1, false);                                    \
	}                                                                                                                                             \
	API cublasStatus_t F(cublas##L##gemvBatched)(cublasHandle_t handle, cublasOperation_t op, N m, N n, const T *alpha, const T *const a[], N lda, \
	                                             const T *const x[], N incx, const T *beta, T *const y[], N incy, N batches)                       \
	{                                                                                                                                             \
		return gemv(handle, TYPE, sizeof(T), op, m, n, alpha, a, lda, 0, x, incx, 0, beta, y, incy, 0, batches, true);                               \
	}                                                                                                                                             \
	API cublasStatus_t F(cublas##L##gemvStridedBatched)(cublasHandle_t handle, cublasOperation_t op, N m, N n, const T *alpha, const T *a, N lda,  \
	                                                    long long stridea, const T *x, N incx, long long stridex, const T *beta, T *y, N incy,    \
	                                                    long long stridey, N batches)                                                             \
	{                                                                                                                                             \
		return gemv(handle, TYPE, sizeof(T), op, m, n, alpha, a, lda, stridea, x, incx, stridex, beta, y, incy, stridey, batches, false);            \
	}
GEMV(S, "s", float)
GEMV(D, "d", double)
GEMV(C, "c", cuComplex)
GEMV(Z, "z", cuDoubleComplex)

/* a += alpha x y^T, or y^H. */
static cublasStatus_t ger(cublasHandle_t handle, const char *type, size_t size, bool conjugate, int64_t m, int64_t n, const void *alpha, const void *x, int64_t incx, const void *y,
                          int64_t incy, void *a, int64_t lda)
{
	BEGIN;
	CHECK(m >= 0 && n >= 0 && incx != 0 && incy != 0 && lda >= at_least_one(m) && alpha != NULL);
	struct gemm_args g = {.m = m, .n = n, .k = 1, .batches = 1, .a = column(x, m, incx), .b = transposed(column(y, n, incy)), .c = plain(a, lda)};
	g.alpha = scalar_of(handle, alpha, size);
	g.beta = one(type);
	g.b.conj = conjugate;
	g.d = g.c;
	return product(handle->place, handle->stream, type, &g);
}

#define GER(NAME, TYPE, T, CONJ)                                                                                                                \
	API cublasStatus_t F(NAME)(cublasHandle_t handle, N m, N n, const T *alpha, const T *x, N incx, const T *y, N incy, T *a, N lda)               \
	{                                                                                                                                             \
		return ger(handle, TYPE, sizeof(T), CONJ, m, n, alpha, x, incx, y, incy, a, lda);                                                            \
	}
GER(cublasSger_v2, "s", float, false)
GER(cublasDger_v2, "d", double, false)
GER(cublasCgeru_v2, "c", cuComplex, false)
GER(cublasCgerc_v2, "c", cuComplex, true)
GER(cublasZgeru_v2, "z", cuDoubleComplex, false)
GER(cublasZgerc_v2, "z", cuDoubleComplex, true)

static cublasStatus_t symv(cublasHandle_t handle, const char *type, size_t size, enum shape shape, cublasFillMode_t uplo, int64_t n, const void *alpha, const void *a, int64_t lda,
                           const void *x, int64_t incx, const void *beta, void *y, int64_t incy)
{
	BEGIN;
	CHECK(is_triangle(uplo) && n >= 0 && lda >= at_least_one(n) && incx != 0 && incy != 0 && alpha != NULL && beta != NULL);
	struct gemm_args g = {.m = n, .n = 1, .k = n, .batches = 1, .a = plain(a, lda), .b = column(x, n, incx), .c = column(y, n, incy)};
	g.alpha = scalar_of(handle, alpha, size);
	g.beta = scalar_of(handle, beta, size);
	g.a.shape = shape;
	g.a.triangle = triangle_of(uplo);
	g.d = g.c;
	return product(handle->place, handle->stream, type, &g);
}

#define SYMV(NAME, TYPE, T, SHAPE)                                                                                                              \
	API cublasStatus_t F(NAME)(cublasHandle_t handle, cublasFillMode_t uplo, N n, const T *alpha, const T *a, N lda, const T *x, N incx,           \
	                           const T *beta, T *y, N incy)                                                                                       \
	{                                                                                                                                             \
		return symv(handle, TYPE, sizeof(T), SHAPE, uplo, n, alpha, a, lda, x, incx, beta, y, incy);                                                 \
	}
SYMV(cublasSsymv_v2, "s", float, SYMMETRIC)
SYMV(cublasDsymv_v2, "d", double, SYMMETRIC)
SYMV(cublasCsymv_v2, "c", cuComplex, SYMMETRIC)
SYMV(cublasZsymv_v2, "z", cuDoubleComplex, SYMMETRIC)
SYMV(cublasChemv_v2, "c", cuComplex, HERMITIAN)
SYMV(cublasZhemv_v2, "z", cuDoubleComplex, HERMITIAN)

/* Updates of a triangle by vectors are updates by matrices with one column. */
#define SYR(NAME, TYPE, T, S, HERM)                                                                                                             \
	API cublasStatus_t F(NAME)(cublasHandle_t handle, cublasFillMode_t uplo, N n, const S *alpha, const T *x, N incx, T *a, N lda)                 \
	{                                                                                                                                             \
		BEGIN;                                                                                                                                       \
		CHECK(n >= 0 && incx != 0 && lda >= at_least_one(n) && alpha != NULL);                                                                       \
		return rank_update(handle, TYPE, HERM, uplo, n, 1, scalar_of(handle, alpha, sizeof *alpha), HERM, column(x, n, incx), column(x, n, incx),     \
		                   one(TYPE), plain(a, lda));                                                                                               \
	}
SYR(cublasSsyr_v2, "s", float, float, false)
SYR(cublasDsyr_v2, "d", double, double, false)
SYR(cublasCsyr_v2, "c", cuComplex, cuComplex, false)
SYR(cublasZsyr_v2, "z", cuDoubleComplex, cuDoubleComplex, false)
SYR(cublasCher_v2, "c", cuComplex, float, true)
SYR(cublasZher_v2, "z", cuDoubleComplex, double, true)

#define SYR2(NAME, TYPE, T, HERM)                                                                                                               \
	API cublasStatus_t F(NAME)(cublasHandle_t handle, cublasFillMode_t uplo, N n, const T *alpha, const T *x, N incx, const T *y, N incy, T *a,    \
	                           N lda)                                                                                                             \
	{                                                                                                                                             \
		BEGIN;                                                                                                                                       \
		CHECK(n >= 0 && incx != 0 && incy != 0 && lda >= at_least_one(n) && alpha != NULL);                                                          \
		return rank_2_update(handle, TYPE, HERM, uplo, n, 1, scalar_of(handle, alpha, sizeof *alpha), column(x, n, incx), column(y, n, incy),         \
		                     one(TYPE), plain(a, lda));                                                                                             \
	}
SYR2(cublasSsyr2_v2, "s", float, false)
SYR2(cublasDsyr2_v2, "d", double, false)
SYR2(cublasCsyr2_v2, "c", cuComplex, false)
SYR2(cublasZsyr2_v2, "z", cuDoubleComplex, false)
SYR2(cublasCher2_v2, "c", cuComplex, true)
SYR2(cublasZher2_v2, "z", cuDoubleComplex, true)

#define TRIANGULAR_VECTOR(L, TYPE, T)                                                                                                           \
	API cublasStatus_t F(cublas##L##trmv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, N n,       \
	                                         const T *a, N lda, T *x, N incx)                                                                     \
	{                                                                                                                                             \
		BEGIN;                                                                                                                                       \
		CHECK(n >= 0 && lda >= at_least_one(n) && incx != 0);                                                                                        \
		return triangular_product(handle, TYPE, CUBLAS_SIDE_LEFT, uplo, op, diag, n, 1, one(TYPE), plain(a, lda), column(x, n, incx),                 \
		                          column(x, n, incx));                                                                                              \
	}                                                                                                                                             \
	API cublasStatus_t F(cublas##L##trsv_v2)(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, N n,       \
	                                         const T *a, N lda, T *x, N incx)                                                                     \
	{                                                                                                                                             \
		BEGIN;                                                                                                                                       \
		CHECK(n >= 0 && lda >= at_least_one(n) && incx != 0);                                                                                        \
		return triangular_system(handle, TYPE, CUBLAS_SIDE_LEFT, uplo, op, diag, n, 1, 1, one(TYPE), plain(a, lda), column(x, n, incx));              \
	}
TRIANGULAR_VECTOR(S, "s", float)
TRIANGULAR_VECTOR(D, "d", double)
TRIANGULAR_VECTOR(C, "c", cuComplex)
TRIANGULAR_VECTOR(Z, "z", cuDoubleComplex)
