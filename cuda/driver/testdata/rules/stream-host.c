#include <cuda.h>

int main(void)
{
	CUcontext ctx;
	CUdeviceptr p;
	int *host;

	cuInit(0);
	cuCtxCreate(&ctx, 0, 0);
	cuMemAlloc(&p, 4);
	cuMemAllocHost((void **)&host, 4);
	*host = 1;
	cuMemcpyHtoDAsync(p, host, 4, 0);
	*host = 2;
	cuCtxSynchronize();
	cuMemFree(p);
	cuMemFreeHost(host);
	return 0;
}
