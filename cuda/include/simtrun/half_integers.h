/* Conversions between __half or __nv_bfloat16 and integers. cuda_fp16.h and cuda_bf16.h each include this file,
   with the macros of halves.h, and with WORD, the name of the type in functions. */

/* To integers, with the rounding mode at the end of the name, and saturation; NaN becomes 0. */
SIMTRUN_CONVERT double simtrun_rounded(HALF a, int mode) {
	double d = (double)TO_FLOAT(a);
	return mode == 0 ? ::rint(d) : mode == 1 ? ::trunc(d) : mode == 2 ? ::floor(d) : ::ceil(d);
}
#define SIMTRUN_TO_INT_OF(H, NAME, T, LEAST, MOST)                                                                     \
	SIMTRUN_CONVERT T simtrun_to_##NAME(HALF a, int mode) {                                                                         \
		double d = simtrun_rounded(a, mode);                                                                               \
		return d != d ? 0 : d <= (double)LEAST ? (T)LEAST : d >= (double)MOST ? (T)MOST : (T)d;                            \
	}                                                                                                                    \
	SIMTRUN_CONVERT T __##H##2##NAME##_rn(HALF a) { return simtrun_to_##NAME(a, 0); }                                               \
	SIMTRUN_CONVERT T __##H##2##NAME##_rz(HALF a) { return simtrun_to_##NAME(a, 1); }                                               \
	SIMTRUN_CONVERT T __##H##2##NAME##_rd(HALF a) { return simtrun_to_##NAME(a, 2); }                                               \
	SIMTRUN_CONVERT T __##H##2##NAME##_ru(HALF a) { return simtrun_to_##NAME(a, 3); }
#define SIMTRUN_TO_INT(H, NAME, T, LEAST, MOST) SIMTRUN_TO_INT_OF(H, NAME, T, LEAST, MOST)
SIMTRUN_TO_INT(WORD, int, int, -2147483648.0, 2147483647)
SIMTRUN_TO_INT(WORD, uint, unsigned int, 0, 4294967295u)
SIMTRUN_TO_INT(WORD, short, short, -32768, 32767)
SIMTRUN_TO_INT(WORD, ushort, unsigned short, 0, 65535)
SIMTRUN_TO_INT(WORD, ll, long long, (-9223372036854775807ll - 1), 9223372036854775807ll)
SIMTRUN_TO_INT(WORD, ull, unsigned long long, 0, 18446744073709551615ull)
SIMTRUN_TO_INT(WORD, char, signed char, -128, 127)
SIMTRUN_TO_INT(WORD, uchar, unsigned char, 0, 255)
#undef SIMTRUN_TO_INT
#undef SIMTRUN_TO_INT_OF

/* From integers, rounded once. */
#define SIMTRUN_FROM_INT_OF(H, NAME, T, WIDE)                                                                          \
	SIMTRUN_CONVERT HALF __##NAME##2##H##_rn(T i) { return FROM_FLOAT(simtrun_fp16::toOdd(simtrun_fp16::toDouble((WIDE)i))); }   \
	SIMTRUN_CONVERT HALF __##NAME##2##H##_rz(T i) { return __float2##H##_rz(simtrun_fp16::toOdd(simtrun_fp16::toDouble((WIDE)i))); } \
	SIMTRUN_CONVERT HALF __##NAME##2##H##_rd(T i) { return __float2##H##_rd(simtrun_fp16::toOdd(simtrun_fp16::toDouble((WIDE)i))); } \
	SIMTRUN_CONVERT HALF __##NAME##2##H##_ru(T i) { return __float2##H##_ru(simtrun_fp16::toOdd(simtrun_fp16::toDouble((WIDE)i))); }
#define SIMTRUN_FROM_INT(H, NAME, T, WIDE) SIMTRUN_FROM_INT_OF(H, NAME, T, WIDE)
SIMTRUN_FROM_INT(WORD, int, int, long long)
SIMTRUN_FROM_INT(WORD, uint, unsigned int, long long)
SIMTRUN_FROM_INT(WORD, short, short, long long)
SIMTRUN_FROM_INT(WORD, ushort, unsigned short, long long)
SIMTRUN_FROM_INT(WORD, ll, long long, long long)
SIMTRUN_FROM_INT(WORD, ull, unsigned long long, unsigned long long)
#undef SIMTRUN_FROM_INT
#undef SIMTRUN_FROM_INT_OF
