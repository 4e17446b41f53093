/* The legacy interface, implemented by the current one, with one handle for the process. */
#define SIMTRUN_BLAS_LEGACY
#include "blas.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cublasHandle_t handle;
static cublasStatus_t last;

/* note keeps the latest error until the program queries it. */
static void note(cublasStatus_t status)
{
	if (status != CUBLAS_STATUS_SUCCESS)
		last = status;
}

API cublasStatus cublasInit(void)
{
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

	pthread_mutex_lock(&lock);
	if (handle == NULL)
		status = cublasCreate_v2(&handle);
	pthread_mutex_unlock(&lock);
	return status;
}

API cublasStatus cublasShutdown(void)
{
	cublasStatus_t status = CUBLAS_STATUS_NOT_INITIALIZED;

	pthread_mutex_lock(&lock);
	if (handle != NULL)
		status = cublasDestroy_v2(handle);
	handle = NULL;
	pthread_mutex_unlock(&lock);
	return status;
}

API cublasStatus cublasGetError(void)
{
	cublasStatus_t status = last;

	last = CUBLAS_STATUS_SUCCESS;
	return status;
}

API cublasStatus cublasGetVersion(int *version) { return cublasGetVersion_v2(handle, version); }
API cublasStatus cublasSetKernelStream(cudaStream_t stream) { return cublasSetStream_v2(handle, stream); }

API cublasStatus cublasAlloc(int n, int size, void **p)
{
	if (n <= 0 || size <= 0 || p == NULL)
		return CUBLAS_STATUS_INVALID_VALUE;
	return allocate(p, (size_t)n * (size_t)size);
}

API cublasStatus cublasFree(void *p) { return release(p); }

/* Letters of options. Others become values that are refused. */
enum { NO = 99 };
static cublasOperation_t op(char c)
{
	return c == 'n' || c == 'N' ? CUBLAS_OP_N : c == 't' || c == 'T' ? CUBLAS_OP_T : c == 'c' || c == 'C' ? CUBLAS_OP_C : (cublasOperation_t)NO;
}
static cublasFillMode_t fill(char c)
{
	return c == 'l' || c == 'L' ? CUBLAS_FILL_MODE_LOWER : c == 'u' || c == 'U' ? CUBLAS_FILL_MODE_UPPER : (cublasFillMode_t)NO;
}
static cublasSideMode_t side_of(char c)
{
	return c == 'l' || c == 'L' ? CUBLAS_SIDE_LEFT : c == 'r' || c == 'R' ? CUBLAS_SIDE_RIGHT : (cublasSideMode_t)NO;
}
static cublasDiagType_t diag_of(char c)
{
	return c == 'n' || c == 'N' ? CUBLAS_DIAG_NON_UNIT : c == 'u' || c == 'U' ? CUBLAS_DIAG_UNIT : (cublasDiagType_t)NO;
}

/* RESULT defines a function that has a result; the other macro one that has none. */
#define RESULT(T, NAME, V2, PARAMETERS, ...)  \
	API T NAME PARAMETERS                       \
	{                                           \
		T result = {0};                           \
		note(V2(handle, __VA_ARGS__, &result));   \
		return result;                            \
	}
#define CALLS(NAME, V2, PARAMETERS, ...) \
	API void NAME PARAMETERS { note(V2(handle, __VA_ARGS__)); }

#define LEGACY(L, T, R, NORM, I)                                                                                                                        \
	RESULT(R, cublas##NORM##nrm2, cublas##NORM##nrm2_v2, (int n, const T *x, int incx), n, x, incx)                                                        \
	RESULT(R, cublas##NORM##asum, cublas##NORM##asum_v2, (int n, const T *x, int incx), n, x, incx)                                                        \
	RESULT(int, cublasI##I##amax, cublasI##I##amax_v2, (int n, const T *x, int incx), n, x, incx)                                                          \
	RESULT(int, cublasI##I##amin, cublasI##I##amin_v2, (int n, const T *x, int incx), n, x, incx)                                                          \
	CALLS(cublas##L##scal, cublas##L##scal_v2, (int n, T alpha, T *x, int incx), n, &alpha, x, incx)                                                        \
	CALLS(cublas##L##axpy, cublas##L##axpy_v2, (int n, T alpha, const T *x, int incx, T *y, int incy), n, &alpha, x, incx, y, incy)                          \
	CALLS(cublas##L##copy, cublas##L##copy_v2, (int n, const T *x, int incx, T *y, int incy), n, x, incx, y, incy)                                          \
	CALLS(cublas##L##swap, cublas##L##swap_v2, (int n, T *x, int incx, T *y, int incy), n, x, incx, y, incy)                                                \
	CALLS(cublas##L##rot, cublas##L##rot_v2, (int n, T *x, int incx, T *y, int incy, R c, T s), n, x, incx, y, incy, &c, &s)                                 \
	CALLS(cublas##L##gemv, cublas##L##gemv_v2, (char trans, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy),       \
	     op(trans), m, n, &alpha, a, lda, x, incx, &beta, y, incy)                                                                                       \
	CALLS(cublas##L##trmv, cublas##L##trmv_v2, (char uplo, char trans, char diag, int n, const T *a, int lda, T *x, int incx), fill(uplo), op(trans),        \
	     diag_of(diag), n, a, lda, x, incx)                                                                                                              \
	CALLS(cublas##L##trsv, cublas##L##trsv_v2, (char uplo, char trans, char diag, int n, const T *a, int lda, T *x, int incx), fill(uplo), op(trans),        \
	     diag_of(diag), n, a, lda, x, incx)                                                                                                              \
	CALLS(cublas##L##gemm, cublas##L##gemm_v2,                                                                                                              \
	     (char transa, char transb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc), op(transa), op(transb), \
	     m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc)                                                                                                 \
	CALLS(cublas##L##symm, cublas##L##symm_v2, (char side, char uplo, int m, int n, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc), \
	     side_of(side), fill(uplo), m, n, &alpha, a, lda, b, ldb, &beta, c, ldc)                                                                         \
	CALLS(cublas##L##syrk, cublas##L##syrk_v2, (char uplo, char trans, int n, int k, T alpha, const T *a, int lda, T beta, T *c, int ldc), fill(uplo),       \
	     op(trans), n, k, &alpha, a, lda, &beta, c, ldc)                                                                                                 \
	CALLS(cublas##L##syr2k, cublas##L##syr2k_v2,                                                                                                            \
	     (char uplo, char trans, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc), fill(uplo), op(trans), n, k,      \
	     &alpha, a, lda, b, ldb, &beta, c, ldc)                                                                                                          \
	CALLS(cublas##L##trmm, cublas##L##trmm_v2, (char side, char uplo, char trans, char diag, int m, int n, T alpha, const T *a, int lda, T *b, int ldb),     \
	     side_of(side), fill(uplo), op(trans), diag_of(diag), m, n, &alpha, a, lda, b, ldb, b, ldb)                                                      \
	CALLS(cublas##L##trsm, cublas##L##trsm_v2, (char side, char uplo, char trans, char diag, int m, int n, T alpha, const T *a, int lda, T *b, int ldb),     \
	     side_of(side), fill(uplo), op(trans), diag_of(diag), m, n, &alpha, a, lda, b, ldb)
LEGACY(S, float, float, S, s)
LEGACY(D, double, double, D, d)
LEGACY(C, cuComplex, float, Sc, c)
LEGACY(Z, cuDoubleComplex, double, Dz, z)

#define DOT(T, NAME, V2) RESULT(T, NAME, V2, (int n, const T *x, int incx, const T *y, int incy), n, x, incx, y, incy)
#define GER(T, NAME, V2) CALLS(NAME, V2, (int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda), m, n, &alpha, x, incx, y, incy, a, lda)
#define SYMV(T, NAME, V2)                                                                                                                               \
	CALLS(NAME, V2, (char uplo, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy), fill(uplo), n, &alpha, a, lda, x, incx,  \
	     &beta, y, incy)
#define SYR(T, S, NAME, V2) CALLS(NAME, V2, (char uplo, int n, S alpha, const T *x, int incx, T *a, int lda), fill(uplo), n, &alpha, x, incx, a, lda)
#define SYR2(T, NAME, V2)                                                                                                                               \
	CALLS(NAME, V2, (char uplo, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda), fill(uplo), n, &alpha, x, incx, y, incy, a, lda)

#define REAL(L, T)                                       \
	DOT(T, cublas##L##dot, cublas##L##dot_v2)              \
	GER(T, cublas##L##ger, cublas##L##ger_v2)              \
	SYMV(T, cublas##L##symv, cublas##L##symv_v2)           \
	SYR(T, T, cublas##L##syr, cublas##L##syr_v2)           \
	SYR2(T, cublas##L##syr2, cublas##L##syr2_v2)
REAL(S, float)
REAL(D, double)

#define COMPLEX(L, T, R, RL)                                                                                                                            \
	DOT(T, cublas##L##dotu, cublas##L##dotu_v2)                                                                                                           \
	DOT(T, cublas##L##dotc, cublas##L##dotc_v2)                                                                                                           \
	GER(T, cublas##L##geru, cublas##L##geru_v2)                                                                                                           \
	GER(T, cublas##L##gerc, cublas##L##gerc_v2)                                                                                                           \
	SYMV(T, cublas##L##hemv, cublas##L##hemv_v2)                                                                                                          \
	SYR(T, R, cublas##L##her, cublas##L##her_v2)                                                                                                          \
	SYR2(T, cublas##L##her2, cublas##L##her2_v2)                                                                                                          \
	CALLS(cublas##L##RL##scal, cublas##L##RL##scal_v2, (int n, R alpha, T *x, int incx), n, &alpha, x, incx)                                                \
	CALLS(cublas##L##RL##rot, cublas##L##RL##rot_v2, (int n, T *x, int incx, T *y, int incy, R c, R s), n, x, incx, y, incy, &c, &s)                         \
	CALLS(cublas##L##hemm, cublas##L##hemm_v2, (char side, char uplo, int m, int n, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc), \
	     side_of(side), fill(uplo), m, n, &alpha, a, lda, b, ldb, &beta, c, ldc)                                                                         \
	CALLS(cublas##L##herk, cublas##L##herk_v2, (char uplo, char trans, int n, int k, R alpha, const T *a, int lda, R beta, T *c, int ldc), fill(uplo),       \
	     op(trans), n, k, &alpha, a, lda, &beta, c, ldc)                                                                                                 \
	CALLS(cublas##L##her2k, cublas##L##her2k_v2,                                                                                                            \
	     (char uplo, char trans, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, R beta, T *c, int ldc), fill(uplo), op(trans), n, k,      \
	     &alpha, a, lda, b, ldb, &beta, c, ldc)
COMPLEX(C, cuComplex, float, s)
COMPLEX(Z, cuDoubleComplex, double, d)
