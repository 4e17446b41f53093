/* Products of general matrices. */
#include "blas.h"

/* A family of matrices: one, or several at distances of stride, or given by an array of addresses. */
struct batch {
	const void *at;
	int64_t ld;
	long long stride;
};

static cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha, struct batch a,
                           struct batch b, const void *beta, struct batch c, int64_t batches, bool arrays, const char *type, size_t size)
{
	struct gemm_args g = {.m = m, .n = n, .k = k, .batches = batches, .a = operand(transa, a.at, a.ld), .b = operand(transb, b.at, b.ld), .c = plain(c.at, c.ld)};

	BEGIN;
	CHECK(is_operation(transa) && is_operation(transb) && m >= 0 && n >= 0 && k >= 0 && batches >= 0);
	CHECK(a.ld >= at_least_one(transa == CUBLAS_OP_N || transa == CUBLAS_OP_CONJG ? m : k) && b.ld >= at_least_one(transb == CUBLAS_OP_N || transb == CUBLAS_OP_CONJG ? k : n) && c.ld >= at_least_one(m));
	CHECK(alpha != NULL && beta != NULL);
	g.alpha = scalar_of(handle, alpha, size);
	g.beta = scalar_of(handle, beta, size);
	g.a.batch = a.stride;
	g.b.batch = b.stride;
	g.c.batch = c.stride;
	g.a.array = g.b.array = g.c.array = arrays;
	g.d = g.c;
	return product(handle->place, handle->stream, type, &g);
}

static cublasStatus_t gemm_ex(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, const void *alpha,
                              struct batch a, cudaDataType atype, struct batch b, cudaDataType btype, const void *beta, struct batch c, cudaDataType ctype,
                              int64_t batches, bool arrays, int compute)
{
	size_t size;
	const char *type = kernels_for(atype, btype, ctype, compute, &size);

	BEGIN;
	if (type == NULL)
		return not_supported("this combination of types in cublasGemmEx");
	return gemm(handle, transa, transb, m, n, k, alpha, a, b, beta, c, batches, arrays, type, size);
}

#define ONE(X) ((struct batch){X, ld##X, 0})
#define STRIDED(X) ((struct batch){X, ld##X, stride##X})
#define OPERATIONS cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, N m, N n, N k
#define GIVEN handle, transa, transb, m, n, k

#define GEMM_OF(T, TYPE, NAME, BATCHED, STRIDED_BATCHED)                                                                                        \
	API cublasStatus_t F(NAME)(OPERATIONS, const T *alpha, const T *a, N lda, const T *b, N ldb, const T *beta, T *c, N ldc)                      \
	{                                                                                                                                             \
		return gemm(GIVEN, alpha, ONE(a), ONE(b), beta, ONE(c), 1, false, TYPE, sizeof(T));                                                         \
	}                                                                                                                                             \
	API cublasStatus_t F(BATCHED)(OPERATIONS, const T *alpha, const T *const a[], N lda, const T *const b[], N ldb, const T *beta, T *const c[],  \
	                              N ldc, N batches)                                                                                               \
	{                                                                                                                                             \
		return gemm(GIVEN, alpha, ONE(a), ONE(b), beta, ONE(c), batches, true, TYPE, sizeof(T));                                                    \
	}                                                                                                                                             \
	API cublasStatus_t F(STRIDED_BATCHED)(OPERATIONS, const T *alpha, const T *a, N lda, long long stridea, const T *b, N ldb, long long strideb, \
	                                      const T *beta, T *c, N ldc, long long stridec, N batches)                                               \
	{                                                                                                                                             \
		return gemm(GIVEN, alpha, STRIDED(a), STRIDED(b), beta, STRIDED(c), batches, false, TYPE, sizeof(T));                                       \
	}
GEMM_OF(float, "s", cublasSgemm_v2, cublasSgemmBatched, cublasSgemmStridedBatched)
GEMM_OF(double, "d", cublasDgemm_v2, cublasDgemmBatched, cublasDgemmStridedBatched)
GEMM_OF(cuComplex, "c", cublasCgemm_v2, cublasCgemmBatched, cublasCgemmStridedBatched)
GEMM_OF(cuDoubleComplex, "z", cublasZgemm_v2, cublasZgemmBatched, cublasZgemmStridedBatched)
#define __half simtrun_cublas_half
GEMM_OF(__half, "h", cublasHgemm, cublasHgemmBatched, cublasHgemmStridedBatched)

/* cuBLAS may use three real products here. This uses four, with the same result. */
#define GEMM3M(NAME, T, TYPE)                                                                                                            \
	API cublasStatus_t F(NAME)(OPERATIONS, const T *alpha, const T *a, N lda, const T *b, N ldb, const T *beta, T *c, N ldc)               \
	{                                                                                                                                      \
		return gemm(GIVEN, alpha, ONE(a), ONE(b), beta, ONE(c), 1, false, TYPE, sizeof(T));                                                  \
	}
GEMM3M(cublasCgemm3m, cuComplex, "c")
GEMM3M(cublasZgemm3m, cuDoubleComplex, "z")

API cublasStatus_t F(cublasSgemmEx)(OPERATIONS, const float *alpha, const void *a, cudaDataType atype, N lda, const void *b, cudaDataType btype, N ldb,
                                    const float *beta, void *c, cudaDataType ctype, N ldc)
{
	return gemm_ex(GIVEN, alpha, ONE(a), atype, ONE(b), btype, beta, ONE(c), ctype, 1, false, CUBLAS_COMPUTE_32F);
}

API cublasStatus_t F(cublasCgemmEx)(OPERATIONS, const cuComplex *alpha, const void *a, cudaDataType atype, N lda, const void *b, cudaDataType btype, N ldb,
                                    const cuComplex *beta, void *c, cudaDataType ctype, N ldc)
{
	return gemm_ex(GIVEN, alpha, ONE(a), atype, ONE(b), btype, beta, ONE(c), ctype, 1, false, CUBLAS_COMPUTE_32F);
}

API cublasStatus_t F(cublasGemmEx)(OPERATIONS, const void *alpha, const void *a, cudaDataType atype, N lda, const void *b, cudaDataType btype, N ldb,
                                   const void *beta, void *c, cudaDataType ctype, N ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
	(void)algo;
	return gemm_ex(GIVEN, alpha, ONE(a), atype, ONE(b), btype, beta, ONE(c), ctype, 1, false, compute);
}

API cublasStatus_t F(cublasGemmBatchedEx)(OPERATIONS, const void *alpha, const void *const a[], cudaDataType atype, N lda, const void *const b[],
                                          cudaDataType btype, N ldb, const void *beta, void *const c[], cudaDataType ctype, N ldc, N batches,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
	(void)algo;
	return gemm_ex(GIVEN, alpha, ONE(a), atype, ONE(b), btype, beta, ONE(c), ctype, batches, true, compute);
}

API cublasStatus_t F(cublasGemmStridedBatchedEx)(OPERATIONS, const void *alpha, const void *a, cudaDataType atype, N lda, long long stridea, const void *b,
                                                 cudaDataType btype, N ldb, long long strideb, const void *beta, void *c, cudaDataType ctype, N ldc,
                                                 long long stridec, N batches, cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
	(void)algo;
	return gemm_ex(GIVEN, alpha, STRIDED(a), atype, STRIDED(b), btype, beta, STRIDED(c), ctype, batches, false, compute);
}

/* Groups of products: each has its own sizes and scalars, and its matrices follow those of the previous group in
   the arrays of addresses. */
static cublasStatus_t grouped(cublasHandle_t handle, const cublasOperation_t transa[], const cublasOperation_t transb[], const N m[], const N n[], const N k[], const void *alpha,
                              const void *const a[], cudaDataType atype, const N lda[], const void *const b[], cudaDataType btype, const N ldb[], const void *beta, void *const c[],
                              cudaDataType ctype, const N ldc[], N groups, const N sizes[], int compute)
{
	size_t size;

	BEGIN;
	CHECK(groups >= 0);
	if (kernels_for(atype, btype, ctype, compute, &size) == NULL)
		return not_supported("this combination of types in cublasGemmGroupedBatchedEx");
	for (N i = 0; i < groups; i++) {
		TRY(gemm_ex(handle, transa[i], transb[i], m[i], n[i], k[i], (const char *)alpha + i * size, (struct batch){a, lda[i], 0}, atype, (struct batch){b, ldb[i], 0}, btype,
		            (const char *)beta + i * size, (struct batch){c, ldc[i], 0}, ctype, sizes[i], true, compute));
		a += sizes[i];
		b += sizes[i];
		c += sizes[i];
	}
	return CUBLAS_STATUS_SUCCESS;
}

#define GROUPS cublasHandle_t handle, const cublasOperation_t transa[], const cublasOperation_t transb[], const N m[], const N n[], const N k[]
#define GROUPED(NAME, T, TYPE, COMPUTE)                                                                                                         \
	API cublasStatus_t F(NAME)(GROUPS, const T alpha[], const T *const a[], const N lda[], const T *const b[], const N ldb[], const T beta[],     \
	                           T *const c[], const N ldc[], N groups, const N sizes[])                                                           \
	{                                                                                                                                             \
		return grouped(GIVEN, alpha, (const void *const *)a, TYPE, lda, (const void *const *)b, TYPE, ldb, beta, (void *const *)c, TYPE, ldc,       \
		               groups, sizes, COMPUTE);                                                                                                     \
	}
GROUPED(cublasSgemmGroupedBatched, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
GROUPED(cublasDgemmGroupedBatched, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)

API cublasStatus_t F(cublasGemmGroupedBatchedEx)(GROUPS, const void *alpha, const void *const a[], cudaDataType atype, const N lda[], const void *const b[], cudaDataType btype,
                                                 const N ldb[], const void *beta, void *const c[], cudaDataType ctype, const N ldc[], N groups, const N sizes[],
                                                 cublasComputeType_t compute)
{
	return grouped(GIVEN, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype, ldc, groups, sizes, compute);
}
