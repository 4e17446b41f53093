/* A program whose second launch goes on until the program is killed. */
#include "../check.h"

static const char ptx[] = PTX_HEAD ".visible .entry _Z4longi(.param .u32 n)\n{\n.reg .b32 %r<3>;\n.reg .b64 %d;\n.reg .pred %q;\nld.param.u32 %r2, [n];\n"
	"L:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %q, %r1, %r2;\n@%q bra L;\nret;\n}\n";

int main(void)
{
	unsigned n = 10;
	begin();
	CUfunction fn = kernel(ptx, "_Z4longi");
	OK(cuLaunchKernel(fn, 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&n}, 0));
	n = 900000000;
	OK(cuLaunchKernel(fn, 1000, 2, 1, 64, 1, 1, 0, 0, (void *[]){&n}, 0));
	return 0;
}
