// Launches one warp of eight instructions as often as its argument says; TestReportIsCheap counts host instructions.
#include "../check.h"

#include <stdlib.h>

static const char ptx[] = PTX_HEAD ".visible .entry inc(.param .u64 p)\n{\n.reg .b64 %d<3>;\n.reg .b32 %r<3>;\n"
	"ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\n"
	"ld.global.u32 %r2, [%d1];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%d1], %r2;\nret;\n}\n";

int main(int argc, char **argv)
{
	CUfunction inc;
	CUdeviceptr p;
	unsigned got[32], n = argc > 1 ? atoi(argv[1]) : 1;

	begin();
	inc = kernel(ptx, "inc");
	OK(cuMemAlloc(&p, sizeof got));
	OK(cuMemsetD32(p, 0, 32));
	for (unsigned i = 0; i < n; i++)
		OK(cuLaunchKernel(inc, 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&p}, 0));
	OK(cuMemcpyDtoH(got, p, sizeof got));
	for (int lane = 0; lane < 32; lane++)
		HAVE(n, got[lane]);
	return failures != 0;
}
