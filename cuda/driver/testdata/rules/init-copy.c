#include <cuda.h>

int main(void)
{
	CUcontext ctx;
	CUdeviceptr x, y;
	int host[64];

	cuInit(0);
	cuCtxCreate(&ctx, 0, 0);
	cuMemAlloc(&x, 256);
	cuMemAlloc(&y, 256);
	cuMemsetD32(x, 1, 64);
	cuMemcpyDtoH(host, y, 256);
	cuMemFree(x);
	cuMemFree(y);
	return 0;
}
