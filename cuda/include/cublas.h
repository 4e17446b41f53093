/* cuBLAS by its first interface, which has no handles: scalars are values, operations are letters, and cublasGetError has the status of the last call. */
#ifndef SIMTRUN_CUBLAS_H
#define SIMTRUN_CUBLAS_H

#pragma GCC system_header

#ifdef SIMTRUN_CUBLAS_V2_H
#error "cublas.h and cublas_v2.h have different functions by the same names"
#endif

#define CUBLAS_H_ /* programs ask for it */

#include "cublas_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef cublasStatus_t cublasStatus;

cublasStatus cublasInit(void);
cublasStatus cublasShutdown(void);
cublasStatus cublasGetError(void);
cublasStatus cublasGetVersion(int *version);
cublasStatus cublasAlloc(int n, int size, void **p);
cublasStatus cublasFree(void *p);
cublasStatus cublasSetKernelStream(cudaStream_t stream);

#define SIMTRUN_LEGACY(L, T, R, NORM, I)                                                                                                 \
	R cublas##NORM##nrm2(int n, const T *x, int incx);                                                                                     \
	R cublas##NORM##asum(int n, const T *x, int incx);                                                                                     \
	int cublasI##I##amax(int n, const T *x, int incx);                                                                                     \
	int cublasI##I##amin(int n, const T *x, int incx);                                                                                     \
	void cublas##L##scal(int n, T alpha, T *x, int incx);                                                                                  \
	void cublas##L##axpy(int n, T alpha, const T *x, int incx, T *y, int incy);                                                            \
	void cublas##L##copy(int n, const T *x, int incx, T *y, int incy);                                                                     \
	void cublas##L##swap(int n, T *x, int incx, T *y, int incy);                                                                           \
	void cublas##L##rot(int n, T *x, int incx, T *y, int incy, R c, T s);                                                                  \
	void cublas##L##gemv(char trans, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy);            \
	void cublas##L##trmv(char uplo, char trans, char diag, int n, const T *a, int lda, T *x, int incx);                                    \
	void cublas##L##trsv(char uplo, char trans, char diag, int n, const T *a, int lda, T *x, int incx);                                    \
	void cublas##L##gemm(char transa, char transb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c,   \
	                     int ldc);                                                                                                         \
	void cublas##L##symm(char side, char uplo, int m, int n, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc);    \
	void cublas##L##syrk(char uplo, char trans, int n, int k, T alpha, const T *a, int lda, T beta, T *c, int ldc);                        \
	void cublas##L##syr2k(char uplo, char trans, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc);  \
	void cublas##L##trmm(char side, char uplo, char trans, char diag, int m, int n, T alpha, const T *a, int lda, T *b, int ldb);          \
	void cublas##L##trsm(char side, char uplo, char trans, char diag, int m, int n, T alpha, const T *a, int lda, T *b, int ldb);
SIMTRUN_LEGACY(S, float, float, S, s)
SIMTRUN_LEGACY(D, double, double, D, d)
SIMTRUN_LEGACY(C, cuComplex, float, Sc, c)
SIMTRUN_LEGACY(Z, cuDoubleComplex, double, Dz, z)
#undef SIMTRUN_LEGACY
#define SIMTRUN_LEGACY(L, T)                                                                                                             \
	T cublas##L##dot(int n, const T *x, int incx, const T *y, int incy);                                                                   \
	void cublas##L##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda);                                 \
	void cublas##L##symv(char uplo, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy);                    \
	void cublas##L##syr(char uplo, int n, T alpha, const T *x, int incx, T *a, int lda);                                                   \
	void cublas##L##syr2(char uplo, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda);
SIMTRUN_LEGACY(S, float)
SIMTRUN_LEGACY(D, double)
#undef SIMTRUN_LEGACY
#define SIMTRUN_LEGACY(L, T, R, RL)                                                                                                      \
	T cublas##L##dotu(int n, const T *x, int incx, const T *y, int incy);                                                                  \
	T cublas##L##dotc(int n, const T *x, int incx, const T *y, int incy);                                                                  \
	void cublas##L##RL##scal(int n, R alpha, T *x, int incx);                                                                              \
	void cublas##L##RL##rot(int n, T *x, int incx, T *y, int incy, R c, R s);                                                              \
	void cublas##L##geru(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda);                                \
	void cublas##L##gerc(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda);                                \
	void cublas##L##hemv(char uplo, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y, int incy);                    \
	void cublas##L##her(char uplo, int n, R alpha, const T *x, int incx, T *a, int lda);                                                   \
	void cublas##L##her2(char uplo, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda);                            \
	void cublas##L##hemm(char side, char uplo, int m, int n, T alpha, const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc);    \
	void cublas##L##herk(char uplo, char trans, int n, int k, R alpha, const T *a, int lda, R beta, T *c, int ldc);                        \
	void cublas##L##her2k(char uplo, char trans, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, R beta, T *c, int ldc);
SIMTRUN_LEGACY(C, cuComplex, float, s)
SIMTRUN_LEGACY(Z, cuDoubleComplex, double, d)
#undef SIMTRUN_LEGACY

#ifdef __cplusplus
}
#endif

#endif
