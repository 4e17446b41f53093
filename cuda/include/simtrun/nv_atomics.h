/* The atomic functions of CUDA 12.8, __nv_atomic_load and similar ones, with order and scope as arguments. The
   accesses themselves are relaxed; a fence before or after provides the order. */
#ifndef SIMTRUN_NV_ATOMICS_H
#define SIMTRUN_NV_ATOMICS_H

#pragma GCC system_header

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

#define SIMTRUN_ATOMIC_END int order, int scope = __NV_THREAD_SCOPE_SYSTEM

SIMTRUN_DEVICE void simtrun_fence(int scope) {
	if (scope == __NV_THREAD_SCOPE_SYSTEM)
		__threadfence_system();
	else if (scope > __NV_THREAD_SCOPE_BLOCK)
		__threadfence();
	else
		__threadfence_block();
}
SIMTRUN_DEVICE void simtrun_before(int order, int scope) {
	if (order >= __NV_ATOMIC_RELEASE)
		simtrun_fence(scope);
}
SIMTRUN_DEVICE void simtrun_after(int order, int scope) {
	if (order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_RELEASE)
		simtrun_fence(scope);
}
SIMTRUN_DEVICE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
	if (order != __NV_ATOMIC_RELAXED)
		simtrun_fence(scope);
}

/* The integer with the size of a type, and conversion of a value to another type of the same size. */
template <int Size> struct simtrun_bits;
template <> struct simtrun_bits<1> { typedef unsigned char type; };
template <> struct simtrun_bits<2> { typedef unsigned short type; };
template <> struct simtrun_bits<4> { typedef unsigned int type; };
template <> struct simtrun_bits<8> { typedef unsigned long long type; };
template <typename To, typename From> SIMTRUN_DEVICE To simtrun_cast(From from) {
	static_assert(sizeof(To) == sizeof(From), "both have the same size");
	To to;
	__builtin_memcpy(&to, &from, sizeof(To));
	return to;
}

template <typename T> SIMTRUN_DEVICE T __nv_atomic_load_n(const T *p, SIMTRUN_ATOMIC_END) {
	typedef typename simtrun_bits<sizeof(T)>::type bits;
	if (order == __NV_ATOMIC_SEQ_CST)
		simtrun_fence(scope);
	bits value = *(const volatile bits *)p;
	simtrun_after(order, scope);
	return simtrun_cast<T>(value);
}
template <typename T> SIMTRUN_DEVICE void __nv_atomic_load(const T *p, T *result, SIMTRUN_ATOMIC_END) {
	*result = __nv_atomic_load_n(p, order, scope);
}
template <typename T> SIMTRUN_DEVICE void __nv_atomic_store_n(T *p, T value, SIMTRUN_ATOMIC_END) {
	typedef typename simtrun_bits<sizeof(T)>::type bits;
	simtrun_before(order, scope);
	*(volatile bits *)p = simtrun_cast<bits>(value);
	if (order == __NV_ATOMIC_SEQ_CST)
		simtrun_fence(scope);
}
template <typename T> SIMTRUN_DEVICE void __nv_atomic_store(T *p, T *value, SIMTRUN_ATOMIC_END) {
	__nv_atomic_store_n(p, *value, order, scope);
}

/* Calls FUNCTION of the scope with ARGUMENTS, which include their parentheses. */
#define SIMTRUN_SCOPED(FUNCTION, ARGUMENTS)                                                                            \
	(scope == __NV_THREAD_SCOPE_SYSTEM  ? FUNCTION##_system ARGUMENTS                                                    \
	 : scope > __NV_THREAD_SCOPE_BLOCK  ? FUNCTION ARGUMENTS                                                             \
	                                    : FUNCTION##_block ARGUMENTS)

template <typename T> SIMTRUN_DEVICE T __nv_atomic_exchange_n(T *p, T value, SIMTRUN_ATOMIC_END) {
	typedef typename simtrun_bits<sizeof(T)>::type bits;
	simtrun_before(order, scope);
	bits old = SIMTRUN_SCOPED(atomicExch, ((bits *)p, simtrun_cast<bits>(value)));
	simtrun_after(order, scope);
	return simtrun_cast<T>(old);
}
template <typename T> SIMTRUN_DEVICE void __nv_atomic_exchange(T *p, T *value, T *result, SIMTRUN_ATOMIC_END) {
	*result = __nv_atomic_exchange_n(p, *value, order, scope);
}
template <typename T>
SIMTRUN_DEVICE bool __nv_atomic_compare_exchange_n(T *p, T *expected, T desired, bool, int order, int failure,
                                                   int scope = __NV_THREAD_SCOPE_SYSTEM) {
	typedef typename simtrun_bits<sizeof(T)>::type bits;
	bits wanted = simtrun_cast<bits>(*expected);
	simtrun_before(order, scope);
	bits old = SIMTRUN_SCOPED(atomicCAS, ((bits *)p, wanted, simtrun_cast<bits>(desired)));
	simtrun_after(old == wanted ? order : failure, scope);
	if (old != wanted)
		*expected = simtrun_cast<T>(old);
	return old == wanted;
}
template <typename T>
SIMTRUN_DEVICE bool __nv_atomic_compare_exchange(T *p, T *expected, T *desired, bool weak, int order, int failure,
                                                 int scope = __NV_THREAD_SCOPE_SYSTEM) {
	return __nv_atomic_compare_exchange_n(p, expected, *desired, weak, order, failure, scope);
}

/* An operation for type T calls the classic function for B. */
#define SIMTRUN_FETCH(NAME, FUNCTION, T, B)                                                                            \
	SIMTRUN_DEVICE T __nv_atomic_fetch_##NAME(T *p, T value, SIMTRUN_ATOMIC_END) {                                       \
		simtrun_before(order, scope);                                                                                      \
		T old = (T)SIMTRUN_SCOPED(FUNCTION, ((B *)p, (B)value));                                                           \
		simtrun_after(order, scope);                                                                                       \
		return old;                                                                                                        \
	}                                                                                                                    \
	SIMTRUN_DEVICE void __nv_atomic_##NAME(T *p, T value, SIMTRUN_ATOMIC_END) {                                          \
		__nv_atomic_fetch_##NAME(p, value, order, scope);                                                                  \
	}
#define SIMTRUN_FETCH_SUB(T)                                                                                           \
	SIMTRUN_DEVICE T __nv_atomic_fetch_sub(T *p, T value, SIMTRUN_ATOMIC_END) {                                          \
		return __nv_atomic_fetch_add(p, (T)(0 - value), order, scope);                                                     \
	}                                                                                                                    \
	SIMTRUN_DEVICE void __nv_atomic_sub(T *p, T value, SIMTRUN_ATOMIC_END) {                                             \
		__nv_atomic_fetch_sub(p, value, order, scope);                                                                     \
	}
#define SIMTRUN_FETCHES(T, SUM, B)                                                                                     \
	SIMTRUN_FETCH(add, atomicAdd, T, SUM)                                                                                \
	SIMTRUN_FETCH_SUB(T)                                                                                                 \
	SIMTRUN_FETCH(min, atomicMin, T, B)                                                                                  \
	SIMTRUN_FETCH(max, atomicMax, T, B)                                                                                  \
	SIMTRUN_FETCH(and, atomicAnd, T, B)                                                                                  \
	SIMTRUN_FETCH(or, atomicOr, T, B)                                                                                    \
	SIMTRUN_FETCH(xor, atomicXor, T, B)
SIMTRUN_FETCHES(int, int, int)
SIMTRUN_FETCHES(unsigned int, unsigned int, unsigned int)
SIMTRUN_FETCHES(long long, unsigned long long, long long)
SIMTRUN_FETCHES(unsigned long long, unsigned long long, unsigned long long)
#if defined(_WIN32)
SIMTRUN_FETCHES(long, int, int)
SIMTRUN_FETCHES(unsigned long, unsigned int, unsigned int)
#else
SIMTRUN_FETCHES(long, unsigned long long, long long)
SIMTRUN_FETCHES(unsigned long, unsigned long long, unsigned long long)
#endif
SIMTRUN_FETCH(add, atomicAdd, float, float)
SIMTRUN_FETCH_SUB(float)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
SIMTRUN_FETCH(add, atomicAdd, double, double)
SIMTRUN_FETCH_SUB(double)
#endif
#undef SIMTRUN_FETCH
#undef SIMTRUN_FETCH_SUB
#undef SIMTRUN_FETCHES
#undef SIMTRUN_SCOPED
#undef SIMTRUN_ATOMIC_END

#endif
