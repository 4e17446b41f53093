// Random numbers in kernels: pi by chance, moments of distributions, the numbers of Philox's paper, and that states go on where they were.
#include "check.h"
#include <cmath>
#include <curand_kernel.h>

template <typename State> __global__ void setup(State *states, unsigned long long seed) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	curand_init(seed, i, 0, &states[i]);
}
template <typename State> __global__ void sample(State *states, int n, double *sums) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	State s = states[i];
	double inside = 0, sum = 0, squares = 0, poisson = 0;
	for (int k = 0; k < n; k++) {
		float x = curand_uniform(&s), y = curand_uniform(&s), z = curand_normal(&s);
		inside += x * x + y * y <= 1;
		sum += z, squares += z * z;
		poisson += curand_poisson(&s, 3.0);
	}
	states[i] = s;
	atomicAdd(&sums[0], inside);
	atomicAdd(&sums[1], sum);
	atomicAdd(&sums[2], squares);
	atomicAdd(&sums[3], poisson);
}
__global__ void philox(uint4 *out) {
	out[0] = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
	out[1] = curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
	curandStatePhilox4_32_10_t a, b;
	curand_init(1234, 5, 0, &a);
	curand_init(1234, 5, 7, &b);
	for (int i = 0; i < 7; i++)
		curand(&a);
	out[2] = make_uint4(curand(&a), curand(&b), 0, 0);
}

template <typename State> void test() {
	const int threads = 256, n = 40;
	State *states;
	double *sums;
	CHECK(cudaMalloc(&states, threads * sizeof(State)));
	CHECK(cudaMallocManaged(&sums, 4 * sizeof(double)));
	for (int i = 0; i < 4; i++)
		sums[i] = 0;
	setup<<<2, 128>>>(states, 42ull);
	sample<<<2, 128>>>(states, n, sums);
	sample<<<2, 128>>>(states, n, sums);
	CHECK(cudaDeviceSynchronize());
	double count = 2.0 * threads * n, deviation = 1 / std::sqrt(count); // of a mean whose variance is 1
	EXPECT(std::fabs(4 * sums[0] / count - 3.14159) < 3 * 1.64 * deviation);
	EXPECT(std::fabs(sums[1] / count) < 3 * deviation && std::fabs(sums[2] / count - 1) < 3 * 1.41 * deviation);
	EXPECT(std::fabs(sums[3] / count - 3) < 3 * 1.73 * deviation);
}

int main() {
	test<curandState>();
	test<curandStatePhilox4_32_10_t>();
	test<curandStateMRG32k3a_t>();
	uint4 *d, h[3];
	CHECK(cudaMalloc(&d, sizeof(h)));
	philox<<<1, 1>>>(d);
	CHECK(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost));
	EXPECT(h[0].x == 0x6627e8d5 && h[0].y == 0xe169c58d && h[0].z == 0xbc57ac4c && h[0].w == 0x9b00dbd8);
	EXPECT(h[1].x == 0x408f276d && h[1].y == 0x41c83b0e && h[1].z == 0xa20bc7c6 && h[1].w == 0x6d5451fd);
	EXPECT(h[2].x == h[2].y);
	printf("ok\n");
}
