/* Functions of a warp that clang's headers leave to CUDA's. */
#ifndef SIMTRUN_WARP_H
#define SIMTRUN_WARP_H

#pragma GCC system_header

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define SIMTRUN_MATCH(T, BITS, U)                                                                                      \
	SIMTRUN_DEVICE unsigned int __match_any_sync(unsigned int mask, T v) {                                               \
		U bits;                                                                                                            \
		__builtin_memcpy(&bits, &v, sizeof(bits));                                                                         \
		return __match##BITS##_any_sync(mask, bits);                                                                       \
	}                                                                                                                    \
	SIMTRUN_DEVICE unsigned int __match_all_sync(unsigned int mask, T v, int *pred) {                                    \
		U bits;                                                                                                            \
		__builtin_memcpy(&bits, &v, sizeof(bits));                                                                         \
		return __match##BITS##_all_sync(mask, bits, pred);                                                                 \
	}
SIMTRUN_MATCH(int, 32, unsigned int)
SIMTRUN_MATCH(unsigned int, 32, unsigned int)
SIMTRUN_MATCH(float, 32, unsigned int)
#if defined(_WIN32)
SIMTRUN_MATCH(long, 32, unsigned int)
SIMTRUN_MATCH(unsigned long, 32, unsigned int)
#else
SIMTRUN_MATCH(long, 64, unsigned long long)
SIMTRUN_MATCH(unsigned long, 64, unsigned long long)
#endif
SIMTRUN_MATCH(long long, 64, unsigned long long)
SIMTRUN_MATCH(unsigned long long, 64, unsigned long long)
SIMTRUN_MATCH(double, 64, unsigned long long)
#undef SIMTRUN_MATCH
#endif

#endif
