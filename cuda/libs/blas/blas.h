/* What the files of the library share. */
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

/* Functions of the API, which the library exports. Those with sizes are compiled twice: for int, and in wide.c for int64_t. */
#define API __attribute__((visibility("default")))
#ifdef WIDE
typedef int64_t N;
#define F(NAME) NAME##_64
#else
typedef int N;
#define F(NAME) NAME
#endif

/* The driver's functions, found in libcuda.so.1 at the first call. Names are those that it exports. */
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

/* Files of kernels, which are loaded in a context when one of theirs is first launched there. */
enum file { GEMM, GEMM_SHORT, LEVEL1, LEVEL2, LEVEL3, LAPACK, N_FILES };

/* A context in which the library works. */
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
	pthread_mutex_t lock; /* of scratch */
	CUdeviceptr scratch; /* SCRATCH bytes for sums of blocks and for results */
};

enum { SCRATCH = 1 << 16 };

/* find_place is the place of the current context. A thread without one gets that of the first device. */
cublasStatus_t find_place(struct place **place);

/* enter makes a place's context current, and leave makes that current which was. */
struct entered {
	CUcontext before;
	bool changed;
};
struct entered enter(const struct place *place);
void leave(struct entered entered);

/* launch launches a kernel that has one parameter. Its name is NAME_TYPE. */
struct grid {
	unsigned int x, y, z, threads;
};
cublasStatus_t launch(struct place *place, CUstream stream, enum file file, const char *name, const char *type, struct grid grid, void *args);

/* blocks is how many of a size cover n, at most a limit: kernels go on from there. */
unsigned int blocks(int64_t n, int64_t size, int64_t limit);

/* host_scalar and scalar_of are what kernels get for a number of the caller's. */
struct scalar host_scalar(const void *value, size_t size);
struct scalar scalar_of(cublasHandle_t handle, const void *value, size_t size);

/* vector_of is what kernels get for a vector, whose elements have a size. */
struct vector vector_of(const void *at, int64_t n, int64_t inc, size_t size);

/* from_device brings results to the host when the stream has come to them, and waits for that. to_device brings a few bytes, which are copied at once. */
cublasStatus_t from_device(cublasHandle_t handle, void *to, CUdeviceptr from, size_t size);
cublasStatus_t to_device(cublasHandle_t handle, CUdeviceptr to, const void *from, size_t size);

/* allocate and release are for memory of the current context. */
cublasStatus_t allocate(void **p, size_t size);
cublasStatus_t release(void *p);

/* plain is a matrix whose columns are apart by ld, and operand that after an operation. */
struct matrix plain(const void *at, int64_t ld);
struct matrix operand(cublasOperation_t op, const void *at, int64_t ld);
bool is_operation(cublasOperation_t op);

/* transposed is a matrix with rows and columns exchanged, column a vector as a matrix of one column, and part what begins at an element. */
struct matrix transposed(struct matrix m);
struct matrix column(const void *at, int64_t n, int64_t inc);
struct matrix part(struct matrix m, int64_t i, int64_t j);

/* product does what args say. type is that of kernels in gemm.cu. */
cublasStatus_t product(struct place *place, CUstream stream, const char *type, const struct gemm_args *args);

/* kernels_for is the type of the kernels for types of elements and a computation, which may be a cudaDataType, too, and the size of its scalars; NULL if there are none. */
const char *kernels_for(cudaDataType a, cudaDataType b, cudaDataType c, int compute, size_t *size);

/* version is the library's, and property a part of it. Programs compare the first part with that of the library's name. */
extern const int cuda_major;
int version(void);
cublasStatus_t property(libraryPropertyType type, int *value);

/* not_supported says once that a function, or what follows its name, is not there. */
cublasStatus_t not_supported(const char *name);

/* name_of and text_of are a status's. */
const char *name_of(cublasStatus_t status);
const char *text_of(cublasStatus_t status);

#define TRY(call)                           \
	do {                                      \
		cublasStatus_t status_ = (call);        \
		if (status_ != CUBLAS_STATUS_SUCCESS)   \
			return status_;                       \
	} while (0)

/* CHECK refuses what an argument must not be. */
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
