/* The driver, contexts, launches, and handles' resources. */
#include "blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct driver driver;

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static bool ready;

static void open_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	if (library == NULL) {
		fprintf(stderr, "simtrun: no CUDA driver: %s\n", dlerror());
		return;
	}
#define CALL(NAME)                                                      \
	driver.NAME = (__typeof__(driver.NAME))dlsym(library, #NAME);         \
	if (driver.NAME == NULL) {                                            \
		fprintf(stderr, "simtrun: the CUDA driver is too old: %s\n", #NAME); \
		return;                                                             \
	}
	DRIVER_CALLS(CALL)
#undef CALL
	ready = driver.cuInit(0) == CUDA_SUCCESS;
}

/* Contexts. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct place *places;

cublasStatus_t find_place(struct place **found)
{
	CUcontext context;
	CUdevice device;
	unsigned long long id;
	struct place *place;

	pthread_once(&opened, open_driver);
	if (!ready || driver.cuCtxGetCurrent(&context) != CUDA_SUCCESS)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (context == NULL && (driver.cuDeviceGet(&device, 0) != CUDA_SUCCESS || driver.cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS ||
	                        driver.cuCtxSetCurrent(context) != CUDA_SUCCESS))
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (driver.cuCtxGetId(context, &id) != CUDA_SUCCESS)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	pthread_mutex_lock(&lock);
	for (place = places; place != NULL && place->id != id; place = place->next)
		;
	if (place == NULL && (place = calloc(1, sizeof *place)) != NULL) {
		place->context = context;
		place->id = id;
		place->next = places;
		places = place;
	}
	pthread_mutex_unlock(&lock);
	*found = place;
	return place != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

struct entered enter(const struct place *place)
{
	struct entered entered = {NULL, false};

	driver.cuCtxGetCurrent(&entered.before);
	if (entered.before != place->context)
		entered.changed = driver.cuCtxSetCurrent(place->context) == CUDA_SUCCESS;
	return entered;
}

void leave(struct entered entered)
{
	if (entered.changed)
		driver.cuCtxSetCurrent(entered.before);
}

/* Kernels. */

/* PTX of a file, followed by a NUL. */
#define EMBED(NAME)                                                                      \
	extern const char NAME##_ptx[];                                                        \
	__asm__(".pushsection .rodata\n" #NAME "_ptx:\n.incbin \"" PTX_FOLDER "/" #NAME ".ptx\"\n.byte 0\n.popsection\n")
EMBED(gemm);
EMBED(gemm_short);
EMBED(level1);
EMBED(level2);
EMBED(level3);
EMBED(lapack);

static const char *const images[N_FILES] = {gemm_ptx, gemm_short_ptx, level1_ptx, level2_ptx, level3_ptx, lapack_ptx};

/* module_of returns a file of kernels, loaded in the current context. */
static cublasStatus_t module_of(struct place *place, enum file file, CUmodule *module)
{
	CUresult result = CUDA_SUCCESS;

	pthread_mutex_lock(&lock);
	if (place->modules[file] == NULL)
		result = driver.cuModuleLoadData(&place->modules[file], images[file]);
	*module = place->modules[file];
	pthread_mutex_unlock(&lock);
	return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ARCH_MISMATCH;
}

static void forget_module(struct place *place, enum file file, CUmodule module)
{
	pthread_mutex_lock(&lock);
	if (place->modules[file] == module)
		place->modules[file] = NULL;
	pthread_mutex_unlock(&lock);
}

static cublasStatus_t launch_here(struct place *place, CUstream stream, enum file file, const char *kernel, struct grid grid, void *args)
{
	CUmodule module;
	CUfunction function;

	TRY(module_of(place, file, &module));
	if (driver.cuModuleGetFunction(&function, module, kernel) != CUDA_SUCCESS) {
		/* The device was reset, and its new context has the same number. */
		forget_module(place, file, module);
		TRY(module_of(place, file, &module));
		if (driver.cuModuleGetFunction(&function, module, kernel) != CUDA_SUCCESS)
			return CUBLAS_STATUS_INTERNAL_ERROR;
	}
	if (driver.cuLaunchKernel(function, grid.x, grid.y, grid.z, grid.threads, 1, 1, 0, stream, &args, NULL) != CUDA_SUCCESS)
		return CUBLAS_STATUS_EXECUTION_FAILED;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t launch(struct place *place, CUstream stream, enum file file, const char *name, const char *type, struct grid grid, void *args)
{
	char kernel[64];
	struct entered entered = enter(place);

	snprintf(kernel, sizeof kernel, "%s_%s", name, type);
	cublasStatus_t status = launch_here(place, stream, file, kernel, grid, args);
	leave(entered);
	return status;
}

unsigned int blocks(int64_t n, int64_t size, int64_t limit)
{
	int64_t all = (n + size - 1) / size;

	return (unsigned int)(all < limit ? all : limit);
}

struct scalar host_scalar(const void *value, size_t size)
{
	struct scalar s = {0};

	memcpy(s.value, value, size);
	return s;
}

struct scalar scalar_of(cublasHandle_t handle, const void *value, size_t size)
{
	struct scalar s = {0};

	if (handle->pointers == CUBLAS_POINTER_MODE_HOST)
		return host_scalar(value, size);
	s.at = value;
	return s;
}

struct vector vector_of(const void *at, int64_t n, int64_t inc, size_t size)
{
	return (struct vector){(char *)(uintptr_t)at + (inc < 0 ? (1 - n) * inc * (int64_t)size : 0), inc};
}

cublasStatus_t from_device(cublasHandle_t handle, void *to, CUdeviceptr from, size_t size)
{
	struct entered entered = enter(handle->place);
	CUresult result = driver.cuMemcpyDtoHAsync_v2(to, from, size, handle->stream);

	if (result == CUDA_SUCCESS)
		result = driver.cuStreamSynchronize(handle->stream);
	leave(entered);
	return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t to_device(cublasHandle_t handle, CUdeviceptr to, const void *from, size_t size)
{
	struct entered entered = enter(handle->place);
	CUresult result = driver.cuMemcpyHtoDAsync_v2(to, from, size, handle->stream);

	leave(entered);
	return result == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t allocate(void **p, size_t size)
{
	struct place *place;
	CUdeviceptr made;

	TRY(find_place(&place));
	if (driver.cuMemAlloc_v2(&made, size) != CUDA_SUCCESS)
		return CUBLAS_STATUS_ALLOC_FAILED;
	*p = (void *)made;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t release(void *p)
{
	struct place *place;

	TRY(find_place(&place));
	return p == NULL || driver.cuMemFree_v2((CUdeviceptr)p) == CUDA_SUCCESS ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

struct matrix plain(const void *at, int64_t ld)
{
	return (struct matrix){.at = (void *)(uintptr_t)at, .row = 1, .col = ld};
}

struct matrix operand(cublasOperation_t op, const void *at, int64_t ld)
{
	struct matrix m = plain(at, ld);

	if (op == CUBLAS_OP_T || op == CUBLAS_OP_C) {
		m.row = ld;
		m.col = 1;
	}
	m.conj = op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG;
	return m;
}

bool is_operation(cublasOperation_t op) { return (unsigned)op <= CUBLAS_OP_CONJG; }

struct matrix transposed(struct matrix m)
{
	int64_t row = m.row;

	m.row = m.col;
	m.col = row;
	if (m.triangle != WHOLE)
		m.triangle = m.triangle == LOWER ? UPPER : LOWER;
	return m;
}

struct matrix column(const void *at, int64_t n, int64_t inc)
{
	return (struct matrix){.at = (void *)(uintptr_t)at, .offset = inc < 0 ? (1 - n) * inc : 0, .row = inc, .col = 1};
}

struct matrix part(struct matrix m, int64_t i, int64_t j)
{
	m.offset += i * m.row + j * m.col;
	return m;
}

int version(void) { return cuda_major * 10000 + CUBLAS_VERSION % 10000; }

cublasStatus_t property(libraryPropertyType type, int *value)
{
	const int values[] = {cuda_major, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};

	CHECK(value != NULL && (unsigned)type < sizeof values / sizeof values[0]);
	*value = values[type];
	return CUBLAS_STATUS_SUCCESS;
}

/* Unsupported features. */

cublasStatus_t not_supported(const char *name)
{
	enum { MOST = 256 };
	static const char *said[MOST];
	static int n;
	int i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < n && strcmp(said[i], name) != 0; i++)
		;
	if (i == n && n < MOST) {
		said[n++] = name;
		fprintf(stderr, "simtrun: %s is not supported yet\n", name);
	}
	pthread_mutex_unlock(&lock);
	return CUBLAS_STATUS_NOT_SUPPORTED;
}

#define STATUSES(STATUS)                                                                              \
	STATUS(CUBLAS_STATUS_SUCCESS, "success")                                                            \
	STATUS(CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized")                            \
	STATUS(CUBLAS_STATUS_ALLOC_FAILED, "the resource allocation failed")                                \
	STATUS(CUBLAS_STATUS_INVALID_VALUE, "an unsupported value or parameter was passed to the function") \
	STATUS(CUBLAS_STATUS_ARCH_MISMATCH, "the device lacks a feature that the function needs")           \
	STATUS(CUBLAS_STATUS_MAPPING_ERROR, "an access to the device's memory failed")                      \
	STATUS(CUBLAS_STATUS_EXECUTION_FAILED, "the function failed to launch on the GPU")                  \
	STATUS(CUBLAS_STATUS_INTERNAL_ERROR, "an internal operation failed")                                \
	STATUS(CUBLAS_STATUS_NOT_SUPPORTED, "the functionality is not supported")                           \
	STATUS(CUBLAS_STATUS_LICENSE_ERROR, "the functionality needs a license")

const char *name_of(cublasStatus_t status)
{
	switch (status) {
#define STATUS(NAME, TEXT) \
	case NAME:               \
		return #NAME;
		STATUSES(STATUS)
#undef STATUS
	}
	return "CUBLAS_STATUS_UNKNOWN";
}

const char *text_of(cublasStatus_t status)
{
	switch (status) {
#define STATUS(NAME, TEXT) \
	case NAME:               \
		return TEXT;
		STATUSES(STATUS)
#undef STATUS
	}
	return "unknown status";
}
