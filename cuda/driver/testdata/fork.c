// A process that is forked after cuInit has no driver: it answers that it is not initialised, and does not hang. The parent goes on.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	int status = -1, n;
	CUdeviceptr p;

	begin();
	OK(cuMemAlloc(&p, 4));
	pid_t child = fork();
	if (child == 0) {
		CUdeviceptr q;
		CUcontext ctx;
		int value;
		alarm(20);
		WANT(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&q, 4));
		WANT(CUDA_ERROR_NOT_INITIALIZED, cuMemcpyDtoH(&value, p, 4));
		WANT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&n));
		WANT(CUDA_ERROR_NOT_INITIALIZED, cuCtxCreate(&ctx, 0, 0));
		WANT(CUDA_ERROR_NOT_INITIALIZED, cuInit(0));
		const char *text = NULL;
		OK(cuGetErrorString(CUDA_ERROR_NOT_INITIALIZED, &text)); /* which needs nothing */
		HAVE(0, strcmp(text, "initialization error"));
		fflush(stdout);
		_exit(failures != 0);
	}
	TRUE(child > 0 && waitpid(child, &status, 0) == child);
	HAVE(0, status);
	OK(cuMemsetD32(p, 1, 1));
	OK(cuDeviceGetCount(&n));
	HAVE(1, n);
	return failures != 0;
}
