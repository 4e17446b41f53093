// Sums of vectors with a tail that fills no block.
#include "check.h"
#include <vector>

__global__ void add(const float *a, const float *b, float *c, int n) {
	int i = blockDim.x * blockIdx.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

int main() {
	const int n = 50000;
	std::vector<float> a(n), b(n), c(n);
	for (int i = 0; i < n; i++)
		a[i] = i * 0.5f, b[i] = n - i;
	float *da, *db, *dc;
	CHECK(cudaMalloc((void **)&da, n * sizeof(float)));
	CHECK(cudaMalloc((void **)&db, n * sizeof(float)));
	CHECK(cudaMalloc((void **)&dc, n * sizeof(float)));
	CHECK(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	int threads = 256, blocks = (n + threads - 1) / threads;
	add<<<blocks, threads>>>(da, db, dc, n);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(c[i] == a[i] + b[i]);
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));
	CHECK(cudaDeviceReset());
	printf("ok\n");
}
