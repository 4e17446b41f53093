#include <cuda.h>

int main(void)
{
	CUcontext ctx;
	CUstream fills, copies;
	CUdeviceptr p, q;

	cuInit(0);
	cuCtxCreate(&ctx, 0, 0);
	cuStreamCreate(&fills, CU_STREAM_NON_BLOCKING);
	cuStreamCreate(&copies, CU_STREAM_NON_BLOCKING);
	cuMemAlloc(&p, 256);
	cuMemAlloc(&q, 256);
	cuMemsetD8Async(p, 1, 256, fills);
	cuMemcpyDtoDAsync(q, p, 256, copies);
	cuCtxSynchronize();
	cuMemFree(p);
	cuMemFree(q);
	return 0;
}
