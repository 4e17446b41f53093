/* Products of matrices by a warp, nvcuda::wmma, over clang's builtins. */
#ifndef SIMTRUN_MMA_H
#define SIMTRUN_MMA_H

#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__CUDA__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700)

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
} // namespace precision
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

namespace details {
/* What elements are stored as, and how many of them in one. */
template <typename T> struct Stored {
	typedef T type;
	static const int packed = 1;
};
template <> struct Stored<precision::tf32> {
	typedef float type;
	static const int packed = 1;
};
template <> struct Stored<experimental::precision::u4> {
	typedef unsigned int type;
	static const int packed = 8;
};
template <> struct Stored<experimental::precision::s4> {
	typedef int type;
	static const int packed = 8;
};
template <> struct Stored<experimental::precision::b1> {
	typedef unsigned int type;
	static const int packed = 32;
};

/* How many elements each lane has of a matrix of HEIGHT times WIDTH. Those of 16 bits and 16x16x16 are there twice. */
template <typename Use, int M, int N, int K, typename T> struct Count;
template <int M, int N, int K, typename T> struct Count<accumulator, M, N, K, T> { static const int value = M * N / 32; };
template <int M, int N, int K, typename T> struct Count<matrix_a, M, N, K, T> { static const int value = M * K / 32; };
template <int M, int N, int K, typename T> struct Count<matrix_b, M, N, K, T> { static const int value = N * K / 32; };
template <int M, int N, int K> struct Count<matrix_a, M, N, K, __half> { static const int value = 16; };
template <int M, int N, int K> struct Count<matrix_b, M, N, K, __half> { static const int value = 16; };

__device__ __inline__ float finite(float x) { return x != x ? 0 : fminf(fmaxf(x, -3.402823466e38f), 3.402823466e38f); }
__device__ __inline__ __half finite(__half x) {
	float f = __half2float(x);
	return __float2half(f != f ? 0 : fminf(fmaxf(f, -65504.0f), 65504.0f));
}

template <typename Layout> struct IsColumn { static const int value = 0; };
template <> struct IsColumn<col_major> { static const int value = 1; };
} // namespace details

template <typename Use, int M, int N, int K, typename T, typename Layout = void> class fragment {
public:
	typedef typename details::Stored<T>::type element_type;
	typedef element_type storage_element_type;
	static const int num_elements = details::Count<Use, M, N, K, T>::value;
	static const int num_storage_elements = num_elements / details::Stored<T>::packed;
	__align__(16) element_type x[num_storage_elements];
};

template <typename Use, int M, int N, int K, typename T, typename Layout, typename V>
__device__ __inline__ void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &value) {
#pragma unroll
	for (int i = 0; i < f.num_storage_elements; i++)
		f.x[i] = (typename details::Stored<T>::type)value;
}

/* A float with the 10 bits of fraction that tf32 has. */
static __inline__ __device__ float __float_to_tf32(float f) {
	unsigned int bits;
	__asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(f));
	return __uint_as_float(bits);
}

/* Loads of a and b: T is the type of an element, P that to which the builtin points. */
#define SIMTRUN_LOAD_AB(USE, M, N, K, T, BUILTIN, P)                                                                   \
	template <typename Layout>                                                                                           \
	__device__ __inline__ void load_matrix_sync(fragment<USE, M, N, K, T, Layout> &f,                                    \
	                                            const details::Stored<T>::type *p, unsigned int step) {                  \
		if (details::IsColumn<Layout>::value)                                                                              \
			BUILTIN((P *)f.x, (const P *)p, step, 1);                                                                        \
		else                                                                                                               \
			BUILTIN((P *)f.x, (const P *)p, step, 0);                                                                        \
	}
#define SIMTRUN_LOAD_C(M, N, K, T, BUILTIN, P)                                                                         \
	__device__ __inline__ void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned int step,     \
	                                            layout_t layout) {                                                       \
		if (layout == mem_col_major)                                                                                       \
			BUILTIN((P *)f.x, (const P *)p, step, 1);                                                                        \
		else                                                                                                               \
			BUILTIN((P *)f.x, (const P *)p, step, 0);                                                                        \
	}
#define SIMTRUN_STORE(M, N, K, T, BUILTIN, P)                                                                          \
	__device__ __inline__ void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned int step,    \
	                                             layout_t layout) {                                                      \
		if (layout == mem_col_major)                                                                                       \
			BUILTIN((P *)p, (const P *)f.x, step, 1);                                                                        \
		else                                                                                                               \
			BUILTIN((P *)p, (const P *)f.x, step, 0);                                                                        \
	}
/* The layouts of a and b are a constant of the builtin: 2 for columns of a, 1 for those of b. So is whether sums are saturated, which those of
   SIMTRUN_MMA, of integers, can be. PTX has no saturation to finite numbers for those of SIMTRUN_MMA_FINITE any more, which C++ has. P, Q and R are what the builtin's pointers to d, to a and b, and to c point to. */
#define SIMTRUN_MMA_OF(BUILTIN, P, Q, R, SATURATE)                                                                     \
	if (layout == 0)                                                                                                     \
		BUILTIN((P *)d.x, (const Q *)a.x, (const Q *)b.x, (const R *)c.x, 0, SATURATE);                                    \
	else if (layout == 1)                                                                                                \
		BUILTIN((P *)d.x, (const Q *)a.x, (const Q *)b.x, (const R *)c.x, 1, SATURATE);                                    \
	else if (layout == 2)                                                                                                \
		BUILTIN((P *)d.x, (const Q *)a.x, (const Q *)b.x, (const R *)c.x, 2, SATURATE);                                    \
	else                                                                                                                 \
		BUILTIN((P *)d.x, (const Q *)a.x, (const Q *)b.x, (const R *)c.x, 3, SATURATE);
#define SIMTRUN_MMA(M, N, K, T, D, C, BUILTIN, P, Q, R)                                                                \
	template <typename A, typename B>                                                                                    \
	__device__ __inline__ void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, A> &a, \
	                                    const fragment<matrix_b, M, N, K, T, B> &b,                                      \
	                                    const fragment<accumulator, M, N, K, C> &c, bool saturate = false) {             \
		const int layout = 2 * details::IsColumn<A>::value + details::IsColumn<B>::value;                                  \
		if (saturate) {                                                                                                    \
			SIMTRUN_MMA_OF(BUILTIN, P, Q, R, 1)                                                                              \
		} else {                                                                                                           \
			SIMTRUN_MMA_OF(BUILTIN, P, Q, R, 0)                                                                              \
		}                                                                                                                  \
	}
#define SIMTRUN_MMA_FINITE(M, N, K, D, C, BUILTIN, P, Q, R)                                                            \
	template <typename A, typename B>                                                                                    \
	__device__ __inline__ void mma_sync(                                                                                 \
	    fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, __half, A> &a,                           \
	    const fragment<matrix_b, M, N, K, __half, B> &b, const fragment<accumulator, M, N, K, C> &c, bool finite = false) { \
		const int layout = 2 * details::IsColumn<A>::value + details::IsColumn<B>::value;                                  \
		SIMTRUN_MMA_OF(BUILTIN, P, Q, R, 0)                                                                                \
		if (finite)                                                                                                        \
			for (int i = 0; i < d.num_elements; i++)                                                                         \
				d.x[i] = details::finite(d.x[i]);                                                                              \
	}
#define SIMTRUN_MMA_PLAIN(M, N, K, T, D, BUILTIN, P, Q)                                                                \
	template <typename A, typename B>                                                                                    \
	__device__ __inline__ void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, A> &a, \
	                                    const fragment<matrix_b, M, N, K, T, B> &b,                                      \
	                                    const fragment<accumulator, M, N, K, D> &c) {                                    \
		const int layout = 2 * details::IsColumn<A>::value + details::IsColumn<B>::value;                                  \
		SIMTRUN_MMA_OF(BUILTIN, P, Q, P, 0)                                                                                \
	}

/* Halves, summed as halves or floats. The builtins of mixed types point to int and float each. */
#define SIMTRUN_HALVES(M, N, K, G)                                                                                     \
	SIMTRUN_LOAD_AB(matrix_a, M, N, K, __half, __hmma_##G##_ld_a, int)                                                   \
	SIMTRUN_LOAD_AB(matrix_b, M, N, K, __half, __hmma_##G##_ld_b, int)                                                   \
	SIMTRUN_LOAD_C(M, N, K, __half, __hmma_##G##_ld_c_f16, int)                                                          \
	SIMTRUN_LOAD_C(M, N, K, float, __hmma_##G##_ld_c_f32, float)                                                         \
	SIMTRUN_STORE(M, N, K, __half, __hmma_##G##_st_c_f16, int)                                                           \
	SIMTRUN_STORE(M, N, K, float, __hmma_##G##_st_c_f32, float)                                                          \
	SIMTRUN_MMA_FINITE(M, N, K, float, float, __hmma_##G##_mma_f32f32, float, int, float)                        \
	SIMTRUN_MMA_FINITE(M, N, K, float, __half, __hmma_##G##_mma_f32f16, float, int, int)                         \
	SIMTRUN_MMA_FINITE(M, N, K, __half, float, __hmma_##G##_mma_f16f32, int, int, float)                         \
	SIMTRUN_MMA_FINITE(M, N, K, __half, __half, __hmma_##G##_mma_f16f16, int, int, int)
SIMTRUN_HALVES(16, 16, 16, m16n16k16)
SIMTRUN_HALVES(32, 8, 16, m32n8k16)
SIMTRUN_HALVES(8, 32, 16, m8n32k16)
#undef SIMTRUN_HALVES

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720
/* Bytes, summed as int. */
#define SIMTRUN_BYTES(M, N, K, G)                                                                                      \
	SIMTRUN_LOAD_AB(matrix_a, M, N, K, signed char, __imma_##G##_ld_a_s8, int)                                           \
	SIMTRUN_LOAD_AB(matrix_b, M, N, K, signed char, __imma_##G##_ld_b_s8, int)                                           \
	SIMTRUN_LOAD_AB(matrix_a, M, N, K, unsigned char, __imma_##G##_ld_a_u8, int)                                         \
	SIMTRUN_LOAD_AB(matrix_b, M, N, K, unsigned char, __imma_##G##_ld_b_u8, int)                                         \
	SIMTRUN_LOAD_C(M, N, K, int, __imma_##G##_ld_c, int)                                                                 \
	SIMTRUN_STORE(M, N, K, int, __imma_##G##_st_c_i32, int)                                                              \
	SIMTRUN_MMA(M, N, K, signed char, int, int, __imma_##G##_mma_s8, int, int, int)                                      \
	SIMTRUN_MMA(M, N, K, unsigned char, int, int, __imma_##G##_mma_u8, int, int, int)
SIMTRUN_BYTES(16, 16, 16, m16n16k16)
SIMTRUN_BYTES(32, 8, 16, m32n8k16)
SIMTRUN_BYTES(8, 32, 16, m8n32k16)
#undef SIMTRUN_BYTES
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
/* Integers of 4 bits, and bits: rows of a, columns of b. */
#define SIMTRUN_LOAD_PACKED(USE, LAYOUT, K, T, BUILTIN, COLUMN)                                                        \
	__device__ __inline__ void load_matrix_sync(fragment<USE, 8, 8, K, experimental::precision::T, LAYOUT> &f,           \
	                                            const void *p, unsigned int step) {                                      \
		BUILTIN((int *)f.x, (const int *)p, step, COLUMN);                                                                 \
	}
#define SIMTRUN_NIBBLES(T)                                                                                             \
	SIMTRUN_LOAD_PACKED(matrix_a, row_major, 32, T, __imma_m8n8k32_ld_a_##T, 0)                                          \
	SIMTRUN_LOAD_PACKED(matrix_b, col_major, 32, T, __imma_m8n8k32_ld_b_##T, 1)                                          \
	__device__ __inline__ void mma_sync(fragment<accumulator, 8, 8, 32, int> &d,                                         \
	                                    const fragment<matrix_a, 8, 8, 32, experimental::precision::T, row_major> &a,    \
	                                    const fragment<matrix_b, 8, 8, 32, experimental::precision::T, col_major> &b,    \
	                                    const fragment<accumulator, 8, 8, 32, int> &c, bool saturate = false) {          \
		if (saturate)                                                                                                      \
			__imma_m8n8k32_mma_##T((int *)d.x, (const int *)a.x, (const int *)b.x, (const int *)c.x, 1, 1);                  \
		else                                                                                                               \
			__imma_m8n8k32_mma_##T((int *)d.x, (const int *)a.x, (const int *)b.x, (const int *)c.x, 1, 0);                  \
	}
SIMTRUN_LOAD_C(8, 8, 32, int, __imma_m8n8k32_ld_c, int)
SIMTRUN_STORE(8, 8, 32, int, __imma_m8n8k32_st_c_i32, int)
SIMTRUN_NIBBLES(u4)
SIMTRUN_NIBBLES(s4)
SIMTRUN_LOAD_C(8, 8, 128, int, __bmma_m8n8k128_ld_c, int)
SIMTRUN_STORE(8, 8, 128, int, __bmma_m8n8k128_st_c_i32, int)
SIMTRUN_LOAD_PACKED(matrix_a, row_major, 128, b1, __bmma_m8n8k128_ld_a_b1, 0)
SIMTRUN_LOAD_PACKED(matrix_b, col_major, 128, b1, __bmma_m8n8k128_ld_b_b1, 1)
__device__ __inline__ void bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
                                     const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
                                     const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
                                     const fragment<accumulator, 8, 8, 128, int> &c,
                                     experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                                     experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
	if (op == experimental::bmmaBitOpAND) {
		__bmma_m8n8k128_mma_and_popc_b1((int *)d.x, (const int *)a.x, (const int *)b.x, (const int *)c.x, 1);
		return;
	}
#endif
	__bmma_m8n8k128_mma_xor_popc_b1((int *)d.x, (const int *)a.x, (const int *)b.x, (const int *)c.x, 1);
}
#undef SIMTRUN_LOAD_PACKED
#undef SIMTRUN_NIBBLES
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define SIMTRUN_BRAINS(M, N, K, G)                                                                                     \
	SIMTRUN_LOAD_AB(matrix_a, M, N, K, __nv_bfloat16, __mma_bf16_##G##_ld_a, int)                                        \
	SIMTRUN_LOAD_AB(matrix_b, M, N, K, __nv_bfloat16, __mma_bf16_##G##_ld_b, int)                                        \
	SIMTRUN_MMA_PLAIN(M, N, K, __nv_bfloat16, float, __mma_bf16_##G##_mma_f32, float, int)
SIMTRUN_BRAINS(16, 16, 16, m16n16k16)
SIMTRUN_BRAINS(32, 8, 16, m32n8k16)
SIMTRUN_BRAINS(8, 32, 16, m8n32k16)
#undef SIMTRUN_BRAINS

SIMTRUN_LOAD_AB(matrix_a, 16, 16, 8, precision::tf32, __mma_tf32_m16n16k8_ld_a, int)
SIMTRUN_LOAD_AB(matrix_b, 16, 16, 8, precision::tf32, __mma_tf32_m16n16k8_ld_b, int)
SIMTRUN_LOAD_C(16, 16, 8, float, __mma_tf32_m16n16k8_ld_c, float)
SIMTRUN_STORE(16, 16, 8, float, __mma_m16n16k8_st_c_f32, float)
SIMTRUN_MMA_PLAIN(16, 16, 8, precision::tf32, float, __mma_tf32_m16n16k8_mma_f32, float, int)

SIMTRUN_LOAD_AB(matrix_a, 8, 8, 4, double, __dmma_m8n8k4_ld_a, double)
SIMTRUN_LOAD_AB(matrix_b, 8, 8, 4, double, __dmma_m8n8k4_ld_b, double)
SIMTRUN_LOAD_C(8, 8, 4, double, __dmma_m8n8k4_ld_c, double)
SIMTRUN_STORE(8, 8, 4, double, __dmma_m8n8k4_st_c_f64, double)
SIMTRUN_MMA_PLAIN(8, 8, 4, double, double, __dmma_m8n8k4_mma_f64, double, double)
#endif

#undef SIMTRUN_LOAD_AB
#undef SIMTRUN_LOAD_C
#undef SIMTRUN_STORE
#undef SIMTRUN_MMA
#undef SIMTRUN_MMA_FINITE
#undef SIMTRUN_MMA_PLAIN
#undef SIMTRUN_MMA_OF

} // namespace wmma
} // namespace nvcuda

#endif
#endif
