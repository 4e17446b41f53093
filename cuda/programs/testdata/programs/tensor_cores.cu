// Products of matrices by warps, of all types that wmma has, compared with sums on the host.
#include "check.h"
#include <climits>
#include <cmath>
#include <limits>
#include <mma.h>
#include <type_traits>
#include <vector>
using namespace nvcuda;

template <int M, int N, int K, typename T, typename Acc, typename LA, typename LB, typename Frag = T>
__global__ void product(const T *a, const T *b, Acc *c, int m, int n, int k) {
	wmma::fragment<wmma::matrix_a, M, N, K, Frag, LA> fa;
	wmma::fragment<wmma::matrix_b, M, N, K, Frag, LB> fb;
	wmma::fragment<wmma::accumulator, M, N, K, Acc> fc;
	wmma::fill_fragment(fc, 0.0f);
	int row = blockIdx.y * M, col = blockIdx.x * N;
	const bool aRows = std::is_same<LA, wmma::row_major>::value, bRows = std::is_same<LB, wmma::row_major>::value;
	for (int i = 0; i < k; i += K) {
		wmma::load_matrix_sync(fa, aRows ? a + row * k + i : a + i * m + row, aRows ? k : m);
		wmma::load_matrix_sync(fb, bRows ? b + i * n + col : b + col * k + i, bRows ? n : k);
		wmma::mma_sync(fc, fa, fb, fc);
	}
	for (int i = 0; i < fc.num_elements; i++)
		fc.x[i] = fc.x[i] * (Acc)2;
	wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}

template <int M, int N, int K, typename T, typename Acc, typename LA, typename LB, typename Frag = T> void test() {
	const int m = 64, n = 32, k = 32;
	const bool aRows = std::is_same<LA, wmma::row_major>::value, bRows = std::is_same<LB, wmma::row_major>::value;
	T *a, *b;
	Acc *c;
	CHECK(cudaMallocManaged(&a, m * k * sizeof(T)));
	CHECK(cudaMallocManaged(&b, k * n * sizeof(T)));
	CHECK(cudaMallocManaged(&c, m * n * sizeof(Acc)));
	std::vector<double> da(m * k), db(k * n);
	for (int i = 0; i < m * k; i++)
		da[i] = i * 7 % 5, a[aRows ? i : i % k * m + i / k] = (T)(float)da[i];
	for (int i = 0; i < k * n; i++)
		db[i] = i * 3 % 4, b[bRows ? i : i % n * k + i / n] = (T)(float)db[i];
	product<M, N, K, T, Acc, LA, LB, Frag><<<dim3(n / N, m / M), 32>>>(a, b, c, m, n, k);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < m * n; i++) {
		double want = 0;
		for (int j = 0; j < k; j++)
			want += 2 * da[i / n * k + j] * db[j * n + i % n];
		EXPECT((double)(float)c[i] == want);
	}
	cudaFree(a);
	cudaFree(b);
	cudaFree(c);
}

// Sums of a matrix of as and one of bs, 16 products each, with c: of type D, saturated or not.
template <typename T, typename D, typename C> __global__ void sum(D *out, float a, float b, C c, bool saturate) {
	wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, C> fc;
	wmma::fragment<wmma::accumulator, 16, 16, 16, D> fd;
	wmma::fill_fragment(fa, (T)a), wmma::fill_fragment(fb, (T)b), wmma::fill_fragment(fc, c);
	wmma::mma_sync(fd, fa, fb, fc, saturate);
	wmma::store_matrix_sync(out, fd, 16, wmma::mem_col_major);
}

template <typename T, typename D, typename C> static void expectSum(float a, float b, C c, bool saturate, D want) {
	D *out;
	CHECK(cudaMallocManaged(&out, 256 * sizeof(D)));
	sum<T><<<1, 32>>>(out, a, b, c, saturate);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 256; i++)
		EXPECT((float)out[i] == (float)want);
	cudaFree(out);
}

// Matrices of 8 x K integers of so many bits, in words of 32 bits.
namespace packed = wmma::experimental::precision;
template <typename T, int K> __global__ void packedProduct(const unsigned *a, const unsigned *b, int *c, int operation) {
	wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 8, 8, K, int> fc;
	wmma::load_matrix_sync(fa, a, K), wmma::load_matrix_sync(fb, b, K), wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
	static_assert(fa.num_elements == K / 4 && fa.num_storage_elements == 1, "as nvcc has it");
	if constexpr (std::is_same<T, packed::b1>::value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
		if (operation == wmma::experimental::bmmaBitOpAND)
			wmma::bmma_sync(fc, fa, fb, fc, wmma::experimental::bmmaBitOpAND, wmma::experimental::bmmaAccumulateOpPOPC);
		else
#endif
			wmma::bmma_sync(fc, fa, fb, fc);
	} else
		wmma::mma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}

template <typename T, int K, int Bits> static void packedTest(int operation) {
	const int words = 8 * K * Bits / 32;
	unsigned *a, *b;
	int *c;
	CHECK(cudaMallocManaged(&a, words * sizeof(unsigned)));
	CHECK(cudaMallocManaged(&b, words * sizeof(unsigned)));
	CHECK(cudaMallocManaged(&c, 64 * sizeof(int)));
	for (int i = 0; i < words; i++)
		a[i] = 2654435761u * (i + 1), b[i] = 2246822519u * (i + 7);
	for (int i = 0; i < 64; i++)
		c[i] = i * 1000;
	packedProduct<T, K><<<1, 32>>>(a, b, c, operation);
	CHECK(cudaDeviceSynchronize());
	auto element = [](const unsigned *m, int row, int k) {
		int at = (row * K + k) * Bits, bits = m[at / 32] >> at % 32 & ((1 << Bits) - 1);
		return std::is_same<T, packed::s4>::value && bits >= 8 ? bits - 16 : bits;
	};
	for (int i = 0; i < 64; i++) {
		int want = i * 1000;
		for (int k = 0; k < K; k++) {
			int x = element(a, i / 8, k), y = element(b, i % 8, k);
			want += operation == wmma::experimental::bmmaBitOpXOR ? x ^ y : x * y; // of bits a product is their and
		}
		EXPECT(c[i] == want);
	}
	cudaFree(a), cudaFree(b), cudaFree(c);
}

int main() {
	expectSum<half, float, float>(100, 100, 0.5f, false, 160000.5f);
	expectSum<half, float, half>(2, 3, (half)0.5f, false, 96.5f);
	expectSum<half, half, float>(2, 3, 0.5f, false, (half)96.5f);
	expectSum<half, half, half>(100, 100, (half)0.0f, false, (half)std::numeric_limits<float>::infinity());
	expectSum<half, half, half>(100, 100, (half)0.0f, true, (half)65504.0f);
	expectSum<half, float, float>(1, 1, -std::numeric_limits<float>::infinity(), true, -std::numeric_limits<float>::max());
	expectSum<half, float, float>(1, 1, NAN, true, 0);
	expectSum<signed char, int, int>(1, 1, INT_MAX - 5, false, INT_MIN + 10);
	expectSum<signed char, int, int>(1, 1, INT_MAX - 5, true, INT_MAX);
	expectSum<signed char, int, int>(-1, 1, INT_MIN + 5, true, INT_MIN);
	packedTest<packed::s4, 32, 4>(0);
	packedTest<packed::u4, 32, 4>(0);
	packedTest<packed::b1, 128, 1>(wmma::experimental::bmmaBitOpXOR);
	packedTest<packed::b1, 128, 1>(wmma::experimental::bmmaBitOpAND);
	typedef wmma::row_major R;
	typedef wmma::col_major C;
	test<16, 16, 16, half, float, R, R>();
	test<16, 16, 16, half, float, R, C>();
	test<16, 16, 16, half, float, C, R>();
	test<16, 16, 16, half, half, C, C>();
	test<32, 8, 16, half, float, R, C>();
	test<8, 32, 16, half, float, R, C>();
	test<16, 16, 16, signed char, int, R, C>();
	test<16, 16, 16, unsigned char, int, R, R>();
	test<32, 8, 16, signed char, int, C, C>();
	test<16, 16, 16, __nv_bfloat16, float, R, R>();
	test<8, 32, 16, __nv_bfloat16, float, R, C>();
	test<16, 16, 8, float, float, R, C, wmma::precision::tf32>();
	test<8, 8, 4, double, double, R, C>();
	printf("ok\n");
}
