/* Generators for the host API. The host computes the numbers; results for device memory are copied there in the
   generator's stream. */
#include <cuda.h>
#include <curand.h>
#include <simtrun/generators.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "sobol.h"

/* Result n of XORWOW and MRG32k3a is from sequence n mod STATES. */
enum { STATES = 4096 };

struct curandGenerator_st {
	curandRngType_t type;
	int on_host; /* results are for host memory */
	int ready;   /* the states are those of the offset */
	cudaStream_t stream;
	unsigned long long seed, offset; /* results before the next one, for a quasirandom generator in each dimension */
	unsigned int dimensions;
	union {
		simtrun_xorwow xorwow[STATES];
		simtrun_mrg mrg[STATES];
	};
};

/* Kinds of results. */
enum kind { WORDS, LONGS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, LOG_NORMAL, LOG_NORMAL_DOUBLE, POISSON };

struct request {
	enum kind kind;
	double mean, deviation;
};

static int is_quasi(const struct curandGenerator_st *g) { return g->type >= CURAND_RNG_QUASI_DEFAULT; }

static int is_wide(const struct curandGenerator_st *g) { return g->type >= CURAND_RNG_QUASI_SOBOL64; }

static void prepare(struct curandGenerator_st *g)
{
	simtrun_xorwow x;
	simtrun_mrg m;
	if (g->ready)
		return;
	g->ready = 1;
	simtrun_xorwowSeed(g->seed, &x);
	simtrun_mrgSeed(g->seed, &m);
	for (int k = 0; k < STATES; k++) {
		unsigned long long before = g->offset / STATES + ((unsigned)k < g->offset % STATES); /* results of this sequence */
		if (g->type == CURAND_RNG_PSEUDO_XORWOW) {
			g->xorwow[k] = x;
			simtrun_xorwowSkip(before, &g->xorwow[k]);
			simtrun_xorwowSkipSequences(1, &x);
		} else if (g->type == CURAND_RNG_PSEUDO_MRG32K3A) {
			g->mrg[k] = m;
			simtrun_mrgJump(before, simtrun_mrgSteps[0], &g->mrg[k]);
			simtrun_mrgJump(1, simtrun_mrgSteps[1], &m);
		}
	}
}

/* next returns the next 32-bit result. */
static unsigned int next(struct curandGenerator_st *g)
{
	unsigned long long n = g->offset++;
	if (g->type == CURAND_RNG_PSEUDO_XORWOW)
		return simtrun_xorwowNext(&g->xorwow[n % STATES]);
	if (g->type == CURAND_RNG_PSEUDO_MRG32K3A)
		return simtrun_mrgNext(&g->mrg[n % STATES]);
	unsigned int counter[4] = {n / 4, n / 4 >> 32};
	simtrun_philox(counter, g->seed);
	return counter[n % 4];
}

/* unit converts bits to a float, and unit_double to a double, in (0, 1]. */
static float unit(unsigned int bits) { return bits * 0x1p-32f + 0x1p-33f; }

static double unit_double(uint64_t bits) { return (bits >> 11) * 0x1p-53 + 0x1p-54; }

/* point_double converts a point of a quasirandom generator to a double. 32-bit numbers are in the upper halves. */
static double point_double(const struct curandGenerator_st *g, uint64_t x) { return is_wide(g) ? unit_double(x) : (x >> 32) * 0x1p-32 + 0x1p-33; }

static double next_double(struct curandGenerator_st *g)
{
	unsigned int low = next(g), high = next(g);
	return unit_double(((uint64_t)high << 21 ^ low) << 11);
}

/* normal_quantile returns the quantile of the normal distribution for p up to 1/2. Newton's method on the
   logarithm of the distribution function, which is concave, converges from the left. */
static double normal_quantile(double p)
{
	double x = -sqrt(-2 * log(p));
	for (int i = 0; i < 50; i++) {
		double below = erfc(-x * M_SQRT1_2) / 2, step = (log(p) - log(below)) * below / (exp(-x * x / 2) / sqrt(2 * M_PI));
		x += step;
		if (fabs(step) <= 1e-15 * fabs(x))
			break;
	}
	return x;
}

/* poisson returns the least number of events at which the cumulative distribution reaches p; for large means by
 * the Cornish-Fisher expansion, which is within 1 of that. */
static unsigned int poisson(double p, double lambda)
{
	if (lambda > 500) {
		double z = p > 0.5 ? -normal_quantile(fmax(1 - p, 0x1p-54)) : normal_quantile(p), events = lambda + sqrt(lambda) * z + (z * z + 2) / 6;
		return events > 0 ? events : 0;
	}
	unsigned int events = 0;
	for (double term = exp(-lambda), sum = term; sum < p && term > 0; sum += term)
		term *= lambda / ++events;
	return events;
}

static size_t size_of(enum kind kind)
{
	return kind == LONGS || kind == UNIFORM_DOUBLE || kind == NORMAL_DOUBLE || kind == LOG_NORMAL_DOUBLE ? 8 : 4;
}

/* put writes a floating-point result. */
static void put(void *out, size_t i, const struct request *r, double x)
{
	if (r->kind >= NORMAL)
		x = r->mean + r->deviation * x;
	if (r->kind >= LOG_NORMAL)
		x = exp(x);
	if (size_of(r->kind) == 8)
		((double *)out)[i] = x;
	else
		((float *)out)[i] = x;
}

static void draw_pseudo(struct curandGenerator_st *g, void *out, size_t n, const struct request *r)
{
	for (size_t i = 0; i < n; i++) {
		double a, b;
		switch (r->kind) {
		case WORDS:
			((unsigned int *)out)[i] = next(g);
			break;
		case POISSON:
			((unsigned int *)out)[i] = poisson(next_double(g), r->mean);
			break;
		case UNIFORM:
			put(out, i, r, unit(next(g)));
			break;
		case UNIFORM_DOUBLE:
			put(out, i, r, next_double(g));
			break;
		default: /* two numbers by the Box-Muller method */
			if (size_of(r->kind) == 8)
				a = next_double(g), b = next_double(g);
			else
				a = unit(next(g)), b = unit(next(g));
			a = sqrt(-2 * log(a)), b *= 2 * M_PI;
			put(out, i, r, a * sin(b));
			put(out, ++i, r, a * cos(b));
		}
	}
}

/* The results of a quasirandom generator are grouped by dimension. */
static void draw_quasi(struct curandGenerator_st *g, void *out, size_t n, const struct request *r, const struct sobol *s)
{
	size_t points = n / g->dimensions;
	for (size_t i = 0; i < n; i++) {
		size_t d = i / points;
		uint64_t number = g->offset + i % points, x = s->constants != NULL ? s->constants[d] : 0;
		uint64_t gray = is_wide(g) ? number ^ number >> 1 : (uint32_t)number ^ (uint32_t)number >> 1;
		for (int k = 0; gray != 0; gray >>= 1, k++)
			if (gray & 1)
				x ^= s->vectors[d][k];
		switch (r->kind) {
		case WORDS:
			((unsigned int *)out)[i] = x >> 32;
			break;
		case LONGS:
			((unsigned long long *)out)[i] = x;
			break;
		case UNIFORM:
			put(out, i, r, unit(x >> 32));
			break;
		case UNIFORM_DOUBLE:
			put(out, i, r, point_double(g, x));
			break;
		case POISSON:
			((unsigned int *)out)[i] = poisson(point_double(g, x), r->mean);
			break;
		default: /* mirrored in the upper half, because floating-point numbers are too sparse near 1 */
			put(out, i, r, x >> 63 ? -normal_quantile(point_double(g, ~x)) : normal_quantile(point_double(g, x)));
		}
	}
	g->offset += points;
}

/* copy copies results to the device. A thread without a context gets the primary one of the first device. */
static curandStatus_t copy(struct curandGenerator_st *g, void *out, const void *results, size_t bytes)
{
	CUcontext c = NULL;
	if ((cuCtxGetCurrent(&c) != CUDA_SUCCESS || c == NULL) && (cuInit(0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&c, 0) != CUDA_SUCCESS || cuCtxSetCurrent(c) != CUDA_SUCCESS))
		return CURAND_STATUS_PREEXISTING_FAILURE;
	return cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)out, results, bytes, (CUstream)g->stream) == CUDA_SUCCESS ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

static curandStatus_t generate(struct curandGenerator_st *g, void *out, size_t n, struct request r)
{
	struct sobol s = {0};
	if (g == NULL)
		return CURAND_STATUS_NOT_INITIALIZED;
	if ((r.kind == LONGS && !is_wide(g)) || (r.kind == WORDS && is_wide(g)))
		return CURAND_STATUS_TYPE_ERROR;
	if (is_quasi(g) ? n % g->dimensions != 0 : r.kind >= NORMAL && r.kind < POISSON && n % 2 != 0)
		return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
	if (n == 0)
		return CURAND_STATUS_SUCCESS;
	if (out == NULL)
		return CURAND_STATUS_OUT_OF_RANGE;
	if (is_quasi(g)) {
		curandStatus_t status = sobol(&s, g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, "curandGenerate");
		if (status != CURAND_STATUS_SUCCESS)
			return status;
	}
	CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
	if (!g->on_host && cuStreamIsCapturing((CUstream)g->stream, &capture) == CUDA_SUCCESS && capture != CU_STREAM_CAPTURE_STATUS_NONE) {
		fprintf(stderr, "simtrun: curandGenerate: graphs cannot have numbers that the host computes: call it outside of captures\n");
		return CURAND_STATUS_LAUNCH_FAILURE;
	}
	void *results = g->on_host ? out : malloc(n * size_of(r.kind));
	if (results == NULL)
		return CURAND_STATUS_ALLOCATION_FAILED;
	prepare(g);
	if (is_quasi(g))
		draw_quasi(g, results, n, &r, &s);
	else
		draw_pseudo(g, results, n, &r);
	if (g->on_host)
		return CURAND_STATUS_SUCCESS;
	curandStatus_t status = copy(g, out, results, n * size_of(r.kind));
	free(results);
	return status;
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, int on_host, const char *call)
{
	struct sobol s;
	curandStatus_t status = CURAND_STATUS_SUCCESS;
	if (generator == NULL)
		return CURAND_STATUS_OUT_OF_RANGE;
	switch (type) {
	case CURAND_RNG_PSEUDO_DEFAULT:
		type = CURAND_RNG_PSEUDO_XORWOW;
		break;
	case CURAND_RNG_QUASI_DEFAULT:
		type = CURAND_RNG_QUASI_SOBOL32;
		break;
	case CURAND_RNG_PSEUDO_MTGP32:
	case CURAND_RNG_PSEUDO_MT19937:
		fprintf(stderr, "simtrun: %s: generators MTGP32 and MT19937 are not supported\n", call);
		return CURAND_STATUS_TYPE_ERROR;
	case CURAND_RNG_TEST:
		return CURAND_STATUS_TYPE_ERROR;
	case CURAND_RNG_PSEUDO_XORWOW:
	case CURAND_RNG_PSEUDO_MRG32K3A:
	case CURAND_RNG_PSEUDO_PHILOX4_32_10:
	case CURAND_RNG_QUASI_SOBOL32:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
	case CURAND_RNG_QUASI_SOBOL64:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
		break;
	default:
		return CURAND_STATUS_TYPE_ERROR;
	}
	if (type >= CURAND_RNG_QUASI_DEFAULT)
		status = sobol(&s, 0, call);
	if (status != CURAND_STATUS_SUCCESS)
		return status;
	struct curandGenerator_st *g = calloc(1, sizeof *g);
	if (g == NULL)
		return CURAND_STATUS_ALLOCATION_FAILED;
	g->type = type, g->on_host = on_host, g->dimensions = 1;
	*generator = g;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) { return create(generator, type, 0, __func__); }

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type) { return create(generator, type, 1, __func__); }

curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
	if (g == NULL)
		return CURAND_STATUS_NOT_INITIALIZED;
	free(g);
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream)
{
	if (g == NULL)
		return CURAND_STATUS_NOT_INITIALIZED;
	g->stream = stream;
	return CURAND_STATUS_SUCCESS;
}

/* Another seed does not change the offset. */
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
	if (g == NULL)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (is_quasi(g))
		return CURAND_STATUS_TYPE_ERROR;
	g->seed = seed, g->ready = 0;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
	if (g == NULL)
		return CURAND_STATUS_NOT_INITIALIZED;
	g->offset = offset, g->ready = 0;
	return CURAND_STATUS_SUCCESS;
}

/* All orderings are the default one. */
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order)
{
	if (g == NULL)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (is_quasi(g) ? order != CURAND_ORDERING_QUASI_DEFAULT : order < CURAND_ORDERING_PSEUDO_BEST || order > CURAND_ORDERING_PSEUDO_DYNAMIC)
		return CURAND_STATUS_OUT_OF_RANGE;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned int dimensions)
{
	if (g == NULL)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (!is_quasi(g))
		return CURAND_STATUS_TYPE_ERROR;
	if (dimensions < 1 || dimensions > DIMENSIONS)
		return CURAND_STATUS_OUT_OF_RANGE;
	g->dimensions = dimensions;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t g)
{
	if (g == NULL)
		return CURAND_STATUS_NOT_INITIALIZED;
	prepare(g);
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned int *out, size_t n) { return generate(g, out, n, (struct request){.kind = WORDS}); }

curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *out, size_t n) { return generate(g, out, n, (struct request){.kind = LONGS}); }

curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out, size_t n) { return generate(g, out, n, (struct request){.kind = UNIFORM}); }

curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t n) { return generate(g, out, n, (struct request){.kind = UNIFORM_DOUBLE}); }

curandStatus_t curandGenerateNormal(curandGenerator_t g, float *out, size_t n, float mean, float deviation)
{
	return generate(g, out, n, (struct request){NORMAL, mean, deviation});
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *out, size_t n, double mean, double deviation)
{
	return generate(g, out, n, (struct request){NORMAL_DOUBLE, mean, deviation});
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *out, size_t n, float mean, float deviation)
{
	return generate(g, out, n, (struct request){LOG_NORMAL, mean, deviation});
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *out, size_t n, double mean, double deviation)
{
	return generate(g, out, n, (struct request){LOG_NORMAL_DOUBLE, mean, deviation});
}

curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned int *out, size_t n, double lambda)
{
	if (!(lambda > 0 && lambda <= 400000))
		return CURAND_STATUS_OUT_OF_RANGE;
	return generate(g, out, n, (struct request){.kind = POISSON, .mean = lambda});
}
