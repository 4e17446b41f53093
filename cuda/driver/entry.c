#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "entry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int forked;

static void in_child(void) { forked = 1; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

int was_forked(void) { return forked; }

/* The stack of a thread is not in thread-local storage itself, but for where it is: the library's are in the static block of each
 * thread, as those of Go are, and of that there is little for a library that is loaded while the program runs. */
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

int push_context(uintptr_t ctx)
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

uintptr_t pop_context(void) { return current_context() == 0 ? 0 : stack->contexts[--stack->depth]; }

void set_context(uintptr_t ctx)
{
	pop_context();
	if (ctx != 0)
		push_context(ctx);
}

int exchange_capture_mode(int mode)
{
	static _Thread_local int now = CU_STREAM_CAPTURE_MODE_GLOBAL;
	int before = now;

	now = mode;
	return before;
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
		fprintf(stderr, "simtrun: %s is not supported yet\n", name);
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

extern int go_simtrunNameMemory(uintptr_t current, CUdeviceptr addr, const char *name);
EXPORT CUresult simtrunNameMemory(CUdeviceptr addr, const char *name)
{
	return was_forked() ? CUDA_ERROR_NOT_INITIALIZED : (CUresult)go_simtrunNameMemory(current_context(), addr, name);
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

CUresult cuGetProcAddress_v2(const char *symbol, void **fn, int version, cuuint64_t flags, int *status)
{
	enum { FOUND = 0, NOT_FOUND = 1, VERSION_NOT_SUFFICIENT = 2 };
	int best = 0, known = 0;

	(void)flags; /* which of the default streams: they are the same */
	if (symbol == NULL || fn == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*fn = NULL;
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
	/* With a place for the status, what was not found is no error. */
	return best || status != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **fn, int version, cuuint64_t flags)
{
	return cuGetProcAddress_v2(symbol, fn, version, flags, NULL);
}
