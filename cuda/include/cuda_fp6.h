/* Numbers of 6 bits, each in the low bits of a byte: E2M3 has 2 bits of exponent and 3 of fraction, E3M2 has 3 and 2. There is no
   infinity and no NaN. */
#ifndef SIMTRUN_CUDA_FP6_H
#define SIMTRUN_CUDA_FP6_H

#pragma GCC system_header

#include "cuda_fp8.h"

#define __CUDA_FP6_TYPES_EXIST__

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;

typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

#if defined(__cplusplus)

/* What is too great becomes the greatest number of its sign, and NaN the greatest. */
static SIMTRUN_SMALL_HD __nv_fp6_storage_t __nv_cvt_float_to_fp6(float f, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding) {
	unsigned int bits;
	memcpy(&bits, &f, 4);
	if ((bits & 0x7fffffff) > 0x7f800000)
		return 0x1f;
	unsigned int kept = simtrun_small::rounded(f, kind == __NV_E2M3 ? 3 : 2, kind == __NV_E2M3 ? 1 : 3, rounding);
	return (__nv_fp6_storage_t)(bits >> 31 << 5 | (kept < 0x1f ? kept : 0x1f));
}
static SIMTRUN_SMALL_HD __nv_fp6_storage_t __nv_cvt_double_to_fp6(double d, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding) {
	return __nv_cvt_float_to_fp6(simtrun_fp16::toOdd(d), kind, rounding);
}
static SIMTRUN_SMALL_HD __nv_fp6_storage_t __nv_cvt_halfraw_to_fp6(__half_raw h, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding) {
	return __nv_cvt_float_to_fp6(__half(h).value(), kind, rounding);
}
static SIMTRUN_SMALL_HD __nv_fp6_storage_t __nv_cvt_bfloat16raw_to_fp6(__nv_bfloat16_raw b, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding) {
	return __nv_cvt_float_to_fp6(__nv_bfloat16(b).value(), kind, rounding);
}

/* Of two, the first in the low bits. */
static SIMTRUN_SMALL_HD __nv_fp6x2_storage_t __nv_cvt_float2_to_fp6x2(float2 f, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding) {
	return (__nv_fp6x2_storage_t)(__nv_cvt_float_to_fp6(f.x, kind, rounding) | __nv_cvt_float_to_fp6(f.y, kind, rounding) << 8);
}
static SIMTRUN_SMALL_HD __nv_fp6x2_storage_t __nv_cvt_double2_to_fp6x2(double2 d, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding) {
	return __nv_cvt_float2_to_fp6x2(make_float2(simtrun_fp16::toOdd(d.x), simtrun_fp16::toOdd(d.y)), kind, rounding);
}
static SIMTRUN_SMALL_HD __nv_fp6x2_storage_t __nv_cvt_halfraw2_to_fp6x2(__half2_raw h, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding) {
	return __nv_cvt_float2_to_fp6x2(__half22float2(__half2(h)), kind, rounding);
}
static SIMTRUN_SMALL_HD __nv_fp6x2_storage_t __nv_cvt_bfloat16raw2_to_fp6x2(__nv_bfloat162_raw b, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding) {
	return __nv_cvt_float2_to_fp6x2(__bfloat1622float2(__nv_bfloat162(b)), kind, rounding);
}

namespace simtrun_small {
static SIMTRUN_SMALL_HD unsigned int of(float f, __nv_fp6_interpretation_t kind) { return __nv_cvt_float_to_fp6(f, kind, cudaRoundNearest); }
static SIMTRUN_SMALL_HD float toFloat(unsigned int v, __nv_fp6_interpretation_t kind) {
	float f = valueOf(v & 0x1f, kind == __NV_E2M3 ? 3 : 2, kind == __NV_E2M3 ? 1 : 3);
	return v >> 5 & 1 ? -f : f;
}
} // namespace simtrun_small
static SIMTRUN_SMALL_HD __half_raw __nv_cvt_fp6_to_halfraw(__nv_fp6_storage_t v, __nv_fp6_interpretation_t kind) { return __half::of(simtrun_small::toFloat(v, kind)); }
static SIMTRUN_SMALL_HD __half2_raw __nv_cvt_fp6x2_to_halfraw2(__nv_fp6x2_storage_t v, __nv_fp6_interpretation_t kind) {
	__half2_raw raw = {__half_raw(__half::of(simtrun_small::toFloat(v, kind))).x, __half_raw(__half::of(simtrun_small::toFloat(v >> 8, kind))).x};
	return raw;
}

SIMTRUN_SMALL(fp6, e2m3, __nv_fp6_interpretation_t, __NV_E2M3, 8, (__x & 0x1f) != 0, )
SIMTRUN_SMALL(fp6, e3m2, __nv_fp6_interpretation_t, __NV_E3M2, 8, (__x & 0x1f) != 0, )

#endif
#endif
