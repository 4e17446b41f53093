// SIMTRUN_CHECK=init finds uses of device memory that no kernel, copy or fill has written, and of managed memory; without it nothing is said.
//
// RUN nothing
// RUN SIMTRUN_CHECK=init nothing
// STDERR ^simtrun: .*a result in global memory depends on global memory allocation 1.*\+0x0\.\.0x3, which was never written \[init-global\]
// STDERR read .* ld\.global
// RUN SIMTRUN_CHECK=init,race half
// STDERR allocation 1.*\+0x40\.\.0x43, which
// STDERR lanes 16-31
// RUN SIMTRUN_CHECK=init copied
// STDERR allocation 1.*init-global
// RUN SIMTRUN_CHECK=init part
// RUN SIMTRUN_CHECK=init set
// RUN SIMTRUN_CHECK=init host
// RUN SIMTRUN_CHECK=init rows
// RUN SIMTRUN_CHECK=init kernel
// RUN SIMTRUN_CHECK=init copy
// RUN SIMTRUN_CHECK=init managed
// STDERR a result in global memory depends on managed memory 1.*\+0x0\.\.0x3, which was never written \[init-global\]
// RUN SIMTRUN_CHECK=init stored
#include "check.h"

/* copy copies word i of from to word i of to, for thread i. */
static const char ptx[] = PTX_HEAD
	".visible .entry copy(.param .u64 from, .param .u64 to)\n{\n.reg .b64 %a, %b, %i;\n.reg .b32 %r;\n"
	"ld.param.u64 %a, [from];\nld.param.u64 %b, [to];\nmov.u32 %r, %tid.x;\nmul.wide.u32 %i, %r, 4;\nadd.u64 %a, %a, %i;\nadd.u64 %b, %b, %i;\n"
	"ld.global.u32 %r, [%a];\nst.global.u32 [%b], %r;\nret;\n}\n";

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "nothing";
	CUdeviceptr from, to, third;
	unsigned words[32] = {0};

	begin();
	CUfunction f = kernel(ptx, "copy");
	int managed = strcmp(what, "managed") == 0 || strcmp(what, "stored") == 0;
	OK(managed ? cuMemAllocManaged(&from, 128, CU_MEM_ATTACH_GLOBAL) : cuMemAlloc(&from, 128));
	if (strcmp(what, "stored") == 0) /* by the host, without a call */
		memcpy((void *)from, words, 128);
	OK(cuMemAlloc(&to, 128));
	OK(cuMemAlloc(&third, 128));
	if (strcmp(what, "half") == 0 || strcmp(what, "part") == 0)
		OK(cuMemsetD8(from, 0, 64));
	if (strcmp(what, "copied") == 0 || strcmp(what, "copy") == 0) { /* from memory that is not written, or is */
		if (strcmp(what, "copy") == 0)
			OK(cuMemsetD32(third, 0, 32));
		OK(cuMemcpyDtoD(from, third, 128));
	}
	if (strcmp(what, "set") == 0)
		OK(cuMemsetD32(from, 0, 32));
	if (strcmp(what, "host") == 0)
		OK(cuMemcpyHtoD(from, words, 128));
	if (strcmp(what, "rows") == 0) {
		CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = words, .srcPitch = 64,
			.dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = from, .dstPitch = 64, .WidthInBytes = 64, .Height = 2};
		OK(cuMemcpy2D(&c));
	}
	if (strcmp(what, "kernel") == 0) {
		OK(cuMemsetD32(third, 0, 32));
		OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&third, &from}, 0));
	}
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&from, &to}, 0));
	OK(cuMemcpyDtoH(words, to, strcmp(what, "part") ? 128 : 64));
	return failures != 0;
}
