// SIGINT ends a kernel that takes long; then the program gets the signal, with what it has the signal do.
//
// RUN handler
// STDERR simtrun: .
// RUN default
// STDERR ^simtrun: module1.ptx:\d+:\d+: interrupted
// EXIT -1
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static const char ptx[] = PTX_HEAD ".visible .entry spin(.param .u64 p)\n{\n.reg .b64 %d;\n.reg .b32 %r<3>;\n.reg .pred %q;\nld.param.u64 %d, [p];\n"
	"L:\nadd.u32 %r2, %r2, 1;\nld.volatile.global.u32 %r1, [%d];\nsetp.eq.u32 %q, %r1, 0;\n@%q bra L;\nst.global.u32 [%d], %r2;\nret;\n}\n";

static volatile sig_atomic_t caught;

static void on_interrupt(int signal)
{
	(void)signal;
	caught = 1;
}

static void *later(void *unused)
{
	(void)unused;
	usleep(600 * 1000);
	kill(getpid(), SIGINT);
	return NULL;
}

int main(int argc, char **argv)
{
	CUdeviceptr p;
	pthread_t thread;
	CUfunction fn;

	alarm(60); /* which ends the program in another way */
	if (argc > 1 && strcmp(argv[1], "handler") == 0)
		signal(SIGINT, on_interrupt);
	begin();
	fn = kernel(ptx, "spin");
	/* Memory that the host may change while the kernel runs, so that it is no hang. */
	OK(cuMemAllocManaged(&p, 4, CU_MEM_ATTACH_GLOBAL));
	OK(cuMemsetD32(p, 0, 1));
	pthread_create(&thread, NULL, later, NULL);
	OK(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, 0, (void *[]){&p}, 0));
	for (int i = 0; i < 100 && !caught; i++)
		usleep(10 * 1000);
	TRUE(caught);
	TRUE(cuCtxSynchronize() != CUDA_SUCCESS);
	/* The handler is still the program's. */
	caught = 0;
	raise(SIGINT);
	TRUE(caught);
	pthread_join(thread, NULL);
	return failures != 0;
}
