#include <cuda.h>

int main(void)
{
	CUcontext ctx;
	CUdeviceptr rows[3];

	cuInit(0);
	cuCtxCreate(&ctx, 0, 0);
	for (int i = 0; i < 3; i++)
		cuMemAlloc(&rows[i], 1000);
	cuMemFree(rows[1]);
	return 0;
}
