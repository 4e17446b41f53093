/* Prints the direction vectors of the first dimensions, and checks scrambled ones: as those of any Sobol sequence, the first 256 points of a dimension
 * lie in 256 intervals. Where there are none, it prints the errors. */
#include <curand.h>

#include <stdio.h>
#include <string.h>

static int spread(const unsigned long long v[64], unsigned long long constant)
{
	char seen[256] = {0};
	int different = 0;
	for (int i = 0; i < 256; i++) {
		unsigned long long x = constant;
		for (int k = 0; k < 8; k++)
			if (i >> k & 1)
				x ^= v[k];
		different += !seen[x >> 56]++;
	}
	return different;
}

int main(void)
{
	enum { DIMENSIONS = 20000, SHOWN = 12 };
	curandDirectionVectors32_t *narrow, *scrambled_narrow;
	curandDirectionVectors64_t *wide, *scrambled;
	unsigned int *narrow_constants;
	unsigned long long *constants;
	int version, wrong = 0, changed = 0, error = curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_32_JOEKUO6);

	if (error) {
		printf("%d %d\n", error, curandGetDirectionVectors64(&wide, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
		return 0;
	}
	wrong += curandGetVersion(&version) || version != CURAND_VERSION;
	wrong += curandGetDirectionVectors32(&scrambled_narrow, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) || curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6) ||
		curandGetDirectionVectors64(&scrambled, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6) || curandGetScrambleConstants32(&narrow_constants) || curandGetScrambleConstants64(&constants);
	wrong += curandGetDirectionVectors32(&narrow, CURAND_DIRECTION_VECTORS_64_JOEKUO6) != CURAND_STATUS_OUT_OF_RANGE;
	wrong += curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_32_JOEKUO6) != CURAND_STATUS_OUT_OF_RANGE;
	for (int d = 0; d < DIMENSIONS; d++) {
		wrong += spread(wide[d], 0) != 256 || spread(scrambled[d], constants[d]) != 256;
		changed += memcmp(wide[d], scrambled[d], sizeof wide[d]) != 0;
		for (int k = 0; k < 32; k++)
			wrong += scrambled_narrow[d][k] != scrambled[d][k] >> 32 || narrow[d][k] != wide[d][k] >> 32;
		wrong += d > 0 && (constants[d] == constants[d - 1] || narrow_constants[d] == narrow_constants[d - 1]);
	}
	printf("%d wrong, %d scrambled\n", wrong, changed);
	for (int d = 0; d < SHOWN; d++)
		for (int k = 0; k < 64; k++)
			printf("%llx\n", wide[d][k]);
	return 0;
}
