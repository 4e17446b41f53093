/* Random number generators for kernels and the host: XORWOW, Philox4x32-10 and MRG32k3a. */
#ifndef SIMTRUN_GENERATORS_H
#define SIMTRUN_GENERATORS_H

#pragma GCC system_header

#include "../cuda_runtime.h"
#include "xorwow_powers.h"

#define SIMTRUN_RAND static __inline__ __device__

/* SplitMix64. */
SIMTRUN_RAND unsigned long long simtrun_mix(unsigned long long *state) {
	unsigned long long z = *state += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

typedef struct simtrun_xorwow {
	unsigned int d, v[5];
} simtrun_xorwow;

SIMTRUN_RAND unsigned int simtrun_xorwowNext(simtrun_xorwow *state) {
	unsigned int t = state->v[0] ^ state->v[0] >> 2, last = state->v[4];
	state->v[0] = state->v[1], state->v[1] = state->v[2], state->v[2] = state->v[3], state->v[3] = last;
	state->v[4] = last ^ last << 4 ^ t ^ t << 1;
	state->d += 362437;
	return state->v[4] + state->d;
}
/* Jumps by n steps with the polynomials in powers: number k belongs to bit k of n. */
SIMTRUN_RAND void simtrun_xorwowJump(unsigned long long n, const unsigned int (*powers)[5], simtrun_xorwow *state) {
	unsigned int counter = state->d;
	for (; n > 0; n >>= 1, powers++) {
		if (!(n & 1))
			continue;
		unsigned int sum[5] = {0, 0, 0, 0, 0};
		for (int i = 0; i < 160; i++) {
			unsigned int mask = 0u - ((*powers)[i / 32] >> i % 32 & 1);
#pragma unroll
			for (int k = 0; k < 5; k++)
				sum[k] ^= state->v[k] & mask;
			simtrun_xorwowNext(state);
		}
#pragma unroll
		for (int k = 0; k < 5; k++)
			state->v[k] = sum[k];
	}
	state->d = counter;
}
SIMTRUN_RAND void simtrun_xorwowSkip(unsigned long long n, simtrun_xorwow *state) {
	simtrun_xorwowJump(n, simtrun_xorwowPowers, state);
	state->d += 362437 * (unsigned int)n;
}
/* Sequences are 2^67 numbers apart. */
SIMTRUN_RAND void simtrun_xorwowSkipSequences(unsigned long long n, simtrun_xorwow *state) { simtrun_xorwowJump(n, simtrun_xorwowPowers + 67, state); }
/* The state for a seed is Marsaglia's, combined with the halves of the seed. */
SIMTRUN_RAND void simtrun_xorwowSeed(unsigned long long seed, simtrun_xorwow *state) {
	unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u), high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
	state->v[0] = 123456789u + low, state->v[1] = 362436069u ^ low;
	state->v[2] = 521288629u + high, state->v[3] = 88675123u ^ high;
	state->v[4] = 5783321u + low, state->d = 6615241u + low + high;
}

/* simtrun_philox replaces a counter by its four random numbers. */
SIMTRUN_RAND void simtrun_philox(unsigned int c[4], unsigned long long key) {
	unsigned int low = (unsigned int)key, high = (unsigned int)(key >> 32);
	for (int round = 0; round < 10; round++) {
		unsigned long long x = (unsigned long long)0xD2511F53u * c[0], z = (unsigned long long)0xCD9E8D57u * c[2];
		c[0] = (unsigned int)(z >> 32) ^ c[1] ^ low, c[1] = (unsigned int)z;
		c[2] = (unsigned int)(x >> 32) ^ c[3] ^ high, c[3] = (unsigned int)x;
		low += 0x9E3779B9u, high += 0xBB67AE85u;
	}
}

typedef struct simtrun_mrg {
	unsigned long long s1[3], s2[3];
} simtrun_mrg;

SIMTRUN_RAND unsigned int simtrun_mrgNext(simtrun_mrg *state) {
	const unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
	unsigned long long p1 = (1403580 * state->s1[1] + (m1 - 810728) * state->s1[0]) % m1;
	unsigned long long p2 = (527612 * state->s2[2] + (m2 - 1370589) * state->s2[0]) % m2;
	state->s1[0] = state->s1[1], state->s1[1] = state->s1[2], state->s1[2] = p1;
	state->s2[0] = state->s2[1], state->s2[1] = state->s2[2], state->s2[2] = p2;
	return (unsigned int)(p1 > p2 ? p1 - p2 : p1 + m1 - p2);
}
/* The matrices that advance the last three numbers of each recurrence by one step, 2^76 steps and 2^127 steps, row
   by row. */
static __device__ const unsigned int simtrun_mrgSteps[3][2][9] = {
	{{0, 1, 0, 0, 0, 1, 4294156359u, 1403580u, 0}, {0, 1, 0, 0, 0, 1, 4293573854u, 0, 527612u}},
	{{82758667u, 1871391091u, 4127413238u, 3672831523u, 69195019u, 1871391091u, 3672091415u, 3528743235u, 69195019u}, {1511326704u, 3759209742u, 1610795712u, 4292754251u, 1511326704u, 3889917532u, 3859662829u, 4292754251u, 3708466080u}},
	{{2427906178u, 3580155704u, 949770784u, 226153695u, 1230515664u, 3580155704u, 1988835001u, 986791581u, 1230515664u}, {1464411153u, 277697599u, 1610723613u, 32183930u, 1464411153u, 1022607788u, 2824425944u, 32183930u, 2093834863u}},
};
/* simtrun_mrgProduct multiplies a matrix by x, a matrix with the given number of columns. */
SIMTRUN_RAND void simtrun_mrgProduct(const unsigned int *matrix, unsigned long long modulus, unsigned long long *x, int columns) {
	for (int j = 0; j < columns; j++) {
		unsigned long long column[3];
		for (int i = 0; i < 3; i++) {
			column[i] = 0;
			for (int k = 0; k < 3; k++)
				column[i] = (column[i] + matrix[3 * i + k] * x[columns * k + j] % modulus) % modulus;
		}
		for (int i = 0; i < 3; i++)
			x[columns * i + j] = column[i];
	}
}
SIMTRUN_RAND void simtrun_mrgJump(unsigned long long n, const unsigned int (*steps)[9], simtrun_mrg *state) {
	for (int which = 0; which < 2; which++) {
		unsigned long long modulus = which ? 4294944443ull : 4294967087ull, *x = which ? state->s2 : state->s1, square[9];
		unsigned int matrix[9];
		for (int i = 0; i < 9; i++)
			matrix[i] = steps[which][i];
		for (unsigned long long rest = n; rest > 0; rest >>= 1) {
			if (rest & 1)
				simtrun_mrgProduct(matrix, modulus, x, 1);
			for (int i = 0; i < 9; i++)
				square[i] = matrix[i];
			simtrun_mrgProduct(matrix, modulus, square, 3);
			for (int i = 0; i < 9; i++)
				matrix[i] = (unsigned int)square[i];
		}
	}
}
/* The seed is hashed. */
SIMTRUN_RAND void simtrun_mrgSeed(unsigned long long seed, simtrun_mrg *state) {
	for (int i = 0; i < 3; i++) {
		state->s1[i] = simtrun_mix(&seed) % 4294967086ull + 1;
		state->s2[i] = simtrun_mix(&seed) % 4294944442ull + 1;
	}
}

#endif
