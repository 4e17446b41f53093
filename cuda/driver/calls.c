#define SIMTRUN_CUDA_TYPES_ONLY
#include "../include/cuda.h"
#include "calls.h"

extern const struct go_calls go_calls;

const struct context_calls *context_calls;

const struct go_calls *simtrun_start(const struct context_calls *contexts, size_t size)
{
	context_calls = contexts;
	return size == sizeof go_calls ? &go_calls : NULL;
}
