/* Complex numbers of single and double precision. */
#ifndef SIMTRUN_CUCOMPLEX_H
#define SIMTRUN_CUCOMPLEX_H

#pragma GCC system_header

#include <math.h>

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define SIMTRUN_COMPLEX(C, T, F, D, MAKE)                                                                              \
	static __inline__ __host__ __device__ C MAKE(T re, T im) {                                                           \
		C z;                                                                                                               \
		z.x = re, z.y = im;                                                                                                \
		return z;                                                                                                          \
	}                                                                                                                    \
	static __inline__ __host__ __device__ T cuCreal##F(C z) { return z.x; }                                              \
	static __inline__ __host__ __device__ T cuCimag##F(C z) { return z.y; }                                              \
	static __inline__ __host__ __device__ C cuConj##F(C z) { return MAKE(z.x, -z.y); }                                   \
	static __inline__ __host__ __device__ C cuCadd##F(C a, C b) { return MAKE(a.x + b.x, a.y + b.y); }                   \
	static __inline__ __host__ __device__ C cuCsub##F(C a, C b) { return MAKE(a.x - b.x, a.y - b.y); }                   \
	static __inline__ __host__ __device__ C cuCmul##F(C a, C b) {                                                        \
		return MAKE(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                                         \
	}                                                                                                                    \
	/* Scaled by the divisor's size, so that its square does not overflow. */                                            \
	static __inline__ __host__ __device__ C cuCdiv##F(C a, C b) {                                                        \
		T scale = 1 / (fabs##D(b.x) + fabs##D(b.y));                                                                       \
		T ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                                          \
		T inverse = 1 / (bx * bx + by * by);                                                                               \
		return MAKE((ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);                                         \
	}                                                                                                                    \
	static __inline__ __host__ __device__ T cuCabs##F(C z) { return hypot##D(z.x, z.y); }                                \
	static __inline__ __host__ __device__ C cuCfma##F(C a, C b, C c) { return cuCadd##F(cuCmul##F(a, b), c); }
SIMTRUN_COMPLEX(cuFloatComplex, float, f, f, make_cuFloatComplex)
SIMTRUN_COMPLEX(cuDoubleComplex, double, , , make_cuDoubleComplex)
#undef SIMTRUN_COMPLEX

static __inline__ __host__ __device__ cuComplex make_cuComplex(float re, float im) { return make_cuFloatComplex(re, im); }
static __inline__ __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) {
	return make_cuDoubleComplex(z.x, z.y);
}
static __inline__ __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
	return make_cuFloatComplex((float)z.x, (float)z.y);
}

#endif
