/* The numbers of generators of the host, for memory of the host and of the device. */
#include <cuda.h>
#include <curand.h>
#include <simtrun/generators.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRUE(X) ((X) ? (void)0 : (printf("line %d: %s\n", __LINE__, #X), exit(1)))
#define OK(CALL) WANT(CURAND_STATUS_SUCCESS, CALL)
#define WANT(STATUS, CALL) TRUE((CALL) == (STATUS))

enum { N = 20000 };
static unsigned words[N], again[N];
static float floats[N];
static double doubles[N];

/* The numbers of seed 1234 are those of the example of this interface in NVIDIA's documentation of cuRAND. */
static void documented(const float *numbers)
{
	static const float want[] = {0.1455, 0.8202, 0.5504, 0.2948, 0.9147, 0.8690, 0.3219, 0.7829, 0.0113, 0.2855};
	for (int i = 0; i < 10; i++)
		TRUE(fabsf(numbers[i] - want[i]) <= 0.00005001f);
}

static void device(void)
{
	curandGenerator_t g;
	CUdeviceptr memory;
	CUcontext c = NULL;
	OK(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT));
	OK(curandSetPseudoRandomGeneratorSeed(g, 1234));
	TRUE(cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&c, 0) == CUDA_SUCCESS && cuCtxSetCurrent(c) == CUDA_SUCCESS && cuMemAlloc(&memory, sizeof floats) == CUDA_SUCCESS);
	TRUE(cuCtxSetCurrent(NULL) == CUDA_SUCCESS);
	OK(curandGenerateUniform(g, (float *)(size_t)memory, 10));
	TRUE(cuCtxGetCurrent(&c) == CUDA_SUCCESS && c != NULL);
	TRUE(cuMemcpyDtoH(floats, memory, 40) == CUDA_SUCCESS);
	documented(floats);
	OK(curandGenerateUniform(g, (float *)(size_t)memory, 10));
	TRUE(cuMemcpyDtoH(floats + 10, memory, 40) == CUDA_SUCCESS);
	WANT(CURAND_STATUS_LAUNCH_FAILURE, curandGenerateUniform(g, (float *)(size_t)memory, N + 1));
	OK(curandDestroyGenerator(g));

	OK(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_XORWOW)); /* which has the same numbers */
	OK(curandSetPseudoRandomGeneratorSeed(g, 1234));
	float same[20];
	OK(curandGenerateUniform(g, same, 20));
	TRUE(memcmp(same, floats, sizeof same) == 0);
	OK(curandDestroyGenerator(g));
}

/* Mean and variance of numbers are those wanted, but for five times what chance does to them where the fourth moment is so many variances squared. */
static void moments(const double *x, double mean, double variance, double fourth)
{
	double sum = 0, squares = 0;
	for (int i = 0; i < N; i++)
		sum += x[i], squares += (x[i] - mean) * (x[i] - mean);
	TRUE(fabs(sum / N - mean) < 5 * sqrt(variance / N) && fabs(squares / N - variance) < 5 * variance * sqrt(fourth / N));
}

static void pseudo(curandRngType_t type)
{
	curandGenerator_t g;
	OK(curandCreateGeneratorHost(&g, type));
	OK(curandSetPseudoRandomGeneratorSeed(g, 42));
	OK(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_DEFAULT));
	OK(curandGenerateSeeds(g));
	OK(curandGenerate(g, words, N));
	OK(curandSetGeneratorOffset(g, N / 2 + 1));
	OK(curandGenerate(g, again, 1000));
	OK(curandGenerate(g, again + 1000, N / 2 - 1001));
	TRUE(memcmp(again, words + N / 2 + 1, 4 * (N / 2 - 1)) == 0);
	if (type == CURAND_RNG_PSEUDO_XORWOW) { /* result n is from sequence n mod 4096 */
		simtrun_xorwow s;
		simtrun_xorwowSeed(42, &s);
		simtrun_xorwowSkipSequences(7, &s);
		for (int i = 7; i < N; i += 4096)
			TRUE(words[i] == simtrun_xorwowNext(&s));
	} else if (type == CURAND_RNG_PSEUDO_MRG32K3A) {
		simtrun_mrg s;
		simtrun_mrgSeed(42, &s);
		simtrun_mrgJump(7, simtrun_mrgSteps[1], &s);
		for (int i = 7; i < N; i += 4096)
			TRUE(words[i] == simtrun_mrgNext(&s));
	} else {
		static const unsigned paper[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
		OK(curandSetPseudoRandomGeneratorSeed(g, 0));
		OK(curandSetGeneratorOffset(g, 0));
		OK(curandGenerate(g, words, 4));
		TRUE(memcmp(words, paper, sizeof paper) == 0);
	}
	OK(curandGenerateUniform(g, floats, N));
	for (int i = 0; i < N; i++)
		TRUE(floats[i] > 0 && floats[i] <= 1), doubles[i] = floats[i];
	moments(doubles, 0.5, 1 / 12., 0.8);
	OK(curandGenerateUniformDouble(g, doubles, N));
	moments(doubles, 0.5, 1 / 12., 0.8);
	OK(curandGenerateNormal(g, floats, N, 3, 2));
	for (int i = 0; i < N; i++)
		doubles[i] = floats[i];
	moments(doubles, 3, 4, 2);
	OK(curandGenerateNormalDouble(g, doubles, N, -1, 0.5));
	moments(doubles, -1, 0.25, 2);
	OK(curandGenerateLogNormal(g, floats, N, 1, 0.5));
	for (int i = 0; i < N; i++)
		doubles[i] = log(floats[i]);
	moments(doubles, 1, 0.25, 2);
	OK(curandGenerateLogNormalDouble(g, doubles, N, 1, 0.5));
	for (int i = 0; i < N; i++)
		doubles[i] = log(doubles[i]);
	moments(doubles, 1, 0.25, 2);
	for (double lambda = 0.5; lambda < 1e5; lambda *= 9) {
		OK(curandGeneratePoisson(g, words, N, lambda));
		for (int i = 0; i < N; i++)
			doubles[i] = words[i];
		moments(doubles, lambda, lambda, 2 + 1 / lambda);
	}

	WANT(CURAND_STATUS_LENGTH_NOT_MULTIPLE, curandGenerateNormal(g, floats, 3, 0, 1));
	WANT(CURAND_STATUS_LENGTH_NOT_MULTIPLE, curandGenerateLogNormalDouble(g, doubles, 3, 0, 1));
	WANT(CURAND_STATUS_OUT_OF_RANGE, curandGeneratePoisson(g, words, 3, 0));
	WANT(CURAND_STATUS_OUT_OF_RANGE, curandGenerate(g, NULL, 3));
	WANT(CURAND_STATUS_TYPE_ERROR, curandGenerateLongLong(g, (unsigned long long *)doubles, 3));
	WANT(CURAND_STATUS_TYPE_ERROR, curandSetQuasiRandomGeneratorDimensions(g, 3));
	WANT(CURAND_STATUS_OUT_OF_RANGE, curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT));
	OK(curandDestroyGenerator(g));
}

static double below(double k, double lambda)
{
	double sum = 0;
	for (double i = 0; i <= k; i++)
		sum += exp(i * log(lambda) - lambda - lgamma(i + 1));
	return sum;
}

/* The points are the first ones in three dimensions that Joe and Kuo have published. */
static void quasi(curandRngType_t type)
{
	static const double points[3][10] = {{0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125, 0.1875, 0.6875}, {0, 0.5, 0.25, 0.75, 0.375, 0.875, 0.125, 0.625, 0.3125, 0.8125}, {0, 0.5, 0.25, 0.75, 0.625, 0.125, 0.875, 0.375, 0.9375, 0.4375}};
	int is_wide = type == CURAND_RNG_QUASI_SOBOL64;
	double half = is_wide ? 0x1p-54 : 0x1p-33, uniform[30];
	unsigned long long longs[30];
	curandGenerator_t g;
	OK(curandCreateGeneratorHost(&g, type));
	OK(curandSetQuasiRandomGeneratorDimensions(g, 3));
	WANT(CURAND_STATUS_LENGTH_NOT_MULTIPLE, curandGenerateUniform(g, floats, 31));
	OK(curandGenerateUniformDouble(g, doubles, 12)); /* the first four points, and the six that follow */
	OK(curandGenerateUniformDouble(g, doubles + 12, 18));
	for (int d = 0; d < 3; d++)
		for (int i = 0; i < 10; i++)
			uniform[10 * d + i] = points[d][i] + half, TRUE(uniform[10 * d + i] == doubles[i < 4 ? 4 * d + i : 12 + 6 * d + i - 4]);
	OK(curandSetGeneratorOffset(g, 0));
	if (is_wide) {
		OK(curandGenerateLongLong(g, longs, 30));
		WANT(CURAND_STATUS_TYPE_ERROR, curandGenerate(g, words, 30));
	} else {
		OK(curandGenerate(g, words, 30));
		WANT(CURAND_STATUS_TYPE_ERROR, curandGenerateLongLong(g, longs, 30));
	}
	for (int i = 0; i < 30; i++)
		TRUE((is_wide ? longs[i] * 0x1p-64 : words[i] * 0x1p-32) == points[i / 10][i % 10]);
	OK(curandSetGeneratorOffset(g, 0));
	OK(curandGenerateNormalDouble(g, doubles, 30, 0, 1));
	for (int i = 0; i < 30; i++)
		TRUE(fabs(erfc(-doubles[i] * M_SQRT1_2) / 2 / uniform[i] - 1) < 1e-13);
	for (double lambda = 4.5; lambda < 10000; lambda *= 30) {
		OK(curandSetGeneratorOffset(g, 0));
		OK(curandGeneratePoisson(g, words, 30, lambda));
		for (int i = 0, near = lambda > 500; i < 30; i++)
			TRUE(below(words[i] + (double)near, lambda) >= uniform[i] && below(words[i] - 1. - near, lambda) < uniform[i]);
	}
	WANT(CURAND_STATUS_TYPE_ERROR, curandSetPseudoRandomGeneratorSeed(g, 1));
	WANT(CURAND_STATUS_OUT_OF_RANGE, curandSetQuasiRandomGeneratorDimensions(g, 20001));
	WANT(CURAND_STATUS_OUT_OF_RANGE, curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_DEFAULT));
	OK(curandDestroyGenerator(g));
}

int main(void)
{
	curandGenerator_t g;
	int value = 0;
	device();
	pseudo(CURAND_RNG_PSEUDO_XORWOW);
	pseudo(CURAND_RNG_PSEUDO_PHILOX4_32_10);
	pseudo(CURAND_RNG_PSEUDO_MRG32K3A);
	quasi(CURAND_RNG_QUASI_SOBOL32);
	quasi(CURAND_RNG_QUASI_SOBOL64);
	OK(curandCreateGeneratorHost(&g, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32));
	OK(curandGenerate(g, words, 256)); /* in 256 intervals */
	OK(curandDestroyGenerator(g));
	memset(again, 0, sizeof again);
	for (int i = 0; i < 256; i++)
		TRUE(again[words[i] >> 24]++ == 0);
	OK(curandGetProperty(MAJOR_VERSION, &value));
	TRUE(value == CURAND_VER_MAJOR);
	WANT(CURAND_STATUS_OUT_OF_RANGE, curandCreateGenerator(NULL, CURAND_RNG_PSEUDO_DEFAULT));
	WANT(CURAND_STATUS_TYPE_ERROR, curandCreateGenerator(&g, CURAND_RNG_TEST));
	WANT(CURAND_STATUS_NOT_INITIALIZED, curandGenerate(NULL, words, 1));
	printf("ok\n"), fflush(stdout);
	WANT(CURAND_STATUS_TYPE_ERROR, curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MT19937)); /* which says so */
	return 0;
}
