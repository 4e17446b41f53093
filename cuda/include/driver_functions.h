/* Structures of the runtime API: cuda_runtime.h makes them. */
#include "cuda_runtime.h"
