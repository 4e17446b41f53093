/* Names of objects of the driver for profilers. */
#ifndef SIMTRUN_NVTOOLSEXTCUDA_H
#define SIMTRUN_NVTOOLSEXTCUDA_H

#pragma GCC system_header

#include "nvToolsExt.h"
#include <cuda.h>

static inline void nvtxNameCuDeviceA(CUdevice object, const char *name) { (void)object, (void)name; }
static inline void nvtxNameCuDeviceW(CUdevice object, const wchar_t *name) { (void)object, (void)name; }
static inline void nvtxNameCuContextA(CUcontext object, const char *name) { (void)object, (void)name; }
static inline void nvtxNameCuContextW(CUcontext object, const wchar_t *name) { (void)object, (void)name; }
static inline void nvtxNameCuStreamA(CUstream object, const char *name) { (void)object, (void)name; }
static inline void nvtxNameCuStreamW(CUstream object, const wchar_t *name) { (void)object, (void)name; }
static inline void nvtxNameCuEventA(CUevent object, const char *name) { (void)object, (void)name; }
static inline void nvtxNameCuEventW(CUevent object, const wchar_t *name) { (void)object, (void)name; }

#ifdef UNICODE
#define nvtxNameCuDevice nvtxNameCuDeviceW
#define nvtxNameCuContext nvtxNameCuContextW
#define nvtxNameCuStream nvtxNameCuStreamW
#define nvtxNameCuEvent nvtxNameCuEventW
#else
#define nvtxNameCuDevice nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream nvtxNameCuStreamA
#define nvtxNameCuEvent nvtxNameCuEventA
#endif

#endif
