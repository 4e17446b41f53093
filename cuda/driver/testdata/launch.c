// Launches: their forms, what is wrong with them, shared memory that is opted in to, cooperative ones, and threads.
// STDERR ^simtrun: add: 1025 threads in a block
#include "check.h"

#include <pthread.h>

static CUfunction add;

static void sum(CUdeviceptr p, int n, int want)
{
	int got[64];
	OK(cuMemcpyDtoH(got, p, 4 * n));
	for (int i = 0; i < n; i++)
		HAVE(want, got[i]);
}

static void forms(void)
{
	CUdeviceptr p;
	CUstream s;
	int n = 3;

	OK(cuStreamCreate(&s, 0));
	OK(cuMemAlloc(&p, 64 * 4));
	OK(cuMemsetD32(p, 0, 64));
	OK(cuLaunchKernel(add, 2, 1, 1, 32, 1, 1, 0, 0, (void *[]){&p, &n}, 0));
	OK(cuLaunchKernel(add, 4, 1, 1, 16, 1, 1, 0, s, (void *[]){&p, &n}, 0));
	OK(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, CU_STREAM_LEGACY, (void *[]){&p, &n}, 0));
	OK(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, CU_STREAM_PER_THREAD, (void *[]){&p, &n}, 0));
	sum(p, 64, 12);

	/* All parameters in one block. */
	struct {
		CUdeviceptr p;
		int n;
	} block = {p, 10};
	size_t size = 12;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
	void *swapped[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_END};
	OK(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, s, NULL, extra));
	size = sizeof block; /* with what pads it */
	OK(cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, s, NULL, swapped));
	sum(p, 64, 32);
	size = 11;
	WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, s, NULL, extra));
	void *no_buffer[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END}, *no_size[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_END};
	WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, s, NULL, no_buffer));
	WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, s, NULL, no_size));
	/* Both at once is an error, as the documentation has it. */
	size = 12;
	WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, s, (void *[]){&p, &n}, extra));

	CUlaunchConfig config = {.gridDimX = 2, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1, .hStream = s};
	OK(cuLaunchKernelEx(&config, add, (void *[]){&p, &n}, 0));
	CUlaunchAttribute attributes[] = {{.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {2, 1, 1}}, {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value.priority = 0},
		{.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1}};
	config.attrs = attributes, config.numAttrs = 2;
	OK(cuLaunchKernelEx(&config, add, NULL, extra));
	config.attrs = attributes + 2, config.numAttrs = 1;
	OK(cuLaunchKernelEx(&config, add, (void *[]){&p, &n}, 0));
	OK(cuLaunchCooperativeKernel(add, 2, 1, 1, 32, 1, 1, 0, s, (void *[]){&p, &n}));
	sum(p, 64, 32 + 3 + 10 + 3 + 3);
	WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(NULL, add, (void *[]){&p, &n}, 0));
	config.attrs = NULL;
	WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernelEx(&config, add, (void *[]){&p, &n}, 0));

	static const unsigned int shapes[][6] = {{0, 1, 1, 32, 1, 1}, {1, 0, 1, 32, 1, 1}, {1, 1, 0, 32, 1, 1}, {1, 1, 1, 0, 1, 1}, {1, 1, 1, 1, 0, 1}, {1, 1, 1, 1, 1, 0},
		{1, 1, 1, 1025, 1, 1}, {1, 1, 1, 32, 33, 1}, {1, 1, 1, 1, 1, 65}, {1, 65536, 1, 1, 1, 1}, {1, 1, 65536, 1, 1, 1}, {0x80000000, 1, 1, 1, 1, 1}, {1, 1, 1, 0x10000, 0x10000, 1}};
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const unsigned int *g = shapes[i];
		WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, g[0], g[1], g[2], g[3], g[4], g[5], 0, s, (void *[]){&p, &n}, 0));
	}
	WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){&p, &n}, 0));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel((CUfunction)0x123456, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){&p, &n}, 0));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, (CUstream)0x123456, (void *[]){&p, &n}, 0));
	OK(cuStreamDestroy(s));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){&p, &n}, 0));
	OK(cuCtxSynchronize());
	OK(cuMemFree(p));
}

/* Dynamic shared memory: 48 KiB, less what is static, unless the kernel has opted in to up to 227 KiB. */
static void shared(void)
{
	static const char ptx[] = PTX_HEAD ".extern .shared .align 4 .b8 dyn[];\n"
		".visible .entry last(.param .u64 to, .param .u32 at)\n{\n.shared .align 4 .b8 own[1024];\n.reg .b32 %r<5>;\n.reg .b64 %d;\n"
		"ld.param.u64 %d, [to];\nld.param.u32 %r1, [at];\nmov.u32 %r2, dyn;\nadd.u32 %r2, %r2, %r1;\nmov.u32 %r3, 99;\nst.shared.u32 [own], %r1;\nst.shared.u32 [%r2], %r3;\n"
		"ld.shared.u32 %r4, [%r2];\nst.global.u32 [%d], %r4;\nret;\n}\n";
	enum { STATIC = 1024, DEFAULT = 48 << 10, MOST = 227 << 10 };
	CUfunction f = kernel(ptx, "last");
	CUdeviceptr p;
	int at, got, value = 0;

	OK(cuMemAlloc(&p, 4));
#define LAUNCH(bytes) cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, bytes, 0, (void *[]){&p, &at}, 0)
	at = DEFAULT - STATIC - 4;
	OK(LAUNCH(DEFAULT - STATIC));
	OK(cuMemcpyDtoH(&got, p, 4));
	HAVE(99, got);
	WANT(CUDA_ERROR_INVALID_VALUE, LAUNCH(DEFAULT - STATIC + 4));
	WANT(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, MOST - STATIC + 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
	OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, MOST - STATIC));
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f));
	HAVE(MOST - STATIC, value);
	at = MOST - STATIC - 4;
	OK(cuMemsetD32(p, 0, 1));
	OK(LAUNCH(MOST - STATIC));
	OK(cuMemcpyDtoH(&got, p, 4));
	HAVE(99, got);
	WANT(CUDA_ERROR_INVALID_VALUE, LAUNCH(MOST - STATIC + 4));
	OK(cuCtxSynchronize());
	OK(cuMemFree(p));
}

/* A cooperative launch has to be on the GPU at once: 132 SMs with 2048 threads each. */
static void cooperative(void)
{
	static const char ptx[] = PTX_HEAD ".visible .entry none()\n{\nret;\n}\n";
	CUfunction none = kernel(ptx, "none");

	OK(cuLaunchCooperativeKernel(none, 132 * 2, 1, 1, 1024, 1, 1, 0, 0, NULL));
	WANT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cuLaunchCooperativeKernel(none, 132 * 2 + 1, 1, 1, 1024, 1, 1, 0, 0, NULL));
	CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
	CUlaunchConfig config = {.gridDimX = 300, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1024, .blockDimY = 1, .blockDimZ = 1, .attrs = &attribute, .numAttrs = 1};
	WANT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cuLaunchKernelEx(&config, none, NULL, NULL));
	OK(cuCtxSynchronize()); /* it is no sticky error */
}

/* Threads that launch at the same time in one context, each with memory and streams of its own. */
static CUcontext context;

static void *launcher(void *arg)
{
	int n = (int)(intptr_t)arg, got[32];
	CUdeviceptr p;
	CUstream s;

	OK(cuCtxSetCurrent(context));
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuMemAlloc(&p, sizeof got));
	OK(cuMemsetD32Async(p, 0, 32, s));
	for (int i = 0; i < 300; i++)
		OK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, s, (void *[]){&p, &n}, 0));
	OK(cuMemcpyDtoHAsync(got, p, sizeof got, s));
	OK(cuStreamSynchronize(s));
	for (int i = 0; i < 32; i++)
		HAVE(300 * n, got[i]);
	OK(cuMemFree(p));
	OK(cuStreamDestroy(s));
	return NULL;
}

int main(void)
{
	pthread_t threads[4];

	context = begin();
	add = kernel(PTX_ADD, "add");
	forms();
	shared();
	cooperative();
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, launcher, (void *)(intptr_t)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return failures != 0;
}
