#include "parts.h"

__device__ Square::Square(float s) : side(s) {}
__device__ float Square::area() const { return side * side; }
__device__ Disc::Disc(float r) : radius(r) {}
__device__ float Disc::area() const { return 3.0f * radius * radius; }
__device__ Shape *makeDisc(float radius) { return new Disc(radius); }

namespace {
__device__ int own = 7;
__device__ int twice(int x) { return 2 * x + next() - next() + 1; }
__global__ void kernel() { own = twice(own); }
} // namespace

int ownOfShapes() {
	int v = 0;
	kernel<<<1, 1>>>();
	return cudaMemcpyFromSymbol(&v, own, sizeof(v)) == cudaSuccess ? v : -1;
}
