/* Device functions under CUDA's names without underscores, in addition to those with underscores. */
#ifndef SIMTRUN_DEVICE_NAMES_H
#define SIMTRUN_DEVICE_NAMES_H

#pragma GCC system_header

SIMTRUN_DEVICE int mulhi(int a, int b) { return __mulhi(a, b); }
SIMTRUN_DEVICE unsigned int mulhi(unsigned int a, unsigned int b) { return __umulhi(a, b); }
SIMTRUN_DEVICE unsigned int mulhi(int a, unsigned int b) { return __umulhi((unsigned int)a, b); }
SIMTRUN_DEVICE unsigned int mulhi(unsigned int a, int b) { return __umulhi(a, (unsigned int)b); }
#define SIMTRUN_SWAP(BITS, T)                                                                                          \
	static __inline__ SIMTRUN_OVERLOAD __host__ __device__ T __nv_bswap##BITS(T x) { return __builtin_bswap##BITS(x); }
SIMTRUN_SWAP(16, unsigned short)
SIMTRUN_SWAP(32, unsigned int)
SIMTRUN_SWAP(64, unsigned long long)
#undef SIMTRUN_SWAP
SIMTRUN_DEVICE long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }
SIMTRUN_DEVICE unsigned long long mul64hi(unsigned long long a, unsigned long long b) { return __umul64hi(a, b); }
SIMTRUN_DEVICE unsigned long long mul64hi(long long a, unsigned long long b) { return __umul64hi((unsigned long long)a, b); }
SIMTRUN_DEVICE unsigned long long mul64hi(unsigned long long a, long long b) { return __umul64hi(a, (unsigned long long)b); }
SIMTRUN_DEVICE int mul24(int a, int b) { return __mul24(a, b); }
SIMTRUN_DEVICE unsigned int umul24(unsigned int a, unsigned int b) { return __umul24(a, b); }

/* Programs may define these themselves, because nvcc only declares them. The condition makes those here separate
   overloads, which calls prefer. */
#define SIMTRUN_BITS(T, NAME, FROM)                                                                                    \
	SIMTRUN_DEVICE T __##NAME(FROM a) __attribute__((enable_if(true, ""))) { return simtrun_clang__##NAME(a); }
SIMTRUN_BITS(int, float_as_int, float)
SIMTRUN_BITS(float, int_as_float, int)
SIMTRUN_BITS(unsigned int, float_as_uint, float)
SIMTRUN_BITS(float, uint_as_float, unsigned int)
#undef SIMTRUN_BITS
SIMTRUN_DEVICE int float_as_int(float a) { return __float_as_int(a); }
SIMTRUN_DEVICE float int_as_float(int a) { return __int_as_float(a); }
SIMTRUN_DEVICE unsigned int float_as_uint(float a) { return __float_as_uint(a); }
SIMTRUN_DEVICE float uint_as_float(unsigned int a) { return __uint_as_float(a); }

/* Conversions with the rounding mode as an argument. */
#define SIMTRUN_ROUNDED(R, NAME, T, DEFAULT)                                                                           \
	SIMTRUN_DEVICE R NAME(T a, enum cudaRoundMode mode = DEFAULT) {                                                      \
		return mode == cudaRoundNearest  ? __##NAME##_rn(a)                                                                \
		       : mode == cudaRoundZero   ? __##NAME##_rz(a)                                                                \
		       : mode == cudaRoundPosInf ? __##NAME##_ru(a)                                                                \
		                                 : __##NAME##_rd(a);                                                               \
	}
SIMTRUN_ROUNDED(int, float2int, float, cudaRoundZero)
SIMTRUN_ROUNDED(unsigned int, float2uint, float, cudaRoundZero)
SIMTRUN_ROUNDED(float, int2float, int, cudaRoundNearest)
SIMTRUN_ROUNDED(float, uint2float, unsigned int, cudaRoundNearest)
#undef SIMTRUN_ROUNDED

SIMTRUN_DEVICE int __signbit(double a) { return __signbitd(a); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
SIMTRUN_DEVICE float __tanhf(float a) {
	float result;
	__asm__("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(a));
	return result;
}
#else
SIMTRUN_DEVICE float __tanhf(float a) { return ::tanhf(a); }
#endif

/* Increments counter N of the profiler. */
#define __prof_trigger(N) __asm__ __volatile__("pmevent \t" #N ";")

#endif
