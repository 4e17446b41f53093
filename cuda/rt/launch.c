/* Launches, attributes of kernels and occupancy. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rt.h"

/* Launch configurations between <<< >>> and the call of the stub. They can be nested. */
struct configuration {
	dim3 grid, block;
	size_t shared;
	void *stream;
};
enum { MAX_PUSHED = 64 };
static _Thread_local struct configuration pushed[MAX_PUSHED];
static _Thread_local int depth;

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
	if (depth == MAX_PUSHED)
		return 1;
	pushed[depth++] = (struct configuration){grid, block, shared, stream};
	return 0;
}

/* Whether this thread's latest pop found no configuration. The stub that clang makes for a kernel ignores the error and
   launches all the same; cudaLaunchKernel then returns cudaErrorMissingConfiguration. */
static _Thread_local int unconfigured;

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
	unconfigured = depth == 0;
	if (unconfigured) {
		*grid = *block = (dim3){0, 0, 0};
		*shared = 0;
		*(void **)stream = NULL;
		return failedIn("cudaLaunchKernel", cudaErrorMissingConfiguration, "a kernel was called as a function, without <<<grid, block>>>");
	}
	struct configuration *c = &pushed[--depth];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	*(void **)stream = c->stream;
	return cudaSuccess;
}

/* For an invalid grid or block, the driver returns an invalid value, and the runtime an invalid configuration. For too
   much shared memory both return an invalid value. */
static cudaError_t launched(CUresult result, CUfunction fn, size_t shared) {
	int most = 0;
	if (result != CUDA_ERROR_INVALID_VALUE)
		return done(result);
	driver.cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, fn);
	return recorded(shared > (size_t)most ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
	CUfunction fn;
	if (unconfigured && grid.x == 0 && block.x == 0)
		return cudaErrorMissingConfiguration;
	BEGIN;
	TRY(function(func, &fn));
	uploadManaged(stream);
	return launched(driver.cuLaunchKernel(fn, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, stream, args, NULL), fn, shared);
}

/* The same with per-thread default streams. */
cudaError_t cudaLaunchKernel_ptsz(const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
	return cudaLaunchKernel(func, grid, block, args, shared, stream == NULL ? cudaStreamPerThread : stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
	CUfunction fn;
	BEGIN;
	TRY(function(func, &fn));
	uploadManaged(stream);
	return launched(driver.cuLaunchCooperativeKernel(fn, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared, stream, args), fn, shared);
}

_Static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute), "attributes are handed on as they are");

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args) {
	CUfunction fn;
	BEGIN;
	TRY(function(func, &fn));
	uploadManaged(config->stream);
	CUlaunchConfig c = {config->gridDim.x, config->gridDim.y, config->gridDim.z, config->blockDim.x, config->blockDim.y, config->blockDim.z,
	                    (unsigned)config->dynamicSmemBytes, config->stream, (CUlaunchAttribute *)config->attrs, config->numAttrs};
	return launched(driver.cuLaunchKernelEx(&c, fn, args, NULL), fn, config->dynamicSmemBytes);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data) {
	BEGIN;
	return done(driver.cuLaunchHostFunc(stream, fn, data));
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *fn, const void *symbol) {
	BEGIN;
	return function(symbol, fn);
}

static CUresult attribute(CUfunction fn, CUfunction_attribute which, int *value) {
	*value = 0;
	return driver.cuFuncGetAttribute(value, which, fn);
}

cudaError_t cudaFuncGetName(const char **name, const void *func) {
	CUfunction fn;
	BEGIN;
	TRY(function(func, &fn));
	return done(driver.cuFuncGetName(name, fn));
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t i, size_t *offset, size_t *size) {
	CUfunction fn;
	BEGIN;
	TRY(function(func, &fn));
	return done(driver.cuFuncGetParamInfo(fn, i, offset, size));
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func) {
	CUfunction fn;
	int shared, constant, local;
	BEGIN;
	TRY(function(func, &fn));
	if (SIMTRUN_CUDA_MAJOR == 11) /* attributes about clusters are newer */
		memset(attr, 0, offsetof(struct cudaFuncAttributes, clusterDimMustBeSet));
	else
		*attr = (struct cudaFuncAttributes){0};
	CUresult result = attribute(fn, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &attr->maxThreadsPerBlock);
	attribute(fn, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &shared);
	attribute(fn, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &constant);
	attribute(fn, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &local);
	attr->sharedSizeBytes = (size_t)shared, attr->constSizeBytes = (size_t)constant, attr->localSizeBytes = (size_t)local;
	attribute(fn, CU_FUNC_ATTRIBUTE_NUM_REGS, &attr->numRegs);
	attribute(fn, CU_FUNC_ATTRIBUTE_PTX_VERSION, &attr->ptxVersion);
	attribute(fn, CU_FUNC_ATTRIBUTE_BINARY_VERSION, &attr->binaryVersion);
	attribute(fn, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, &attr->cacheModeCA);
	attribute(fn, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &attr->maxDynamicSharedSizeBytes);
	attribute(fn, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &attr->preferredShmemCarveout);
	if (SIMTRUN_CUDA_MAJOR == 11)
		return done(result);
	attribute(fn, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, &attr->clusterDimMustBeSet);
	attribute(fn, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, &attr->requiredClusterWidth);
	attribute(fn, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, &attr->requiredClusterHeight);
	attribute(fn, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, &attr->requiredClusterDepth);
	attribute(fn, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, &attr->nonPortableClusterSizeAllowed);
	return done(result);
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value) {
	CUfunction fn;
	BEGIN;
	TRY(function(func, &fn));
	return done(driver.cuFuncSetAttribute(fn, (CUfunction_attribute)attr, value));
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config) {
	CUfunction fn;
	BEGIN;
	TRY(function(func, &fn));
	return done(driver.cuFuncSetCacheConfig(fn, (CUfunc_cache)config));
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config) {
	CUfunction fn;
	BEGIN;
	TRY(function(func, &fn));
	return done(driver.cuFuncSetSharedMemConfig(fn, (CUsharedconfig)config));
}

/* Occupancy. */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int threads, size_t shared, unsigned int flags) {
	CUfunction fn;
	BEGIN;
	TRY(function(func, &fn));
	return done(driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, fn, threads, shared, flags));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads, size_t shared) {
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, threads, shared, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks, int threads) {
	CUfunction fn;
	BEGIN;
	TRY(function(func, &fn));
	return done(driver.cuOccupancyAvailableDynamicSMemPerBlock(bytes, fn, blocks, threads));
}

/* simtrun_maxPotentialBlockSize implements cudaOccupancyMaxPotentialBlockSize of C++. It tries block sizes in
   steps of a warp, from the largest down, and returns the first with the most threads per multiprocessor. */
cudaError_t simtrun_maxPotentialBlockSize(int *grid, int *block, const void *func, size_t (*sharedOf)(void *of, int threads), void *of, int limit) {
	struct cudaFuncAttributes attr;
	int multiprocessors, blocks, best = 0;
	TRY(cudaFuncGetAttributes(&attr, func));
	TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, currentDevice()));
	int most = attr.maxThreadsPerBlock;
	if (limit > 0 && limit < most)
		most = limit;
	*grid = *block = 0;
	for (int threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
		TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, func, threads, sharedOf(of, threads)));
		if (blocks * threads > best) {
			best = blocks * threads;
			*block = threads;
			*grid = blocks * multiprocessors;
		}
	}
	return cudaSuccess;
}

static CUlaunchConfig driverConfig(const cudaLaunchConfig_t *c) {
	CUlaunchConfig config = {c->gridDim.x, c->gridDim.y, c->gridDim.z, c->blockDim.x, c->blockDim.y, c->blockDim.z,
	                         (unsigned)c->dynamicSmemBytes, c->stream, (CUlaunchAttribute *)c->attrs, c->numAttrs};
	return config;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func, const cudaLaunchConfig_t *config) {
	CUfunction fn;
	BEGIN;
	TRY(function(func, &fn));
	CUlaunchConfig c = driverConfig(config);
	return done(driver.cuOccupancyMaxPotentialClusterSize(size, fn, &c));
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func, const cudaLaunchConfig_t *config) {
	CUfunction fn;
	BEGIN;
	TRY(function(func, &fn));
	CUlaunchConfig c = driverConfig(config);
	return done(driver.cuOccupancyMaxActiveClusters(clusters, fn, &c));
}
