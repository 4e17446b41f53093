// Libraries of kernels that the program loads, from memory and from a file: their kernels and variables, launched and asked about as the program's own,
// and kernels of the program as values.
#include "check.h"
#include <cstring>
#include <string>
#include <unistd.h>

static const char ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
                          ".visible .global .align 4 .u32 bias = 100;\n"
                          ".visible .entry scale(.param .u64 p, .param .u32 factor) .maxntid 64, 1, 1 {\n"
                          ".reg .b32 %r<5>; .reg .b64 %d<4>;\n"
                          "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [factor]; mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2;\n"
                          "ld.global.u32 %r3, [%d3]; ld.global.u32 %r4, [bias]; mad.lo.u32 %r3, %r3, %r1, %r4; st.global.u32 [%d3], %r3; ret;\n}\n"
                          ".visible .entry nothing() { ret; }\n";

__global__ void increment(int *p) { p[threadIdx.x]++; }

static void scaled(cudaLibrary_t library, int bias) {
	cudaKernel_t kernel;
	int *p, factor = 3;
	CHECK(cudaLibraryGetKernel(&kernel, library, "scale"));
	CHECK(cudaMallocManaged(&p, 32 * sizeof(int)));
	for (int i = 0; i < 32; i++)
		p[i] = i;
	void *args[] = {&p, &factor};
	CHECK(cudaLaunchKernel((void *)kernel, 1, 32, args));
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 32; i++)
		EXPECT(p[i] == 3 * i + bias);
	cudaFuncAttributes attr;
	CHECK(cudaFuncGetAttributes(&attr, kernel));
	EXPECT(attr.maxThreadsPerBlock == 64 && attr.ptxVersion == 50);
	const char *name;
	CHECK(cudaFuncGetName(&name, kernel));
	EXPECT(strcmp(name, "scale") == 0);
	int blocks;
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)kernel, 64, 0));
	EXPECT(blocks > 1);
	CHECK(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10, 0));
	CHECK(cudaFuncGetAttributes(&attr, kernel));
	EXPECT(attr.maxDynamicSharedSizeBytes == 64 << 10);
	CHECK(cudaFree(p));
}

int main() {
	cudaLibrary_t library, other;
	cudaKernel_t kernel, all[4] = {};
	unsigned int n;
	CHECK(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
	scaled(library, 100);
	CHECK(cudaLibraryGetKernelCount(&n, library));
	CHECK(cudaLibraryEnumerateKernels(all, n, library));
	EXPECT(n == 2 && all[0] != nullptr && all[1] != nullptr && all[0] != all[1]);
	EXPECT(cudaLibraryGetKernel(&kernel, library, "none") == cudaErrorSymbolNotFound);
	unsigned int *bias, seven = 7;
	size_t size;
	CHECK(cudaLibraryGetGlobal(&bias, &size, library, "bias"));
	EXPECT(size == 4);
	CHECK(cudaMemcpy(bias, &seven, sizeof(seven), cudaMemcpyHostToDevice));
	scaled(library, 7);

	char path[] = "/tmp/simtrun-library-XXXXXX";
	int file = mkstemp(path);
	EXPECT(write(file, ptx, sizeof(ptx) - 1) == (ssize_t)sizeof(ptx) - 1 && close(file) == 0);
	CHECK(cudaLibraryLoadFromFile(&other, path, nullptr, nullptr, 0, nullptr, nullptr, 0));
	unlink(path);
	scaled(other, 100);
	CHECK(cudaLibraryUnload(other));

	char log[1000] = "";
	cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
	void *values[] = {log, (void *)sizeof(log)};
	EXPECT(cudaLibraryLoadData(&other, ".version 7.0\n.target sm_50\n.address_size 64\n.entry k() { wrong; }\n", options, values, 2, nullptr, nullptr, 0) ==
	       cudaErrorInvalidPtx);
	EXPECT(strstr(log, "wrong") != nullptr);
	cudaGetLastError();

	int *p;
	CHECK(cudaMallocManaged(&p, 32 * sizeof(int)));
	memset(p, 0, 32 * sizeof(int));

	/* Parameters that a node tells can be given to it. */
	cudaGraph_t graph;
	cudaGraphNode_t node;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaLibraryGetKernel(&kernel, library, "scale"));
	int factor = 2;
	void *given[] = {&p, &factor};
	cudaKernelNodeParams params = {(void *)kernel, 1, 32, 0, given, nullptr}, told = {};
	CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
	CHECK(cudaGraphKernelNodeGetParams(node, &told));
	EXPECT(told.func == (void *)kernel);
	CHECK(cudaGraphKernelNodeSetParams(node, &told));
	EXPECT(cudaGraphAddKernelNode(&node, graph, nullptr, 0, nullptr) == cudaErrorInvalidValue);
	EXPECT(cudaGraphAddNode(&node, graph, nullptr, 0, nullptr) == cudaErrorInvalidValue);
	CHECK(cudaGraphDestroy(graph));

	CHECK(cudaGetKernel(&kernel, increment));
	void *args[] = {&p};
	CHECK(cudaLaunchKernel((void *)kernel, 1, 32, args));
	CHECK(cudaDeviceSynchronize());
	EXPECT(p[0] == 1 && p[31] == 1);
	EXPECT(cudaGetKernel(&kernel, &seven) == cudaErrorInvalidDeviceFunction);
	EXPECT(cudaLaunchKernel((void *)&seven, 1, 32, args) == cudaErrorInvalidDeviceFunction);
	CHECK(cudaLibraryUnload(library));
	printf("ok\n");
}
