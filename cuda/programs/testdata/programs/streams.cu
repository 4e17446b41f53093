// Several streams, events between them, callbacks, queries and priorities.
#include "check.h"
#include <atomic>

__global__ void fill(int *p, int n, int v) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = v + i;
}
__global__ void addTo(int *to, const int *from, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		to[i] += from[i];
}

static std::atomic<int> called{0};
static void CUDART_CB callback(cudaStream_t, cudaError_t status, void *data) { called += status == cudaSuccess ? *(int *)data : 1000; }
static void hostFunction(void *data) { called += *(int *)data; }

int main() {
	const int n = 4096, streams = 4;
	int least, greatest;
	CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	EXPECT(greatest <= least);
	cudaStream_t s[streams];
	cudaEvent_t e[streams];
	int *d[streams], *h, ten = 10, hundred = 100;
	CHECK(cudaHostAlloc(&h, n * sizeof(int), cudaHostAllocDefault));
	for (int i = 0; i < streams; i++) {
		if (i & 1)
			CHECK(cudaStreamCreateWithPriority(&s[i], cudaStreamNonBlocking, greatest));
		else
			CHECK(cudaStreamCreate(&s[i]));
		CHECK(cudaEventCreate(&e[i], cudaEventDisableTiming));
		CHECK(cudaMalloc(&d[i], n * sizeof(int)));
		fill<<<n / 256, 256, 0, s[i]>>>(d[i], n, i * 100);
		CHECK(cudaEventRecord(e[i], s[i]));
	}
	for (int i = 1; i < streams; i++) {
		CHECK(cudaStreamWaitEvent(s[0], e[i], 0));
		addTo<<<n / 256, 256, 0, s[0]>>>(d[0], d[i], n);
	}
	CHECK(cudaMemcpyAsync(h, d[0], n * sizeof(int), cudaMemcpyDeviceToHost, s[0]));
	CHECK(cudaStreamAddCallback(s[0], callback, &ten, 0));
	CHECK(cudaLaunchHostFunc(s[0], hostFunction, &hundred));
	CHECK(cudaStreamSynchronize(s[0]));
	EXPECT(called == 110);
	for (int i = 0; i < n; i++)
		EXPECT(h[i] == 600 + 4 * i);
	for (int i = 0; i < streams; i++) {
		CHECK(cudaStreamSynchronize(s[i]));
		CHECK(cudaStreamQuery(s[i]));
		CHECK(cudaEventQuery(e[i]));
		CHECK(cudaStreamDestroy(s[i]));
		CHECK(cudaEventDestroy(e[i]));
		CHECK(cudaFree(d[i]));
	}
	CHECK(cudaFreeHost(h));
	printf("ok\n");
}
