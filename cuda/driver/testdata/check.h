/* What the programs have in common. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

/* WANT calls the driver and compares what it answers. */
#define WANT(want, call) want_result(__FILE__, __LINE__, #call, want, call)
#define OK(call) WANT(CUDA_SUCCESS, call)

/* HAVE compares two integers. */
#define HAVE(want, got) want_integer(__FILE__, __LINE__, #got, (long long)(want), (long long)(got))
#define TRUE(condition) HAVE(1, !!(condition))

__attribute__((unused)) static int want_result(const char *file, int line, const char *call, int want, int got)
{
	const char *a = "?", *b = "?";

	if (got == want)
		return 1;
	cuGetErrorName((CUresult)got, &a);
	cuGetErrorName((CUresult)want, &b);
	printf("%s:%d: %s\n\tanswers %d (%s), want %d (%s)\n", file, line, call, got, a, want, b);
	failures++;
	return 0;
}

__attribute__((unused)) static void want_integer(const char *file, int line, const char *what, long long want, long long got)
{
	if (got == want)
		return;
	printf("%s:%d: %s\n\tis %lld (0x%llx), want %lld (0x%llx)\n", file, line, what, got, got, want, want);
	failures++;
}

/* begin makes a context. */
__attribute__((unused)) static CUcontext begin(void)
{
	CUcontext ctx = NULL;
	OK(cuInit(0));
	OK(cuCtxCreate(&ctx, 0, 0));
	return ctx;
}

/* kernel is a function of a module made of PTX. */
__attribute__((unused)) static CUfunction kernel(const char *ptx, const char *name)
{
	CUmodule module = NULL;
	CUfunction fn = NULL;
	OK(cuModuleLoadData(&module, ptx));
	OK(cuModuleGetFunction(&fn, module, name));
	return fn;
}

#define PTX_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

/* PTX_ADD has add(to, n): to[i] += n for thread i of all. */
#define PTX_ADD PTX_HEAD \
	".visible .entry add(.param .u64 to, .param .u32 n)\n{\n" \
	".reg .b32 %r<6>;\n.reg .b64 %d<4>;\n" \
	"ld.param.u64 %d1, [to];\nld.param.u32 %r1, [n];\n" \
	"mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\nmad.lo.u32 %r2, %r2, %r3, %r4;\n" \
	"mad.wide.u32 %d2, %r2, 4, %d1;\nld.global.u32 %r5, [%d2];\nadd.u32 %r5, %r5, %r1;\nst.global.u32 [%d2], %r5;\nret;\n}\n"
