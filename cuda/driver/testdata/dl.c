// The library as clients without its header use it: by dlopen and dlsym, before cuInit, and without a context.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long address;

static void *library;
static int failures;

static int (*symbol(const char *name))()
{
	void *fn = dlsym(library, name);
	if (fn == NULL) {
		printf("%s: %s\n", name, dlerror());
		failures++;
	}
	return (int (*)())fn;
}

static void want(int line, const char *what, long long want, long long got)
{
	if (want != got) {
		printf("dl.c:%d: %s is %lld, want %lld\n", line, what, got, want);
		failures++;
	}
}
#define WANT(w, got) want(__LINE__, #got, w, got)

enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_INITIALIZED = 3, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, NOT_FOUND = 500 };

/* What needs no context, but cuInit: with arguments that are right, as far as such are there. */
static void not_initialised(void)
{
	int n = 0, m = 0;
	void *p = NULL;
	size_t size = 0;
	char text[64];

	WANT(NOT_INITIALIZED, symbol("cuDeviceGet")(&n, 0));
	WANT(NOT_INITIALIZED, symbol("cuDeviceGetCount")(&n));
	WANT(NOT_INITIALIZED, symbol("cuDeviceGetName")(text, 64, 0));
	WANT(NOT_INITIALIZED, symbol("cuDeviceTotalMem_v2")(&size, 0));
	WANT(NOT_INITIALIZED, symbol("cuDeviceGetAttribute")(&n, 1, 0));
	WANT(NOT_INITIALIZED, symbol("cuDeviceComputeCapability")(&n, &m, 0));
	WANT(NOT_INITIALIZED, symbol("cuDevicePrimaryCtxRetain")(&p, 0));
	WANT(NOT_INITIALIZED, symbol("cuCtxCreate_v2")(&p, 0, 0));
	WANT(NOT_INITIALIZED, symbol("cuCtxGetCurrent")(&p));
	WANT(NOT_INITIALIZED, symbol("cuMemAlloc_v2")(&p, (size_t)4));
	WANT(NOT_INITIALIZED, symbol("cuStreamCreate")(&p, 0));
	WANT(NOT_INITIALIZED, symbol("cuCtxSynchronize")());
}

static void errors(void)
{
	const char *text = NULL;

	WANT(SUCCESS, symbol("cuGetErrorName")(700, &text));
	WANT(0, strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
	WANT(SUCCESS, symbol("cuGetErrorString")(700, &text));
	WANT(0, strcmp(text, "an illegal memory access was encountered"));
	WANT(SUCCESS, symbol("cuGetErrorName")(0, &text));
	WANT(0, strcmp(text, "CUDA_SUCCESS"));
	WANT(SUCCESS, symbol("cuGetErrorString")(0, &text));
	WANT(0, strcmp(text, "no error"));
	WANT(INVALID_VALUE, symbol("cuGetErrorName")(12345, &text));
	WANT(0, (intptr_t)text); // as the documentation has it
	text = "";
	WANT(INVALID_VALUE, symbol("cuGetErrorString")(-1, &text));
	WANT(0, (intptr_t)text);
	WANT(INVALID_VALUE, symbol("cuGetErrorName")(0, NULL));
	WANT(INVALID_VALUE, symbol("cuGetErrorString")(0, NULL));
}

/* The names under which one function is there. */
static void variants(void)
{
	static const char *const same[][3] = {
		{"cuLaunchKernel", "cuLaunchKernel_ptsz"}, {"cuMemcpyHtoD_v2", "cuMemcpyHtoD_v2_ptds"}, {"cuMemcpyDtoHAsync_v2", "cuMemcpyDtoHAsync_v2_ptsz"},
		{"cuMemsetD8_v2", "cuMemsetD8_v2_ptds"}, {"cuCtxCreate_v2", "cuCtxCreate"}, {"cuCtxDestroy_v2", "cuCtxDestroy"},
		{"cuCtxPushCurrent_v2", "cuCtxPushCurrent"}, {"cuCtxPopCurrent_v2", "cuCtxPopCurrent"}, {"cuStreamDestroy_v2", "cuStreamDestroy"},
		{"cuEventDestroy_v2", "cuEventDestroy"}, {"cuLinkCreate_v2", "cuLinkCreate"}, {"cuLinkAddData_v2", "cuLinkAddData"},
		{"cuLinkAddFile_v2", "cuLinkAddFile"}, {"cuGraphInstantiate_v2", "cuGraphInstantiate"}, {"cuGraphLaunch", "cuGraphLaunch_ptsz"},
		{"cuStreamSynchronize", "cuStreamSynchronize_ptsz"}, {"cuEventRecord", "cuEventRecord_ptsz"}, {"cuMemAllocAsync", "cuMemAllocAsync_ptsz"},
	};
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		int perThread = strstr(same[i][1], "_ptsz") != NULL || strstr(same[i][1], "_ptds") != NULL; /* have another default stream */
		if ((symbol(same[i][0]) != symbol(same[i][1])) != perThread) {
			printf("%s is %s function as %s\n", same[i][0], perThread ? "the same" : "not the same", same[i][1]);
			failures++;
		}
	}
}

static void proc_addresses(void)
{
	static const struct {
		const char *symbol;
		int version;
		const char *is; /* NULL: not there */
		int status;     /* CUdriverProcAddressQueryResult */
	} cases[] = {
		{"cuMemAlloc", 3020, "cuMemAlloc_v2", 0},
		{"cuMemAlloc", 12080, "cuMemAlloc_v2", 0},
		{"cuInit", 2000, "cuInit", 0},
		{"cuCtxCreate", 3020, "cuCtxCreate_v2", 0},
		{"cuCtxCreate", 11040, "cuCtxCreate_v3", 0},
		{"cuCtxCreate", 12050, "cuCtxCreate_v4", 0},
		{"cuGetProcAddress", 11030, "cuGetProcAddress", 0},
		{"cuGetProcAddress", 12000, "cuGetProcAddress_v2", 0},
		{"cuGraphAddKernelNode", 11000, "cuGraphAddKernelNode", 0},
		{"cuGraphAddKernelNode", 12000, "cuGraphAddKernelNode_v2", 0},
		{"cuGraphExecUpdate", 11000, "cuGraphExecUpdate", 0},
		{"cuGraphExecUpdate", 12000, "cuGraphExecUpdate_v2", 0},
		{"cuDeviceGetUuid", 9020, "cuDeviceGetUuid", 0},
		{"cuDeviceGetUuid", 11040, "cuDeviceGetUuid_v2", 0},
		{"cuLaunchKernelEx", 12000, "cuLaunchKernelEx", 0},
		{"cuLaunchKernelEx", 11000, NULL, 2},
		{"cuLibraryLoadData", 11080, NULL, 2},
		{"cuNoSuchFunction", 12080, NULL, 1},
		{"", 12080, NULL, 1},
	};
	int (*v1)() = symbol("cuGetProcAddress"), (*v2)() = symbol("cuGetProcAddress_v2");

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (uint64_t flags = 0; flags <= 2; flags++) { /* the default, the legacy stream, that of each thread */
			const char *name = flags == 2 && cases[i].is && strcmp(cases[i].is, "cuLaunchKernelEx") == 0 ? "cuLaunchKernelEx_ptsz" : cases[i].is;
			void *fn = &fn, *old = &old, *is = name ? dlsym(library, name) : NULL;
			int status = -1, r = v2(cases[i].symbol, &fn, cases[i].version, flags, &status), r1 = v1(cases[i].symbol, &old, cases[i].version, flags);
			if (fn != is || status != cases[i].status || (r != SUCCESS && (is || r != NOT_FOUND)) || old != is || r1 != (is ? SUCCESS : NOT_FOUND)) {
				printf("%s of %d: answers %d and %d, status %d, want %d; %p and %p, want %p\n", cases[i].symbol, cases[i].version, r, r1, status, cases[i].status, fn, old, is);
				failures++;
			}
		}
	void *fn;
	WANT(INVALID_VALUE, v1(NULL, &fn, 12000, (uint64_t)0));
	WANT(INVALID_VALUE, v1("cuInit", NULL, 12000, (uint64_t)0));
	WANT(INVALID_VALUE, v2(NULL, &fn, 12000, (uint64_t)0, NULL));
	WANT(NOT_FOUND, v2("cuNoSuchFunction", &fn, 12000, (uint64_t)0, NULL));
}

/* Functions that need a context, with arguments of zero. Each argument is a register or a place on the stack. */
static void no_context(void)
{
	static const char *const names[] = {
		"cuCtxGetDevice", "cuCtxGetFlags", "cuCtxSynchronize", "cuCtxSetLimit", "cuCtxGetLimit", "cuCtxGetCacheConfig", "cuCtxSetCacheConfig",
		"cuCtxGetSharedMemConfig", "cuCtxSetSharedMemConfig", "cuCtxGetStreamPriorityRange", "cuModuleLoad", "cuModuleLoadData", "cuModuleLoadDataEx",
		"cuModuleLoadFatBinary", "cuModuleUnload", "cuModuleGetFunction", "cuModuleGetGlobal_v2", "cuLinkCreate_v2", "cuLaunchKernel",
		"cuLaunchCooperativeKernel", "cuFuncGetAttribute", "cuFuncSetAttribute", "cuFuncSetCacheConfig", "cuMemGetInfo_v2", "cuMemAlloc_v2",
		"cuMemAllocPitch_v2", "cuMemFree_v2", "cuMemGetAddressRange_v2", "cuMemAllocHost_v2", "cuMemFreeHost", "cuMemHostAlloc",
		"cuMemAllocManaged", "cuMemHostRegister_v2", "cuMemHostUnregister", "cuMemcpy", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemcpyDtoD_v2",
		"cuMemcpyHtoDAsync_v2", "cuMemsetD8_v2", "cuMemsetD16_v2", "cuMemsetD32_v2", "cuMemsetD2D8_v2", "cuMemsetD32Async", "cuStreamCreate",
		"cuStreamSynchronize", "cuStreamQuery", "cuEventCreate", "cuEventRecord", "cuProfilerStart", "cuProfilerStop",
		"cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuMemAllocAsync", "cuStreamWaitEvent", "cuCtxResetPersistingL2Cache",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int r = symbol(names[i])(0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
		if (r != INVALID_CONTEXT) {
			printf("%s without a context answers %d, want %d\n", names[i], r, INVALID_CONTEXT);
			failures++;
		}
	}
	void *ctx = &ctx;
	WANT(SUCCESS, symbol("cuCtxGetCurrent")(&ctx));
	WANT(0, (intptr_t)ctx);
	WANT(INVALID_CONTEXT, symbol("cuCtxPopCurrent_v2")(&ctx));
}

/* What a client that makes a table of entry points takes for granted in a driver of CUDA 12, supported or not, with the version at which it asks. */
static void baseline(void)
{
	static const struct {
		int version;
		const char *names[16];
	} wanted[] = {
		{2000, {"cuCtxSynchronize", "cuCtxGetDevice", "cuEventCreate", "cuDeviceGetCount", "cuMemFreeHost", "cuArrayDestroy"}},
		{3020, {"cuMemAlloc", "cuMemFree", "cuMemAllocHost", "cuArray3DCreate", "cuGraphicsUnregisterResource", "cuGraphicsUnmapResources"}},
		{4010, {"cuCtxGetCurrent", "cuCtxSetCurrent", "cuStreamDestroy", "cuEventDestroy", "cuIpcOpenEventHandle"}},
		{6050, {"cuGetErrorName", "cuGetErrorString", "cuCtxGetStreamPriorityRange", "cuStreamCreateWithPriority", "cuLinkDestroy", "cuMipmappedArrayCreate", "cuMipmappedArrayDestroy", "cuMipmappedArrayGetLevel", "cuTexObjectCreate", "cuTexObjectDestroy", "cuSurfObjectCreate", "cuSurfObjectDestroy"}},
		{7000, {"cuDevicePrimaryCtxRetain", "cuStreamSynchronize"}},
		{10020, {"cuStreamGetCtx", "cuGraphDestroy", "cuGraphExecDestroy", "cuGraphNodeFindInClone", "cuGraphChildGraphNodeGetGraph", "cuThreadExchangeStreamCaptureMode", "cuMemCreate", "cuMemRelease", "cuMemAddressReserve", "cuMemAddressFree", "cuMemMap", "cuMemUnmap", "cuMemSetAccess", "cuImportExternalMemory"}},
		{11030, {"cuDevicePrimaryCtxRelease", "cuMemPoolSetAccess", "cuMemPoolDestroy", "cuMemPoolCreate", "cuDeviceGetMemPool", "cuMemPoolImportFromShareableHandle", "cuMemAllocFromPoolAsync", "cuMemAllocAsync", "cuMemFreeAsync", "cuMemPoolImportPointer", "cuUserObjectCreate", "cuUserObjectRelease", "cuGraphRetainUserObject", "cuGraphReleaseUserObject"}},
		{12030, {"cuLibraryLoadFromFile", "cuLibraryLoadData", "cuLibraryUnload", "cuLibraryGetKernel", "cuGraphInstantiateWithParams", "cuGraphExecUpdate", "cuGraphNodeSetParams", "cuStreamGetCaptureInfo"}},
	};
	int (*find)() = symbol("cuGetProcAddress_v2");

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		for (int j = 0; wanted[i].names[j] != NULL; j++) {
			void *fn = NULL;
			int status = 9;
			if (find(wanted[i].names[j], &fn, wanted[i].version, (uint64_t)0, &status) != SUCCESS || fn == NULL || status != 0) {
				printf("%s is not found at %d: status %d\n", wanted[i].names[j], wanted[i].version, status);
				failures++;
			}
		}
}

int main(void)
{
	int version = 0, count = 0, device = -1;

	library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (library == NULL) {
		printf("%s\n", dlerror());
		return 1;
	}
	WANT(SUCCESS, symbol("cuDriverGetVersion")(&version));
	WANT(13010, version);
	WANT(INVALID_VALUE, symbol("cuDriverGetVersion")(NULL));
	not_initialised();
	errors();
	variants();
	proc_addresses();
	baseline();
	WANT(INVALID_VALUE, symbol("cuInit")(1)); /* the flags have to be 0 */
	WANT(NOT_INITIALIZED, symbol("cuDeviceGetCount")(&count));
	WANT(SUCCESS, symbol("cuInit")(0));
	WANT(SUCCESS, symbol("cuInit")(0));
	WANT(SUCCESS, symbol("cuDeviceGetCount")(&count));
	WANT(1, count);
	WANT(SUCCESS, symbol("cuDeviceGet")(&device, 0));
	WANT(0, device);
	WANT(INVALID_DEVICE, symbol("cuDeviceGet")(&device, 1));
	WANT(INVALID_DEVICE, symbol("cuDeviceGet")(&device, -1));
	no_context();
	return failures != 0;
}
