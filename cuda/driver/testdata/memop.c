// Values that streams write and wait for.
// STDERR ^simtrun: a stream waits for a value at 0x\w+ that is never written
#include "check.h"

#include <pthread.h>
#include <unistd.h>

static CUdeviceptr p;
static CUcontext ctx;

static unsigned at(int i)
{
	unsigned v = 0;
	OK(cuMemcpyDtoH(&v, p + 4 * i, sizeof v));
	return v;
}

static void values(void)
{
	unsigned long long wide = 0;
	CUstream s = NULL;
	int can = 0;

	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 0));
	HAVE(1, can);
	OK(cuMemsetD32(p, 0, 16));
	OK(cuStreamWriteValue32(s, p + 4, 5, 0));
	HAVE(5, at(1));
	HAVE(0, at(2));
	OK(cuStreamWriteValue64(s, p + 8, 0x1122334455667788, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
	OK(cuMemcpyDtoH(&wide, p + 8, sizeof wide));
	TRUE(wide == 0x1122334455667788);
	/* Each of the four conditions holds. */
	OK(cuStreamWaitValue32(s, p + 4, 5, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuStreamWaitValue32(s, p + 4, 4, CU_STREAM_WAIT_VALUE_GEQ));
	OK(cuStreamWaitValue32(s, p + 4, 0xfffffff0, CU_STREAM_WAIT_VALUE_GEQ)); /* counters wrap */
	OK(cuStreamWaitValue32(s, p + 4, 4, CU_STREAM_WAIT_VALUE_AND | CU_STREAM_WAIT_VALUE_FLUSH));
	OK(cuStreamWaitValue32(s, p + 4, 0xfffffff0, CU_STREAM_WAIT_VALUE_NOR));
	OK(cuStreamWaitValue64(s, p + 8, 0x1122334455667788, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuStreamWaitValue64(s, p + 8, 0x1122334455667787, CU_STREAM_WAIT_VALUE_GEQ));
	OK(cuStreamWaitValue64(s, p + 8, 1ull << 60, CU_STREAM_WAIT_VALUE_AND));
	OK(cuStreamWaitValue64(s, p + 8, 1, CU_STREAM_WAIT_VALUE_NOR));

	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(s, p + 2, 5, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue64(s, p + 4, 5, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(s, p + 64, 5, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(s, p, 5, 2));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(s, p, 5, 4));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuStreamWriteValue32((CUstream)0x1234, p, 5, 0));
	OK(cuStreamDestroy(s));
}

static void batches(void)
{
	CUstreamBatchMemOpParams ops[4];

	memset(ops, 0, sizeof ops);
	ops[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	ops[0].writeValue.address = p;
	ops[0].writeValue.value.value = 70;
	ops[1].operation = CU_STREAM_MEM_OP_BARRIER;
	ops[2].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
	ops[2].waitValue.address = p;
	ops[2].waitValue.value.value = 70;
	ops[2].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
	ops[3].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
	ops[3].writeValue.address = p + 8;
	ops[3].writeValue.value.value64 = 0x500000006;
	OK(cuStreamBatchMemOp(0, 4, ops, 0));
	HAVE(70, at(0));
	HAVE(6, at(2));
	HAVE(5, at(3));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(0, 4, NULL, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(0, 257, ops, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(0, 4, ops, 1));
	ops[3].operation = 99;
	ops[0].writeValue.value.value = 71;
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(0, 4, ops, 0));
	HAVE(70, at(0)); /* nothing was done */
}

/* The same in a graph, with values that are changed. */
static void graphs(void)
{
	CUstreamBatchMemOpParams op = {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .address = p, .value.value = 1}};
	CUDA_BATCH_MEM_OP_NODE_PARAMS params = {.ctx = ctx, .count = 1, .paramArray = &op}, got;
	CUgraph g = NULL, captured = NULL;
	CUgraphNode n = NULL;
	CUgraphExec e = NULL;
	CUstream s = NULL;

	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddBatchMemOpNode(&n, g, NULL, 0, &params));
	OK(cuGraphBatchMemOpNodeGetParams(n, &got));
	HAVE(1, got.count);
	HAVE(1, got.paramArray[0].writeValue.value.value);
	OK(cuGraphInstantiate(&e, g, 0));
	OK(cuGraphLaunch(e, 0));
	HAVE(1, at(0));
	op.writeValue.value.value = 2;
	OK(cuGraphExecBatchMemOpNodeSetParams(e, n, &params));
	OK(cuGraphLaunch(e, 0));
	HAVE(2, at(0));
	op.writeValue.value.value = 3;
	OK(cuGraphBatchMemOpNodeSetParams(n, &params));
	OK(cuGraphLaunch(e, 0));
	HAVE(2, at(0));
	OK(cuGraphExecDestroy(e));
	OK(cuGraphInstantiate(&e, g, 0));
	OK(cuGraphLaunch(e, 0));
	HAVE(3, at(0));
	OK(cuGraphExecDestroy(e));
	OK(cuGraphDestroy(g));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddBatchMemOpNode(&n, g, NULL, 0, &params));

	OK(cuStreamCreate(&s, 0));
	OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuStreamWriteValue32(s, p, 9, 0));
	OK(cuStreamWaitValue32(s, p, 9, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuStreamEndCapture(s, &captured));
	HAVE(3, at(0));
	OK(cuGraphInstantiate(&e, captured, 0));
	OK(cuGraphLaunch(e, 0));
	HAVE(9, at(0));
}

static void *writer(void *unused)
{
	(void)unused;
	OK(cuCtxSetCurrent(ctx));
	usleep(100000);
	OK(cuMemsetD32(p + 20, 8, 1));
	return NULL;
}

/* What is behind a wait happens when the value is there: which another stream writes, the program, or another thread. */
static void waits(void)
{
	CUstream a = NULL, b = NULL;
	volatile unsigned *flag = NULL;
	CUdeviceptr mapped = 0;
	pthread_t thread;
	CUstreamBatchMemOpParams ops[2];

	OK(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
	OK(cuMemsetD32(p, 0, 16));
	OK(cuStreamWaitValue32(a, p + 16, 1, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuStreamWriteValue32(a, p, 6, 0));
	WANT(CUDA_ERROR_NOT_READY, cuStreamQuery(a));
	HAVE(0, at(0));
	OK(cuStreamQuery(b));
	OK(cuStreamWriteValue32(b, p + 16, 1, 0));
	OK(cuStreamSynchronize(a));
	HAVE(6, at(0));

	OK(cuMemAllocHost((void **)&flag, 64));
	*flag = 0;
	OK(cuMemHostGetDevicePointer(&mapped, (void *)flag, 0));
	memset(ops, 0, sizeof ops);
	ops[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
	ops[0].waitValue.address = mapped;
	ops[0].waitValue.value.value = 3;
	ops[0].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
	ops[1].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	ops[1].writeValue.address = mapped + 4;
	ops[1].writeValue.value.value = 9;
	OK(cuStreamBatchMemOp(a, 2, ops, 0));
	HAVE(0xabababab, flag[1]);
	*flag = 3;
	while (flag[1] != 9)
		;
	OK(cuStreamSynchronize(a));

	OK(cuMemsetD32(p + 20, 0, 1));
	pthread_create(&thread, NULL, writer, NULL);
	OK(cuStreamWaitValue32(a, p + 20, 8, CU_STREAM_WAIT_VALUE_EQ));
	OK(cuStreamSynchronize(a));
	HAVE(8, at(5));
	pthread_join(thread, NULL);

	/* Nobody writes it. */
	OK(cuStreamWaitValue32(a, p + 20, 9, CU_STREAM_WAIT_VALUE_EQ));
	WANT(CUDA_ERROR_LAUNCH_TIMEOUT, cuStreamSynchronize(a));
}

int main(void)
{
	ctx = begin();
	OK(cuMemAlloc(&p, 64));
	values();
	batches();
	graphs();
	waits();
	return failures != 0;
}
