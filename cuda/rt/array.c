/* Arrays and copies of arrays. Handles are the driver's. */
#include "rt.h"

CUarray arrayOf(cudaArray_const_t array) { return (CUarray)(size_t)array; }
CUmipmappedArray mipmappedOf(cudaMipmappedArray_const_t array) { return (CUmipmappedArray)(size_t)array; }

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* The driver's formats of 8, 16 and 32 bits, by the kind of a channel. */
static const CUarray_format formats[3][3] = {
    [cudaChannelFormatKindSigned] = {CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32},
    [cudaChannelFormatKindUnsigned] = {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32},
    [cudaChannelFormatKindFloat] = {0, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT},
};

/* Normalized kinds and their formats are in the same order, each with 1, 2 and 4 channels of its bits. */
enum { FIRST_NORMALIZED = cudaChannelFormatKindUnsignedNormalized8X1, NORMALIZED = 12 };
static int isNormalizedKind(int kind) { return kind >= FIRST_NORMALIZED && kind < FIRST_NORMALIZED + NORMALIZED; }

cudaError_t formatOf(const struct cudaChannelFormatDesc *desc, CUarray_format *format, unsigned int *channels) {
	int bits[4] = {desc->x, desc->y, desc->z, desc->w}, size = desc->x == 8 ? 0 : desc->x == 16 ? 1 : desc->x == 32 ? 2 : -1, n = 0;
	while (n < 4 && bits[n] == desc->x && size >= 0)
		n++;
	for (int i = n; i < 4; i++)
		if (bits[i] != 0)
			return failed(cudaErrorInvalidChannelDescriptor);
	*channels = (unsigned)n;
	if (isNormalizedKind((int)desc->f))
		*format = CU_AD_FORMAT_UNORM_INT8X1 + (int)desc->f - FIRST_NORMALIZED;
	else if (size < 0 || n == 3 || (unsigned)desc->f > cudaChannelFormatKindFloat || (*format = formats[desc->f][size]) == 0)
		return failed(cudaErrorInvalidChannelDescriptor);
	return cudaSuccess;
}

struct cudaChannelFormatDesc descOf(CUarray_format format, unsigned int channels) {
	static const int bits[] = {8, 16, 32};
	int normalized = format - CU_AD_FORMAT_UNORM_INT8X1, size = 0;
	enum cudaChannelFormatKind kind = cudaChannelFormatKindNone;
	if (isNormalizedKind(normalized + FIRST_NORMALIZED)) {
		kind = (enum cudaChannelFormatKind)(normalized + FIRST_NORMALIZED);
		size = bits[normalized / 3 % 2];
	} else {
		for (int k = 0; k < 3; k++)
			for (int i = 0; i < 3; i++)
				if (formats[k][i] == format)
					kind = (enum cudaChannelFormatKind)k, size = bits[i];
	}
	return (struct cudaChannelFormatDesc){size, channels > 1 ? size : 0, channels > 2 ? size : 0, channels > 3 ? size : 0, kind};
}

/* describe fills in the driver's descriptor of an array. */
static cudaError_t describe(CUDA_ARRAY3D_DESCRIPTOR *d, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int flags) {
	*d = (CUDA_ARRAY3D_DESCRIPTOR){extent.width, extent.height, extent.depth, 0, 0, flags};
	return formatOf(desc, &d->Format, &d->NumChannels);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int flags) {
	CUDA_ARRAY3D_DESCRIPTOR d;
	NEED(array);
	NEED(desc);
	*array = NULL;
	BEGIN;
	TRY(describe(&d, desc, extent, flags));
	return done(driver.cuArray3DCreate_v2((CUarray *)(void *)array, &d));
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned int flags) {
	return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
	BEGIN;
	return array == NULL ? cudaSuccess : waited(driver.cuArrayDestroy(arrayOf(array)));
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int levels,
                                     unsigned int flags) {
	CUDA_ARRAY3D_DESCRIPTOR d;
	NEED(array);
	NEED(desc);
	*array = NULL;
	BEGIN;
	TRY(describe(&d, desc, extent, flags));
	return done(driver.cuMipmappedArrayCreate((CUmipmappedArray *)(void *)array, &d, levels));
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array, unsigned int n) {
	BEGIN;
	return done(driver.cuMipmappedArrayGetLevel((CUarray *)(void *)level, mipmappedOf(array), n));
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
	BEGIN;
	return array == NULL ? cudaSuccess : waited(driver.cuMipmappedArrayDestroy(mipmappedOf(array)));
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array) {
	CUDA_ARRAY3D_DESCRIPTOR d;
	BEGIN;
	TRY(done(driver.cuArray3DGetDescriptor_v2(&d, arrayOf(array))));
	if (desc != NULL)
		*desc = descOf(d.Format, d.NumChannels);
	if (extent != NULL)
		*extent = (struct cudaExtent){d.Width, d.Height, d.Depth};
	if (flags != NULL)
		*flags = d.Flags;
	return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
	return cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)array);
}

/* elementSize returns the bytes of an array's element, and width the bytes of its rows. */
static cudaError_t elementSize(cudaArray_const_t array, size_t *size, size_t *width) {
	CUDA_ARRAY3D_DESCRIPTOR d;
	TRY(done(driver.cuArray3DGetDescriptor_v2(&d, arrayOf(array))));
	*size = (size_t)descOf(d.Format, d.NumChannels).x / 8 * d.NumChannels;
	*width = *size * d.Width;
	return cudaSuccess;
}

/* Copies of boxes. Positions in arrays are in bytes here. A null pointer to an array stands for memory; there, the
   pitch of a single row has no meaning. */

static cudaError_t copy2D(CUDA_MEMCPY2D *c, cudaArray_const_t dst, void *dstAt, size_t dstX, size_t dstY, size_t dstPitch, cudaArray_const_t src,
                          const void *srcAt, size_t srcX, size_t srcY, size_t srcPitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
	BEGIN;
	if ((unsigned)kind > cudaMemcpyDefault)
		return failedKind(kind);
	typesOf(kind, &c->srcMemoryType, &c->dstMemoryType);
	if (dst != NULL)
		c->dstMemoryType = CU_MEMORYTYPE_ARRAY;
	else if (dstPitch < width && height > 1)
		return failedFor(cudaErrorInvalidPitchValue, "rows of %zu bytes, with a pitch of %zu bytes", width, dstPitch);
	if (src != NULL)
		c->srcMemoryType = CU_MEMORYTYPE_ARRAY;
	else if (srcPitch < width && height > 1)
		return failedFor(cudaErrorInvalidPitchValue, "rows of %zu bytes, with a pitch of %zu bytes", width, srcPitch);
	c->dstArray = arrayOf(dst), c->dstHost = dstAt, c->dstDevice = (CUdeviceptr)(size_t)dstAt, c->dstXInBytes = dstX, c->dstY = dstY, c->dstPitch = dstPitch;
	c->srcArray = arrayOf(src), c->srcHost = srcAt, c->srcDevice = (CUdeviceptr)(size_t)srcAt, c->srcXInBytes = srcX, c->srcY = srcY, c->srcPitch = srcPitch;
	c->WidthInBytes = width, c->Height = height;
	return cudaSuccess;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind) {
	CUDA_MEMCPY2D c = {0};
	TRY(copy2D(&c, dst, NULL, x, y, 0, NULL, src, 0, 0, pitch, width, height, kind));
	return done(driver.cuMemcpy2DUnaligned_v2(&c));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
	CUDA_MEMCPY2D c = {0};
	TRY(copy2D(&c, dst, NULL, x, y, 0, NULL, src, 0, 0, pitch, width, height, kind));
	return done(driver.cuMemcpy2DAsync_v2(&c, stream));
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width, size_t height,
                                  enum cudaMemcpyKind kind) {
	CUDA_MEMCPY2D c = {0};
	TRY(copy2D(&c, NULL, dst, 0, 0, pitch, src, NULL, x, y, 0, width, height, kind));
	return waited(driver.cuMemcpy2DUnaligned_v2(&c));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream) {
	CUDA_MEMCPY2D c = {0};
	TRY(copy2D(&c, NULL, dst, 0, 0, pitch, src, NULL, x, y, 0, width, height, kind));
	return done(driver.cuMemcpy2DAsync_v2(&c, stream));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dstX, size_t dstY, cudaArray_const_t src, size_t srcX, size_t srcY, size_t width,
                                     size_t height, enum cudaMemcpyKind kind) {
	CUDA_MEMCPY2D c = {0};
	TRY(copy2D(&c, dst, NULL, dstX, dstY, 0, src, NULL, srcX, srcY, 0, width, height, kind));
	return done(driver.cuMemcpy2DUnaligned_v2(&c));
}

/* Copies of contiguous bytes, which may span several rows of an array. */

static cudaError_t offsetIn(cudaArray_const_t array, size_t x, size_t y, size_t *offset) {
	size_t element, width;
	BEGIN;
	TRY(elementSize(array, &element, &width));
	*offset = y * width + x;
	return cudaSuccess;
}

/* onHost reports whether the other end of a copy is in host memory. */
static int onHost(const void *p, enum cudaMemcpyKind kind, enum cudaMemcpyKind host) {
	unsigned int type;
	if (kind != cudaMemcpyDefault)
		return kind == host;
	return driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)p) != CUDA_SUCCESS || type == CU_MEMORYTYPE_HOST;
}

/* The driver copies between arrays and device memory synchronously, and such copies cannot be captured into a
   graph. */
static cudaError_t notCaptured(cudaStream_t stream) {
	int status = CU_STREAM_CAPTURE_STATUS_NONE;
	TRY(done(driver.cuStreamIsCapturing(stream, &status)));
	return status == CU_STREAM_CAPTURE_STATUS_NONE ? cudaSuccess : failed(cudaErrorStreamCaptureUnsupported);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream) {
	size_t offset;
	TRY(offsetIn(dst, x, y, &offset));
	if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return failedFor(cudaErrorInvalidMemcpyDirection, "kind %d, and the destination is an array", (int)kind);
	if (onHost(src, kind, cudaMemcpyHostToDevice))
		return done(driver.cuMemcpyHtoAAsync_v2(arrayOf(dst), offset, src, size, stream));
	TRY(notCaptured(stream));
	return done(driver.cuMemcpyDtoA_v2(arrayOf(dst), offset, (CUdeviceptr)(size_t)src, size));
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t size, enum cudaMemcpyKind kind) {
	return cudaMemcpyToArrayAsync(dst, x, y, src, size, kind, NULL);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind,
                                     cudaStream_t stream) {
	size_t offset;
	TRY(offsetIn(src, x, y, &offset));
	if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return failedFor(cudaErrorInvalidMemcpyDirection, "kind %d, and the source is an array", (int)kind);
	if (onHost(dst, kind, cudaMemcpyDeviceToHost))
		return done(driver.cuMemcpyAtoHAsync_v2(dst, arrayOf(src), offset, size, stream));
	TRY(notCaptured(stream));
	return done(driver.cuMemcpyAtoD_v2((CUdeviceptr)(size_t)dst, arrayOf(src), offset, size));
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind) {
	TRY(cudaMemcpyFromArrayAsync(dst, src, x, y, size, kind, NULL));
	return waited(CUDA_SUCCESS);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dstX, size_t dstY, cudaArray_const_t src, size_t srcX, size_t srcY, size_t size,
                                   enum cudaMemcpyKind kind) {
	size_t to, from;
	(void)kind;
	TRY(offsetIn(dst, dstX, dstY, &to));
	TRY(offsetIn(src, srcX, srcY, &from));
	return done(driver.cuMemcpyAtoA_v2(arrayOf(dst), to, arrayOf(src), from, size));
}

/* Copies in three dimensions. If an array is involved, extents and positions in it are in elements. */
cudaError_t copyOf(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *c) {
	size_t dstSize = 1, srcSize = 1, width;
	NEED(p);
	*c = (CUDA_MEMCPY3D){0};
	if ((unsigned)p->kind > cudaMemcpyDefault)
		return failedKind(p->kind);
	typesOf(p->kind, &c->srcMemoryType, &c->dstMemoryType);
	if (p->srcArray != NULL) {
		TRY(elementSize(p->srcArray, &srcSize, &width));
		c->srcMemoryType = CU_MEMORYTYPE_ARRAY, c->srcArray = arrayOf(p->srcArray);
	}
	if (p->dstArray != NULL) {
		TRY(elementSize(p->dstArray, &dstSize, &width));
		c->dstMemoryType = CU_MEMORYTYPE_ARRAY, c->dstArray = arrayOf(p->dstArray);
	}
	c->srcXInBytes = p->srcPos.x * srcSize, c->srcY = p->srcPos.y, c->srcZ = p->srcPos.z;
	c->srcHost = p->srcPtr.ptr, c->srcDevice = (CUdeviceptr)(size_t)p->srcPtr.ptr, c->srcPitch = p->srcPtr.pitch, c->srcHeight = p->srcPtr.ysize;
	c->dstXInBytes = p->dstPos.x * dstSize, c->dstY = p->dstPos.y, c->dstZ = p->dstPos.z;
	c->dstHost = p->dstPtr.ptr, c->dstDevice = (CUdeviceptr)(size_t)p->dstPtr.ptr, c->dstPitch = p->dstPtr.pitch, c->dstHeight = p->dstPtr.ysize;
	c->WidthInBytes = p->extent.width * (p->srcArray != NULL ? srcSize : dstSize), c->Height = p->extent.height, c->Depth = p->extent.depth;
	if (p->srcArray != NULL || p->dstArray != NULL) { /* an array may lack a dimension */
		c->Height = c->Height == 0 ? 1 : c->Height;
		c->Depth = c->Depth == 0 ? 1 : c->Depth;
	}
	return cudaSuccess;
}

/* The end of a copy that is not an array. side is 1 for the device, 2 if it may be either. */
static void *linearEnd(CUmemorytype type, const void *host, CUdeviceptr device, int *side) {
	*side = type == CU_MEMORYTYPE_HOST ? 0 : type == CU_MEMORYTYPE_DEVICE ? 1 : 2;
	return *side == 0 ? (void *)host : (void *)(size_t)device;
}

cudaError_t paramsOf(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *p) {
	size_t srcSize = 1, dstSize = 1, width;
	int from = 1, to = 1; /* arrays are on the device */
	*p = (struct cudaMemcpy3DParms){0};
	if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY) {
		p->srcArray = (cudaArray_t)c->srcArray;
		TRY(elementSize(p->srcArray, &srcSize, &width));
	} else
		p->srcPtr = (struct cudaPitchedPtr){linearEnd(c->srcMemoryType, c->srcHost, c->srcDevice, &from), c->srcPitch, c->WidthInBytes, c->srcHeight};
	if (c->dstMemoryType == CU_MEMORYTYPE_ARRAY) {
		p->dstArray = (cudaArray_t)c->dstArray;
		TRY(elementSize(p->dstArray, &dstSize, &width));
	} else
		p->dstPtr = (struct cudaPitchedPtr){linearEnd(c->dstMemoryType, c->dstHost, c->dstDevice, &to), c->dstPitch, c->WidthInBytes, c->dstHeight};
	p->srcPos = (struct cudaPos){c->srcXInBytes / srcSize, c->srcY, c->srcZ};
	p->dstPos = (struct cudaPos){c->dstXInBytes / dstSize, c->dstY, c->dstZ};
	p->extent = (struct cudaExtent){c->WidthInBytes / (p->srcArray != NULL ? srcSize : dstSize), c->Height, c->Depth};
	p->kind = from == 2 || to == 2 ? cudaMemcpyDefault : (enum cudaMemcpyKind)(2 * from + to);
	return cudaSuccess;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
	CUDA_MEMCPY3D c;
	BEGIN;
	TRY(copyOf(p, &c));
	return waited(driver.cuMemcpy3D_v2(&c));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
	CUDA_MEMCPY3D c;
	BEGIN;
	TRY(copyOf(p, &c));
	return done(driver.cuMemcpy3DAsync_v2(&c, stream));
}

/* Both ends are on the only device. */
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
	NEED(p);
	struct cudaMemcpy3DParms same = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos, p->dstPtr, p->extent, cudaMemcpyDefault};
	return cudaMemcpy3DAsync(&same, stream);
}
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) { return cudaMemcpy3DPeerAsync(p, NULL); }
