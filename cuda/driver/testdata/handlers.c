// Handlers of signals that use much stack, without SA_ONSTACK: Go's stacks have no room for them. They run on the stack of a thread of
// the program, in launches and between them, however and whenever they are installed, and as long launches go on.
//
// RUN before
// RUN after
// RUN thread
// RUN long
// RUN masks
// RUN driver
// STDERR ^simtrun: a signal handler has called the driver within another call; such calls return CUDA_ERROR_NOT_PERMITTED$
#include "check.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char loop[] = PTX_HEAD ".visible .entry loop(.param .u64 p, .param .u32 n)\n{\n.reg .b64 %d<3>;\n.reg .b32 %r<5>;\n.reg .pred %q;\n"
	"ld.param.u64 %d1, [p];\nld.param.u32 %r3, [n];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\n"
	"L:\nadd.u32 %r1, %r1, 3;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %q, %r2, %r3;\n@%q bra L;\nst.global.u32 [%d1], %r1;\nret;\n}\n";

enum { THREADS = 256, DEEP = 96 << 10 };

static volatile sig_atomic_t calls, elsewhere, refused;
static volatile int inLaunch, callsInLaunch;
static _Thread_local int ofProgram; /* the handler runs in a thread of the program */
static const int handled[] = {SIGALRM, SIGCHLD, SIGPROF, SIGUSR1, SIGURG, 60 /* of real time */};
static CUcontext ctx;
static CUfunction fn;

static void deep(int sig)
{
	volatile char bytes[DEEP];

	memset((char *)bytes, sig, sizeof bytes);
	snprintf((char *)bytes, sizeof bytes, "%d %f", sig, 1.5);
	calls += bytes[DEEP - 1] == sig;
	elsewhere += !ofProgram;
	callsInLaunch += inLaunch;
}

static void install(int flags)
{
	for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++) {
		struct sigaction a = {.sa_handler = deep, .sa_flags = SA_RESTART | flags};
		if (i % 2 == 0)
			sigaction(handled[i], &a, NULL);
		else
			signal(handled[i], deep);
	}
}

/* launches launches a kernel and compares what it leaves. */
static void launches(int times)
{
	CUdeviceptr p;
	unsigned got[THREADS], n = 200;

	OK(cuMemAlloc(&p, sizeof got));
	for (int i = 0; i < times; i++) {
		OK(cuLaunchKernel(fn, 8, 1, 1, THREADS, 1, 1, 0, 0, (void *[]){&p, &n}, 0));
		OK(cuMemcpyDtoH(got, p, sizeof got));
		for (unsigned t = 0; t < THREADS; t++)
			if (got[t] != t + 3 * n)
				HAVE(t + 3 * n, got[t]);
	}
	OK(cuMemFree(p));
}

static volatile int sending = 1;
static pthread_t receiver;

/* start makes a thread, in which no signal comes before it has said that it is one of the program. */
static pthread_t start(void *(*function)(void *), void *argument)
{
	sigset_t all, mask;
	pthread_t t;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	pthread_create(&t, NULL, function, argument);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return t;
}

static void started(void)
{
	sigset_t none;

	ofProgram = 1;
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
}

/* send sends signals, to the process and to the thread that launches. */
static void *send(void *unused)
{
	unsigned seed = 7;

	(void)unused;
	started();
	while (sending) {
		int sig = handled[rand_r(&seed) % (sizeof handled / sizeof handled[0])];
		if (rand_r(&seed) % 2)
			kill(getpid(), sig);
		else
			pthread_kill(receiver, sig);
		usleep(50);
	}
	return NULL;
}

static void *launchesInThread(void *times)
{
	started();
	OK(cuCtxSetCurrent(ctx));
	launches(*(int *)times);
	return NULL;
}

static void underFire(int threads, int times)
{
	pthread_t sender, others[4];

	receiver = pthread_self();
	sender = start(send, NULL);
	for (int i = 0; i < threads; i++)
		others[i] = start(launchesInThread, &times);
	launches(times);
	for (int i = 0; i < threads; i++)
		pthread_join(others[i], NULL);
	sending = 0;
	pthread_join(sender, NULL);
	TRUE(calls > 10);
	HAVE(0, elsewhere);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* In a launch of a second, signals each 20 milliseconds are handled while it goes on. */
static void longLaunch(void)
{
	CUdeviceptr p;
	unsigned n = 1000, blocks = 1 << 10;
	struct itimerval timer = {{0, 20000}, {0, 20000}}, none = {{0, 0}, {0, 0}};

	OK(cuMemAlloc(&p, 4 * THREADS));
	for (double took = 0; took < 0.3; blocks *= 2) {
		callsInLaunch = 0;
		setitimer(ITIMER_REAL, &timer, NULL);
		double began = now();
		inLaunch = 1;
		OK(cuLaunchKernel(fn, blocks, 1, 1, THREADS, 1, 1, 0, 0, (void *[]){&p, &n}, 0));
		inLaunch = 0;
		took = now() - began;
		setitimer(ITIMER_REAL, &none, NULL);
	}
	TRUE(callsInLaunch > 5);
	HAVE(0, elsewhere);
}

/* unblocked counts the threads of the process that do not block a signal. */
static int unblocked(int sig)
{
	char name[64], line[256];
	int n = 0;
	DIR *tasks = opendir("/proc/self/task");

	for (struct dirent *d; (d = readdir(tasks)) != NULL;) {
		unsigned long long mask;
		snprintf(name, sizeof name, "/proc/self/task/%.20s/status", d->d_name);
		FILE *f = d->d_name[0] == '.' ? NULL : fopen(name, "r");
		while (f != NULL && fgets(line, sizeof line, f) != NULL)
			if (sscanf(line, "SigBlk: %llx", &mask) == 1)
				n += !(mask >> (sig - 1) & 1);
		if (f != NULL)
			fclose(f);
	}
	closedir(tasks);
	return n;
}

static volatile int staying;

static void *stays(void *unused)
{
	staying = 1;
	while (sending)
		usleep(1000);
	return unused;
}

static pthread_t madeByHost;

static void hostFunction(void *unused)
{
	(void)unused;
	sigset_t mask;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	HAVE(0, sigismember(&mask, SIGALRM));
	HAVE(1, sigismember(&mask, SIGUSR2));
	pthread_create(&madeByHost, NULL, stays, NULL);
}

/* Threads of the driver take no signal, and the masks of those of the program are as they were. */
static void masks(void)
{
	sigset_t set, got;

	launches(100);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	OK(cuLaunchHostFunc(0, hostFunction, NULL));
	OK(cuCtxSynchronize());
	pthread_sigmask(SIG_SETMASK, NULL, &got);
	while (!staying)
		usleep(1000);
	for (int s = 1; s < 32; s++)
		HAVE(s == SIGUSR2, sigismember(&got, s));
	for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
		HAVE(2, unblocked(handled[i])); /* this thread, and that which the function has made */
	sending = 0;
	pthread_join(madeByHost, NULL);
}

static void callsDriver(int sig)
{
	(void)sig;
	refused += cuCtxSynchronize() == CUDA_ERROR_NOT_PERMITTED;
}

/* A handler that calls the driver while a launch goes on gets an error, and does not wait for itself. */
static void driver(void)
{
	CUdeviceptr p;
	struct itimerval once = {{0, 0}, {0, 20000}};

	signal(SIGALRM, callsDriver);
	OK(cuMemAlloc(&p, 4 * THREADS));
	for (unsigned n = 1 << 20; n != 0 && refused == 0; n *= 2) {
		setitimer(ITIMER_REAL, &once, NULL);
		OK(cuLaunchKernel(fn, 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&p, &n}, 0));
	}
	HAVE(1, refused);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "after";

	ofProgram = 1;
	alarm(100);
	if (strcmp(what, "before") == 0)
		install(0);
	ctx = begin();
	fn = kernel(loop, "loop");
	if (strcmp(what, "before") != 0)
		install(strcmp(what, "thread") == 0 ? SA_ONSTACK : 0);
	if (strcmp(what, "long") == 0)
		longLaunch();
	else if (strcmp(what, "masks") == 0)
		masks();
	else if (strcmp(what, "driver") == 0)
		driver();
	else
		underFire(strcmp(what, "thread") == 0 ? 3 : 0, 500);
	return failures != 0;
}
