/* Properties and settings of devices. */
#include <stdio.h>
#include <string.h>

#include "rt.h"

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int ordinal) {
	CUdevice dev;
	TRY(beginDriver());
	TRY(done(driver.cuDeviceGet(&dev, ordinal)));
	return done(driver.cuDeviceGetAttribute(value, (CUdevice_attribute)attr, dev));
}

/* attributeOf returns 0 for attributes that the driver does not know. */
static int attributeOf(CUdevice dev, enum cudaDeviceAttr attr) {
	int value = 0;
	return driver.cuDeviceGetAttribute(&value, (CUdevice_attribute)attr, dev) == CUDA_SUCCESS ? value : 0;
}

/* Properties that are attributes. */
#define MEMBERS                                                            \
	MEMBER(sharedMemPerBlock, MaxSharedMemoryPerBlock)                       \
	MEMBER(regsPerBlock, MaxRegistersPerBlock)                               \
	MEMBER(warpSize, WarpSize)                                               \
	MEMBER(memPitch, MaxPitch)                                               \
	MEMBER(maxThreadsPerBlock, MaxThreadsPerBlock)                           \
	MEMBER(maxThreadsDim[0], MaxBlockDimX)                                   \
	MEMBER(maxThreadsDim[1], MaxBlockDimY)                                   \
	MEMBER(maxThreadsDim[2], MaxBlockDimZ)                                   \
	MEMBER(maxGridSize[0], MaxGridDimX)                                      \
	MEMBER(maxGridSize[1], MaxGridDimY)                                      \
	MEMBER(maxGridSize[2], MaxGridDimZ)                                      \
	SIMTRUN_BEFORE_13(MEMBER(clockRate, ClockRate))                          \
	MEMBER(totalConstMem, TotalConstantMemory)                               \
	MEMBER(major, ComputeCapabilityMajor)                                    \
	MEMBER(minor, ComputeCapabilityMinor)                                    \
	MEMBER(textureAlignment, TextureAlignment)                               \
	MEMBER(texturePitchAlignment, TexturePitchAlignment)                     \
	SIMTRUN_BEFORE_13(MEMBER(deviceOverlap, GpuOverlap))                     \
	MEMBER(multiProcessorCount, MultiProcessorCount)                         \
	SIMTRUN_BEFORE_13(MEMBER(kernelExecTimeoutEnabled, KernelExecTimeout))   \
	MEMBER(integrated, Integrated)                                           \
	MEMBER(canMapHostMemory, CanMapHostMemory)                               \
	SIMTRUN_BEFORE_13(MEMBER(computeMode, ComputeMode))                      \
	MEMBER(maxTexture1D, MaxTexture1DWidth)                                  \
	SIMTRUN_BEFORE_13(MEMBER(maxTexture1DLinear, MaxTexture1DLinearWidth))   \
	MEMBER(maxTexture2D[0], MaxTexture2DWidth)                               \
	MEMBER(maxTexture2D[1], MaxTexture2DHeight)                              \
	MEMBER(maxTexture2DLinear[0], MaxTexture2DLinearWidth)                   \
	MEMBER(maxTexture2DLinear[1], MaxTexture2DLinearHeight)                  \
	MEMBER(maxTexture2DLinear[2], MaxTexture2DLinearPitch)                   \
	MEMBER(maxTexture3D[0], MaxTexture3DWidth)                               \
	MEMBER(maxTexture3D[1], MaxTexture3DHeight)                              \
	MEMBER(maxTexture3D[2], MaxTexture3DDepth)                               \
	MEMBER(maxTexture1DMipmap, MaxTexture1DMipmappedWidth)                   \
	MEMBER(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth)                \
	MEMBER(maxTexture2DMipmap[1], MaxTexture2DMipmappedHeight)               \
	MEMBER(maxTexture2DGather[0], MaxTexture2DGatherWidth)                   \
	MEMBER(maxTexture2DGather[1], MaxTexture2DGatherHeight)                  \
	MEMBER(maxTexture3DAlt[0], MaxTexture3DWidthAlt)                         \
	MEMBER(maxTexture3DAlt[1], MaxTexture3DHeightAlt)                        \
	MEMBER(maxTexture3DAlt[2], MaxTexture3DDepthAlt)                         \
	MEMBER(maxTextureCubemap, MaxTextureCubemapWidth)                        \
	MEMBER(maxTexture1DLayered[0], MaxTexture1DLayeredWidth)                 \
	MEMBER(maxTexture1DLayered[1], MaxTexture1DLayeredLayers)                \
	MEMBER(maxTexture2DLayered[0], MaxTexture2DLayeredWidth)                 \
	MEMBER(maxTexture2DLayered[1], MaxTexture2DLayeredHeight)                \
	MEMBER(maxTexture2DLayered[2], MaxTexture2DLayeredLayers)                \
	MEMBER(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth)       \
	MEMBER(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers)      \
	MEMBER(maxSurface1D, MaxSurface1DWidth)                                  \
	MEMBER(maxSurface2D[0], MaxSurface2DWidth)                               \
	MEMBER(maxSurface2D[1], MaxSurface2DHeight)                              \
	MEMBER(maxSurface3D[0], MaxSurface3DWidth)                               \
	MEMBER(maxSurface3D[1], MaxSurface3DHeight)                              \
	MEMBER(maxSurface3D[2], MaxSurface3DDepth)                               \
	MEMBER(maxSurface1DLayered[0], MaxSurface1DLayeredWidth)                 \
	MEMBER(maxSurface1DLayered[1], MaxSurface1DLayeredLayers)                \
	MEMBER(maxSurface2DLayered[0], MaxSurface2DLayeredWidth)                 \
	MEMBER(maxSurface2DLayered[1], MaxSurface2DLayeredHeight)                \
	MEMBER(maxSurface2DLayered[2], MaxSurface2DLayeredLayers)                \
	MEMBER(maxSurfaceCubemap, MaxSurfaceCubemapWidth)                        \
	MEMBER(maxSurfaceCubemapLayered[0], MaxSurfaceCubemapLayeredWidth)       \
	MEMBER(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers)      \
	MEMBER(surfaceAlignment, SurfaceAlignment)                               \
	MEMBER(concurrentKernels, ConcurrentKernels)                             \
	MEMBER(ECCEnabled, EccEnabled)                                           \
	MEMBER(pciBusID, PciBusId)                                               \
	MEMBER(pciDeviceID, PciDeviceId)                                         \
	MEMBER(pciDomainID, PciDomainId)                                         \
	MEMBER(tccDriver, TccDriver)                                             \
	MEMBER(asyncEngineCount, AsyncEngineCount)                               \
	MEMBER(unifiedAddressing, UnifiedAddressing)                             \
	SIMTRUN_BEFORE_13(MEMBER(memoryClockRate, MemoryClockRate))              \
	MEMBER(memoryBusWidth, GlobalMemoryBusWidth)                             \
	MEMBER(l2CacheSize, L2CacheSize)                                         \
	MEMBER(persistingL2CacheMaxSize, MaxPersistingL2CacheSize)               \
	MEMBER(maxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor)         \
	MEMBER(streamPrioritiesSupported, StreamPrioritiesSupported)             \
	MEMBER(globalL1CacheSupported, GlobalL1CacheSupported)                   \
	MEMBER(localL1CacheSupported, LocalL1CacheSupported)                     \
	MEMBER(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor)     \
	MEMBER(regsPerMultiprocessor, MaxRegistersPerMultiprocessor)             \
	MEMBER(managedMemory, ManagedMemory)                                     \
	MEMBER(isMultiGpuBoard, IsMultiGpuBoard)                                 \
	MEMBER(multiGpuBoardGroupID, MultiGpuBoardGroupID)                       \
	MEMBER(hostNativeAtomicSupported, HostNativeAtomicSupported)             \
	SIMTRUN_BEFORE_13(MEMBER(singleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio))\
	MEMBER(pageableMemoryAccess, PageableMemoryAccess)                       \
	MEMBER(concurrentManagedAccess, ConcurrentManagedAccess)                 \
	MEMBER(computePreemptionSupported, ComputePreemptionSupported)           \
	MEMBER(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem) \
	MEMBER(cooperativeLaunch, CooperativeLaunch)                             \
	SIMTRUN_BEFORE_13(MEMBER(cooperativeMultiDeviceLaunch, CooperativeMultiDeviceLaunch))\
	MEMBER(sharedMemPerBlockOptin, MaxSharedMemoryPerBlockOptin)             \
	MEMBER(pageableMemoryAccessUsesHostPageTables, PageableMemoryAccessUsesHostPageTables) \
	MEMBER(directManagedMemAccessFromHost, DirectManagedMemAccessFromHost)   \
	MEMBER(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor)           \
	MEMBER(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize)             \
	MEMBER(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock)          \
	MEMBER(hostRegisterSupported, HostRegisterSupported)                     \
	MEMBER(sparseCudaArraySupported, SparseCudaArraySupported)               \
	MEMBER(hostRegisterReadOnlySupported, HostRegisterReadOnlySupported)     \
	MEMBER(memoryPoolsSupported, MemoryPoolsSupported)                       \
	MEMBER(memoryPoolSupportedHandleTypes, MemoryPoolSupportedHandleTypes)   \
	MEMBER(ipcEventSupported, IpcEventSupport)                               \
	MEMBER(clusterLaunch, ClusterLaunch)

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int ordinal) {
	CUdevice dev;
	CUuuid uuid;
	NEED(prop);
	memset(prop, 0, sizeof(*prop));
	TRY(beginDriver());
	TRY(done(driver.cuDeviceGet(&dev, ordinal)));
	driver.cuDeviceGetName(prop->name, sizeof(prop->name), dev);
	if (driver.cuDeviceGetUuid(&uuid, dev) == CUDA_SUCCESS)
		memcpy(prop->uuid.bytes, uuid.bytes, sizeof(prop->uuid.bytes));
	driver.cuDeviceTotalMem_v2(&prop->totalGlobalMem, dev);
#define MEMBER(NAME, ATTRIBUTE) prop->NAME = (__typeof__(prop->NAME))attributeOf(dev, cudaDevAttr##ATTRIBUTE);
	MEMBERS
#undef MEMBER
	return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *ordinal, const struct cudaDeviceProp *prop) {
	(void)prop;
	int count;
	NEED(ordinal);
	*ordinal = 0;
	return cudaGetDeviceCount(&count);
}

cudaError_t cudaSetValidDevices(int *devices, int n) {
	(void)devices, (void)n;
	return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
	CUdevice dev;
	TRY(beginDriver());
	TRY(done(driver.cuDeviceGet(&dev, currentDevice())));
	return done(driver.cuDevicePrimaryCtxSetFlags_v2(dev, flags));
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
	CUdevice dev;
	int active;
	TRY(beginDriver());
	TRY(done(driver.cuDeviceGet(&dev, currentDevice())));
	return done(driver.cuDevicePrimaryCtxGetState(dev, flags, &active));
}

cudaError_t cudaInitDevice(int ordinal, unsigned int deviceFlags, unsigned int flags) {
	(void)deviceFlags, (void)flags;
	return cudaSetDevice(ordinal);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *elements, const struct cudaChannelFormatDesc *desc, int ordinal) {
	CUarray_format format;
	unsigned int channels;
	NEED(desc);
	TRY(beginDriver());
	TRY(formatOf(desc, &format, &channels));
	return done(driver.cuDeviceGetTexture1DLinearMaxWidth(elements, format, channels, ordinal));
}

cudaError_t cudaDeviceGetByPCIBusId(int *ordinal, const char *id) {
	TRY(beginDriver());
	return done(driver.cuDeviceGetByPCIBusId(ordinal, id));
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int ordinal) {
	TRY(beginDriver());
	return done(driver.cuDeviceGetPCIBusId(id, len, ordinal));
}

cudaError_t cudaDeviceSynchronize(void) {
	BEGIN;
	return waited(driver.cuCtxSynchronize());
}
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
	BEGIN;
	return done(driver.cuCtxSetLimit((CUlimit)limit, value));
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
	BEGIN;
	return done(driver.cuCtxGetLimit(value, (CUlimit)limit));
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
	BEGIN;
	return done(driver.cuCtxGetCacheConfig((CUfunc_cache *)config));
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
	BEGIN;
	return done(driver.cuCtxSetCacheConfig((CUfunc_cache)config));
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
	BEGIN;
	return done(driver.cuCtxGetSharedMemConfig((CUsharedconfig *)config));
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
	BEGIN;
	return done(driver.cuCtxSetSharedMemConfig((CUsharedconfig)config));
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
	BEGIN;
	return done(driver.cuCtxResetPersistingL2Cache());
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
	BEGIN;
	return done(driver.cuCtxGetStreamPriorityRange(least, greatest));
}

/* Other devices. */

cudaError_t cudaDeviceCanAccessPeer(int *can, int ordinal, int peer) {
	TRY(beginDriver());
	return done(driver.cuDeviceCanAccessPeer(can, ordinal, peer));
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int from, int to) {
	TRY(beginDriver());
	return done(driver.cuDeviceGetP2PAttribute(value, (CUdevice_P2PAttribute)attr, from, to));
}

/* peerContext returns the current context of another device. */
static cudaError_t peerContext(int peer, CUcontext *context) {
	int own = currentDevice();
	TRY(cudaSetDevice(peer));
	driver.cuCtxGetCurrent(context);
	return cudaSetDevice(own);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
	CUcontext context;
	BEGIN;
	TRY(peerContext(peer, &context));
	return done(driver.cuCtxEnablePeerAccess(context, flags));
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
	CUcontext context;
	BEGIN;
	TRY(peerContext(peer, &context));
	return done(driver.cuCtxDisablePeerAccess(context));
}

/* Names from older versions. */

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config) { return cudaDeviceGetCacheConfig(config); }
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }

/* Memory and events of other processes. Handles are the driver's. */

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p) {
	BEGIN;
	return done(driver.cuIpcGetMemHandle((CUipcMemHandle *)handle, (CUdeviceptr)(size_t)p));
}

cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned int flags) {
	CUipcMemHandle of;
	CUdeviceptr address = 0;
	BEGIN;
	memcpy(&of, &handle, sizeof(of));
	TRY(done(driver.cuIpcOpenMemHandle_v2(&address, of, flags)));
	*p = (void *)address;
	return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void *p) {
	BEGIN;
	return done(driver.cuIpcCloseMemHandle((CUdeviceptr)(size_t)p));
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
	BEGIN;
	return done(driver.cuIpcGetEventHandle((CUipcEventHandle *)handle, event));
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
	CUipcEventHandle of;
	BEGIN;
	memcpy(&of, &handle, sizeof(of));
	return done(driver.cuIpcOpenEventHandle(event, of));
}
