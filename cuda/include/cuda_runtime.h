/* The runtime API, for C, C++ and CUDA C++. */
#ifndef SIMTRUN_CUDA_RUNTIME_H
#define SIMTRUN_CUDA_RUNTIME_H

#pragma GCC system_header

#define __CUDA_RUNTIME_H__ /* programs ask for it */

#include "simtrun/version.h"

#include "host_defines.h"
#include "vector_types.h"
#include "vector_functions.h"
#include "driver_types.h"
#include "cuda_runtime_api.h"

static __inline__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
	struct cudaExtent e = {width, height, depth};
	return e;
}
static __inline__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
	struct cudaPos p = {x, y, z};
	return p;
}
static __inline__ struct cudaPitchedPtr make_cudaPitchedPtr(void *ptr, size_t pitch, size_t xsize, size_t ysize) {
	struct cudaPitchedPtr p = {ptr, pitch, xsize, ysize};
	return p;
}

#if defined(__cplusplus)
#include "simtrun/runtime.hpp"
#include "cuda_device_runtime_api.h"
#endif

#endif
