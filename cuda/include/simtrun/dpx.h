/* Minima and maxima of up to three values and of sums (DPX), for 32 bits and pairs of 16 bits, on the device and
   on the host. */
#ifndef SIMTRUN_DPX_H
#define SIMTRUN_DPX_H

#pragma GCC system_header

#define SIMTRUN_DPX static __inline__ SIMTRUN_OVERLOAD __host__ __device__

/* Combines two results: low and high are those for the halves of the arguments. */
SIMTRUN_DPX unsigned int simtrun_halves(int low, int high) { return ((unsigned int)high << 16) | ((unsigned int)low & 0xffffu); }

/* min or max, according to OP. Sums wrap around; results of relu functions are at least 0. */
#define SIMTRUN_DPX_ONE(T, BITS, NAME, OP)                                                                             \
	SIMTRUN_DPX T simtrun_dpx_##NAME##_##BITS(T a, T b) { return a OP b ? a : b; }                                       \
	SIMTRUN_DPX T __vi##NAME##3_##BITS(T a, T b, T c) {                                                                  \
		return simtrun_dpx_##NAME##_##BITS(simtrun_dpx_##NAME##_##BITS(a, b), c);                                          \
	}                                                                                                                    \
	SIMTRUN_DPX T __viadd##NAME##_##BITS(T a, T b, T c) {                                                                \
		return simtrun_dpx_##NAME##_##BITS((T)((unsigned int)a + (unsigned int)b), c);                                     \
	}                                                                                                                    \
	SIMTRUN_DPX T __vib##NAME##_##BITS(T a, T b, bool *first) {                                                          \
		*first = a OP##= b;                                                                                                \
		return *first ? a : b;                                                                                             \
	}
SIMTRUN_DPX_ONE(int, s32, min, <)
SIMTRUN_DPX_ONE(int, s32, max, >)
SIMTRUN_DPX_ONE(unsigned int, u32, min, <)
SIMTRUN_DPX_ONE(unsigned int, u32, max, >)
#undef SIMTRUN_DPX_ONE

#define SIMTRUN_DPX_TWO(T, BITS, NAME, OP)                                                                             \
	SIMTRUN_DPX T simtrun_dpx_##NAME##_##BITS(T a, T b) { return a OP b ? a : b; }                                       \
	SIMTRUN_DPX T simtrun_dpx_##NAME##3_##BITS(T a, T b, T c) {                                                          \
		return simtrun_dpx_##NAME##_##BITS(simtrun_dpx_##NAME##_##BITS(a, b), c);                                          \
	}                                                                                                                    \
	SIMTRUN_DPX unsigned int __vi##NAME##3_##BITS##x2(unsigned int a, unsigned int b, unsigned int c) {                  \
		return simtrun_halves(simtrun_dpx_##NAME##3_##BITS((T)a, (T)b, (T)c),                                              \
		                      simtrun_dpx_##NAME##3_##BITS((T)(a >> 16), (T)(b >> 16), (T)(c >> 16)));                     \
	}                                                                                                                    \
	SIMTRUN_DPX unsigned int __viadd##NAME##_##BITS##x2(unsigned int a, unsigned int b, unsigned int c) {                \
		return simtrun_halves(simtrun_dpx_##NAME##_##BITS((T)(a + b), (T)c),                                               \
		                      simtrun_dpx_##NAME##_##BITS((T)((a >> 16) + (b >> 16)), (T)(c >> 16)));                      \
	}                                                                                                                    \
	SIMTRUN_DPX unsigned int __vib##NAME##_##BITS##x2(unsigned int a, unsigned int b, bool *high, bool *low) {           \
		*low = (T)a OP##= (T)b, *high = (T)(a >> 16) OP##= (T)(b >> 16);                                                   \
		return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                                               \
	}
SIMTRUN_DPX_TWO(short, s16, min, <)
SIMTRUN_DPX_TWO(short, s16, max, >)
SIMTRUN_DPX_TWO(unsigned short, u16, min, <)
SIMTRUN_DPX_TWO(unsigned short, u16, max, >)
#undef SIMTRUN_DPX_TWO

SIMTRUN_DPX int simtrun_relu(int a) { return a < 0 ? 0 : a; }
SIMTRUN_DPX unsigned int simtrun_relu2(unsigned int a) {
	return simtrun_halves(simtrun_relu((short)a), simtrun_relu((short)(a >> 16)));
}
#define SIMTRUN_DPX_RELU(NAME)                                                                                         \
	SIMTRUN_DPX int __vi##NAME##_s32_relu(int a, int b) { return simtrun_relu(simtrun_dpx_##NAME##_s32(a, b)); }         \
	SIMTRUN_DPX int __vi##NAME##3_s32_relu(int a, int b, int c) { return simtrun_relu(__vi##NAME##3_s32(a, b, c)); }     \
	SIMTRUN_DPX int __viadd##NAME##_s32_relu(int a, int b, int c) {                                                      \
		return simtrun_relu(__viadd##NAME##_s32(a, b, c));                                                                 \
	}                                                                                                                    \
	SIMTRUN_DPX unsigned int __vi##NAME##_s16x2_relu(unsigned int a, unsigned int b) {                                   \
		return simtrun_relu2(__vi##NAME##3_s16x2(a, b, b));                                                                \
	}                                                                                                                    \
	SIMTRUN_DPX unsigned int __vi##NAME##3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {                  \
		return simtrun_relu2(__vi##NAME##3_s16x2(a, b, c));                                                                \
	}                                                                                                                    \
	SIMTRUN_DPX unsigned int __viadd##NAME##_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {                \
		return simtrun_relu2(__viadd##NAME##_s16x2(a, b, c));                                                              \
	}
SIMTRUN_DPX_RELU(min)
SIMTRUN_DPX_RELU(max)
#undef SIMTRUN_DPX_RELU
#undef SIMTRUN_DPX

#endif
