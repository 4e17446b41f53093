/* Numbers of 8 bits: E4M3 has 4 bits of exponent, 3 of fraction and no infinity, E5M2 is the upper half of a __half, and
   E8M0 a power of two. */
#ifndef SIMTRUN_CUDA_FP8_H
#define SIMTRUN_CUDA_FP8_H

#pragma GCC system_header

#include "simtrun/small_floats.h"

#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

/* What becomes of numbers that are too great: infinity, or NaN where there is none; or the greatest number. */
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)

static SIMTRUN_SMALL_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float f, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	const unsigned int most = kind == __NV_E4M3 ? 0x7e : 0x7b;
	unsigned int bits;
	memcpy(&bits, &f, 4);
	if ((bits & 0x7fffffff) > 0x7f800000)
		return 0x7f;
	unsigned int kept = simtrun_small::rounded(f, kind == __NV_E4M3 ? 3 : 2, kind == __NV_E4M3 ? 7 : 15, cudaRoundNearest);
	if (kept > most)
		kept = saturate == __NV_SATFINITE ? most : kind == __NV_E4M3 ? 0x7f : 0x7c;
	return (__nv_fp8_storage_t)((bits >> 24 & 0x80) | kept);
}
static SIMTRUN_SMALL_HD float simtrun_fp8ToFloat(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind) {
	if (kind == __NV_E5M2)
		return simtrun_fp16::toFloat((unsigned short)(v << 8));
	float f = (v & 0x7f) == 0x7f ? simtrun_fp16::toFloat(0x7fff) : simtrun_small::valueOf(v & 0x7f, 3, 7);
	return v >> 7 && f == f ? -f : f;
}
static SIMTRUN_SMALL_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double d, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float_to_fp8(simtrun_fp16::toOdd(d), saturate, kind);
}
static SIMTRUN_SMALL_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw h, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float_to_fp8(__half(h).value(), saturate, kind);
}
static SIMTRUN_SMALL_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw b, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float_to_fp8(__nv_bfloat16(b).value(), saturate, kind);
}
static SIMTRUN_SMALL_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind) {
	return __half::of(simtrun_fp8ToFloat(v, kind));
}

/* Of two, the first in the low byte. */
static SIMTRUN_SMALL_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 f, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(f.x, saturate, kind) | __nv_cvt_float_to_fp8(f.y, saturate, kind) << 8);
}
static SIMTRUN_SMALL_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 d, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float2_to_fp8x2(make_float2(simtrun_fp16::toOdd(d.x), simtrun_fp16::toOdd(d.y)), saturate, kind);
}
static SIMTRUN_SMALL_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw h, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(h)), saturate, kind);
}
static SIMTRUN_SMALL_HD __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw b, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(b)), saturate, kind);
}
static SIMTRUN_SMALL_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t kind) {
	__half2_raw raw = {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)v, kind).x, __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(v >> 8), kind).x};
	return raw;
}

/* Powers of two from 2^-127 on, without a sign; 0xff is NaN. The absolute value of what is converted is rounded. */
static SIMTRUN_SMALL_HD __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float f, __nv_saturation_t saturate, enum cudaRoundMode rounding) {
	unsigned int bits;
	memcpy(&bits, &f, 4);
	bits &= 0x7fffffff;
	unsigned int exponent = bits >> 23, rest = bits & 0x7fffff, half = 0x400000;
	if (bits > 0x7f800000)
		return 0xff;
	if (exponent == 0) /* 2^-127 is in the middle of the subnormals */
		exponent = rest > half && (rounding == cudaRoundPosInf || (rounding == cudaRoundNearest && rest >= half + half / 2)) ? 1 : 0;
	else if (rounding == cudaRoundPosInf ? rest != 0 : rounding == cudaRoundNearest && rest >= half)
		exponent++;
	return (__nv_fp8_storage_t)(exponent < 0xff ? exponent : saturate == __NV_SATFINITE ? 0xfe : 0xff);
}
static SIMTRUN_SMALL_HD __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double d, __nv_saturation_t saturate, enum cudaRoundMode rounding) {
	return __nv_cvt_float_to_e8m0(simtrun_fp16::toOdd(d), saturate, rounding);
}
static SIMTRUN_SMALL_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw b, __nv_saturation_t saturate, enum cudaRoundMode rounding) {
	return __nv_cvt_float_to_e8m0(__nv_bfloat16(b).value(), saturate, rounding);
}
static SIMTRUN_SMALL_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 f, __nv_saturation_t saturate, enum cudaRoundMode rounding) {
	return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_e8m0(f.x, saturate, rounding) | __nv_cvt_float_to_e8m0(f.y, saturate, rounding) << 8);
}
static SIMTRUN_SMALL_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(double2 d, __nv_saturation_t saturate, enum cudaRoundMode rounding) {
	return __nv_cvt_float2_to_e8m0x2(make_float2(simtrun_fp16::toOdd(d.x), simtrun_fp16::toOdd(d.y)), saturate, rounding);
}
static SIMTRUN_SMALL_HD __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw b, __nv_saturation_t saturate, enum cudaRoundMode rounding) {
	return __nv_cvt_float2_to_e8m0x2(__bfloat1622float2(__nv_bfloat162(b)), saturate, rounding);
}
static SIMTRUN_SMALL_HD __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t v) {
	__nv_bfloat16_raw raw = {(unsigned short)(v == 0 ? 0x40 : v == 0xff ? 0x7fff : v << 7)};
	return raw;
}
static SIMTRUN_SMALL_HD __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t v) {
	__nv_bfloat162_raw raw = {__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)v).x, __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(v >> 8)).x};
	return raw;
}

namespace simtrun_small {
enum E8M0 { e8m0 };
static SIMTRUN_SMALL_HD unsigned int of(float f, __nv_fp8_interpretation_t kind) { return __nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind); }
static SIMTRUN_SMALL_HD unsigned int of(float f, E8M0) { return __nv_cvt_float_to_e8m0(f, __NV_SATFINITE, cudaRoundPosInf); }
static SIMTRUN_SMALL_HD float toFloat(unsigned int v, __nv_fp8_interpretation_t kind) { return simtrun_fp8ToFloat((__nv_fp8_storage_t)v, kind); }
static SIMTRUN_SMALL_HD float toFloat(unsigned int v, E8M0) { return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)v)).value(); }
} // namespace simtrun_small
SIMTRUN_SMALL(fp8, e4m3, __nv_fp8_interpretation_t, __NV_E4M3, 8, (__x & 0x7f) != 0, )
SIMTRUN_SMALL(fp8, e5m2, __nv_fp8_interpretation_t, __NV_E5M2, 8, (__x & 0x7f) != 0, )
SIMTRUN_SMALL(fp8, e8m0, simtrun_small::E8M0, simtrun_small::e8m0, 8, true,
              explicit SIMTRUN_SMALL_HD operator __nv_bfloat162() const { return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x)); })

#endif
#endif
