/* Kernels that a program compiles while it runs: what NVRTC's manual has of its functions, and results of kernels computed here. */
#include <cuda.h>
#include <nvrtc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define WANT(want, call) want_result((want), (call), #call, __LINE__)
#define OK(call) WANT(0, call)
#define TRUE(condition) ((condition) ? (void)0 : (void)(failures++, printf("line %d: not true: %s\n", __LINE__, #condition)))

static void want_result(int want, int got, const char *call, int line)
{
	if (got != want) {
		failures++;
		printf("line %d: %s is %d, not %d\n", line, call, got, want);
	}
}

static char *log_of(nvrtcProgram p)
{
	size_t size = 0;
	OK(nvrtcGetProgramLogSize(p, &size));
	char *log = malloc(size);
	OK(nvrtcGetProgramLog(p, log));
	TRUE(strlen(log) + 1 == size);
	return log;
}

static char *ptx_of(nvrtcProgram p)
{
	size_t size = 0;
	OK(nvrtcGetPTXSize(p, &size));
	char *ptx = malloc(size);
	OK(nvrtcGetPTX(p, ptx));
	TRUE(strlen(ptx) + 1 == size);
	return ptx;
}

/* Static variables, one of which no kernel writes, and one that no kernel reads. */
static void statics(void)
{
	static const char source[] = "static __constant__ int factor;\n__device__ static int results[32];\n"
								 "extern \"C\" __global__ void times(void) { results[threadIdx.x] = factor * threadIdx.x; }\n";
	nvrtcProgram p;
	CUmodule m;
	CUfunction f;
	CUdeviceptr factor, results;
	int n = 7, got[32];

	OK(nvrtcCreateProgram(&p, source, "times.cu", 0, NULL, NULL));
	OK(nvrtcCompileProgram(p, 0, NULL));
	char *ptx = ptx_of(p);
	OK(cuModuleLoadData(&m, ptx));
	OK(cuModuleGetGlobal(&factor, NULL, m, "factor"));
	OK(cuModuleGetGlobal(&results, NULL, m, "results"));
	OK(cuMemcpyHtoD(factor, &n, sizeof n));
	OK(cuModuleGetFunction(&f, m, "times"));
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
	OK(cuMemcpyDtoH(got, results, sizeof got));
	for (int i = 0; i < 32; i++)
		TRUE(got[i] == 7 * i);
	OK(cuModuleUnload(m));
	free(ptx);
	OK(nvrtcDestroyProgram(&p));
}

/* A template, a variable and a header of the program's own. */
static void names(void)
{
	static const char source[] =
		"#include \"parts/scale.h\"\n"
		"namespace n {\n"
		"__constant__ float offset;\n"
		"__device__ int calls;\n"
		"template<class T, int K> __global__ void apply(T *p, int n)\n"
		"{\n"
		"	int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
		"	if (i < n) p[i] = scale<T>(p[i], K) + (T)offset;\n"
		"	if (i == 0) atomicAdd(&calls, 1);\n"
		"}\n"
		"}\n";
	const char *headers[] = {"template<class T> __device__ T scale(T v, int by) { return v * by + SHIFT; }\n"}, *paths[] = {"parts/scale.h"};
	const char *options[] = {"--gpu-architecture=compute_80", "-DSHIFT=2", "--std=c++17", "-lineinfo"};
	const char *float3x = "n::apply<float, 3>", *double5x = "n::apply<double,5>", *name;
	nvrtcProgram p;

	OK(nvrtcCreateProgram(&p, source, "apply.cu", 1, headers, paths));
	OK(nvrtcAddNameExpression(p, float3x));
	OK(nvrtcAddNameExpression(p, double5x));
	OK(nvrtcAddNameExpression(p, "&n::offset"));
	OK(nvrtcAddNameExpression(p, "n::calls"));
	WANT(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, nvrtcGetLoweredName(p, float3x, &name));
	OK(nvrtcCompileProgram(p, 4, options));
	char *log = log_of(p), *ptx = ptx_of(p);
	TRUE(*log == 0);
	free(log);
	WANT(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, nvrtcAddNameExpression(p, "n::more"));
	WANT(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, nvrtcGetLoweredName(p, "n::more", &name));
	TRUE(strstr(ptx, "simtrun_name") == NULL);

	CUmodule m;
	CUfunction f;
	CUdeviceptr offset, calls, data;
	size_t size;
	OK(cuModuleLoadData(&m, ptx));
	OK(nvrtcGetLoweredName(p, "&n::offset", &name));
	OK(cuModuleGetGlobal(&offset, &size, m, name));
	TRUE(size == sizeof(float));
	OK(nvrtcGetLoweredName(p, "n::calls", &name));
	OK(cuModuleGetGlobal(&calls, &size, m, name));

	enum { N = 100 };
	float half = .5f, got[N];
	double wide[N];
	int n = N;
	OK(cuMemcpyHtoD(offset, &half, sizeof half));
	OK(cuMemAlloc(&data, sizeof wide));
	for (int i = 0; i < N; i++)
		got[i] = i;
	OK(cuMemcpyHtoD(data, got, sizeof got));
	OK(nvrtcGetLoweredName(p, float3x, &name));
	TRUE(strcmp(name, "_ZN1n5applyIfLi3EEEvPT_i") == 0); /* Itanium C++ ABI */
	OK(cuModuleGetFunction(&f, m, name));
	OK(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&data, &n}, NULL));
	OK(cuMemcpyDtoH(got, data, sizeof got));
	for (int i = 0; i < N; i++) {
		TRUE(got[i] == 3 * i + 2.5f);
		wide[i] = i;
	}
	OK(cuMemcpyHtoD(data, wide, sizeof wide));
	OK(nvrtcGetLoweredName(p, double5x, &name));
	OK(cuModuleGetFunction(&f, m, name));
	OK(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, NULL, (void *[]){&data, &n}, NULL));
	OK(cuMemcpyDtoH(wide, data, sizeof wide));
	for (int i = 0; i < N; i++)
		TRUE(wide[i] == 5 * i + 2.5);
	OK(cuMemcpyDtoH(&n, calls, sizeof n));
	TRUE(n == 2);
	OK(cuMemFree(data));
	OK(cuModuleUnload(m));
	free(ptx);
	OK(nvrtcDestroyProgram(&p));
	TRUE(p == NULL);
}

/* Code for a GPU: an image that the driver loads. Functions and types of the device need no header, and those of stdint.h are the source's. */
static void cubin(void)
{
	static const char source[] =
		"#include <cuda_fp16.h>\n"
		"#define INFINITY (__int_as_float(0x7f800000))\n"
		"typedef signed char int8_t;\ntypedef unsigned int uint32_t;\ntypedef long long int64_t;\ntypedef unsigned long long uint64_t;\n"
		"struct __align__(8) half4 { half x, y, z, w; };\n"
		"int twice(int v) { return 2 * v; }\n"
		"extern \"C\" __global__ void __launch_bounds__(64) most(half *p, float4 *q) {\n"
		"	__shared__ float m[64];\n"
		"	m[threadIdx.x] = __half2float(p[threadIdx.x]);\n"
		"	__syncthreads();\n"
		"	if (threadIdx.x == 0) {\n"
		"		float best = -INFINITY;\n"
		"		for (int i = 0; i < 64; i++) best = fmaxf(best, m[i]);\n"
		"		*q = make_float4(best, sqrtf(best), twice(21), 0);\n"
		"	}\n"
		"}\n";
	const char *options[] = {"-arch", "sm_80", "-default-device", "-I", "/usr/include/none", "--use_fast_math"};
	nvrtcProgram p;
	size_t size = 0;

	OK(nvrtcCreateProgram(&p, source, NULL, 0, NULL, NULL));
	WANT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetPTXSize(p, &size));
	OK(nvrtcCompileProgram(p, 5, options));
	OK(nvrtcGetCUBINSize(p, &size));
	TRUE(size > 0);
	char *image = malloc(size);
	OK(nvrtcGetCUBIN(p, image));
	OK(nvrtcGetLTOIRSize(p, &size));
	TRUE(size == 0);

	CUmodule m;
	CUfunction f;
	CUdeviceptr in, out;
	unsigned short halves[64];
	float got[4];
	for (int i = 0; i < 64; i++)
		halves[i] = 0x3c00; /* 1 */
	halves[17] = 0x4c00; /* 16 */
	OK(cuModuleLoadData(&m, image));
	OK(cuModuleGetFunction(&f, m, "most"));
	OK(cuMemAlloc(&in, sizeof halves));
	OK(cuMemAlloc(&out, sizeof got));
	OK(cuMemcpyHtoD(in, halves, sizeof halves));
	OK(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, (void *[]){&in, &out}, NULL));
	OK(cuMemcpyDtoH(got, out, sizeof got));
	TRUE(got[0] == 16 && got[1] == 4 && got[2] == 42 && got[3] == 0);
	free(image);
	OK(nvrtcDestroyProgram(&p));
}

/* What is wrong, and what is said of it. */
static void wrong(void)
{
	nvrtcProgram p;
	size_t size;
	int major, minor, n, archs[64];
	const char *option[] = {"--no-such-option"}, *lto[] = {"-dlto"}, *name;

	OK(nvrtcCreateProgram(&p, "__global__ void k() {\n\tundeclared = 1;\n}\n", "some/kernel.cu", 0, NULL, NULL));
	WANT(NVRTC_ERROR_COMPILATION, nvrtcCompileProgram(p, 0, NULL));
	char *log = log_of(p);
	TRUE(strstr(log, "some/kernel.cu:2:2: error: use of undeclared identifier 'undeclared'") != NULL);
	free(log);
	WANT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetPTXSize(p, &size));
	WANT(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, nvrtcGetLoweredName(p, "k", &name));
	OK(nvrtcDestroyProgram(&p));

	OK(nvrtcCreateProgram(&p, "__global__ void k() {}\n", "k.cu", 0, NULL, NULL));
	WANT(NVRTC_ERROR_INVALID_OPTION, nvrtcCompileProgram(p, 1, option));
	log = log_of(p);
	TRUE(strstr(log, "--no-such-option") != NULL);
	free(log);
	WANT(NVRTC_ERROR_INVALID_OPTION, nvrtcCompileProgram(p, 1, lto));
	OK(nvrtcCompileProgram(p, 0, NULL)); /* once more, rightly */
	OK(nvrtcGetCUBINSize(p, &size));
	TRUE(size == 0); /* no GPU's architecture was asked for */
	WANT(NVRTC_ERROR_INVALID_INPUT, nvrtcGetPTX(p, NULL));
	OK(nvrtcDestroyProgram(&p));

	OK(nvrtcCreateProgram(&p, "__global__ void k() {}\n", "k.cu", 0, NULL, NULL));
	OK(nvrtcAddNameExpression(p, "none<int>"));
	WANT(NVRTC_ERROR_COMPILATION, nvrtcCompileProgram(p, 0, NULL));
	log = log_of(p);
	TRUE(strstr(log, "name expression none<int>") != NULL);
	free(log);
	OK(nvrtcDestroyProgram(&p));

	WANT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcDestroyProgram(&p));
	WANT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcDestroyProgram(NULL));
	WANT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcCompileProgram(NULL, 0, NULL));
	WANT(NVRTC_ERROR_INVALID_PROGRAM, nvrtcGetPTXSize(NULL, &size));
	WANT(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(NULL, "", NULL, 0, NULL, NULL));
	WANT(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(&p, NULL, NULL, 0, NULL, NULL));
	WANT(NVRTC_ERROR_INVALID_INPUT, nvrtcCreateProgram(&p, "", NULL, 1, NULL, NULL));
	OK(nvrtcVersion(&major, &minor));
	TRUE(major == 12);
	OK(nvrtcGetNumSupportedArchs(&n));
	TRUE(n > 0 && n <= 64);
	OK(nvrtcGetSupportedArchs(archs));
	for (int i = 1; i < n; i++)
		TRUE(archs[i - 1] < archs[i]);
	TRUE(strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION") == 0);
}

int main(void)
{
	CUcontext context;

	OK(cuInit(0));
	OK(cuCtxCreate(&context, 0, 0));
	names();
	statics();
	cubin();
	wrong();
	if (failures == 0)
		puts("ok");
	return failures != 0;
}
