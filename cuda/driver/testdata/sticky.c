// What a kernel does wrong is what its context answers from then on, and not other contexts; the text is on standard error.
//
// RUN null
// STDERR ^simtrun: .*null
// STDERR st\.global
// RUN bounds
// STDERR past the end|bounds|outside
// RUN freed
// STDERR freed
// RUN misaligned
// STDERR misaligned
// RUN trap
// STDERR trap
// RUN assert
// STDERR file\.cu:77.*(what|expr)|(what|expr).*file\.cu:77
// RUN shared
// STDERR shared
// RUN SIMTRUN_MAX_STEPS=100000 hang
// STDERR simtrun: .
// RUN SIMTRUN_LOG=$OUT/log log
#include "check.h"

static const char ptx[] = PTX_HEAD
	".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n"
	".global .align 1 .b8 message[8] = {101, 120, 112, 114, 0};\n"           // expr
	".global .align 1 .b8 file[8] = {102, 105, 108, 101, 46, 99, 117, 0};\n" // file.cu
	".global .align 1 .b8 where[5] = {119, 104, 97, 116, 0};\n"              // what
	".visible .entry put(.param .u64 to, .param .u32 v)\n{\n.reg .b64 %d;\n.reg .b32 %r;\nld.param.u64 %d, [to];\nld.param.u32 %r, [v];\nst.global.u32 [%d], %r;\nret;\n}\n"
	".visible .entry stop()\n{\ntrap;\nret;\n}\n"
	".visible .entry spin()\n{\n.reg .b32 %r;\nL:\nadd.u32 %r, %r, 1;\nbra L;\n}\n"
	".visible .entry far()\n{\n.shared .b32 s[4];\n.reg .b32 %r;\nmov.u32 %r, s;\nadd.u32 %r, %r, 1000000;\nst.shared.u32 [%r], %r;\nret;\n}\n"
	".visible .entry check(.param .u32 ok)\n{\n.reg .b32 %r;\n.reg .pred %p;\n.reg .b64 %d<6>;\n"
	"ld.param.u32 %r, [ok];\nsetp.ne.u32 %p, %r, 0;\n@%p bra E;\n"
	"mov.u64 %d1, message;\ncvta.global.u64 %d1, %d1;\nmov.u64 %d2, file;\ncvta.global.u64 %d2, %d2;\nmov.u64 %d3, where;\ncvta.global.u64 %d3, %d3;\n"
	"{\n.param .b64 p0; st.param.b64 [p0], %d1;\n.param .b64 p1; st.param.b64 [p1], %d2;\n.param .b32 p2; st.param.b32 [p2], 77;\n"
	".param .b64 p3; st.param.b64 [p3], %d3;\n.param .b64 p4; st.param.b64 [p4], 1;\ncall.uni __assertfail, (p0, p1, p2, p3, p4);\n}\n"
	"E:\nret;\n}\n";

static CUmodule module;

static CUresult launch(const char *name, void **params)
{
	CUfunction fn = NULL;
	OK(cuModuleGetFunction(&fn, module, name));
	return cuLaunchKernel(fn, 1, 1, 1, 32, 1, 1, 0, 0, params, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "null";
	CUcontext other, ctx;
	CUdeviceptr p = 0, elsewhere = 0, q;
	CUmodule more;
	int value = 7, got, one = 1, zero = 0, want = CUDA_ERROR_ILLEGAL_ADDRESS;

	OK(cuInit(0));
	OK(cuCtxCreate(&other, 0, 0));
	OK(cuMemAlloc(&elsewhere, 4));
	OK(cuMemsetD32(elsewhere, 3, 1));
	OK(cuCtxCreate(&ctx, 0, 0));
	OK(cuModuleLoadData(&module, ptx));
	OK(cuMemAlloc(&p, 16));
	OK(launch("put", (void *[]){&p, &value}));
	OK(launch("check", (void *[]){&one}));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(&got, p, 4));
	HAVE(7, got);

	/* The launch itself succeeds: it is what comes after that fails. */
	if (strcmp(what, "null") == 0 || strcmp(what, "log") == 0) {
		q = 0;
		OK(launch("put", (void *[]){&q, &value}));
	} else if (strcmp(what, "bounds") == 0) {
		q = p + 16;
		OK(launch("put", (void *[]){&q, &value}));
	} else if (strcmp(what, "freed") == 0) {
		OK(cuMemFree(p));
		OK(launch("put", (void *[]){&p, &value}));
	} else if (strcmp(what, "misaligned") == 0) {
		q = p + 2;
		OK(launch("put", (void *[]){&q, &value}));
		want = CUDA_ERROR_MISALIGNED_ADDRESS;
	} else if (strcmp(what, "trap") == 0) {
		OK(launch("stop", NULL));
		want = CUDA_ERROR_LAUNCH_FAILED;
	} else if (strcmp(what, "assert") == 0) {
		OK(launch("check", (void *[]){&zero}));
		want = CUDA_ERROR_ASSERT;
	} else if (strcmp(what, "shared") == 0) {
		OK(launch("far", NULL));
	} else if (strcmp(what, "hang") == 0) {
		OK(launch("spin", NULL));
		want = CUDA_ERROR_LAUNCH_TIMEOUT;
	}
	WANT(want, cuCtxSynchronize());
	WANT(want, cuCtxSynchronize());
	WANT(want, cuMemcpyDtoH(&got, p, 4));
	WANT(want, cuMemAlloc(&q, 4));
	WANT(want, cuStreamSynchronize(0));
	WANT(want, cuModuleLoadData(&more, ptx));
	WANT(want, cuMemFree(p));

	/* The other context has nothing to do with it; this one can be destroyed, and a new one made. */
	OK(cuCtxPushCurrent(other));
	OK(cuMemcpyDtoH(&got, elsewhere, 4));
	HAVE(3, got);
	OK(cuCtxPopCurrent(NULL));
	OK(cuCtxDestroy(ctx));
	OK(cuCtxCreate(&ctx, 0, 0));
	OK(cuModuleLoadData(&module, ptx));
	OK(cuMemAlloc(&p, 16));
	OK(launch("put", (void *[]){&p, &value}));
	OK(cuCtxSynchronize());
	if (strcmp(what, "log") == 0) {
		char path[4096], text[4096] = "";
		snprintf(path, sizeof path, "%s/log", getenv("OUT"));
		FILE *f = fopen(path, "r");
		TRUE(f != NULL && fread(text, 1, sizeof text - 1, f) > 0 && strncmp(text, "simtrun: ", 9) == 0);
	}
	return failures != 0;
}
