/* Device functions that clang's headers leave to CUDA's: min and max for all pairs of types, single-precision
   functions under their C++ names, and some of C. */
#ifndef SIMTRUN_MATH_H
#define SIMTRUN_MATH_H

#pragma GCC system_header

#define SIMTRUN_DEVICE static __inline__ __attribute__((always_inline)) SIMTRUN_OVERLOAD __device__

/* min and max convert as + does. */
#define SIMTRUN_MINMAX(R, A, B)                                                                                        \
	SIMTRUN_DEVICE R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                                 \
	SIMTRUN_DEVICE R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define SIMTRUN_MINMAX2(R, A, B) SIMTRUN_MINMAX(R, A, B) SIMTRUN_MINMAX(R, B, A)
SIMTRUN_MINMAX(unsigned int, unsigned int, unsigned int)
SIMTRUN_MINMAX2(unsigned int, unsigned int, int)
SIMTRUN_MINMAX(long, long, long)
SIMTRUN_MINMAX(unsigned long, unsigned long, unsigned long)
SIMTRUN_MINMAX2(unsigned long, unsigned long, long)
SIMTRUN_MINMAX(long long, long long, long long)
SIMTRUN_MINMAX(unsigned long long, unsigned long long, unsigned long long)
SIMTRUN_MINMAX2(unsigned long long, unsigned long long, long long)
#undef SIMTRUN_MINMAX

#define SIMTRUN_FMINMAX(R, A, B, SUFFIX)                                                                               \
	SIMTRUN_DEVICE R min(A a, B b) { return ::fmin##SUFFIX((R)a, (R)b); }                                                \
	SIMTRUN_DEVICE R max(A a, B b) { return ::fmax##SUFFIX((R)a, (R)b); }
SIMTRUN_FMINMAX(float, float, float, f)
SIMTRUN_FMINMAX(double, double, double, )
SIMTRUN_FMINMAX(double, float, double, )
SIMTRUN_FMINMAX(double, double, float, )
#undef SIMTRUN_FMINMAX
#undef SIMTRUN_MINMAX2

/* clang's headers declare C++'s overloads for single precision, but do not define the following. */
#define SIMTRUN_FLOAT(R, NAME) SIMTRUN_DEVICE R NAME(float x) { return ::NAME##f(x); }
#define SIMTRUN_FLOAT2(NAME) SIMTRUN_DEVICE float NAME(float x, float y) { return ::NAME##f(x, y); }
SIMTRUN_FLOAT(float, acosh)
SIMTRUN_FLOAT(float, asinh)
SIMTRUN_FLOAT(float, atanh)
SIMTRUN_FLOAT(float, cbrt)
SIMTRUN_FLOAT(float, erf)
SIMTRUN_FLOAT(float, erfc)
SIMTRUN_FLOAT(float, exp2)
SIMTRUN_FLOAT(float, expm1)
SIMTRUN_FLOAT(float, lgamma)
SIMTRUN_FLOAT(float, log1p)
SIMTRUN_FLOAT(float, log2)
SIMTRUN_FLOAT(float, logb)
SIMTRUN_FLOAT(float, nearbyint)
SIMTRUN_FLOAT(float, rint)
SIMTRUN_FLOAT(float, round)
SIMTRUN_FLOAT(float, tgamma)
SIMTRUN_FLOAT(float, trunc)
SIMTRUN_FLOAT(int, ilogb)
SIMTRUN_FLOAT(long, lrint)
SIMTRUN_FLOAT(long, lround)
SIMTRUN_FLOAT(long long, llrint)
SIMTRUN_FLOAT(long long, llround)
SIMTRUN_FLOAT2(copysign)
SIMTRUN_FLOAT2(fdim)
SIMTRUN_FLOAT2(fmax)
SIMTRUN_FLOAT2(fmin)
SIMTRUN_FLOAT2(hypot)
SIMTRUN_FLOAT2(nextafter)
SIMTRUN_FLOAT2(remainder)
#undef SIMTRUN_FLOAT
#undef SIMTRUN_FLOAT2
SIMTRUN_DEVICE float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
SIMTRUN_DEVICE float remquo(float x, float y, int *quotient) { return ::remquof(x, y, quotient); }
SIMTRUN_DEVICE float scalbn(float x, int n) { return ::scalbnf(x, n); }
SIMTRUN_DEVICE float scalbln(float x, long n) { return ::scalblnf(x, n); }
SIMTRUN_DEVICE float nanf(const char *tag) { return ::__nv_nanf((const signed char *)tag); }
SIMTRUN_DEVICE double nan(const char *tag) { return ::__nv_nan((const signed char *)tag); }

SIMTRUN_DEVICE float rsqrt(float x) { return ::rsqrtf(x); }
SIMTRUN_DEVICE float rcbrt(float x) { return ::rcbrtf(x); }
SIMTRUN_DEVICE float sinpi(float x) { return ::sinpif(x); }
SIMTRUN_DEVICE float cospi(float x) { return ::cospif(x); }
SIMTRUN_DEVICE void sincospi(float x, float *s, float *c) { ::sincospif(x, s, c); }
SIMTRUN_DEVICE void sincos(float x, float *s, float *c) { ::sincosf(x, s, c); }
SIMTRUN_DEVICE float erfinv(float x) { return ::erfinvf(x); }
SIMTRUN_DEVICE float erfcinv(float x) { return ::erfcinvf(x); }
SIMTRUN_DEVICE float erfcx(float x) { return ::erfcxf(x); }
SIMTRUN_DEVICE float normcdf(float x) { return ::normcdff(x); }
SIMTRUN_DEVICE float normcdfinv(float x) { return ::normcdfinvf(x); }
SIMTRUN_DEVICE float exp10(float x) { return ::exp10f(x); }
SIMTRUN_DEVICE float j0(float x) { return ::j0f(x); }
SIMTRUN_DEVICE float j1(float x) { return ::j1f(x); }
SIMTRUN_DEVICE float y0(float x) { return ::y0f(x); }
SIMTRUN_DEVICE float y1(float x) { return ::y1f(x); }
SIMTRUN_DEVICE float fdivide(float a, float b) { return ::fdividef(a, b); }
SIMTRUN_DEVICE float saturate(float x) { return ::__saturatef(x); }

SIMTRUN_DEVICE int memcmp(const void *a, const void *b, size_t n) {
	const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;
	for (; n > 0; n--, p++, q++)
		if (*p != *q)
			return *p < *q ? -1 : 1;
	return 0;
}
SIMTRUN_DEVICE void *memmove(void *to, const void *from, size_t n) { return __builtin_memmove(to, from, n); }
SIMTRUN_DEVICE size_t strlen(const char *s) {
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}
SIMTRUN_DEVICE int strcmp(const char *a, const char *b) {
	for (; *a && *a == *b; a++, b++)
		;
	return (unsigned char)*a - (unsigned char)*b;
}
SIMTRUN_DEVICE char *strcpy(char *to, const char *from) {
	char *p = to;
	while ((*p++ = *from++))
		;
	return to;
}

#endif
