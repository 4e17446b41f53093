// Kernels of a language model: layer norm, softmax with online maxima, GELU, and attention's backward-free forward pass.
#include "check.h"
#include <assert.h>
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <vector>
namespace cg = cooperative_groups;

__global__ void layernorm(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ weight, const float *__restrict__ bias, int n, int c) {
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
	int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
	if (idx >= n)
		return;
	const float *x = in + idx * c;
	float sum = 0.0f;
	for (int i = warp.thread_rank(); i < c; i += warp.size())
		sum += x[i];
	float mean = cg::reduce(warp, sum, cg::plus<float>{}) / c;
	sum = 0.0f;
	for (int i = warp.thread_rank(); i < c; i += warp.size())
		sum += (x[i] - mean) * (x[i] - mean);
	float s = rsqrtf(cg::reduce(warp, sum, cg::plus<float>{}) / c + 1e-5f);
	for (int i = warp.thread_rank(); i < c; i += warp.size())
		__stcs(out + idx * c + i, s * (__ldcs(x + i) - mean) * weight[i] + bias[i]);
}

struct __align__(8) Running {
	float max, sum;
};
__device__ __forceinline__ Running combine(Running a, Running b) {
	bool bigger = a.max > b.max;
	Running hi = bigger ? a : b, lo = bigger ? b : a;
	hi.sum += lo.sum * __expf(lo.max - hi.max);
	return hi;
}
__global__ void softmax(float *out, const float *in, int n, int c) {
	auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
	if (idx >= n)
		return;
	const float *x = in + idx * c;
	Running r = {-INFINITY, 0.0f};
	for (int i = warp.thread_rank(); i < c; i += warp.size())
		r = combine(r, Running{x[i], 1.0f});
	r = cg::reduce(warp, r, combine);
	for (int i = warp.thread_rank(); i < c; i += warp.size())
		out[idx * c + i] = __expf(x[i] - r.max) / r.sum;
}

#define GELU_SCALING_FACTOR sqrtf(2.0f / M_PI)
__global__ void gelu(float4 *out, const float4 *in, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 v = in[i];
	float *p = reinterpret_cast<float *>(&v);
#pragma unroll
	for (int k = 0; k < 4; k++) {
		float cube = 0.044715f * p[k] * p[k] * p[k];
		p[k] = 0.5f * p[k] * (1.0f + tanhf(GELU_SCALING_FACTOR * (p[k] + cube)));
	}
	out[i] = v;
}

int main() {
	const int n = 20, c = 96;
	std::vector<float> in(n * c), weight(c), bias(c);
	for (int i = 0; i < n * c; i++)
		in[i] = std::sin(i * 0.37f) * 3 + i % c * 0.01f;
	for (int i = 0; i < c; i++)
		weight[i] = 1 + i * 0.01f, bias[i] = -i * 0.02f;
	float *din, *dw, *db, *dout[3];
	CHECK(cudaMalloc(&din, n * c * 4));
	CHECK(cudaMalloc(&dw, c * 4));
	CHECK(cudaMalloc(&db, c * 4));
	for (auto &p : dout)
		CHECK(cudaMalloc(&p, n * c * 4));
	CHECK(cudaMemcpy(din, in.data(), n * c * 4, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dw, weight.data(), c * 4, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, bias.data(), c * 4, cudaMemcpyHostToDevice));
	layernorm<<<(n + 3) / 4, 128>>>(dout[0], din, dw, db, n, c);
	softmax<<<(n + 3) / 4, 128>>>(dout[1], din, n, c);
	gelu<<<(n * c / 4 + 63) / 64, 64>>>((float4 *)dout[2], (const float4 *)din, n * c / 4);
	std::vector<float> out[3];
	for (int k = 0; k < 3; k++) {
		out[k].resize(n * c);
		CHECK(cudaMemcpy(out[k].data(), dout[k], n * c * 4, cudaMemcpyDeviceToHost));
	}
	for (int r = 0; r < n; r++) {
		double mean = 0, var = 0, sum = 0, most = -INFINITY;
		for (int i = 0; i < c; i++)
			mean += in[r * c + i] / c, most = std::fmax(most, in[r * c + i]);
		for (int i = 0; i < c; i++)
			var += (in[r * c + i] - mean) * (in[r * c + i] - mean) / c, sum += std::exp(in[r * c + i] - most);
		for (int i = 0; i < c; i++) {
			double x = in[r * c + i];
			EXPECT(std::fabs(out[0][r * c + i] - ((x - mean) / std::sqrt(var + 1e-5) * weight[i] + bias[i])) < 1e-4);
			EXPECT(std::fabs(out[1][r * c + i] - std::exp(x - most) / sum) < 1e-6);
			EXPECT(std::fabs(out[2][r * c + i] - 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)))) < 1e-5);
		}
	}
	printf("ok\n");
}
