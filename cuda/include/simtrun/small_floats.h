/* The common part of the 4-bit, 6-bit and 8-bit types. A type is identified by its kind, an enumeration for which
   simtrun_small::of and toFloat are overloaded. */
#ifndef SIMTRUN_SMALL_FLOATS_H
#define SIMTRUN_SMALL_FLOATS_H

#pragma GCC system_header

#include "../cuda_bf16.h"
#include "../cuda_fp16.h"
#include "../device_types.h"

#if defined(__cplusplus)
#define SIMTRUN_SMALL_HD __host__ __device__ __inline__

namespace simtrun_small {
/* Rounds the absolute value of f, which must not be NaN, to a format with the given fraction bits and bias. If f
   is too large, the result has more bits than the format. */
static SIMTRUN_SMALL_HD unsigned int rounded(float f, int digits, int bias, enum cudaRoundMode mode) {
	unsigned int bits;
	memcpy(&bits, &f, 4);
	bool negative = bits >> 31;
	unsigned int magnitude = bits & 0x7fffffff, fraction = magnitude & 0x7fffff;
	int shift = 23 - digits, exponent = (int)(magnitude >> 23) - 127 + bias;
	if (exponent <= 0) { /* subnormal */
		fraction |= magnitude >> 23 ? 0x800000 : 0;
		shift = shift + 1 - exponent < 31 ? shift + 1 - exponent : 31;
		exponent = 0;
	}
	unsigned int kept = (unsigned int)exponent << digits | fraction >> shift;
	unsigned int rest = fraction & ((1u << shift) - 1), middle = 1u << (shift - 1);
	bool up = mode == cudaRoundNearest  ? rest > middle || (rest == middle && (kept & 1))
	          : mode == cudaRoundPosInf ? rest && !negative
	          : mode == cudaRoundMinInf ? rest && negative
	                                    : false;
	return kept + (up ? 1 : 0);
}

/* The value of such bits without a sign. */
static SIMTRUN_SMALL_HD float valueOf(unsigned int bits, int digits, int bias) {
	unsigned int unit = (unsigned int)(128 - bias - digits) << 23, normal = (bits << (23 - digits)) + ((unsigned int)(127 - bias) << 23);
	float f, step;
	memcpy(&f, &normal, 4);
	memcpy(&step, &unit, 4);
	return bits >> digits ? f : (float)bits * step;
}
} // namespace simtrun_small

/* The types of one, two and four numbers, with BITS per element. Constructors saturate. Conversions to integers
   round towards zero and saturate; NaN becomes 0. ZERO are the bits that are 0 in zero, and MORE are further
   members of the type of two. */
#define SIMTRUN_SMALL_FROM(NAME, T)                                                                                    \
	explicit SIMTRUN_SMALL_HD NAME(T v) { __x = (storage)simtrun_small::of(simtrun_fp16::toOdd((double)v), kind); }
#define SIMTRUN_SMALL_TO(T, LEAST, MOST)                                                                               \
	explicit SIMTRUN_SMALL_HD operator T() const {                                                                             \
		float f = value();                                                                                                 \
		return f != f ? (T)0 : f <= (float)(LEAST) ? (T)(LEAST) : f >= (float)(MOST) ? (T)(MOST) : (T)f;                   \
	}
#define SIMTRUN_SMALL(FP, E, KINDS, KIND, BITS, ZERO, MORE)                                                            \
	struct __nv_##FP##_##E {                                                                                             \
		typedef __nv_##FP##_storage_t storage;                                                                             \
		static const KINDS kind = KIND;                                                                                    \
		storage __x;                                                                                                       \
		__nv_##FP##_##E() = default;                                                                                       \
		explicit SIMTRUN_SMALL_HD __nv_##FP##_##E(__half v) { __x = (storage)simtrun_small::of(v.value(), kind); }               \
		explicit SIMTRUN_SMALL_HD __nv_##FP##_##E(__nv_bfloat16 v) { __x = (storage)simtrun_small::of(v.value(), kind); }        \
		explicit SIMTRUN_SMALL_HD __nv_##FP##_##E(float v) { __x = (storage)simtrun_small::of(v, kind); }                        \
		SIMTRUN_SMALL_FROM(__nv_##FP##_##E, double)                                                                        \
		SIMTRUN_SMALL_FROM(__nv_##FP##_##E, short)                                                                         \
		SIMTRUN_SMALL_FROM(__nv_##FP##_##E, unsigned short)                                                                \
		SIMTRUN_SMALL_FROM(__nv_##FP##_##E, int)                                                                           \
		SIMTRUN_SMALL_FROM(__nv_##FP##_##E, unsigned int)                                                                  \
		SIMTRUN_SMALL_FROM(__nv_##FP##_##E, long)                                                                          \
		SIMTRUN_SMALL_FROM(__nv_##FP##_##E, unsigned long)                                                                 \
		SIMTRUN_SMALL_FROM(__nv_##FP##_##E, long long)                                                                     \
		SIMTRUN_SMALL_FROM(__nv_##FP##_##E, unsigned long long)                                                            \
		SIMTRUN_SMALL_HD float value() const { return simtrun_small::toFloat(__x, kind); }                                       \
		explicit SIMTRUN_SMALL_HD operator __half() const { return __half::of(value()); }                                        \
		explicit SIMTRUN_SMALL_HD operator __nv_bfloat16() const { return __nv_bfloat16::of(value()); }                          \
		explicit SIMTRUN_SMALL_HD operator float() const { return value(); }                                                     \
		explicit SIMTRUN_SMALL_HD operator double() const { return (double)value(); }                                            \
		explicit SIMTRUN_SMALL_HD operator bool() const { return ZERO; }                                                         \
		SIMTRUN_SMALL_TO(char, (char)-1 < 0 ? -128 : 0, (char)-1 < 0 ? 127 : 255)                                          \
		SIMTRUN_SMALL_TO(signed char, -128, 127)                                                                           \
		SIMTRUN_SMALL_TO(unsigned char, 0, 255)                                                                            \
		SIMTRUN_SMALL_TO(short, -32768, 32767)                                                                             \
		SIMTRUN_SMALL_TO(unsigned short, 0, 65535)                                                                         \
		SIMTRUN_SMALL_TO(int, -2147483647 - 1, 2147483647)                                                                 \
		SIMTRUN_SMALL_TO(unsigned int, 0, 4294967295u)                                                                     \
		SIMTRUN_SMALL_TO(long, -(long)(~0ul >> 1) - 1, ~0ul >> 1)                                                          \
		SIMTRUN_SMALL_TO(unsigned long, 0, ~0ul)                                                                           \
		SIMTRUN_SMALL_TO(long long, -9223372036854775807ll - 1, 9223372036854775807ll)                                     \
		SIMTRUN_SMALL_TO(unsigned long long, 0, 18446744073709551615ull)                                                   \
	};                                                                                                                   \
	struct __align__(2 * BITS / 8) __nv_##FP##x2_##E {                                                                   \
		typedef __nv_##FP##x2_storage_t storage;                                                                           \
		static const KINDS kind = KIND;                                                                                    \
		storage __x;                                                                                                       \
		__nv_##FP##x2_##E() = default;                                                                                     \
		explicit SIMTRUN_SMALL_HD __nv_##FP##x2_##E(float2 v) {                                                                  \
			__x = (storage)(simtrun_small::of(v.x, kind) | simtrun_small::of(v.y, kind) << BITS);                            \
		}                                                                                                                  \
		explicit SIMTRUN_SMALL_HD __nv_##FP##x2_##E(__half2 v) : __nv_##FP##x2_##E(__half22float2(v)) {}                         \
		explicit SIMTRUN_SMALL_HD __nv_##FP##x2_##E(__nv_bfloat162 v) : __nv_##FP##x2_##E(__bfloat1622float2(v)) {}              \
		explicit SIMTRUN_SMALL_HD __nv_##FP##x2_##E(double2 v)                                                                   \
		    : __nv_##FP##x2_##E(make_float2(simtrun_fp16::toOdd(v.x), simtrun_fp16::toOdd(v.y))) {}                        \
		explicit SIMTRUN_SMALL_HD operator float2() const {                                                                      \
			return make_float2(simtrun_small::toFloat(__x & ((1 << BITS) - 1), kind), simtrun_small::toFloat(__x >> BITS, kind)); \
		}                                                                                                                  \
		explicit SIMTRUN_SMALL_HD operator __half2() const { return __float22half2_rn((float2) * this); }                        \
		MORE                                                                                                               \
	};                                                                                                                   \
	struct __align__(4 * BITS / 8) __nv_##FP##x4_##E {                                                                   \
		typedef __nv_##FP##x4_storage_t storage;                                                                           \
		static const KINDS kind = KIND;                                                                                    \
		storage __x;                                                                                                       \
		__nv_##FP##x4_##E() = default;                                                                                     \
		explicit SIMTRUN_SMALL_HD __nv_##FP##x4_##E(__half2 low, __half2 high) { set(__nv_##FP##x2_##E(low), __nv_##FP##x2_##E(high)); } \
		explicit SIMTRUN_SMALL_HD __nv_##FP##x4_##E(__nv_bfloat162 low, __nv_bfloat162 high) {                                   \
			set(__nv_##FP##x2_##E(low), __nv_##FP##x2_##E(high));                                                            \
		}                                                                                                                  \
		explicit SIMTRUN_SMALL_HD __nv_##FP##x4_##E(float4 v) {                                                                  \
			set(__nv_##FP##x2_##E(make_float2(v.x, v.y)), __nv_##FP##x2_##E(make_float2(v.z, v.w)));                         \
		}                                                                                                                  \
		explicit SIMTRUN_SMALL_HD __nv_##FP##x4_##E(double4 v) {                                                                 \
			set(__nv_##FP##x2_##E(make_double2(v.x, v.y)), __nv_##FP##x2_##E(make_double2(v.z, v.w)));                       \
		}                                                                                                                  \
		explicit SIMTRUN_SMALL_HD operator float4() const {                                                                      \
			__nv_##FP##x2_##E low, high;                                                                                     \
			low.__x = (__nv_##FP##x2_storage_t)__x, high.__x = (__nv_##FP##x2_storage_t)(__x >> 2 * BITS);                   \
			float2 l = (float2)low, h = (float2)high;                                                                        \
			return make_float4(l.x, l.y, h.x, h.y);                                                                          \
		}                                                                                                                  \
                                                                                                                       \
	private:                                                                                                             \
		SIMTRUN_SMALL_HD void set(__nv_##FP##x2_##E low, __nv_##FP##x2_##E high) { __x = (storage)((unsigned int)high.__x << 2 * BITS | low.__x); } \
	};

#endif
#endif
