/* Declarations that the files of the runtime share. */
#ifndef SIMTRUN_RT_H
#define SIMTRUN_RT_H

/* SIMTRUN_CUDA_MAJOR is the version of CUDA for which this runtime is built, for programs linked with a shared
   runtime. Functions with other parameters in that version have their own names in versions.c only, and these
   names elsewhere. */
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

/* begin opens the driver and makes this thread's device current. Every function that calls the driver calls begin
   first, and returns its error. */
cudaError_t begin(void);

/* beginDriver only opens the driver. */
cudaError_t beginDriver(void);

/* done converts the driver's error to the runtime's, and records it as this thread's last error. */
cudaError_t done(CUresult result);

/* recorded records an error as this thread's last error. */
cudaError_t recorded(cudaError_t error);

/* failed records an error found by the runtime itself, which the driver then reports. failedFor gives it the reason, in
   the format of printf. */
#define failed(error) failedIn(__func__, error, NULL)
#define failedFor(error, ...) failedIn(__func__, error, __VA_ARGS__)
cudaError_t failedIn(const char *function, cudaError_t error, const char *why, ...);
#define failedKind(kind) \
	failedFor(cudaErrorInvalidMemcpyDirection, "kind %d; the kinds are 0 (cudaMemcpyHostToHost) to 4 (cudaMemcpyDefault)", (int)(kind))

/* currentDevice returns this thread's device. */
int currentDevice(void);

/* Modules. function returns the driver's function for a kernel, by the address of its host stub, or for a kernel
   of a library, by its handle. variable returns the address of a variable, by the address of its shadow.
   forgetModules is called after a device reset, when nothing is loaded any more. */
cudaError_t function(const void *stub, CUfunction *fn);
cudaError_t variable(const void *shadow, CUdeviceptr *address, size_t *size);
void forgetModules(int device);

/* The driver's references for texture and surface variables, whether texels are read as normalized numbers, and
   the offset of the bound address, unless that is NULL. */
cudaError_t textureReferenceOf(const void *shadow, CUtexref *ref, int *normalizedRead, size_t **offset);
cudaError_t surfaceReferenceOf(const void *shadow, CUsurfref *ref);

/* stubOf returns the stub of a function that function has returned, otherwise NULL. */
const void *stubOf(CUfunction fn);

/* Managed variables: changes by the host are uploaded before a launch, and changes by kernels are downloaded when
   the host has waited for them. */
void uploadManaged(CUstream stream);
void downloadManaged(void);

/* waited returns the result of a call that has waited for kernels. First it downloads managed variables. */
cudaError_t waited(CUresult result);

/* typesOf returns the driver's memory types for both ends of a copy, and copyOf the driver's descriptor of a copy.
   paramsOf is the inverse of copyOf. */
void typesOf(enum cudaMemcpyKind kind, CUmemorytype *src, CUmemorytype *dst);
cudaError_t copyOf(const struct cudaMemcpy3DParms *params, CUDA_MEMCPY3D *copy);
cudaError_t paramsOf(const CUDA_MEMCPY3D *copy, struct cudaMemcpy3DParms *params);

/* Arrays are the driver's. formatOf and descOf convert descriptions of an element. */
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

/* Every API function begins with it. */
#define BEGIN TRY(begin())

/* An API function that reads or writes at a pointer of the program refuses NULL. The driver refuses those that it gets. */
#define NEED(pointer)                         \
	do {                                        \
		if ((pointer) == NULL) {                  \
			BEGIN;                                  \
			return failedFor(cudaErrorInvalidValue, "%s is a null pointer", #pointer); \
		}                                         \
	} while (0)

#endif
