/* What the entry points in C have in common. */
#ifndef SIMTRUN_ENTRY_H
#define SIMTRUN_ENTRY_H

#include "../calls.h"

/* go is the functions in Go, for the parent of processes that are forked; NULL before cuInit, and in a child that was forked after
 * it: such processes answer that they are not initialised, as with a GPU's driver. */
extern const struct go_calls *go;

/* current_context is the uppermost of the stack of contexts that each thread has; 0 is none. */
uintptr_t current_context(void);

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

EXPORT CUresult cuInit(unsigned int flags);
EXPORT CUresult cuDriverGetVersion(int *version);
EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);
EXPORT CUresult cuGetErrorString(CUresult error, const char **text);
EXPORT CUresult cuGetErrorName(CUresult error, const char **name);
EXPORT CUresult cuGetProcAddress(const char *symbol, void **fn, int version, cuuint64_t flags);
EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **fn, int version, cuuint64_t flags, int *status);

#endif
