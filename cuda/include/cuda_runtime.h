/* The runtime API, for C, C++ and CUDA C++. */
#ifndef SIMTRUN_CUDA_RUNTIME_H
#define SIMTRUN_CUDA_RUNTIME_H

#include "simtrun/version.h"

#include "host_defines.h"
#include "vector_types.h"
#include "vector_functions.h"
#include "driver_types.h"
#include "cuda_runtime_api.h"

#endif
