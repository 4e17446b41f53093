// Kernels that wait for the program: their launches go on beside it, and what is asked for behind them is deferred.
//
// RUN SIMTRUN_FUNCTIONAL=1
// RUN SIMTRUN_FUNCTIONAL=0 SIMTRUN_GPU=minimal
// RUN hang
// STDERR livelock: every spinning warp is back in an earlier state \[sync-spin\]
#include "check.h"

#include <pthread.h>
#include <unistd.h>

/* await waits until *flag is at least bound, and then adds what it is to *sum. pong does so for every value up to bound, and answers each
 * in flag[1]. tries counts the times that await looks, so that its state does not repeat. */
static const char source[] = PTX_HEAD
	".visible .entry await(.param .u64 flag, .param .u32 bound, .param .u64 sum, .param .u32 tries)\n"
	"{\n"
	".reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n"
	"ld.param.u64 %rd1, [flag];\nld.param.u32 %r1, [bound];\nld.param.u64 %rd2, [sum];\nld.param.u32 %r4, [tries];\n"
	"mov.u32 %r5, 0;\n"
	"AGAIN: add.u32 %r5, %r5, %r4;\nld.volatile.global.u32 %r2, [%rd1];\nsetp.lt.u32 %p, %r2, %r1;\n@%p bra AGAIN;\n"
	"red.global.add.u32 [%rd2], %r2;\n"
	"ret;\n}\n"
	".visible .entry pong(.param .u64 flag, .param .u32 bound)\n"
	"{\n"
	".reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n"
	"ld.param.u64 %rd1, [flag];\nld.param.u32 %r1, [bound];\nmov.u32 %r3, 0;\n"
	"NEXT: add.u32 %r3, %r3, 1;\n"
	"AGAIN: ld.volatile.global.u32 %r2, [%rd1];\nsetp.lt.u32 %p, %r2, %r3;\n@%p bra AGAIN;\n"
	"st.volatile.global.u32 [%rd1+4], %r3;\n"
	"setp.lt.u32 %p, %r3, %r1;\n@%p bra NEXT;\n"
	"ret;\n}\n";

static CUfunction await, pong;
static volatile unsigned *flag; /* of the program, mapped */
static CUdeviceptr sum;

static CUresult launch(CUstream s, CUdeviceptr f, unsigned bound, unsigned tries)
{
	return cuLaunchKernel(await, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){&f, &bound, &sum, &tries}, 0);
}

static CUdeviceptr mapped(void) { return (CUdeviceptr)(size_t)flag; }

static void reset(void)
{
	flag[0] = flag[1] = 0;
	OK(cuMemsetD32(sum, 0, 1));
}

static void hasSum(unsigned want)
{
	unsigned v = 77;
	OK(cuMemcpyDtoH(&v, sum, 4));
	HAVE(want, v);
}

static void queued(CUstream s, CUstream other, unsigned tries)
{
	CUevent done, untouched;
	unsigned *pinned, stack = 5;
	CUdeviceptr q;
	float ms;

	reset();
	OK(cuMemAllocHost((void **)&pinned, 8));
	OK(cuEventCreate(&done, 0));
	OK(cuEventCreate(&untouched, 0));
	OK(launch(s, mapped(), 3, tries));
	WANT(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
	OK(cuMemAlloc(&q, 4)); /* while the kernel runs */
	OK(cuMemcpyHtoDAsync(q, &stack, 4, s));
	stack = 6; /* it was read when that was asked for */
	OK(cuMemcpyDtoHAsync(&pinned[0], sum, 4, s));
	OK(cuMemcpyDtoHAsync(&pinned[1], q, 4, s));
	OK(cuEventRecord(done, s));
	OK(cuEventRecord(untouched, other));
	WANT(CUDA_ERROR_NOT_READY, cuEventQuery(done));
	WANT(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&ms, untouched, done));
	OK(cuEventQuery(untouched));
	OK(cuStreamQuery(other)); /* which does not wait for s */
	OK(cuMemsetD32Async(q, 9, 1, other));
	OK(cuStreamSynchronize(other));
	WANT(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
	flag[0] = 4;
	OK(cuStreamSynchronize(s));
	HAVE(4, pinned[0]);
	HAVE(5, pinned[1]);
	OK(cuStreamQuery(s));
	OK(cuEventQuery(done));
	OK(cuEventElapsedTime(&ms, untouched, done));
	hasSum(4);
	OK(cuMemFree(q));
	OK(cuMemFreeHost(pinned));
	OK(cuEventDestroy(done));
	OK(cuEventDestroy(untouched));
}

/* The flag is in the device's memory, and a copy in another stream sets it. */
static void copied(CUstream s, CUstream other)
{
	CUdeviceptr f;
	unsigned two = 2;

	reset();
	OK(cuMemAlloc(&f, 4));
	OK(cuMemsetD32(f, 0, 1));
	OK(launch(s, f, 2, 0));
	WANT(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
	OK(cuMemcpyHtoDAsync(f, &two, 4, other));
	OK(cuCtxSynchronize());
	hasSum(2);
	OK(cuMemFree(f));
}

/* The kernel and the program answer each other, without calls of the driver. */
static void answered(CUstream s)
{
	CUdeviceptr f = mapped();
	unsigned bound = 50;

	reset();
	OK(cuLaunchKernel(pong, 1, 1, 1, 1, 1, 1, 0, s, (void *[]){&f, &bound}, 0));
	for (unsigned i = 1; i <= bound; i++) {
		flag[0] = i;
		while (flag[1] < i)
			usleep(10);
	}
	OK(cuStreamSynchronize(s));
}

static int calls;

static void called(void *data) { calls = calls * 10 + *(int *)data; }

/* What waits for what: a second launch, a host function, and a stream by an event. */
static void behind(CUstream s, CUstream other)
{
	static int one = 1, two = 2, three = 3;
	CUevent e;

	reset();
	calls = 0;
	OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
	OK(launch(s, mapped(), 1, 0));
	OK(launch(s, mapped(), 2, 0)); /* waits, too */
	OK(cuLaunchHostFunc(s, called, &one));
	OK(cuEventRecord(e, s));
	OK(cuStreamWaitEvent(other, e, 0));
	OK(cuLaunchHostFunc(other, called, &two));
	OK(launch(other, mapped(), 0, 0)); /* does not wait for the program, but there is one launch at a time */
	OK(cuLaunchHostFunc(other, called, &three));
	WANT(CUDA_ERROR_NOT_READY, cuStreamQuery(other));
	HAVE(0, calls);
	flag[0] = 1;
	while (cuStreamQuery(s) == CUDA_ERROR_NOT_READY && flag[0] < 5) {
		usleep(2000);
		flag[0]++;
	}
	OK(cuStreamSynchronize(other));
	HAVE(123, calls);
	OK(cuEventSynchronize(e));
	OK(cuEventDestroy(e));
}

/* Two streams record one event, one after the other: each waits for the record before. */
static void twice(CUstream s, CUstream other)
{
	static int one = 1, two = 2, three = 3;
	CUevent e;

	reset();
	calls = 0;
	OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
	OK(launch(s, mapped(), 1, 0));
	OK(cuLaunchHostFunc(s, called, &one));
	OK(cuEventRecord(e, s));
	OK(cuStreamWaitEvent(other, e, 0));
	OK(cuLaunchHostFunc(other, called, &two));
	OK(cuEventRecord(e, other));
	OK(cuStreamWaitEvent(s, e, 0));
	OK(cuLaunchHostFunc(s, called, &three));
	OK(cuEventRecord(e, s));
	WANT(CUDA_ERROR_NOT_READY, cuEventQuery(e));
	flag[0] = 1;
	OK(cuEventSynchronize(e));
	HAVE(123, calls);
	OK(cuEventDestroy(e));
}

/* An event is what it was made last: in a stream that waits for the program, or in a capture, whichever record was later. */
static void captured(CUstream s, CUstream other)
{
	CUstreamCaptureStatus status;
	CUstream origin;
	CUgraph g;
	CUevent e;

	reset();
	OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));
	OK(cuStreamCreate(&origin, CU_STREAM_NON_BLOCKING));
	OK(launch(s, mapped(), 1, 0));
	OK(cuEventRecord(e, s));
	OK(cuStreamBeginCapture(origin, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuEventRecord(e, origin));
	flag[0] = 1;
	OK(cuStreamSynchronize(s));
	OK(cuStreamWaitEvent(other, e, 0)); /* joins the capture */
	OK(cuStreamIsCapturing(other, &status));
	HAVE(CU_STREAM_CAPTURE_STATUS_ACTIVE, status);
	OK(cuEventRecord(e, other));
	OK(cuStreamWaitEvent(origin, e, 0));
	OK(cuStreamEndCapture(origin, &g));
	OK(cuGraphDestroy(g));

	reset();
	OK(launch(s, mapped(), 1, 0));
	OK(cuEventRecord(e, s)); /* of the capture no more, before the record is made */
	OK(cuStreamWaitEvent(other, e, 0));
	WANT(CUDA_ERROR_NOT_READY, cuStreamQuery(other));
	flag[0] = 1;
	OK(cuStreamSynchronize(other));

	/* A node of a graph waits as a stream does. */
	CUgraphExec exec;
	CUgraphNode node;
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddEventWaitNode(&node, g, NULL, 0, e));
	OK(cuGraphInstantiate(&exec, g, 0));
	OK(cuGraphLaunch(exec, other)); /* the record is made */
	OK(cuStreamQuery(other));
	reset();
	OK(launch(s, mapped(), 1, 0));
	OK(cuEventRecord(e, s));
	OK(cuGraphLaunch(exec, other));
	WANT(CUDA_ERROR_NOT_READY, cuStreamQuery(other));
	flag[0] = 1;
	OK(cuStreamSynchronize(other));
	OK(cuEventQuery(e));
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(g));
	OK(cuStreamDestroy(origin));
	OK(cuEventDestroy(e));
}

static void *writes(void *unused)
{
	usleep(30000);
	flag[0] = 8;
	return unused;
}

/* Another thread writes while this one waits in a call: to synchronise, to copy, to free. */
static void threads(CUstream s)
{
	for (int way = 0; way < 4; way++) {
		pthread_t t;
		unsigned v = 0;
		CUdeviceptr f;

		reset();
		OK(cuMemAlloc(&f, 4));
		OK(launch(way == 1 ? 0 : s, mapped(), 8, 0));
		TRUE(pthread_create(&t, NULL, writes, NULL) == 0);
		switch (way) {
		case 0: OK(cuCtxSynchronize()); break;
		case 1: OK(cuMemcpyDtoH(&v, sum, 4)); HAVE(8, v); break;
		case 2: OK(cuMemFree(f)); break;
		case 3: OK(cuMemcpyDtoHAsync(&v, sum, 4, s)); HAVE(8, v); break; /* into memory that is not page-locked */
		}
		TRUE(pthread_join(t, NULL) == 0);
		hasSum(8);
		if (way != 2)
			OK(cuMemFree(f));
	}
}

int main(int argc, char **argv)
{
	CUstream s, other;
	CUcontext c = begin();

	await = kernel(source, "await");
	pong = kernel(source, "pong");
	OK(cuMemAllocHost((void **)&flag, 64));
	OK(cuMemAlloc(&sum, 4));
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	reset();
	if (argc > 1 && strcmp(argv[1], "hang") == 0) {
		OK(launch(s, mapped(), 1, 0));
		WANT(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
		WANT(CUDA_ERROR_LAUNCH_TIMEOUT, cuStreamSynchronize(s));
		WANT(CUDA_ERROR_LAUNCH_TIMEOUT, cuStreamQuery(s));
		return failures != 0;
	}
	queued(s, other, 0);
	if (getenv("SIMTRUN_GPU") == NULL) /* without a clock a kernel that counts is found to wait, too */
		queued(s, other, 1);
	queued(0, s, 0);
	copied(s, other);
	answered(s);
	behind(s, other);
	captured(s, other);
	twice(s, other);
	threads(s);
	OK(cuCtxDestroy(c));
	return failures != 0;
}
