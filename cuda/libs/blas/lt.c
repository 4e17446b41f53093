/* cublasLt. Descriptions are stored in the caller's structures. */
#include "blas.h"

#include <cublasLt.h>
#include <stdlib.h>

#include <simtrun/version.h>

/* A handle of cuBLAS is accepted, too: all resources belong to the current context. */
API cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
	struct place *place;

	CHECK(handle != NULL);
	TRY(find_place(&place));
	*handle = malloc(1);
	return *handle != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
	BEGIN;
	free(handle);
	return CUBLAS_STATUS_SUCCESS;
}

API const char *cublasLtGetStatusName(cublasStatus_t status) { return name_of(status); }
API const char *cublasLtGetStatusString(cublasStatus_t status) { return text_of(status); }
API size_t cublasLtGetVersion(void) { return version(); }
API size_t cublasLtGetCudartVersion(void) { return CUDART_VERSION; }

API cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value) { return property(type, value); }

/* There is no heuristic whose result could be cached. */
API cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t *capacity)
{
	CHECK(capacity != NULL);
	*capacity = 0;
	return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t capacity)
{
	(void)capacity;
	return CUBLAS_STATUS_SUCCESS;
}
API unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask)
{
	(void)mask;
	return 0;
}

/* Nothing is logged. */
API cublasStatus_t cublasLtLoggerSetCallback(cublasLtLoggerCallback_t callback) { return (void)callback, CUBLAS_STATUS_SUCCESS; }
API cublasStatus_t cublasLtLoggerSetFile(FILE *file) { return (void)file, CUBLAS_STATUS_SUCCESS; }
API cublasStatus_t cublasLtLoggerOpenFile(const char *name) { return (void)name, CUBLAS_STATUS_SUCCESS; }
API cublasStatus_t cublasLtLoggerSetLevel(int level) { return (void)level, CUBLAS_STATUS_SUCCESS; }
API cublasStatus_t cublasLtLoggerSetMask(int mask) { return (void)mask, CUBLAS_STATUS_SUCCESS; }
API cublasStatus_t cublasLtLoggerForceDisable(void) { return CUBLAS_STATUS_SUCCESS; }

/* The content of the caller's structures. It must fit into the structures of CUDA 12.0. */
struct layout {
	uint64_t rows, cols;
	int64_t ld, stride, plane;
	uint32_t type;
	int32_t order, batches;
};

struct desc {
	const void *bias;
	void *aux;
	const void *scales[4], *amax, *aux_scale, *aux_amax, *out_scale;
	int64_t bias_batch, aux_ld, aux_batch, alpha_batch;
	int32_t compute, scale, pointers, ops[3], fill, sms, aux_type, bias_type;
	uint32_t epilogue;
	int8_t fast;
	uint8_t modes[6];
};

struct transform {
	int32_t scale, pointers, ops[2];
};

struct preference {
	uint64_t workspace;
	uint32_t mode, math, reduction, gaussian, alignments[4], pointers, epilogues;
	float waves;
	uint64_t implementations;
};

struct algo {
	uint32_t values[9];
};

_Static_assert(sizeof(struct layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "a layout fits");
_Static_assert(sizeof(struct desc) <= 23 * sizeof(uint64_t), "a description fits");
_Static_assert(sizeof(struct preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t), "a preference fits");

/* An attribute is a field of a structure. */
struct attribute {
	int id;
	size_t offset, size;
};
#define FIELD(ID, STRUCT, NAME) {ID, offsetof(struct STRUCT, NAME), sizeof(((struct STRUCT *)0)->NAME)}

static const struct attribute *find(const struct attribute *attributes, size_t n, int id)
{
	for (size_t i = 0; i < n; i++)
		if (attributes[i].id == id)
			return &attributes[i];
	return NULL;
}

static cublasStatus_t set(const struct attribute *a, void *of, const void *value, size_t size)
{
	CHECK(a != NULL && of != NULL && value != NULL && size == a->size);
	memcpy((char *)of + a->offset, value, size);
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t get(const struct attribute *a, const void *of, void *value, size_t size, size_t *written)
{
	CHECK(a != NULL && of != NULL && (size == 0 ? written != NULL : value != NULL && size == a->size));
	if (size != 0)
		memcpy(value, (const char *)of + a->offset, size);
	if (written != NULL)
		*written = a->size;
	return CUBLAS_STATUS_SUCCESS;
}

/* make clears the memory of a new structure. */
static cublasStatus_t make(void *to, size_t size)
{
	CHECK(to != NULL);
	void *made = calloc(1, size);
	memcpy(to, &made, sizeof made);
	return made != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

#define N_OF(ARRAY) (sizeof(ARRAY) / sizeof((ARRAY)[0]))
#define ATTRIBUTES(NAME, TYPE, ATTR, TABLE)                                                                              \
	API cublasStatus_t cublasLt##NAME##Destroy(TYPE of)                                                                    \
	{                                                                                                                      \
		free(of);                                                                                                            \
		return CUBLAS_STATUS_SUCCESS;                                                                                        \
	}                                                                                                                      \
	API cublasStatus_t cublasLt##NAME##SetAttribute(TYPE of, ATTR attr, const void *value, size_t size)                    \
	{                                                                                                                      \
		return set(find(TABLE, N_OF(TABLE), (int)attr), of, value, size);                                                    \
	}                                                                                                                      \
	API cublasStatus_t cublasLt##NAME##GetAttribute(TYPE of, ATTR attr, void *value, size_t size, size_t *written)         \
	{                                                                                                                      \
		return get(find(TABLE, N_OF(TABLE), (int)attr), of, value, size, written);                                           \
	}

/* Layouts. */

static const struct attribute layout_attributes[] = {
	FIELD(CUBLASLT_MATRIX_LAYOUT_TYPE, layout, type),
	FIELD(CUBLASLT_MATRIX_LAYOUT_ORDER, layout, order),
	FIELD(CUBLASLT_MATRIX_LAYOUT_ROWS, layout, rows),
	FIELD(CUBLASLT_MATRIX_LAYOUT_COLS, layout, cols),
	FIELD(CUBLASLT_MATRIX_LAYOUT_LD, layout, ld),
	FIELD(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, layout, batches),
	FIELD(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, layout, stride),
	FIELD(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, layout, plane),
};
ATTRIBUTES(MatrixLayout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t, layout_attributes)

API cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
{
	CHECK(layout != NULL);
	if (size < sizeof(struct layout))
		return CUBLAS_STATUS_ALLOC_FAILED;
	*(struct layout *)layout = (struct layout){.type = type, .rows = rows, .cols = cols, .ld = ld, .batches = 1};
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
{
	TRY(make(layout, sizeof **layout));
	return cublasLtMatrixLayoutInit_internal(*layout, sizeof **layout, type, rows, cols, ld);
}

/* Descriptions of products. */

static const struct attribute desc_attributes[] = {
	FIELD(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, desc, compute),
	FIELD(CUBLASLT_MATMUL_DESC_SCALE_TYPE, desc, scale),
	FIELD(CUBLASLT_MATMUL_DESC_POINTER_MODE, desc, pointers),
	FIELD(CUBLASLT_MATMUL_DESC_TRANSA, desc, ops[0]),
	FIELD(CUBLASLT_MATMUL_DESC_TRANSB, desc, ops[1]),
	FIELD(CUBLASLT_MATMUL_DESC_TRANSC, desc, ops[2]),
	FIELD(CUBLASLT_MATMUL_DESC_FILL_MODE, desc, fill),
	FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE, desc, epilogue),
	FIELD(CUBLASLT_MATMUL_DESC_BIAS_POINTER, desc, bias),
	FIELD(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, desc, bias_batch),
	FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, desc, aux),
	FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, desc, aux_ld),
	FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, desc, aux_batch),
	FIELD(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, desc, alpha_batch),
	FIELD(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, desc, sms),
	FIELD(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, desc, scales[0]),
	FIELD(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, desc, scales[1]),
	FIELD(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, desc, scales[2]),
	FIELD(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, desc, scales[3]),
	FIELD(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, desc, amax),
	FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, desc, aux_type),
	FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, desc, aux_scale),
	FIELD(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, desc, aux_amax),
	FIELD(CUBLASLT_MATMUL_DESC_FAST_ACCUM, desc, fast),
	FIELD(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, desc, bias_type),
};
ATTRIBUTES(MatmulDesc, cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, desc_attributes)

API cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t size, cublasComputeType_t compute, cudaDataType scale)
{
	CHECK(desc != NULL);
	if (size < sizeof(struct desc))
		return CUBLAS_STATUS_ALLOC_FAILED;
	*(struct desc *)desc = (struct desc){.compute = compute, .scale = scale, .fill = CUBLAS_FILL_MODE_FULL, .epilogue = CUBLASLT_EPILOGUE_DEFAULT, .aux_type = -1, .bias_type = -1};
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, cudaDataType scale)
{
	TRY(make(desc, sizeof **desc));
	return cublasLtMatmulDescInit_internal(*desc, sizeof **desc, compute, scale);
}

/* Descriptions of transformations. */

static const struct attribute transform_attributes[] = {
	FIELD(CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, transform, scale),
	FIELD(CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, transform, pointers),
	FIELD(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, transform, ops[0]),
	FIELD(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, transform, ops[1]),
};
ATTRIBUTES(MatrixTransformDesc, cublasLtMatrixTransformDesc_t, cublasLtMatrixTransformDescAttributes_t, transform_attributes)

API cublasStatus_t cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t desc, size_t size, cudaDataType scale)
{
	CHECK(desc != NULL);
	if (size < sizeof(struct transform))
		return CUBLAS_STATUS_ALLOC_FAILED;
	*(struct transform *)desc = (struct transform){.scale = scale};
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t *desc, cudaDataType scale)
{
	TRY(make(desc, sizeof **desc));
	return cublasLtMatrixTransformDescInit_internal(*desc, sizeof **desc, scale);
}

/* Preferences. None has an effect: there is one algorithm, which needs no memory. */

static const struct attribute preference_attributes[] = {
	FIELD(CUBLASLT_MATMUL_PREF_SEARCH_MODE, preference, mode),
	FIELD(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, preference, workspace),
	FIELD(CUBLASLT_MATMUL_PREF_MATH_MODE_MASK, preference, math),
	FIELD(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, preference, reduction),
	FIELD(CUBLASLT_MATMUL_PREF_GAUSSIAN_MODE_MASK, preference, gaussian),
	FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, preference, alignments[0]),
	FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, preference, alignments[1]),
	FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, preference, alignments[2]),
	FIELD(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, preference, alignments[3]),
	FIELD(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, preference, waves),
	FIELD(CUBLASLT_MATMUL_PREF_POINTER_MODE_MASK, preference, pointers),
	FIELD(CUBLASLT_MATMUL_PREF_EPILOGUE_MASK, preference, epilogues),
	FIELD(CUBLASLT_MATMUL_PREF_IMPL_MASK, preference, implementations),
};
ATTRIBUTES(MatmulPreference, cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, preference_attributes)

API cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t size)
{
	CHECK(preference != NULL);
	if (size < sizeof(struct preference))
		return CUBLAS_STATUS_ALLOC_FAILED;
	*(struct preference *)preference = (struct preference){.reduction = CUBLASLT_REDUCTION_SCHEME_MASK, .alignments = {256, 256, 256, 256}, .implementations = ~0ull};
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
	TRY(make(preference, sizeof **preference));
	return cublasLtMatmulPreferenceInit_internal(*preference, sizeof **preference);
}

/* Products. */

/* matrix_of returns the matrix for a layout. */
static struct matrix matrix_of(const void *at, const struct layout *l)
{
	struct matrix m = plain(at, l->ld);

	m.batch = l->stride;
	return l->order == CUBLASLT_ORDER_ROW ? transposed(m) : m;
}

static struct matrix operated(struct matrix m, int op)
{
	if (op == CUBLAS_OP_T || op == CUBLAS_OP_C)
		m = transposed(m);
	m.conj = op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG;
	return m;
}

static bool is_layout(const struct layout *l)
{
	return (l->order == CUBLASLT_ORDER_COL && l->ld >= at_least_one(l->rows)) || (l->order == CUBLASLT_ORDER_ROW && l->ld >= at_least_one(l->cols));
}

/* A product that a descriptor describes: the arguments of its kernels, and what follows them. */
struct job {
	struct gemm_args g;
	const char *type;
	size_t scalar;    /* the size of alpha and beta */
	char row_type[2]; /* of the elements for row sums */
	struct matrix rows;
	int64_t row_count, row_length;
	bool masks;
};

static const char *row_type_of(int type) { return type == CUDA_R_32F ? "s" : type == CUDA_R_16F ? "h" : type == CUDA_R_16BF ? "b" : NULL; }

/* describe determines whether there are kernels for a product. Addresses of matrices may be NULL. */
static cublasStatus_t describe(const struct desc *desc, const void *a, const struct layout *al, const void *b, const struct layout *bl, const void *c, const struct layout *cl, void *d,
                               const struct layout *dl, struct job *job)
{
	struct gemm_args *g = &job->g;

	CHECK(desc != NULL && al != NULL && bl != NULL && cl != NULL && dl != NULL);
	*job = (struct job){0};
	job->type = kernels_for(al->type, bl->type, dl->type, desc->compute, &job->scalar);
	if (job->type == NULL || cl->type != dl->type)
		return not_supported("this combination of types in cublasLtMatmul");
	bool scaled = desc->amax != NULL || desc->aux_scale != NULL || desc->aux_amax != NULL;
	for (int i = 0; i < 4; i++)
		scaled |= desc->scales[i] != NULL;
	if (scaled || desc->ops[2] != CUBLAS_OP_N || desc->fill != CUBLAS_FILL_MODE_FULL || desc->pointers > CUBLASLT_POINTER_MODE_DEVICE || al->plane != 0)
		return not_supported("what describes this product in cublasLtMatmul");
	if (al->order > CUBLASLT_ORDER_ROW || bl->order > CUBLASLT_ORDER_ROW || cl->order > CUBLASLT_ORDER_ROW || dl->order > CUBLASLT_ORDER_ROW)
		return not_supported("this order of elements in cublasLtMatmul");
	CHECK(is_layout(al) && is_layout(bl) && is_layout(cl) && is_layout(dl) && is_operation(desc->ops[0]) && is_operation(desc->ops[1]));
	bool ta = desc->ops[0] == CUBLAS_OP_T || desc->ops[0] == CUBLAS_OP_C, tb = desc->ops[1] == CUBLAS_OP_T || desc->ops[1] == CUBLAS_OP_C;
	g->m = dl->rows;
	g->n = dl->cols;
	g->k = ta ? al->rows : al->cols;
	g->batches = dl->batches;
	CHECK((int64_t)(ta ? al->cols : al->rows) == g->m && (int64_t)(tb ? bl->cols : bl->rows) == g->k && (int64_t)(tb ? bl->rows : bl->cols) == g->n);
	CHECK(cl->rows == dl->rows && cl->cols == dl->cols && al->batches == dl->batches && bl->batches == dl->batches && cl->batches == dl->batches);
	g->a = operated(matrix_of(a, al), desc->ops[0]);
	g->b = operated(matrix_of(b, bl), desc->ops[1]);
	g->c = matrix_of(c, cl);
	g->d = matrix_of(d, dl);

	/* Operations on the elements, by the bits of cublasLtEpilogue_t. */
	enum { RELU_BIT = 2, BIAS_BIT = 4, DRELU_BIT = 8, GRADIENT_BIT = 16, GELU_BIT = 32, DGELU_BIT = 64, AUX_BIT = 128, A_BIT = 256, B_BIT = 512 };
	uint32_t e = desc->epilogue;
	if (e == CUBLASLT_EPILOGUE_DEFAULT)
		return CUBLAS_STATUS_SUCCESS;
	int bias_type = desc->bias_type >= 0 ? desc->bias_type : (int)dl->type;
	if (row_type_of(dl->type) == NULL || desc->scale != CUDA_R_32F || (bias_type != (int)dl->type && bias_type != CUDA_R_32F) ||
	    (desc->aux_type >= 0 && desc->aux_type != (int)dl->type && (e & (GELU_BIT | DGELU_BIT))))
		return not_supported("these types with an epilogue in cublasLtMatmul");
	CHECK(!(e & AUX_BIT) || (desc->aux != NULL && desc->aux_ld >= g->m));
	CHECK(!(e & (BIAS_BIT | GRADIENT_BIT | A_BIT | B_BIT)) || desc->bias != NULL);
	g->activation = e & RELU_BIT ? RELU : e & GELU_BIT ? GELU : e & DRELU_BIT ? DRELU : e & DGELU_BIT ? DGELU : e & BIAS_BIT ? BIAS_ALONE : NONE;
	g->wide_bias = bias_type == CUDA_R_32F;
	g->bias_batch = desc->bias_batch;
	if (e & BIAS_BIT)
		g->bias = desc->bias;
	job->masks = (e & RELU_BIT) && (e & AUX_BIT);
	if ((e & AUX_BIT) && !job->masks)
		g->aux = desc->aux;
	g->aux_col = desc->aux_ld;
	g->aux_batch = desc->aux_batch;
	if (e & (GRADIENT_BIT | A_BIT | B_BIT)) {
		const struct layout *from = e & A_BIT ? al : e & B_BIT ? bl : dl;
		const char *row_type = row_type_of(from->type);

		if (row_type == NULL || (from->type != dl->type && bias_type != CUDA_R_32F))
			return not_supported("these types with a gradient of the bias in cublasLtMatmul");
		job->row_type[0] = row_type[0];
		job->rows = e & A_BIT ? g->a : e & B_BIT ? transposed(g->b) : g->d;
		job->row_count = e & B_BIT ? g->n : g->m;
		job->row_length = e & (A_BIT | B_BIT) ? g->k : g->n;
	}
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t scalar_at(const struct desc *desc, const void *value, size_t size, struct scalar *s)
{
	CHECK(value != NULL);
	*s = (struct scalar){.at = value};
	if (desc->pointers == CUBLASLT_POINTER_MODE_HOST)
		*s = host_scalar(value, size);
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a, cublasLtMatrixLayout_t adesc, const void *b,
                                  cublasLtMatrixLayout_t bdesc, const void *beta, const void *c, cublasLtMatrixLayout_t cdesc, void *d, cublasLtMatrixLayout_t ddesc,
                                  const cublasLtMatmulAlgo_t *algo, void *workspace, size_t workspace_size, cudaStream_t stream)
{
	enum { THREADS = 128 };
	const struct desc *of = (const struct desc *)desc;
	struct place *place;
	struct job job;

	(void)algo, (void)workspace, (void)workspace_size;
	BEGIN;
	TRY(describe(of, a, (struct layout *)adesc, b, (struct layout *)bdesc, c, (struct layout *)cdesc, d, (struct layout *)ddesc, &job));
	TRY(scalar_at(of, alpha, job.scalar, &job.g.alpha));
	TRY(scalar_at(of, beta, job.scalar, &job.g.beta));
	TRY(find_place(&place));
	TRY(product(place, stream, job.type, &job.g));
	if (job.row_type[0] != 0 && job.row_count > 0) {
		struct row_args r = {.m = job.row_count, .n = job.row_length, .batches = job.g.batches, .a = job.rows, .y = (void *)(uintptr_t)of->bias, .y_batch = of->bias_batch,
		                     .wide = job.g.wide_bias};
		TRY(launch(place, stream, LEVEL2, "sums", job.row_type, (struct grid){blocks(r.m, THREADS, 65535), 1, blocks(r.batches, 1, 65535), THREADS}, &r));
	}
	if (job.masks) {
		struct row_args r = {.m = job.g.m, .n = job.g.n, .batches = job.g.batches, .a = job.g.d, .y = of->aux, .y_col = of->aux_ld, .y_batch = of->aux_batch};
		struct grid grid = {blocks((r.m + 7) / 8 * r.n, THREADS, 65535), 1, blocks(r.batches, 1, 65535), THREADS};
		TRY(launch(place, stream, LEVEL2, "mask", row_type_of(((struct layout *)ddesc)->type), grid, &r));
	}
	return CUBLAS_STATUS_SUCCESS;
}

/* There is one algorithm. */

API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t adesc, cublasLtMatrixLayout_t bdesc,
                                                  cublasLtMatrixLayout_t cdesc, cublasLtMatrixLayout_t ddesc, cublasLtMatmulPreference_t preference, int requested,
                                                  cublasLtMatmulHeuristicResult_t results[], int *returned)
{
	(void)preference;
	CHECK(returned != NULL && results != NULL && requested > 0);
	*returned = 0;
	TRY(cublasLtMatmulAlgoCheck(handle, desc, adesc, bdesc, cdesc, ddesc, NULL, results));
	*returned = 1;
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t adesc, cublasLtMatrixLayout_t bdesc, cublasLtMatrixLayout_t cdesc,
                                           cublasLtMatrixLayout_t ddesc, const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result)
{
	struct desc of;
	struct job job;

	(void)algo;
	BEGIN;
	CHECK(desc != NULL && result != NULL);
	of = *(struct desc *)desc;
	/* Addresses may be set later. */
	if (of.bias == NULL)
		of.bias = &of;
	if (of.aux == NULL) {
		of.aux = &of;
		of.aux_ld = INT64_MAX;
	}
	TRY(describe(&of, NULL, (struct layout *)adesc, NULL, (struct layout *)bdesc, NULL, (struct layout *)cdesc, NULL, (struct layout *)ddesc, &job));
	*result = (cublasLtMatmulHeuristicResult_t){.state = CUBLAS_STATUS_SUCCESS, .wavesCount = 1};
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType scale, cudaDataType atype, cudaDataType btype, cudaDataType ctype,
                                            cudaDataType dtype, int requested, int ids[], int *returned)
{
	size_t size;

	(void)scale, (void)ctype;
	BEGIN;
	CHECK(requested > 0 && ids != NULL && returned != NULL);
	*returned = kernels_for(atype, btype, dtype, compute, &size) != NULL;
	ids[0] = 0;
	return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute, cudaDataType scale, cudaDataType atype, cudaDataType btype, cudaDataType ctype,
                                          cudaDataType dtype, int id, cublasLtMatmulAlgo_t *algo)
{
	size_t size;

	(void)scale, (void)ctype;
	BEGIN;
	CHECK(algo != NULL && id == 0);
	if (kernels_for(atype, btype, dtype, compute, &size) == NULL)
		return not_supported("this combination of types in cublasLtMatmul");
	*algo = (cublasLtMatmulAlgo_t){{0}};
	return CUBLAS_STATUS_SUCCESS;
}

/* The settings of the algorithm are stored, and have no effect. */
static const struct attribute algo_attributes[] = {
	FIELD(CUBLASLT_ALGO_CONFIG_ID, algo, values[0]),
	FIELD(CUBLASLT_ALGO_CONFIG_TILE_ID, algo, values[1]),
	FIELD(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, algo, values[2]),
	FIELD(CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, algo, values[3]),
	FIELD(CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, algo, values[4]),
	FIELD(CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, algo, values[5]),
	FIELD(CUBLASLT_ALGO_CONFIG_STAGES_ID, algo, values[6]),
};

API cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoConfigAttributes_t attr, const void *value, size_t size)
{
	return set(find(algo_attributes, N_OF(algo_attributes), (int)attr), algo, value, size);
}

API cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoConfigAttributes_t attr, void *value, size_t size, size_t *written)
{
	return get(find(algo_attributes, N_OF(algo_attributes), (int)attr), algo, value, size, written);
}

API cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algo, cublasLtMatmulAlgoCapAttributes_t attr, void *value, size_t size, size_t *written)
{
	(void)algo, (void)attr, (void)value, (void)size, (void)written;
	return not_supported("cublasLtMatmulAlgoCapGetAttribute");
}

/* Transformations: c = alpha op(a) + beta op(b). */
API cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t desc, const void *alpha, const void *a, cublasLtMatrixLayout_t adesc,
                                           const void *beta, const void *b, cublasLtMatrixLayout_t bdesc, void *c, cublasLtMatrixLayout_t cdesc, cudaStream_t stream)
{
	enum { THREADS = 128 };
	const struct transform *of = (const struct transform *)desc;
	const struct layout *al = (struct layout *)adesc, *bl = (struct layout *)bdesc, *cl = (struct layout *)cdesc;
	struct desc pointers = {0};
	size_t size;
	struct place *place;
	const char *type;

	BEGIN;
	CHECK(of != NULL && al != NULL && cl != NULL && (b == NULL || bl != NULL) && alpha != NULL);
	type = kernels_for(al->type, al->type, cl->type, of->scale, &size);
	if (type == NULL || type[1] != 0 || type[0] == 'h' || (int)cl->type != of->scale || cl->batches != 1 || al->order > CUBLASLT_ORDER_ROW || cl->order > CUBLASLT_ORDER_ROW ||
	    (b != NULL && (bl->type != cl->type || bl->order > CUBLASLT_ORDER_ROW)) || of->pointers > CUBLASLT_POINTER_MODE_DEVICE)
		return not_supported("what describes this transformation in cublasLtMatrixTransform");
	struct elementwise_args e = {.m = cl->rows, .n = cl->cols, .a = operated(matrix_of(a, al), of->ops[0]), .c = matrix_of(c, cl)};
	pointers.pointers = of->pointers;
	TRY(scalar_at(&pointers, alpha, size, &e.alpha));
	if (b != NULL) {
		e.b = operated(matrix_of(b, bl), of->ops[1]);
		TRY(scalar_at(&pointers, beta, size, &e.beta));
	}
	if (e.m == 0 || e.n == 0)
		return CUBLAS_STATUS_SUCCESS;
	TRY(find_place(&place));
	return launch(place, stream, LEVEL3, "elementwise", type, (struct grid){blocks(e.m, THREADS, 65535), blocks(e.n, 1, 65535), 1, THREADS}, &e);
}
