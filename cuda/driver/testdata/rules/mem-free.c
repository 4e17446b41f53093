#include <cuda.h>

int main(void)
{
	CUcontext ctx;
	CUdeviceptr p;

	cuInit(0);
	cuCtxCreate(&ctx, 0, 0);
	cuMemAlloc(&p, 256);
	cuMemFree(p);
	cuMemFree(p);
	return 0;
}
