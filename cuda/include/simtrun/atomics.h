/* atomicAdd and similar functions, for the scopes device, block (_block) and system (_system). */
#ifndef SIMTRUN_ATOMICS_H
#define SIMTRUN_ATOMICS_H

#pragma GCC system_header

#define SIMTRUN_DEVICE static __inline__ __attribute__((always_inline)) SIMTRUN_OVERLOAD __device__

/* Defines NAME for type T by the builtin of clang's headers for pointers to B. */
#define SIMTRUN_ATOMIC(NAME, T, BUILTIN, B)                                                                            \
	SIMTRUN_DEVICE T NAME(T *p, T v) { return (T)BUILTIN((B *)p, (B)v); }                                                \
	SIMTRUN_DEVICE T NAME##_block(T *p, T v) { return (T)BUILTIN##_block((B *)p, (B)v); }                                \
	SIMTRUN_DEVICE T NAME##_system(T *p, T v) { return (T)BUILTIN##_system((B *)p, (B)v); }

typedef long long simtrun_ll;
typedef unsigned long long simtrun_ull;

SIMTRUN_ATOMIC(atomicAdd, int, __iAtomicAdd, int)
SIMTRUN_ATOMIC(atomicAdd, unsigned int, __uAtomicAdd, unsigned int)
SIMTRUN_ATOMIC(atomicAdd, unsigned long long, __ullAtomicAdd, simtrun_ull)
SIMTRUN_ATOMIC(atomicAdd, float, __fAtomicAdd, float)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600 /* for older architectures programs define their own */
SIMTRUN_ATOMIC(atomicAdd, double, __dAtomicAdd, double)
#endif
SIMTRUN_ATOMIC(atomicExch, int, __iAtomicExch, int)
SIMTRUN_ATOMIC(atomicExch, unsigned int, __uAtomicExch, unsigned int)
SIMTRUN_ATOMIC(atomicExch, unsigned long long, __ullAtomicExch, simtrun_ull)
SIMTRUN_ATOMIC(atomicExch, float, __fAtomicExch, float)
SIMTRUN_ATOMIC(atomicMin, int, __iAtomicMin, int)
SIMTRUN_ATOMIC(atomicMin, unsigned int, __uAtomicMin, unsigned int)
SIMTRUN_ATOMIC(atomicMin, long long, __illAtomicMin, simtrun_ll)
SIMTRUN_ATOMIC(atomicMin, unsigned long long, __ullAtomicMin, simtrun_ull)
SIMTRUN_ATOMIC(atomicMax, int, __iAtomicMax, int)
SIMTRUN_ATOMIC(atomicMax, unsigned int, __uAtomicMax, unsigned int)
SIMTRUN_ATOMIC(atomicMax, long long, __illAtomicMax, simtrun_ll)
SIMTRUN_ATOMIC(atomicMax, unsigned long long, __ullAtomicMax, simtrun_ull)
SIMTRUN_ATOMIC(atomicInc, unsigned int, __uAtomicInc, unsigned int)
SIMTRUN_ATOMIC(atomicDec, unsigned int, __uAtomicDec, unsigned int)
SIMTRUN_ATOMIC(atomicAnd, int, __iAtomicAnd, int)
SIMTRUN_ATOMIC(atomicAnd, unsigned int, __uAtomicAnd, unsigned int)
SIMTRUN_ATOMIC(atomicAnd, long long, __llAtomicAnd, simtrun_ll)
SIMTRUN_ATOMIC(atomicAnd, unsigned long long, __ullAtomicAnd, simtrun_ull)
SIMTRUN_ATOMIC(atomicOr, int, __iAtomicOr, int)
SIMTRUN_ATOMIC(atomicOr, unsigned int, __uAtomicOr, unsigned int)
SIMTRUN_ATOMIC(atomicOr, long long, __llAtomicOr, simtrun_ll)
SIMTRUN_ATOMIC(atomicOr, unsigned long long, __ullAtomicOr, simtrun_ull)
SIMTRUN_ATOMIC(atomicXor, int, __iAtomicXor, int)
SIMTRUN_ATOMIC(atomicXor, unsigned int, __uAtomicXor, unsigned int)
SIMTRUN_ATOMIC(atomicXor, long long, __llAtomicXor, simtrun_ll)
SIMTRUN_ATOMIC(atomicXor, unsigned long long, __ullAtomicXor, simtrun_ull)
#undef SIMTRUN_ATOMIC

#define SIMTRUN_ATOMIC_SUB(NAME, ADD)                                                                                  \
	SIMTRUN_DEVICE int NAME(int *p, int v) { return ADD(p, (int)(0u - (unsigned)v)); }                                   \
	SIMTRUN_DEVICE unsigned int NAME(unsigned int *p, unsigned int v) { return ADD(p, 0u - v); }
SIMTRUN_ATOMIC_SUB(atomicSub, atomicAdd)
SIMTRUN_ATOMIC_SUB(atomicSub_block, atomicAdd_block)
SIMTRUN_ATOMIC_SUB(atomicSub_system, atomicAdd_system)
#undef SIMTRUN_ATOMIC_SUB

/* 16-bit words, from sm_70 on. */
#define SIMTRUN_ATOMIC_CAS(SUFFIX, SCOPE)                                                                              \
	SIMTRUN_DEVICE unsigned short atomicCAS##SUFFIX(unsigned short *p, unsigned short compare, unsigned short v) {       \
		unsigned short old;                                                                                                \
		__asm__ __volatile__("atom." SCOPE ".cas.b16 %0, [%1], %2, %3;"                                                    \
		                     : "=h"(old)                                                                                   \
		                     : "l"(p), "h"(compare), "h"(v)                                                                \
		                     : "memory");                                                                                  \
		return old;                                                                                                        \
	}                                                                                                                    \
	SIMTRUN_DEVICE int atomicCAS##SUFFIX(int *p, int compare, int v) { return __iAtomicCAS##SUFFIX(p, compare, v); }     \
	SIMTRUN_DEVICE unsigned int atomicCAS##SUFFIX(unsigned int *p, unsigned int compare, unsigned int v) {               \
		return (unsigned int)__iAtomicCAS##SUFFIX((int *)p, (int)compare, (int)v);                                         \
	}                                                                                                                    \
	SIMTRUN_DEVICE unsigned long long atomicCAS##SUFFIX(unsigned long long *p, unsigned long long compare,               \
	                                                    unsigned long long v) {                                          \
		return __ullAtomicCAS##SUFFIX(p, compare, v);                                                                      \
	}
SIMTRUN_ATOMIC_CAS(, "gpu")
SIMTRUN_ATOMIC_CAS(_block, "cta")
SIMTRUN_ATOMIC_CAS(_system, "sys")
#undef SIMTRUN_ATOMIC_CAS

#endif
