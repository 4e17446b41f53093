// Arrays and structures in local memory are aligned to 16 bytes, as programs access fragments of theirs as vectors.
#include "check.h"
#include <cuda_fp16.h>

template <class T, int N> struct Fragment {
	T elements[N];
	__device__ T &operator[](int i) { return elements[i]; }
};

__device__ __noinline__ void fill(void *p, int n, int seed) {
	for (int i = 0; i < n; i++)
		((int4 *)p)[i] = make_int4(seed + 4 * i, seed + 4 * i + 1, seed + 4 * i + 2, seed + 4 * i + 3);
}

// Variables of a few bytes stand between the arrays.
__global__ void fragments(int *out, int at) {
	char one = (char)at;
	Fragment<half2, 4> a[2][3];
	short two = (short)at;
	float b[3][4];
	unsigned char three[3] = {1, 2, (unsigned char)at};
	Fragment<float, 8> c;
	unsigned char d[32];
	fill(a, 6, 100);
	fill(b, 3, 200);
	fill(&c, 2, 300);
	fill(d, 2, 400);
	fill(out + 8 + one, 0, two + three[at]); // their addresses are taken
	half2 h = a[at][2][3];
	out[0] = *(int *)&h;
	out[1] = __float_as_int(b[at][at]);
	out[2] = __float_as_int(c[at + 4]);
	out[3] = d[4 * at];
	int4 v = ((int4 *)a)[at];
	out[4] = v.w;
	out[5] = (int)(((size_t)a | (size_t)b | (size_t)&c | (size_t)d) % 16);
}

int main() {
	int *out;
	CHECK(cudaMallocManaged(&out, 64 * sizeof(int)));
	fragments<<<1, 1>>>(out, 1);
	CHECK(cudaDeviceSynchronize());
	EXPECT(out[0] == 100 + 5 * 4 + 3);
	EXPECT(out[1] == 200 + 5);
	EXPECT(out[2] == 300 + 5);
	EXPECT(out[3] == (400 + 1) % 256);
	EXPECT(out[4] == 107);
	EXPECT(out[5] == 0);
	printf("ok\n");
}
