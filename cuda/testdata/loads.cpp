// Loads the module named by its argument, and runs its kernel k(int *).
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
int main(int, char **argv) {
	static char image[1 << 16];
	FILE *f = fopen(argv[1], "rb");
	if (f == nullptr || fread(image, 1, sizeof(image), f) == 0)
		return 1;
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction k;
	CUdeviceptr p;
	int got = 0;
	void *args[] = {&p};
	if (cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, 0, device) || cuModuleLoadFatBinary(&module, image) ||
	    cuModuleGetFunction(&k, module, "_Z1kPi") || cuMemAlloc(&p, 4) || cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr) ||
	    cuMemcpyDtoH(&got, p, 4))
		return 2;
	printf("%d\n", got);
}
