// cublasLt: what is described piece by piece, against the host.
#pragma once
#include "check_blas.h"

namespace described {
static cublasLtHandle_t handle;

static double gelu(double x) { return 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x))); }
static double geluSlope(double x) { return (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5; }

template <typename T> cudaDataType typeOf();
template <> cudaDataType typeOf<float>() { return CUDA_R_32F; }
template <> cudaDataType typeOf<__half>() { return CUDA_R_16F; }
template <> cudaDataType typeOf<__nv_bfloat16>() { return CUDA_R_16BF; }

struct Layout {
	cublasLtMatrixLayout_t layout;
	Layout(cudaDataType type, int rows, int cols, int ld, bool byRows = false, int batches = 1, int64_t stride = 0) {
		BLAS(cublasLtMatrixLayoutCreate(&layout, type, rows, cols, ld));
		int order = byRows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
		BLAS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof(order)));
		BLAS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches, sizeof(batches)));
		BLAS(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof(stride)));
	}
	~Layout() { BLAS(cublasLtMatrixLayoutDestroy(layout)); }
};

struct Desc {
	cublasLtMatmulDesc_t desc;
	Desc(cublasOperation_t ta, cublasOperation_t tb, cublasLtEpilogue_t epilogue) {
		BLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
		set(CUBLASLT_MATMUL_DESC_TRANSA, ta);
		set(CUBLASLT_MATMUL_DESC_TRANSB, tb);
		set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
	}
	template <typename T> void set(cublasLtMatmulDescAttributes_t attr, T value) { BLAS(cublasLtMatmulDescSetAttribute(desc, attr, &value, sizeof(value))); }
	~Desc() { BLAS(cublasLtMatmulDescDestroy(desc)); }
};

// d = op(a) op(b) / 8 + c / 2 with an epilogue, of batches, one of which is by rows.
template <typename T> void test(int m, int n, int k, cublasOperation_t ta, cublasOperation_t tb, cublasLtEpilogue_t epilogue, bool byRows = false, int batches = 1) {
	int lda = ta == CUBLAS_OP_N ? m : k, ldb = tb == CUBLAS_OP_N ? k : n, ldd = byRows ? n : m, ldaux = (m + 127) / 128 * 128, sa = m * k + 2, sb = k * n + 3, sd = m * n + 4;
	cudaDataType type = typeOf<T>();
	Both<T> a(sa * batches), b(sb * batches), c(sd * batches), d(sd * batches), bias((m > n ? m : n) * batches), aux(ldaux * n * batches);
	Both<unsigned char> mask(ldaux / 8 * n * batches);
	Layout al(type, ta == CUBLAS_OP_N ? m : k, ta == CUBLAS_OP_N ? k : m, lda, false, batches, sa), bl(type, tb == CUBLAS_OP_N ? k : n, tb == CUBLAS_OP_N ? n : k, ldb, false, batches, sb),
	    dl(type, m, n, ldd, byRows, batches, sd);
	Desc desc(ta, tb, epilogue);
	bool relu = epilogue & 2, drelu = epilogue & 8, hasAux = epilogue & 128, gradient = epilogue & (16 | 256 | 512);
	int64_t biasStride = epilogue == CUBLASLT_EPILOGUE_BGRADB ? n : m;
	if (epilogue & (4 | 16 | 256 | 512)) {
		desc.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.device);
		desc.set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, biasStride);
	}
	if (hasAux) {
		desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, relu || drelu ? (void *)mask.device : aux.device);
		desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, (int64_t)ldaux);
		desc.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, (int64_t)(ldaux * n));
	}
	cublasLtMatmulPreference_t preference;
	cublasLtMatmulHeuristicResult_t found;
	size_t most = 1 << 20, had = 0, written = 0;
	int count = 0;
	BLAS(cublasLtMatmulPreferenceCreate(&preference));
	BLAS(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof(most)));
	BLAS(cublasLtMatmulPreferenceGetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &had, sizeof(had), &written));
	EXPECT(had == most && written == sizeof(had));
	BLAS(cublasLtMatmulAlgoGetHeuristic(handle, desc.desc, al.layout, bl.layout, dl.layout, dl.layout, preference, 1, &found, &count));
	EXPECT(count == 1 && found.state == CUBLAS_STATUS_SUCCESS && found.workspaceSize <= most);
	BLAS(cublasLtMatmulPreferenceDestroy(preference));
	float alpha = 0.125f, beta = 0.5f;
	BLAS(cublasLtMatmul(handle, desc.desc, &alpha, a.device, al.layout, b.device, bl.layout, &beta, c.device, dl.layout, d.device, dl.layout, &found.algo, nullptr, 0, 0));
	std::vector<T> got = d.down(), gotBias = bias.down(), gotAux = aux.down();
	std::vector<unsigned char> gotMask = mask.down();
	double tolerance = sizeof(T) == 4 ? 1e-5 : 2e-2;
	for (int z = 0; z < batches; z++) {
		std::vector<double> gradients(biasStride);
		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++) {
				double sum = 0;
				for (int l = 0; l < k; l++) {
					double x = element(a.host, lda, ta, i, l, z * sa).real(), y = element(b.host, ldb, tb, l, j, z * sb).real();
					sum += x * y;
					if (epilogue == CUBLASLT_EPILOGUE_BGRADA && j == 0)
						gradients[i] += x;
					if (epilogue == CUBLASLT_EPILOGUE_BGRADB && i == 0)
						gradients[j] += y;
				}
				size_t at = z * sd + (byRows ? j + i * ldd : i + j * ldd), atAux = z * ldaux * n + i + j * ldaux;
				double x = sum / 8 + numberOf(c.host[at]).real() / 2, y;
				if (epilogue & 4)
					x += numberOf(bias.host[z * m + i]).real();
				y = relu ? fmax(x, 0) : epilogue & 32 ? gelu(x) : x;
				bool positive = mask.host[atAux / 8] >> atAux % 8 & 1;
				if (drelu)
					y = positive ? x : 0;
				if (epilogue & 64)
					y = x * geluSlope(numberOf(aux.host[atAux]).real());
				if (epilogue & 16)
					gradients[i] += y;
				EXPECT(near(numberOf(got[at]), y, tolerance));
				if (relu && hasAux)
					EXPECT((gotMask[atAux / 8] >> atAux % 8 & 1) == (x > 0));
				if ((epilogue & 32) && hasAux)
					EXPECT(near(numberOf(gotAux[atAux]), x, tolerance));
			}
		for (int i = 0; gradient && i < biasStride; i++)
			EXPECT(near(numberOf(gotBias[z * biasStride + i]), gradients[i], tolerance));
	}
}

template <typename T> void testEpilogues() {
	for (cublasLtEpilogue_t e : {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_AUX, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS,
	                             CUBLASLT_EPILOGUE_RELU_AUX_BIAS, CUBLASLT_EPILOGUE_DRELU, CUBLASLT_EPILOGUE_DRELU_BGRAD, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_AUX,
	                             CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU, CUBLASLT_EPILOGUE_DGELU_BGRAD, CUBLASLT_EPILOGUE_BGRADA,
	                             CUBLASLT_EPILOGUE_BGRADB})
		test<T>(21, 18, 7, CUBLAS_OP_T, CUBLAS_OP_N, e, false, 2);
	test<T>(66, 70, 20, CUBLAS_OP_N, CUBLAS_OP_T, CUBLASLT_EPILOGUE_GELU_BIAS);
	test<T>(9, 5, 4, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_BIAS, true, 3);
	test<T>(9, 1, 4, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_BIAS);
}

// A part is what takes little time with checks.
void run(bool part) {
	BLAS(cublasLtCreate(&handle));
	testEpilogues<float>();
	(void)part;
	testEpilogues<__half>();
	test<__nv_bfloat16>(66, 70, 20, CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
	test<__nv_bfloat16>(9, 5, 4, CUBLAS_OP_T, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DGELU_BGRAD);

	// A matrix is transposed and laid out by rows.
	Both<float> a(12), c(12);
	Layout al(CUDA_R_32F, 3, 4, 3), cl(CUDA_R_32F, 4, 3, 3, true);
	cublasLtMatrixTransformDesc_t transform;
	cublasOperation_t op = CUBLAS_OP_T;
	float two = 2, zero = 0;
	BLAS(cublasLtMatrixTransformDescCreate(&transform, CUDA_R_32F));
	BLAS(cublasLtMatrixTransformDescSetAttribute(transform, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &op, sizeof(op)));
	BLAS(cublasLtMatrixTransform(handle, transform, &two, a.device, al.layout, &zero, nullptr, nullptr, c.device, cl.layout, 0));
	BLAS(cublasLtMatrixTransformDescDestroy(transform));
	std::vector<float> got = c.down();
	for (int i = 0; i < 12; i++)
		EXPECT(got[i] == 2 * a.host[i]);

	// What is not described well is refused.
	Layout other(CUDA_R_32F, 5, 4, 5);
	Desc desc(CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT);
	EXPECT(cublasLtMatmul(handle, desc.desc, &two, a.device, al.layout, a.device, other.layout, &zero, c.device, al.layout, c.device, al.layout, nullptr, nullptr, 0, 0) ==
	       CUBLAS_STATUS_INVALID_VALUE);
	int wrong = 0;
	EXPECT(cublasLtMatmulDescSetAttribute(desc.desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &wrong, sizeof(wrong)) == CUBLAS_STATUS_INVALID_VALUE);
	BLAS(cublasLtDestroy(handle));
}
} // namespace described
