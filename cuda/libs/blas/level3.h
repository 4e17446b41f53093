/* Operations on matrices that several files use. */
#ifndef SIMTRUN_BLAS_LEVEL3_H
#define SIMTRUN_BLAS_LEVEL3_H

#include "blas.h"

/* one and minus_one return numbers of a kernel type. */
struct scalar one(const char *type);
struct scalar minus_one(const char *type);

bool is_triangle(cublasFillMode_t uplo);
enum triangle triangle_of(cublasFillMode_t uplo);

/* rank_update computes c = alpha a b^T + beta c in a triangle, or with b^H if it is hermitian: then its diagonal
   and beta are real, and alpha is if real is set. rank_2_update adds the same with a and b exchanged. Both are n
   by k. */
cublasStatus_t rank_update(cublasHandle_t handle, const char *type, bool hermitian, cublasFillMode_t uplo, int64_t n, int64_t k, struct scalar alpha, bool real, struct matrix a,
                           struct matrix b, struct scalar beta, struct matrix c);
cublasStatus_t rank_2_update(cublasHandle_t handle, const char *type, bool hermitian, cublasFillMode_t uplo, int64_t n, int64_t k, struct scalar alpha, struct matrix a,
                             struct matrix b, struct scalar beta, struct matrix c);

/* triangular_product computes c = alpha op(a) b, or alpha b op(a); c may be b. triangular_system replaces b by the
   x for which op(a) x, or x op(a), is alpha b. */
cublasStatus_t triangular_product(cublasHandle_t handle, const char *type, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int64_t m,
                                  int64_t n, struct scalar alpha, struct matrix a, struct matrix b, struct matrix c);
cublasStatus_t triangular_system(cublasHandle_t handle, const char *type, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int64_t m,
                                 int64_t n, int64_t batches, struct scalar alpha, struct matrix a, struct matrix b);

#endif
