/* make_char1 to make_double4. */
#ifndef SIMTRUN_VECTOR_FUNCTIONS_H
#define SIMTRUN_VECTOR_FUNCTIONS_H

#pragma GCC system_header

#include "vector_types.h"

#if defined(__cplusplus)
#define SIMTRUN_MAKE static __inline__ __host__ __device__
#else
#define SIMTRUN_MAKE static __inline__
#endif

#define SIMTRUN_MAKERS(NAME, T)                                                                                        \
	SIMTRUN_MAKE NAME##1 make_##NAME##1(T x) {                                                                           \
		NAME##1 v = {x};                                                                                                   \
		return v;                                                                                                          \
	}                                                                                                                    \
	SIMTRUN_MAKE NAME##2 make_##NAME##2(T x, T y) {                                                                      \
		NAME##2 v = {x, y};                                                                                                \
		return v;                                                                                                          \
	}                                                                                                                    \
	SIMTRUN_MAKE NAME##3 make_##NAME##3(T x, T y, T z) {                                                                 \
		NAME##3 v = {x, y, z};                                                                                             \
		return v;                                                                                                          \
	}                                                                                                                    \
	SIMTRUN_MAKE NAME##4 make_##NAME##4(T x, T y, T z, T w) {                                                            \
		NAME##4 v = {x, y, z, w};                                                                                          \
		return v;                                                                                                          \
	}

SIMTRUN_MAKERS(char, signed char)
SIMTRUN_MAKERS(uchar, unsigned char)
SIMTRUN_MAKERS(short, short)
SIMTRUN_MAKERS(ushort, unsigned short)
SIMTRUN_MAKERS(int, int)
SIMTRUN_MAKERS(uint, unsigned int)
SIMTRUN_MAKERS(long, long)
SIMTRUN_MAKERS(ulong, unsigned long)
SIMTRUN_MAKERS(longlong, long long)
SIMTRUN_MAKERS(ulonglong, unsigned long long)
SIMTRUN_MAKERS(float, float)
SIMTRUN_MAKERS(double, double)
#undef SIMTRUN_MAKERS
#undef SIMTRUN_MAKE

#endif
