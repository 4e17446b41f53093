// A product of matrices in tiles of shared memory, as a template of the tile's size, timed by events.
#include "check.h"
#include <cmath>

template <int Tile> __global__ void multiply(float *c, const float *a, const float *b, int wa, int wb) {
	__shared__ float as[Tile][Tile], bs[Tile][Tile];
	int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * Tile + ty, col = blockIdx.x * Tile + tx;
	float sum = 0;
	for (int k = 0; k < wa; k += Tile) {
		as[ty][tx] = a[row * wa + k + tx];
		bs[ty][tx] = b[(k + ty) * wb + col];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < Tile; i++)
			sum += as[ty][i] * bs[i][tx];
		__syncthreads();
	}
	c[row * wb + col] = sum;
}

template <int Tile> void run() {
	const int h = 64, wa = 96, wb = 128;
	float *a, *b, *c, *da, *db, *dc;
	CHECK(cudaMallocHost(&a, h * wa * sizeof(float)));
	CHECK(cudaMallocHost(&b, wa * wb * sizeof(float)));
	CHECK(cudaMallocHost(&c, h * wb * sizeof(float)));
	for (int i = 0; i < h * wa; i++)
		a[i] = (i % 7) - 3;
	for (int i = 0; i < wa * wb; i++)
		b[i] = (i % 5) * 0.25f;
	cudaStream_t stream;
	cudaEvent_t start, stop;
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	CHECK(cudaMalloc(&da, h * wa * sizeof(float)));
	CHECK(cudaMalloc(&db, wa * wb * sizeof(float)));
	CHECK(cudaMalloc(&dc, h * wb * sizeof(float)));
	CHECK(cudaMemcpyAsync(da, a, h * wa * sizeof(float), cudaMemcpyHostToDevice, stream));
	CHECK(cudaMemcpyAsync(db, b, wa * wb * sizeof(float), cudaMemcpyHostToDevice, stream));
	dim3 threads(Tile, Tile), grid(wb / threads.x, h / threads.y);
	CHECK(cudaEventRecord(start, stream));
	for (int i = 0; i < 3; i++)
		multiply<Tile><<<grid, threads, 0, stream>>>(dc, da, db, wa, wb);
	CHECK(cudaEventRecord(stop, stream));
	CHECK(cudaEventSynchronize(stop));
	float ms = -1;
	CHECK(cudaEventElapsedTime(&ms, start, stop));
	EXPECT(ms >= 0);
	CHECK(cudaMemcpyAsync(c, dc, h * wb * sizeof(float), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	for (int y = 0; y < h; y++)
		for (int x = 0; x < wb; x++) {
			double want = 0;
			for (int k = 0; k < wa; k++)
				want += (double)a[y * wa + k] * b[k * wb + x];
			EXPECT(std::fabs(c[y * wb + x] - want) < 1e-3);
		}
	CHECK(cudaFreeHost(a));
	CHECK(cudaFreeHost(b));
	CHECK(cudaFreeHost(c));
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(stop));
	CHECK(cudaStreamDestroy(stream));
}

int main() {
	run<16>();
	run<32>();
	printf("ok\n");
}
