/* Return addresses of the program's functions that have called the driver. */
#ifndef SIMTRUN_CALLERS_H
#define SIMTRUN_CALLERS_H

#include <stdint.h>

enum {
	MOST_CALLERS = 16,
	/* what calls note their callers for, as bits of notes_callers */
	CALLERS_OF_MEMORY = 1, /* allocate or free memory */
	CALLERS_OF_WORK = 2,   /* give streams work */
};

struct callers {
	int count;
	uintptr_t at[MOST_CALLERS]; /* the innermost first; the first ones are of this library */
};

extern int notes_callers;

/* note_callers notes the callers of the current function. Stacks of Go cannot be unwound: it is called before Go is
   entered. */
void note_callers(void);

/* forget_callers is called after Go, so that later calls that note none have none. */
void forget_callers(void);

/* noted_callers returns what the thread has noted last. */
const struct callers *noted_callers(void);

#endif
