// Products of matrices by warps, of all types that wmma has, compared with sums on the host.
#include "check.h"
#include <cmath>
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

int main() {
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
