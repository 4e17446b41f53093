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
