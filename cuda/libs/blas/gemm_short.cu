/* Products of elements of 8 and 16 bits. */
#include "gemm.cuh"

GEMM(h, __half, __half, __half, 4)
GEMM(hh, __half, __half, float, 4)
GEMM(hs, __half, float, float, 4)
GEMM(bb, __nv_bfloat16, __nv_bfloat16, float, 4)
GEMM(bs, __nv_bfloat16, float, float, 4)
GEMM(ii, int8_t, int, int, 4)
GEMM(is, int8_t, float, float, 4)
