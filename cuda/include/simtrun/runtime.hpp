/* The runtime API for C++: pointers of any type, kernels and variables by name. */
#ifndef SIMTRUN_RUNTIME_HPP
#define SIMTRUN_RUNTIME_HPP

#pragma GCC system_header

/* Allocations. simtrun's messages name memory by the source line of the allocating call. */
struct simtrun_place {
	const char *file;
	int line;
};
static inline simtrun_place simtrun_here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
template <typename T> static inline cudaError_t simtrun_named(T **p, cudaError_t error, simtrun_place place) {
	if (error == cudaSuccess)
		simtrunNameAllocation(*(void **)(void *)p, place.file, place.line);
	return error;
}
template <typename T> static inline cudaError_t cudaMalloc(T **p, size_t size, simtrun_place place = simtrun_here()) {
	return simtrun_named(p, ::cudaMalloc((void **)(void *)p, size), place);
}
template <typename T>
static inline cudaError_t cudaHostAlloc(T **p, size_t size, unsigned int flags, simtrun_place place = simtrun_here()) {
	return simtrun_named(p, ::cudaHostAlloc((void **)(void *)p, size, flags), place);
}
template <typename T>
static inline cudaError_t cudaMallocHost(T **p, size_t size, unsigned int flags = 0, simtrun_place place = simtrun_here()) {
	return simtrun_named(p, ::cudaHostAlloc((void **)(void *)p, size, flags), place);
}
template <typename T>
static inline cudaError_t cudaMallocManaged(T **p, size_t size, unsigned int flags = cudaMemAttachGlobal, simtrun_place place = simtrun_here()) {
	return simtrun_named(p, ::cudaMallocManaged((void **)(void *)p, size, flags), place);
}
template <typename T>
static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height, simtrun_place place = simtrun_here()) {
	return simtrun_named(p, ::cudaMallocPitch((void **)(void *)p, pitch, width, height), place);
}
template <typename T> static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream, simtrun_place place = simtrun_here()) {
	return simtrun_named(p, ::cudaMallocAsync((void **)(void *)p, size, stream), place);
}
template <typename T>
static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream, simtrun_place place = simtrun_here()) {
	return simtrun_named(p, ::cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream), place);
}
template <typename T>
static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool, cudaStream_t stream, simtrun_place place = simtrun_here()) {
	return cudaMallocFromPoolAsync(p, size, pool, stream, place);
}
/* For void ** there is also the C function. clang prefers a function with enable_if; with other host compilers
   such memory has no source line. */
#ifdef __clang__
#define SIMTRUN_OVER_C __attribute__((enable_if(true, ""))) static inline
SIMTRUN_OVER_C cudaError_t cudaMalloc(void **p, size_t size, simtrun_place place = simtrun_here()) { return cudaMalloc<void>(p, size, place); }
SIMTRUN_OVER_C cudaError_t cudaHostAlloc(void **p, size_t size, unsigned int flags, simtrun_place place = simtrun_here()) {
	return cudaHostAlloc<void>(p, size, flags, place);
}
SIMTRUN_OVER_C cudaError_t cudaMallocHost(void **p, size_t size, unsigned int flags = 0, simtrun_place place = simtrun_here()) {
	return cudaMallocHost<void>(p, size, flags, place);
}
SIMTRUN_OVER_C cudaError_t cudaMallocManaged(void **p, size_t size, unsigned int flags = cudaMemAttachGlobal, simtrun_place place = simtrun_here()) {
	return cudaMallocManaged<void>(p, size, flags, place);
}
SIMTRUN_OVER_C cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height, simtrun_place place = simtrun_here()) {
	return cudaMallocPitch<void>(p, pitch, width, height, place);
}
SIMTRUN_OVER_C cudaError_t cudaMallocAsync(void **p, size_t size, cudaStream_t stream, simtrun_place place = simtrun_here()) {
	return cudaMallocAsync<void>(p, size, stream, place);
}
#undef SIMTRUN_OVER_C
#else
static inline cudaError_t cudaMallocHost(void **p, size_t size, unsigned int flags) { return ::cudaHostAlloc(p, size, flags); }
#endif
template <typename T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
	return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) { return ::cudaEventCreateWithFlags(event, flags); }

/* Variables, identified by their shadows on the host. */
template <typename T> static inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
	return ::cudaGetSymbolAddress(address, (const void *)&symbol);
}
template <typename P, typename T> static inline cudaError_t cudaGetSymbolAddress(P **address, const T &symbol) {
	return ::cudaGetSymbolAddress((void **)(void *)address, (const void *)&symbol);
}
template <typename T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
	return ::cudaGetSymbolSize(size, (const void *)&symbol);
}
template <typename T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
	return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <typename T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
	return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <typename T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0) {
	return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <typename T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                                    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                    cudaStream_t stream = 0) {
	return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}

template <typename T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, const T &symbol,
                                                         const void *src, size_t size, size_t offset, enum cudaMemcpyKind kind) {
	return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, deps, n, (const void *)&symbol, src, size, offset, kind);
}
template <typename T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, void *dst,
                                                           const T &symbol, size_t size, size_t offset, enum cudaMemcpyKind kind) {
	return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, deps, n, dst, (const void *)&symbol, size, offset, kind);
}
template <typename T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *src, size_t size, size_t offset,
                                                               enum cudaMemcpyKind kind) {
	return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, src, size, offset, kind);
}
template <typename T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const T &symbol, size_t size, size_t offset,
                                                                 enum cudaMemcpyKind kind) {
	return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, (const void *)&symbol, size, offset, kind);
}
template <typename T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const T &symbol, const void *src,
                                                                   size_t size, size_t offset, enum cudaMemcpyKind kind) {
	return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, src, size, offset, kind);
}
template <typename T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const T &symbol,
                                                                     size_t size, size_t offset, enum cudaMemcpyKind kind) {
	return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, dst, (const void *)&symbol, size, offset, kind);
}

/* Locations of managed memory in the form of CUDA 13. */
static inline cudaError_t cudaMemAdvise(const void *p, size_t size, enum cudaMemoryAdvise advice, cudaMemLocation location) {
	return ::cudaMemAdvise_v2(p, size, advice, location);
}
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t size, cudaMemLocation location, unsigned int flags, cudaStream_t stream = 0) {
	return ::cudaMemPrefetchAsync_v2(p, size, location, flags, stream);
}

template <typename T> static inline cudaError_t cudaLibraryGetGlobal(T **p, size_t *size, cudaLibrary_t library, const char *name) {
	return ::cudaLibraryGetGlobal((void **)(void *)p, size, library, name);
}
template <typename T> static inline cudaError_t cudaLibraryGetManaged(T **p, size_t *size, cudaLibrary_t library, const char *name) {
	return ::cudaLibraryGetManaged((void **)(void *)p, size, library, name);
}

/* Kernels. */
template <typename T> static inline cudaError_t cudaGetKernel(cudaKernel_t *kernel, T *func) { return ::cudaGetKernel(kernel, (const void *)func); }
template <typename T>
static inline cudaError_t cudaLaunchKernel(T *func, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                           cudaStream_t stream = 0) {
	return ::cudaLaunchKernel((const void *)func, grid, block, args, shared, stream);
}
template <typename T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 grid, dim3 block, void **args, size_t shared = 0,
                                                      cudaStream_t stream = 0) {
	return ::cudaLaunchCooperativeKernel((const void *)func, grid, block, args, shared, stream);
}
template <typename T> static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, T *func) {
	return ::cudaFuncGetAttributes(attr, (const void *)func);
}
template <typename T> static inline cudaError_t cudaFuncGetName(const char **name, T *func) {
	return ::cudaFuncGetName(name, (const void *)func);
}
template <typename T> static inline cudaError_t cudaFuncGetParamInfo(T *func, size_t i, size_t *offset, size_t *size) {
	return ::cudaFuncGetParamInfo((const void *)func, i, offset, size);
}
template <typename T> static inline cudaError_t cudaFuncSetAttribute(T *func, enum cudaFuncAttribute attr, int value) {
	return ::cudaFuncSetAttribute((const void *)func, attr, value);
}
template <typename T> static inline cudaError_t cudaFuncSetCacheConfig(T *func, enum cudaFuncCache config) {
	return ::cudaFuncSetCacheConfig((const void *)func, config);
}
template <typename T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T *func, enum cudaSharedMemConfig config) {
	return ::cudaFuncSetSharedMemConfig((const void *)func, config);
}
template <typename T> static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *fn, T *symbol) {
	return ::cudaGetFuncBySymbol(fn, (const void *)symbol);
}
template <typename T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T func, int threads, size_t shared) {
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)func, threads, shared);
}
template <typename T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T func, int threads,
                                                                                 size_t shared, unsigned int flags) {
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)func, threads, shared, flags);
}
template <typename T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *func, int blocks, int threads) {
	return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)func, blocks, threads);
}
template <typename T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *func, const cudaLaunchConfig_t *config) {
	return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)func, config);
}
template <typename T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *func, const cudaLaunchConfig_t *config) {
	return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)func, config);
}

/* simtrun_sharedOf calls the function that returns the shared memory for a number of threads. */
template <typename F> static size_t simtrun_sharedOf(void *of, int threads) { return (size_t)(*(F *)of)(threads); }
static inline size_t simtrun_sameShared(void *of, int) { return *(size_t *)of; }

template <typename F, typename T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T func, F sharedOf,
                                                                         int limit = 0) {
	return ::simtrun_maxPotentialBlockSize(grid, block, (const void *)func, simtrun_sharedOf<F>, (void *)&sharedOf, limit);
}
template <typename F, typename T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block, T func, F sharedOf,
                                                                                  int limit = 0, unsigned int = 0) {
	return ::simtrun_maxPotentialBlockSize(grid, block, (const void *)func, simtrun_sharedOf<F>, (void *)&sharedOf, limit);
}
template <typename T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T func, size_t shared = 0,
                                                             int limit = 0) {
	return ::simtrun_maxPotentialBlockSize(grid, block, (const void *)func, simtrun_sameShared, &shared, limit);
}
template <typename T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, T func, size_t shared = 0,
                                                                      int limit = 0, unsigned int = 0) {
	return ::simtrun_maxPotentialBlockSize(grid, block, (const void *)func, simtrun_sameShared, &shared, limit);
}

#if __cplusplus >= 201103L
/* Arguments are converted to the kernel's types, and then passed by address. */
template <typename... Params, typename... Args>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Params...), Args &&...args) {
	return [&](Params... converted) {
		void *addresses[] = {(void *)&converted..., nullptr};
		return ::cudaLaunchKernelExC(config, (const void *)kernel, addresses);
	}(static_cast<Args &&>(args)...);
}
#endif

/* The form of graphs before CUDA 12. */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *errorNode, char *log,
                                               size_t size) {
	if (errorNode != 0)
		*errorNode = 0;
	if (log != 0 && size > 0)
		*log = 0;
	return ::cudaGraphInstantiate(exec, graph, 0ull);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *errorNode,
                                              enum cudaGraphExecUpdateResult *result) {
	cudaGraphExecUpdateResultInfo info = {};
	cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
	if (errorNode != 0)
		*errorNode = info.errorNode;
	*result = info.result;
	return error;
}

/* The forms with edge data, which CUDA 13 has under the names without _v2. */
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                                                   const cudaGraphNode_t **deps, const cudaGraphEdgeData **edges, size_t *n) {
	return ::cudaStreamGetCaptureInfo_v3(stream, status, id, graph, deps, edges, n);
}
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps, const cudaGraphEdgeData *edges, size_t n,
                                                              unsigned int flags = 0) {
	return ::cudaStreamUpdateCaptureDependencies_v2(stream, deps, edges, n, flags);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                                   const cudaGraphEdgeData *edges, size_t n) {
	return ::cudaGraphAddDependencies_v2(graph, from, to, edges, n);
}
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, const cudaGraphEdgeData *edges, size_t n,
                                           struct cudaGraphNodeParams *params) {
	return ::cudaGraphAddNode_v2(node, graph, deps, edges, n, params);
}
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                                      const cudaGraphEdgeData *edges, size_t n) {
	return ::cudaGraphRemoveDependencies_v2(graph, from, to, edges, n);
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *n) {
	return ::cudaGraphGetEdges_v2(graph, from, to, edges, n);
}
static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps, cudaGraphEdgeData *edges, size_t *n) {
	return ::cudaGraphNodeGetDependencies_v2(node, deps, edges, n);
}
static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *n) {
	return ::cudaGraphNodeGetDependentNodes_v2(node, nodes, edges, n);
}

/* The channel format of a texel of type T. */
template <typename T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
	return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define SIMTRUN_CHANNELS(T, X, Y, Z, W, KIND)                                                                          \
	template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<T>() {                                                \
		return cudaCreateChannelDesc(X, Y, Z, W, cudaChannelFormatKind##KIND);                                             \
	}
#define SIMTRUN_CHANNEL(NAME, T, BITS, KIND)                                                                           \
	SIMTRUN_CHANNELS(T, BITS, 0, 0, 0, KIND)                                                                             \
	SIMTRUN_CHANNELS(NAME##1, BITS, 0, 0, 0, KIND)                                                                       \
	SIMTRUN_CHANNELS(NAME##2, BITS, BITS, 0, 0, KIND)                                                                    \
	SIMTRUN_CHANNELS(NAME##4, BITS, BITS, BITS, BITS, KIND)
SIMTRUN_CHANNEL(char, signed char, 8, Signed)
SIMTRUN_CHANNEL(uchar, unsigned char, 8, Unsigned)
SIMTRUN_CHANNEL(short, short, 16, Signed)
SIMTRUN_CHANNEL(ushort, unsigned short, 16, Unsigned)
SIMTRUN_CHANNEL(int, int, 32, Signed)
SIMTRUN_CHANNEL(uint, unsigned int, 32, Unsigned)
SIMTRUN_CHANNEL(float, float, 32, Float)
SIMTRUN_CHANNELS(char, 8, 0, 0, 0, Signed)
#undef SIMTRUN_CHANNEL
#undef SIMTRUN_CHANNELS

#endif
