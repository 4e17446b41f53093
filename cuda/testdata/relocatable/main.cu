// Device code of several files: functions, variables, constants, kernels, templates and classes of one file are used in others.
#include "../../programs/testdata/programs/check.h"
#include "parts.h"
#include <cassert>
#include <vector>

struct Triangle : Shape {
	float a;
	__device__ Triangle(float side) : a(side) {}
	__device__ float area() const override { return a * a / 2; }
	__device__ int corners() const override { return 3; }
};

__global__ void areas(float *area, int *corners) {
	Shape *shapes[] = {new Square(3), makeDisc(2), new Triangle(4)};
	for (int i = 0; i < 3; i++) {
		area[i] = shapes[i]->area();
		corners[i] = shapes[i]->corners();
		delete shapes[i];
	}
}

__device__ int subtract(int a, int b) { return a - b; }

__global__ void setOperation() { operations[2] = subtract; }
__global__ void operate(int *r) { r[threadIdx.x] = operations[threadIdx.x](20, 4); }

extern __shared__ int buffer[];
__global__ void reverse(int *x) {
	buffer[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	x[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

static __device__ int own = 1;
static __device__ int twice(int x) { return 20 * x; }
static __global__ void kernel() {
	own = twice(own);
	shared_with_host += 1;
	assert(calls > 0);
	printf("calls %d\n", calls);
}
__global__ void count(int *x) { *x = next(); }

// Before main, as static constructors do; tables.cu may not have been initialised.
struct Early {
	Early() {
		int v = 1;
		cudaMemcpyToSymbol(own, &v, sizeof(v));
	}
} early;

template <typename T> struct Device {
	T *p;
	explicit Device(const std::vector<T> &v) {
		CHECK(cudaMalloc(&p, v.size() * sizeof(T)));
		CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	}
	T operator[](int i) const {
		T v;
		CHECK(cudaMemcpy(&v, p + i, sizeof(v), cudaMemcpyDeviceToHost));
		return v;
	}
};

static void shapes() {
	Device<float> area(std::vector<float>(3));
	Device<int> corners(std::vector<int>(3));
	areas<<<1, 1>>>(area.p, corners.p);
	EXPECT(area[0] == 9 && area[1] == 12 && area[2] == 8);
	EXPECT(corners[0] == 4 && corners[1] == 0 && corners[2] == 3);
}

static void pointers() {
	Device<int> r(std::vector<int>(3));
	setOperation<<<1, 1>>>();
	operate<<<1, 3>>>(r.p);
	EXPECT(r[0] == 24 && r[1] == 80 && r[2] == 16);
	int n = 0;
	CHECK(cudaMemcpyFromSymbol(&n, calls, sizeof(n)));
	EXPECT(n == 1 + 1 + 10);
}

static void symbols() {
	float w[4] = {1, 2, 3, 4};
	CHECK(cudaMemcpyToSymbol(weights, w, sizeof(w)));
	Device<float> x({1, 1, 1, 1, 2}), y(std::vector<float>(2));
	weigh<<<1, 32>>>(x.p, y.p, 2);
	EXPECT(y[0] == 10 && y[1] == 14);
	size_t size = 0;
	CHECK(cudaGetSymbolSize(&size, weights));
	EXPECT(size == sizeof(w));
}

static void dynamicShared() {
	Device<int> x({1, 2, 3, 4});
	rotate<<<1, 4, 4 * sizeof(int)>>>(x.p);
	EXPECT(x[0] == 2 && x[3] == 1);
	reverse<<<1, 4, 4 * sizeof(int)>>>(x.p);
	EXPECT(x[0] == 1 && x[1] == 4 && x[3] == 2);
}

static void templates() {
	Device<double> d(std::vector<double>(3));
	fill<double><<<1, 3>>>(d.p, 2.5, 3);
	EXPECT(d[0] == 2.5 && d[2] == 2.5);
	EXPECT(registryOfTables() == 3);
	store<<<1, 1>>>(d.p);
	EXPECT(d[0] == 4);
	Device<int> n(std::vector<int>(1));
	store<<<1, 1>>>(n.p);
	EXPECT(n[0] == 3);
}

static void statics() {
	shared_with_host = 100;
	kernel<<<1, 1>>>();
	CHECK(cudaDeviceSynchronize());
	EXPECT(shared_with_host == 101);
	int v = 0;
	CHECK(cudaMemcpyFromSymbol(&v, own, sizeof(v)));
	EXPECT(v == 20);
	EXPECT(ownOfTables() == 10);
	EXPECT(ownOfShapes() == 14);
	EXPECT(ordinaryResult() == 999);
	Device<int> n(std::vector<int>(1));
	count<<<1, 1>>>(n.p);
	EXPECT(n[0] == 10 + 2 + 3); // two calls in shapes.cu and three in tables.cu
}

int main() {
	EXPECT(shared_with_host == 77);
	shapes();
	pointers();
	symbols();
	dynamicShared();
	templates();
	statics();
	CHECK(cudaGetLastError());
	printf("ok\n");
}
