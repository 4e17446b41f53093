/* Random numbers in kernels: the generators XORWOW (Marsaglia, Xorshift RNGs, 2003), Philox4x32-10 (Salmon and others, Parallel Random Numbers: As Easy as 1, 2, 3, 2011)
   and MRG32k3a (L'Ecuyer, 1999), Sobol's sequences of 32 and 64 bits, and distributions. XORWOW has cuRAND's numbers. Philox has the numbers of the paper for a seed as key, and a
   sequence and an offset as counter. MRG32k3a has L'Ecuyer's numbers from a state on that is hashed of the seed. Sobol's sequences are those of the direction vectors given. */
#ifndef SIMTRUN_CURAND_KERNEL_H
#define SIMTRUN_CURAND_KERNEL_H

#pragma GCC system_header

#include "cuda_runtime.h"
#include "curand.h"

#ifdef __cplusplus

#include "simtrun/generators.h"

typedef struct curandStateXORWOW : simtrun_xorwow {
	int hasNormal, hasNormalDouble;
	float normal;
	double normalDouble;
} curandStateXORWOW_t;
typedef curandStateXORWOW_t curandState_t;
typedef curandStateXORWOW_t curandState;

typedef struct curandStatePhilox4_32_10 {
	uint4 counter, output;
	uint2 key;
	unsigned int used; /* of the four of output; 4 when there are none */
	int hasNormal, hasNormalDouble;
	float normal;
	double normalDouble;
} curandStatePhilox4_32_10_t;

typedef struct curandStateMRG32k3a : simtrun_mrg {
	int hasNormal, hasNormalDouble;
	float normal;
	double normalDouble;
} curandStateMRG32k3a_t;

/* Sobol's sequences in the order of Gray codes (Antonov and Saleev, 1979): i is the number of the next point x. One that is not scrambled has c = 0. */
template <typename Word> struct simtrun_sobol {
	Word i, x, c, direction_vectors[8 * sizeof(Word)];
};
template <typename Word, bool Scrambled> struct simtrun_sequence : simtrun_sobol<Word> {};
typedef simtrun_sequence<unsigned int, false> curandStateSobol32, curandStateSobol32_t;
typedef simtrun_sequence<unsigned int, true> curandStateScrambledSobol32, curandStateScrambledSobol32_t;
typedef simtrun_sequence<unsigned long long, false> curandStateSobol64, curandStateSobol64_t;
typedef simtrun_sequence<unsigned long long, true> curandStateScrambledSobol64, curandStateScrambledSobol64_t;

#ifdef __CUDA__

/* XORWOW. */
SIMTRUN_RAND unsigned int curand(curandStateXORWOW_t *state) { return simtrun_xorwowNext(state); }
SIMTRUN_RAND void skipahead(unsigned long long n, curandStateXORWOW_t *state) { simtrun_xorwowSkip(n, state); }
SIMTRUN_RAND void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state) { simtrun_xorwowSkipSequences(n, state); }
SIMTRUN_RAND void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW_t *state) {
	simtrun_xorwowSeed(seed, state);
	state->hasNormal = state->hasNormalDouble = 0;
	skipahead_sequence(sequence, state);
	skipahead(offset, state);
}

/* Philox4x32-10. */
SIMTRUN_RAND uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
	unsigned int v[4] = {c.x, c.y, c.z, c.w};
	simtrun_philox(v, (unsigned long long)k.y << 32 | k.x);
	return make_uint4(v[0], v[1], v[2], v[3]);
}
/* simtrun_advance adds to the counter's lower half, and carries into the upper one. */
SIMTRUN_RAND void simtrun_advance(curandStatePhilox4_32_10_t *state, unsigned long long n) {
	unsigned long long low = (unsigned long long)state->counter.y << 32 | state->counter.x, sum = low + n;
	state->counter.x = (unsigned int)sum, state->counter.y = (unsigned int)(sum >> 32);
	if (sum < low && ++state->counter.z == 0)
		state->counter.w++;
}
SIMTRUN_RAND void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
	unsigned long long at = state->used % 4 + n;
	simtrun_advance(state, at / 4);
	state->used = (unsigned int)(at % 4);
	state->output = curand_Philox4x32_10(state->counter, state->key);
}
SIMTRUN_RAND void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
	unsigned long long high = ((unsigned long long)state->counter.w << 32 | state->counter.z) + n;
	state->counter.z = (unsigned int)high, state->counter.w = (unsigned int)(high >> 32);
	state->output = curand_Philox4x32_10(state->counter, state->key);
}
SIMTRUN_RAND void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStatePhilox4_32_10_t *state) {
	state->counter = make_uint4(0, 0, (unsigned int)sequence, (unsigned int)(sequence >> 32));
	state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
	state->used = 0;
	state->hasNormal = state->hasNormalDouble = 0;
	skipahead(offset, state);
}
SIMTRUN_RAND unsigned int curand(curandStatePhilox4_32_10_t *state) {
	unsigned int value = state->used == 0 ? state->output.x : state->used == 1 ? state->output.y : state->used == 2 ? state->output.z : state->output.w;
	if (++state->used == 4) {
		simtrun_advance(state, 1);
		state->output = curand_Philox4x32_10(state->counter, state->key);
		state->used = 0;
	}
	return value;
}
SIMTRUN_RAND uint4 curand4(curandStatePhilox4_32_10_t *state) {
	uint4 v;
	v.x = curand(state), v.y = curand(state), v.z = curand(state), v.w = curand(state);
	return v;
}

/* MRG32k3a. Subsequences are 2^76 numbers apart, sequences 2^127. */
SIMTRUN_RAND unsigned int curand(curandStateMRG32k3a_t *state) { return simtrun_mrgNext(state); }
SIMTRUN_RAND void skipahead(unsigned long long n, curandStateMRG32k3a_t *state) { simtrun_mrgJump(n, simtrun_mrgSteps[0], state); }
SIMTRUN_RAND void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state) { simtrun_mrgJump(n, simtrun_mrgSteps[1], state); }
SIMTRUN_RAND void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state) { simtrun_mrgJump(n, simtrun_mrgSteps[2], state); }
SIMTRUN_RAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateMRG32k3a_t *state) {
	simtrun_mrgSeed(seed, state);
	state->hasNormal = state->hasNormalDouble = 0;
	skipahead_subsequence(subsequence, state);
	skipahead(offset, state);
}

/* Sobol's sequences. */
template <typename Word> __device__ __inline__ void skipahead(unsigned long long n, simtrun_sobol<Word> *state) {
	state->i += (Word)n;
	state->x = state->c;
	Word gray = state->i ^ state->i >> 1;
	for (int k = 0; gray != 0; gray >>= 1, k++)
		if (gray & 1)
			state->x ^= state->direction_vectors[k];
}
template <typename Word> __device__ __inline__ void simtrun_begin(const Word *vectors, Word c, unsigned long long offset, simtrun_sobol<Word> *state) {
	for (int k = 0; k < 8 * (int)sizeof(Word); k++)
		state->direction_vectors[k] = vectors[k];
	state->i = 0, state->c = c;
	skipahead(offset, state);
}
template <typename Word> __device__ __inline__ void curand_init(const Word *vectors, unsigned long long c, unsigned long long offset, simtrun_sequence<Word, true> *state) {
	simtrun_begin(vectors, (Word)c, offset, state);
}
template <typename Word> __device__ __inline__ void curand_init(const Word *vectors, unsigned long long offset, simtrun_sequence<Word, false> *state) {
	simtrun_begin(vectors, (Word)0, offset, state);
}
/* From one Gray code to the next, the bit changes where the number has its lowest 0; the last number has none, and the first one follows on it. */
template <typename Word> __device__ __inline__ Word curand(simtrun_sobol<Word> *state) {
	Word x = state->x;
	int zero = __ffsll(~state->i);
	state->x ^= state->direction_vectors[zero ? zero - 1 : 8 * (int)sizeof(Word) - 1];
	state->i++;
	return x;
}

/* Distributions. Uniform numbers are above 0 and up to 1; normal ones come in pairs by the formula of Box and Muller. */
SIMTRUN_RAND float simtrun_unit(unsigned int bits) { return bits * 2.3283064365386963e-10f + 1.1641532182693481e-10f; }
SIMTRUN_RAND double simtrun_unitDouble(unsigned int low, unsigned int high) {
	unsigned long long bits = (unsigned long long)high << 21 ^ low;
	return bits * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}
SIMTRUN_RAND float2 simtrun_normals(unsigned int a, unsigned int b) {
	float s, c, radius = sqrtf(-2.0f * logf(simtrun_unit(a)));
	sincospif(2.0f * simtrun_unit(b), &s, &c);
	return make_float2(radius * s, radius * c);
}
SIMTRUN_RAND double2 simtrun_normalsDouble(double a, double b) {
	double s, c, radius = sqrt(-2.0 * log(a));
	sincospi(2.0 * b, &s, &c);
	return make_double2(radius * s, radius * c);
}

template <typename State> __device__ __inline__ float curand_uniform(State *state) { return simtrun_unit(curand(state)); }
template <typename State> __device__ __inline__ double curand_uniform_double(State *state) {
	unsigned int low = curand(state), high = curand(state);
	return simtrun_unitDouble(low, high);
}
template <typename State> __device__ __inline__ float2 curand_normal2(State *state) {
	unsigned int a = curand(state), b = curand(state);
	return simtrun_normals(a, b);
}
template <typename State> __device__ __inline__ double2 curand_normal2_double(State *state) {
	double a = curand_uniform_double(state), b = curand_uniform_double(state);
	return simtrun_normalsDouble(a, b);
}
template <typename State> __device__ __inline__ float curand_normal(State *state) {
	if ((state->hasNormal = !state->hasNormal)) {
		float2 v = curand_normal2(state);
		state->normal = v.y;
		return v.x;
	}
	return state->normal;
}
template <typename State> __device__ __inline__ double curand_normal_double(State *state) {
	if ((state->hasNormalDouble = !state->hasNormalDouble)) {
		double2 v = curand_normal2_double(state);
		state->normalDouble = v.y;
		return v.x;
	}
	return state->normalDouble;
}
template <typename State> __device__ __inline__ float curand_log_normal(State *state, float mean, float deviation) {
	return expf(mean + deviation * curand_normal(state));
}
template <typename State> __device__ __inline__ double curand_log_normal_double(State *state, double mean, double deviation) {
	return exp(mean + deviation * curand_normal_double(state));
}
template <typename State> __device__ __inline__ double2 curand_log_normal2_double(State *state, double mean, double deviation) {
	double2 v = curand_normal2_double(state);
	return make_double2(exp(mean + deviation * v.x), exp(mean + deviation * v.y));
}
template <typename State> __device__ __inline__ float2 curand_log_normal2(State *state, float mean, float deviation) {
	float2 v = curand_normal2(state);
	return make_float2(expf(mean + deviation * v.x), expf(mean + deviation * v.y));
}
SIMTRUN_RAND float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
	uint4 v = curand4(state);
	return make_float4(simtrun_unit(v.x), simtrun_unit(v.y), simtrun_unit(v.z), simtrun_unit(v.w));
}
SIMTRUN_RAND double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
	uint4 v = curand4(state);
	return make_double2(simtrun_unitDouble(v.x, v.y), simtrun_unitDouble(v.z, v.w));
}
SIMTRUN_RAND float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
	uint4 v = curand4(state);
	float2 a = simtrun_normals(v.x, v.y), b = simtrun_normals(v.z, v.w);
	return make_float4(a.x, a.y, b.x, b.y);
}
SIMTRUN_RAND float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float deviation) {
	float4 v = curand_normal4(state);
	return make_float4(expf(mean + deviation * v.x), expf(mean + deviation * v.y), expf(mean + deviation * v.z), expf(mean + deviation * v.w));
}
/* Each number of Sobol's sequences gives one of a distribution, by the inverse of its distribution function. */
SIMTRUN_RAND unsigned int simtrun_high(unsigned int bits) { return bits; }
SIMTRUN_RAND unsigned int simtrun_high(unsigned long long bits) { return (unsigned int)(bits >> 32); }
SIMTRUN_RAND double simtrun_unitDouble(unsigned int bits) { return bits * 2.3283064365386963e-10 + 1.1641532182693481e-10; }
SIMTRUN_RAND double simtrun_unitDouble(unsigned long long bits) { return (bits >> 11) * 1.1102230246251565e-16 + 5.5511151231257827e-17; }
template <typename Word, bool Scrambled> __device__ __inline__ float curand_uniform(simtrun_sequence<Word, Scrambled> *state) { return simtrun_unit(simtrun_high(curand(state))); }
template <typename Word, bool Scrambled> __device__ __inline__ double curand_uniform_double(simtrun_sequence<Word, Scrambled> *state) { return simtrun_unitDouble(curand(state)); }
/* Numbers of the upper half are mirrored: near 1 there are too few floating-point numbers. */
template <typename Word, bool Scrambled> __device__ __inline__ float curand_normal(simtrun_sequence<Word, Scrambled> *state) {
	unsigned int bits = simtrun_high(curand(state));
	return bits >> 31 ? -normcdfinvf(simtrun_unit(~bits)) : normcdfinvf(simtrun_unit(bits));
}
template <typename Word, bool Scrambled> __device__ __inline__ double curand_normal_double(simtrun_sequence<Word, Scrambled> *state) {
	Word bits = curand(state);
	return bits >> (8 * sizeof(Word) - 1) ? -normcdfinv(simtrun_unitDouble((Word)~bits)) : normcdfinv(simtrun_unitDouble(bits));
}
/* Great means have the expansion of Cornish and Fisher, which is within 1 of the inverse. */
template <typename Word, bool Scrambled> __device__ __inline__ unsigned int curand_poisson(simtrun_sequence<Word, Scrambled> *state, double lambda) {
	if (lambda > 500) {
		double z = curand_normal_double(state), events = lambda + sqrt(lambda) * z + (z * z + 2) / 6;
		return events > 0 ? (unsigned int)events : 0;
	}
	double p = curand_uniform_double(state), term = exp(-lambda), sum = term;
	unsigned int events = 0;
	while (sum < p && term > 0) {
		term *= lambda / ++events;
		sum += term;
	}
	return events;
}
/* The number of events before time lambda, if those come at rate 1. Great means are cut into pieces. */
template <typename State> __device__ __inline__ unsigned int curand_poisson(State *state, double lambda) {
	unsigned int events = 0;
	while (lambda > 0) {
		double piece = lambda < 30 ? lambda : 30, limit = exp(-piece), product = curand_uniform_double(state);
		for (; product > limit; events++)
			product *= curand_uniform_double(state);
		lambda -= piece;
	}
	return events;
}

#endif
#undef SIMTRUN_RAND
#endif
#endif
