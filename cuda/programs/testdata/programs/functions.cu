// nvstd::function on both sides: lambdas, functors and functions, small ones and ones that lie on the heap, copied, moved and swapped.
#include "check.h"
#include <nvfunctional>

__host__ __device__ int twice(int x) { return 2 * x; }

struct Counted {
	int *live, big[16];
	__host__ __device__ Counted(int *live, int v) : live(live) {
		big[15] = v;
		++*live;
	}
	__host__ __device__ Counted(const Counted &c) : live(c.live) {
		big[15] = c.big[15];
		++*live;
	}
	__host__ __device__ ~Counted() { --*live; }
	__host__ __device__ int operator()(int x) const { return x + big[15]; }
};

__host__ __device__ int apply(nvstd::function<int(int)> f, int x) { return f(x); }

__host__ __device__ void use(int k, int *live, int *out) {
	nvstd::function<int(int)> none, f = [=](int x) { return x + k; }, g = twice, big = Counted(live, 100);
	out[0] = apply(f, 10) + apply(g, k) + apply(big, k);
	out[1] = !none && none == nullptr && f != nullptr && !nvstd::function<int(int)>((int (*)(int))nullptr);
	nvstd::function<int(int)> copy = big, moved = static_cast<nvstd::function<int(int)> &&>(f);
	out[2] = copy(1) + moved(1) + (f ? 1000 : 0);
	swap(copy, moved); // one on the heap with a small one
	out[3] = 1000 * copy(1) + moved(1);
	copy = moved, moved = nullptr, g = [=](int x) { return x - k; };
	out[4] = 1000 * copy(2) + g(2) + (moved ? 100000 : 0);
	none.swap(copy);
	out[5] = none(3) + (copy ? 1000 : 0);
	int n = 0;
	nvstd::function<void(int &)> adds = [](int &x) { x += 5; };
	adds(n);
	nvstd::function<int()> counts = [n]() mutable { return n++; };
	out[6] = n + counts() + counts();
}

__global__ void kernel(int *live, int *out) { use(threadIdx.x, live + threadIdx.x, out + 7 * threadIdx.x); }

int main() {
	const int threads = 32;
	int *live, *out, host[7], hostLive = 0;
	CHECK(cudaMallocManaged(&live, threads * sizeof *live));
	CHECK(cudaMallocManaged(&out, 7 * threads * sizeof *out));
	for (int i = 0; i < threads; i++)
		live[i] = 0;
	kernel<<<1, threads>>>(live, out);
	CHECK(cudaDeviceSynchronize());
	for (int k = 0; k < threads; k++) {
		use(k, &hostLive, host);
		int want[] = {10 + k + 2 * k + k + 100, 1, 101 + 1 + k, 1000 * (1 + k) + 101, 1000 * 102 + 2 - k, 103, 5 + 5 + 6};
		for (int i = 0; i < 7; i++)
			EXPECT(host[i] == want[i] && out[7 * k + i] == want[i]);
		EXPECT(hostLive == 0 && live[k] == 0);
	}
	printf("ok\n");
}
