/* Names of objects of the runtime for profilers. */
#ifndef SIMTRUN_NVTOOLSEXTCUDART_H
#define SIMTRUN_NVTOOLSEXTCUDART_H

#pragma GCC system_header

#include "nvToolsExt.h"
#include <cuda_runtime_api.h>

static inline void nvtxNameCudaDeviceA(int object, const char *name) { (void)object, (void)name; }
static inline void nvtxNameCudaDeviceW(int object, const wchar_t *name) { (void)object, (void)name; }
static inline void nvtxNameCudaStreamA(cudaStream_t object, const char *name) { (void)object, (void)name; }
static inline void nvtxNameCudaStreamW(cudaStream_t object, const wchar_t *name) { (void)object, (void)name; }
static inline void nvtxNameCudaEventA(cudaEvent_t object, const char *name) { (void)object, (void)name; }
static inline void nvtxNameCudaEventW(cudaEvent_t object, const wchar_t *name) { (void)object, (void)name; }

#ifdef UNICODE
#define nvtxNameCudaDevice nvtxNameCudaDeviceW
#define nvtxNameCudaStream nvtxNameCudaStreamW
#define nvtxNameCudaEvent nvtxNameCudaEventW
#else
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA
#endif

#endif
