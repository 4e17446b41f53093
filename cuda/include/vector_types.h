/* The vectors of CUDA C++, char1 to double4, and dim3. */
#ifndef SIMTRUN_VECTOR_TYPES_H
#define SIMTRUN_VECTOR_TYPES_H

#pragma GCC system_header
#define __VECTOR_TYPES_H__ /* programs ask for it */

#include "host_defines.h"

#define SIMTRUN_VECTORS(NAME, T, ALIGN2, ALIGN4)                                                                       \
	struct NAME##1 { T x; };                                                                                             \
	struct __align__(ALIGN2) NAME##2 { T x, y; };                                                                        \
	struct NAME##3 { T x, y, z; };                                                                                       \
	struct __align__(ALIGN4) NAME##4 { T x, y, z, w; };                                                                  \
	typedef struct NAME##1 NAME##1;                                                                                      \
	typedef struct NAME##2 NAME##2;                                                                                      \
	typedef struct NAME##3 NAME##3;                                                                                      \
	typedef struct NAME##4 NAME##4;

SIMTRUN_VECTORS(char, signed char, 2, 4)
SIMTRUN_VECTORS(uchar, unsigned char, 2, 4)
SIMTRUN_VECTORS(short, short, 4, 8)
SIMTRUN_VECTORS(ushort, unsigned short, 4, 8)
SIMTRUN_VECTORS(int, int, 8, 16)
SIMTRUN_VECTORS(uint, unsigned int, 8, 16)
SIMTRUN_VECTORS(float, float, 8, 16)
SIMTRUN_VECTORS(longlong, long long, 16, 16)
SIMTRUN_VECTORS(ulonglong, unsigned long long, 16, 16)
SIMTRUN_VECTORS(double, double, 16, 16)
#if defined(_WIN32)
SIMTRUN_VECTORS(long, long, 8, 16)
SIMTRUN_VECTORS(ulong, unsigned long, 8, 16)
#else
SIMTRUN_VECTORS(long, long, 16, 16)
SIMTRUN_VECTORS(ulong, unsigned long, 16, 16)
#endif
#undef SIMTRUN_VECTORS

struct dim3 {
	unsigned int x, y, z;
#if defined(__cplusplus)
#if __cplusplus >= 201103L
#define SIMTRUN_CONSTEXPR constexpr
#else
#define SIMTRUN_CONSTEXPR
#endif
	__host__ __device__ SIMTRUN_CONSTEXPR dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
	    : x(x), y(y), z(z) {}
	__host__ __device__ SIMTRUN_CONSTEXPR dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	__host__ __device__ SIMTRUN_CONSTEXPR operator uint3() const {
		uint3 v = {x, y, z};
		return v;
	}
#endif
};
typedef struct dim3 dim3;

#endif
