/* Functions that exist so that programs can be linked, and that are not supported yet. */
#include "blas.h"

/* A function that reports this. It has another name in C, because its parameters do not matter. */
#define STUB(NAME)                                   \
	API cublasStatus_t stub_##NAME(void) __asm__(#NAME); \
	API cublasStatus_t stub_##NAME(void) { return not_supported(#NAME); }
#define BOTH(NAME) STUB(NAME) STUB(NAME##_64)
#define REAL(NAME) BOTH(cublasS##NAME) BOTH(cublasD##NAME)
#define COMPLEX(NAME) BOTH(cublasC##NAME) BOTH(cublasZ##NAME)
#define ALL(NAME) REAL(NAME) COMPLEX(NAME)

/* Band matrices, and packed triangles. */
ALL(gbmv_v2) ALL(tbmv_v2) ALL(tbsv_v2) ALL(tpmv_v2) ALL(tpsv_v2)
REAL(sbmv_v2) REAL(spmv_v2) REAL(spr_v2) REAL(spr2_v2)
COMPLEX(hbmv_v2) COMPLEX(hpmv_v2) COMPLEX(hpr_v2) COMPLEX(hpr2_v2)

STUB(cublasSgelsBatched) STUB(cublasDgelsBatched) STUB(cublasCgelsBatched) STUB(cublasZgelsBatched)
BOTH(cublasRotmEx) STUB(cublasRotgEx) STUB(cublasRotmgEx)
BOTH(cublasCgemm3mEx) BOTH(cublasCgemm3mBatched) BOTH(cublasCgemm3mStridedBatched)
BOTH(cublasCsyrkEx) BOTH(cublasCsyrk3mEx) BOTH(cublasCherkEx) BOTH(cublasCherk3mEx)
STUB(cublasUint8gemmBias)

/* Matrix-vector products of mixed types: H is f16, T is bf16. */
#define MIXED(NAME) BOTH(cublas##NAME##gemvBatched) BOTH(cublas##NAME##gemvStridedBatched)
MIXED(HSH) MIXED(HSS) MIXED(TST) MIXED(TSS)

/* cublasXt, which distributes work over GPUs. */
#define XT(NAME) STUB(cublasXt##NAME)
#define XT_REAL(NAME) XT(S##NAME) XT(D##NAME)
#define XT_COMPLEX(NAME) XT(C##NAME) XT(Z##NAME)
#define XT_ALL(NAME) XT_REAL(NAME) XT_COMPLEX(NAME)
XT(Create) XT(Destroy) XT(DeviceSelect) XT(GetNumBoards) XT(MaxBoards) XT(SetBlockDim) XT(GetBlockDim) XT(SetPinningMemMode) XT(GetPinningMemMode)
XT(SetCpuRoutine) XT(SetCpuRatio)
XT_ALL(gemm) XT_ALL(symm) XT_ALL(syrk) XT_ALL(syr2k) XT_ALL(syrkx) XT_ALL(trmm) XT_ALL(trsm) XT_ALL(spmm)
XT_COMPLEX(hemm) XT_COMPLEX(herk) XT_COMPLEX(her2k) XT_COMPLEX(herkx)
