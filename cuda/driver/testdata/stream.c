// Streams, events, callbacks, and captures over streams.
//
// RUN SIMTRUN_FUNCTIONAL=1
// RUN SIMTRUN_FUNCTIONAL=0
#include "check.h"

#include <pthread.h>

static CUfunction add;
static CUdeviceptr p;

static CUresult launch(CUstream s, int n) { return cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, s, (void *[]){&p, &n}, 0); }

static int first(void)
{
	int v = -1;
	OK(cuMemcpyDtoH(&v, p, 4));
	return v;
}

static void streams(void)
{
	CUstream s = NULL, t = NULL;
	CUcontext ctx = NULL, of = NULL;
	unsigned int flags = 99;
	unsigned long long a = 0, b = 0;
	int priority = 99;

	OK(cuCtxGetCurrent(&ctx));
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreateWithPriority(&t, CU_STREAM_DEFAULT, -1));
	OK(cuStreamGetFlags(s, &flags));
	HAVE(CU_STREAM_NON_BLOCKING, flags);
	OK(cuStreamGetPriority(t, &priority));
	HAVE(-1, priority);
	OK(cuStreamGetPriority(s, &priority));
	HAVE(0, priority);
	OK(cuStreamGetId(s, &a));
	OK(cuStreamGetId(t, &b));
	TRUE(a != b);
	OK(cuStreamGetCtx(s, &of));
	TRUE(of == ctx);
	OK(cuStreamGetCtx(0, &of));
	TRUE(of == ctx);
	OK(cuStreamQuery(s));
	OK(cuStreamQuery(0));
	OK(cuStreamSynchronize(s));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&s, 0x70));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(NULL, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamGetFlags(s, NULL));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuStreamGetFlags((CUstream)0x1234, &flags));
	OK(cuStreamDestroy(s));
	OK(cuStreamDestroy(t));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(s));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(s));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(s));
}

static void events(void)
{
	CUevent a = NULL, b = NULL, untimed = NULL, never = NULL;
	CUstream s;
	float ms = -1, none = -1;

	OK(cuStreamCreate(&s, 0));
	OK(cuEventCreate(&a, CU_EVENT_DEFAULT));
	OK(cuEventCreate(&b, CU_EVENT_BLOCKING_SYNC));
	OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
	OK(cuEventCreate(&never, 0));
	OK(cuEventRecord(a, s));
	OK(launch(s, 1));
	OK(launch(s, 1));
	OK(cuEventRecordWithFlags(b, s, CU_EVENT_RECORD_DEFAULT));
	OK(cuEventRecord(untimed, s));
	OK(cuEventSynchronize(b));
	OK(cuEventQuery(b));
	OK(cuEventQuery(never)); /* which was not recorded: it is over */
	OK(cuEventSynchronize(never));
	OK(cuEventElapsedTime(&ms, a, b));
	TRUE(ms > 0 && ms < 10000);
	OK(cuEventElapsedTime_v2(&none, a, a));
	TRUE(none == 0);
	OK(cuEventElapsedTime(&none, b, a));
	TRUE(none == -ms);
	const char *functional = getenv("SIMTRUN_FUNCTIONAL");
	if (functional != NULL && *functional == '0') {
		TRUE(ms > 0.0005 && ms < 0.5); /* two launches of a small kernel */
		OK(cuEventRecord(a, s));
		OK(launch(s, 1));
		OK(launch(s, 1));
		OK(launch(s, 1));
		OK(launch(s, 1));
		OK(cuEventRecord(b, s));
		OK(cuEventElapsedTime(&none, a, b));
		TRUE(none > 1.5 * ms && none < 2.5 * ms); /* four take about twice as long */
	}
	WANT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, a, never));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, a, untimed));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, a, (CUevent)0x1234));
	WANT(CUDA_ERROR_INVALID_VALUE, cuEventElapsedTime(NULL, a, b));
	WANT(CUDA_ERROR_INVALID_VALUE, cuEventCreate(NULL, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&a, 0x100));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuEventRecord((CUevent)0x1234, s));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(a, (CUstream)0x1234));
	OK(cuStreamWaitEvent(s, a, CU_EVENT_WAIT_DEFAULT));
	OK(cuStreamWaitEvent(0, never, 0));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuStreamWaitEvent(s, (CUevent)0x1234, 0));
	OK(cuEventDestroy(a));
	OK(cuEventDestroy(b));
	OK(cuEventDestroy(untimed));
	OK(cuEventDestroy(never));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy(a));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(a));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuEventSynchronize(a));
	OK(cuStreamDestroy(s));
}

static int calls, order[8];

static void on_host(void *data) { order[calls++] = (int)(intptr_t)data; }

static void on_stream(CUstream stream, CUresult status, void *data)
{
	TRUE(stream != NULL && status == CUDA_SUCCESS);
	on_host(data);
}

static void callbacks(void)
{
	CUstream s;

	OK(cuStreamCreate(&s, 0));
	calls = 0;
	OK(cuLaunchHostFunc(s, on_host, (void *)1));
	OK(cuStreamAddCallback(s, on_stream, (void *)2, 0));
	OK(cuLaunchHostFunc(s, on_host, (void *)3));
	OK(cuStreamSynchronize(s));
	HAVE(3, calls);
	for (int i = 0; i < 3; i++)
		HAVE(i + 1, order[i]);
	WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchHostFunc(s, NULL, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(s, NULL, NULL, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(s, on_stream, NULL, 1)); /* the flags have to be 0 */
	OK(cuStreamDestroy(s));
}

static CUstreamCaptureStatus status_of(CUstream s)
{
	CUstreamCaptureStatus status = -1;
	OK(cuStreamIsCapturing(s, &status));
	return status;
}

/* A capture that forks to a second stream and joins again. Nothing is done before the graph is launched. */
static void fork_and_join(void)
{
	CUstream s, t;
	CUevent forked, joined;
	CUgraph graph = NULL, info = NULL;
	CUgraphExec exec = NULL;
	CUstreamCaptureStatus status = -1;
	unsigned long long id = 0;
	size_t n = 0;

	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&forked, CU_EVENT_DISABLE_TIMING));
	OK(cuEventCreate(&joined, CU_EVENT_DISABLE_TIMING));
	OK(cuMemsetD32(p, 0, 32));
	HAVE(CU_STREAM_CAPTURE_STATUS_NONE, status_of(s));
	OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	HAVE(CU_STREAM_CAPTURE_STATUS_ACTIVE, status_of(s));
	HAVE(CU_STREAM_CAPTURE_STATUS_NONE, status_of(t));
	OK(cuStreamGetCaptureInfo(s, &status, &id, &info, NULL, NULL));
	HAVE(CU_STREAM_CAPTURE_STATUS_ACTIVE, status);
	TRUE(id != 0);
	WANT(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	OK(launch(s, 1));
	OK(cuEventRecord(forked, s));
	OK(cuStreamWaitEvent(t, forked, 0));
	HAVE(CU_STREAM_CAPTURE_STATUS_ACTIVE, status_of(t));
	const CUgraphNode *deps = NULL;
	size_t count = 99;
	OK(cuStreamGetCaptureInfo(t, &status, NULL, &info, &deps, &count));
	HAVE(1, count); /* the kernel before the fork */
	CUgraphNodeType type = -1;
	OK(cuGraphNodeGetType(deps[0], &type));
	HAVE(CU_GRAPH_NODE_TYPE_KERNEL, type);
	OK(cuGraphGetNodes(info, NULL, &n));
	HAVE(1, n);
	OK(launch(t, 10));
	OK(launch(s, 100));
	OK(cuEventRecord(joined, t));
	WANT(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(joined));
	WANT(CUDA_ERROR_CAPTURED_EVENT, cuEventSynchronize(joined));
	WANT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(t, &graph));
	OK(cuStreamWaitEvent(s, joined, 0));
	OK(launch(s, 1000));
	OK(cuStreamEndCapture(s, &graph));
	HAVE(CU_STREAM_CAPTURE_STATUS_NONE, status_of(s));
	HAVE(CU_STREAM_CAPTURE_STATUS_NONE, status_of(t));
	HAVE(0, first());

	OK(cuGraphGetNodes(graph, NULL, &n));
	HAVE(4, n);
	OK(cuGraphGetRootNodes(graph, NULL, &n));
	HAVE(1, n);
	OK(cuGraphGetEdges(graph, NULL, NULL, &n));
	HAVE(4, n); /* a diamond */
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphLaunch(exec, s));
	OK(cuGraphLaunch(exec, t));
	HAVE(2222, first());
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));

	/* The streams are as before; the events that were captured are not, until they are recorded. */
	OK(launch(t, 1));
	HAVE(2223, first());
	WANT(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(joined));
	CUresult r = cuStreamWaitEvent(t, joined, 0);
	TRUE(r != CUDA_SUCCESS);
	OK(launch(t, 1)); /* which is done now, not captured */
	HAVE(2224, first());
	OK(cuEventRecord(joined, t));
	OK(cuEventQuery(joined));
	OK(cuStreamWaitEvent(s, joined, 0));
	OK(cuStreamDestroy(s));
	OK(cuStreamDestroy(t));
	OK(cuEventDestroy(forked));
	OK(cuEventDestroy(joined));
}

static void wrong_captures(void)
{
	CUstream s, t;
	CUevent e, f;
	CUgraph graph = NULL;
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&e, 0));
	OK(cuEventCreate(&f, 0));
	OK(cuMemsetD32(p, 0, 32));
	WANT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture(0, 0)); /* the legacy stream */
	WANT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture(CU_STREAM_LEGACY, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture(s, 99));
	WANT(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(s, &graph));
	OK(cuThreadExchangeStreamCaptureMode(&mode));
	WANT(CUDA_ERROR_INVALID_VALUE, cuThreadExchangeStreamCaptureMode(NULL));
	HAVE(CU_STREAM_CAPTURE_MODE_GLOBAL, mode); /* of a thread, at first */
	mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
	OK(cuThreadExchangeStreamCaptureMode(&mode));
	HAVE(CU_STREAM_CAPTURE_MODE_RELAXED, mode);

	/* A stream that is captured cannot be waited for, and its capture is invalid then. */
	OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(launch(s, 1));
	WANT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(s));
	HAVE(CU_STREAM_CAPTURE_STATUS_INVALIDATED, status_of(s));
	WANT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, launch(s, 1));
	WANT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(s, &graph));
	HAVE(0, (uintptr_t)graph);
	HAVE(CU_STREAM_CAPTURE_STATUS_NONE, status_of(s));

	/* Work of a forked stream that is not joined. */
	OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuEventRecord(e, s));
	OK(cuStreamWaitEvent(t, e, 0));
	OK(launch(t, 1));
	WANT(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(s, &graph));
	HAVE(CU_STREAM_CAPTURE_STATUS_NONE, status_of(s));
	HAVE(CU_STREAM_CAPTURE_STATUS_NONE, status_of(t));

	/* Two captures that would become one. */
	OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuStreamBeginCapture(t, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuEventRecord(e, s));
	WANT(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(t, e, 0));
	OK(cuStreamEndCapture(s, &graph));
	OK(cuGraphDestroy(graph));
	WANT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(t, &graph));

	/* A captured stream that waits for what is not captured. */
	OK(cuEventRecord(f, t));
	OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	WANT(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent(s, f, 0));
	cuStreamEndCapture(s, &graph);

	/* The legacy stream cannot join a capture. */
	OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuEventRecord(e, s));
	TRUE(cuStreamWaitEvent(0, e, 0) != CUDA_SUCCESS);
	cuStreamEndCapture(s, &graph);
	OK(launch(0, 5));
	HAVE(5, first()); /* and nothing of all that was done */
	OK(cuStreamDestroy(s));
	OK(cuStreamDestroy(t));
	OK(cuEventDestroy(e));
	OK(cuEventDestroy(f));
}

/* What is captured besides kernels: copies, sets, host functions. */
static void kinds(void)
{
	CUstream s;
	CUgraph graph;
	CUgraphExec exec;
	CUgraphNode nodes[8];
	CUgraphNodeType type;
	int in = 40, out = 0, want[] = {CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_HOST, CU_GRAPH_NODE_TYPE_MEMCPY};
	size_t n = 8;

	OK(cuStreamCreate(&s, 0));
	calls = 0;
	OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemsetD32Async(p, 1, 32, s));
	OK(cuMemcpyHtoDAsync(p, &in, 4, s));
	OK(launch(s, 2));
	OK(cuLaunchHostFunc(s, on_host, (void *)7));
	OK(cuMemcpyDtoHAsync(&out, p, 4, s));
	OK(cuStreamEndCapture(s, &graph));
	HAVE(0, calls);
	OK(cuGraphGetNodes(graph, nodes, &n));
	HAVE(5, n);
	for (int i = 0; i < 5; i++) {
		OK(cuGraphNodeGetType(nodes[i], &type));
		HAVE(want[i], type);
	}
	OK(cuGraphInstantiate(&exec, graph, 0));
	OK(cuGraphLaunch(exec, s));
	OK(cuStreamSynchronize(s));
	HAVE(42, out);
	HAVE(1, calls);
	HAVE(7, order[0]);
	OK(cuGraphExecDestroy(exec));
	OK(cuGraphDestroy(graph));
	OK(cuStreamDestroy(s));
}

int main(void)
{
	begin();
	add = kernel(PTX_ADD, "add");
	OK(cuMemAlloc(&p, 128));
	OK(cuMemsetD32(p, 0, 32));
	streams();
	events();
	callbacks();
	fork_and_join();
	wrong_captures();
	kinds();
	return failures != 0;
}
