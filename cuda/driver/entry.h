/* What the entry points in C have in common. */
#ifndef SIMTRUN_ENTRY_H
#define SIMTRUN_ENTRY_H

#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* was_forked says that the process was forked after the library was loaded: Go's threads are those of the parent, and nothing of
 * the library works any more. A GPU's driver answers such processes that it is not initialised, and so does this one. */
int was_forked(void);

/* Each thread has a stack of contexts, the uppermost of which is current; 0 is none. Pushing fails where there is no room. */
uintptr_t current_context(void);
int push_context(uintptr_t ctx);
uintptr_t pop_context(void);
void set_context(uintptr_t ctx);

/* exchange_capture_mode gives a thread another mode for captures, and says which it had. */
int exchange_capture_mode(int mode);

/* not_supported says once on standard error that an entry point is not supported yet. */
CUresult not_supported(const char *name);

/* What cuGetProcAddress finds: each function with the version of CUDA from which on it is there; the last has no name. */
struct proc {
	const char *name;
	int since;
	void *function;
};
extern const struct proc procs[];

/* The names and texts of results; the last has no name. */
struct error_text {
	int result;
	const char *name, *text;
};
extern const struct error_text error_texts[];

EXPORT CUresult cuGetErrorString(CUresult error, const char **text);
EXPORT CUresult cuGetErrorName(CUresult error, const char **name);
EXPORT CUresult cuGetProcAddress(const char *symbol, void **fn, int version, cuuint64_t flags);
EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **fn, int version, cuuint64_t flags, int *status);

#endif
