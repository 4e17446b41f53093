// What the files of the program have of each other.
#pragma once
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <curand_kernel.h>

// The methods are defined in shapes.cu, and one of a class that main.cu has itself.
struct Shape {
	__device__ virtual float area() const = 0;
	__device__ virtual int corners() const { return 0; }
	__device__ virtual ~Shape() {}
};
struct Square : Shape {
	float side;
	__device__ Square(float s);
	__device__ float area() const override;
	__device__ int corners() const override { return 4; }
};
struct Disc : Shape {
	float radius;
	__device__ Disc(float r);
	__device__ float area() const override;
};
__device__ Shape *makeDisc(float radius);

// Variables of tables.cu.
extern __device__ int calls;
extern __constant__ float weights[4];
extern __managed__ int shared_with_host;
typedef int (*Operation)(int, int);
extern __device__ Operation operations[3];
extern __device__ int *where;

// Functions of members of the library, of which the host's code wants nothing.
__device__ int add(int a, int b);
__device__ int multiply(int a, int b);
__device__ float weighted(const float *x);

// Kernels of tables.cu.
__global__ void weigh(const float *x, float *y, int n);
__global__ void rotate(int *x);
template <typename T> __global__ void fill(T *x, T value, int n);
extern template __global__ void fill<double>(double *x, double value, int n);

// An inline function counts its calls for the whole program, and a template has one variable for each type.
__device__ inline int next() {
	static __device__ int counter = 10;
	return atomicAdd(&counter, 1);
}
template <typename T> struct Registry {
	static __device__ T value;
};
template <typename T> __device__ T Registry<T>::value = T(3);

template <typename T> __global__ void store(T *to) { *to = Registry<T>::value++; }

// Each file has statics of these names.
int ownOfTables();
int ownOfShapes();
extern "C" int ordinaryResult(void);
double registryOfTables();
