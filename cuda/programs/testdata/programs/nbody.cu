// Bodies that attract each other, in tiles of shared memory, against the same sums on the host.
#include "check.h"
#include <cmath>
#include <utility>
#include <vector>

#define SOFTENING 1e-3f

__device__ float3 operator+(const float3 &a, const float3 &b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }

__device__ float3 attraction(float4 a, float4 b) {
	float3 r = make_float3(b.x - a.x, b.y - a.y, b.z - a.z);
	float inverse = rsqrtf(r.x * r.x + r.y * r.y + r.z * r.z + SOFTENING), s = b.w * inverse * inverse * inverse;
	return make_float3(r.x * s, r.y * s, r.z * s);
}

__global__ void step(const float4 *__restrict__ in, float4 *__restrict__ out, float4 *velocity, int n, float dt) {
	extern __shared__ float4 tile[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 body = in[i];
	float3 force = {0.0f, 0.0f, 0.0f};
	for (int t = 0; t < n; t += blockDim.x) {
		tile[threadIdx.x] = in[t + threadIdx.x];
		__syncthreads();
#pragma unroll 4
		for (unsigned k = 0; k < blockDim.x; k++)
			force = force + attraction(body, tile[k]);
		__syncthreads();
	}
	float4 v = velocity[i];
	v.x += force.x * dt, v.y += force.y * dt, v.z += force.z * dt;
	velocity[i] = v;
	out[i] = make_float4(body.x + v.x * dt, body.y + v.y * dt, body.z + v.z * dt, body.w);
}

int main() {
	const int n = 256, block = 64, steps = 3;
	const float dt = 0.01f;
	std::vector<float4> bodies(n), got(n);
	std::vector<double> x(3 * n), v(3 * n, 0.0);
	for (int i = 0; i < n; i++) {
		bodies[i] = make_float4(std::sin(i * 1.7f), std::cos(i * 2.3f), std::sin(i * 0.9f + 1), 1.0f / n);
		x[3 * i] = bodies[i].x, x[3 * i + 1] = bodies[i].y, x[3 * i + 2] = bodies[i].z;
	}
	float4 *pos[2], *vel;
	CHECK(cudaMalloc(&pos[0], n * sizeof(float4)));
	CHECK(cudaMalloc(&pos[1], n * sizeof(float4)));
	CHECK(cudaMalloc(&vel, n * sizeof(float4)));
	CHECK(cudaMemset(vel, 0, n * sizeof(float4)));
	CHECK(cudaMemcpy(pos[0], bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
	for (int s = 0; s < steps; s++) {
		step<<<n / block, block, block * sizeof(float4)>>>(pos[0], pos[1], vel, n, dt);
		std::swap(pos[0], pos[1]);
		std::vector<double> force(3 * n, 0.0);
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++) {
				double r[3], d = SOFTENING;
				for (int k = 0; k < 3; k++)
					r[k] = x[3 * j + k] - x[3 * i + k], d += r[k] * r[k];
				for (int k = 0; k < 3; k++)
					force[3 * i + k] += r[k] / (n * d * std::sqrt(d));
			}
		for (int k = 0; k < 3 * n; k++)
			v[k] += force[k] * dt, x[k] += v[k] * dt;
	}
	CHECK(cudaMemcpy(got.data(), pos[0], n * sizeof(float4), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(std::fabs(got[i].x - x[3 * i]) < 1e-3 && std::fabs(got[i].y - x[3 * i + 1]) < 1e-3 && std::fabs(got[i].z - x[3 * i + 2]) < 1e-3);
	printf("ok\n");
}
