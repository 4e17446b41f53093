// Products of matrices of all types, against sums on the host.
#pragma once
#include "check_blas.h"

namespace products {
static cublasHandle_t handle;

// want is alpha op(a) op(b) + beta c, of a batch at offsets.
template <typename A, typename C>
static number want(const Both<A> &a, size_t lda, cublasOperation_t ta, const Both<A> &b, size_t ldb, cublasOperation_t tb, const std::vector<C> &c, size_t ldc, int k, number alpha, number beta,
                   int i, int j, size_t oa = 0, size_t ob = 0, size_t oc = 0) {
	number sum = 0;
	for (int l = 0; l < k; l++)
		sum += element(a.host, lda, ta, i, l, oa) * element(b.host, ldb, tb, l, j, ob);
	sum *= alpha;
	return beta == 0.0 ? sum : sum + beta * numberOf(c[oc + i + j * ldc]);
}

template <typename A, typename C, typename S>
static void test(cudaDataType atype, cudaDataType ctype, cublasComputeType_t compute, int m, int n, int k, cublasOperation_t ta, cublasOperation_t tb, double alphaOf, double betaOf, bool tight = false) {
	size_t lda = (ta == CUBLAS_OP_N ? m : k) + (tight ? 0 : 3), ldb = (tb == CUBLAS_OP_N ? k : n) + !tight, ldc = m + 2;
	Both<A> a(lda * (ta == CUBLAS_OP_N ? k : m)), b(ldb * (tb == CUBLAS_OP_N ? n : k));
	Both<C> c(ldc * n);
	number alpha = alphaOf, beta = betaOf;
	if (isComplex<S>)
		alpha += number(0, 1), beta *= number(1, 1);
	if (beta == 0.0 && ctype != CUDA_R_32I) // what is not read must not matter
		for (C &x : c.host)
			x = valueOf<C>(number(NAN, NAN));
	c.up();
	S s[2] = {valueOf<S>(alpha), valueOf<S>(beta)};
	BLAS(cublasGemmEx(handle, ta, tb, m, n, k, &s[0], a.device, atype, lda, b.device, atype, ldb, &s[1], c.device, ctype, ldc, compute, CUBLAS_GEMM_DEFAULT));
	std::vector<C> got = c.down();
	for (int j = 0; j < n; j++)
		for (int i = 0; i < (int)ldc; i++)
			if (i < m) {
				number w = want(a, lda, ta, b, ldb, tb, c.host, ldc, k, alpha, beta, i, j);
				EXPECT(near(numberOf(got[i + j * ldc]), w, sizeof(C) == 2 ? 1e-2 : 1e-6));
			} else
				EXPECT(memcmp(&got[i + j * ldc], &c.host[i + j * ldc], sizeof(C)) == 0);
}

template <typename A, typename C, typename S> static void testType(cudaDataType atype, cudaDataType ctype, cublasComputeType_t compute) {
	const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
	for (int t = 0; t < 9; t++)
		test<A, C, S>(atype, ctype, compute, 17, 5, 19, ops[t / 3], ops[t % 3], 2, t % 2 ? 3 : 0);
	test<A, C, S>(atype, ctype, compute, 70, 65, 33, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1);
	test<A, C, S>(atype, ctype, compute, 64, 64, 32, CUBLAS_OP_T, CUBLAS_OP_N, 1, 0);
	test<A, C, S>(atype, ctype, compute, 9, 1, 7, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, true); // matrices of one row, whose distances between columns are 1
	test<A, C, S>(atype, ctype, compute, 1, 9, 1, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, true);
	test<A, C, S>(atype, ctype, compute, 3, 2, 0, CUBLAS_OP_N, CUBLAS_OP_N, 1, 2);
	test<A, C, S>(atype, ctype, compute, 3, 2, 0, CUBLAS_OP_N, CUBLAS_OP_N, 1, 0);
}

// Batches: at distances, by addresses, and with scalars on the device.
static void testBatches() {
	const int m = 9, n = 7, k = 5, batches = 3, sa = 50, sb = 40, sc = 70;
	Both<float> a(sa * batches), b(sb * batches), c(sc * batches), scalars(2);
	scalars.host = {2, -1};
	scalars.up();
	const float *alpha = &scalars.host[0], *beta = &scalars.host[1];
	auto check = [&] {
		std::vector<float> got = c.down();
		for (int z = 0; z < batches; z++)
			for (int j = 0; j < n; j++)
				for (int i = 0; i < m; i++)
					EXPECT(got[z * sc + i + j * m] == want(a, m, CUBLAS_OP_N, b, n, CUBLAS_OP_T, c.host, m, k, 2, -1, i, j, z * sa, z * sb, z * sc).real());
		c.up();
	};
	BLAS(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, alpha, a.device, m, sa, b.device, n, sb, beta, c.device, m, sc, batches));
	check();
	std::vector<float *> at;
	for (int z = 0; z < batches; z++)
		at.insert(at.end(), {a.device + z * sa, b.device + z * sb, c.device + z * sc});
	float **device;
	CHECK(cudaMalloc(&device, 9 * sizeof(float *)));
	std::vector<float *> sorted = {at[0], at[3], at[6], at[1], at[4], at[7], at[2], at[5], at[8]};
	CHECK(cudaMemcpy(device, sorted.data(), 9 * sizeof(float *), cudaMemcpyHostToDevice));
	BLAS(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, alpha, device, m, device + 3, n, beta, device + 6, m, batches));
	check();
	// The same in two groups.
	cublasOperation_t ta[] = {CUBLAS_OP_N, CUBLAS_OP_N}, tb[] = {CUBLAS_OP_T, CUBLAS_OP_T};
	int ms[] = {m, m}, ns[] = {n, n}, ks[] = {k, k}, sizes[] = {2, 1};
	float alphas[] = {2, 2}, betas[] = {-1, -1};
	BLAS(cublasSgemmGroupedBatched(handle, ta, tb, ms, ns, ks, alphas, device, ms, device + 3, ns, betas, device + 6, ms, 2, sizes));
	check();
	BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
	BLAS(cublasGemmBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, scalars.device, (const void **)device, CUDA_R_32F, m, (const void **)device + 3, CUDA_R_32F, n, scalars.device + 1,
	                         (void **)device + 6, CUDA_R_32F, m, batches, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
	check();
	BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));

	// Captured, it works when the graph runs, with the scalars that it was captured with.
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	CHECK(cudaStreamCreate(&stream));
	BLAS(cublasSetStream(handle, stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	float two = 2, minus = -1;
	BLAS(cublasSgemmStridedBatched_64(handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &two, a.device, m, sa, b.device, n, sb, &minus, c.device, m, sc, batches));
	two = minus = 0;
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	EXPECT(c.down() == c.host);
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	check();
	BLAS(cublasSetStream(handle, nullptr));
	CHECK(cudaFree(device));
}

static void testErrors() {
	float x = 1, *p = (float *)256;
	EXPECT(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &x, p, 1, p, 1, &x, p, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
	EXPECT(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, -1, 1, 1, &x, p, 1, p, 1, &x, p, 1) == CUBLAS_STATUS_INVALID_VALUE);
	EXPECT(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 1, 1, &x, p, 3, p, 1, &x, p, 4) == CUBLAS_STATUS_INVALID_VALUE);
	EXPECT(cublasSgemm(handle, (cublasOperation_t)9, CUBLAS_OP_N, 4, 1, 1, &x, p, 4, p, 1, &x, p, 4) == CUBLAS_STATUS_INVALID_VALUE);
	EXPECT(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, 5, 1, &x, p, 1, p, 1, &x, p, 1) == CUBLAS_STATUS_SUCCESS);
}

// A part is what takes little time with checks.
void run(bool part) {
	BLAS(cublasCreate(&handle));
	testType<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
	testType<__half, __half, float>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F);
	if (!part) {
		testType<double, double, double>(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F);
		testType<cuComplex, cuComplex, cuComplex>(CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F);
		testType<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex>(CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F);
		testType<__half, __half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F);
		testType<__half, float, float>(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16F);
		testType<__nv_bfloat16, __nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
		testType<__nv_bfloat16, float, float>(CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F);
		testType<int8_t, int, int>(CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I);
		testType<int8_t, float, float>(CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F);
	}
	testBatches();
	testErrors();
	BLAS(cublasDestroy(handle));
}
} // namespace products
