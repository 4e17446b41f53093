// Classes with virtual bases in kernels: their members, their virtual functions, and casts between them.
#include "check.h"

struct Base {
	int shared = 3;
	__host__ __device__ virtual int value() const { return shared; }
	__host__ __device__ virtual ~Base() {}
};
struct Left : virtual Base {
	int left = 10;
	__host__ __device__ Left() { shared += 1; }
	__host__ __device__ int value() const override { return shared + left; }
};
struct Right : virtual Base {
	int right = 200;
	__host__ __device__ Right() { shared *= 2; }
};
struct Both : Left, Right {
	__host__ __device__ Both(int k) { shared += k; }
};
struct Plain : virtual Base { // without virtual functions of its own
	long long after = 5;
};
struct Deep : Plain, Both {
	int k;
	__host__ __device__ Deep(int k) : Both(k), k(k) {}
	__host__ __device__ int value() const override { return Both::value() + 1000 * k + (int)after; }
};

__host__ __device__ __noinline__ int ask(const Base *b) { return b->value(); }

__host__ __device__ void use(int k, int *out) {
	Both both(k);
	Right &right = both;
	right.shared += 7;
	out[0] = ask(&both) + right.right;
	Base *made = k % 2 ? (Base *)new Deep(k) : (Base *)new Left;
	out[1] = ask(made);
	delete made;
	Deep deep(k), copy = deep;
	copy.shared = 1;
	out[2] = ask(static_cast<Right *>(&copy)) + 100000 * ask(static_cast<Plain *>(&deep));
}

__global__ void kernel(int *out) { use(threadIdx.x, out + 3 * threadIdx.x); }

int main() {
	const int threads = 32;
	int *out, host[3];
	CHECK(cudaMallocManaged(&out, 3 * threads * sizeof *out));
	kernel<<<1, threads>>>(out);
	CHECK(cudaDeviceSynchronize());
	for (int k = 0; k < threads; k++) {
		use(k, host);
		EXPECT(host[0] == (3 + 1) * 2 + k + 7 + 10 + 200);
		for (int i = 0; i < 3; i++)
			EXPECT(host[i] == out[3 * k + i]);
	}
	printf("ok\n");
}
