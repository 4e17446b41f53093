// A captured graph, launched often, and one that is put together by hand.
#include "check.h"

__global__ void axpy(float *y, const float *x, float a, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] += a * x[i];
}

int main() {
	const int n = 1000;
	float *x, *y, hx[n], hy[n];
	for (int i = 0; i < n; i++)
		hx[i] = i, hy[i] = 1;
	CHECK(cudaMalloc(&x, sizeof(hx)));
	CHECK(cudaMalloc(&y, sizeof(hy)));
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemcpyAsync(x, hx, sizeof(hx), cudaMemcpyHostToDevice, stream));
	for (int k = 0; k < 4; k++)
		axpy<<<(n + 255) / 256, 256, 0, stream>>>(y, x, 0.5f, n);
	CHECK(cudaStreamEndCapture(stream, &graph));
	size_t nodes = 0;
	CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
	EXPECT(nodes == 5);
	CHECK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
	CHECK(cudaMemcpy(y, hy, sizeof(hy), cudaMemcpyHostToDevice));
	for (int k = 0; k < 3; k++)
		CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(hy, y, sizeof(hy), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(hy[i] == 1 + 6.0f * i);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));

	cudaGraphNode_t set, run, copy;
	CHECK(cudaGraphCreate(&graph, 0));
	cudaMemsetParams fill = {};
	fill.dst = y, fill.value = 0, fill.elementSize = 4, fill.width = n, fill.height = 1;
	CHECK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
	float a = 2;
	int count = n;
	void *args[] = {&y, &x, &a, &count};
	cudaKernelNodeParams params = {};
	params.func = (void *)axpy, params.gridDim = dim3(4), params.blockDim = dim3(256), params.kernelParams = args;
	CHECK(cudaGraphAddKernelNode(&run, graph, &set, 1, &params));
	CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &run, 1, hy, y, sizeof(hy), cudaMemcpyDeviceToHost));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	for (int i = 0; i < n; i++)
		EXPECT(hy[i] == 2.0f * i);
	printf("ok\n");
}
