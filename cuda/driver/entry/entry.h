/* Declarations that the entry points in C share. */
#ifndef SIMTRUN_ENTRY_H
#define SIMTRUN_ENTRY_H

#include "../calls.h"

/* go is the functions in Go, for the process that called cuInit; NULL before, and in children forked later: there,
 * calls return CUDA_ERROR_NOT_INITIALIZED, as with a GPU's driver. */
extern const struct go_calls *go;

/* per_thread says that the thread's current call is one of those whose names end in _ptds and _ptsz: its default stream
 * is that of the thread. */
extern _Thread_local int per_thread;

/* current_context returns the top of the thread's stack of contexts; 0 if it is empty. */
uintptr_t current_context(void);

/* not_supported reports once on standard error that an entry point is not supported yet. */
CUresult not_supported(const char *name);

/* The table for cuGetProcAddress: each function with the first version of CUDA that has it; the last has no name. */
struct proc {
	const char *name;
	int since;
	void *function;
};
extern const struct proc procs[], per_thread_procs[];

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
