/* Copies of vectors and matrices between the host and the device. */
#include "blas.h"

static cublasStatus_t copy(int64_t rows, int64_t cols, int64_t size, const void *a, int64_t lda, void *b, int64_t ldb, bool to_device, bool wait, CUstream stream)
{
	CUmemorytype types[] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE};
	struct place *place;

	CHECK(rows >= 0 && cols >= 0 && size > 0 && lda > 0 && ldb > 0);
	if (rows == 0 || cols == 0)
		return CUBLAS_STATUS_SUCCESS;
	TRY(find_place(&place));
	CUDA_MEMCPY2D c = {.srcMemoryType = types[!to_device], .srcHost = a, .srcDevice = (CUdeviceptr)a, .srcPitch = lda * size, .dstMemoryType = types[to_device],
	                   .dstHost = b, .dstDevice = (CUdeviceptr)b, .dstPitch = ldb * size, .WidthInBytes = rows * size, .Height = cols};
	CUresult result = wait ? driver.cuMemcpy2DUnaligned_v2(&c) : driver.cuMemcpy2DAsync_v2(&c, stream);
	return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

/* A contiguous vector is copied as a column, and one with gaps as a row. */
static cublasStatus_t copy_vector(int64_t n, int64_t size, const void *x, int64_t incx, void *y, int64_t incy, bool to_device, bool wait, CUstream stream)
{
	bool dense = incx == 1 && incy == 1;

	return copy(dense ? n : 1, dense ? 1 : n, size, x, dense ? at_least_one(n) : incx, y, dense ? at_least_one(n) : incy, to_device, wait, stream);
}

static cublasStatus_t copy_matrix(int64_t rows, int64_t cols, int64_t size, const void *a, int64_t lda, void *b, int64_t ldb, bool to_device, bool wait, CUstream stream)
{
	CHECK(lda >= at_least_one(rows) && ldb >= at_least_one(rows));
	return copy(rows, cols, size, a, lda, b, ldb, to_device, wait, stream);
}

#define COPIES(DIRECTION, TO_DEVICE)                                                                                             \
	API cublasStatus_t F(cublas##DIRECTION##Vector)(N n, N size, const void *x, N incx, void *y, N incy)                           \
	{                                                                                                                              \
		return copy_vector(n, size, x, incx, y, incy, TO_DEVICE, true, NULL);                                                        \
	}                                                                                                                              \
	API cublasStatus_t F(cublas##DIRECTION##VectorAsync)(N n, N size, const void *x, N incx, void *y, N incy, cudaStream_t stream) \
	{                                                                                                                              \
		return copy_vector(n, size, x, incx, y, incy, TO_DEVICE, false, stream);                                                     \
	}                                                                                                                              \
	API cublasStatus_t F(cublas##DIRECTION##Matrix)(N rows, N cols, N size, const void *a, N lda, void *b, N ldb)                  \
	{                                                                                                                              \
		return copy_matrix(rows, cols, size, a, lda, b, ldb, TO_DEVICE, true, NULL);                                                 \
	}                                                                                                                              \
	API cublasStatus_t F(cublas##DIRECTION##MatrixAsync)(N rows, N cols, N size, const void *a, N lda, void *b, N ldb, cudaStream_t stream) \
	{                                                                                                                              \
		return copy_matrix(rows, cols, size, a, lda, b, ldb, TO_DEVICE, false, stream);                                              \
	}
COPIES(Set, true)
COPIES(Get, false)
