/* Handles and their settings. */
#include "blas.h"

#include <stdlib.h>

#include <simtrun/version.h>

API cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
	struct place *place;
	cublasHandle_t h;

	CHECK(handle != NULL);
	TRY(find_place(&place));
	h = calloc(1, sizeof *h);
	if (h == NULL)
		return CUBLAS_STATUS_ALLOC_FAILED;
	if (driver.cuMemAlloc_v2(&h->scratch, SCRATCH) != CUDA_SUCCESS) {
		free(h);
		return CUBLAS_STATUS_ALLOC_FAILED;
	}
	pthread_mutex_init(&h->lock, NULL);
	h->place = place;
	*handle = h;
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
	BEGIN;
	struct entered entered = enter(handle->place);
	driver.cuMemFree_v2(handle->scratch);
	leave(entered);
	free(handle);
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *number)
{
	(void)handle; /* programs query the version without a handle */
	CHECK(number != NULL);
	*number = version();
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) { return property(type, value); }
API size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }

/* Captured work needs no memory other than the handle's. */
API cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t size)
{
	(void)workspace, (void)size;
	BEGIN;
	return CUBLAS_STATUS_SUCCESS;
}

/* SETTING defines a setting of a handle, with values below a limit. */
#define SETTING(SET, GET, TYPE, FIELD, VALID)                           \
	API cublasStatus_t SET(cublasHandle_t handle, TYPE value)             \
	{                                                                     \
		BEGIN;                                                              \
		CHECK(VALID);                                                       \
		handle->FIELD = value;                                              \
		return CUBLAS_STATUS_SUCCESS;                                       \
	}                                                                     \
	API cublasStatus_t GET(cublasHandle_t handle, TYPE *value)            \
	{                                                                     \
		BEGIN;                                                              \
		CHECK(value != NULL);                                               \
		*value = handle->FIELD;                                             \
		return CUBLAS_STATUS_SUCCESS;                                       \
	}
SETTING(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream, true)
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointers, (unsigned)value <= CUBLAS_POINTER_MODE_DEVICE)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics, (unsigned)value <= CUBLAS_ATOMICS_ALLOWED)
SETTING(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math,
        ((unsigned)value & ~(unsigned)CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) <= CUBLAS_FP32_EMULATED_BF16X9_MATH)
SETTING(cublasSetSmCountTarget, cublasGetSmCountTarget, int, sms, value >= 0)

API const char *cublasGetStatusName(cublasStatus_t status) { return name_of(status); }
API const char *cublasGetStatusString(cublasStatus_t status) { return text_of(status); }

/* Nothing is logged. */
static cublasLogCallback log_callback;

API cublasStatus_t cublasLoggerConfigure(int on, int to_stdout, int to_stderr, const char *file)
{
	(void)on, (void)to_stdout, (void)to_stderr, (void)file;
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback)
{
	log_callback = callback;
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *callback)
{
	CHECK(callback != NULL);
	*callback = log_callback;
	return CUBLAS_STATUS_SUCCESS;
}

API void cublasXerbla(const char *name, int info) { fprintf(stderr, "simtrun: %s: parameter %d has a value that it cannot have\n", name, info); }
