// Calls that fail, and memory that is never freed, as the checks api and leak report them. Questions that are answered by no, and a kernel's
// failure that later calls return, are no mistakes.
//
// RUN SIMTRUN_CHECK=api,leak
// STDERR ^simtrun: testdata/misuse\.c:56: error: cuMemFree returned CUDA_ERROR_INVALID_VALUE: allocation 2 \(freed twice\) was freed at testdata/misuse\.c:43 before \[mem-free\]$
// STDERR ^simtrun: testdata/misuse\.c:58: error: cuMemFree returned CUDA_ERROR_INVALID_VALUE: nothing is allocated at 0x1234 \[mem-free\]$
// STDERR ^simtrun: testdata/misuse\.c:59: error: cuMemFree returned CUDA_ERROR_INVALID_VALUE: 0x[0-9a-f]+ is byte 4 of allocation 1 \(leaked\), which starts at 0x[0-9a-f]+ \[mem-free\]$
// STDERR ^simtrun: testdata/misuse\.c:60: error: cuMemFreeHost returned CUDA_ERROR_INVALID_VALUE: host memory 3 \(testdata/misuse\.c:41\) was freed at testdata/misuse\.c:42 before \[mem-free\]$
// STDERR ^simtrun: testdata/misuse\.c:61: error: cuMemcpyDtoH returned CUDA_ERROR_INVALID_VALUE: 901 bytes at byte 100 of allocation 1 \(leaked\), which has only 1000 bytes \[api-failed\]$
// STDERR ^simtrun: testdata/misuse\.c:62: error: cuMemcpyHtoD returned CUDA_ERROR_INVALID_VALUE: allocation 2 \(freed twice\) was freed at testdata/misuse\.c:43 \[api-failed\]$
// STDERR ^simtrun: testdata/misuse\.c:63: error: cuMemcpyDtoH returned CUDA_ERROR_INVALID_VALUE: nothing is allocated at 0x[0-9a-f]+, 8 bytes past the end of allocation 1 \(leaked\) \[api-failed\]$
// STDERR ^simtrun: testdata/misuse\.c:64: error: cuStreamDestroy returned CUDA_ERROR_INVALID_HANDLE: .
// STDERR ^simtrun: testdata/misuse\.c:65: error: cudaMemcpy returned cudaErrorInvalidMemcpyDirection \[api-failed\]$
// STDERR ^simtrun: testdata/misuse\.c:37: error: allocation 1 \(leaked\) of 1000 bytes was never freed \[mem-leak\]$
// RUN SIMTRUN_CHECK=api,leak right
// RUN SIMTRUN_CHECK=leak
// STDERR ^simtrun: .*:57: error: cuMemFree.*\[mem-free\]
// STDERR leaked.*\[mem-leak\]\n\z
// RUN wrong
#include "check.h"

static CUdeviceptr freedAtExit;

static void atEnd(void) { OK(cuMemFree(freedAtExit)); }

int main(int argc, char **argv)
{
	CUdeviceptr leaked, twice, base;
	void *host;
	char bytes[1000];
	size_t size;
	CUevent event;
	CUmodule module;
	CUfunction fn;

	begin();
	OK(cuMemAlloc(&leaked, 1000));
	OK(simtrunNameMemory(leaked, "leaked"));
	OK(cuMemAlloc(&twice, 64));
	OK(simtrunNameMemory(twice, "freed twice"));
	OK(cuMemAllocHost(&host, 64));
	OK(cuMemFreeHost(host));
	OK(cuMemFree(twice));
	OK(cuMemAlloc(&freedAtExit, 10));
	atexit(atEnd);
	/* Questions. */
	WANT(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&base, &size, 0x1234));
	OK(cuModuleLoadData(&module, PTX_ADD));
	WANT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&fn, module, "none"));
	OK(cuEventCreate(&event, 0));
	OK(cuEventQuery(event));
	if (argc > 1 && strcmp(argv[1], "right") == 0) {
		OK(cuMemFree(leaked));
		return failures != 0;
	}
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(twice));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(twice));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(0x1234));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(leaked + 4));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(host));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(bytes, leaked + 100, 901));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(twice, bytes, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(bytes, leaked + 1008, 4));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy((CUstream)0x1230));
	OK(simtrunCallFails("cudaMemcpy", "cudaErrorInvalidMemcpyDirection"));
	OK(simtrunCallFails("cudaEventQuery", "cudaErrorInvalidResourceHandle"));
	return failures != 0;
}
