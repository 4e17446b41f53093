// Launches kernels whose counters are worked out by hand; TestReportMatchesHandCount reads what is reported of them.
#include "check.h"

static const char ptx[] = PTX_HEAD
	".visible .entry half(.param .u64 to)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<3>;\n.reg .pred %p;\n"
	"ld.param.u64 %d1, [to];\n"          // 1
	"mov.u32 %r1, %tid.x;\n"             // 2
	"and.b32 %r2, %r1, 31;\n"            // 3
	"setp.ge.u32 %p, %r2, 16;\n"         // 4
	"mad.wide.u32 %d1, %r1, 4, %d1;\n"   // 5
	"@%p bra L;\n"                       // 6
	"add.u32 %r2, %r2, 100;\n"           // 7, half of the lanes
	"L:\nadd.u32 %r2, %r2, 1;\n"         // 8
	"st.global.u32 [%d1], %r2;\n"        // 9
	"ret;\n}\n"                          // 10
	".visible .entry none()\n{\nret;\n}\n";

int main(void)
{
	CUdeviceptr to;
	CUfunction half, none;
	CUmodule module;
	int got[64];

	begin();
	OK(cuModuleLoadData(&module, ptx));
	OK(cuModuleGetFunction(&half, module, "half"));
	OK(cuModuleGetFunction(&none, module, "none"));
	OK(cuMemAlloc(&to, sizeof got));
	OK(cuLaunchKernel(half, 2, 1, 1, 64, 1, 1, 0, 0, (void *[]){&to}, 0));
	OK(cuLaunchKernel(half, 3, 1, 1, 32, 1, 1, 128, 0, (void *[]){&to}, 0));
	OK(cuLaunchKernel(none, 1, 1, 1, 40, 1, 1, 0, 0, 0, 0));
	OK(cuMemcpyDtoH(got, to, sizeof got));
	for (int i = 0; i < 64; i++)
		HAVE(i % 32 < 16 ? i % 32 + 101 : i % 32 + 1, got[i]);
	return failures != 0;
}
