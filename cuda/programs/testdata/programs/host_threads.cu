//cc: -default-stream per-thread
// Threads of the host that launch at once, each in its own default stream.
#include "check.h"
#include <thread>
#include <vector>

__global__ void fill(int *p, int n, int v) {
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		p[i] = v * i;
}

int main() {
	const int threads = 6, n = 2000;
	std::vector<std::thread> all;
	std::vector<int> good(threads, 0);
	for (int t = 0; t < threads; t++)
		all.emplace_back([t, &good] {
			int *d;
			std::vector<int> h(n);
			CHECK(cudaMalloc(&d, n * sizeof(int)));
			for (int k = 0; k < 5; k++) {
				fill<<<1, 64>>>(d, n, t + k);
				CHECK(cudaMemcpyAsync(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost, cudaStreamPerThread));
				CHECK(cudaStreamSynchronize(cudaStreamPerThread));
				for (int i = 0; i < n; i++)
					good[t] += h[i] == (t + k) * i;
			}
			CHECK(cudaFree(d));
			EXPECT(cudaGetLastError() == cudaSuccess);
		});
	for (auto &t : all)
		t.join();
	for (int g : good)
		EXPECT(g == 5 * n);
	printf("ok\n");
}
