/* Half precision: 1 sign bit, 5 bits of exponent, 10 of fraction. */
#ifndef SIMTRUN_CUDA_FP16_H
#define SIMTRUN_CUDA_FP16_H

#pragma GCC system_header

#include "cuda_runtime.h"

#define __CUDA_FP16_TYPES_EXIST__

#if defined(__cplusplus)
#include <math.h>
#include <string.h>

#define SIMTRUN_HD __host__ __device__ __inline__

/* The float of a half's bits, and the half nearest to a float, without a type of the host's for it. */
namespace simtrun_fp16 {
static SIMTRUN_HD float toFloat(unsigned short h) {
	unsigned int sign = (unsigned int)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023, bits;
	if (exponent == 31)
		bits = sign | 0x7f800000 | fraction << 13;
	else if (exponent != 0)
		bits = sign | (exponent + 112) << 23 | fraction << 13;
	else {
		float f = (float)fraction * 5.9604644775390625e-08f; /* 2^-24 */
		return sign ? -f : f;
	}
	float f;
	memcpy(&f, &bits, 4);
	return f;
}

/* MODE rounds: 0 to nearest even, 1 towards zero, 2 down, 3 up. */
static SIMTRUN_HD unsigned short fromFloat(float f, int mode) {
	unsigned int bits;
	memcpy(&bits, &f, 4);
	unsigned int sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
	if (magnitude > 0x7f800000)
		return 0x7fff;
	int shift = 13, exponent = (int)(magnitude >> 23) - 112;
	unsigned int fraction = magnitude & 0x7fffff, kept;
	if (exponent >= 31) /* 65536 and more, or infinity */
		kept = magnitude == 0x7f800000 ? 0x7c00 : 0x7bff, fraction = magnitude == 0x7f800000 ? 0 : 0x1fff, shift = 13;
	else {
		if (exponent <= 0) { /* subnormal */
			fraction |= magnitude >> 23 ? 0x800000 : 0;
			shift = 14 - exponent < 31 ? 14 - exponent : 31;
			exponent = 0;
		}
		kept = (unsigned int)exponent << 10 | fraction >> shift;
	}
	unsigned int rest = fraction & ((1u << shift) - 1), middle = 1u << (shift - 1);
	int up = mode == 0 ? rest > middle || (rest == middle && (kept & 1)) : mode == 2 ? sign && rest : mode == 3 && !sign && rest;
	return (unsigned short)(sign | (kept + (up ? 1 : 0)));
}

/* The float next to a double, with an odd fraction if it is another: a further rounding then has the result of one from the double. */
static SIMTRUN_HD float toOdd(double d) {
	float f = (float)d;
	if ((double)f != d && d == d) {
		unsigned int bits;
		memcpy(&bits, &f, 4);
		if (((double)f > d) == (d > 0))
			bits--;
		bits |= 1;
		memcpy(&f, &bits, 4);
	}
	return f;
}

/* The double of an integer, or, beyond 53 bits, one that rounds as the integer does to few bits. */
static SIMTRUN_HD double toDouble(long long i) {
	return (double)(i >> 53 == i >> 63 ? i : (i & ~0x7ffll) | ((i & 0x7ff) != 0 ? 0x800 : 0));
}
static SIMTRUN_HD double toDouble(unsigned long long i) {
	return (double)(i >> 53 == 0 ? i : (i & ~0x7ffull) | ((i & 0x7ff) != 0 ? 0x800 : 0));
}
} // namespace simtrun_fp16

struct __half_raw {
	unsigned short x;
};
struct __half2_raw {
	unsigned short x, y;
};

struct __nv_bfloat16;
struct __half {
	unsigned short __x;

#if defined(__CUDA_ARCH__)
	static __device__ __inline__ __half of(float f) {
		_Float16 h = (_Float16)f;
		__half v;
		__builtin_memcpy(&v.__x, &h, 2);
		return v;
	}
	__device__ __inline__ float value() const {
		_Float16 h;
		__builtin_memcpy(&h, &__x, 2);
		return (float)h;
	}
#else
	static SIMTRUN_HD __half of(float f) {
		__half v;
		v.__x = simtrun_fp16::fromFloat(f, 0);
		return v;
	}
	SIMTRUN_HD float value() const { return simtrun_fp16::toFloat(__x); }
#endif
	__half() = default;
	SIMTRUN_HD __half(const __half_raw &raw) : __x(raw.x) {}
	SIMTRUN_HD operator __half_raw() const volatile {
		__half_raw raw = {__x};
		return raw;
	}
	SIMTRUN_HD __half &operator=(const __half_raw &raw) {
		__x = raw.x;
		return *this;
	}
	SIMTRUN_HD volatile __half &operator=(const __half_raw &raw) volatile {
		__x = raw.x;
		return *this;
	}
	SIMTRUN_HD volatile __half &operator=(const volatile __half_raw &raw) volatile {
		__x = raw.x;
		return *this;
	}
#if !defined(__CUDA_NO_HALF_CONVERSIONS__)
	SIMTRUN_HD __half(float f) { *this = of(f); }
	SIMTRUN_HD __half(double d) { *this = of(simtrun_fp16::toOdd(d)); }
	explicit SIMTRUN_HD __half(const __nv_bfloat16 &b); /* cuda_bf16.h defines it */
	SIMTRUN_HD __half(int i) { *this = of((float)i); }
	SIMTRUN_HD __half(unsigned int i) { *this = of((float)i); }
	SIMTRUN_HD __half(long i) { *this = of((float)i); }
	SIMTRUN_HD __half(unsigned long i) { *this = of((float)i); }
	SIMTRUN_HD __half(long long i) { *this = of((float)i); }
	SIMTRUN_HD __half(unsigned long long i) { *this = of((float)i); }
	SIMTRUN_HD __half(short i) { *this = of((float)i); }
	SIMTRUN_HD __half(unsigned short i) { *this = of((float)i); }
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
	SIMTRUN_HD __half &operator=(T v) {                                                                                  \
		*this = __half(v);                                                                                                 \
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
	__half(const __half &) = default;
	__half &operator=(const __half &) = default;
};

struct __align__(4) __half2 {
	__half x, y;
	__half2() = default;
	SIMTRUN_HD __half2(const __half &x, const __half &y) : x(x), y(y) {}
	SIMTRUN_HD __half2(const __half2_raw &raw) {
		x.__x = raw.x, y.__x = raw.y;
	}
	SIMTRUN_HD operator __half2_raw() const {
		__half2_raw raw = {x.__x, y.__x};
		return raw;
	}
};

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half nv_half;
typedef __half2 nv_half2;

namespace simtrun_fp16 {
static SIMTRUN_HD __half ofBits(unsigned short bits) {
	__half v;
	v.__x = bits;
	return v;
}

#if defined(__CUDA_ARCH__)
/* The device has the type: its instructions are those of _Float16 and pairs of it. */
typedef _Float16 pair __attribute__((ext_vector_type(2)));
static __device__ __inline__ _Float16 native(__half a) {
	_Float16 h;
	__builtin_memcpy(&h, &a, 2);
	return h;
}
static __device__ __inline__ __half wrap(_Float16 h) {
	__half a;
	__builtin_memcpy(&a, &h, 2);
	return a;
}
static __device__ __inline__ pair native(__half2 a) {
	pair p;
	__builtin_memcpy(&p, &a, 4);
	return p;
}
static __device__ __inline__ __half2 wrap(pair p) {
	__half2 a;
	__builtin_memcpy(&a, &p, 4);
	return a;
}
static __device__ __inline__ __half add(__half a, __half b) { return wrap((_Float16)(native(a) + native(b))); }
static __device__ __inline__ __half sub(__half a, __half b) { return wrap((_Float16)(native(a) - native(b))); }
static __device__ __inline__ __half mul(__half a, __half b) { return wrap((_Float16)(native(a) * native(b))); }
static __device__ __inline__ __half fma(__half a, __half b, __half c) {
	unsigned short r;
	__asm__("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
	return ofBits(r);
}
static __device__ __inline__ __half2 add(__half2 a, __half2 b) { return wrap(native(a) + native(b)); }
static __device__ __inline__ __half2 sub(__half2 a, __half2 b) { return wrap(native(a) - native(b)); }
static __device__ __inline__ __half2 mul(__half2 a, __half2 b) { return wrap(native(a) * native(b)); }
static __device__ __inline__ __half2 fma(__half2 a, __half2 b, __half2 c) {
	unsigned int x, y, z, r;
	__builtin_memcpy(&x, &a, 4);
	__builtin_memcpy(&y, &b, 4);
	__builtin_memcpy(&z, &c, 4);
	__asm__("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
	__half2 v;
	__builtin_memcpy(&v, &r, 4);
	return v;
}
#else
/* Sums and products in single precision have twice the bits of a half and two more: they are rounded as if once. */
static SIMTRUN_HD __half add(__half a, __half b) { return __half::of(a.value() + b.value()); }
static SIMTRUN_HD __half sub(__half a, __half b) { return __half::of(a.value() - b.value()); }
static SIMTRUN_HD __half mul(__half a, __half b) { return __half::of(a.value() * b.value()); }
static SIMTRUN_HD __half fma(__half a, __half b, __half c) {
	return __half::of(simtrun_fp16::toOdd((double)a.value() * (double)b.value() + (double)c.value()));
}
static SIMTRUN_HD __half2 add(__half2 a, __half2 b) { return __half2(add(a.x, b.x), add(a.y, b.y)); }
static SIMTRUN_HD __half2 sub(__half2 a, __half2 b) { return __half2(sub(a.x, b.x), sub(a.y, b.y)); }
static SIMTRUN_HD __half2 mul(__half2 a, __half2 b) { return __half2(mul(a.x, b.x), mul(a.y, b.y)); }
static SIMTRUN_HD __half2 fma(__half2 a, __half2 b, __half2 c) { return __half2(fma(a.x, b.x, c.x), fma(a.y, b.y, c.y)); }
#endif
} // namespace simtrun_fp16

#define HALF __half
#define HALF2 __half2
#define TO_FLOAT(a) (a).value()
#define FROM_FLOAT(f) __half::of(f)
#define BITS(a) ((a).__x)
#define FROM_BITS(bits) simtrun_fp16::ofBits((unsigned short)(bits))
#define ADD(a, b) simtrun_fp16::add(a, b)
#define SUB(a, b) simtrun_fp16::sub(a, b)
#define MUL(a, b) simtrun_fp16::mul(a, b)
#define DIV(a, b) __half::of((a).value() / (b).value())
#define FMA(a, b, c) simtrun_fp16::fma(a, b, c)
#define ADD2(a, b) simtrun_fp16::add(a, b)
#define SUB2(a, b) simtrun_fp16::sub(a, b)
#define MUL2(a, b) simtrun_fp16::mul(a, b)
#define FMA2(a, b, c) simtrun_fp16::fma(a, b, c)
#if defined(__CUDA_NO_HALF_OPERATORS__)
#define SIMTRUN_NO_OPERATORS
#endif
#if defined(__CUDA_NO_HALF2_OPERATORS__)
#define SIMTRUN_NO_OPERATORS2
#endif
#include "simtrun/halves.h"

/* Conversions. */
#define SIMTRUN_CONVERT static SIMTRUN_HD
SIMTRUN_CONVERT __half __float2half(float f) { return __half::of(f); }
SIMTRUN_CONVERT __half __float2half_rn(float f) { return __half::of(f); }
SIMTRUN_CONVERT __half __float2half_rz(float f) { return simtrun_fp16::ofBits(simtrun_fp16::fromFloat(f, 1)); }
SIMTRUN_CONVERT __half __float2half_rd(float f) { return simtrun_fp16::ofBits(simtrun_fp16::fromFloat(f, 2)); }
SIMTRUN_CONVERT __half __float2half_ru(float f) { return simtrun_fp16::ofBits(simtrun_fp16::fromFloat(f, 3)); }
SIMTRUN_CONVERT __half __double2half(double d) { return __half::of(simtrun_fp16::toOdd(d)); }
SIMTRUN_CONVERT float __half2float(__half a) { return a.value(); }
SIMTRUN_CONVERT __half2 __float2half2_rn(float f) { return __half2(__half::of(f), __half::of(f)); }
SIMTRUN_CONVERT __half2 __floats2half2_rn(float x, float y) { return __half2(__half::of(x), __half::of(y)); }
SIMTRUN_CONVERT __half2 __float22half2_rn(float2 v) { return __half2(__half::of(v.x), __half::of(v.y)); }
SIMTRUN_CONVERT float2 __half22float2(__half2 a) { return make_float2(a.x.value(), a.y.value()); }
SIMTRUN_CONVERT float __low2float(__half2 a) { return a.x.value(); }
SIMTRUN_CONVERT float __high2float(__half2 a) { return a.y.value(); }
SIMTRUN_CONVERT __half __low2half(__half2 a) { return a.x; }
SIMTRUN_CONVERT __half __high2half(__half2 a) { return a.y; }
SIMTRUN_CONVERT __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
SIMTRUN_CONVERT __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
SIMTRUN_CONVERT __half2 __half2half2(__half a) { return __half2(a, a); }
SIMTRUN_CONVERT __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
SIMTRUN_CONVERT __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
SIMTRUN_CONVERT __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
SIMTRUN_CONVERT __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
SIMTRUN_CONVERT __half2 make_half2(__half x, __half y) { return __half2(x, y); }
SIMTRUN_CONVERT short __half_as_short(__half a) { return (short)a.__x; }
SIMTRUN_CONVERT unsigned short __half_as_ushort(__half a) { return a.__x; }
SIMTRUN_CONVERT __half __short_as_half(short bits) { return simtrun_fp16::ofBits((unsigned short)bits); }
SIMTRUN_CONVERT __half __ushort_as_half(unsigned short bits) { return simtrun_fp16::ofBits(bits); }

#define WORD half
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

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)

#endif
#endif
