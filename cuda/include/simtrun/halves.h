/* What __half and __nv_bfloat16 have in common. cuda_fp16.h and cuda_bf16.h include it each, with

     HALF, HALF2          the types
     TO_FLOAT, FROM_FLOAT the conversions, the second to the nearest
     BITS, FROM_BITS      of a HALF as an unsigned short
     ADD SUB MUL DIV FMA  of two or three HALFs
     ADD2 SUB2 MUL2 FMA2  of HALF2s

   as macros of calls, and SIMTRUN_NO_OPERATORS or SIMTRUN_NO_OPERATORS2 if HALF or HALF2 is to have none.
   What is no arithmetic is computed in single precision, which is exact for comparisons, and rounded once otherwise. */

#define HALF_HD static __inline__ __host__ __device__
#define HALF_D static __inline__ __device__

HALF_HD HALF2 simtrun_pair(HALF x, HALF y) {
	HALF2 v;
	v.x = x, v.y = y;
	return v;
}

/* Scalar arithmetic. */
HALF_HD HALF __hadd(HALF a, HALF b) { return ADD(a, b); }
HALF_HD HALF __hsub(HALF a, HALF b) { return SUB(a, b); }
HALF_HD HALF __hmul(HALF a, HALF b) { return MUL(a, b); }
HALF_HD HALF __hdiv(HALF a, HALF b) { return DIV(a, b); }
HALF_HD HALF __hfma(HALF a, HALF b, HALF c) { return FMA(a, b, c); }
HALF_HD HALF __hadd_rn(HALF a, HALF b) { return ADD(a, b); }
HALF_HD HALF __hsub_rn(HALF a, HALF b) { return SUB(a, b); }
HALF_HD HALF __hmul_rn(HALF a, HALF b) { return MUL(a, b); }
HALF_HD HALF __hneg(HALF a) { return FROM_BITS(BITS(a) ^ 0x8000); }
HALF_HD HALF __habs(HALF a) { return FROM_BITS(BITS(a) & 0x7fff); }

/* Saturated to [0, 1]; NaN becomes 0. */
HALF_HD HALF simtrun_saturated(HALF a) {
	float f = TO_FLOAT(a);
	return f > 0 ? f < 1 ? a : FROM_FLOAT(1.0f) : FROM_FLOAT(0.0f);
}
HALF_HD HALF __hadd_sat(HALF a, HALF b) { return simtrun_saturated(ADD(a, b)); }
HALF_HD HALF __hsub_sat(HALF a, HALF b) { return simtrun_saturated(SUB(a, b)); }
HALF_HD HALF __hmul_sat(HALF a, HALF b) { return simtrun_saturated(MUL(a, b)); }
HALF_HD HALF __hfma_sat(HALF a, HALF b, HALF c) { return simtrun_saturated(FMA(a, b, c)); }
HALF_HD HALF __hfma_relu(HALF a, HALF b, HALF c) {
	HALF r = FMA(a, b, c);
	return TO_FLOAT(r) < 0 ? FROM_FLOAT(0.0f) : r;
}

/* Comparisons with NaN are false, except in functions that end in u, where they are true. */
#define SIMTRUN_MASK(NAME, ONE)                                                                                        \
	HALF_HD unsigned int NAME(HALF2 a, HALF2 b) {                                                                       \
		return (ONE(a.x, b.x) ? 0xffffu : 0u) | (ONE(a.y, b.y) ? 0xffff0000u : 0u);                                        \
	}
#define SIMTRUN_COMPARE(NAME, OP)                                                                                      \
	HALF_HD bool __h##NAME(HALF a, HALF b) { return TO_FLOAT(a) OP TO_FLOAT(b); }                                     \
	HALF_HD bool __h##NAME##u(HALF a, HALF b) {                                                                       \
		float x = TO_FLOAT(a), y = TO_FLOAT(b);                                                                            \
		return x != x || y != y || x OP y;                                                                                 \
	}                                                                                                                    \
	HALF_HD HALF2 __h##NAME##2(HALF2 a, HALF2 b) {                                                                    \
		return simtrun_pair(FROM_FLOAT(__h##NAME(a.x, b.x) ? 1.0f : 0.0f), FROM_FLOAT(__h##NAME(a.y, b.y) ? 1.0f : 0.0f)); \
	}                                                                                                                    \
	HALF_HD HALF2 __h##NAME##u2(HALF2 a, HALF2 b) {                                                                   \
		return simtrun_pair(FROM_FLOAT(__h##NAME##u(a.x, b.x) ? 1.0f : 0.0f),                                              \
		                    FROM_FLOAT(__h##NAME##u(a.y, b.y) ? 1.0f : 0.0f));                                             \
	}                                                                                                                    \
	HALF_HD bool __hb##NAME##2(HALF2 a, HALF2 b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); }               \
	HALF_HD bool __hb##NAME##u2(HALF2 a, HALF2 b) { return __h##NAME##u(a.x, b.x) && __h##NAME##u(a.y, b.y); }        \
	SIMTRUN_MASK(__h##NAME##2_mask, __h##NAME)                                                                          \
	SIMTRUN_MASK(__h##NAME##u2_mask, __h##NAME##u)
SIMTRUN_COMPARE(eq, ==)
SIMTRUN_COMPARE(lt, <)
SIMTRUN_COMPARE(le, <=)
SIMTRUN_COMPARE(gt, >)
SIMTRUN_COMPARE(ge, >=)
#undef SIMTRUN_COMPARE
/* With NaN, != is the only comparison that is true even without u. */
HALF_HD bool __hne(HALF a, HALF b) {
	float x = TO_FLOAT(a), y = TO_FLOAT(b);
	return x < y || x > y;
}
HALF_HD bool __hneu(HALF a, HALF b) { return TO_FLOAT(a) != TO_FLOAT(b); }
HALF_HD HALF2 __hne2(HALF2 a, HALF2 b) {
	return simtrun_pair(FROM_FLOAT(__hne(a.x, b.x) ? 1.0f : 0.0f), FROM_FLOAT(__hne(a.y, b.y) ? 1.0f : 0.0f));
}
HALF_HD HALF2 __hneu2(HALF2 a, HALF2 b) {
	return simtrun_pair(FROM_FLOAT(__hneu(a.x, b.x) ? 1.0f : 0.0f), FROM_FLOAT(__hneu(a.y, b.y) ? 1.0f : 0.0f));
}
HALF_HD bool __hbne2(HALF2 a, HALF2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
HALF_HD bool __hbneu2(HALF2 a, HALF2 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
SIMTRUN_MASK(__hne2_mask, __hne)
SIMTRUN_MASK(__hneu2_mask, __hneu)
#undef SIMTRUN_MASK
HALF_HD bool __hisnan(HALF a) { return TO_FLOAT(a) != TO_FLOAT(a); }
HALF_HD HALF2 __hisnan2(HALF2 a) {
	return simtrun_pair(FROM_FLOAT(__hisnan(a.x) ? 1.0f : 0.0f), FROM_FLOAT(__hisnan(a.y) ? 1.0f : 0.0f));
}
HALF_HD int __hisinf(HALF a) {
	float f = TO_FLOAT(a);
	return f > 3.4028235e38f ? 1 : f < -3.4028235e38f ? -1 : 0;
}

/* __hmax prefers a number to NaN, and __hmax_nan prefers NaN. -0 is less than +0. */
HALF_HD HALF __hmax(HALF a, HALF b) {
	float x = TO_FLOAT(a), y = TO_FLOAT(b);
	if (x != x)
		return b;
	if (y != y || x > y)
		return a;
	return x == y && BITS(b) == 0x8000 ? a : b;
}
HALF_HD HALF __hmin(HALF a, HALF b) {
	float x = TO_FLOAT(a), y = TO_FLOAT(b);
	if (x != x)
		return b;
	if (y != y || x < y)
		return a;
	return x == y && BITS(a) == 0x8000 ? a : b;
}
HALF_HD HALF __hmax_nan(HALF a, HALF b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }
HALF_HD HALF __hmin_nan(HALF a, HALF b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }

/* Arithmetic of pairs. */
HALF_HD HALF2 __hadd2(HALF2 a, HALF2 b) { return ADD2(a, b); }
HALF_HD HALF2 __hsub2(HALF2 a, HALF2 b) { return SUB2(a, b); }
HALF_HD HALF2 __hmul2(HALF2 a, HALF2 b) { return MUL2(a, b); }
HALF_HD HALF2 __hfma2(HALF2 a, HALF2 b, HALF2 c) { return FMA2(a, b, c); }
HALF_HD HALF2 __hadd2_rn(HALF2 a, HALF2 b) { return ADD2(a, b); }
HALF_HD HALF2 __hsub2_rn(HALF2 a, HALF2 b) { return SUB2(a, b); }
HALF_HD HALF2 __hmul2_rn(HALF2 a, HALF2 b) { return MUL2(a, b); }
HALF_HD HALF2 __h2div(HALF2 a, HALF2 b) { return simtrun_pair(DIV(a.x, b.x), DIV(a.y, b.y)); }
HALF_HD HALF2 __hneg2(HALF2 a) { return simtrun_pair(__hneg(a.x), __hneg(a.y)); }
HALF_HD HALF2 __habs2(HALF2 a) { return simtrun_pair(__habs(a.x), __habs(a.y)); }
HALF_HD HALF2 __hmax2(HALF2 a, HALF2 b) { return simtrun_pair(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
HALF_HD HALF2 __hmin2(HALF2 a, HALF2 b) { return simtrun_pair(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
HALF_HD HALF2 __hmax2_nan(HALF2 a, HALF2 b) { return simtrun_pair(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
HALF_HD HALF2 __hmin2_nan(HALF2 a, HALF2 b) { return simtrun_pair(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
HALF_HD HALF2 __hadd2_sat(HALF2 a, HALF2 b) { return simtrun_pair(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }
HALF_HD HALF2 __hsub2_sat(HALF2 a, HALF2 b) { return simtrun_pair(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); }
HALF_HD HALF2 __hmul2_sat(HALF2 a, HALF2 b) { return simtrun_pair(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }
HALF_HD HALF2 __hfma2_sat(HALF2 a, HALF2 b, HALF2 c) {
	return simtrun_pair(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
HALF_HD HALF2 __hfma2_relu(HALF2 a, HALF2 b, HALF2 c) {
	return simtrun_pair(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
/* a * b + c for complex numbers. */
HALF_HD HALF2 __hcmadd(HALF2 a, HALF2 b, HALF2 c) {
	return simtrun_pair(FMA(__hneg(a.y), b.y, FMA(a.x, b.x, c.x)), FMA(a.y, b.x, FMA(a.x, b.y, c.y)));
}

/* Operators. */
#define SIMTRUN_ARITHMETIC(OP, T, CALL)                                                                                \
	HALF_HD T operator OP(const T &a, const T &b) { return CALL(a, b); }                                               \
	HALF_HD T &operator OP##=(T &a, const T &b) { return a = CALL(a, b); }
#define SIMTRUN_COMPARE(OP, T, CALL)                                                                                   \
	HALF_HD bool operator OP(const T &a, const T &b) { return CALL(a, b); }
#if !defined(SIMTRUN_NO_OPERATORS)
SIMTRUN_ARITHMETIC(+, HALF, __hadd)
SIMTRUN_ARITHMETIC(-, HALF, __hsub)
SIMTRUN_ARITHMETIC(*, HALF, __hmul)
SIMTRUN_ARITHMETIC(/, HALF, __hdiv)
SIMTRUN_COMPARE(==, HALF, __heq)
SIMTRUN_COMPARE(!=, HALF, __hneu)
SIMTRUN_COMPARE(<, HALF, __hlt)
SIMTRUN_COMPARE(<=, HALF, __hle)
SIMTRUN_COMPARE(>, HALF, __hgt)
SIMTRUN_COMPARE(>=, HALF, __hge)
HALF_HD HALF operator+(const HALF &a) { return a; }
HALF_HD HALF operator-(const HALF &a) { return __hneg(a); }
HALF_HD HALF &operator++(HALF &a) { return a = ADD(a, FROM_FLOAT(1.0f)); }
HALF_HD HALF &operator--(HALF &a) { return a = SUB(a, FROM_FLOAT(1.0f)); }
HALF_HD HALF operator++(HALF &a, int) {
	HALF before = a;
	++a;
	return before;
}
HALF_HD HALF operator--(HALF &a, int) {
	HALF before = a;
	--a;
	return before;
}
#endif
#if !defined(SIMTRUN_NO_OPERATORS2)
SIMTRUN_ARITHMETIC(+, HALF2, __hadd2)
SIMTRUN_ARITHMETIC(-, HALF2, __hsub2)
SIMTRUN_ARITHMETIC(*, HALF2, __hmul2)
SIMTRUN_ARITHMETIC(/, HALF2, __h2div)
SIMTRUN_COMPARE(==, HALF2, __hbeq2)
SIMTRUN_COMPARE(!=, HALF2, __hbneu2)
SIMTRUN_COMPARE(<, HALF2, __hblt2)
SIMTRUN_COMPARE(<=, HALF2, __hble2)
SIMTRUN_COMPARE(>, HALF2, __hbgt2)
SIMTRUN_COMPARE(>=, HALF2, __hbge2)
HALF_HD HALF2 operator+(const HALF2 &a) { return a; }
HALF_HD HALF2 operator-(const HALF2 &a) { return __hneg2(a); }
#endif
#undef SIMTRUN_ARITHMETIC
#undef SIMTRUN_COMPARE
#undef SIMTRUN_NO_OPERATORS
#undef SIMTRUN_NO_OPERATORS2

#if defined(__CUDA__)
/* Functions, rounded once from single precision. */
#define SIMTRUN_FUNCTION(NAME, CALL)                                                                                   \
	HALF_D HALF h##NAME(HALF a) {                                                                                     \
		float x = TO_FLOAT(a);                                                                                             \
		return FROM_FLOAT(CALL);                                                                                           \
	}                                                                                                                    \
	HALF_D HALF2 h2##NAME(HALF2 a) { return simtrun_pair(h##NAME(a.x), h##NAME(a.y)); }
SIMTRUN_FUNCTION(sqrt, ::sqrtf(x))
SIMTRUN_FUNCTION(rsqrt, ::rsqrtf(x))
SIMTRUN_FUNCTION(rcp, 1.0f / x)
SIMTRUN_FUNCTION(exp, ::expf(x))
SIMTRUN_FUNCTION(exp2, ::exp2f(x))
SIMTRUN_FUNCTION(exp10, ::exp10f(x))
SIMTRUN_FUNCTION(log, ::logf(x))
SIMTRUN_FUNCTION(log2, ::log2f(x))
SIMTRUN_FUNCTION(log10, ::log10f(x))
SIMTRUN_FUNCTION(sin, ::sinf(x))
SIMTRUN_FUNCTION(cos, ::cosf(x))
SIMTRUN_FUNCTION(tanh, ::tanhf(x))
SIMTRUN_FUNCTION(tanh_approx, ::tanhf(x))
SIMTRUN_FUNCTION(ceil, ::ceilf(x))
SIMTRUN_FUNCTION(floor, ::floorf(x))
SIMTRUN_FUNCTION(trunc, ::truncf(x))
SIMTRUN_FUNCTION(rint, ::rintf(x))
#undef SIMTRUN_FUNCTION

/* Functions of a warp, and of memory. */
#define SIMTRUN_SHUFFLE(NAME, T)                                                                                       \
	HALF_D HALF NAME(unsigned int mask, HALF v, T lane, int width = warpSize) {                                       \
		return FROM_BITS((unsigned short)::NAME(mask, (unsigned int)BITS(v), lane, width));                                \
	}                                                                                                                    \
	HALF_D HALF2 NAME(unsigned int mask, HALF2 v, T lane, int width = warpSize) {                                     \
		unsigned int bits;                                                                                                 \
		__builtin_memcpy(&bits, &v, 4);                                                                                    \
		bits = ::NAME(mask, bits, lane, width);                                                                            \
		__builtin_memcpy(&v, &bits, 4);                                                                                    \
		return v;                                                                                                          \
	}
SIMTRUN_SHUFFLE(__shfl_sync, int)
SIMTRUN_SHUFFLE(__shfl_up_sync, unsigned int)
SIMTRUN_SHUFFLE(__shfl_down_sync, unsigned int)
SIMTRUN_SHUFFLE(__shfl_xor_sync, int)
#undef SIMTRUN_SHUFFLE

#define SIMTRUN_LOAD(NAME)                                                                                             \
	HALF_D HALF NAME(const HALF *p) { return FROM_BITS(::NAME((const unsigned short *)p)); }                          \
	HALF_D HALF2 NAME(const HALF2 *p) {                                                                               \
		unsigned int bits = ::NAME((const unsigned int *)p);                                                               \
		HALF2 v;                                                                                                           \
		__builtin_memcpy(&v, &bits, 4);                                                                                    \
		return v;                                                                                                          \
	}
SIMTRUN_LOAD(__ldg)
SIMTRUN_LOAD(__ldcg)
SIMTRUN_LOAD(__ldca)
SIMTRUN_LOAD(__ldcs)
SIMTRUN_LOAD(__ldlu)
SIMTRUN_LOAD(__ldcv)
#undef SIMTRUN_LOAD
#define SIMTRUN_STORE(NAME)                                                                                            \
	HALF_D void NAME(HALF *p, HALF v) { ::NAME((unsigned short *)p, BITS(v)); }                                       \
	HALF_D void NAME(HALF2 *p, HALF2 v) {                                                                             \
		unsigned int bits;                                                                                                 \
		__builtin_memcpy(&bits, &v, 4);                                                                                    \
		::NAME((unsigned int *)p, bits);                                                                                   \
	}
SIMTRUN_STORE(__stwb)
SIMTRUN_STORE(__stcg)
SIMTRUN_STORE(__stcs)
SIMTRUN_STORE(__stwt)
#undef SIMTRUN_STORE

/* Atomic addition is a compare-and-swap loop, which all architectures support. */
HALF_D HALF2 atomicAdd(HALF2 *p, HALF2 v) {
	unsigned int *word = (unsigned int *)p, old = *(volatile unsigned int *)word, seen;
	do {
		seen = old;
		HALF2 sum;
		__builtin_memcpy(&sum, &seen, 4);
		sum = ADD2(sum, v);
		unsigned int bits;
		__builtin_memcpy(&bits, &sum, 4);
		old = ::atomicCAS(word, seen, bits);
	} while (old != seen);
	HALF2 before;
	__builtin_memcpy(&before, &old, 4);
	return before;
}
HALF_D HALF atomicAdd(HALF *p, HALF v) {
	unsigned short *word = (unsigned short *)p, old = *(volatile unsigned short *)word, seen;
	do {
		seen = old;
		old = ::atomicCAS(word, seen, BITS(ADD(FROM_BITS(seen), v)));
	} while (old != seen);
	return FROM_BITS(old);
}

#endif

#undef HALF_HD
#undef HALF_D
