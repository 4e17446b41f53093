/* Loads and stores with a cache operator, address spaces, and sleep. */
#ifndef SIMTRUN_MEMORY_H
#define SIMTRUN_MEMORY_H

#pragma GCC system_header

/* Defines NAME, which loads a T with the instruction OP: R is the type of a PTX register, C its constraint letter
   in inline PTX, S its suffix. */
#define SIMTRUN_LOAD1(NAME, OP, T, R, C, S)                                                                            \
	SIMTRUN_DEVICE T NAME(const T *p) {                                                                                  \
		R r;                                                                                                               \
		__asm__ __volatile__(OP S " %0, [%1];" : "=" C(r) : "l"(p) : "memory");                                            \
		return (T)r;                                                                                                       \
	}
#define SIMTRUN_LOAD2(NAME, OP, T, R, C, S)                                                                            \
	SIMTRUN_DEVICE T NAME(const T *p) {                                                                                  \
		R r, s;                                                                                                            \
		__asm__ __volatile__(OP "v2." S " {%0, %1}, [%2];" : "=" C(r), "=" C(s) : "l"(p) : "memory");                      \
		T v;                                                                                                               \
		v.x = r, v.y = s;                                                                                                  \
		return v;                                                                                                          \
	}
#define SIMTRUN_LOAD4(NAME, OP, T, R, C, S)                                                                            \
	SIMTRUN_DEVICE T NAME(const T *p) {                                                                                  \
		R r, s, t, u;                                                                                                      \
		__asm__ __volatile__(OP "v4." S " {%0, %1, %2, %3}, [%4];"                                                         \
		                     : "=" C(r), "=" C(s), "=" C(t), "=" C(u)                                                      \
		                     : "l"(p)                                                                                      \
		                     : "memory");                                                                                  \
		T v;                                                                                                               \
		v.x = r, v.y = s, v.z = t, v.w = u;                                                                                \
		return v;                                                                                                          \
	}
#define SIMTRUN_STORE1(NAME, OP, T, R, C, S)                                                                           \
	SIMTRUN_DEVICE void NAME(T *p, T v) {                                                                                \
		__asm__ __volatile__(OP S " [%0], %1;" ::"l"(p), C((R)v) : "memory");                                              \
	}
#define SIMTRUN_STORE2(NAME, OP, T, R, C, S)                                                                           \
	SIMTRUN_DEVICE void NAME(T *p, T v) {                                                                                \
		__asm__ __volatile__(OP "v2." S " [%0], {%1, %2};" ::"l"(p), C((R)v.x), C((R)v.y) : "memory");                     \
	}
#define SIMTRUN_STORE4(NAME, OP, T, R, C, S)                                                                           \
	SIMTRUN_DEVICE void NAME(T *p, T v) {                                                                                \
		__asm__ __volatile__(OP "v4." S " [%0], {%1, %2, %3, %4};" ::"l"(p), C((R)v.x), C((R)v.y), C((R)v.z), C((R)v.w)    \
		                     : "memory");                                                                                  \
	}

#define SIMTRUN_EACH(ONE, TWO, FOUR, NAME, OP)                                                                         \
	ONE(NAME, OP, char, short, "h", "s8")                                                                                \
	ONE(NAME, OP, signed char, short, "h", "s8")                                                                         \
	ONE(NAME, OP, unsigned char, unsigned short, "h", "u8")                                                              \
	ONE(NAME, OP, short, short, "h", "s16")                                                                              \
	ONE(NAME, OP, unsigned short, unsigned short, "h", "u16")                                                            \
	ONE(NAME, OP, int, int, "r", "s32")                                                                                  \
	ONE(NAME, OP, unsigned int, unsigned int, "r", "u32")                                                                \
	ONE(NAME, OP, long, long, "l", "s64")                                                                                \
	ONE(NAME, OP, unsigned long, unsigned long, "l", "u64")                                                              \
	ONE(NAME, OP, long long, long long, "l", "s64")                                                                      \
	ONE(NAME, OP, unsigned long long, unsigned long long, "l", "u64")                                                    \
	ONE(NAME, OP, float, float, "f", "f32")                                                                              \
	ONE(NAME, OP, double, double, "d", "f64")                                                                            \
	TWO(NAME, OP, char2, short, "h", "s8")                                                                               \
	TWO(NAME, OP, uchar2, unsigned short, "h", "u8")                                                                     \
	TWO(NAME, OP, short2, short, "h", "s16")                                                                             \
	TWO(NAME, OP, ushort2, unsigned short, "h", "u16")                                                                   \
	TWO(NAME, OP, int2, int, "r", "s32")                                                                                 \
	TWO(NAME, OP, uint2, unsigned int, "r", "u32")                                                                       \
	TWO(NAME, OP, longlong2, long long, "l", "s64")                                                                      \
	TWO(NAME, OP, ulonglong2, unsigned long long, "l", "u64")                                                            \
	TWO(NAME, OP, float2, float, "f", "f32")                                                                             \
	TWO(NAME, OP, double2, double, "d", "f64")                                                                           \
	FOUR(NAME, OP, char4, short, "h", "s8")                                                                              \
	FOUR(NAME, OP, uchar4, unsigned short, "h", "u8")                                                                    \
	FOUR(NAME, OP, short4, short, "h", "s16")                                                                            \
	FOUR(NAME, OP, ushort4, unsigned short, "h", "u16")                                                                  \
	FOUR(NAME, OP, int4, int, "r", "s32")                                                                                \
	FOUR(NAME, OP, uint4, unsigned int, "r", "u32")                                                                      \
	FOUR(NAME, OP, float4, float, "f", "f32")

#define SIMTRUN_LOADS(NAME, OP) SIMTRUN_EACH(SIMTRUN_LOAD1, SIMTRUN_LOAD2, SIMTRUN_LOAD4, NAME, OP)
#define SIMTRUN_STORES(NAME, OP) SIMTRUN_EACH(SIMTRUN_STORE1, SIMTRUN_STORE2, SIMTRUN_STORE4, NAME, OP)
SIMTRUN_LOADS(__ldcg, "ld.global.cg.")
SIMTRUN_LOADS(__ldca, "ld.global.ca.")
SIMTRUN_LOADS(__ldcs, "ld.global.cs.")
SIMTRUN_LOADS(__ldlu, "ld.global.lu.")
SIMTRUN_LOADS(__ldcv, "ld.global.cv.")
SIMTRUN_STORES(__stwb, "st.global.wb.")
SIMTRUN_STORES(__stcg, "st.global.cg.")
SIMTRUN_STORES(__stcs, "st.global.cs.")
SIMTRUN_STORES(__stwt, "st.global.wt.")
#undef SIMTRUN_LOADS
#undef SIMTRUN_STORES
#undef SIMTRUN_EACH
#undef SIMTRUN_LOAD1
#undef SIMTRUN_LOAD2
#undef SIMTRUN_LOAD4
#undef SIMTRUN_STORE1
#undef SIMTRUN_STORE2
#undef SIMTRUN_STORE4

SIMTRUN_DEVICE unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
SIMTRUN_DEVICE unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
SIMTRUN_DEVICE unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
SIMTRUN_DEVICE unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
SIMTRUN_DEVICE unsigned int __isGridConstant(const void *p) {
	unsigned int is = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
	__asm__("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(p));
#endif
	return is;
}

SIMTRUN_DEVICE size_t __cvta_generic_to_global(const void *p) {
	return (size_t)(const __attribute__((address_space(1))) void *)p;
}
SIMTRUN_DEVICE size_t __cvta_generic_to_shared(const void *p) {
	return (size_t)(const __attribute__((address_space(3))) void *)p;
}
SIMTRUN_DEVICE size_t __cvta_generic_to_constant(const void *p) {
	return (size_t)(const __attribute__((address_space(4))) void *)p;
}
SIMTRUN_DEVICE size_t __cvta_generic_to_local(const void *p) {
	return (size_t)(const __attribute__((address_space(5))) void *)p;
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
SIMTRUN_DEVICE size_t __cvta_generic_to_grid_constant(const void *p) {
	size_t address;
	__asm__("cvta.to.param.u64 %0, %1;" : "=l"(address) : "l"(p));
	return address;
}
SIMTRUN_DEVICE void *__cvta_grid_constant_to_generic(size_t address) {
	void *p;
	__asm__("cvta.param.u64 %0, %1;" : "=l"(p) : "l"(address));
	return p;
}
#endif
SIMTRUN_DEVICE void *__cvta_global_to_generic(size_t p) { return (void *)(__attribute__((address_space(1))) void *)p; }
SIMTRUN_DEVICE void *__cvta_shared_to_generic(size_t p) { return (void *)(__attribute__((address_space(3))) void *)p; }
SIMTRUN_DEVICE void *__cvta_constant_to_generic(size_t p) {
	return (void *)(__attribute__((address_space(4))) void *)p;
}
SIMTRUN_DEVICE void *__cvta_local_to_generic(size_t p) { return (void *)(__attribute__((address_space(5))) void *)p; }

SIMTRUN_DEVICE void __nanosleep(unsigned int ns) { __asm__ __volatile__("nanosleep.u32 %0;" ::"r"(ns) : "memory"); }

#endif
