/* Memory, copies and memsets. */
#include <stdio.h>
#include <string.h>

#include "rt.h"

static CUdeviceptr at(const void *p) { return (CUdeviceptr)(size_t)p; }

cudaError_t cudaMalloc(void **p, size_t size) {
	CUdeviceptr address = 0;
	NEED(p);
	*p = NULL;
	BEGIN;
	if (size == 0)
		return cudaSuccess;
	TRY(done(driver.cuMemAlloc_v2(&address, size)));
	*p = (void *)address;
	return cudaSuccess;
}

void simtrunNameAllocation(const void *p, const char *file, int line) {
	char place[512];
	if (p == NULL)
		return;
	snprintf(place, sizeof place, "%s:%d", file, line);
	driver.simtrunNameMemory(at(p), place);
}

cudaError_t cudaFree(void *p) {
	BEGIN;
	if (p == NULL)
		return cudaSuccess;
	return waited(driver.cuMemFree_v2(at(p)));
}

/* The widest access has 16 bytes. */
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
	CUdeviceptr address = 0;
	NEED(p);
	NEED(pitch);
	*p = NULL;
	*pitch = 0;
	BEGIN;
	if (width == 0 || height == 0)
		return cudaSuccess;
	TRY(done(driver.cuMemAllocPitch_v2(&address, pitch, width, height, 16)));
	*p = (void *)address;
	return cudaSuccess;
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent) {
	NEED(p);
	*p = (struct cudaPitchedPtr){NULL, 0, extent.width, extent.height};
	return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMallocManaged(void **p, size_t size, unsigned int flags) {
	CUdeviceptr address = 0;
	NEED(p);
	*p = NULL;
	BEGIN;
	if (size == 0)
		return failedFor(cudaErrorInvalidValue, "0 bytes");
	TRY(done(driver.cuMemAllocManaged(&address, size, flags)));
	*p = (void *)address;
	return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **p, size_t size, unsigned int flags) {
	NEED(p);
	*p = NULL;
	BEGIN;
	if (size == 0)
		return cudaSuccess;
	return done(driver.cuMemHostAlloc(p, size, flags | CU_MEMHOSTALLOC_DEVICEMAP));
}
cudaError_t cudaMallocHost(void **p, size_t size) { return cudaHostAlloc(p, size, cudaHostAllocPortable); }

cudaError_t cudaFreeHost(void *p) {
	BEGIN;
	return p == NULL ? cudaSuccess : done(driver.cuMemFreeHost(p));
}

cudaError_t cudaHostRegister(void *p, size_t size, unsigned int flags) {
	BEGIN;
	return done(driver.cuMemHostRegister_v2(p, size, flags | CU_MEMHOSTREGISTER_DEVICEMAP));
}

cudaError_t cudaHostUnregister(void *p) {
	BEGIN;
	return done(driver.cuMemHostUnregister(p));
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags) {
	CUdeviceptr address = 0;
	BEGIN;
	TRY(done(driver.cuMemHostGetDevicePointer_v2(&address, host, flags)));
	*device = (void *)address;
	return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *p) {
	BEGIN;
	return done(driver.cuMemHostGetFlags(flags, p));
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
	BEGIN;
	return done(driver.cuMemGetInfo_v2(available, total));
}

/* Memory that the driver does not know is host memory, and not an error. */
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attr, const void *p) {
	unsigned int type = 0, isManaged = 0;
	int device = 0;
	CUdeviceptr address = 0;
	void *host = NULL;
	NEED(attr);
	BEGIN;
	*attr = (struct cudaPointerAttributes){cudaMemoryTypeUnregistered, cudaInvalidDeviceId, NULL, (void *)p};
	if (driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at(p)) != CUDA_SUCCESS)
		return cudaSuccess;
	driver.cuPointerGetAttribute(&isManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED, at(p));
	driver.cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at(p));
	driver.cuPointerGetAttribute(&address, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, at(p));
	driver.cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, at(p));
	attr->type = isManaged ? cudaMemoryTypeManaged : type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
	attr->device = device;
	attr->devicePointer = (void *)address;
	attr->hostPointer = attr->type == cudaMemoryTypeDevice ? NULL : host;
	return cudaSuccess;
}

/* Pools. */

cudaError_t cudaMallocAsync(void **p, size_t size, cudaStream_t stream) {
	CUdeviceptr address = 0;
	NEED(p);
	*p = NULL;
	BEGIN;
	if (size == 0)
		return cudaSuccess;
	TRY(done(driver.cuMemAllocAsync(&address, size, stream)));
	*p = (void *)address;
	return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
	BEGIN;
	return p == NULL ? cudaSuccess : done(driver.cuMemFreeAsync(at(p), stream));
}

cudaError_t cudaMallocFromPoolAsync(void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
	CUdeviceptr address = 0;
	NEED(p);
	*p = NULL;
	BEGIN;
	TRY(done(driver.cuMemAllocFromPoolAsync(&address, size, pool, stream)));
	*p = (void *)address;
	return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
	CUmemPoolProps p = {0};
	NEED(props);
	BEGIN;
	p.allocType = (int)props->allocType;
	p.handleTypes = (int)props->handleTypes;
	p.location.type = (int)props->location.type;
	p.location.id = props->location.id;
	p.maxSize = props->maxSize;
	return done(driver.cuMemPoolCreate(pool, &p));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
	BEGIN;
	return done(driver.cuMemPoolDestroy(pool));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
	BEGIN;
	return done(driver.cuMemPoolTrimTo(pool, keep));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
	BEGIN;
	return done(driver.cuMemPoolSetAttribute(pool, (CUmemPool_attribute)attr, value));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
	BEGIN;
	return done(driver.cuMemPoolGetAttribute(pool, (CUmemPool_attribute)attr, value));
}

/* Lists of accesses and locations have the same layout in both APIs. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t n) {
	BEGIN;
	return done(driver.cuMemPoolSetAccess(pool, list, n));
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location) {
	BEGIN;
	return done(driver.cuMemPoolGetAccess((CUmemAccess_flags *)flags, pool, (CUmemLocation *)location));
}

cudaError_t cudaMemPoolExportToShareableHandle(void *shared, cudaMemPool_t pool, enum cudaMemAllocationHandleType type, unsigned int flags) {
	BEGIN;
	return done(driver.cuMemPoolExportToShareableHandle(shared, pool, (CUmemAllocationHandleType)type, flags));
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *shared, enum cudaMemAllocationHandleType type, unsigned int flags) {
	BEGIN;
	return done(driver.cuMemPoolImportFromShareableHandle(pool, shared, (CUmemAllocationHandleType)type, flags));
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *p) {
	BEGIN;
	return done(driver.cuMemPoolExportPointer((CUmemPoolPtrExportData *)data, at(p)));
}

cudaError_t cudaMemPoolImportPointer(void **p, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data) {
	CUdeviceptr address = 0;
	BEGIN;
	TRY(done(driver.cuMemPoolImportPointer(&address, pool, (CUmemPoolPtrExportData *)data)));
	*p = (void *)address;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int ordinal) {
	BEGIN;
	return done(driver.cuDeviceGetDefaultMemPool(pool, ordinal));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int ordinal) {
	BEGIN;
	return done(driver.cuDeviceGetMemPool(pool, ordinal));
}

cudaError_t cudaDeviceSetMemPool(int ordinal, cudaMemPool_t pool) {
	BEGIN;
	return done(driver.cuDeviceSetMemPool(ordinal, pool));
}

/* Advice. */

cudaError_t cudaMemAdvise(const void *p, size_t size, enum cudaMemoryAdvise advice, int ordinal) {
	BEGIN;
	return done(driver.cuMemAdvise(at(p), size, (CUmem_advise)advice, ordinal));
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t size, int ordinal, cudaStream_t stream) {
	BEGIN;
	return done(driver.cuMemPrefetchAsync(at(p), size, ordinal, stream));
}

cudaError_t cudaMemAdvise_v2(const void *p, size_t size, enum cudaMemoryAdvise advice, struct cudaMemLocation location) {
	BEGIN;
	return done(driver.cuMemAdvise_v2(at(p), size, (CUmem_advise)advice, (CUmemLocation){(CUmemLocationType)location.type, location.id}));
}

cudaError_t cudaMemPrefetchAsync_v2(const void *p, size_t size, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream) {
	BEGIN;
	return done(driver.cuMemPrefetchAsync_v2(at(p), size, (CUmemLocation){(CUmemLocationType)location.type, location.id}, flags, stream));
}

/* Copies. */

static int validKind(enum cudaMemcpyKind kind) { return (unsigned)kind <= cudaMemcpyDefault; }

cudaError_t cudaMemcpy(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind) {
	BEGIN;
	if (!validKind(kind))
		return failedKind(kind);
	if (size == 0)
		return cudaSuccess;
	switch (kind) {
	case cudaMemcpyHostToHost:
		TRY(waited(driver.cuStreamSynchronize(NULL)));
		memmove(dst, src, size);
		return cudaSuccess;
	case cudaMemcpyHostToDevice: return done(driver.cuMemcpyHtoD_v2(at(dst), src, size));
	case cudaMemcpyDeviceToHost: return waited(driver.cuMemcpyDtoH_v2(dst, at(src), size));
	case cudaMemcpyDeviceToDevice: return done(driver.cuMemcpyDtoD_v2(at(dst), at(src), size));
	default: return waited(driver.cuMemcpy(at(dst), at(src), size));
	}
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream) {
	BEGIN;
	if (!validKind(kind))
		return failedKind(kind);
	if (size == 0)
		return cudaSuccess;
	switch (kind) {
	case cudaMemcpyHostToDevice: return done(driver.cuMemcpyHtoDAsync_v2(at(dst), src, size, stream));
	case cudaMemcpyDeviceToHost: return done(driver.cuMemcpyDtoHAsync_v2(dst, at(src), size, stream));
	case cudaMemcpyDeviceToDevice: return done(driver.cuMemcpyDtoDAsync_v2(at(dst), at(src), size, stream));
	default: return done(driver.cuMemcpyAsync(at(dst), at(src), size, stream));
	}
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t size) {
	(void)dstDevice, (void)srcDevice;
	return cudaMemcpy(dst, src, size, cudaMemcpyDefault);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t size, cudaStream_t stream) {
	(void)dstDevice, (void)srcDevice;
	return cudaMemcpyAsync(dst, src, size, cudaMemcpyDefault, stream);
}

void typesOf(enum cudaMemcpyKind kind, CUmemorytype *src, CUmemorytype *dst) {
	static const CUmemorytype from[] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_UNIFIED};
	static const CUmemorytype to[] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_UNIFIED};
	*src = from[kind];
	*dst = to[kind];
}

static CUDA_MEMCPY2D copy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
	CUDA_MEMCPY2D c = {0};
	typesOf(kind, &c.srcMemoryType, &c.dstMemoryType);
	c.srcHost = src, c.srcDevice = at(src), c.srcPitch = spitch;
	c.dstHost = dst, c.dstDevice = at(dst), c.dstPitch = dpitch;
	c.WidthInBytes = width, c.Height = height;
	return c;
}

static cudaError_t check2D(size_t dpitch, size_t spitch, size_t width, enum cudaMemcpyKind kind) {
	if (!validKind(kind))
		return failedKind(kind);
	if (width > dpitch || width > spitch)
		return failedFor(cudaErrorInvalidPitchValue, "rows of %zu bytes, with a pitch of %zu and %zu bytes", width, dpitch, spitch);
	return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
	BEGIN;
	TRY(check2D(dpitch, spitch, width, kind));
	if (width == 0 || height == 0)
		return cudaSuccess;
	CUDA_MEMCPY2D c = copy2D(dst, dpitch, src, spitch, width, height, kind);
	return waited(driver.cuMemcpy2DUnaligned_v2(&c));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
	BEGIN;
	TRY(check2D(dpitch, spitch, width, kind));
	if (width == 0 || height == 0)
		return cudaSuccess;
	CUDA_MEMCPY2D c = copy2D(dst, dpitch, src, spitch, width, height, kind);
	return done(driver.cuMemcpy2DAsync_v2(&c, stream));
}

/* Memsets. */

cudaError_t cudaMemset(void *p, int value, size_t size) {
	BEGIN;
	return size == 0 ? cudaSuccess : done(driver.cuMemsetD8_v2(at(p), (unsigned char)value, size));
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t stream) {
	BEGIN;
	return size == 0 ? cudaSuccess : done(driver.cuMemsetD8Async(at(p), (unsigned char)value, size, stream));
}

cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
	BEGIN;
	return done(driver.cuMemsetD2D8_v2(at(p), pitch, (unsigned char)value, width, height));
}

cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
	BEGIN;
	return done(driver.cuMemsetD2D8Async(at(p), pitch, (unsigned char)value, width, height, stream));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
	for (size_t z = 0; z < extent.depth && extent.width > 0; z++)
		TRY(cudaMemset2D((char *)p.ptr + z * p.pitch * p.ysize, p.pitch, value, extent.width, extent.height));
	return cudaSuccess;
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent, cudaStream_t stream) {
	for (size_t z = 0; z < extent.depth && extent.width > 0; z++)
		TRY(cudaMemset2DAsync((char *)p.ptr + z * p.pitch * p.ysize, p.pitch, value, extent.width, extent.height, stream));
	return cudaSuccess;
}
