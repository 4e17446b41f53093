/* Interface between the C entry points (folder entry) and the Go library. */
#ifndef SIMTRUN_CALLS_H
#define SIMTRUN_CALLS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "calls_gen.h"

#define EXPORT __attribute__((visibility("default")))

/* Functions of the entry-point library that the Go library needs: the context stack of the calling thread, and its
 * signals. */
struct context_calls {
	int (*push)(uintptr_t ctx); /* 0 if there is no room */
	uintptr_t (*pop)(void);
	void (*set)(uintptr_t ctx);
	int (*per_thread)(void); /* whether the thread's current call is one for default streams of threads */
	const sigset_t *mask; /* signal mask of the thread that called cuInit; used when a thread of Go calls functions of the program */
};

extern const struct context_calls *context_calls;

/* reports_calls says whether calls that fail are reported, by call_failed; reports_end, whether programEnds is called
 * at the end of the program. */
extern int reports_calls, reports_end;
void call_failed(const char *name, int answer);

/* simtrun_start is the export of the Go library. It returns the functions in Go, or NULL if the caller's table has
   another size. */
EXPORT const struct go_calls *simtrun_start(const struct context_calls *contexts, size_t size);

#endif
