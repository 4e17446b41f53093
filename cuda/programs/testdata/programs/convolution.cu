// A separable filter with its weights in constant memory.
#include "check.h"
#include <cmath>
#include <vector>

#define RADIUS 4
__constant__ float kernelWeights[2 * RADIUS + 1];
__constant__ struct { int width, height; } size;

template <bool Rows> __global__ void convolve(float *out, const float *in) {
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= size.width || y >= size.height)
		return;
	float sum = 0;
	for (int k = -RADIUS; k <= RADIUS; k++) {
		int sx = Rows ? x + k : x, sy = Rows ? y : y + k;
		if (sx >= 0 && sx < size.width && sy >= 0 && sy < size.height)
			sum += kernelWeights[k + RADIUS] * in[sy * size.width + sx];
	}
	out[y * size.width + x] = sum;
}

int main() {
	const int w = 70, h = 50;
	float weights[2 * RADIUS + 1];
	int extent[2] = {w, h};
	for (int k = -RADIUS; k <= RADIUS; k++)
		weights[k + RADIUS] = 1.0f / (1 + k * k);
	CHECK(cudaMemcpyToSymbol(kernelWeights, weights, sizeof(weights)));
	CHECK(cudaMemcpyToSymbol(size, &extent[0], sizeof(int)));
	CHECK(cudaMemcpyToSymbol(size, &extent[1], sizeof(int), sizeof(int), cudaMemcpyHostToDevice));
	size_t bytes;
	CHECK(cudaGetSymbolSize(&bytes, kernelWeights));
	EXPECT(bytes == sizeof(weights));
	std::vector<float> in(w * h), out(w * h), mid(w * h);
	for (int i = 0; i < w * h; i++)
		in[i] = std::sin(i * 0.1f);
	float *d[3];
	for (auto &p : d)
		CHECK(cudaMalloc(&p, w * h * sizeof(float)));
	CHECK(cudaMemcpy(d[0], in.data(), w * h * sizeof(float), cudaMemcpyHostToDevice));
	dim3 block(16, 8), grid((w + 15) / 16, (h + 7) / 8);
	convolve<true><<<grid, block>>>(d[1], d[0]);
	convolve<false><<<grid, block>>>(d[2], d[1]);
	CHECK(cudaMemcpy(out.data(), d[2], w * h * sizeof(float), cudaMemcpyDeviceToHost));
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			double sum = 0;
			for (int j = -RADIUS; j <= RADIUS; j++)
				for (int k = -RADIUS; k <= RADIUS; k++)
					if (x + k >= 0 && x + k < w && y + j >= 0 && y + j < h)
						sum += weights[j + RADIUS] * weights[k + RADIUS] * in[(y + j) * w + x + k];
			EXPECT(std::fabs(out[y * w + x] - sum) < 1e-4);
		}
	printf("ok\n");
}
