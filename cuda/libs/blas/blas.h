/* Declarations that the files of the library share. */
#ifndef SIMTRUN_BLAS_H
#define SIMTRUN_BLAS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cuda.h>
#ifdef SIMTRUN_BLAS_LEGACY
#include <cublas.h>
#else
#include <cublas_v2.h>
#endif

#include "args.h"

/* Functions of the API, which the library exports. Those with sizes are compiled twice: with int, and in wide.c
   with int64_t. */
#define API __attribute__((visibility("default")))
#ifdef WIDE
typedef int64_t N;
#define F(NAME) NAME##_64
#else
typedef int N;
#define F(NAME) NAME
#endif

/* The driver's functions, found in libcuda.so.1 at the first call. Names are its exports. */
#define DRIVER_CALLS(CALL)                                                                                                           \
	CALL(cuInit) CALL(cuCtxGetCurrent) CALL(cuCtxSetCurrent) CALL(cuCtxGetId) CALL(cuDeviceGet) CALL(cuDevicePrimaryCtxRetain)       \
	CALL(cuModuleLoadData) CALL(cuModuleGetFunction) CALL(cuLaunchKernel) CALL(cuMemAlloc_v2) CALL(cuMemFree_v2)                     \
	CALL(cuMemcpyDtoHAsync_v2) CALL(cuMemcpyHtoDAsync_v2) CALL(cuMemcpy2DUnaligned_v2) CALL(cuMemcpy2DAsync_v2)                       \
	CALL(cuStreamSynchronize)
struct driver {
#define CALL(NAME) __typeof__(&NAME) NAME;
	DRIVER_CALLS(CALL)
#undef CALL
};
extern struct driver driver;

/* Files of kernels. Each is loaded in a context when one of its kernels is first launched there. */
enum file { GEMM, GEMM_SHORT, LEVEL1, LEVEL2, LEVEL3, LAPACK, N_FILES };

/* The state of the library in a context. */
struct place {
	CUcontext context;
	unsigned long long id;
	CUmodule modules[N_FILES];
	struct place *next;
};

struct cublasContext {
	struct place *place;
	CUstream stream;
	cublasPointerMode_t pointers;
	cublasMath_t math;
	cublasAtomicsMode_t atomics;
	int sms;
	pthread_mutex_t lock; /* protects scratch */
	CUdeviceptr scratch; /* SCRATCH bytes for partial sums and results */
};

enum { SCRATCH = 1 << 16 };

/* find_place returns the state for the current context. A thread without a context gets that of the first device. */
cublasStatus_t find_place(struct place **place);

/* enter makes a place's context current, and leave restores the previous one. */
struct entered {
	CUcontext before;
	bool changed;
};
struct entered enter(const struct place *place);
void leave(struct entered entered);

/* launch launches a kernel with one parameter. Its name is NAME_TYPE. */
struct grid {
	unsigned int x, y, z, threads;
};
cublasStatus_t launch(struct place *place, CUstream stream, enum file file, const char *name, const char *type, struct grid grid, void *args);

/* blocks returns how many blocks of size cover n, limited to limit, because kernels loop over the rest. */
unsigned int blocks(int64_t n, int64_t size, int64_t limit);

/* host_scalar and scalar_of convert a number of the caller to a kernel argument. */
struct scalar host_scalar(const void *value, size_t size);
struct scalar scalar_of(cublasHandle_t handle, const void *value, size_t size);

/* vector_of converts a vector with elements of a size to a kernel argument. */
struct vector vector_of(const void *at, int64_t n, int64_t inc, size_t size);

/* from_device copies results to the host in stream order, and waits for them. to_device copies a few bytes at
   once. */
cublasStatus_t from_device(cublasHandle_t handle, void *to, CUdeviceptr from, size_t size);
cublasStatus_t to_device(cublasHandle_t handle, CUdeviceptr to, const void *from, size_t size);

/* allocate and release manage memory of the current context. */
cublasStatus_t allocate(void **p, size_t size);
cublasStatus_t release(void *p);

/* plain describes a matrix with the leading dimension ld, and operand the matrix after an operation. */
struct matrix plain(const void *at, int64_t ld);
struct matrix operand(cublasOperation_t op, const void *at, int64_t ld);
bool is_operation(cublasOperation_t op);

/* transposed exchanges rows and columns, column describes a vector as a matrix with one column, and part the part
   of a matrix from an element on. */
struct matrix transposed(struct matrix m);
struct matrix column(const void *at, int64_t n, int64_t inc);
struct matrix part(struct matrix m, int64_t i, int64_t j);

/* product computes what args describe. type is the type of the kernels in gemm.cu. */
cublasStatus_t product(struct place *place, CUstream stream, const char *type, const struct gemm_args *args);

/* kernels_for returns the type of the kernels for types of elements and of the computation, which may also be a
   cudaDataType, and the size of its scalars; NULL if there are none. */
const char *kernels_for(cudaDataType a, cudaDataType b, cudaDataType c, int compute, size_t *size);

/* version is the library's version, and property a part of it. Programs compare the first part with that in the
   library's name. */
extern const int cuda_major;
int version(void);
cublasStatus_t property(libraryPropertyType type, int *value);

/* not_supported reports once that a function, or the feature named after its name, is not supported. */
cublasStatus_t not_supported(const char *name);

/* name_of and text_of return the name and the text of a status. */
const char *name_of(cublasStatus_t status);
const char *text_of(cublasStatus_t status);

#define TRY(call)                           \
	do {                                      \
		cublasStatus_t status_ = (call);        \
		if (status_ != CUBLAS_STATUS_SUCCESS)   \
			return status_;                       \
	} while (0)

/* CHECK refuses invalid arguments. */
#define CHECK(condition)                  \
	do {                                    \
		if (!(condition))                     \
			return CUBLAS_STATUS_INVALID_VALUE; \
	} while (0)

/* Functions that have a handle begin with it. */
#define BEGIN                            \
	if (handle == NULL)                    \
		return CUBLAS_STATUS_NOT_INITIALIZED

static inline int64_t at_least_one(int64_t n) { return n > 1 ? n : 1; }

#endif
