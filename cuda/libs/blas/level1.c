/* Operations on vectors. */
#include "blas.h"

enum { VECTOR_THREADS = 256, MOST_BLOCKS = 512 };

/* type_of returns the kernels' name of an element type, and its size; NULL if there are none for it. */
static const char *type_of(cudaDataType type, size_t *size)
{
	switch (type) {
	case CUDA_R_32F:
		return *size = 4, "s";
	case CUDA_R_64F:
		return *size = 8, "d";
	case CUDA_C_32F:
		return *size = 8, "c";
	case CUDA_C_64F:
		return *size = 16, "z";
	case CUDA_R_16F:
		return *size = 2, "h";
	case CUDA_R_16BF:
		return *size = 2, "b";
	default:
		return NULL;
	}
}

static cublasStatus_t on_vectors(cublasHandle_t handle, const char *name, const char *type, size_t size, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy,
                                 struct vector_args *a)
{
	struct grid grid = {blocks(n, VECTOR_THREADS, MOST_BLOCKS), 1, 1, VECTOR_THREADS};

	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	a->n = n;
	a->x = vector_of(x, n, incx, size);
	if (y != NULL)
		a->y = vector_of(y, n, incy, size);
	return launch(handle->place, handle->stream, LEVEL1, name, type, grid, a);
}

static cublasStatus_t scal(cublasHandle_t handle, const char *type, size_t size, int64_t n, const void *alpha, size_t alpha_size, bool real, void *x, int64_t incx)
{
	BEGIN;
	CHECK(alpha != NULL);
	struct vector_args a = {.alpha = scalar_of(handle, alpha, alpha_size)};
	a.alpha.real = real;
	return incx <= 0 ? CUBLAS_STATUS_SUCCESS : on_vectors(handle, "scal", type, size, n, x, incx, NULL, 0, &a);
}

static cublasStatus_t axpy(cublasHandle_t handle, const char *type, size_t size, int64_t n, const void *alpha, size_t alpha_size, const void *x, int64_t incx, void *y, int64_t incy)
{
	BEGIN;
	CHECK(alpha != NULL);
	struct vector_args a = {.alpha = scalar_of(handle, alpha, alpha_size)};
	return on_vectors(handle, "axpy", type, size, n, x, incx, y, incy, &a);
}

static cublasStatus_t move(cublasHandle_t handle, const char *name, const char *type, size_t size, int64_t n, const void *x, int64_t incx, void *y, int64_t incy)
{
	struct vector_args a = {0};

	BEGIN;
	return on_vectors(handle, name, type[0] == 'b' ? "h" : type, size, n, x, incx, y, incy, &a);
}

static cublasStatus_t rot(cublasHandle_t handle, const char *type, size_t size, int64_t n, void *x, int64_t incx, void *y, int64_t incy, const void *c, size_t c_size, const void *s,
                          size_t s_size)
{
	BEGIN;
	CHECK(c != NULL && s != NULL);
	struct vector_args a = {.alpha = scalar_of(handle, c, c_size), .beta = scalar_of(handle, s, s_size)};
	a.alpha.real = c_size < size;
	a.beta.real = s_size < size;
	return on_vectors(handle, "rot", type, size, n, x, incx, y, incy, &a);
}

static cublasStatus_t rotm(cublasHandle_t handle, const char *type, size_t size, int64_t n, void *x, int64_t incx, void *y, int64_t incy, const void *param)
{
	struct vector_args a = {0};

	BEGIN;
	CHECK(param != NULL);
	if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE)
		a.param = param;
	else
		for (int i = 0; i < 5; i++)
			a.values[i] = size == sizeof(float) ? ((const float *)param)[i] : ((const double *)param)[i];
	return on_vectors(handle, "rotm", type, size, n, x, incx, y, incy, &a);
}

/* A reduction's blocks write to the first half of the scratch memory, and a result for the host is in the second
   half, so only one call may use it at a time. */
static cublasStatus_t reduce_alone(cublasHandle_t handle, const char *name, const char *type, size_t size, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy, void *result,
                             size_t result_size)
{
	enum { MOST_PARTS = SCRATCH / 2 / 16 / 8, PART = 4 * VECTOR_THREADS };

	CHECK(result != NULL);
	if (n < 0 || (y == NULL && incx <= 0))
		n = 0;
	bool host = handle->pointers == CUBLAS_POINTER_MODE_HOST;
	CUdeviceptr found = host ? handle->scratch + SCRATCH / 2 : (CUdeviceptr)result;
	struct reduction_args a = {.n = n, .x = vector_of(x, n, incx, size), .y = vector_of(y, n, incy, size), .partials = (void *)handle->scratch, .result = (void *)found,
	                           .wide = result_size == sizeof(int64_t)};
	struct grid grid = {blocks(at_least_one(n), PART, MOST_PARTS), 1, 1, VECTOR_THREADS};
	TRY(launch(handle->place, handle->stream, LEVEL1, name, type, grid, &a));
	if (grid.x > 1) {
		a.n = grid.x;
		a.last = 1;
		grid.x = 1;
		TRY(launch(handle->place, handle->stream, LEVEL1, name, type, grid, &a));
	}
	return host ? from_device(handle, result, found, result_size) : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t reduce(cublasHandle_t handle, const char *name, const char *type, size_t size, int64_t n, const void *x, int64_t incx, const void *y, int64_t incy, void *result,
                             size_t result_size)
{
	BEGIN;
	pthread_mutex_lock(&handle->lock);
	cublasStatus_t status = reduce_alone(handle, name, type, size, n, x, incx, y, incy, result, result_size);
	pthread_mutex_unlock(&handle->lock);
	return status;
}

#ifndef WIDE
/* Rotations are computed on the device. Host numbers are copied there and back. */
static cublasStatus_t make_rotation_alone(cublasHandle_t handle, const char *name, const char *type, void *numbers[], const size_t sizes[], int n)
{
	enum { ROOM = 64 };
	CUdeviceptr places[5] = {0};

	for (int i = 0; i < n; i++) {
		CHECK(numbers[i] != NULL);
		places[i] = (CUdeviceptr)numbers[i];
		if (handle->pointers == CUBLAS_POINTER_MODE_HOST) {
			places[i] = handle->scratch + SCRATCH / 2 + i * ROOM;
			TRY(to_device(handle, places[i], numbers[i], sizes[i]));
		}
	}
	struct rotation_args a = {(void *)places[0], (void *)places[1], (void *)places[2], (void *)places[3], (void *)places[4]};
	TRY(launch(handle->place, handle->stream, LEVEL1, name, type, (struct grid){1, 1, 1, 1}, &a));
	for (int i = 0; i < n && handle->pointers == CUBLAS_POINTER_MODE_HOST; i++)
		TRY(from_device(handle, numbers[i], places[i], sizes[i]));
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t make_rotation(cublasHandle_t handle, const char *name, const char *type, void *numbers[], const size_t sizes[], int n)
{
	BEGIN;
	pthread_mutex_lock(&handle->lock);
	cublasStatus_t status = make_rotation_alone(handle, name, type, numbers, sizes, n);
	pthread_mutex_unlock(&handle->lock);
	return status;
}

#define ROTG(L, TYPE, T, R)                                                                                              \
	API cublasStatus_t cublas##L##rotg_v2(cublasHandle_t handle, T *a, T *b, R *c, T *s)                                    \
	{                                                                                                                      \
		return make_rotation(handle, "rotg", TYPE, (void *[]){a, b, c, s}, (const size_t[]){sizeof *a, sizeof *b, sizeof *c, sizeof *s}, 4); \
	}
ROTG(S, "s", float, float)
ROTG(D, "d", double, double)
ROTG(C, "c", cuComplex, float)
ROTG(Z, "z", cuDoubleComplex, double)
#define ROTMG(L, TYPE, T)                                                                                                \
	API cublasStatus_t cublas##L##rotmg_v2(cublasHandle_t handle, T *d1, T *d2, T *x1, const T *y1, T *param)               \
	{                                                                                                                      \
		T y = 0; /* what comes back of y1 is what went */                                                                    \
		BEGIN;                                                                                                               \
		CHECK(y1 != NULL);                                                                                                   \
		if (handle->pointers == CUBLAS_POINTER_MODE_HOST)                                                                    \
			y = *y1;                                                                                                           \
		void *numbers[] = {d1, d2, x1, handle->pointers == CUBLAS_POINTER_MODE_HOST ? &y : (T *)(uintptr_t)y1, param};       \
		return make_rotation(handle, "rotmg", TYPE, numbers, (const size_t[]){sizeof y, sizeof y, sizeof y, sizeof y, 5 * sizeof y}, 5); \
	}
ROTMG(S, "s", float)
ROTMG(D, "d", double)
#endif

#define ELEMENTS cublasHandle_t handle, N n
#define VECTORS_OF(L, TYPE, T, R, NORM, I)                                                                                \
	API cublasStatus_t F(cublas##NORM##nrm2_v2)(ELEMENTS, const T *x, N incx, R *result)                                     \
	{                                                                                                                       \
		return reduce(handle, "nrm2", TYPE, sizeof(T), n, x, incx, NULL, 0, result, sizeof(R));                               \
	}                                                                                                                       \
	API cublasStatus_t F(cublas##NORM##asum_v2)(ELEMENTS, const T *x, N incx, R *result)                                     \
	{                                                                                                                       \
		return reduce(handle, "asum", TYPE, sizeof(T), n, x, incx, NULL, 0, result, sizeof(R));                               \
	}                                                                                                                       \
	API cublasStatus_t F(cublasI##I##amax_v2)(ELEMENTS, const T *x, N incx, N *result)                                       \
	{                                                                                                                       \
		return reduce(handle, "amax", TYPE, sizeof(T), n, x, incx, NULL, 0, result, sizeof(N));                               \
	}                                                                                                                       \
	API cublasStatus_t F(cublasI##I##amin_v2)(ELEMENTS, const T *x, N incx, N *result)                                       \
	{                                                                                                                       \
		return reduce(handle, "amin", TYPE, sizeof(T), n, x, incx, NULL, 0, result, sizeof(N));                               \
	}                                                                                                                       \
	API cublasStatus_t F(cublas##L##scal_v2)(ELEMENTS, const T *alpha, T *x, N incx)                                         \
	{                                                                                                                       \
		return scal(handle, TYPE, sizeof(T), n, alpha, sizeof(T), false, x, incx);                                            \
	}                                                                                                                       \
	API cublasStatus_t F(cublas##L##axpy_v2)(ELEMENTS, const T *alpha, const T *x, N incx, T *y, N incy)                     \
	{                                                                                                                       \
		return axpy(handle, TYPE, sizeof(T), n, alpha, sizeof(T), x, incx, y, incy);                                          \
	}                                                                                                                       \
	API cublasStatus_t F(cublas##L##copy_v2)(ELEMENTS, const T *x, N incx, T *y, N incy)                                     \
	{                                                                                                                       \
		return move(handle, "copy", TYPE, sizeof(T), n, x, incx, y, incy);                                                    \
	}                                                                                                                       \
	API cublasStatus_t F(cublas##L##swap_v2)(ELEMENTS, T *x, N incx, T *y, N incy)                                           \
	{                                                                                                                       \
		return move(handle, "swap", TYPE, sizeof(T), n, x, incx, y, incy);                                                    \
	}                                                                                                                       \
	API cublasStatus_t F(cublas##L##rot_v2)(ELEMENTS, T *x, N incx, T *y, N incy, const R *c, const T *s)                    \
	{                                                                                                                       \
		return rot(handle, TYPE, sizeof(T), n, x, incx, y, incy, c, sizeof(R), s, sizeof(T));                                 \
	}
VECTORS_OF(S, "s", float, float, S, s)
VECTORS_OF(D, "d", double, double, D, d)
VECTORS_OF(C, "c", cuComplex, float, Sc, c)
VECTORS_OF(Z, "z", cuDoubleComplex, double, Dz, z)

#define DOT(NAME, KERNEL, TYPE, T)                                                                                        \
	API cublasStatus_t F(NAME)(ELEMENTS, const T *x, N incx, const T *y, N incy, T *result)                                  \
	{                                                                                                                       \
		return reduce(handle, KERNEL, TYPE, sizeof(T), n, x, incx, y, incy, result, sizeof(T));                               \
	}
DOT(cublasSdot_v2, "dotu", "s", float)
DOT(cublasDdot_v2, "dotu", "d", double)
DOT(cublasCdotu_v2, "dotu", "c", cuComplex)
DOT(cublasCdotc_v2, "dotc", "c", cuComplex)
DOT(cublasZdotu_v2, "dotu", "z", cuDoubleComplex)
DOT(cublasZdotc_v2, "dotc", "z", cuDoubleComplex)

#define ROTM(NAME, TYPE, T)                                                                                               \
	API cublasStatus_t F(NAME)(ELEMENTS, T *x, N incx, T *y, N incy, const T *param)                                         \
	{                                                                                                                       \
		return rotm(handle, TYPE, sizeof(T), n, x, incx, y, incy, param);                                                     \
	}
ROTM(cublasSrotm_v2, "s", float)
ROTM(cublasDrotm_v2, "d", double)

#define REAL_SCALARS(SCAL, ROT, TYPE, T, R)                                                                               \
	API cublasStatus_t F(SCAL)(ELEMENTS, const R *alpha, T *x, N incx)                                                       \
	{                                                                                                                       \
		return scal(handle, TYPE, sizeof(T), n, alpha, sizeof(R), true, x, incx);                                             \
	}                                                                                                                       \
	API cublasStatus_t F(ROT)(ELEMENTS, T *x, N incx, T *y, N incy, const R *c, const R *s)                                  \
	{                                                                                                                       \
		return rot(handle, TYPE, sizeof(T), n, x, incx, y, incy, c, sizeof(R), s, sizeof(R));                                 \
	}
REAL_SCALARS(cublasCsscal_v2, cublasCsrot_v2, "c", cuComplex, float)
REAL_SCALARS(cublasZdscal_v2, cublasZdrot_v2, "z", cuDoubleComplex, double)

/* The types of functions with type arguments. Halves are computed in single precision. */
static bool computes(cudaDataType type, cudaDataType compute)
{
	return compute == (type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type);
}

/* real_type is the type of a norm. */
static cudaDataType real_type(cudaDataType type) { return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type; }

API cublasStatus_t F(cublasNrm2Ex)(ELEMENTS, const void *x, cudaDataType xtype, N incx, void *result, cudaDataType rtype, cudaDataType compute)
{
	size_t size = 0, result_size = 0;
	const char *type = type_of(xtype, &size);

	if (type == NULL || rtype != real_type(xtype) || !computes(rtype, compute))
		return not_supported("this combination of types in cublasNrm2Ex");
	type_of(rtype, &result_size);
	return reduce(handle, "nrm2", type, size, n, x, incx, NULL, 0, result, result_size);
}

API cublasStatus_t F(cublasAsumEx)(ELEMENTS, const void *x, cudaDataType xtype, N incx, void *result, cudaDataType rtype, cudaDataType compute)
{
	size_t size = 0, result_size = 0;
	const char *type = type_of(xtype, &size);

	if (type == NULL || size == 2 || rtype != real_type(xtype) || !computes(rtype, compute))
		return not_supported("this combination of types in cublasAsumEx");
	type_of(rtype, &result_size);
	return reduce(handle, "asum", type, size, n, x, incx, NULL, 0, result, result_size);
}

static cublasStatus_t extreme_ex(cublasHandle_t handle, const char *name, int64_t n, const void *x, cudaDataType xtype, int64_t incx, N *result)
{
	size_t size = 0;
	const char *type = type_of(xtype, &size);

	if (type == NULL || size == 2)
		return not_supported("this type in cublasIamaxEx");
	return reduce(handle, name, type, size, n, x, incx, NULL, 0, result, sizeof *result);
}

API cublasStatus_t F(cublasIamaxEx)(ELEMENTS, const void *x, cudaDataType xtype, N incx, N *result) { return extreme_ex(handle, "amax", n, x, xtype, incx, result); }
API cublasStatus_t F(cublasIaminEx)(ELEMENTS, const void *x, cudaDataType xtype, N incx, N *result) { return extreme_ex(handle, "amin", n, x, xtype, incx, result); }

static cublasStatus_t dot_ex(cublasHandle_t handle, bool conjugate, int64_t n, const void *x, cudaDataType xtype, int64_t incx, const void *y, cudaDataType ytype, int64_t incy,
                             void *result, cudaDataType rtype, cudaDataType compute)
{
	size_t size = 0;
	const char *type = type_of(xtype, &size);

	if (type == NULL || xtype != ytype || xtype != rtype || !computes(xtype, compute))
		return not_supported("this combination of types in cublasDotEx");
	return reduce(handle, conjugate && real_type(xtype) != xtype ? "dotc" : "dotu", type, size, n, x, incx, y, incy, result, size);
}

API cublasStatus_t F(cublasDotEx)(ELEMENTS, const void *x, cudaDataType xtype, N incx, const void *y, cudaDataType ytype, N incy, void *result, cudaDataType rtype,
                                  cudaDataType compute)
{
	return dot_ex(handle, false, n, x, xtype, incx, y, ytype, incy, result, rtype, compute);
}

API cublasStatus_t F(cublasDotcEx)(ELEMENTS, const void *x, cudaDataType xtype, N incx, const void *y, cudaDataType ytype, N incy, void *result, cudaDataType rtype,
                                   cudaDataType compute)
{
	return dot_ex(handle, true, n, x, xtype, incx, y, ytype, incy, result, rtype, compute);
}

API cublasStatus_t F(cublasScalEx)(ELEMENTS, const void *alpha, cudaDataType atype, void *x, cudaDataType xtype, N incx, cudaDataType compute)
{
	size_t size = 0, alpha_size = 0;
	const char *type = type_of(xtype, &size);

	if (type == NULL || atype != compute || !computes(xtype, compute))
		return not_supported("this combination of types in cublasScalEx");
	type_of(atype, &alpha_size);
	return scal(handle, type, size, n, alpha, alpha_size, false, x, incx);
}

API cublasStatus_t F(cublasAxpyEx)(ELEMENTS, const void *alpha, cudaDataType atype, const void *x, cudaDataType xtype, N incx, void *y, cudaDataType ytype, N incy,
                                   cudaDataType compute)
{
	size_t size = 0, alpha_size = 0;
	const char *type = type_of(xtype, &size);

	if (type == NULL || xtype != ytype || atype != compute || !computes(xtype, compute))
		return not_supported("this combination of types in cublasAxpyEx");
	type_of(atype, &alpha_size);
	return axpy(handle, type, size, n, alpha, alpha_size, x, incx, y, incy);
}

static cublasStatus_t move_ex(cublasHandle_t handle, const char *name, int64_t n, const void *x, cudaDataType xtype, int64_t incx, void *y, cudaDataType ytype, int64_t incy)
{
	size_t size = 0;
	const char *type = type_of(xtype, &size);

	if (type == NULL || xtype != ytype)
		return not_supported("this combination of types in cublasCopyEx");
	return move(handle, name, type, size, n, x, incx, y, incy);
}

API cublasStatus_t F(cublasCopyEx)(ELEMENTS, const void *x, cudaDataType xtype, N incx, void *y, cudaDataType ytype, N incy)
{
	return move_ex(handle, "copy", n, x, xtype, incx, y, ytype, incy);
}

API cublasStatus_t F(cublasSwapEx)(ELEMENTS, void *x, cudaDataType xtype, N incx, void *y, cudaDataType ytype, N incy)
{
	return move_ex(handle, "swap", n, x, xtype, incx, y, ytype, incy);
}

API cublasStatus_t F(cublasRotEx)(ELEMENTS, void *x, cudaDataType xtype, N incx, void *y, cudaDataType ytype, N incy, const void *c, const void *s, cudaDataType stype,
                                  cudaDataType compute)
{
	size_t size = 0, scalar_size = 0;
	const char *type = type_of(xtype, &size);

	if (type == NULL || size == 2 || xtype != ytype || (stype != xtype && stype != real_type(xtype)) || compute != xtype)
		return not_supported("this combination of types in cublasRotEx");
	type_of(stype, &scalar_size);
	return rot(handle, type, size, n, x, incx, y, incy, c, scalar_size, s, scalar_size);
}
