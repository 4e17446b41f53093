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

namespace details {
/* What an element is stored as. */
template <typename T> struct Stored { typedef T type; };
template <> struct Stored<precision::tf32> { typedef float type; };

/* How many elements each lane has of a matrix of HEIGHT times WIDTH. Those of 16 bits and 16x16x16 are there twice. */
template <typename Use, int M, int N, int K, typename T> struct Count;
template <int M, int N, int K, typename T> struct Count<accumulator, M, N, K, T> { static const int value = M * N / 32; };
template <int M, int N, int K, typename T> struct Count<matrix_a, M, N, K, T> { static const int value = M * K / 32; };
template <int M, int N, int K, typename T> struct Count<matrix_b, M, N, K, T> { static const int value = N * K / 32; };
template <int M, int N, int K> struct Count<matrix_a, M, N, K, __half> { static const int value = 16; };
template <int M, int N, int K> struct Count<matrix_b, M, N, K, __half> { static const int value = 16; };

template <typename Layout> struct IsColumn { static const int value = 0; };
template <> struct IsColumn<col_major> { static const int value = 1; };
} // namespace details

template <typename Use, int M, int N, int K, typename T, typename Layout = void> class fragment {
public:
	typedef typename details::Stored<T>::type element_type;
	typedef element_type storage_element_type;
	static const int num_elements = details::Count<Use, M, N, K, T>::value;
	static const int num_storage_elements = num_elements;
	__align__(16) element_type x[num_elements];
};

template <typename Use, int M, int N, int K, typename T, typename Layout, typename V>
__device__ __inline__ void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &value) {
#pragma unroll
	for (int i = 0; i < f.num_elements; i++)
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
/* The layouts of a and b are a constant of the builtin: 2 for columns of a, 1 for those of b. So is whether integers are
   saturated, which they are not. */
#define SIMTRUN_MMA(M, N, K, T, D, C, BUILTIN, P, Q)                                                                   \
	template <typename A, typename B>                                                                                    \
	__device__ __inline__ void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, A> &a, \
	                                    const fragment<matrix_b, M, N, K, T, B> &b,                                      \
	                                    const fragment<accumulator, M, N, K, C> &c, bool = false) {                      \
		const int layout = 2 * details::IsColumn<A>::value + details::IsColumn<B>::value;                                  \
		if (layout == 0)                                                                                                   \
			BUILTIN((P *)d.x, (const Q *)a.x, (const Q *)b.x, (const P *)c.x, 0, 0);                                      \
		else if (layout == 1)                                                                                              \
			BUILTIN((P *)d.x, (const Q *)a.x, (const Q *)b.x, (const P *)c.x, 1, 0);                                      \
		else if (layout == 2)                                                                                              \
			BUILTIN((P *)d.x, (const Q *)a.x, (const Q *)b.x, (const P *)c.x, 2, 0);                                      \
		else                                                                                                               \
			BUILTIN((P *)d.x, (const Q *)a.x, (const Q *)b.x, (const P *)c.x, 3, 0);                                      \
	}

/* Halves, summed as halves or floats. The builtins of mixed types point to int and float each. */
#define SIMTRUN_HALVES(M, N, K, G)                                                                                     \
	SIMTRUN_LOAD_AB(matrix_a, M, N, K, __half, __hmma_##G##_ld_a, int)                                                   \
	SIMTRUN_LOAD_AB(matrix_b, M, N, K, __half, __hmma_##G##_ld_b, int)                                                   \
	SIMTRUN_LOAD_C(M, N, K, __half, __hmma_##G##_ld_c_f16, int)                                                          \
	SIMTRUN_LOAD_C(M, N, K, float, __hmma_##G##_ld_c_f32, float)                                                         \
	SIMTRUN_STORE(M, N, K, __half, __hmma_##G##_st_c_f16, int)                                                           \
	SIMTRUN_STORE(M, N, K, float, __hmma_##G##_st_c_f32, float)                                                          \
	SIMTRUN_MMA(M, N, K, __half, float, float, __hmma_##G##_mma_f32f32, float, int)                     \
	SIMTRUN_MMA(M, N, K, __half, __half, __half, __hmma_##G##_mma_f16f16, int, int)
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
	SIMTRUN_MMA(M, N, K, signed char, int, int, __imma_##G##_mma_s8, int, int)                          \
	SIMTRUN_MMA(M, N, K, unsigned char, int, int, __imma_##G##_mma_u8, int, int)
SIMTRUN_BYTES(16, 16, 16, m16n16k16)
SIMTRUN_BYTES(32, 8, 16, m32n8k16)
SIMTRUN_BYTES(8, 32, 16, m8n32k16)
#undef SIMTRUN_BYTES
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define SIMTRUN_BRAINS(M, N, K, G)                                                                                     \
	SIMTRUN_LOAD_AB(matrix_a, M, N, K, __nv_bfloat16, __mma_bf16_##G##_ld_a, int)                                        \
	SIMTRUN_LOAD_AB(matrix_b, M, N, K, __nv_bfloat16, __mma_bf16_##G##_ld_b, int)                                        \
	SIMTRUN_MMA(M, N, K, __nv_bfloat16, float, float, __mma_bf16_##G##_mma_f32, float, int)
SIMTRUN_BRAINS(16, 16, 16, m16n16k16)
SIMTRUN_BRAINS(32, 8, 16, m32n8k16)
SIMTRUN_BRAINS(8, 32, 16, m8n32k16)
#undef SIMTRUN_BRAINS

SIMTRUN_LOAD_AB(matrix_a, 16, 16, 8, precision::tf32, __mma_tf32_m16n16k8_ld_a, int)
SIMTRUN_LOAD_AB(matrix_b, 16, 16, 8, precision::tf32, __mma_tf32_m16n16k8_ld_b, int)
SIMTRUN_LOAD_C(16, 16, 8, float, __mma_tf32_m16n16k8_ld_c, float)
SIMTRUN_STORE(16, 16, 8, float, __mma_m16n16k8_st_c_f32, float)
SIMTRUN_MMA(16, 16, 8, precision::tf32, float, float, __mma_tf32_m16n16k8_mma_f32, float, int)

SIMTRUN_LOAD_AB(matrix_a, 8, 8, 4, double, __dmma_m8n8k4_ld_a, double)
SIMTRUN_LOAD_AB(matrix_b, 8, 8, 4, double, __dmma_m8n8k4_ld_b, double)
SIMTRUN_LOAD_C(8, 8, 4, double, __dmma_m8n8k4_ld_c, double)
SIMTRUN_STORE(8, 8, 4, double, __dmma_m8n8k4_st_c_f64, double)
SIMTRUN_MMA(8, 8, 4, double, double, double, __dmma_m8n8k4_mma_f64, double, double)
#endif

#undef SIMTRUN_LOAD_AB
#undef SIMTRUN_LOAD_C
#undef SIMTRUN_STORE
#undef SIMTRUN_MMA

} // namespace wmma
} // namespace nvcuda

#endif
#endif
