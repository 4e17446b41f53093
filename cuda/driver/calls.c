#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "callers.h"
#include "calls.h"
#include "signals.h"

#include <unistd.h>

extern const struct go_calls go_calls;

const struct context_calls *context_calls;

int reports_calls, reports_end;

static pid_t process; /* in which the library works: not in one that was forked later */

extern void programEnds(void);
extern void callFailed(char *name, int answer);

void call_failed(const char *name, int answer)
{
	note_callers();
	callFailed((char *)name, answer);
}

/* Runs after the program's own exit functions, which may free memory. */
__attribute__((destructor)) static void at_exit(void)
{
	if (reports_end && getpid() == process && signals_enter() == CUDA_SUCCESS) {
		programEnds();
		signals_leave();
	}
}

const struct go_calls *simtrun_start(const struct context_calls *contexts, size_t size)
{
	context_calls = contexts;
	process = getpid();
	return size == sizeof go_calls ? &go_calls : NULL;
}
