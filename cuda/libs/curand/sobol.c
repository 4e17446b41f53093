/* Direction vectors of Sobol's sequences, computed from the direction numbers of Joe and Kuo (Constructing Sobol
 * sequences with better two-dimensional projections, 2008). These are not distributed with simtrun: SIMTRUN_SOBOL
 * names the published file. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sobol.h"

enum { DEGREE = 18 }; /* the highest degree of a polynomial in the file */

static curandDirectionVectors64_t wide[DIMENSIONS], scrambled_wide[DIMENSIONS];
static curandDirectionVectors32_t narrow[DIMENSIONS], scrambled_narrow[DIMENSIONS];
static unsigned long long constants[DIMENSIONS];
static unsigned int narrow_constants[DIMENSIONS];

static char problem[512]; /* why there are no direction vectors; empty if there are */

/* mix is SplitMix64. */
static uint64_t mix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* direct computes the vectors of a dimension from a polynomial of degree s with inner coefficients a, and its
 * first numbers m, which its recurrence continues. The first dimension has no polynomial, and ones as numbers. */
static void direct(curandDirectionVectors64_t v, int s, unsigned long a, const uint64_t first[])
{
	uint64_t m[64];
	for (int k = 0; k < 64; k++) {
		if (s == 0) {
			m[k] = 1;
		} else if (k < s) {
			m[k] = first[k];
		} else {
			m[k] = m[k - s] << s ^ m[k - s];
			for (int i = 1; i < s; i++)
				if (a >> (s - 1 - i) & 1)
					m[k] ^= m[k - i] << i;
		}
		v[k] = m[k] << (63 - k);
	}
}

/* read_numbers reads the file: a header line, then for each dimension from the second on its number, s, a, and s
   numbers m. */
static int read_numbers(FILE *file)
{
	direct(wide[0], 0, 0, NULL);
	if (fscanf(file, "%*[^\n]") != 0)
		return 0;
	for (int d = 1; d < DIMENSIONS; d++) {
		int number, s;
		unsigned long a;
		uint64_t m[DEGREE];
		if (fscanf(file, "%d %d %lu", &number, &s, &a) != 3 || number != d + 1 || s < 1 || s > DEGREE || a >> (s - 1) != 0)
			return 0;
		for (int i = 0; i < s; i++) {
			unsigned long value;
			if (fscanf(file, "%lu", &value) != 1 || value % 2 == 0 || value >> (i + 1) != 0)
				return 0;
			m[i] = value;
		}
		direct(wide[d], s, a, m);
	}
	return 1;
}

/* scramble computes the scrambled vectors of a dimension: to each digit, it adds random ones of those before it
 * (Matousek, 1998). SplitMix64, seeded by the dimension, selects them. */
static void scramble(int d)
{
	uint64_t state = d;
	for (int digit = 63; digit >= 0; digit--) {
		uint64_t which = (mix(&state) << 1 | 1) << digit;
		for (int k = 0; k < 64; k++)
			scrambled_wide[d][k] |= (uint64_t)__builtin_parityll(wide[d][k] & which) << digit;
	}
}

static void make_vectors(void)
{
	const char *name = getenv("SIMTRUN_SOBOL");
	if (name == NULL || name[0] == 0) {
		snprintf(problem, sizeof problem, "the direction numbers of Joe and Kuo do not come with simtrun: SIMTRUN_SOBOL has to name their file new-joe-kuo-6.21201");
		return;
	}
	FILE *file = fopen(name, "r");
	if (file == NULL) {
		snprintf(problem, sizeof problem, "%s: %s", name, strerror(errno));
		return;
	}
	if (!read_numbers(file))
		snprintf(problem, sizeof problem, "%s is not the file of direction numbers of Joe and Kuo for %d dimensions and more", name, DIMENSIONS);
	fclose(file);
	if (problem[0] != 0)
		return;
	for (int d = 0; d < DIMENSIONS; d++) {
		scramble(d);
		for (int k = 0; k < 32; k++)
			narrow[d][k] = wide[d][k] >> 32, scrambled_narrow[d][k] = scrambled_wide[d][k] >> 32;
	}
}

/* ready computes the vectors if they do not exist yet. */
static curandStatus_t ready(const char *call)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, make_vectors);
	if (problem[0] == 0)
		return CURAND_STATUS_SUCCESS;
	fprintf(stderr, "simtrun: %s: %s\n", call, problem);
	return CURAND_STATUS_INITIALIZATION_FAILED;
}

static void make_constants(void)
{
	uint64_t state = DIMENSIONS; /* after the states of the dimensions */
	for (int d = 0; d < DIMENSIONS; d++)
		constants[d] = mix(&state), narrow_constants[d] = constants[d] >> 32;
}

static pthread_once_t constants_once = PTHREAD_ONCE_INIT;

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set)
{
	if (vectors == NULL || (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6 && set != CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6))
		return CURAND_STATUS_OUT_OF_RANGE;
	curandStatus_t status = ready(__func__);
	if (status == CURAND_STATUS_SUCCESS)
		*vectors = set == CURAND_DIRECTION_VECTORS_32_JOEKUO6 ? narrow : scrambled_narrow;
	return status;
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set)
{
	if (vectors == NULL || (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6 && set != CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6))
		return CURAND_STATUS_OUT_OF_RANGE;
	curandStatus_t status = ready(__func__);
	if (status == CURAND_STATUS_SUCCESS)
		*vectors = set == CURAND_DIRECTION_VECTORS_64_JOEKUO6 ? wide : scrambled_wide;
	return status;
}

curandStatus_t curandGetScrambleConstants32(unsigned int **to)
{
	if (to == NULL)
		return CURAND_STATUS_OUT_OF_RANGE;
	pthread_once(&constants_once, make_constants);
	*to = narrow_constants;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetScrambleConstants64(unsigned long long **to)
{
	if (to == NULL)
		return CURAND_STATUS_OUT_OF_RANGE;
	pthread_once(&constants_once, make_constants);
	*to = constants;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t sobol(struct sobol *s, int scrambled, const char *call)
{
	curandStatus_t status = ready(call);
	if (status != CURAND_STATUS_SUCCESS)
		return status;
	pthread_once(&constants_once, make_constants);
	s->vectors = scrambled ? scrambled_wide : wide;
	s->constants = scrambled ? constants : NULL;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int *version)
{
	if (version == NULL)
		return CURAND_STATUS_OUT_OF_RANGE;
	*version = CURAND_VERSION;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
	static const int values[] = {[MAJOR_VERSION] = CURAND_VER_MAJOR, [MINOR_VERSION] = CURAND_VER_MINOR, [PATCH_LEVEL] = CURAND_VER_PATCH};
	if (value == NULL || type > PATCH_LEVEL)
		return CURAND_STATUS_OUT_OF_RANGE;
	*value = values[type];
	return CURAND_STATUS_SUCCESS;
}
