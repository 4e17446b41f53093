// A const parameter, and one with __grid_constant__, is never copied: its address is that of the parameter, also where it leaves the kernel's code.
#include "check.h"

struct Point {
	int x, y;
	long long more[6];
};
typedef const Point Fixed;
namespace shapes {
template <class T> struct Pair {
	T first, second;
	__host__ __device__ T sum() const { return first + second; }
};
} // namespace shapes

__device__ __noinline__ int isParameter(const void *p, int *reads) {
	*reads = *(const volatile int *)p;
	bool converts = __cvta_grid_constant_to_generic(__cvta_generic_to_grid_constant(p)) == p;
	return __isGridConstant(p) && converts;
}

template <class T> __global__ void one(const T p, int *out) { out[0] = isParameter(&p, out + 1); }
__global__ void alias(Fixed p, int *out) { out[0] = isParameter(&p.y, out + 1); }
__global__ void several(const Point p, Point q, const __grid_constant__ Point r, const shapes::Pair<int> s, const __grid_constant__ Point t, int *out) {
	out[0] = isParameter(&p, out + 1) + 10 * isParameter(&q, out + 2) + 100 * isParameter(&r, out + 3) + 1000 * isParameter(&s, out + 4) + 10000 * isParameter(&t, out + 5);
	out[6] = s.sum();
}
__global__ void changed(Point p, int *out) {
	p.x += threadIdx.x;
	out[0] = isParameter(&p, out + 1);
}
// A mutable member of a const parameter may be written: the kernel has its own copy.
struct Counter {
	int values[4];
	mutable int count;
	__device__ __noinline__ int next() const { return count += values[count & 3]; }
};
struct Named : Counter {
	long long name;
};
template <class T> struct Holder {
	T counters[2];
};
__global__ void counts(const Counter c, const Named n, const Holder<Counter> h, int *out) {
	out[0] = isParameter(&c, out + 1) + isParameter(&n, out + 1) + isParameter(&h, out + 1);
	c.next(), n.next(), h.counters[1].next();
	out[1] = c.next() + 10 * n.next() + 100 * h.counters[1].next();
}
struct Kernels {
	template <int N> static __global__ void member(const shapes::Pair<int> p, int *out) { out[0] = N * isParameter(&p.second, out + 1); }
};
// The name of the type of a member of a template has the template's arguments, with commas.
template <class T, class U> struct Product {
	struct Arguments {
		T first;
		U more[6];
	};
	static __device__ int run(const Arguments &a, int *out) { return isParameter(&a.first, out + 1); }
};
template <class P> __global__ void nested(const typename P::Arguments a, int *out) { out[0] = P::run(a, out); }
// Its address stays in the kernel, which reads by an index.
__global__ void indexed(const Point p, int i, int *out) { out[0] = (int)p.more[i]; }

int main() {
	int *out;
	CHECK(cudaMallocManaged(&out, 8 * sizeof(int)));
	Point p = {3, 4, {0, 10, 20, 30, 40, 50}}, q = {5, 6, {}}, r = {7, 8, {}}, t = {11, 12, {}};
	shapes::Pair<int> s = {9, 10};
	auto is = [&](int known, int value) {
		CHECK(cudaDeviceSynchronize());
		EXPECT(out[0] == known && out[1] == value);
	};
	one<<<1, 1>>>(p, out);
	is(1, 3);
	one<<<1, 1>>>(s, out);
	is(1, 9);
	alias<<<1, 1>>>(p, out);
	is(1, 4);
	several<<<1, 1>>>(p, q, r, s, t, out);
	is(11101, 3);
	EXPECT(out[2] == 5 && out[3] == 7 && out[4] == 9 && out[5] == 11 && out[6] == 19);
	changed<<<1, 1>>>(p, out);
	is(0, 3);
	Counter c = {{1, 2, 3, 4}, 0};
	counts<<<1, 1>>>(c, Named{c, 5}, Holder<Counter>{{c, c}}, out);
	is(0, 333);
	Kernels::member<3><<<1, 1>>>(s, out);
	is(3, 10);
	nested<Product<int, shapes::Pair<float>>><<<1, 1>>>({13, {}}, out);
	is(1, 13);
	out[1] = 1;
	indexed<<<1, 1>>>(p, 4, out);
	is(40, 1);
	printf("ok\n");
}
