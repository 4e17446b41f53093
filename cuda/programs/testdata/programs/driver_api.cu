//cc: -lcuda
// Both APIs in one program: the driver's contexts and modules beside a kernel of the runtime.
#include "check.h"
#include <cstring>
#include <cuda.h>
#ifndef __cuda_cuda_h__
#error headers for both APIs ask so whether the driver's is there
#endif

#define DRIVER(call)                                                                   \
	do {                                                                                 \
		CUresult r_ = (call);                                                              \
		const char *name_ = "?";                                                           \
		if (r_ != CUDA_SUCCESS) {                                                          \
			cuGetErrorName(r_, &name_);                                                      \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name_);            \
			exit(1);                                                                         \
		}                                                                                  \
	} while (0)

static const char ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry triple(.param .u64 p) {\n"
                          ".reg .b32 %r<3>; .reg .b64 %rd<4>;\n"
                          "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
                          "ld.global.u32 %r2, [%rd3]; mul.lo.u32 %r2, %r2, 3; st.global.u32 [%rd3], %r2; ret;\n}\n";

__global__ void increment(int *p) { p[threadIdx.x]++; }

int main() {
	CUdevice device;
	CUcontext context, current;
	CUmodule module;
	CUfunction function;
	char name[100];
	DRIVER(cuInit(0));
	DRIVER(cuDeviceGet(&device, 0));
	DRIVER(cuDeviceGetName(name, sizeof(name), device));
	EXPECT(strlen(name) > 0);
	DRIVER(cuDevicePrimaryCtxRetain(&context, device));
	DRIVER(cuCtxSetCurrent(context));
	DRIVER(cuModuleLoadData(&module, ptx));
	DRIVER(cuModuleGetFunction(&function, module, "triple"));
	int h[32], *d;
	for (int i = 0; i < 32; i++)
		h[i] = i;
	CHECK(cudaMalloc(&d, sizeof(h)));
	DRIVER(cuMemcpyHtoD((CUdeviceptr)d, h, sizeof(h)));
	increment<<<1, 32>>>(d);
	void *args[] = {&d};
	DRIVER(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, args, 0));
	CHECK(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		EXPECT(h[i] == 3 * (i + 1));
	DRIVER(cuCtxGetCurrent(&current));
	EXPECT(current == context);
	CUctxCreateParams params = {};
	DRIVER(cuCtxCreate(&current, &params, 0, device)); // as CUDA 13 has it
	EXPECT(current != context);
	DRIVER(cuCtxDestroy(current));

	// Headers of libraries name what is declared and not supported yet.
	CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	decltype(cuDeviceGetDevResource) *resourceOf = nullptr;
	DRIVER(cuGetProcAddress("cuDeviceGetCount", (void **)&resourceOf, 12040, CU_GET_PROC_ADDRESS_DEFAULT, &found));
	EXPECT(found == CU_GET_PROC_ADDRESS_SUCCESS);
	CUdevResource resource = {};
	EXPECT(sizeof(resource) == 144 && sizeof(resource.sm) == 4);
	EXPECT(cuDeviceGetDevResource(device, &resource, CU_DEV_RESOURCE_TYPE_SM) == CUDA_ERROR_NOT_SUPPORTED);
	CUmulticastObjectProp multicast = {2, 1 << 21, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0};
	size_t granularity;
	EXPECT(cuMulticastGetGranularity(&granularity, &multicast, CU_MULTICAST_GRANULARITY_MINIMUM) == CUDA_ERROR_NOT_SUPPORTED);
	printf("ok\n");
}
