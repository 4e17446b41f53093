// Functions that cuGetProcAddress gives have the types of cudaTypedefs.h.
#include <cuda.h>
#include <cudaTypedefs.h>

#include "check.h"

int main(void) {
	OK(cuInit(0));
	PFN_cuDeviceGetCount count;
	OK(cuGetProcAddress("cuDeviceGetCount", (void **)&count, 12000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
	int n = 0;
	OK(count(&n));
	TRUE(n == 1);

	// A version has a type of its own: that of CUDA 12 here.
	PFN_cuTensorMapEncodeTiled_v12000 encode;
	PFN_cuTensorMapEncodeTiled same;
	OK(cuGetProcAddress("cuTensorMapEncodeTiled", (void **)&encode, 12000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
	same = encode;
	TRUE(same == cuTensorMapEncodeTiled);

	PFN_cuMemAlloc_v3020 alloc;
	OK(cuGetProcAddress("cuMemAlloc", (void **)&alloc, 12000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
	TRUE(alloc == cuMemAlloc_v2);
	return 0;
}
