/* bfloat16: the upper half of a float. */
#ifndef SIMTRUN_CUDA_BF16_H
#define SIMTRUN_CUDA_BF16_H

#pragma GCC system_header

#include "cuda_fp16.h"
#include "cuda_runtime.h"

#define __CUDA_BF16_TYPES_EXIST__

#if defined(__cplusplus)
#include <math.h>
#include <string.h>

#define SIMTRUN_HD __host__ __device__ __inline__

namespace simtrun_bf16 {
static SIMTRUN_HD float toFloat(unsigned short b) {
	unsigned int bits = (unsigned int)b << 16;
	float f;
	memcpy(&f, &bits, 4);
	return f;
}

/* MODE rounds: 0 to nearest even, 1 towards zero, 2 down, 3 up. */
static SIMTRUN_HD unsigned short fromFloat(float f, int mode) {
	unsigned int bits;
	memcpy(&bits, &f, 4);
	if ((bits & 0x7fffffff) > 0x7f800000)
		return 0x7fff;
	unsigned int kept = bits >> 16, rest = bits & 0xffff, sign = bits >> 31;
	int up = mode == 0 ? rest > 0x8000 || (rest == 0x8000 && (kept & 1)) : mode == 2 ? sign && rest : mode == 3 && !sign && rest;
	return (unsigned short)(kept + (up ? 1 : 0));
}
} // namespace simtrun_bf16

struct __nv_bfloat16_raw {
	unsigned short x;
};
struct __nv_bfloat162_raw {
	unsigned short x, y;
};

struct __nv_bfloat16 {
	unsigned short __x;

	static SIMTRUN_HD __nv_bfloat16 of(float f) {
		__nv_bfloat16 v;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
		__asm__("cvt.rn.bf16.f32 %0, %1;" : "=h"(v.__x) : "f"(f));
#else
		v.__x = simtrun_bf16::fromFloat(f, 0);
#endif
		return v;
	}
	SIMTRUN_HD float value() const { return simtrun_bf16::toFloat(__x); }

	__nv_bfloat16() = default;
	__nv_bfloat16(const __nv_bfloat16 &) = default;
	__nv_bfloat16 &operator=(const __nv_bfloat16 &) = default;
	SIMTRUN_HD __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
	SIMTRUN_HD operator __nv_bfloat16_raw() const volatile {
		__nv_bfloat16_raw raw = {__x};
		return raw;
	}
	SIMTRUN_HD __nv_bfloat16 &operator=(const __nv_bfloat16_raw &raw) {
		__x = raw.x;
		return *this;
	}
	SIMTRUN_HD volatile __nv_bfloat16 &operator=(const __nv_bfloat16_raw &raw) volatile {
		__x = raw.x;
		return *this;
	}
	SIMTRUN_HD volatile __nv_bfloat16 &operator=(const volatile __nv_bfloat16_raw &raw) volatile {
		__x = raw.x;
		return *this;
	}
#if !defined(__CUDA_NO_BFLOAT16_CONVERSIONS__)
	SIMTRUN_HD __nv_bfloat16(float f) { *this = of(f); }
	SIMTRUN_HD __nv_bfloat16(double d) { *this = of(simtrun_fp16::toOdd(d)); }
	explicit SIMTRUN_HD __nv_bfloat16(const __half &h) { *this = of(h.value()); }
	SIMTRUN_HD __nv_bfloat16(int i) { *this = of((float)i); }
	SIMTRUN_HD __nv_bfloat16(unsigned int i) { *this = of((float)i); }
	SIMTRUN_HD __nv_bfloat16(long i) { *this = of((float)i); }
	SIMTRUN_HD __nv_bfloat16(unsigned long i) { *this = of((float)i); }
	SIMTRUN_HD __nv_bfloat16(long long i) { *this = of((float)i); }
	SIMTRUN_HD __nv_bfloat16(unsigned long long i) { *this = of((float)i); }
	SIMTRUN_HD __nv_bfloat16(short i) { *this = of((float)i); }
	SIMTRUN_HD __nv_bfloat16(unsigned short i) { *this = of((float)i); }
	SIMTRUN_HD operator float() const { return value(); }
	SIMTRUN_HD explicit operator double() const { return (double)value(); }
	SIMTRUN_HD operator bool() const { return (__x & 0x7fff) != 0; }
	SIMTRUN_HD operator char() const { return (char)value(); }
	SIMTRUN_HD operator signed char() const { return (signed char)value(); }
	SIMTRUN_HD operator unsigned char() const { return (unsigned char)value(); }
	SIMTRUN_HD operator short() const { return (short)value(); }
	SIMTRUN_HD operator unsigned short() const { return (unsigned short)value(); }
	SIMTRUN_HD operator int() const { return (int)value(); }
	SIMTRUN_HD operator unsigned int() const { return (unsigned int)value(); }
	SIMTRUN_HD operator long() const { return (long)value(); }
	SIMTRUN_HD operator unsigned long() const { return (unsigned long)value(); }
	SIMTRUN_HD operator long long() const { return (long long)value(); }
	SIMTRUN_HD operator unsigned long long() const { return (unsigned long long)value(); }
#define SIMTRUN_ASSIGN(T)                                                                                              \
	SIMTRUN_HD __nv_bfloat16 &operator=(T v) {                                                                           \
		*this = __nv_bfloat16(v);                                                                                          \
		return *this;                                                                                                      \
	}
	SIMTRUN_ASSIGN(float)
	SIMTRUN_ASSIGN(double)
	SIMTRUN_ASSIGN(int)
	SIMTRUN_ASSIGN(unsigned int)
	SIMTRUN_ASSIGN(short)
	SIMTRUN_ASSIGN(unsigned short)
	SIMTRUN_ASSIGN(long long)
	SIMTRUN_ASSIGN(unsigned long long)
#undef SIMTRUN_ASSIGN
#endif
};

struct __align__(4) __nv_bfloat162 {
	__nv_bfloat16 x, y;
	__nv_bfloat162() = default;
	SIMTRUN_HD __nv_bfloat162(const __nv_bfloat16 &x, const __nv_bfloat16 &y) : x(x), y(y) {}
	SIMTRUN_HD __nv_bfloat162(const __nv_bfloat162_raw &raw) {
		x.__x = raw.x, y.__x = raw.y;
	}
	SIMTRUN_HD operator __nv_bfloat162_raw() const {
		__nv_bfloat162_raw raw = {x.__x, y.__x};
		return raw;
	}
};
#if !defined(__CUDA_NO_HALF_CONVERSIONS__)
SIMTRUN_HD __half::__half(const __nv_bfloat16 &b) { *this = of(b.value()); }
#endif
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

namespace simtrun_bf16 {
static SIMTRUN_HD __nv_bfloat16 ofBits(unsigned short bits) {
	__nv_bfloat16 v;
	v.__x = bits;
	return v;
}
/* Single precision has more than twice the bits of a bfloat16: sums and products are rounded as if once. */
static SIMTRUN_HD __nv_bfloat16 add(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16::of(a.value() + b.value()); }
static SIMTRUN_HD __nv_bfloat16 sub(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16::of(a.value() - b.value()); }
static SIMTRUN_HD __nv_bfloat16 mul(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16::of(a.value() * b.value()); }
static SIMTRUN_HD __nv_bfloat16 fma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	__nv_bfloat16 v;
	__asm__("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(v.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
	return v;
#else
	return __nv_bfloat16::of(simtrun_fp16::toOdd((double)a.value() * (double)b.value() + (double)c.value()));
#endif
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
static __device__ __inline__ __nv_bfloat162 fma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
	unsigned int x, y, z, r;
	__builtin_memcpy(&x, &a, 4);
	__builtin_memcpy(&y, &b, 4);
	__builtin_memcpy(&z, &c, 4);
	__asm__("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
	__nv_bfloat162 v;
	__builtin_memcpy(&v, &r, 4);
	return v;
}
static __device__ __inline__ __nv_bfloat162 both(unsigned short bits) {
	return __nv_bfloat162(ofBits(bits), ofBits(bits));
}
/* By fused products with 1, -1 and -0, which every architecture with bfloat16 has. */
static __device__ __inline__ __nv_bfloat162 add2(__nv_bfloat162 a, __nv_bfloat162 b) { return fma2(a, both(0x3f80), b); }
static __device__ __inline__ __nv_bfloat162 sub2(__nv_bfloat162 a, __nv_bfloat162 b) { return fma2(b, both(0xbf80), a); }
static __device__ __inline__ __nv_bfloat162 mul2(__nv_bfloat162 a, __nv_bfloat162 b) { return fma2(a, b, both(0x8000)); }
#else
static SIMTRUN_HD __nv_bfloat162 add2(__nv_bfloat162 a, __nv_bfloat162 b) {
	return __nv_bfloat162(add(a.x, b.x), add(a.y, b.y));
}
static SIMTRUN_HD __nv_bfloat162 sub2(__nv_bfloat162 a, __nv_bfloat162 b) {
	return __nv_bfloat162(sub(a.x, b.x), sub(a.y, b.y));
}
static SIMTRUN_HD __nv_bfloat162 mul2(__nv_bfloat162 a, __nv_bfloat162 b) {
	return __nv_bfloat162(mul(a.x, b.x), mul(a.y, b.y));
}
static SIMTRUN_HD __nv_bfloat162 fma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
	return __nv_bfloat162(fma(a.x, b.x, c.x), fma(a.y, b.y, c.y));
}
#endif
} // namespace simtrun_bf16

#define HALF __nv_bfloat16
#define HALF2 __nv_bfloat162
#define TO_FLOAT(a) (a).value()
#define FROM_FLOAT(f) __nv_bfloat16::of(f)
#define BITS(a) ((a).__x)
#define FROM_BITS(bits) simtrun_bf16::ofBits((unsigned short)(bits))
#define ADD(a, b) simtrun_bf16::add(a, b)
#define SUB(a, b) simtrun_bf16::sub(a, b)
#define MUL(a, b) simtrun_bf16::mul(a, b)
#define DIV(a, b) __nv_bfloat16::of((a).value() / (b).value())
#define FMA(a, b, c) simtrun_bf16::fma(a, b, c)
#define ADD2(a, b) simtrun_bf16::add2(a, b)
#define SUB2(a, b) simtrun_bf16::sub2(a, b)
#define MUL2(a, b) simtrun_bf16::mul2(a, b)
#define FMA2(a, b, c) simtrun_bf16::fma2(a, b, c)
#if defined(__CUDA_NO_BFLOAT16_OPERATORS__)
#define SIMTRUN_NO_OPERATORS
#endif
#if defined(__CUDA_NO_BFLOAT162_OPERATORS__)
#define SIMTRUN_NO_OPERATORS2
#endif
#include "simtrun/halves.h"

/* Conversions. */
#define SIMTRUN_CONVERT static SIMTRUN_HD
SIMTRUN_CONVERT __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16::of(f); }
SIMTRUN_CONVERT __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16::of(f); }
SIMTRUN_CONVERT __nv_bfloat16 __float2bfloat16_rz(float f) { return simtrun_bf16::ofBits(simtrun_bf16::fromFloat(f, 1)); }
SIMTRUN_CONVERT __nv_bfloat16 __float2bfloat16_rd(float f) { return simtrun_bf16::ofBits(simtrun_bf16::fromFloat(f, 2)); }
SIMTRUN_CONVERT __nv_bfloat16 __float2bfloat16_ru(float f) { return simtrun_bf16::ofBits(simtrun_bf16::fromFloat(f, 3)); }
SIMTRUN_CONVERT __nv_bfloat16 __double2bfloat16(double d) { return __nv_bfloat16::of(simtrun_fp16::toOdd(d)); }
SIMTRUN_CONVERT float __bfloat162float(__nv_bfloat16 a) { return a.value(); }
SIMTRUN_CONVERT __nv_bfloat162 __float2bfloat162_rn(float f) {
	return __nv_bfloat162(__nv_bfloat16::of(f), __nv_bfloat16::of(f));
}
SIMTRUN_CONVERT __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
	return __nv_bfloat162(__nv_bfloat16::of(x), __nv_bfloat16::of(y));
}
SIMTRUN_CONVERT __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
SIMTRUN_CONVERT float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2(a.x.value(), a.y.value()); }
SIMTRUN_CONVERT float __low2float(__nv_bfloat162 a) { return a.x.value(); }
SIMTRUN_CONVERT float __high2float(__nv_bfloat162 a) { return a.y.value(); }
SIMTRUN_CONVERT __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
SIMTRUN_CONVERT __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
SIMTRUN_CONVERT __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
SIMTRUN_CONVERT __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
SIMTRUN_CONVERT __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
SIMTRUN_CONVERT __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
SIMTRUN_CONVERT __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
SIMTRUN_CONVERT __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
SIMTRUN_CONVERT __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
SIMTRUN_CONVERT __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
SIMTRUN_CONVERT short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
SIMTRUN_CONVERT unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
SIMTRUN_CONVERT __nv_bfloat16 __short_as_bfloat16(short bits) { return simtrun_bf16::ofBits((unsigned short)bits); }
SIMTRUN_CONVERT __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return simtrun_bf16::ofBits(bits); }

#define WORD bfloat16
#include "simtrun/half_integers.h"
#undef WORD
#undef HALF
#undef HALF2
#undef TO_FLOAT
#undef FROM_FLOAT
#undef BITS
#undef FROM_BITS
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef FMA
#undef ADD2
#undef SUB2
#undef MUL2
#undef FMA2
#undef SIMTRUN_CONVERT
#undef SIMTRUN_HD

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)

#endif
#endif
