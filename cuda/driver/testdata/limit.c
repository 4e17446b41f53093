// A launch that reaches its time limit ends with CUDA_ERROR_LAUNCH_TIMEOUT, also one that waits for the program.
//
// RUN SIMTRUN_LAUNCH_TIMEOUT=300ms
// STDERR ^simtrun: module1.ptx:\d+:\d+: error: time limit: spin is not done after 300ms \(0 of 2 blocks done\); SIMTRUN_LAUNCH_TIMEOUT sets the limit \[sync-timeout\]$
// RUN SIMTRUN_LAUNCH_TIMEOUT=50ms
// STDERR time limit: spin is not done after 50ms
// RUN SIMTRUN_LAUNCH_TIMEOUT=50ms SIMTRUN_CHECK=leak
// STDERR ^simtrun: module1.ptx:\d+:\d+: error: time limit: (.*\n)+  who .*\nsimtrun: note: leak check skipped: memory cannot be freed after a kernel has failed\n\z
// RUN SIMTRUN_LAUNCH_TIMEOUT=300ms waits
// STDERR time limit: spin is not done after 300ms \(0 of 2 blocks done\)
// RUN SIMTRUN_LAUNCH_TIMEOUT=3x
// EXIT 2
// STDERR ^simtrun: SIMTRUN_LAUNCH_TIMEOUT: "3x" is not a time such as 30s or 5m$
#include "check.h"

static const char ptx[] = PTX_HEAD ".visible .entry spin(.param .u64 p)\n{\n.reg .b64 %d<3>;\n.reg .b32 %r<3>;\n.reg .pred %q;\nld.param.u64 %d1, [p];\n"
	"L:\nadd.u64 %d2, %d2, 1;\nld.volatile.global.u32 %r1, [%d1];\nsetp.eq.u32 %q, %r1, 0;\n@%q bra L;\nst.global.u64 [%d1+8], %d2;\nret;\n}\n";

int main(int argc, char **argv)
{
	CUdeviceptr p;
	CUfunction fn;

	(void)argv;
	if (cuInit(0) == CUDA_ERROR_NO_DEVICE)
		return 2;
	begin();
	fn = kernel(ptx, "spin");
	if (argc > 1)
		OK(cuMemAllocManaged(&p, 16, CU_MEM_ATTACH_GLOBAL)); /* the program may write it */
	else
		OK(cuMemAlloc(&p, 16));
	OK(cuMemsetD8(p, 0, 16));
	OK(cuLaunchKernel(fn, 2, 1, 1, 32, 1, 1, 0, 0, (void *[]){&p}, 0));
	WANT(CUDA_ERROR_LAUNCH_TIMEOUT, cuCtxSynchronize());
	WANT(CUDA_ERROR_LAUNCH_TIMEOUT, cuMemFree(p));
	return failures != 0;
}
