/* The device's library apart from arithmetic: printf, assert, malloc, and the built-in variables as values. */
#ifndef SIMTRUN_SYSTEM_H
#define SIMTRUN_SYSTEM_H

#pragma GCC system_header

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(size_t) __attribute__((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             size_t charSize);

/* Called by the assert of <assert.h>. */
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function) {
	__assertfail(message, file, line, function, sizeof(char));
}
__device__ static inline void __assert_rtn(const char *function, const char *file, int line, const char *message) {
	__assertfail(message, file, line, function, sizeof(char));
}
__device__ static inline void abort() { __trap(); }
}

namespace std {
__device__ static inline void free(void *p) { ::free(p); }
__device__ static inline void *malloc(size_t size) { return ::malloc(size); }
} // namespace std

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return make_uint3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return make_uint3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return make_uint3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return make_uint3(x, y, z); }

#endif
