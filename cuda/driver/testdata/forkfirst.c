// Processes that are forked before cuInit have a driver each, as has the parent afterwards; what was called before needs no driver. A child
// that is forked behind cuInit has none.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

enum { DRIVER_VERSION = 13010 };

/* square has each of n numbers squared by a kernel. */
static void square(int n)
{
	static const char ptx[] = PTX_HEAD
		".visible .entry square(.param .u64 p) {\n"
		"ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n"
		"mul.lo.u32 %r2, %r1, %r1; st.global.u32 [%rd1], %r2; ret; }\n";
	int got[32];
	CUdeviceptr p;
	void *params[] = {&p};

	begin();
	OK(cuMemAlloc(&p, sizeof got));
	OK(cuLaunchKernel(kernel(ptx, "square"), 1, 1, 1, n, 1, 1, 0, 0, params, NULL));
	OK(cuMemcpyDtoH(got, p, sizeof got));
	for (int i = 0; i < n; i++)
		HAVE(i * i, got[i]);
}

/* child is the exit status of a child that does what is asked for. */
static int child(void (*does)(int), int n)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(60);
		failures = 0;
		does(n);
		fflush(stdout);
		_exit(failures != 0);
	}
	TRUE(pid > 0 && waitpid(pid, &status, 0) == pid);
	return status;
}

static void none(int n)
{
	int count;

	WANT(CUDA_ERROR_NOT_INITIALIZED, cuInit(0));
	WANT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
	OK(cuDriverGetVersion(&count));
	HAVE(n, count);
}

static void grandchild(int n)
{
	HAVE(0, child(square, n));
	square(n);
	HAVE(0, child(none, DRIVER_VERSION));
}

int main(void)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	int version, count;
	void *fn = NULL;

	OK(cuDriverGetVersion(&version));
	HAVE(DRIVER_VERSION, version);
	WANT(CUDA_ERROR_INVALID_VALUE, cuDriverGetVersion(NULL));
	OK(cuGetProcAddress("cuInit", &fn, version, 0, NULL));
	TRUE(fn == (void *)cuInit);
	OK(cuThreadExchangeStreamCaptureMode(&mode));
	WANT(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
	HAVE(0, child(square, 32));
	HAVE(0, child(grandchild, 20));
	square(32);
	HAVE(0, child(none, DRIVER_VERSION));
	square(31);
	return failures != 0;
}
