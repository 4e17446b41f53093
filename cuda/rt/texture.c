/* Texture and surface objects, and references, by the driver's functions. */
#include <limits.h>

#include "rt.h"

/* Conversion of resource descriptors to the driver's, and back. */

static cudaError_t resourceOf(const struct cudaResourceDesc *from, CUDA_RESOURCE_DESC *to) {
	*to = (CUDA_RESOURCE_DESC){.resType = (CUresourcetype)from->resType};
	switch (from->resType) {
	case cudaResourceTypeArray: to->res.array.hArray = arrayOf(from->res.array.array); return cudaSuccess;
	case cudaResourceTypeMipmappedArray: to->res.mipmap.hMipmappedArray = mipmappedOf(from->res.mipmap.mipmap); return cudaSuccess;
	case cudaResourceTypeLinear:
		to->res.linear.devPtr = (CUdeviceptr)(size_t)from->res.linear.devPtr;
		to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
		return formatOf(&from->res.linear.desc, &to->res.linear.format, &to->res.linear.numChannels);
	case cudaResourceTypePitch2D:
		to->res.pitch2D.devPtr = (CUdeviceptr)(size_t)from->res.pitch2D.devPtr;
		to->res.pitch2D.width = from->res.pitch2D.width;
		to->res.pitch2D.height = from->res.pitch2D.height;
		to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
		return formatOf(&from->res.pitch2D.desc, &to->res.pitch2D.format, &to->res.pitch2D.numChannels);
	}
	return failed(cudaErrorInvalidValue);
}

static void resourceFrom(const CUDA_RESOURCE_DESC *from, struct cudaResourceDesc *to) {
	*to = (struct cudaResourceDesc){.resType = (enum cudaResourceType)from->resType};
	switch (from->resType) {
	case CU_RESOURCE_TYPE_ARRAY: to->res.array.array = (cudaArray_t)from->res.array.hArray; break;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: to->res.mipmap.mipmap = (cudaMipmappedArray_t)from->res.mipmap.hMipmappedArray; break;
	case CU_RESOURCE_TYPE_LINEAR:
		to->res.linear.devPtr = (void *)from->res.linear.devPtr;
		to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
		to->res.linear.desc = descOf(from->res.linear.format, from->res.linear.numChannels);
		break;
	case CU_RESOURCE_TYPE_PITCH2D:
		to->res.pitch2D.devPtr = (void *)from->res.pitch2D.devPtr;
		to->res.pitch2D.width = from->res.pitch2D.width;
		to->res.pitch2D.height = from->res.pitch2D.height;
		to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
		to->res.pitch2D.desc = descOf(from->res.pitch2D.format, from->res.pitch2D.numChannels);
		break;
	}
}

/* channelOf returns the format of a resource's texels. */
static cudaError_t channelOf(const CUDA_RESOURCE_DESC *resource, struct cudaChannelFormatDesc *desc) {
	cudaArray_t array = (cudaArray_t)resource->res.array.hArray;
	switch (resource->resType) {
	case CU_RESOURCE_TYPE_LINEAR: *desc = descOf(resource->res.linear.format, resource->res.linear.numChannels); return cudaSuccess;
	case CU_RESOURCE_TYPE_PITCH2D: *desc = descOf(resource->res.pitch2D.format, resource->res.pitch2D.numChannels); return cudaSuccess;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		TRY(cudaGetMipmappedArrayLevel(&array, (cudaMipmappedArray_t)resource->res.mipmap.hMipmappedArray, 0));
		break;
	default: break;
	}
	return cudaGetChannelDesc(desc, array);
}

static int isInteger(struct cudaChannelFormatDesc desc) { return desc.f == cudaChannelFormatKindSigned || desc.f == cudaChannelFormatKindUnsigned; }

/* readFlags returns the driver's flags for reading texels. It refuses invalid combinations. */
static cudaError_t readFlags(struct cudaChannelFormatDesc desc, int normalizedRead, int linear, unsigned int *flags) {
	if (!isInteger(desc))
		return cudaSuccess;
	if (normalizedRead && desc.x == 32)
		return failed(cudaErrorInvalidNormSetting);
	if (!normalizedRead && linear)
		return failed(cudaErrorInvalidFilterSetting);
	if (!normalizedRead)
		*flags |= CU_TRSF_READ_AS_INTEGER;
	return cudaSuccess;
}

/* Objects. */

/* Views have the same members, except the driver's reserved ones. */
static CUDA_RESOURCE_VIEW_DESC viewOf(const struct cudaResourceViewDesc *v) {
	return (CUDA_RESOURCE_VIEW_DESC){(CUresourceViewFormat)v->format, v->width, v->height, v->depth, v->firstMipmapLevel, v->lastMipmapLevel, v->firstLayer, v->lastLayer, {0}};
}

/* viewedChannel returns the format in which a view reads texels: unsigned and signed integers of 8, 16 and 32
   bits, then floats. */
static void viewedChannel(enum cudaResourceViewFormat format, struct cudaChannelFormatDesc *desc) {
	static const int bits[] = {8, 8, 16, 16, 32, 32, 16, 32};
	int n = ((int)format - 1) / 3;
	if (format == cudaResViewFormatNone || (unsigned)n >= sizeof(bits) / sizeof(bits[0]))
		return;
	desc->x = bits[n];
	desc->f = n >= 6 ? cudaChannelFormatKindFloat : n % 2 == 0 ? cudaChannelFormatKindUnsigned : cudaChannelFormatKindSigned;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *desc,
                                    const struct cudaResourceViewDesc *view) {
	CUDA_RESOURCE_DESC r;
	CUDA_TEXTURE_DESC t = {0};
	CUDA_RESOURCE_VIEW_DESC v;
	struct cudaChannelFormatDesc channel;
	BEGIN;
	if (object == NULL || resource == NULL || desc == NULL)
		return failed(cudaErrorInvalidValue);
	TRY(resourceOf(resource, &r));
	TRY(channelOf(&r, &channel));
	if (view != NULL) {
		v = viewOf(view);
		viewedChannel(view->format, &channel);
	}
	TRY(readFlags(channel, desc->readMode == cudaReadModeNormalizedFloat, desc->filterMode == cudaFilterModeLinear, &t.flags));
	for (int i = 0; i < 3; i++)
		t.addressMode[i] = (CUaddress_mode)desc->addressMode[i];
	for (int i = 0; i < 4; i++)
		t.borderColor[i] = desc->borderColor[i];
	t.filterMode = (CUfilter_mode)desc->filterMode;
	t.flags |= (desc->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) | (desc->sRGB ? CU_TRSF_SRGB : 0) |
	           (desc->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0) | (SIMTRUN_CUDA_MAJOR > 11 && desc->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0);
	t.maxAnisotropy = desc->maxAnisotropy;
	t.mipmapFilterMode = (CUfilter_mode)desc->mipmapFilterMode;
	t.mipmapLevelBias = desc->mipmapLevelBias;
	t.minMipmapLevelClamp = desc->minMipmapLevelClamp;
	t.maxMipmapLevelClamp = desc->maxMipmapLevelClamp;
	return done(driver.cuTexObjectCreate(object, &r, &t, view == NULL ? NULL : &v));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
	BEGIN;
	return done(driver.cuTexObjectDestroy(object));
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t object) {
	CUDA_RESOURCE_DESC r;
	BEGIN;
	TRY(done(driver.cuTexObjectGetResourceDesc(&r, object)));
	resourceFrom(&r, resource);
	return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view, cudaTextureObject_t object) {
	CUDA_RESOURCE_VIEW_DESC v;
	BEGIN;
	TRY(done(driver.cuTexObjectGetResourceViewDesc(&v, object)));
	*view = (struct cudaResourceViewDesc){(enum cudaResourceViewFormat)v.format, v.width, v.height, v.depth, v.firstMipmapLevel, v.lastMipmapLevel, v.firstLayer, v.lastLayer};
	return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc, cudaTextureObject_t object) {
	CUDA_RESOURCE_DESC r;
	CUDA_RESOURCE_VIEW_DESC v;
	CUDA_TEXTURE_DESC t;
	struct cudaChannelFormatDesc channel;
	BEGIN;
	TRY(done(driver.cuTexObjectGetTextureDesc(&t, object)));
	TRY(done(driver.cuTexObjectGetResourceDesc(&r, object)));
	TRY(channelOf(&r, &channel));
	if (driver.cuTexObjectGetResourceViewDesc(&v, object) == CUDA_SUCCESS)
		viewedChannel((enum cudaResourceViewFormat)v.format, &channel);
	*desc = (struct cudaTextureDesc){0};
	for (int i = 0; i < 3; i++)
		desc->addressMode[i] = (enum cudaTextureAddressMode)t.addressMode[i];
	for (int i = 0; i < 4; i++)
		desc->borderColor[i] = t.borderColor[i];
	desc->filterMode = (enum cudaTextureFilterMode)t.filterMode;
	desc->readMode = isInteger(channel) && !(t.flags & CU_TRSF_READ_AS_INTEGER) ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
	desc->sRGB = (t.flags & CU_TRSF_SRGB) != 0;
	desc->normalizedCoords = (t.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
	desc->disableTrilinearOptimization = (t.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
	if (SIMTRUN_CUDA_MAJOR > 11)
		desc->seamlessCubemap = (t.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
	desc->maxAnisotropy = t.maxAnisotropy;
	desc->mipmapFilterMode = (enum cudaTextureFilterMode)t.mipmapFilterMode;
	desc->mipmapLevelBias = t.mipmapLevelBias;
	desc->minMipmapLevelClamp = t.minMipmapLevelClamp;
	desc->maxMipmapLevelClamp = t.maxMipmapLevelClamp;
	return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource) {
	CUDA_RESOURCE_DESC r;
	BEGIN;
	if (object == NULL || resource == NULL)
		return failed(cudaErrorInvalidValue);
	TRY(resourceOf(resource, &r));
	return done(driver.cuSurfObjectCreate(object, &r));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
	BEGIN;
	return done(driver.cuSurfObjectDestroy(object));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t object) {
	CUDA_RESOURCE_DESC r;
	BEGIN;
	TRY(done(driver.cuSurfObjectGetResourceDesc(&r, object)));
	resourceFrom(&r, resource);
	return cudaSuccess;
}

/* References. Changes to a reference take effect at the next call that binds it. */

static cudaError_t setUp(const struct textureReference *ref, struct cudaChannelFormatDesc desc, CUtexref *t) {
	int normalizedRead;
	unsigned int flags = (ref->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0) | (ref->sRGB ? CU_TRSF_SRGB : 0);
	BEGIN;
	TRY(textureReferenceOf(ref, t, &normalizedRead, NULL));
	TRY(readFlags(desc, normalizedRead, ref->filterMode == cudaFilterModeLinear, &flags));
	for (int i = 0; i < 3; i++)
		TRY(done(driver.cuTexRefSetAddressMode(*t, i, (CUaddress_mode)ref->addressMode[i])));
	TRY(done(driver.cuTexRefSetFilterMode(*t, (CUfilter_mode)ref->filterMode)));
	TRY(done(driver.cuTexRefSetMipmapFilterMode(*t, (CUfilter_mode)ref->mipmapFilterMode)));
	TRY(done(driver.cuTexRefSetMipmapLevelBias(*t, ref->mipmapLevelBias)));
	TRY(done(driver.cuTexRefSetMipmapLevelClamp(*t, ref->minMipmapLevelClamp, ref->maxMipmapLevelClamp)));
	return done(driver.cuTexRefSetFlags(*t, flags));
}

/* sizeAt returns the bytes from an address to the end of its allocation. */
static size_t sizeAt(CUdeviceptr at) {
	CUdeviceptr base = at;
	size_t size = 0;
	driver.cuMemGetAddressRange_v2(&base, &size, at);
	return size - (size_t)(at - base);
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *ref, const void *p, const struct cudaChannelFormatDesc *desc, size_t size) {
	CUDA_ARRAY_DESCRIPTOR d = {0};
	CUdeviceptr at = (CUdeviceptr)(size_t)p;
	CUtexref t;
	size_t shift = 0, *kept;
	int normalizedRead;
	NEED(desc);
	TRY(setUp(ref, *desc, &t));
	TRY(formatOf(desc, &d.Format, &d.NumChannels));
	TRY(done(driver.cuTexRefSetFormat(t, d.Format, (int)d.NumChannels)));
	TRY(done(driver.cuTexRefSetAddress_v2(offset == NULL ? NULL : &shift, t, at, size == UINT_MAX ? sizeAt(at) : size)));
	TRY(textureReferenceOf(ref, &t, &normalizedRead, &kept));
	*kept = shift;
	if (offset != NULL)
		*offset = shift;
	return cudaSuccess;
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *ref, const void *p, const struct cudaChannelFormatDesc *desc, size_t width,
                              size_t height, size_t pitch) {
	CUDA_ARRAY_DESCRIPTOR d = {width, height, 0, 0};
	CUtexref t;
	NEED(desc);
	TRY(setUp(ref, *desc, &t));
	TRY(formatOf(desc, &d.Format, &d.NumChannels));
	if (offset != NULL)
		*offset = 0;
	return done(driver.cuTexRefSetAddress2D_v3(t, &d, (CUdeviceptr)(size_t)p, pitch));
}

cudaError_t cudaBindTextureToArray(const struct textureReference *ref, cudaArray_const_t array, const struct cudaChannelFormatDesc *desc) {
	struct cudaChannelFormatDesc channel;
	CUtexref t;
	(void)desc;
	TRY(cudaGetChannelDesc(&channel, array));
	TRY(setUp(ref, channel, &t));
	return done(driver.cuTexRefSetArray(t, arrayOf(array), CU_TRSA_OVERRIDE_FORMAT));
}

cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *ref, cudaMipmappedArray_const_t array, const struct cudaChannelFormatDesc *desc) {
	struct cudaChannelFormatDesc channel;
	cudaArray_t level;
	CUtexref t;
	(void)desc;
	TRY(cudaGetMipmappedArrayLevel(&level, array, 0));
	TRY(cudaGetChannelDesc(&channel, level));
	TRY(setUp(ref, channel, &t));
	return done(driver.cuTexRefSetMipmappedArray(t, mipmappedOf(array), CU_TRSA_OVERRIDE_FORMAT));
}

cudaError_t cudaUnbindTexture(const struct textureReference *ref) {
	CUtexref t;
	int normalizedRead;
	BEGIN;
	TRY(textureReferenceOf(ref, &t, &normalizedRead, NULL));
	return done(driver.cuTexRefSetAddress_v2(NULL, t, 0, 0));
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *ref) {
	CUtexref t;
	size_t *kept;
	int normalizedRead;
	BEGIN;
	TRY(textureReferenceOf(ref, &t, &normalizedRead, &kept));
	*offset = *kept;
	return cudaSuccess;
}

/* The host shadow of a variable is its reference. */
cudaError_t cudaGetTextureReference(const struct textureReference **ref, const void *symbol) {
	CUtexref t;
	int normalizedRead;
	BEGIN;
	TRY(textureReferenceOf(symbol, &t, &normalizedRead, NULL));
	*ref = symbol;
	return cudaSuccess;
}

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *ref, cudaArray_const_t array, const struct cudaChannelFormatDesc *desc) {
	CUsurfref s;
	(void)desc;
	BEGIN;
	TRY(surfaceReferenceOf(ref, &s));
	return done(driver.cuSurfRefSetArray(s, arrayOf(array), 0));
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **ref, const void *symbol) {
	CUsurfref s;
	BEGIN;
	TRY(surfaceReferenceOf(symbol, &s));
	*ref = symbol;
	return cudaSuccess;
}
