/* What the files of the runtime share. */
#ifndef SIMTRUN_RT_H
#define SIMTRUN_RT_H

/* SIMTRUN_CUDA_MAJOR is the version of CUDA whose runtime this is for programs that were linked with a shared one. Functions that have other parameters
   in that version have their own names in versions.c alone, and elsewhere these. */
#ifndef SIMTRUN_CUDA_MAJOR
#define SIMTRUN_CUDA_MAJOR 12
#endif
#if SIMTRUN_CUDA_MAJOR == 11
#define cudaGraphInstantiate of12_cudaGraphInstantiate
#define cudaGraphExecUpdate of12_cudaGraphExecUpdate
#define cudaGetDriverEntryPoint of12_cudaGetDriverEntryPoint
#elif SIMTRUN_CUDA_MAJOR == 13
#define cudaMemAdvise of12_cudaMemAdvise
#define cudaMemPrefetchAsync of12_cudaMemPrefetchAsync
#define cudaStreamUpdateCaptureDependencies of12_cudaStreamUpdateCaptureDependencies
#define cudaGraphAddNode of12_cudaGraphAddNode
#define cudaGraphAddDependencies of12_cudaGraphAddDependencies
#define cudaGraphRemoveDependencies of12_cudaGraphRemoveDependencies
#define cudaGraphGetEdges of12_cudaGraphGetEdges
#define cudaGraphNodeGetDependencies of12_cudaGraphNodeGetDependencies
#define cudaGraphNodeGetDependentNodes of12_cudaGraphNodeGetDependentNodes
#endif

#include <cuda.h>
#include <cuda_runtime.h>

/* The functions of libcuda, which is opened at the first call of the runtime. */
struct driver {
#define CALL(NAME) __typeof__(&NAME) NAME;
#include "driver_calls.h"
#undef CALL
};
extern struct driver driver;

enum { MAX_DEVICES = 16 };

/* begin makes the driver ready and the device of this thread current. Every function of the runtime that calls the driver calls it
   first, and returns its error. */
cudaError_t begin(void);

/* beginDriver only opens the driver. */
cudaError_t beginDriver(void);

/* done is the runtime's error for the driver's, and notes it as this thread's last one. */
cudaError_t done(CUresult result);

/* failed notes an error that the runtime has found itself. */
cudaError_t failed(cudaError_t error);

/* currentDevice is the device of this thread. */
int currentDevice(void);

/* Modules. function finds the driver's function for a kernel of this device by the address of its stub on the host, or for one of a library by its handle, variable the place of
   a variable by that of its shadow. forgetModules: the device was reset, and all that was loaded is gone. */
cudaError_t function(const void *stub, CUfunction *fn);
cudaError_t variable(const void *shadow, CUdeviceptr *address, size_t *size);
void forgetModules(int device);

/* The driver's references for variables that are textures and surfaces, whether texels are read as numbers up to 1, and the offset of what the
   texture is bound to, unless that is NULL. */
cudaError_t textureReferenceOf(const void *shadow, CUtexref *ref, int *normalizedRead, size_t **offset);
cudaError_t surfaceReferenceOf(const void *shadow, CUsurfref *ref);

/* stubOf is the stub of a driver's function that function has found, otherwise NULL. */
const void *stubOf(CUfunction fn);

/* Managed variables: what the host has written goes to the device before a launch, and what kernels have written comes back when the host has
   waited for them. */
void uploadManaged(CUstream stream);
void downloadManaged(void);

/* waited is done for calls after which the host may read what kernels have written. */
cudaError_t waited(CUresult result);

/* typesOf are the driver's words for where both ends of a copy are, and copyOf those for all of it, which paramsOf turns back. */
void typesOf(enum cudaMemcpyKind kind, CUmemorytype *src, CUmemorytype *dst);
cudaError_t copyOf(const struct cudaMemcpy3DParms *params, CUDA_MEMCPY3D *copy);
cudaError_t paramsOf(const CUDA_MEMCPY3D *copy, struct cudaMemcpy3DParms *params);

/* Arrays are the driver's. formatOf and descOf convert what an element is. */
CUarray arrayOf(cudaArray_const_t array);
CUmipmappedArray mipmappedOf(cudaMipmappedArray_const_t array);
cudaError_t formatOf(const struct cudaChannelFormatDesc *desc, CUarray_format *format, unsigned int *channels);
struct cudaChannelFormatDesc descOf(CUarray_format format, unsigned int channels);

#define TRY(call)                         \
	do {                                    \
		cudaError_t error_ = (call);          \
		if (error_ != cudaSuccess)            \
			return error_;                      \
	} while (0)

/* Each function of the API begins with it. */
#define BEGIN TRY(begin())

#endif
