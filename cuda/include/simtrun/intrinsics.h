/* clang's intrinsics. simtrun's own functions replace three groups of them: redux.sync, because some versions of
   clang swap mask and value; shuffles without a mask, which newer architectures do not have; and loads and stores
   with a cache operator (simtrun/memory.h), which clang has from version 20 on, but may move across stores and
   barriers. */
#ifndef SIMTRUN_INTRINSICS_H
#define SIMTRUN_INTRINSICS_H

#pragma GCC system_header

#define __reduce_add_sync simtrun_clang_reduce_add_sync
#define __reduce_min_sync simtrun_clang_reduce_min_sync
#define __reduce_max_sync simtrun_clang_reduce_max_sync
#define __reduce_and_sync simtrun_clang_reduce_and_sync
#define __reduce_or_sync simtrun_clang_reduce_or_sync
#define __reduce_xor_sync simtrun_clang_reduce_xor_sync
#define __shfl simtrun_clang__shfl
#define __shfl_up simtrun_clang__shfl_up
#define __shfl_down simtrun_clang__shfl_down
#define __shfl_xor simtrun_clang__shfl_xor
#define __ldca simtrun_clang__ldca
#define __ldcg simtrun_clang__ldcg
#define __ldcs simtrun_clang__ldcs
#define __ldcv simtrun_clang__ldcv
#define __ldlu simtrun_clang__ldlu
#define __stcg simtrun_clang__stcg
#define __stcs simtrun_clang__stcs
#define __stwb simtrun_clang__stwb
#define __stwt simtrun_clang__stwt
#include <__clang_cuda_intrinsics.h>
#undef __ldca
#undef __ldcg
#undef __ldcs
#undef __ldcv
#undef __ldlu
#undef __stcg
#undef __stcs
#undef __stwb
#undef __stwt
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#undef __reduce_add_sync
#undef __reduce_min_sync
#undef __reduce_max_sync
#undef __reduce_and_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define SIMTRUN_REDUCE(NAME, T, S)                                                                                     \
	SIMTRUN_DEVICE T __reduce_##NAME##_sync(unsigned int mask, T value) {                                                \
		T result;                                                                                                          \
		__asm__ __volatile__("redux.sync." #NAME "." S " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask) : "memory");  \
		return result;                                                                                                     \
	}
SIMTRUN_REDUCE(add, unsigned int, "u32")
SIMTRUN_REDUCE(add, int, "s32")
SIMTRUN_REDUCE(min, unsigned int, "u32")
SIMTRUN_REDUCE(min, int, "s32")
SIMTRUN_REDUCE(max, unsigned int, "u32")
SIMTRUN_REDUCE(max, int, "s32")
SIMTRUN_REDUCE(and, unsigned int, "b32")
SIMTRUN_REDUCE(or, unsigned int, "b32")
SIMTRUN_REDUCE(xor, unsigned int, "b32")
#undef SIMTRUN_REDUCE
#endif

/* Dot products of four bytes, or of two words and two bytes. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
#define SIMTRUN_DOT(NAME, OP, T, S)                                                                                    \
	SIMTRUN_DEVICE T NAME(T a, T b, T c) {                                                                               \
		T result;                                                                                                          \
		__asm__(OP "." S "." S " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));                                \
		return result;                                                                                                     \
	}
SIMTRUN_DOT(__dp4a, "dp4a", int, "s32")
SIMTRUN_DOT(__dp4a, "dp4a", unsigned int, "u32")
SIMTRUN_DOT(__dp2a_lo, "dp2a.lo", int, "s32")
SIMTRUN_DOT(__dp2a_lo, "dp2a.lo", unsigned int, "u32")
SIMTRUN_DOT(__dp2a_hi, "dp2a.hi", int, "s32")
SIMTRUN_DOT(__dp2a_hi, "dp2a.hi", unsigned int, "u32")
#undef SIMTRUN_DOT
SIMTRUN_DEVICE int __dp4a(char4 a, char4 b, int c) {
	return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
SIMTRUN_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
	return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
SIMTRUN_DEVICE int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
SIMTRUN_DEVICE int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
SIMTRUN_DEVICE unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int c) { return c + a.x * b.x + a.y * b.y; }
SIMTRUN_DEVICE unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int c) { return c + a.x * b.z + a.y * b.w; }
#endif

/* Shuffles and votes from before masks apply to the active lanes. */
#define SIMTRUN_SHUFFLE(NAME, T)                                                                                       \
	template <typename V> static __inline__ __device__ V NAME(V value, T lane, int width = warpSize) {                   \
		return NAME##_sync(__activemask(), value, lane, width);                                                            \
	}
SIMTRUN_SHUFFLE(__shfl, int)
SIMTRUN_SHUFFLE(__shfl_up, unsigned int)
SIMTRUN_SHUFFLE(__shfl_down, unsigned int)
SIMTRUN_SHUFFLE(__shfl_xor, int)
#undef SIMTRUN_SHUFFLE
SIMTRUN_DEVICE int __any(int predicate) { return __any_sync(__activemask(), predicate); }
SIMTRUN_DEVICE int __all(int predicate) { return __all_sync(__activemask(), predicate); }
SIMTRUN_DEVICE unsigned int __ballot(int predicate) { return __ballot_sync(__activemask(), predicate); }

#endif
