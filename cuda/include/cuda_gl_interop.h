/* Buffers and images of OpenGL, which simtrun does not have: the functions answer cudaErrorNotSupported. Programs that also run without a display are
 * compiled by this header. */
#ifndef SIMTRUN_CUDA_GL_INTEROP_H
#define SIMTRUN_CUDA_GL_INTEROP_H

#pragma GCC system_header

#include "cuda_runtime_api.h"
#include <GL/gl.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum cudaGLDeviceList { cudaGLDeviceListAll = 1, cudaGLDeviceListCurrentFrame = 2, cudaGLDeviceListNextFrame = 3 };
enum cudaGLMapFlags { cudaGLMapFlagsNone = 0, cudaGLMapFlagsReadOnly = 1, cudaGLMapFlagsWriteDiscard = 2 };

cudaError_t cudaGLGetDevices(unsigned int *count, int *ordinals, unsigned int room, enum cudaGLDeviceList list);
cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource, GLuint image, GLenum target, unsigned int flags);
cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource, GLuint buffer, unsigned int flags);

/* From before CUDA 3. cudaGLSetGLDevice is cudaSetDevice. */
cudaError_t cudaGLSetGLDevice(int ordinal);
cudaError_t cudaGLRegisterBufferObject(GLuint buffer);
cudaError_t cudaGLMapBufferObject(void **p, GLuint buffer);
cudaError_t cudaGLUnmapBufferObject(GLuint buffer);
cudaError_t cudaGLUnregisterBufferObject(GLuint buffer);
cudaError_t cudaGLSetBufferObjectMapFlags(GLuint buffer, unsigned int flags);
cudaError_t cudaGLMapBufferObjectAsync(void **p, GLuint buffer, cudaStream_t stream);
cudaError_t cudaGLUnmapBufferObjectAsync(GLuint buffer, cudaStream_t stream);

#if defined(__cplusplus)
}
#endif

#endif
