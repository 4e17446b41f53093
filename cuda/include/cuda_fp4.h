/* Numbers of 4 bits, E2M1: 2 bits of exponent, 1 of fraction, no infinity and no NaN. Two stand in a byte. */
#ifndef SIMTRUN_CUDA_FP4_H
#define SIMTRUN_CUDA_FP4_H

#pragma GCC system_header

#include "cuda_fp8.h"

#define __CUDA_FP4_TYPES_EXIST__

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;

typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#if defined(__cplusplus)

/* What is too great becomes the greatest number of its sign, and NaN the greatest. */
static SIMTRUN_SMALL_HD __nv_fp4_storage_t __nv_cvt_float_to_fp4(float f, __nv_fp4_interpretation_t, enum cudaRoundMode rounding) {
	unsigned int bits;
	memcpy(&bits, &f, 4);
	if ((bits & 0x7fffffff) > 0x7f800000)
		return 7;
	unsigned int kept = simtrun_small::rounded(f, 1, 1, rounding);
	return (__nv_fp4_storage_t)(bits >> 31 << 3 | (kept < 7 ? kept : 7));
}
static SIMTRUN_SMALL_HD __nv_fp4_storage_t __nv_cvt_double_to_fp4(double d, __nv_fp4_interpretation_t kind, enum cudaRoundMode rounding) {
	return __nv_cvt_float_to_fp4(simtrun_fp16::toOdd(d), kind, rounding);
}
static SIMTRUN_SMALL_HD __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw h, __nv_fp4_interpretation_t kind, enum cudaRoundMode rounding) {
	return __nv_cvt_float_to_fp4(__half(h).value(), kind, rounding);
}
static SIMTRUN_SMALL_HD __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw b, __nv_fp4_interpretation_t kind, enum cudaRoundMode rounding) {
	return __nv_cvt_float_to_fp4(__nv_bfloat16(b).value(), kind, rounding);
}

/* Of two, the first in the low bits. */
static SIMTRUN_SMALL_HD __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(float2 f, __nv_fp4_interpretation_t kind, enum cudaRoundMode rounding) {
	return (__nv_fp4x2_storage_t)(__nv_cvt_float_to_fp4(f.x, kind, rounding) | __nv_cvt_float_to_fp4(f.y, kind, rounding) << 4);
}
static SIMTRUN_SMALL_HD __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(double2 d, __nv_fp4_interpretation_t kind, enum cudaRoundMode rounding) {
	return __nv_cvt_float2_to_fp4x2(make_float2(simtrun_fp16::toOdd(d.x), simtrun_fp16::toOdd(d.y)), kind, rounding);
}
static SIMTRUN_SMALL_HD __nv_fp4x2_storage_t __nv_cvt_halfraw2_to_fp4x2(__half2_raw h, __nv_fp4_interpretation_t kind, enum cudaRoundMode rounding) {
	return __nv_cvt_float2_to_fp4x2(__half22float2(__half2(h)), kind, rounding);
}
static SIMTRUN_SMALL_HD __nv_fp4x2_storage_t __nv_cvt_bfloat16raw2_to_fp4x2(__nv_bfloat162_raw b, __nv_fp4_interpretation_t kind, enum cudaRoundMode rounding) {
	return __nv_cvt_float2_to_fp4x2(__bfloat1622float2(__nv_bfloat162(b)), kind, rounding);
}

namespace simtrun_small {
static SIMTRUN_SMALL_HD unsigned int of(float f, __nv_fp4_interpretation_t kind) { return __nv_cvt_float_to_fp4(f, kind, cudaRoundNearest); }
static SIMTRUN_SMALL_HD float toFloat(unsigned int v, __nv_fp4_interpretation_t) {
	float f = valueOf(v & 7, 1, 1);
	return v >> 3 & 1 ? -f : f;
}
} // namespace simtrun_small
static SIMTRUN_SMALL_HD __half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t v, __nv_fp4_interpretation_t kind) { return __half::of(simtrun_small::toFloat(v, kind)); }
static SIMTRUN_SMALL_HD __half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t v, __nv_fp4_interpretation_t kind) {
	__half2_raw raw = {__half_raw(__half::of(simtrun_small::toFloat(v, kind))).x, __half_raw(__half::of(simtrun_small::toFloat(v >> 4, kind))).x};
	return raw;
}

SIMTRUN_SMALL(fp4, e2m1, __nv_fp4_interpretation_t, __NV_E2M1, 4, (__x & 7) != 0, )

#endif
#endif
