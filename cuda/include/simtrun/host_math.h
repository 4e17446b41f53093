/* CUDA's host functions that C++ does not have: min and max without std, rsqrt and similar ones. */
#ifndef SIMTRUN_HOST_MATH_H
#define SIMTRUN_HOST_MATH_H

#pragma GCC system_header

/* The version of glibc if it declares the functions of C23 that it has; 0 otherwise, as without _GNU_SOURCE. */
#if defined __GLIBC__ && __GLIBC_USE_IEC_60559_FUNCS_EXT_C23
#define SIMTRUN_GLIBC_C23 (__GLIBC__ * 100 + __GLIBC_MINOR__)
#else
#define SIMTRUN_GLIBC_C23 0
#endif

#define SIMTRUN_HOST static __inline__ __host__

#define SIMTRUN_MINMAX(R, A, B)                                                                                        \
	SIMTRUN_HOST R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                                   \
	SIMTRUN_HOST R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define SIMTRUN_MINMAX2(R, A, B) SIMTRUN_MINMAX(R, A, B) SIMTRUN_MINMAX(R, B, A)
SIMTRUN_MINMAX(int, int, int)
SIMTRUN_MINMAX(unsigned int, unsigned int, unsigned int)
SIMTRUN_MINMAX2(unsigned int, unsigned int, int)
SIMTRUN_MINMAX(long, long, long)
SIMTRUN_MINMAX(unsigned long, unsigned long, unsigned long)
SIMTRUN_MINMAX2(unsigned long, unsigned long, long)
SIMTRUN_MINMAX(long long, long long, long long)
SIMTRUN_MINMAX(unsigned long long, unsigned long long, unsigned long long)
SIMTRUN_MINMAX2(unsigned long long, unsigned long long, long long)
#undef SIMTRUN_MINMAX
#undef SIMTRUN_MINMAX2

#define SIMTRUN_FMINMAX(R, A, B, SUFFIX)                                                                               \
	SIMTRUN_HOST R min(A a, B b) { return ::fmin##SUFFIX((R)a, (R)b); }                                                  \
	SIMTRUN_HOST R max(A a, B b) { return ::fmax##SUFFIX((R)a, (R)b); }
SIMTRUN_FMINMAX(float, float, float, f)
SIMTRUN_FMINMAX(double, double, double, )
SIMTRUN_FMINMAX(double, float, double, )
SIMTRUN_FMINMAX(double, double, float, )
#undef SIMTRUN_FMINMAX

#if SIMTRUN_GLIBC_C23 < 242
SIMTRUN_HOST double rsqrt(double x) { return 1 / ::sqrt(x); }
SIMTRUN_HOST float rsqrtf(float x) { return (float)(1 / ::sqrt((double)x)); }
#endif
SIMTRUN_HOST float rsqrt(float x) { return rsqrtf(x); }
SIMTRUN_HOST double rcbrt(double x) { return 1 / ::cbrt(x); }
SIMTRUN_HOST float rcbrtf(float x) { return (float)(1 / ::cbrt((double)x)); }
SIMTRUN_HOST double fdivide(double a, double b) { return a / b; }
SIMTRUN_HOST float fdividef(float a, float b) { return a / b; }
SIMTRUN_HOST double rhypot(double a, double b) { return 1 / ::hypot(a, b); }
SIMTRUN_HOST float rhypotf(float a, float b) { return (float)(1 / ::hypot((double)a, (double)b)); }
SIMTRUN_HOST double norm3d(double a, double b, double c) { return ::hypot(::hypot(a, b), c); }
SIMTRUN_HOST float norm3df(float a, float b, float c) { return (float)norm3d(a, b, c); }
SIMTRUN_HOST double norm4d(double a, double b, double c, double d) { return ::hypot(norm3d(a, b, c), d); }
SIMTRUN_HOST float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
SIMTRUN_HOST double rnorm3d(double a, double b, double c) { return 1 / norm3d(a, b, c); }
SIMTRUN_HOST float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }

/* The sine and cosine of pi x: x is first reduced to [-0.25, 0.25], which is exact. */
SIMTRUN_HOST void sincospi(double x, double *s, double *c) {
	double turns = ::fmod(x, 2.0), quarter = ::rint(2 * turns);
	double rest = (turns - quarter / 2) * 3.14159265358979323846;
	double sine = ::sin(rest), cosine = ::cos(rest);
	switch ((int)quarter & 3) {
	case 0: *s = sine, *c = cosine; break;
	case 1: *s = cosine, *c = -sine; break;
	case 2: *s = -sine, *c = -cosine; break;
	default: *s = -cosine, *c = sine; break;
	}
}
SIMTRUN_HOST void sincospif(float x, float *s, float *c) {
	double sine, cosine;
	sincospi((double)x, &sine, &cosine);
	*s = (float)sine, *c = (float)cosine;
}
#if SIMTRUN_GLIBC_C23 < 241
SIMTRUN_HOST double sinpi(double x) {
	double s, c;
	sincospi(x, &s, &c);
	return s;
}
SIMTRUN_HOST double cospi(double x) {
	double s, c;
	sincospi(x, &s, &c);
	return c;
}
SIMTRUN_HOST float sinpif(float x) { return (float)sinpi((double)x); }
SIMTRUN_HOST float cospif(float x) { return (float)cospi((double)x); }
#endif
SIMTRUN_HOST double normcdf(double x) { return 0.5 * ::erfc(-x * 0.70710678118654752440); }
SIMTRUN_HOST float normcdff(float x) { return (float)normcdf((double)x); }

#endif
