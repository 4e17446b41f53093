#include <cuda.h>

int main(void)
{
	CUcontext ctx;
	CUdeviceptr p;
	float host[256];

	cuInit(0);
	cuCtxCreate(&ctx, 0, 0);
	cuMemAlloc(&p, 256);
	cuMemcpyHtoD(p, host, sizeof host);
	return 0;
}
