/* What TestDebugSessionsMatchFiles debugs: a call that fails, launches, a race, and a kernel that fails. */
#include "../check.h"

static const char ptx[] = PTX_HEAD
	".global .u32 total;\n"
	".visible .entry twice(.param .u64 p)\n{\n"
	"	.reg .u64 %rd<4>;\n	.reg .u32 %r<5>;\n"
	"	ld.param.u64 %rd1, [p];\n"
	"	mov.u32 %r1, %tid.x;\n"
	"	mul.wide.u32 %rd2, %r1, 4;\n"
	"	add.u64 %rd3, %rd1, %rd2;\n"
	"	ld.global.u32 %r2, [%rd3];\n"
	"	add.u32 %r3, %r2, %r2;\n"
	"	st.global.u32 [%rd3], %r3;\n"
	"	atom.global.add.u32 %r4, [total], %r3;\n"
	"	ret;\n}\n"
	".visible .entry racy(.param .u64 p)\n{\n"
	"	.reg .u64 %rd<2>;\n	.reg .u32 %r<2>;\n"
	"	ld.param.u64 %rd1, [p];\n"
	"	mov.u32 %r1, %tid.x;\n"
	"	st.global.u32 [%rd1], %r1;\n"
	"	ret;\n}\n";

int main(void)
{
	CUfunction twice, racy;
	CUmodule m;
	CUdeviceptr p, none = 16;
	int got[32];

	begin();
	OK(cuModuleLoadData(&m, ptx));
	OK(cuModuleGetFunction(&twice, m, "twice"));
	OK(cuModuleGetFunction(&racy, m, "racy"));
	OK(cuMemAlloc(&p, 128));
	OK(cuMemsetD32(p, 5, 32));
	cuMemFree(p + 4);
	for (int i = 0; i < 3; i++)
		OK(cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&p}, 0));
	OK(cuMemcpyDtoH(got, p, 128));
	printf("%d %d\n", got[6], got[7]);
	OK(cuLaunchKernel(racy, 1, 1, 1, 64, 1, 1, 0, 0, (void *[]){&p}, 0));
	OK(cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&none}, 0));
	cuCtxSynchronize();
	return failures;
}
