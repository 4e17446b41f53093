// SIMTRUN_CHECK=race names both accesses of a race, once, and the launch succeeds; without it nothing is said.
//
// RUN races
// RUN SIMTRUN_CHECK=race races
// STDERR ^simtrun: .*race
// STDERR write .*st\.global
// STDERR write .*block \(1,0,0\)
// RUN SIMTRUN_CHECK=race clean
// RUN SIMTRUN_CHECK=memory,race races
// STDERR race
// RUN SIMTRUN_CHECK=all races
// STDERR race
// STDERR never freed
// RUN SIMTRUN_CHECK=race SIMTRUN_SUPPRESSIONS=testdata/allowed.txt races
// RUN SIMTRUN_CHECK=race SIMTRUN_SUPPRESSIONS=/nowhere/at/all refused
// STDERR SIMTRUN_SUPPRESSIONS
// RUN SIMTRUN_CHECK=sync clean
// RUN shuffles
// RUN SIMTRUN_CHECK=sync shuffles
// STDERR lanes 8-15 read lanes 16-23, which have ended
// RUN SIMTRUN_CHECK=sync SIMTRUN_FUNCTIONAL=0 refused
// STDERR SIMTRUN_CHECK is for launches without a clock
// RUN SIMTRUN_CHECK=nonsense refused
// STDERR SIMTRUN_CHECK: no check "nonsense"
// RUN SIMTRUN_GPU=nonsense refused
// STDERR SIMTRUN_GPU
// RUN SIMTRUN_DIVERGENCE=nonsense refused
// STDERR SIMTRUN_DIVERGENCE
// RUN SIMTRUN_THREADS=many refused
// STDERR SIMTRUN_THREADS: "many" is not a number
// RUN SIMTRUN_FUNCTIONAL=perhaps refused
// STDERR SIMTRUN_FUNCTIONAL
// RUN SIMTRUN_LOG=/nowhere/at/all refused
// STDERR SIMTRUN_LOG
// RUN SIMTRUN_REPORT=/nowhere/at/all refused
// STDERR SIMTRUN_REPORT
// RUN SIMTRUN_GPU=a100 a100
// RUN SIMTRUN_MEMORY=1048576 small
// RUN SIMTRUN_THREADS=1 clean
// RUN SIMTRUN_DIVERGENCE=minpc clean
#include "check.h"

/* put has each CTA write its number to one place; add_up adds to it, and shuffle adds what lanes outside of its mask
   have. */
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
	".visible .entry put(.param .u64 to)\n{\n.reg .b64 %d;\n.reg .b32 %r;\nld.param.u64 %d, [to];\nmov.u32 %r, %ctaid.x;\nst.global.u32 [%d], %r;\nret;\n}\n"
	".visible .entry add_up(.param .u64 to)\n{\n.reg .b64 %d;\nld.param.u64 %d, [to];\nred.global.add.u32 [%d], 1;\nret;\n}\n"
	".visible .entry shuffle(.param .u64 to)\n{\n.reg .b64 %d;\n.reg .b32 %r;\n.reg .pred %p;\nld.param.u64 %d, [to];\nmov.u32 %r, %laneid;\nsetp.ge.u32 %p, %r, 16;\n@%p ret;\n"
	"shfl.sync.down.b32 %r, 1, 8, 31, 0xffff;\nred.global.add.u32 [%d], %r;\nret;\n}\n";

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "clean";
	CUdeviceptr p;
	CUmodule module;
	CUfunction f;
	size_t total = 0;
	int value = 0;

	if (strcmp(what, "refused") == 0) {
		WANT(CUDA_ERROR_NO_DEVICE, cuInit(0)); /* options that are wrong */
		return failures != 0;
	}
	begin();
	if (strcmp(what, "a100") == 0) {
		OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
		HAVE(8, value);
		OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
		HAVE(108, value);
	}
	if (strcmp(what, "small") == 0) {
		OK(cuDeviceTotalMem(&total, 0));
		HAVE(1 << 20, total);
		WANT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, (1 << 20) + 1));
		OK(cuMemAlloc(&p, 1 << 19));
		WANT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, (1 << 19) + 1));
		void *host = NULL, *more;
		OK(cuMemAllocHost(&host, 1 << 19)); /* the host has as much */
		OK(cuMemAllocManaged(&p, 1 << 18, CU_MEM_ATTACH_GLOBAL));
		WANT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocHost(&more, (1 << 18) + 1));
		OK(cuMemFreeHost(host));
		OK(cuMemFree(p));
		OK(cuMemAllocHost(&host, 1 << 20));
	}
	OK(cuModuleLoadData(&module, ptx));
	OK(cuMemAlloc(&p, 4));
	OK(cuMemsetD32(p, 0, 1));
	OK(cuModuleGetFunction(&f, module, strcmp(what, "races") == 0 ? "put" : strcmp(what, "shuffles") == 0 ? "shuffle" : "add_up"));
	for (int i = 0; i < 2; i++)
		OK(cuLaunchKernel(f, 4, 1, 1, strcmp(what, "shuffles") == 0 ? 32 : 1, 1, 1, 0, 0, (void *[]){&p}, 0));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(&value, p, 4));
	if (strcmp(what, "shuffles") == 0)
		TRUE(value >= 8 * 8);
	else if (strcmp(what, "races") == 0)
		TRUE(value >= 0 && value < 4);
	else
		HAVE(8, value);
	return failures != 0;
}
