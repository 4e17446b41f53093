/* Operations on matrices. */
#include "blas.h"

#include "level3.h"

static cublasStatus_t symm(cublasHandle_t handle, const char *type, size_t size, enum shape shape, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m, int64_t n,
                           const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta, void *c, int64_t ldc)
{
	bool left = side == CUBLAS_SIDE_LEFT;

	BEGIN;
	CHECK((unsigned)side <= CUBLAS_SIDE_RIGHT && is_triangle(uplo) && m >= 0 && n >= 0 && alpha != NULL && beta != NULL);
	CHECK(lda >= at_least_one(left ? m : n) && ldb >= at_least_one(m) && ldc >= at_least_one(m));
	struct gemm_args g = {.m = left ? m : n, .n = left ? n : m, .k = left ? m : n, .batches = 1, .a = plain(a, lda), .b = plain(b, ldb), .c = plain(c, ldc)};
	g.a.shape = shape;
	g.a.triangle = triangle_of(uplo);
	if (!left) {
		g.a = transposed(g.a);
		g.b = transposed(g.b);
		g.c = transposed(g.c);
	}
	g.d = g.c;
	g.alpha = scalar_of(handle, alpha, size);
	g.beta = scalar_of(handle, beta, size);
	return product(handle->place, handle->stream, type, &g);
}

#define SYMM(NAME, TYPE, T, SHAPE)                                                                                                             \
	API cublasStatus_t F(NAME)(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, N m, N n, const T *alpha, const T *a, N lda,  \
	                           const T *b, N ldb, const T *beta, T *c, N ldc)                                                                    \
	{                                                                                                                                            \
		return symm(handle, TYPE, sizeof(T), SHAPE, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);                                         \
	}
SYMM(cublasSsymm_v2, "s", float, SYMMETRIC)
SYMM(cublasDsymm_v2, "d", double, SYMMETRIC)
SYMM(cublasCsymm_v2, "c", cuComplex, SYMMETRIC)
SYMM(cublasZsymm_v2, "z", cuDoubleComplex, SYMMETRIC)
SYMM(cublasChemm_v2, "c", cuComplex, HERMITIAN)
SYMM(cublasZhemm_v2, "z", cuDoubleComplex, HERMITIAN)

/* The operation must be none or the transpose, which for a hermitian result is the conjugate transpose. */
static bool is_update(cublasOperation_t op, bool hermitian, int64_t n, int64_t k, int64_t ld)
{
	return (op == CUBLAS_OP_N || (hermitian ? op == CUBLAS_OP_C : op == CUBLAS_OP_T || op == CUBLAS_OP_C)) && ld >= at_least_one(op == CUBLAS_OP_N ? n : k);
}

static cublasStatus_t update(cublasHandle_t handle, const char *type, bool hermitian, bool twice, cublasFillMode_t uplo, cublasOperation_t op, int64_t n, int64_t k,
                             const void *alpha, size_t alpha_size, bool real, const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta, size_t beta_size, void *c,
                             int64_t ldc)
{
	BEGIN;
	CHECK(n >= 0 && k >= 0 && is_update(op, hermitian, n, k, lda) && is_update(op, hermitian, n, k, ldb) && ldc >= at_least_one(n) && alpha != NULL && beta != NULL);
	if (!hermitian && op == CUBLAS_OP_C) {
		CHECK(type[0] == 's' || type[0] == 'd');
		op = CUBLAS_OP_T;
	}
	struct scalar by = scalar_of(handle, alpha, alpha_size), keep = scalar_of(handle, beta, beta_size);
	struct matrix left = operand(op, a, lda), right = operand(op, b, ldb);
	if (twice)
		return rank_2_update(handle, type, hermitian, uplo, n, k, by, left, right, keep, plain(c, ldc));
	return rank_update(handle, type, hermitian, uplo, n, k, by, real, left, right, keep, plain(c, ldc));
}

#define UPDATE cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t op, N n, N k
#define SYRK(NAME, TYPE, T, S, HERM)                                                                                                           \
	API cublasStatus_t F(NAME)(UPDATE, const S *alpha, const T *a, N lda, const S *beta, T *c, N ldc)                                             \
	{                                                                                                                                            \
		return update(handle, TYPE, HERM, false, uplo, op, n, k, alpha, sizeof(S), HERM, a, lda, a, lda, beta, sizeof(S), c, ldc);                  \
	}
#define SYR2K(NAME, TYPE, T, S, HERM, TWICE)                                                                                                   \
	API cublasStatus_t F(NAME)(UPDATE, const T *alpha, const T *a, N lda, const T *b, N ldb, const S *beta, T *c, N ldc)                          \
	{                                                                                                                                            \
		return update(handle, TYPE, HERM, TWICE, uplo, op, n, k, alpha, sizeof(T), false, a, lda, b, ldb, beta, sizeof(S), c, ldc);                 \
	}
#define SYRK_OF(L, TYPE, T)                           \
	SYRK(cublas##L##syrk_v2, TYPE, T, T, false)         \
	SYR2K(cublas##L##syr2k_v2, TYPE, T, T, false, true) \
	SYR2K(cublas##L##syrkx, TYPE, T, T, false, false)
#define HERK_OF(L, TYPE, T, R)                       \
	SYRK(cublas##L##herk_v2, TYPE, T, R, true)         \
	SYR2K(cublas##L##her2k_v2, TYPE, T, R, true, true) \
	SYR2K(cublas##L##herkx, TYPE, T, R, true, false)
SYRK_OF(S, "s", float)
SYRK_OF(D, "d", double)
SYRK_OF(C, "c", cuComplex)
SYRK_OF(Z, "z", cuDoubleComplex)
HERK_OF(C, "c", cuComplex, float)
HERK_OF(Z, "z", cuDoubleComplex, double)

static cublasStatus_t trmm(cublasHandle_t handle, const char *type, size_t size, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int64_t m,
                           int64_t n, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, void *c, int64_t ldc)
{
	BEGIN;
	CHECK(alpha != NULL && lda >= at_least_one(side == CUBLAS_SIDE_LEFT ? m : n) && ldb >= at_least_one(m) && ldc >= at_least_one(m) && (b != c || ldb == ldc));
	return triangular_product(handle, type, side, uplo, op, diag, m, n, scalar_of(handle, alpha, size), plain(a, lda), plain(b, ldb), plain(c, ldc));
}

static cublasStatus_t trsm(cublasHandle_t handle, const char *type, size_t size, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int64_t m,
                           int64_t n, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, int64_t batches, bool arrays)
{
	BEGIN;
	CHECK(alpha != NULL && lda >= at_least_one(side == CUBLAS_SIDE_LEFT ? m : n) && ldb >= at_least_one(m));
	struct matrix left = plain(a, lda), right = plain(b, ldb);
	left.array = right.array = arrays;
	return triangular_system(handle, type, side, uplo, op, diag, m, n, batches, scalar_of(handle, alpha, size), left, right);
}

#define TRIANGLE cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, N m, N n
#define TRMM(L, TYPE, T)                                                                                                                       \
	API cublasStatus_t F(cublas##L##trmm_v2)(TRIANGLE, const T *alpha, const T *a, N lda, const T *b, N ldb, T *c, N ldc)                         \
	{                                                                                                                                            \
		return trmm(handle, TYPE, sizeof(T), side, uplo, op, diag, m, n, alpha, a, lda, b, ldb, c, ldc);                                            \
	}                                                                                                                                            \
	API cublasStatus_t F(cublas##L##trsm_v2)(TRIANGLE, const T *alpha, const T *a, N lda, T *b, N ldb)                                            \
	{                                                                                                                                            \
		return trsm(handle, TYPE, sizeof(T), side, uplo, op, diag, m, n, alpha, a, lda, b, ldb, 1, false);                                          \
	}                                                                                                                                            \
	API cublasStatus_t F(cublas##L##trsmBatched)(TRIANGLE, const T *alpha, const T *const a[], N lda, T *const b[], N ldb, N batches)             \
	{                                                                                                                                            \
		return trsm(handle, TYPE, sizeof(T), side, uplo, op, diag, m, n, alpha, a, lda, b, ldb, batches, true);                                     \
	}
TRMM(S, "s", float)
TRMM(D, "d", double)
TRMM(C, "c", cuComplex)
TRMM(Z, "z", cuDoubleComplex)

static cublasStatus_t elementwise(cublasHandle_t handle, const char *type, struct elementwise_args *e)
{
	struct grid grid = {blocks(e->m, 128, 65535), blocks(e->n, 1, 65535), 1, 128};

	if (e->m == 0 || e->n == 0)
		return CUBLAS_STATUS_SUCCESS;
	return launch(handle->place, handle->stream, LEVEL3, "elementwise", type, grid, e);
}

static cublasStatus_t geam(cublasHandle_t handle, const char *type, size_t size, cublasOperation_t opa, cublasOperation_t opb, int64_t m, int64_t n, const void *alpha, const void *a,
                           int64_t lda, const void *beta, const void *b, int64_t ldb, void *c, int64_t ldc)
{
	BEGIN;
	CHECK(is_operation(opa) && is_operation(opb) && m >= 0 && n >= 0 && alpha != NULL && beta != NULL && ldc >= at_least_one(m));
	struct elementwise_args e = {.m = m, .n = n, .a = operand(opa, a, lda), .b = operand(opb, b, ldb), .c = plain(c, ldc)};
	CHECK((a != c || (opa == CUBLAS_OP_N && lda == ldc)) && (b != c || (opb == CUBLAS_OP_N && ldb == ldc)));
	e.alpha = scalar_of(handle, alpha, size);
	e.beta = scalar_of(handle, beta, size);
	return elementwise(handle, type, &e);
}

static cublasStatus_t dgmm(cublasHandle_t handle, const char *type, size_t size, cublasSideMode_t side, int64_t m, int64_t n, const void *a, int64_t lda, const void *x, int64_t incx,
                           void *c, int64_t ldc)
{
	BEGIN;
	CHECK((unsigned)side <= CUBLAS_SIDE_RIGHT && m >= 0 && n >= 0 && lda >= at_least_one(m) && ldc >= at_least_one(m));
	struct elementwise_args e = {.m = m, .n = n, .a = plain(a, lda), .c = plain(c, ldc), .columns = side == CUBLAS_SIDE_RIGHT};
	e.x = vector_of(x, side == CUBLAS_SIDE_RIGHT ? n : m, incx, size);
	return elementwise(handle, type, &e);
}

#define ELEMENTWISE(L, TYPE, T)                                                                                                                \
	API cublasStatus_t F(cublas##L##geam)(cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, N m, N n, const T *alpha,          \
	                                      const T *a, N lda, const T *beta, const T *b, N ldb, T *c, N ldc)                                      \
	{                                                                                                                                            \
		return geam(handle, TYPE, sizeof(T), opa, opb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                                  \
	}                                                                                                                                            \
	API cublasStatus_t F(cublas##L##dgmm)(cublasHandle_t handle, cublasSideMode_t side, N m, N n, const T *a, N lda, const T *x, N incx, T *c,    \
	                                      N ldc)                                                                                                 \
	{                                                                                                                                            \
		return dgmm(handle, TYPE, sizeof(T), side, m, n, a, lda, x, incx, c, ldc);                                                                  \
	}
ELEMENTWISE(S, "s", float)
ELEMENTWISE(D, "d", double)
ELEMENTWISE(C, "c", cuComplex)
ELEMENTWISE(Z, "z", cuDoubleComplex)
