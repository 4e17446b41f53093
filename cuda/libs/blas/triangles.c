/* Products and systems of symmetric, hermitian and triangular matrices. */
#include "level3.h"

static struct scalar number_of(const char *type, double x)
{
	struct scalar s = {0};
	float single = (float)x;

	if (type[0] == 'd' || type[0] == 'z')
		s.value[0] = x;
	else
		memcpy(s.value, &single, sizeof single);
	return s;
}

struct scalar one(const char *type) { return number_of(type, 1); }
struct scalar minus_one(const char *type) { return number_of(type, -1); }

bool is_triangle(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER; }
enum triangle triangle_of(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER ? LOWER : UPPER; }

cublasStatus_t rank_update(cublasHandle_t handle, const char *type, bool hermitian, cublasFillMode_t uplo, int64_t n, int64_t k, struct scalar alpha, bool real, struct matrix a,
                           struct matrix b, struct scalar beta, struct matrix c)
{
	struct gemm_args g = {.m = n, .n = n, .k = k, .batches = 1, .a = a, .b = transposed(b), .c = c, .d = c, .alpha = alpha, .beta = beta, .triangle = triangle_of(uplo)};

	CHECK(is_triangle(uplo) && n >= 0 && k >= 0);
	g.b.conj = b.conj != hermitian;
	g.alpha.real = real;
	g.beta.real = hermitian;
	g.real_diagonal = hermitian;
	return product(handle->place, handle->stream, type, &g);
}

cublasStatus_t rank_2_update(cublasHandle_t handle, const char *type, bool hermitian, cublasFillMode_t uplo, int64_t n, int64_t k, struct scalar alpha, struct matrix a,
                             struct matrix b, struct scalar beta, struct matrix c)
{
	TRY(rank_update(handle, type, hermitian, uplo, n, k, alpha, false, a, b, beta, c));
	alpha.conj = hermitian;
	return rank_update(handle, type, hermitian, uplo, n, k, alpha, false, b, a, one(type), c);
}

/* triangular describes op(a), transposed if it is on the right. */
static struct matrix triangular(struct matrix a, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag)
{
	a.triangle = triangle_of(uplo);
	if ((op == CUBLAS_OP_T || op == CUBLAS_OP_C) != (side == CUBLAS_SIDE_RIGHT))
		a = transposed(a);
	a.shape = diag == CUBLAS_DIAG_UNIT ? UNIT_TRIANGULAR : TRIANGULAR;
	a.conj = op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG;
	return a;
}

static bool is_triangular(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag)
{
	return (unsigned)side <= CUBLAS_SIDE_RIGHT && is_triangle(uplo) && is_operation(op) && (unsigned)diag <= CUBLAS_DIAG_UNIT;
}

cublasStatus_t triangular_product(cublasHandle_t handle, const char *type, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int64_t m,
                                  int64_t n, struct scalar alpha, struct matrix a, struct matrix b, struct matrix c)
{
	bool left = side == CUBLAS_SIDE_LEFT;

	CHECK(is_triangular(side, uplo, op, diag) && m >= 0 && n >= 0);
	struct gemm_args g = {.m = left ? m : n, .n = left ? n : m, .k = left ? m : n, .batches = 1, .a = triangular(a, side, uplo, op, diag), .alpha = alpha};
	g.b = left ? b : transposed(b);
	g.c = g.d = left ? c : transposed(c);
	/* A row depends on those before it, or after it, so these must not be overwritten first. */
	if (b.at == c.at)
		g.in_place = g.a.triangle == LOWER ? -1 : 1;
	return product(handle->place, handle->stream, type, &g);
}

/* backwards describes a matrix with its rows in reverse order. */
static struct matrix backwards(struct matrix x, int64_t rows)
{
	x = part(x, rows - 1, 0);
	x.row = -x.row;
	return x;
}

cublasStatus_t triangular_system(cublasHandle_t handle, const char *type, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int64_t m,
                                 int64_t n, int64_t batches, struct scalar alpha, struct matrix a, struct matrix b)
{
	enum { SIZE = 32 }; /* of the systems that a kernel solves */

	CHECK(is_triangular(side, uplo, op, diag) && m >= 0 && n >= 0 && batches >= 0);
	if (m == 0 || n == 0 || batches == 0)
		return CUBLAS_STATUS_SUCCESS;
	a = triangular(a, side, uplo, op, diag);
	if (side == CUBLAS_SIDE_RIGHT) {
		int64_t rows = m;

		b = transposed(b);
		m = n;
		n = rows;
	}
	if (a.triangle == UPPER) { /* in reverse order it is a lower triangle */
		a = transposed(backwards(transposed(backwards(a, m)), m));
		a.triangle = LOWER;
		b = backwards(b, m);
	}
	struct matrix general = a;
	general.shape = GENERAL;
	general.triangle = WHOLE;
	for (int64_t i = 0; i < m; i += SIZE) {
		int64_t size = m - i < SIZE ? m - i : SIZE, left = m - i - size;
		struct gemm_args g = {.m = size, .n = n, .batches = batches, .a = part(a, i, i), .d = part(b, i, 0), .alpha = alpha};
		struct grid grid = {blocks(n, SIZE, 65535), 1, blocks(batches, 1, 65535), SIZE};

		TRY(launch(handle->place, handle->stream, LEVEL3, "solve", type, grid, &g));
		if (left == 0)
			break;
		struct gemm_args rest = {.m = left, .n = n, .k = size, .batches = batches, .a = part(general, i + size, i), .b = g.d, .c = part(b, i + size, 0),
		                         .alpha = minus_one(type), .beta = alpha};
		rest.d = rest.c;
		TRY(product(handle->place, handle->stream, type, &rest));
		alpha = one(type);
	}
	return CUBLAS_STATUS_SUCCESS;
}
