// Memory in the order of a stream, zero-copy memory, registered memory, and copies of boxes in three dimensions.
#include "check.h"
#include <cstdlib>
#include <cstring>

__global__ void add(int *p, int n, int v) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] += v;
}
__global__ void addBox(cudaPitchedPtr p, cudaExtent e) {
	for (size_t z = blockIdx.x; z < e.depth; z += gridDim.x)
		for (size_t y = threadIdx.x; y < e.height; y += blockDim.x) {
			int *row = (int *)((char *)p.ptr + (z * e.height + y) * p.pitch);
			for (size_t x = 0; x < e.width / sizeof(int); x++)
				row[x] += 1000;
		}
}

int main() {
	const int n = 1000;
	int supported = 0, *p, *h;
	CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
	cudaStream_t stream;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaHostAlloc(&h, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
	if (supported) {
		cudaMemPool_t pool;
		CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
		unsigned long long threshold = ~0ull;
		CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
		CHECK(cudaMallocAsync(&p, n * sizeof(int), stream));
		CHECK(cudaMemsetAsync(p, 0, n * sizeof(int), stream));
		add<<<(n + 127) / 128, 128, 0, stream>>>(p, n, 7);
		CHECK(cudaMemcpyAsync(h, p, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
		CHECK(cudaFreeAsync(p, stream));
		CHECK(cudaStreamSynchronize(stream));
		EXPECT(h[0] == 7 && h[n - 1] == 7);
	}
	int *mapped;
	CHECK(cudaHostGetDevicePointer(&mapped, h, 0));
	for (int i = 0; i < n; i++)
		h[i] = i;
	add<<<(n + 127) / 128, 128, 0, stream>>>(mapped, n, 1);
	CHECK(cudaStreamSynchronize(stream));
	for (int i = 0; i < n; i++)
		EXPECT(h[i] == i + 1);

	int *plain = (int *)aligned_alloc(4096, 4096);
	memset(plain, 0, 4096);
	CHECK(cudaHostRegister(plain, 4096, cudaHostRegisterDefault));
	CHECK(cudaHostGetDevicePointer((void **)&mapped, plain, 0));
	add<<<8, 128>>>(mapped, 1024, 3);
	CHECK(cudaDeviceSynchronize());
	EXPECT(plain[1023] == 3);
	CHECK(cudaHostUnregister(plain));

	const int w = 10, d1 = 6, d2 = 5;
	int box[d2][d1][w], back[d2][d1][w];
	for (int i = 0; i < w * d1 * d2; i++)
		(&box[0][0][0])[i] = i;
	cudaExtent extent = make_cudaExtent(w * sizeof(int), d1, d2);
	cudaPitchedPtr device;
	CHECK(cudaMalloc3D(&device, extent));
	cudaMemcpy3DParms copy = {0};
	copy.srcPtr = make_cudaPitchedPtr(box, w * sizeof(int), w, d1);
	copy.dstPtr = device;
	copy.extent = extent;
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy));
	addBox<<<2, 3>>>(device, extent);
	copy = {0};
	copy.srcPtr = device;
	copy.dstPtr = make_cudaPitchedPtr(back, w * sizeof(int), w, d1);
	copy.extent = extent;
	copy.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3D(&copy));
	for (int i = 0; i < w * d1 * d2; i++)
		EXPECT((&back[0][0][0])[i] == i + 1000);
	CHECK(cudaMemset3D(device, 0, extent));
	CHECK(cudaMemcpy3D(&copy));
	EXPECT(back[4][5][9] == 0);
	printf("ok\n");
}
