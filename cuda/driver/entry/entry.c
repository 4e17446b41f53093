#define SIMTRUN_CUDA_TYPES_ONLY
#include "../../include/cuda.h"
#include "entry.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The stack is not in thread-local storage itself; only its address is. The library's thread-local variables are
 * in each thread's static block, as Go's are, and a library that is loaded at run time gets only little of that. */
struct stack {
	int depth, room;
	uintptr_t contexts[];
};

static _Thread_local struct stack *stack;
static pthread_key_t stack_key; /* frees the stack of a thread that ends */

/* Other destructors of the thread may call the driver after this. */
static void free_stack(void *of)
{
	free(of);
	stack = NULL;
}

__attribute__((constructor)) static void make_key(void) { pthread_key_create(&stack_key, free_stack); }

uintptr_t current_context(void) { return stack != NULL && stack->depth > 0 ? stack->contexts[stack->depth - 1] : 0; }

/* Pushing fails if there is no room. */
static int push_context(uintptr_t ctx)
{
	enum { FIRST_ROOM = 8 };
	if (stack == NULL || stack->depth == stack->room) {
		int depth = stack == NULL ? 0 : stack->depth, room = depth == 0 ? FIRST_ROOM : 2 * depth;
		struct stack *more = realloc(stack, sizeof *more + room * sizeof more->contexts[0]);
		if (more == NULL)
			return 0;
		more->depth = depth;
		more->room = room;
		stack = more;
		pthread_setspecific(stack_key, more);
	}
	stack->contexts[stack->depth++] = ctx;
	return 1;
}

static uintptr_t pop_context(void) { return current_context() == 0 ? 0 : stack->contexts[--stack->depth]; }

static void set_context(uintptr_t ctx)
{
	pop_context();
	if (ctx != 0)
		push_context(ctx);
}

_Thread_local int per_thread;

static int in_per_thread(void) { return per_thread; }

const struct go_calls *go;

/* The Go library is a separate file next to this one, which cuInit loads. Threads of Go do not survive a fork, so
 * a child process has a working driver only if Go was not loaded before. */
#define GO_LIBRARY "libsimtrun_cuda.so"

/* loading is set when cuInit begins to load the Go library, forked in children from then on */
static int loading, forked;
static char folder[PATH_MAX]; /* of this library */

static void in_child(void)
{
	forked |= loading;
	go = NULL;
}

/* The folder is determined now, because the loader knows it under its original name, which may be relative to the
   working folder. */
__attribute__((constructor)) static void begin(void)
{
	Dl_info info;

	pthread_atfork(NULL, NULL, in_child);
	if (dladdr(folder, &info) != 0 && realpath(info.dli_fname, folder) != NULL)
		*strrchr(folder, '/') = '\0';
}

/* The tests with Go's race detector have the Go part in the program itself. */
extern __typeof__(simtrun_start) simtrun_start __attribute__((weak));

/* When Go starts, it installs handlers for some signals and adds SA_ONSTACK to existing handlers, and its threads
 * inherit the signal mask of the thread that loads it. Go keeps its handlers for faults and SIGPIPE; all other signals
 * are left to the program (signals.c). */
static void *open_go(const char *path)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
	struct sigaction before[NSIG];
	sigset_t all, mask;
	void *library;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		sigdelset(&all, faults[i]);
	for (int s = 1; s < NSIG; s++)
		if (sigaction(s, NULL, &before[s]) != 0)
			sigdelset(&all, s);
	sigdelset(&all, SIGSTKFLT); /* the library itself installs that handler */
	sigdelset(&all, SIGPIPE);   /* Go's handler turns a write to a closed pipe into an error */
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	for (int s = 1; s < NSIG; s++)
		if (sigismember(&all, s) == 1)
			sigaction(s, &before[s], NULL);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return library;
}

static void load(void)
{
	static sigset_t mask;
	static const struct context_calls contexts = {push_context, pop_context, set_context, in_per_thread, &mask};
	char path[sizeof folder + sizeof GO_LIBRARY];
	void *library;
	__typeof__(&simtrun_start) start = simtrun_start;

	loading = 1;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	if (start == NULL) {
		snprintf(path, sizeof path, "%s/" GO_LIBRARY, folder);
		library = open_go(path);
		if (library == NULL) {
			fprintf(stderr, "simtrun: the part of libcuda.so.1 that has to be beside it cannot be loaded: %s\n", dlerror());
			return;
		}
		start = (__typeof__(start))dlsym(library, "simtrun_start");
	}
	if (start != NULL)
		go = start(&contexts, sizeof *go);
	if (go == NULL)
		fprintf(stderr, "simtrun: %s/" GO_LIBRARY " and libcuda.so.1 were not built together\n", folder);
}

CUresult cuInit(unsigned int flags)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (forked)
		return CUDA_ERROR_NOT_INITIALIZED;
	pthread_once(&once, load);
	return go == NULL ? CUDA_ERROR_SHARED_OBJECT_INIT_FAILED : (CUresult)go->cuInit(current_context(), flags);
}

/* The driver is one of CUDA 13.1: it runs programs of this version and all earlier ones. */
enum { DRIVER_VERSION = 13010 };

CUresult cuDriverGetVersion(int *version)
{
	if (version == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*version = DRIVER_VERSION;
	return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	static _Thread_local CUstreamCaptureMode now = CU_STREAM_CAPTURE_MODE_GLOBAL;
	CUstreamCaptureMode before = now;

	if (mode == NULL || *mode < 0 || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	now = *mode;
	*mode = before;
	return CUDA_SUCCESS;
}

/* explained returns an explanation for an unsupported entry point. */
static const char *explained(const char *name)
{
	if (strcmp(name, "cuGetExportTable") == 0)
		return ": NVIDIA's runtime, which is within this program, needs it. Programs run that nvcc has linked with -cudart shared, or that simtrun cc has built";
	return "";
}

CUresult not_supported(const char *name)
{
	enum { MOST = 1024 };
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static const char *said[MOST];
	static int n;
	int i = 0;

	pthread_mutex_lock(&lock);
	while (i < n && strcmp(said[i], name) != 0)
		i++;
	if (i == n && n < MOST) {
		said[n++] = name;
		fprintf(stderr, "simtrun: %s is not supported yet%s\n", name, explained(name));
	}
	pthread_mutex_unlock(&lock);
	return CUDA_ERROR_NOT_SUPPORTED;
}

static const struct error_text *find_error(CUresult error)
{
	const struct error_text *e = error_texts;

	while (e->name != NULL && e->result != (int)error)
		e++;
	return e;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
	if (text == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*text = find_error(error)->text;
	return *text != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
	if (name == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*name = find_error(error)->name;
	return *name != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* find_per_thread returns the variant of a function for default streams of threads, of the newest version up to one;
   NULL if there is none. */
static void *find_per_thread(const char *name, int version)
{
	const struct proc *best = NULL;

	for (const struct proc *p = per_thread_procs; p->name != NULL; p++)
		if (strcmp(p->name, name) == 0 && p->since <= version && (best == NULL || p->since >= best->since))
			best = p;
	return best == NULL ? NULL : best->function;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **fn, int version, cuuint64_t flags, CUdriverProcAddressQueryResult *status)
{
	enum { FOUND = 0, NOT_FOUND = 1, VERSION_NOT_SUFFICIENT = 2, PER_THREAD = 2 };
	int best = 0, known = 0;

	if (symbol == NULL || fn == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*fn = NULL;
	if (flags & PER_THREAD)
		*fn = find_per_thread(symbol, version);
	if (*fn != NULL) {
		if (status != NULL)
			*status = FOUND;
		return CUDA_SUCCESS;
	}
	for (const struct proc *p = procs; p->name != NULL; p++) {
		if (strcmp(p->name, symbol) != 0)
			continue;
		known = 1;
		if (p->since <= version && p->since >= best) {
			best = p->since;
			*fn = p->function;
		}
	}
	if (status != NULL)
		*status = best ? FOUND : known ? VERSION_NOT_SUFFICIENT : NOT_FOUND;
	/* If the caller passes a place for the status, a missing function is not an error. */
	return best || status != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **fn, int version, cuuint64_t flags)
{
	return cuGetProcAddress_v2(symbol, fn, version, flags, NULL);
}
