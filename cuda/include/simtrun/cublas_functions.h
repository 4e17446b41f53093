/* Functions of cuBLAS with the size type SIMTRUN_N and names made by SIMTRUN_F. Macros of the program with the
   names used below are kept. */
#pragma push_macro("N")
#pragma push_macro("F")
#pragma push_macro("H")
#pragma push_macro("UPLO")
#pragma push_macro("OP")
#pragma push_macro("GEMM")
#pragma push_macro("GROUPS")
#undef UPLO
#undef OP
#undef GEMM
#undef GROUPS
#undef N
#undef F
#undef H
#define N SIMTRUN_N
#define F SIMTRUN_F
#define H cublasHandle_t handle

/* Copies between the host and the device. */
cublasStatus_t F(cublasSetVector)(N n, N size, const void *x, N incx, void *y, N incy);
cublasStatus_t F(cublasGetVector)(N n, N size, const void *x, N incx, void *y, N incy);
cublasStatus_t F(cublasSetMatrix)(N rows, N cols, N size, const void *a, N lda, void *b, N ldb);
cublasStatus_t F(cublasGetMatrix)(N rows, N cols, N size, const void *a, N lda, void *b, N ldb);
cublasStatus_t F(cublasSetVectorAsync)(N n, N size, const void *x, N incx, void *y, N incy, cudaStream_t stream);
cublasStatus_t F(cublasGetVectorAsync)(N n, N size, const void *x, N incx, void *y, N incy, cudaStream_t stream);
cublasStatus_t F(cublasSetMatrixAsync)(N rows, N cols, N size, const void *a, N lda, void *b, N ldb, cudaStream_t stream);
cublasStatus_t F(cublasGetMatrixAsync)(N rows, N cols, N size, const void *a, N lda, void *b, N ldb, cudaStream_t stream);

/* Vectors. R is the type of norms. */
#define SIMTRUN_VECTORS(L, T, R, NORM, RL)                                                                            \
	cublasStatus_t F(cublas##NORM##nrm2_v2)(H, N n, const T *x, N incx, R *result);                                      \
	cublasStatus_t F(cublas##NORM##asum_v2)(H, N n, const T *x, N incx, R *result);                                      \
	cublasStatus_t F(cublasI##RL##amax_v2)(H, N n, const T *x, N incx, N *result);                                       \
	cublasStatus_t F(cublasI##RL##amin_v2)(H, N n, const T *x, N incx, N *result);                                       \
	cublasStatus_t F(cublas##L##scal_v2)(H, N n, const T *alpha, T *x, N incx);                                          \
	cublasStatus_t F(cublas##L##axpy_v2)(H, N n, const T *alpha, const T *x, N incx, T *y, N incy);                      \
	cublasStatus_t F(cublas##L##copy_v2)(H, N n, const T *x, N incx, T *y, N incy);                                      \
	cublasStatus_t F(cublas##L##swap_v2)(H, N n, T *x, N incx, T *y, N incy);                                            \
	cublasStatus_t F(cublas##L##rot_v2)(H, N n, T *x, N incx, T *y, N incy, const R *c, const T *s);                     \
	cublasStatus_t cublas##L##rotg_v2(H, T *a, T *b, R *c, T *s);
SIMTRUN_VECTORS(S, float, float, S, s)
SIMTRUN_VECTORS(D, double, double, D, d)
SIMTRUN_VECTORS(C, cuComplex, float, Sc, c)
SIMTRUN_VECTORS(Z, cuDoubleComplex, double, Dz, z)
#undef SIMTRUN_VECTORS
#define SIMTRUN_REAL(L, T)                                                                                            \
	cublasStatus_t F(cublas##L##dot_v2)(H, N n, const T *x, N incx, const T *y, N incy, T *result);                      \
	cublasStatus_t F(cublas##L##rotm_v2)(H, N n, T *x, N incx, T *y, N incy, const T *param);                            \
	cublasStatus_t cublas##L##rotmg_v2(H, T *d1, T *d2, T *x1, const T *y1, T *param);
SIMTRUN_REAL(S, float)
SIMTRUN_REAL(D, double)
#undef SIMTRUN_REAL
#define SIMTRUN_COMPLEX(L, T, RL, R)                                                                                  \
	cublasStatus_t F(cublas##L##dotu_v2)(H, N n, const T *x, N incx, const T *y, N incy, T *result);                     \
	cublasStatus_t F(cublas##L##dotc_v2)(H, N n, const T *x, N incx, const T *y, N incy, T *result);                     \
	cublasStatus_t F(cublas##L##RL##scal_v2)(H, N n, const R *alpha, T *x, N incx);                                      \
	cublasStatus_t F(cublas##L##RL##rot_v2)(H, N n, T *x, N incx, T *y, N incy, const R *c, const R *s);
SIMTRUN_COMPLEX(C, cuComplex, s, float)
SIMTRUN_COMPLEX(Z, cuDoubleComplex, d, double)
#undef SIMTRUN_COMPLEX

cublasStatus_t F(cublasNrm2Ex)(H, N n, const void *x, cudaDataType xtype, N incx, void *result, cudaDataType rtype, cudaDataType compute);
cublasStatus_t F(cublasAsumEx)(H, N n, const void *x, cudaDataType xtype, N incx, void *result, cudaDataType rtype, cudaDataType compute);
cublasStatus_t F(cublasIamaxEx)(H, N n, const void *x, cudaDataType xtype, N incx, N *result);
cublasStatus_t F(cublasIaminEx)(H, N n, const void *x, cudaDataType xtype, N incx, N *result);
cublasStatus_t F(cublasDotEx)(H, N n, const void *x, cudaDataType xtype, N incx, const void *y, cudaDataType ytype, N incy, void *result, cudaDataType rtype, cudaDataType compute);
cublasStatus_t F(cublasDotcEx)(H, N n, const void *x, cudaDataType xtype, N incx, const void *y, cudaDataType ytype, N incy, void *result, cudaDataType rtype, cudaDataType compute);
cublasStatus_t F(cublasScalEx)(H, N n, const void *alpha, cudaDataType atype, void *x, cudaDataType xtype, N incx, cudaDataType compute);
cublasStatus_t F(cublasAxpyEx)(H, N n, const void *alpha, cudaDataType atype, const void *x, cudaDataType xtype, N incx, void *y, cudaDataType ytype, N incy, cudaDataType compute);
cublasStatus_t F(cublasCopyEx)(H, N n, const void *x, cudaDataType xtype, N incx, void *y, cudaDataType ytype, N incy);
cublasStatus_t F(cublasSwapEx)(H, N n, void *x, cudaDataType xtype, N incx, void *y, cudaDataType ytype, N incy);
cublasStatus_t F(cublasRotEx)(H, N n, void *x, cudaDataType xtype, N incx, void *y, cudaDataType ytype, N incy, const void *c, const void *s, cudaDataType stype, cudaDataType compute);

/* Matrices. */
#define UPLO cublasFillMode_t uplo
#define OP cublasOperation_t trans
#define SIMTRUN_MATRICES(L, T)                                                                                                                  \
	cublasStatus_t F(cublas##L##gemv_v2)(H, OP, N m, N n, const T *alpha, const T *a, N lda, const T *x, N incx, const T *beta, T *y, N incy);     \
	cublasStatus_t F(cublas##L##gbmv_v2)(H, OP, N m, N n, N kl, N ku, const T *alpha, const T *a, N lda, const T *x, N incx, const T *beta, T *y, N incy); \
	cublasStatus_t F(cublas##L##gemvBatched)(H, OP, N m, N n, const T *alpha, const T *const a[], N lda, const T *const x[], N incx, const T *beta, T *const y[], N incy, N batches); \
	cublasStatus_t F(cublas##L##gemvStridedBatched)(H, OP, N m, N n, const T *alpha, const T *a, N lda, long long int stridea, const T *x, N incx, long long int stridex, \
	                                                const T *beta, T *y, N incy, long long int stridey, N batches);                                \
	cublasStatus_t F(cublas##L##trmv_v2)(H, UPLO, OP, cublasDiagType_t diag, N n, const T *a, N lda, T *x, N incx);                                \
	cublasStatus_t F(cublas##L##trsv_v2)(H, UPLO, OP, cublasDiagType_t diag, N n, const T *a, N lda, T *x, N incx);                                \
	cublasStatus_t F(cublas##L##tbmv_v2)(H, UPLO, OP, cublasDiagType_t diag, N n, N k, const T *a, N lda, T *x, N incx);                           \
	cublasStatus_t F(cublas##L##tbsv_v2)(H, UPLO, OP, cublasDiagType_t diag, N n, N k, const T *a, N lda, T *x, N incx);                           \
	cublasStatus_t F(cublas##L##tpmv_v2)(H, UPLO, OP, cublasDiagType_t diag, N n, const T *ap, T *x, N incx);                                      \
	cublasStatus_t F(cublas##L##tpsv_v2)(H, UPLO, OP, cublasDiagType_t diag, N n, const T *ap, T *x, N incx);                                      \
	cublasStatus_t F(cublas##L##symv_v2)(H, UPLO, N n, const T *alpha, const T *a, N lda, const T *x, N incx, const T *beta, T *y, N incy);        \
	cublasStatus_t F(cublas##L##syr_v2)(H, UPLO, N n, const T *alpha, const T *x, N incx, T *a, N lda);                                            \
	cublasStatus_t F(cublas##L##syr2_v2)(H, UPLO, N n, const T *alpha, const T *x, N incx, const T *y, N incy, T *a, N lda);                       \
	cublasStatus_t F(cublas##L##gemm_v2)(H, cublasOperation_t transa, cublasOperation_t transb, N m, N n, N k, const T *alpha, const T *a, N lda, const T *b, N ldb, const T *beta, T *c, N ldc); \
	cublasStatus_t F(cublas##L##gemmBatched)(H, cublasOperation_t transa, cublasOperation_t transb, N m, N n, N k, const T *alpha, const T *const a[], N lda, const T *const b[], N ldb, \
	                                         const T *beta, T *const c[], N ldc, N batches);                                                       \
	cublasStatus_t F(cublas##L##gemmStridedBatched)(H, cublasOperation_t transa, cublasOperation_t transb, N m, N n, N k, const T *alpha, const T *a, N lda, long long int stridea, const T *b, \
	                                                N ldb, long long int strideb, const T *beta, T *c, N ldc, long long int stridec, N batches);   \
	cublasStatus_t F(cublas##L##symm_v2)(H, cublasSideMode_t side, UPLO, N m, N n, const T *alpha, const T *a, N lda, const T *b, N ldb, const T *beta, T *c, N ldc); \
	cublasStatus_t F(cublas##L##syrk_v2)(H, UPLO, OP, N n, N k, const T *alpha, const T *a, N lda, const T *beta, T *c, N ldc);                    \
	cublasStatus_t F(cublas##L##syr2k_v2)(H, UPLO, OP, N n, N k, const T *alpha, const T *a, N lda, const T *b, N ldb, const T *beta, T *c, N ldc); \
	cublasStatus_t F(cublas##L##syrkx)(H, UPLO, OP, N n, N k, const T *alpha, const T *a, N lda, const T *b, N ldb, const T *beta, T *c, N ldc);   \
	cublasStatus_t F(cublas##L##trmm_v2)(H, cublasSideMode_t side, UPLO, OP, cublasDiagType_t diag, N m, N n, const T *alpha, const T *a, N lda, const T *b, N ldb, T *c, N ldc); \
	cublasStatus_t F(cublas##L##trsm_v2)(H, cublasSideMode_t side, UPLO, OP, cublasDiagType_t diag, N m, N n, const T *alpha, const T *a, N lda, T *b, N ldb); \
	cublasStatus_t F(cublas##L##trsmBatched)(H, cublasSideMode_t side, UPLO, OP, cublasDiagType_t diag, N m, N n, const T *alpha, const T *const a[], N lda, T *const b[], N ldb, N batches); \
	cublasStatus_t F(cublas##L##geam)(H, cublasOperation_t transa, cublasOperation_t transb, N m, N n, const T *alpha, const T *a, N lda, const T *beta, const T *b, N ldb, T *c, N ldc); \
	cublasStatus_t F(cublas##L##dgmm)(H, cublasSideMode_t side, N m, N n, const T *a, N lda, const T *x, N incx, T *c, N ldc);
SIMTRUN_MATRICES(S, float)
SIMTRUN_MATRICES(D, double)
SIMTRUN_MATRICES(C, cuComplex)
SIMTRUN_MATRICES(Z, cuDoubleComplex)
#undef SIMTRUN_MATRICES
#define SIMTRUN_REAL(L, T)                                                                                                                      \
	cublasStatus_t F(cublas##L##ger_v2)(H, N m, N n, const T *alpha, const T *x, N incx, const T *y, N incy, T *a, N lda);                         \
	cublasStatus_t F(cublas##L##sbmv_v2)(H, UPLO, N n, N k, const T *alpha, const T *a, N lda, const T *x, N incx, const T *beta, T *y, N incy);   \
	cublasStatus_t F(cublas##L##spmv_v2)(H, UPLO, N n, const T *alpha, const T *ap, const T *x, N incx, const T *beta, T *y, N incy);              \
	cublasStatus_t F(cublas##L##spr_v2)(H, UPLO, N n, const T *alpha, const T *x, N incx, T *ap);                                                  \
	cublasStatus_t F(cublas##L##spr2_v2)(H, UPLO, N n, const T *alpha, const T *x, N incx, const T *y, N incy, T *ap);
SIMTRUN_REAL(S, float)
SIMTRUN_REAL(D, double)
#undef SIMTRUN_REAL
#define SIMTRUN_COMPLEX(L, T, R)                                                                                                                \
	cublasStatus_t F(cublas##L##geru_v2)(H, N m, N n, const T *alpha, const T *x, N incx, const T *y, N incy, T *a, N lda);                        \
	cublasStatus_t F(cublas##L##gerc_v2)(H, N m, N n, const T *alpha, const T *x, N incx, const T *y, N incy, T *a, N lda);                        \
	cublasStatus_t F(cublas##L##hemv_v2)(H, UPLO, N n, const T *alpha, const T *a, N lda, const T *x, N incx, const T *beta, T *y, N incy);        \
	cublasStatus_t F(cublas##L##hbmv_v2)(H, UPLO, N n, N k, const T *alpha, const T *a, N lda, const T *x, N incx, const T *beta, T *y, N incy);   \
	cublasStatus_t F(cublas##L##hpmv_v2)(H, UPLO, N n, const T *alpha, const T *ap, const T *x, N incx, const T *beta, T *y, N incy);              \
	cublasStatus_t F(cublas##L##her_v2)(H, UPLO, N n, const R *alpha, const T *x, N incx, T *a, N lda);                                            \
	cublasStatus_t F(cublas##L##her2_v2)(H, UPLO, N n, const T *alpha, const T *x, N incx, const T *y, N incy, T *a, N lda);                       \
	cublasStatus_t F(cublas##L##hpr_v2)(H, UPLO, N n, const R *alpha, const T *x, N incx, T *ap);                                                  \
	cublasStatus_t F(cublas##L##hpr2_v2)(H, UPLO, N n, const T *alpha, const T *x, N incx, const T *y, N incy, T *ap);                             \
	cublasStatus_t F(cublas##L##hemm_v2)(H, cublasSideMode_t side, UPLO, N m, N n, const T *alpha, const T *a, N lda, const T *b, N ldb, const T *beta, T *c, N ldc); \
	cublasStatus_t F(cublas##L##herk_v2)(H, UPLO, OP, N n, N k, const R *alpha, const T *a, N lda, const R *beta, T *c, N ldc);                    \
	cublasStatus_t F(cublas##L##her2k_v2)(H, UPLO, OP, N n, N k, const T *alpha, const T *a, N lda, const T *b, N ldb, const R *beta, T *c, N ldc); \
	cublasStatus_t F(cublas##L##herkx)(H, UPLO, OP, N n, N k, const T *alpha, const T *a, N lda, const T *b, N ldb, const R *beta, T *c, N ldc);   \
	cublasStatus_t F(cublas##L##gemm3m)(H, cublasOperation_t transa, cublasOperation_t transb, N m, N n, N k, const T *alpha, const T *a, N lda, const T *b, N ldb, const T *beta, T *c, N ldc);
SIMTRUN_COMPLEX(C, cuComplex, float)
SIMTRUN_COMPLEX(Z, cuDoubleComplex, double)
#undef SIMTRUN_COMPLEX

#define GEMM H, cublasOperation_t transa, cublasOperation_t transb, N m, N n, N k
cublasStatus_t F(cublasHgemm)(GEMM, const __half *alpha, const __half *a, N lda, const __half *b, N ldb, const __half *beta, __half *c, N ldc);
cublasStatus_t F(cublasHgemmBatched)(GEMM, const __half *alpha, const __half *const a[], N lda, const __half *const b[], N ldb, const __half *beta, __half *const c[], N ldc, N batches);
cublasStatus_t F(cublasHgemmStridedBatched)(GEMM, const __half *alpha, const __half *a, N lda, long long int stridea, const __half *b, N ldb, long long int strideb, const __half *beta, __half *c,
                                            N ldc, long long int stridec, N batches);
cublasStatus_t F(cublasSgemmEx)(GEMM, const float *alpha, const void *a, cudaDataType atype, N lda, const void *b, cudaDataType btype, N ldb, const float *beta, void *c, cudaDataType ctype, N ldc);
cublasStatus_t F(cublasCgemmEx)(GEMM, const cuComplex *alpha, const void *a, cudaDataType atype, N lda, const void *b, cudaDataType btype, N ldb, const cuComplex *beta, void *c, cudaDataType ctype, N ldc);
cublasStatus_t F(cublasGemmEx)(GEMM, const void *alpha, const void *a, cudaDataType atype, N lda, const void *b, cudaDataType btype, N ldb, const void *beta, void *c, cudaDataType ctype, N ldc,
                               cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t F(cublasGemmBatchedEx)(GEMM, const void *alpha, const void *const a[], cudaDataType atype, N lda, const void *const b[], cudaDataType btype, N ldb, const void *beta,
                                      void *const c[], cudaDataType ctype, N ldc, N batches, cublasComputeType_t compute, cublasGemmAlgo_t algo);
cublasStatus_t F(cublasGemmStridedBatchedEx)(GEMM, const void *alpha, const void *a, cudaDataType atype, N lda, long long int stridea, const void *b, cudaDataType btype, N ldb, long long int strideb,
                                             const void *beta, void *c, cudaDataType ctype, N ldc, long long int stridec, N batches, cublasComputeType_t compute, cublasGemmAlgo_t algo);
#define GROUPS H, const cublasOperation_t transa[], const cublasOperation_t transb[], const N m[], const N n[], const N k[]
cublasStatus_t F(cublasSgemmGroupedBatched)(GROUPS, const float alpha[], const float *const a[], const N lda[], const float *const b[], const N ldb[], const float beta[], float *const c[],
                                            const N ldc[], N groups, const N sizes[]);
cublasStatus_t F(cublasDgemmGroupedBatched)(GROUPS, const double alpha[], const double *const a[], const N lda[], const double *const b[], const N ldb[], const double beta[], double *const c[],
                                            const N ldc[], N groups, const N sizes[]);
cublasStatus_t F(cublasGemmGroupedBatchedEx)(GROUPS, const void *alpha, const void *const a[], cudaDataType atype, const N lda[], const void *const b[], cudaDataType btype, const N ldb[],
                                             const void *beta, void *const c[], cudaDataType ctype, const N ldc[], N groups, const N sizes[], cublasComputeType_t compute);

#undef GROUPS
#undef GEMM
#undef OP
#undef UPLO
#undef H
#undef F
#undef N
#pragma pop_macro("N")
#pragma pop_macro("F")
#pragma pop_macro("H")
#pragma pop_macro("UPLO")
#pragma pop_macro("OP")
#pragma pop_macro("GEMM")
#pragma pop_macro("GROUPS")
