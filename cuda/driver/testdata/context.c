// Devices and contexts: the stack of each thread, two contexts, and those that are destroyed; limits and flags.
#include "check.h"

#include <pthread.h>

static void device(void)
{
	char name[256], small[5], id[32];
	int n = -1, major = 0, minor = 0;
	unsigned int mask;
	size_t bytes = 0;
	CUuuid uuid = {{0}}, uuid2 = {{0}};
	CUdevprop prop;
	CUdevice dev = -1;

	OK(cuDeviceGetName(name, sizeof name, 0));
	TRUE(strlen(name) > 4);
	OK(cuDeviceGetName(small, sizeof small, 0));
	TRUE(strlen(small) == 4 && strncmp(small, name, 4) == 0); /* cut off, and ended */
	WANT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetName(name, sizeof name, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(NULL, 10, 0));
	OK(cuDeviceTotalMem(&bytes, 0));
	TRUE(bytes >= 1 << 30);
	WANT(CUDA_ERROR_INVALID_VALUE, cuDeviceTotalMem(NULL, 0));
	WANT(CUDA_ERROR_INVALID_DEVICE, cuDeviceTotalMem(&bytes, 7));
	OK(cuDeviceComputeCapability(&major, &minor, 0));
	HAVE(9, major);
	HAVE(0, minor);
	OK(cuDeviceGetUuid(&uuid, 0));
	OK(cuDeviceGetUuid_v2(&uuid2, 0));
	HAVE(0, memcmp(&uuid, &uuid2, sizeof uuid));
	WANT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetUuid(NULL, 0));
	WANT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetUuid(&uuid, 3));
	WANT(CUDA_ERROR_NOT_SUPPORTED, cuDeviceGetLuid(name, &mask, 0));
	OK(cuDeviceGetPCIBusId(id, sizeof id, 0));
	OK(cuDeviceGetByPCIBusId(&dev, id));
	HAVE(0, dev);
	WANT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&dev, "nonsense"));
	WANT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(NULL, id));
	OK(cuDeviceCanAccessPeer(&n, 0, 0));
	HAVE(0, n);
	WANT(CUDA_ERROR_INVALID_DEVICE, cuDeviceCanAccessPeer(&n, 0, 1));
	WANT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetP2PAttribute(&n, 1, 0, 0));
	OK(cuDeviceGetTexture1DLinearMaxWidth(&bytes, 0x20, 1, 0));
	TRUE(bytes >= 1 << 27);
	OK(cuDeviceGetProperties(&prop, 0));
	HAVE(1024, prop.maxThreadsPerBlock);
	HAVE(64, prop.maxThreadsDim[2]);
	HAVE(0x7fffffff, prop.maxGridSize[0]);
	HAVE(65535, prop.maxGridSize[1]);
	HAVE(32, prop.SIMDWidth);
	HAVE(65536, prop.regsPerBlock);
	HAVE(65536, prop.totalConstantMemory);
}

/* What the programming guide says of compute capability 9.0, and the data sheet of an H100 SXM. */
static void attributes(void)
{
	static const struct {
		CUdevice_attribute attribute;
		int value;
	} want[] = {
		{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024}, {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024}, {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
		{CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64}, {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7fffffff}, {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
		{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535}, {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 << 10}, {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
		{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 << 10}, {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 << 10},
		{CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1 << 10}, {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
		{CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536}, {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
		{CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32}, {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
		{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9}, {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0}, {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 50 << 20},
		{CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536}, {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1}, {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
		{CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1}, {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0}, {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0},
		{CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1}, {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1}, {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
		{CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, 1}, {CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT, 4}, {CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR},
	};
	int value;

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		value = -1;
		OK(cuDeviceGetAttribute(&value, want[i].attribute, 0));
		if (value != want[i].value) {
			printf("attribute %d is %d, want %d\n", want[i].attribute, value, want[i].value);
			failures++;
		}
	}
	WANT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, 100000, 0));
	WANT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1));
}

/* A thread has its own stack, which is empty. */
static void *other_thread(void *ctx)
{
	CUcontext got = ctx;
	CUdeviceptr p;

	OK(cuCtxGetCurrent(&got));
	HAVE(0, (intptr_t)got);
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
	OK(cuCtxPushCurrent(ctx));
	OK(cuMemAlloc(&p, 4));
	OK(cuMemFree(p));
	for (int i = 0; i < 1000; i++)
		OK(cuCtxPushCurrent(ctx));
	return NULL; /* with a stack that is not empty */
}

static void stacks(void)
{
	CUcontext a = NULL, b = NULL, c = NULL, got = NULL;
	CUdevice dev = -1;
	pthread_t thread;
	CUdeviceptr p;
	unsigned long long id = 0, id2 = 0;

	OK(cuCtxCreate(&a, 0, 0));
	OK(cuCtxCreate(&b, 0, 0)); /* which pushes it */
	TRUE(a != b);
	OK(cuCtxGetCurrent(&got));
	TRUE(got == b);
	OK(cuCtxGetDevice(&dev));
	HAVE(0, dev);
	WANT(CUDA_ERROR_INVALID_VALUE, cuCtxGetDevice(NULL));
	OK(cuCtxGetId(a, &id));
	OK(cuCtxGetId(NULL, &id2));
	TRUE(id != id2);
	OK(cuCtxPopCurrent(&got));
	TRUE(got == b);
	OK(cuCtxGetCurrent(&got));
	TRUE(got == a);
	OK(cuCtxPushCurrent(b));
	OK(cuCtxPushCurrent(a)); /* a b a */
	OK(cuCtxSetCurrent(b));  /* a b b */
	OK(cuCtxPopCurrent(NULL));
	OK(cuCtxPopCurrent(&got));
	TRUE(got == b);
	OK(cuCtxGetCurrent(&got));
	TRUE(got == a);
	OK(cuCtxSetCurrent(NULL)); /* which pops */
	OK(cuCtxGetCurrent(&got));
	HAVE(0, (intptr_t)got);
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&got));
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent((CUcontext)0x1234));
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent((CUcontext)0x1234));
	WANT(CUDA_ERROR_INVALID_VALUE, cuCtxGetCurrent(NULL));

	pthread_create(&thread, NULL, other_thread, a);
	pthread_join(thread, NULL);
	OK(cuCtxGetCurrent(&got));
	HAVE(0, (intptr_t)got);

	/* What one context has made goes with it, and not what the other has. */
	OK(cuCtxPushCurrent(a));
	OK(cuMemAlloc(&p, 16));
	OK(cuCtxPushCurrent(b));
	OK(cuCtxDestroy(b)); /* is current: it is popped */
	OK(cuCtxGetCurrent(&got));
	TRUE(got == a);
	OK(cuMemsetD32(p, 1, 4));
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(b));
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(NULL));
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent(b));

	/* A context that is destroyed while it lies in a stack. */
	OK(cuCtxCreate(&c, 0, 0));
	OK(cuCtxPushCurrent(a));
	OK(cuCtxDestroy(c));
	OK(cuCtxPopCurrent(NULL));
	WANT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
	WANT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&p, 4));
	OK(cuCtxPopCurrent(NULL));
	OK(cuCtxSynchronize());
	WANT(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&c, 0, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(NULL, 0, 0));
	OK(cuCtxDestroy(a));
	OK(cuCtxCreate_v3(&c, NULL, 0, 0, 0));
	OK(cuCtxDestroy(c));
	OK(cuCtxCreate_v4(&c, NULL, 0, 0));
	OK(cuCtxDestroy(c));
	CUctxCreateParams params = {0};
	OK(cuCtxCreate_v4(&c, &params, 0, 0));
	OK(cuCtxDestroy(c));
	params.numExecAffinityParams = 1;
	WANT(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, cuCtxCreate_v4(&c, &params, 0, 0));
	params.numExecAffinityParams = 0, params.cigParams = &params;
	WANT(CUDA_ERROR_NOT_SUPPORTED, cuCtxCreate_v4(&c, &params, 0, 0));
	OK(cuCtxGetCurrent(&got));
	HAVE(0, (intptr_t)got);
}

static void primary(void)
{
	CUcontext a = NULL, b = NULL;
	unsigned int flags = 99;
	int active = 99;
	CUdeviceptr p;

	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	HAVE(0, flags);
	HAVE(0, active);
	OK(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
	OK(cuDevicePrimaryCtxRetain(&a, 0));
	OK(cuDevicePrimaryCtxRetain(&b, 0));
	TRUE(a == b);
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	HAVE(CU_CTX_SCHED_SPIN, flags);
	HAVE(1, active);
	OK(cuCtxSetCurrent(a));
	OK(cuCtxGetFlags(&flags));
	HAVE(CU_CTX_SCHED_SPIN, flags);
	OK(cuMemAlloc(&p, 100));
	OK(cuDevicePrimaryCtxRelease(0));
	OK(cuMemsetD8(p, 0, 100));
	OK(cuDevicePrimaryCtxReset(0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(p, 0, 100));
	OK(cuDevicePrimaryCtxRelease(0));
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
	HAVE(0, active);
	WANT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
	OK(cuCtxSetCurrent(NULL));
	WANT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRetain(&a, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuDevicePrimaryCtxRetain(NULL, 0));
	WANT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRelease(1));
	WANT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxReset(1));
	WANT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxSetFlags(1, 0));
	WANT(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxGetState(1, &flags, &active));
	/* Their old names are the same. */
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
	OK(cuDevicePrimaryCtxSetFlags(0, 0));
	OK(cuDevicePrimaryCtxRetain(&a, 0));
	OK(cuDevicePrimaryCtxReset(0));
	OK(cuDevicePrimaryCtxRelease(0));
}

static void limits(void)
{
	static const CUlimit known[] = {CU_LIMIT_STACK_SIZE, CU_LIMIT_PRINTF_FIFO_SIZE, CU_LIMIT_MALLOC_HEAP_SIZE};
	int least = 9, greatest = 9, config = -1;
	unsigned int version = 0, flags = 0;
	CUcontext ctx, again = NULL;
	size_t value;

	OK(cuCtxCreate(&ctx, CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_MAP_HOST, 0));
	OK(cuCtxGetFlags(&flags));
	HAVE(CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_MAP_HOST, flags);
	OK(cuCtxSetFlags(CU_CTX_SCHED_YIELD));
	for (int i = 0; i < 3; i++) {
		OK(cuCtxSetLimit(known[i], 1 << 20));
		OK(cuCtxGetLimit(&value, known[i]));
		TRUE(value >= 1 << 20);
	}
	WANT(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&value, 1000));
	WANT(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxSetLimit(1000, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE));
	OK(cuCtxGetStreamPriorityRange(&least, &greatest));
	HAVE(0, least);
	TRUE(greatest <= least); /* the smaller the number, the greater the priority */
	OK(cuCtxGetStreamPriorityRange(NULL, NULL));
	OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
	OK(cuCtxGetCacheConfig(&config));
	HAVE(CU_FUNC_CACHE_PREFER_L1, config);
	OK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
	OK(cuCtxGetSharedMemConfig(&config));
	OK(cuCtxGetApiVersion(ctx, &version));
	TRUE(version >= 3010);
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetApiVersion((CUcontext)0x77, &version));
	OK(cuCtxResetPersistingL2Cache());
	OK(cuCtxAttach(&again, 0));
	TRUE(again == ctx);
	OK(cuCtxDetach(ctx));
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuCtxEnablePeerAccess(NULL, 0));
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuCtxDisablePeerAccess(NULL));
	OK(cuProfilerStart());
	OK(cuProfilerStop());
	WANT(CUDA_ERROR_PROFILER_DISABLED, cuProfilerInitialize("", "", 0));
	OK(cuCtxSynchronize());
	OK(cuCtxDestroy(ctx));
}

int main(void)
{
	OK(cuInit(0));
	device();
	attributes();
	stacks();
	primary();
	limits();
	return failures != 0;
}
