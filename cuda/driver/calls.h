/* What the library of the entry points, which is in C (entry), and the library in Go have of each other. */
#ifndef SIMTRUN_CALLS_H
#define SIMTRUN_CALLS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "calls_gen.h"

#define EXPORT __attribute__((visibility("default")))

/* What the library in Go needs of that of the entry points: the stack of contexts of the thread that calls, and its signals. */
struct context_calls {
	int (*push)(uintptr_t ctx); /* 0 where there is no room */
	uintptr_t (*pop)(void);
	void (*set)(uintptr_t ctx);
	const sigset_t *mask; /* of the thread that called cuInit, in which functions of the program run that a thread of Go calls */
};

extern const struct context_calls *context_calls;

/* reports_calls is that callFailed is told of calls that fail. */
extern int reports_calls;
extern void callFailed(char *name, int answer);

/* simtrun_start is what the library in Go exports: the functions in Go, or NULL for a caller to which they have another size. */
EXPORT const struct go_calls *simtrun_start(const struct context_calls *contexts, size_t size);

#endif
