// Sobol's sequences by direction vectors that the host gives.
#include <curand_kernel.h>

// points writes the first n points of as many sequences as there are threads: whole numbers of 32 and 64 bits, and those of scrambled sequences.
extern "C" __global__ void points(const curandDirectionVectors32_t *narrow, const curandDirectionVectors64_t *wide, unsigned int n, unsigned long long *out) {
	curandStateSobol32 a;
	curandStateSobol64 b;
	curandStateScrambledSobol32 c;
	curandStateScrambledSobol64 d;
	curand_init(narrow[threadIdx.x], 0, &a);
	curand_init(wide[threadIdx.x], 0, &b);
	curand_init(narrow[threadIdx.x], 0xdeadbeef, 0, &c);
	curand_init(wide[threadIdx.x], 0xdeadbeefcafef00d, 0, &d);
	out += threadIdx.x * 4 * n;
	for (unsigned int i = 0; i < n; i++)
		*out++ = curand(&a), *out++ = curand(&b), *out++ = curand(&c), *out++ = curand(&d);
}

// Each pair of numbers is from the same place, which two ways have led to; the last number of all is before the first one.
extern "C" __global__ void ways(curandDirectionVectors32_t *narrow, curandDirectionVectors64_t *wide, unsigned long long *out) {
	curandStateSobol32 a, b;
	curandStateScrambledSobol64 c, d;
	curand_init(narrow[2], 0, &a), curand_init(narrow[2], 1000, &b);
	for (int i = 0; i < 1000; i++)
		curand(&a);
	*out++ = curand(&a), *out++ = curand(&b);
	skipahead(0xffffffff - 1001, &a), curand(&a), skipahead(0x80000000, &b), skipahead(0x7ffffc17, &b);
	*out++ = curand(&a), *out++ = curand(&b);
	curand_init(wide[1], 5, 1ull << 60, &c), curand_init(wide[1], 5, (1ull << 60) - 3, &d);
	curand(&d), curand(&d), curand(&d);
	*out++ = curand(&c), *out++ = curand(&d);
	curand_init(wide[2], 7, ~0ull, &c), curand(&c), curand_init(wide[2], 7, 0, &d);
	*out++ = curand(&c), *out++ = curand(&d);
}

// Numbers of distributions for each point of a sequence.
extern "C" __global__ void distributions(curandDirectionVectors32_t *narrow, curandDirectionVectors64_t *wide, double *out) {
	curandStateSobol32 a;
	curandStateSobol64 b;
	out += 10 * threadIdx.x;
#define NUMBER(VALUE) curand_init(narrow[0], threadIdx.x, &a), curand_init(wide[0], threadIdx.x, &b), *out++ = (VALUE)
	NUMBER(curand_uniform(&a));
	NUMBER(curand_uniform_double(&a));
	NUMBER(curand_uniform(&b));
	NUMBER(curand_uniform_double(&b));
	NUMBER(curand_normal(&a));
	NUMBER(curand_normal_double(&a));
	NUMBER(curand_log_normal(&b, 1.0f, 0.5f));
	NUMBER(curand_log_normal_double(&b, 1.0, 0.5));
	NUMBER(curand_poisson(&a, 4.5));
	NUMBER(curand_poisson(&b, 2000.0));
}
