// Places in sequences of random numbers.
#include <curand_kernel.h>

extern "C" __global__ void firsts(float *out) {
	curandState s;
	curand_init(1234, threadIdx.x, 0, &s);
	out[threadIdx.x] = curand_uniform(&s);
}

// Each pair of numbers is from the same place, which two ways have led to.
extern "C" __global__ void ways(unsigned *out) {
	curandState a, b;
	curand_init(7, 3, 0, &a), curand_init(7, 3, 1000, &b);
	for (int i = 0; i < 1000; i++)
		curand(&a);
	out[0] = curand(&a), out[1] = curand(&b);
	skipahead(1ull << 40, &a), skipahead((1ull << 40) - 5, &b), skipahead(5, &b);
	out[2] = curand(&a), out[3] = curand(&b);
	curand_init(1ull << 50, 5, 0, &a), curand_init(1ull << 50, 2, 0, &b), skipahead_sequence(3, &b);
	out[4] = curand(&a), out[5] = curand(&b);
	curand_init(99, 1ull << 63, 0, &a), curand_init(99, 1, 0, &b), skipahead_sequence((1ull << 63) - 1, &b);
	out[6] = curand(&a), out[7] = curand(&b);
	// 16 times 2^63 numbers are a sequence.
	curand_init(5, 1, 0, &a), curand_init(5, 0, 0, &b);
	for (int i = 0; i < 16; i++)
		skipahead(1ull << 63, &b);
	out[8] = curand(&a), out[9] = curand(&b);
	curand_init(5, 0, 0x123456789abcdefull, &a), curand_init(5, 0, 0, &b);
	skipahead(0x123456789000000ull, &b), skipahead(0xabcdef, &b);
	out[10] = curand(&a), out[11] = curand(&b);
	out[12] = out[13] = out[14] = out[15] = 0;
}

// The places of MRG32k3a from a state that is given: the numbers of L'Ecuyer's, and the states behind jumps. Each pair of numbers is from the same place.
extern "C" __global__ void mrg(unsigned *first, unsigned long long *states, unsigned *pairs) {
	curandStateMRG32k3a s, t;
	for (int i = 0; i < 3; i++)
		s.s1[i] = s.s2[i] = 12345;
	t = s;
	for (int i = 0; i < 4; i++)
		first[i] = curand(&t);
	for (int jump = 0; jump < 4; jump++) {
		t = s;
		if (jump == 0)
			skipahead(0x123456789abcdefull, &t);
		if (jump == 1)
			skipahead_subsequence(5, &t);
		if (jump == 2)
			skipahead_sequence(3, &t);
		for (int i = 0; i < 3; i++)
			states[6 * jump + i] = t.s1[i], states[6 * jump + 3 + i] = t.s2[i];
	}
	curand_init(99, 7, 1000, &s), curand_init(99, 4, 0, &t), skipahead_subsequence(3, &t);
	for (int i = 0; i < 1000; i++)
		curand(&t);
	pairs[0] = curand(&s), pairs[1] = curand(&t);
}
