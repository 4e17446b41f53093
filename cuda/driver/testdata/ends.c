// How programs and their threads end: by a fault of their own, which is as it is without the library; in destructors of threads and
// functions of atexit, which call the driver; and in a copy to where nothing is. Handlers of signals that were there before cuInit are called.
//
// RUN fault
// EXIT -1
// RUN threads
// RUN atexit
// RUN handlers
// RUN nowhere
// STDERR ^simtrun: .*0x1000
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

static CUcontext ctx;
static CUdeviceptr p;

static void at_exit(void)
{
	if (cuMemFree(p) != CUDA_SUCCESS || cuCtxDestroy(ctx) != CUDA_SUCCESS)
		_Exit(9);
}

/* A destructor that comes after that of the library, as well as before. */
static pthread_key_t key;
static int rounds;

static void destructor(void *value)
{
	CUcontext got = NULL;
	(void)value;
	OK(cuCtxGetCurrent(&got));
	OK(cuCtxPushCurrent(ctx));
	OK(cuCtxSynchronize());
	if (rounds++ < 2)
		pthread_setspecific(key, &key);
}

static void *thread(void *unused)
{
	(void)unused;
	pthread_setspecific(key, &key);
	OK(cuCtxPushCurrent(ctx));
	return NULL;
}

static volatile sig_atomic_t urgent;
static sigjmp_buf behind_fault;

static void on_urgent(int sig) { urgent = sig; }

static void on_fault(int sig) { siglongjmp(behind_fault, sig); }

static void handle(int sig, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	sigaction(sig, &action, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "atexit";
	pthread_t t;

	if (strcmp(what, "handlers") == 0) {
		handle(SIGURG, on_urgent);
		handle(SIGSEGV, on_fault);
	}
	ctx = begin();
	OK(cuMemAlloc(&p, 4096));
	if (strcmp(what, "fault") == 0) {
		signal(SIGALRM, SIG_DFL);
		*(volatile int *)16 = 1;
	} else if (strcmp(what, "threads") == 0) {
		pthread_key_create(&key, destructor);
		for (int i = 0; i < 20; i++) {
			rounds = 0;
			pthread_create(&t, NULL, thread, NULL);
			pthread_join(t, NULL);
		}
	} else if (strcmp(what, "handlers") == 0) {
		struct sigaction now;
		raise(SIGURG);
		HAVE(SIGURG, urgent);
		sigaction(SIGURG, NULL, &now);
		HAVE(SA_RESTART, now.sa_flags & (SA_ONSTACK | SA_RESTART)); /* as it was installed */
		int sig = sigsetjmp(behind_fault, 1);
		if (sig == 0)
			*(volatile int *)16 = 1;
		HAVE(SIGSEGV, sig);
		OK(cuMemsetD8(p, 0, 4096));
	} else if (strcmp(what, "atexit") == 0) {
		atexit(at_exit);
	} else {
		WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p, (void *)0x1000, 64));
		WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH((void *)0x1000, p, 64));
		WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(malloc(16), p, (size_t)-1));
		OK(cuMemsetD8(p, 0, 4096)); /* the library goes on */
	}
	return failures != 0;
}
