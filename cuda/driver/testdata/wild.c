// Addresses of the host's memory that a kernel accesses are named as such.
//
// RUN heap
// STDERR ^  hint    the address is in memory of the host \((the heap|mapped by malloc or mmap)\), which the GPU does not see: copy it, or allocate it by cudaMallocManaged or cudaHostAlloc$
// RUN stack
// STDERR ^  hint    the address is in memory of the host \(the stack\)
// RUN variable
// STDERR ^  hint    the address is in memory of the host \(variables or code of /.*/wild\)
// RUN overflow
// STDERR ^  hint    element -2147483000 of allocation 1, which is 2\^32 below element 2147484296 \(4 bytes each\): a 32-bit index has overflowed; compute it in 64 bits$
#include "check.h"

static int variable[64] = {1};

int main(int argc, char **argv)
{
	int onStack[64], n = 1;
	int *onHeap = malloc(256);
	CUdeviceptr p = (CUdeviceptr)(size_t)onHeap;

	begin();
	if (argc > 1 && strcmp(argv[1], "stack") == 0)
		p = (CUdeviceptr)(size_t)onStack;
	else if (argc > 1 && strcmp(argv[1], "variable") == 0)
		p = (CUdeviceptr)(size_t)variable;
	else if (argc > 1 && strcmp(argv[1], "overflow") == 0) {
		OK(cuMemAlloc(&p, 4096));
		p += 4 * -2147483000L;
	}
	OK(cuLaunchKernel(kernel(PTX_ADD, "add"), 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&p, &n}, 0));
	WANT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
	return failures != 0;
}
