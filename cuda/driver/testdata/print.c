// A kernel's printf comes in order with what the program prints itself.
// STDOUT \Abefore\nvalue -3 of x\nafter\n\z
#include "check.h"

static const char ptx[] = PTX_HEAD
	".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
	".global .align 1 .b8 format[16] = {118, 97, 108, 117, 101, 32, 37, 100, 32, 111, 102, 32, 37, 99, 10, 0};\n" // value %d of %c
	".visible .entry say(.param .u32 v)\n{\n.local .align 8 .b8 args[8];\n.reg .b32 %r<3>;\n.reg .b64 %d<3>;\n"
	"ld.param.u32 %r1, [v];\nmov.u64 %d1, args;\ncvta.local.u64 %d1, %d1;\nst.local.u32 [args], %r1;\nmov.u32 %r2, 120;\nst.local.u32 [args+4], %r2;\n"
	"mov.u64 %d2, format;\ncvta.global.u64 %d2, %d2;\n"
	"{\n.param .b64 p0; st.param.b64 [p0], %d2;\n.param .b64 p1; st.param.b64 [p1], %d1;\n.param .b32 r0;\ncall.uni (r0), vprintf, (p0, p1);\n}\nret;\n}\n";

int main(void)
{
	int v = -3;
	CUfunction fn;

	begin();
	fn = kernel(ptx, "say");
	printf("before\n");
	OK(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, 0, (void *[]){&v}, 0));
	OK(cuCtxSynchronize());
	printf("after\n");
	return failures != 0;
}
