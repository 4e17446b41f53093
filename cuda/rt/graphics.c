/* Resources of graphics APIs; none are supported. Names of OpenGL objects are unsigned int, as in
   cuda_gl_interop.h. */
#include "rt.h"
#include <stdio.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define UNSUPPORTED(NAME, ...)                                            \
	cudaError_t NAME(__VA_ARGS__);                                          \
	cudaError_t NAME(__VA_ARGS__) {                                         \
		fprintf(stderr, "simtrun: " #NAME ": graphics are not supported\n");  \
		return failed(cudaErrorNotSupported);                                 \
	}

UNSUPPORTED(cudaGraphicsUnregisterResource, cudaGraphicsResource_t resource)
UNSUPPORTED(cudaGraphicsResourceSetMapFlags, cudaGraphicsResource_t resource, unsigned int flags)
UNSUPPORTED(cudaGraphicsMapResources, int n, cudaGraphicsResource_t *resources, cudaStream_t stream)
UNSUPPORTED(cudaGraphicsUnmapResources, int n, cudaGraphicsResource_t *resources, cudaStream_t stream)
UNSUPPORTED(cudaGraphicsResourceGetMappedPointer, void **p, size_t *size, cudaGraphicsResource_t resource)
UNSUPPORTED(cudaGraphicsSubResourceGetMappedArray, cudaArray_t *array, cudaGraphicsResource_t resource, unsigned int index, unsigned int level)
UNSUPPORTED(cudaGraphicsResourceGetMappedMipmappedArray, cudaMipmappedArray_t *array, cudaGraphicsResource_t resource)

UNSUPPORTED(cudaGLGetDevices, unsigned int *count, int *ordinals, unsigned int room, int list)
UNSUPPORTED(cudaGraphicsGLRegisterImage, cudaGraphicsResource_t *resource, unsigned int image, unsigned int target, unsigned int flags)
UNSUPPORTED(cudaGraphicsGLRegisterBuffer, cudaGraphicsResource_t *resource, unsigned int buffer, unsigned int flags)
UNSUPPORTED(cudaGLRegisterBufferObject, unsigned int buffer)
UNSUPPORTED(cudaGLMapBufferObject, void **p, unsigned int buffer)
UNSUPPORTED(cudaGLUnmapBufferObject, unsigned int buffer)
UNSUPPORTED(cudaGLUnregisterBufferObject, unsigned int buffer)
UNSUPPORTED(cudaGLSetBufferObjectMapFlags, unsigned int buffer, unsigned int flags)
UNSUPPORTED(cudaGLMapBufferObjectAsync, void **p, unsigned int buffer, cudaStream_t stream)
UNSUPPORTED(cudaGLUnmapBufferObjectAsync, unsigned int buffer, cudaStream_t stream)

cudaError_t cudaGLSetGLDevice(int ordinal);
cudaError_t cudaGLSetGLDevice(int ordinal) { return cudaSetDevice(ordinal); }
