// Modules, libraries, linking, functions and their attributes, occupancy, and launches as they were before CUDA 4.
// STDERR ^simtrun: module\d+\.ptx:6:9: %nothing is not declared
// STDERR ^simtrun: input1\.ptx:4:31: plus is \(\.b32\) -> \(\.b32\) here and \(\.b32, \.b32\) -> \(\.b32\) there, at input2\.ptx:4:32
// STDERR ^simtrun: input1\.ptx:4:14: .*nothing
// STDERR ^simtrun: input1\.ptx:14:15: twice is declared but not defined in any module
#include "check.h"

#include <unistd.h>

static const char two[] = PTX_HEAD
	".visible .global .align 4 .u32 counter = 41;\n.visible .global .align 8 .b8 zeros[100];\n"
	".visible .const .align 4 .b32 table[3] = {10, 20, 30};\n"
	".visible .entry mixed(.param .u8 a, .param .u64 b, .param .u16 c, .param .align 16 .b8 d[20], .param .f32 e)\n{\nret;\n}\n"
	".visible .entry count()\n.maxntid 64, 1, 1\n{\n.shared .align 4 .b8 s[1000];\n.reg .b32 %r<3>;\n"
	"ld.global.u32 %r1, [counter];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [counter], %r1;\nret;\n}\n";

static void loading(void)
{
	char path[4096];
	CUmodule a = NULL, b = NULL;
	CUfunction f = NULL, g = NULL, fns[8] = {0};
	CUdeviceptr at = 0, other = 0;
	unsigned char bytes[100];
	size_t size = 0;
	unsigned int n = 99;
	int mode = 0, value = 0;
	CUresult r;

	OK(cuModuleLoadData(&a, two));
	OK(cuModuleLoadFatBinary(&b, two)); /* which takes what cuModuleLoadData does */
	TRUE(a != b);
	OK(cuModuleGetLoadingMode(&mode));
	TRUE(mode == CU_MODULE_EAGER_LOADING || mode == CU_MODULE_LAZY_LOADING);
	OK(cuModuleGetFunction(&f, a, "count"));
	OK(cuModuleGetFunction(&g, a, "count"));
	TRUE(f == g);
	WANT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&g, a, "none"));
	WANT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&g, a, "counter"));
	WANT(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(NULL, a, "count"));
	WANT(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&g, a, NULL));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&g, (CUmodule)0x1234, "count"));
	OK(cuModuleGetFunctionCount(&n, a));
	HAVE(2, n);
	OK(cuModuleEnumerateFunctions(fns, 2, a));
	TRUE(fns[0] != fns[1] && (fns[0] == f || fns[1] == f));

	/* Variables: each module has its own, with its initial value, and others are zero. */
	OK(cuModuleGetGlobal(&at, &size, a, "counter"));
	HAVE(4, size);
	OK(cuModuleGetGlobal(&other, NULL, b, "counter"));
	TRUE(at != other);
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
	OK(cuMemcpyDtoH(&value, at, 4));
	HAVE(42, value);
	OK(cuMemcpyDtoH(&value, other, 4));
	HAVE(41, value);
	value = 1000;
	OK(cuMemcpyHtoD(at, &value, 4));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
	OK(cuMemcpyDtoH(&value, at, 4));
	HAVE(1001, value);
	OK(cuModuleGetGlobal(&at, &size, a, "zeros"));
	HAVE(100, size);
	OK(cuMemcpyDtoH(bytes, at, 100));
	for (int i = 0; i < 100; i++)
		HAVE(0, bytes[i]);
	OK(cuModuleGetGlobal(&at, &size, a, "table"));
	HAVE(12, size);
	OK(cuMemcpyDtoH(&value, at + 8, 4));
	HAVE(30, value);
	WANT(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&at, &size, a, "none"));
	WANT(CUDA_ERROR_INVALID_VALUE, cuModuleGetGlobal(&at, &size, a, NULL));

	OK(cuModuleUnload(a));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(a));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&value, at, 4));
	OK(cuMemcpyDtoH(&value, other, 4));
	OK(cuModuleUnload(b));

	snprintf(path, sizeof path, "%s/two.ptx", getenv("OUT"));
	WANT(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&a, path));
	FILE *file = fopen(path, "w");
	fwrite(two, 1, strlen(two), file);
	fclose(file);
	OK(cuModuleLoad(&a, path));
	OK(cuModuleGetFunction(&f, a, "count"));
	OK(cuModuleUnload(a));
	WANT(CUDA_ERROR_INVALID_VALUE, cuModuleLoad(&a, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuModuleLoad(NULL, path));
	WANT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&a, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(NULL, two));
	/* PTX that is newer than the driver, for a newer GPU, or for another of which alone it says that it is. */
	WANT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, cuModuleLoadData(&a, ".version 9.9\n.target sm_90\n.address_size 64\n.entry k() { ret; }\n"));
	WANT(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&a, ".version 8.7\n.target sm_100\n.address_size 64\n.entry k() { ret; }\n"));
	WANT(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&a, ".version 8.7\n.target sm_80a\n.address_size 64\n.entry k() { ret; }\n"));
	OK(cuModuleLoadData(&a, ".version 8.7\n.target sm_90a\n.address_size 64\n.entry k() { ret; }\n"));
	OK(cuModuleUnload(a));
	WANT(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&a, "\x7f" "ELF\x02\x01\x01\x33\x07"));
	r = cuModuleLoadData(&a, "nonsense");
	TRUE(r == CUDA_ERROR_INVALID_IMAGE || r == CUDA_ERROR_INVALID_PTX);
	r = cuModuleLoadData(&a, "");
	TRUE(r == CUDA_ERROR_INVALID_IMAGE || r == CUDA_ERROR_INVALID_PTX);
}

/* A variable in constant memory has an address at which kernels write it, and then read it as a constant. */
static void constants(void)
{
	static const char ptx[] = PTX_HEAD ".visible .const .align 4 .b32 table[3] = {10, 20, 30};\n"
		".visible .entry write(.param .u64 to, .param .u32 n)\n{\n.reg .b32 %r;\n.reg .b64 %d;\nld.param.u64 %d, [to];\nld.param.u32 %r, [n];\nst.global.u32 [%d+4], %r;\nret;\n}\n"
		".visible .entry read(.param .u64 to, .param .u32 n)\n{\n.reg .b32 %r;\n.reg .b64 %d;\nld.param.u64 %d, [to];\nld.const.u32 %r, [table+4];\nst.global.u32 [%d], %r;\nret;\n}\n";
	CUmodule module = NULL;
	CUfunction write = NULL, read = NULL;
	CUdeviceptr table = 0, again = 0, to = 0, base = 0;
	size_t size = 0;
	int n = 77;

	OK(cuModuleLoadData(&module, ptx));
	OK(cuModuleGetFunction(&write, module, "write"));
	OK(cuModuleGetFunction(&read, module, "read"));
	OK(cuModuleGetGlobal(&table, &size, module, "table"));
	OK(cuModuleGetGlobal(&again, NULL, module, "table"));
	TRUE(table == again);
	OK(cuMemGetAddressRange(&base, &size, table + 5));
	TRUE(base == table);
	HAVE(12, size);
	OK(cuMemAlloc(&to, sizeof n));
	void *params[] = {&table, &n};
	OK(cuLaunchKernel(write, 1, 1, 1, 1, 1, 1, 0, 0, params, 0));
	params[0] = &to;
	OK(cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, 0, params, 0));
	n = 0;
	OK(cuMemcpyDtoH(&n, to, sizeof n));
	HAVE(77, n);
	n = 78;
	OK(cuMemcpyHtoD(table + 4, &n, sizeof n));
	OK(cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, 0, params, 0));
	n = 0;
	OK(cuMemcpyDtoH(&n, to, sizeof n));
	HAVE(78, n);
	OK(cuModuleUnload(module));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&n, table, sizeof n));
	OK(cuMemFree(to));
}

/* Functions are launched in the context of their module, and kernels of libraries in any. */
static void other_context(void)
{
	static const char ptx[] = PTX_HEAD ".visible .entry k()\n{\nret;\n}\n";
	CUcontext mine = NULL, other = NULL;
	CUmodule module = NULL;
	CUlibrary library = NULL;
	CUfunction f = NULL;
	CUkernel kernel = NULL;

	OK(cuCtxGetCurrent(&mine));
	OK(cuModuleLoadData(&module, ptx));
	OK(cuModuleGetFunction(&f, module, "k"));
	OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&kernel, library, "k"));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
	OK(cuCtxCreate(&other, 0, 0));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
	OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
	OK(cuCtxDestroy(other));
	OK(cuCtxSetCurrent(mine));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
	OK(cuLibraryUnload(library));
	OK(cuModuleUnload(module));
}

static void logs(void)
{
	CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS, CU_JIT_OPTIMIZATION_LEVEL};
	char info[512], error[512];
	CUmodule module = NULL;

	memset(info, 'x', sizeof info);
	memset(error, 'x', sizeof error);
	void *values[] = {info, (void *)sizeof info, error, (void *)sizeof error, (void *)32, (void *)4};
	WANT(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, PTX_HEAD ".visible .entry f()\n{\nadd.u32 %nothing, 1, 2;\nret;\n}\n", 6, options, values));
	TRUE(memchr(error, 0, sizeof error) != NULL && strstr(error, "nothing") != NULL);
	HAVE(strlen(error), (uintptr_t)values[3]); /* the bytes that were written */
	TRUE(memchr(info, 0, sizeof info) != NULL);
	HAVE(strlen(info), (uintptr_t)values[1]);

	values[1] = (void *)sizeof info, values[3] = (void *)(uintptr_t)10;
	memset(error, 'x', sizeof error);
	WANT(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, PTX_HEAD ".visible .entry f()\n{\nadd.u32 %nothing, 1, 2;\nret;\n}\n", 6, options, values));
	TRUE(strlen(error) < 10 && error[10] == 'x'); /* no more than there is room for */

	values[1] = (void *)sizeof info, values[3] = (void *)sizeof error;
	OK(cuModuleLoadDataEx(&module, two, 6, options, values));
	HAVE(0, strlen(error));
	HAVE(0, (uintptr_t)values[3]);
	OK(cuModuleUnload(module));
	OK(cuModuleLoadDataEx(&module, two, 0, NULL, NULL));
	OK(cuModuleUnload(module));
}

static void libraries(void)
{
	char path[4096];
	CUlibrary library = NULL, of = NULL;
	CUkernel kernel = NULL, kernels[4] = {0};
	CUmodule module = NULL;
	CUfunction fn = NULL;
	CUdeviceptr at = 0;
	const char *name = NULL;
	unsigned int n = 0;
	size_t bytes = 0, offset = 99, size = 99;
	int value = 0;

	OK(cuLibraryLoadData(&library, two, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&kernel, library, "count"));
	WANT(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&kernel, library, "none"));
	OK(cuLibraryGetKernelCount(&n, library));
	HAVE(2, n);
	OK(cuLibraryEnumerateKernels(kernels, 2, library));
	OK(cuLibraryGetModule(&module, library));
	OK(cuModuleGetFunction(&fn, module, "mixed"));
	OK(cuLibraryGetGlobal(&at, &bytes, library, "counter"));
	HAVE(4, bytes);
	WANT(CUDA_ERROR_NOT_FOUND, cuLibraryGetManaged(&at, &bytes, library, "none"));
	OK(cuKernelGetFunction(&fn, kernel));
	OK(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
	OK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)); /* which is allowed */
	OK(cuMemcpyDtoH(&value, at, 4));
	HAVE(43, value);
	OK(cuKernelGetLibrary(&of, kernel));
	TRUE(of == library);
	OK(cuKernelGetName(&name, kernel));
	HAVE(0, strcmp(name, "count"));
	OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, 0));
	HAVE(1000, value);
	OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000, kernel, 0));
	OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, 0));
	HAVE(100000, value);
	OK(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_SHARED, 0));
	OK(cuLibraryGetKernel(&kernel, library, "mixed"));
	OK(cuKernelGetParamInfo(kernel, 1, &offset, &size));
	HAVE(8, offset);
	HAVE(8, size);
	OK(cuLibraryUnload(library));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuLibraryUnload(library));
	snprintf(path, sizeof path, "%s/library.ptx", getenv("OUT"));
	FILE *file = fopen(path, "w");
	fwrite(two, 1, strlen(two), file);
	fclose(file);
	OK(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryUnload(library));
	WANT(CUDA_ERROR_FILE_NOT_FOUND, cuLibraryLoadFromFile(&library, "/nowhere/at.all", NULL, NULL, 0, NULL, NULL, 0));
}

static void linking(void)
{
	static const char entry[] = PTX_HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
		".visible .entry f(.param .u64 to)\n{\n.reg .b32 %r<3>;\n.reg .b64 %d;\nld.param.u64 %d, [to];\nld.global.u32 %r1, [%d];\n"
		"{\n.param .b32 x; st.param.b32 [x], %r1;\n.param .b32 r;\ncall.uni (r), twice, (x);\nld.param.b32 %r2, [r];\n}\nst.global.u32 [%d], %r2;\nret;\n}\n";
	static const char library[] = PTX_HEAD ".visible .func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r;\nld.param.b32 %r, [x];\nadd.u32 %r, %r, %r;\nst.param.b32 [r], %r;\nret;\n}\n";
	char path[4096];
	CUlinkState state = NULL;
	void *image = NULL;
	size_t size = 0;
	CUmodule module = NULL;
	CUfunction f = NULL;
	CUdeviceptr p;
	int value = 21;

	snprintf(path, sizeof path, "%s/twice.ptx", getenv("OUT"));
	FILE *file = fopen(path, "w");
	fwrite(library, 1, strlen(library), file);
	fclose(file);
	OK(cuLinkCreate(0, NULL, NULL, &state));
	OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)entry, strlen(entry) + 1, "entry", 0, NULL, NULL));
	OK(cuLinkAddFile(state, CU_JIT_INPUT_PTX, path, 0, NULL, NULL));
	OK(cuLinkComplete(state, &image, &size));
	TRUE(image != NULL && size > 0);
	OK(cuModuleLoadData(&module, image));
	OK(cuLinkDestroy(state));
	OK(cuModuleGetFunction(&f, module, "f"));
	OK(cuMemAlloc(&p, 4));
	OK(cuMemcpyHtoD(p, &value, 4));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, (void *[]){&p}, 0));
	OK(cuMemcpyDtoH(&value, p, 4));
	HAVE(42, value);

	/* A function with more parameters than it is declared with: the second is zero. */
	static const char one[] = PTX_HEAD ".extern .func (.param .b32 r) plus(.param .b32 x);\n"
		".visible .entry f(.param .u64 to)\n{\n.reg .b32 %r<3>;\n.reg .b64 %d;\nld.param.u64 %d, [to];\nld.global.u32 %r1, [%d];\n"
		"{\n.param .b32 x; st.param.b32 [x], %r1;\n.param .b32 r;\ncall.uni (r), plus, (x);\nld.param.b32 %r2, [r];\n}\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d], %r2;\nret;\n}\n";
	static const char plus[] = PTX_HEAD ".visible .func (.param .b32 r) plus(.param .b32 x, .param .b32 y)\n{\n.reg .b32 %r<3>;\n"
		"ld.param.b32 %r1, [x];\nld.param.b32 %r2, [y];\nadd.u32 %r1, %r1, %r2;\nst.param.b32 [r], %r1;\nret;\n}\n";
	OK(cuLinkCreate(0, NULL, NULL, &state));
	OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)one, strlen(one) + 1, "one", 0, NULL, NULL));
	OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)plus, strlen(plus) + 1, "plus", 0, NULL, NULL));
	OK(cuLinkComplete(state, &image, &size));
	OK(cuModuleLoadData(&module, image));
	OK(cuModuleGetFunction(&f, module, "f"));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, (void *[]){&p}, 0));
	OK(cuMemcpyDtoH(&value, p, 4));
	HAVE(43, value);
	OK(cuLinkDestroy(state));

	/* Inputs are assembled when they are added. */
	OK(cuLinkCreate(0, NULL, NULL, &state));
	WANT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, cuLinkAddData(state, CU_JIT_INPUT_PTX, ".version 9.9\n.target sm_90\n.address_size 64\n", 48, "new", 0, NULL, NULL));
	WANT(CUDA_ERROR_INVALID_PTX, cuLinkAddData(state, CU_JIT_INPUT_PTX, PTX_HEAD ".entry k() { nothing; }\n", sizeof PTX_HEAD + 24, "wrong", 0, NULL, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuLinkComplete(state, &image, &size));
	OK(cuLinkDestroy(state));

	/* What no input defines. */
	char log[1000] = "";
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)sizeof log};
	OK(cuLinkCreate(2, options, values, &state));
	OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)entry, strlen(entry) + 1, "entry", 0, NULL, NULL));
	WANT(CUDA_ERROR_UNKNOWN, cuLinkComplete(state, &image, &size));
	TRUE(strstr(log, "twice is declared but not defined") != NULL);
	OK(cuLinkDestroy(state));
	memset(log, 0, sizeof log);
	values[1] = (void *)sizeof log;
	WANT(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, entry, 2, options, values));
	TRUE(strstr(log, "twice is declared but not defined") != NULL);

	WANT(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(state));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)entry, sizeof entry, "", 0, NULL, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuLinkCreate(0, NULL, NULL, NULL));
	OK(cuLinkCreate(0, NULL, NULL, &state));
	WANT(CUDA_ERROR_INVALID_VALUE, cuLinkAddData(state, CU_JIT_INPUT_PTX, NULL, 10, "", 0, NULL, NULL));
	WANT(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/nowhere/at.all", 0, NULL, NULL));
	OK(cuLinkDestroy(state));
}

static size_t shared_of(int threads) { return (size_t)threads * 64; }

static void functions(void)
{
	static const struct {
		size_t offset, size;
	} params[] = {{0, 1}, {8, 8}, {16, 2}, {32, 20}, {52, 4}};
	CUmodule module = NULL, of = NULL;
	CUfunction mixed = NULL, count = NULL;
	const char *name = NULL;
	size_t offset, size, bytes = 0;
	int value = 0, grid = 0, block = 0, blocks = 0, state = -1;

	OK(cuModuleLoadData(&module, two));
	OK(cuModuleGetFunction(&mixed, module, "mixed"));
	OK(cuModuleGetFunction(&count, module, "count"));
	for (int i = 0; i < 5; i++) {
		OK(cuFuncGetParamInfo(mixed, i, &offset, &size));
		HAVE(params[i].offset, offset);
		HAVE(params[i].size, size);
	}
	OK(cuFuncGetParamInfo(mixed, 4, &offset, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(mixed, 5, &offset, &size));
	WANT(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(count, 0, &offset, &size));
	OK(cuFuncGetName(&name, mixed));
	HAVE(0, strcmp(name, "mixed"));
	OK(cuFuncGetModule(&of, mixed));
	TRUE(of == module);
	OK(cuFuncLoad(mixed));
	OK(cuFuncIsLoaded(&state, mixed));
	HAVE(1, state);

	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, count));
	HAVE(64, value);
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, mixed));
	HAVE(1024, value);
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, count));
	HAVE(1000, value);
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, count));
	TRUE(value > 0 && value <= 255);
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, count));
	HAVE(0, value);
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, count));
	HAVE(90, value);
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, count));
	HAVE(90, value);
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, count));
	WANT(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&value, 1000, count));
	WANT(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(NULL, 0, count));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuFuncGetAttribute(&value, 0, (CUfunction)0x1234));
	OK(cuFuncSetAttribute(count, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
	OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, count));
	HAVE(50, value);
	WANT(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(count, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101));
	WANT(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(count, CU_FUNC_ATTRIBUTE_NUM_REGS, 10)); /* is read only */
	OK(cuFuncSetCacheConfig(count, CU_FUNC_CACHE_PREFER_L1));
	OK(cuFuncSetSharedMemConfig(count, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));

	/* mixed has few registers and no shared memory: 2048 threads of an SM, 32 blocks, 132 SMs. */
	static const struct {
		int threads;
		size_t shared;
		int blocks;
	} occupancy[] = {{32, 0, 32}, {64, 0, 32}, {128, 0, 16}, {256, 0, 8}, {1024, 0, 2}, {1000, 0, 2}, {256, 48 << 10, 4}, {32, 10 << 10, 20}};
	for (size_t i = 0; i < sizeof occupancy / sizeof *occupancy; i++) {
		OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mixed, occupancy[i].threads, occupancy[i].shared));
		HAVE(occupancy[i].blocks, blocks);
		OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, mixed, occupancy[i].threads, occupancy[i].shared, 0));
		HAVE(occupancy[i].blocks, blocks);
	}
	WANT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mixed, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, mixed, 32, 0));
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, mixed, NULL, 0, 0));
	HAVE(132 * (2048 / block), grid);
	HAVE(2048, 2048 / block * block);
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, mixed, NULL, 0, 128));
	HAVE(128, block);
	HAVE(132 * 16, grid);
	OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, mixed, shared_of, 0, 0, 0));
	TRUE(block > 0 && block * 64 <= 48 << 10);
	OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, mixed, 2, 128));
	HAVE(228 * 1024 / 2 - 1024, bytes); /* each block has 1 KiB reserved */
	CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {2, 1, 1}};
	CUlaunchConfig config = {.gridDimX = 4, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1024, .blockDimY = 1, .blockDimZ = 1, .attrs = &attribute, .numAttrs = 1};
	OK(cuOccupancyMaxPotentialClusterSize(&value, mixed, &config));
	HAVE(8, value); /* the portable size */
	OK(cuOccupancyMaxActiveClusters(&value, mixed, &config));
	TRUE(value > 0 && value <= 132);
	WANT(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveClusters(&value, mixed, NULL));
	OK(cuModuleUnload(module));
}

static void old_launches(void)
{
	CUfunction add = kernel(PTX_ADD, "add");
	CUdeviceptr p;
	int got[8];

	OK(cuMemAlloc(&p, sizeof got));
	OK(cuMemsetD32(p, 0, 8));
	WANT(CUDA_ERROR_INVALID_VALUE, cuLaunch(add)); /* without a shape of the block */
	OK(cuFuncSetBlockShape(add, 4, 1, 1));
	OK(cuFuncSetSharedSize(add, 0));
	OK(cuParamSetSize(add, 12));
	OK(cuParamSetv(add, 0, &p, sizeof p));
	OK(cuParamSeti(add, 8, 5));
	OK(cuLaunch(add));
	OK(cuParamSeti(add, 8, 100));
	OK(cuLaunchGrid(add, 2, 1));
	float zero = 0;
	OK(cuParamSetf(add, 8, zero));
	OK(cuLaunchGridAsync(add, 2, 1, 0));
	OK(cuMemcpyDtoH(got, p, sizeof got));
	for (int i = 0; i < 8; i++)
		HAVE(i < 4 ? 105 : 100, got[i]);
	WANT(CUDA_ERROR_INVALID_VALUE, cuParamSeti(add, 12, 5));
	WANT(CUDA_ERROR_INVALID_VALUE, cuParamSeti(add, -1, 5));
	WANT(CUDA_ERROR_INVALID_VALUE, cuParamSetv(add, 0, NULL, 4));
	WANT(CUDA_ERROR_INVALID_VALUE, cuFuncSetBlockShape(add, 0, 1, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuLaunchGrid(add, 0, 1));
}

int main(void)
{
	begin();
	loading();
	constants();
	other_context();
	logs();
	libraries();
	linking();
	functions();
	old_launches();
	return failures != 0;
}
