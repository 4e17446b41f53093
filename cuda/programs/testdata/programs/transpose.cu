// A matrix is transposed through a tile with a padded row, in pitched memory.
#include "check.h"
#include <vector>

#define TILE 32
#define ROWS 8

__global__ void transpose(float *out, size_t outPitch, const float *in, size_t inPitch, int w, int h) {
	__shared__ float tile[TILE][TILE + 1];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	for (int j = 0; j < TILE; j += ROWS)
		if (x < w && y + j < h)
			tile[threadIdx.y + j][threadIdx.x] = *((const float *)((const char *)in + (y + j) * inPitch) + x);
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
	for (int j = 0; j < TILE; j += ROWS)
		if (x < h && y + j < w)
			*((float *)((char *)out + (y + j) * outPitch) + x) = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
	const int w = 100, h = 77;
	std::vector<float> in(w * h), out(w * h);
	for (int i = 0; i < w * h; i++)
		in[i] = (float)i;
	float *din, *dout;
	size_t pin, pout;
	CHECK(cudaMallocPitch(&din, &pin, w * sizeof(float), h));
	CHECK(cudaMallocPitch((void **)&dout, &pout, h * sizeof(float), w));
	EXPECT(pin >= w * sizeof(float) && pout >= h * sizeof(float));
	CHECK(cudaMemcpy2D(din, pin, in.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
	CHECK(cudaMemset2D(dout, pout, 0, h * sizeof(float), w));
	transpose<<<dim3((w + TILE - 1) / TILE, (h + TILE - 1) / TILE), dim3(TILE, ROWS)>>>(dout, pout, din, pin, w, h);
	CHECK(cudaPeekAtLastError());
	CHECK(cudaMemcpy2D(out.data(), h * sizeof(float), dout, pout, h * sizeof(float), w, cudaMemcpyDeviceToHost));
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			EXPECT(out[x * h + y] == in[y * w + x]);
	EXPECT(cudaMemcpy2D(dout, 4, in.data(), 4, 8, 1, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
	EXPECT(cudaGetLastError() == cudaErrorInvalidPitchValue && cudaGetLastError() == cudaSuccess);
	printf("ok\n");
}
