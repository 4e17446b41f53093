// Names that a program gives memory, in messages.
//
// STDERR ^simtrun: module1\.ptx:\d+:\d+: error: load past the end of host memory 2 \(biases of layer 3\) \[mem-oob\]
#include "check.h"

int main(void)
{
	CUdeviceptr p;
	int n = 1, *host;
	CUfunction add;

	begin();
	add = kernel(PTX_ADD, "add");
	OK(cuMemAlloc(&p, 64));
	OK(cuMemAllocHost((void **)&host, 64));
	OK(simtrunNameMemory(p + 8, "weights"));
	OK(simtrunNameMemory((CUdeviceptr)(size_t)host, "biases"));
	OK(simtrunNameMemory((CUdeviceptr)(size_t)host, "biases of layer 3"));
	WANT(CUDA_ERROR_INVALID_VALUE, simtrunNameMemory(p, NULL));
	OK(cuMemFree(p));
	WANT(CUDA_ERROR_INVALID_VALUE, simtrunNameMemory(p, "weights"));
	WANT(CUDA_ERROR_INVALID_VALUE, simtrunNameMemory(16, "nothing"));
	OK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&host, &n}, 0));
	WANT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
	return failures != 0;
}
