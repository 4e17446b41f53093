/* Numbers of 8 bits: E4M3 has 4 bits of exponent, 3 of fraction and no infinity, E5M2 is the upper half of a __half. */
#ifndef SIMTRUN_CUDA_FP8_H
#define SIMTRUN_CUDA_FP8_H

#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

/* What becomes of numbers that are too great: infinity, or NaN where there is none; or the greatest number. */
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)
#define SIMTRUN_HD __host__ __device__ __inline__

static SIMTRUN_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float f, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	const int digits = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
	const unsigned int most = kind == __NV_E4M3 ? 0x7e : 0x7b;
	unsigned int bits;
	memcpy(&bits, &f, 4);
	unsigned int sign = bits >> 24 & 0x80, magnitude = bits & 0x7fffffff;
	if (magnitude > 0x7f800000)
		return 0x7f;
	int shift = 23 - digits, exponent = (int)(magnitude >> 23) - 127 + bias;
	unsigned int fraction = magnitude & 0x7fffff;
	if (exponent <= 0) { /* subnormal */
		fraction |= magnitude >> 23 ? 0x800000 : 0;
		shift = shift + 1 - exponent < 31 ? shift + 1 - exponent : 31;
		exponent = 0;
	}
	unsigned int kept = (unsigned int)exponent << digits | fraction >> shift;
	unsigned int rest = fraction & ((1u << shift) - 1), middle = 1u << (shift - 1);
	kept += rest > middle || (rest == middle && (kept & 1)) ? 1 : 0;
	if (kept > most)
		kept = saturate == __NV_SATFINITE ? most : kind == __NV_E4M3 ? 0x7f : 0x7c;
	return (__nv_fp8_storage_t)(sign | kept);
}
static SIMTRUN_HD float simtrun_fp8ToFloat(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind) {
	if (kind == __NV_E5M2)
		return simtrun_fp16::toFloat((unsigned short)(v << 8));
	unsigned int sign = (unsigned int)(v & 0x80) << 24, magnitude = v & 0x7f, bits = sign | ((magnitude << 20) + (120u << 23));
	if (magnitude == 0x7f)
		bits = 0x7fffffff;
	if (magnitude < 8) { /* subnormal, in 2^-9 */
		float f = (float)magnitude * 0.001953125f;
		return sign ? -f : f;
	}
	float f;
	memcpy(&f, &bits, 4);
	return f;
}
static SIMTRUN_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double d, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float_to_fp8(simtrun_fp16::toOdd(d), saturate, kind);
}
static SIMTRUN_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw h, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float_to_fp8(__half(h).value(), saturate, kind);
}
static SIMTRUN_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw b, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float_to_fp8(__nv_bfloat16(b).value(), saturate, kind);
}
static SIMTRUN_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind) {
	return __half::of(simtrun_fp8ToFloat(v, kind));
}

/* Of two, the first in the low byte. */
static SIMTRUN_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 f, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(f.x, saturate, kind) | __nv_cvt_float_to_fp8(f.y, saturate, kind) << 8);
}
static SIMTRUN_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 d, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float2_to_fp8x2(make_float2(simtrun_fp16::toOdd(d.x), simtrun_fp16::toOdd(d.y)), saturate, kind);
}
static SIMTRUN_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw h, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(h)), saturate, kind);
}
static SIMTRUN_HD __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw b, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
	return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(b)), saturate, kind);
}
static SIMTRUN_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t kind) {
	__half2_raw raw = {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)v, kind).x, __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(v >> 8), kind).x};
	return raw;
}

/* The types, one, two and four. Constructors have the greatest number for what is too great. */
#define SIMTRUN_FROM(NAME, T)                                                                                          \
	explicit SIMTRUN_HD NAME(T v) { __x = __nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, kind); }
/* Towards zero, clamped to the type; NaN is 0. */
#define SIMTRUN_TO(T, LEAST, MOST)                                                                                     \
	explicit SIMTRUN_HD operator T() const {                                                                             \
		float f = value();                                                                                                 \
		return f != f ? (T)0 : f <= (float)(LEAST) ? (T)(LEAST) : f >= (float)(MOST) ? (T)(MOST) : (T)f;                   \
	}
#define SIMTRUN_FP8(E, KIND)                                                                                           \
	struct __nv_fp8_##E {                                                                                                \
		static const __nv_fp8_interpretation_t kind = KIND;                                                                \
		__nv_fp8_storage_t __x;                                                                                            \
		__nv_fp8_##E() = default;                                                                                          \
		explicit SIMTRUN_HD __nv_fp8_##E(__half v) { __x = __nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, kind); }             \
		explicit SIMTRUN_HD __nv_fp8_##E(__nv_bfloat16 v) { __x = __nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, kind); }  \
		explicit SIMTRUN_HD __nv_fp8_##E(float v) { __x = __nv_cvt_float_to_fp8(v, __NV_SATFINITE, kind); }                \
		SIMTRUN_FROM(__nv_fp8_##E, double)                                                                                 \
		SIMTRUN_FROM(__nv_fp8_##E, short)                                                                                  \
		SIMTRUN_FROM(__nv_fp8_##E, unsigned short)                                                                         \
		SIMTRUN_FROM(__nv_fp8_##E, int)                                                                                    \
		SIMTRUN_FROM(__nv_fp8_##E, unsigned int)                                                                           \
		SIMTRUN_FROM(__nv_fp8_##E, long)                                                                                   \
		SIMTRUN_FROM(__nv_fp8_##E, unsigned long)                                                                          \
		SIMTRUN_FROM(__nv_fp8_##E, long long)                                                                              \
		SIMTRUN_FROM(__nv_fp8_##E, unsigned long long)                                                                     \
		SIMTRUN_HD float value() const { return simtrun_fp8ToFloat(__x, kind); }                                           \
		explicit SIMTRUN_HD operator __half() const { return __half::of(value()); }                                        \
		explicit SIMTRUN_HD operator __nv_bfloat16() const { return __nv_bfloat16::of(value()); }                          \
		explicit SIMTRUN_HD operator float() const { return value(); }                                                     \
		explicit SIMTRUN_HD operator double() const { return (double)value(); }                                            \
		explicit SIMTRUN_HD operator bool() const { return (__x & 0x7f) != 0; }                                            \
		SIMTRUN_TO(char, (char)-1 < 0 ? -128 : 0, (char)-1 < 0 ? 127 : 255)                                                \
		SIMTRUN_TO(signed char, -128, 127)                                                                                 \
		SIMTRUN_TO(unsigned char, 0, 255)                                                                                  \
		SIMTRUN_TO(short, -32768, 32767)                                                                                   \
		SIMTRUN_TO(unsigned short, 0, 65535)                                                                               \
		SIMTRUN_TO(int, -2147483647 - 1, 2147483647)                                                                       \
		SIMTRUN_TO(unsigned int, 0, 4294967295u)                                                                           \
		SIMTRUN_TO(long, -(long)(~0ul >> 1) - 1, ~0ul >> 1)                                                                \
		SIMTRUN_TO(unsigned long, 0, ~0ul)                                                                                 \
		SIMTRUN_TO(long long, -9223372036854775807ll - 1, 9223372036854775807ll)                                           \
		SIMTRUN_TO(unsigned long long, 0, 18446744073709551615ull)                                                         \
	};                                                                                                                   \
	struct __align__(2) __nv_fp8x2_##E {                                                                                 \
		static const __nv_fp8_interpretation_t kind = KIND;                                                                \
		__nv_fp8x2_storage_t __x;                                                                                          \
		__nv_fp8x2_##E() = default;                                                                                        \
		explicit SIMTRUN_HD __nv_fp8x2_##E(__half2 v) { __x = __nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, kind); }       \
		explicit SIMTRUN_HD __nv_fp8x2_##E(__nv_bfloat162 v) {                                                             \
			__x = __nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, kind);                                                   \
		}                                                                                                                  \
		explicit SIMTRUN_HD __nv_fp8x2_##E(float2 v) { __x = __nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind); }          \
		explicit SIMTRUN_HD __nv_fp8x2_##E(double2 v) { __x = __nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind); }        \
		explicit SIMTRUN_HD operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind)); }            \
		explicit SIMTRUN_HD operator float2() const { return __half22float2((__half2) * this); }                           \
	};                                                                                                                   \
	struct __align__(4) __nv_fp8x4_##E {                                                                                 \
		static const __nv_fp8_interpretation_t kind = KIND;                                                                \
		__nv_fp8x4_storage_t __x;                                                                                          \
		__nv_fp8x4_##E() = default;                                                                                        \
		explicit SIMTRUN_HD __nv_fp8x4_##E(__half2 low, __half2 high) {                                                    \
			set(__nv_fp8x2_##E(low).__x, __nv_fp8x2_##E(high).__x);                                                          \
		}                                                                                                                  \
		explicit SIMTRUN_HD __nv_fp8x4_##E(__nv_bfloat162 low, __nv_bfloat162 high) {                                      \
			set(__nv_fp8x2_##E(low).__x, __nv_fp8x2_##E(high).__x);                                                          \
		}                                                                                                                  \
		explicit SIMTRUN_HD __nv_fp8x4_##E(float4 v) {                                                                     \
			set(__nv_fp8x2_##E(make_float2(v.x, v.y)).__x, __nv_fp8x2_##E(make_float2(v.z, v.w)).__x);                       \
		}                                                                                                                  \
		explicit SIMTRUN_HD __nv_fp8x4_##E(double4 v) {                                                                    \
			set(__nv_fp8x2_##E(make_double2(v.x, v.y)).__x, __nv_fp8x2_##E(make_double2(v.z, v.w)).__x);                     \
		}                                                                                                                  \
		explicit SIMTRUN_HD operator float4() const {                                                                      \
			return make_float4(simtrun_fp8ToFloat((__nv_fp8_storage_t)__x, kind), simtrun_fp8ToFloat((__nv_fp8_storage_t)(__x >> 8), kind), \
			                   simtrun_fp8ToFloat((__nv_fp8_storage_t)(__x >> 16), kind), simtrun_fp8ToFloat((__nv_fp8_storage_t)(__x >> 24), kind)); \
		}                                                                                                                  \
                                                                                                                       \
	private:                                                                                                             \
		SIMTRUN_HD void set(__nv_fp8x2_storage_t low, __nv_fp8x2_storage_t high) { __x = (__nv_fp8x4_storage_t)high << 16 | low; } \
	};
SIMTRUN_FP8(e4m3, __NV_E4M3)
SIMTRUN_FP8(e5m2, __NV_E5M2)
#undef SIMTRUN_FP8
#undef SIMTRUN_FROM
#undef SIMTRUN_TO
#undef SIMTRUN_HD

#endif
#endif
