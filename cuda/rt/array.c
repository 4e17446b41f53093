/* Arrays, textures and surfaces. The driver has none yet: an array is pitched memory, and an object is the address of its description in the
   device's memory, which the fetches of simtrun/textures.h read. */
#include <simtrun/texture_object.h>
#include <stdlib.h>

#include "rt.h"

struct cudaArray {
	struct cudaChannelFormatDesc desc;
	struct cudaExtent extent; /* in elements; 0 for dimensions that it does not have */
	unsigned int flags;
	char *data;
	size_t pitch;
};

static size_t elementSize(struct cudaChannelFormatDesc desc) { return (size_t)(desc.x + desc.y + desc.z + desc.w) / 8; }
static size_t atLeast1(size_t n) { return n == 0 ? 1 : n; }

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int flags) {
	struct cudaArray *a = calloc(1, sizeof(*a));
	*array = NULL;
	a->desc = *desc, a->extent = extent, a->flags = flags;
	cudaError_t error = cudaMallocPitch((void **)&a->data, &a->pitch, extent.width * elementSize(*desc), atLeast1(extent.height) * atLeast1(extent.depth));
	if (error != cudaSuccess) {
		free(a);
		return error;
	}
	*array = a;
	return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned int flags) {
	return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
	BEGIN;
	if (array == NULL)
		return cudaSuccess;
	cudaError_t error = cudaFree(array->data);
	free(array);
	return error;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array) {
	if (desc != NULL)
		*desc = array->desc;
	if (extent != NULL)
		*extent = array->extent;
	if (flags != NULL)
		*flags = array->flags;
	return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
	*desc = array->desc;
	return cudaSuccess;
}

/* Copies. Places in arrays are in bytes here. */

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind) {
	return cudaMemcpy2D(dst->data + y * dst->pitch + x, dst->pitch, src, pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
	return cudaMemcpy2DAsync(dst->data + y * dst->pitch + x, dst->pitch, src, pitch, width, height, kind, stream);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width, size_t height,
                                  enum cudaMemcpyKind kind) {
	return cudaMemcpy2D(dst, pitch, src->data + y * src->pitch + x, src->pitch, width, height, kind);
}

/* A run of bytes that fills whole rows, but for the first and the last. */
static cudaError_t copyRows(cudaArray_const_t array, size_t x, size_t y, char *other, size_t size, int toArray, enum cudaMemcpyKind kind) {
	size_t row = array->extent.width * elementSize(array->desc);
	while (size > 0) {
		size_t n = size < row - x ? size : row - x;
		char *at = array->data + y * array->pitch + x;
		TRY(toArray ? cudaMemcpy(at, other, n, kind) : cudaMemcpy(other, at, n, kind));
		other += n, size -= n, x = 0, y++;
	}
	return cudaSuccess;
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t size, enum cudaMemcpyKind kind) {
	return copyRows(dst, x, y, (char *)src, size, 1, kind);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind) {
	return copyRows(src, x, y, dst, size, 0, kind);
}

static struct cudaPitchedPtr pitched(cudaArray_t array) {
	return (struct cudaPitchedPtr){array->data, array->pitch, array->extent.width, atLeast1(array->extent.height)};
}

/* With an array, extents and places of it are in elements. */
struct cudaMemcpy3DParms withoutArrays(const struct cudaMemcpy3DParms *params) {
	struct cudaMemcpy3DParms p = *params;
	cudaArray_t array = p.srcArray != NULL ? p.srcArray : p.dstArray;
	if (array == NULL)
		return p;
	p.extent.width *= elementSize(array->desc);
	p.extent.height = atLeast1(p.extent.height), p.extent.depth = atLeast1(p.extent.depth);
	if (p.srcArray != NULL) {
		p.srcPtr = pitched(p.srcArray);
		p.srcPos.x *= elementSize(p.srcArray->desc);
	}
	if (p.dstArray != NULL) {
		p.dstPtr = pitched(p.dstArray);
		p.dstPos.x *= elementSize(p.dstArray->desc);
	}
	p.srcArray = p.dstArray = NULL;
	return p;
}

/* Objects. */

static void describeTexels(struct simtrun_texture *t, struct cudaChannelFormatDesc desc) {
	t->channels = desc.w != 0 ? 4 : desc.y != 0 ? 2 : 1;
	t->bits = (unsigned)desc.x;
	t->kind = (unsigned)desc.f;
}

static int describeMemory(struct simtrun_texture *t, const struct cudaResourceDesc *resource) {
	t->height = t->depth = 1;
	switch (resource->resType) {
	case cudaResourceTypeArray: {
		cudaArray_t a = resource->res.array.array;
		describeTexels(t, a->desc);
		t->data = a->data, t->pitch = a->pitch, t->slice = a->pitch * atLeast1(a->extent.height);
		t->width = (unsigned)a->extent.width, t->height = (unsigned)atLeast1(a->extent.height), t->depth = (unsigned)atLeast1(a->extent.depth);
		return 1;
	}
	case cudaResourceTypeLinear:
		describeTexels(t, resource->res.linear.desc);
		t->data = resource->res.linear.devPtr;
		t->width = (unsigned)(resource->res.linear.sizeInBytes / elementSize(resource->res.linear.desc));
		return 1;
	case cudaResourceTypePitch2D:
		describeTexels(t, resource->res.pitch2D.desc);
		t->data = resource->res.pitch2D.devPtr, t->pitch = resource->res.pitch2D.pitchInBytes;
		t->width = (unsigned)resource->res.pitch2D.width, t->height = (unsigned)resource->res.pitch2D.height;
		return 1;
	default: return 0;
	}
}

static cudaError_t createObject(unsigned long long *object, const struct simtrun_texture *t) {
	void *place;
	TRY(cudaMalloc(&place, sizeof(*t)));
	*object = (unsigned long long)(size_t)place;
	return cudaMemcpy(place, t, sizeof(*t), cudaMemcpyHostToDevice);
}

/* Wrapped and mirrored addresses are for normalized coordinates alone; others are clamped. Linear memory is 0 outside. */
static unsigned addressMode(const struct cudaTextureDesc *desc, enum cudaResourceType type, int dimension) {
	enum cudaTextureAddressMode mode = desc->addressMode[dimension];
	if (type == cudaResourceTypeLinear)
		return cudaAddressModeBorder;
	return !desc->normalizedCoords && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror) ? cudaAddressModeClamp : mode;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *desc,
                                    const void *view) {
	struct simtrun_texture t = {0};
	BEGIN;
	*object = 0;
	if (view != NULL || !describeMemory(&t, resource))
		return failed(cudaErrorNotSupported);
	for (int i = 0; i < 3; i++)
		t.address[i] = addressMode(desc, resource->resType, i);
	for (int i = 0; i < 4 && resource->resType != cudaResourceTypeLinear; i++)
		t.border[i] = desc->borderColor[i];
	t.linear = desc->filterMode == cudaFilterModeLinear;
	t.normalizedRead = desc->readMode == cudaReadModeNormalizedFloat;
	t.normalizedCoordinates = desc->normalizedCoords != 0;
	return createObject(object, &t);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return cudaFree((void *)(size_t)object); }

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource) {
	struct simtrun_texture t = {0};
	BEGIN;
	*object = 0;
	if (resource->resType != cudaResourceTypeArray || !describeMemory(&t, resource))
		return failed(cudaErrorInvalidValue);
	return createObject(object, &t);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return cudaFree((void *)(size_t)object); }
