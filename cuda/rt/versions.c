/* Functions whose names have another meaning in CUDA 11 or 13 than in the headers here, for programs linked with a
   shared runtime of those versions. Programs of CUDA 12 call some of the former only through dlsym. */
#include <stddef.h>
#include <string.h>

#include "rt.h"

#if SIMTRUN_CUDA_MAJOR < 13
#undef cudaGetDeviceProperties
#undef cudaStreamGetCaptureInfo

/* Properties end with those of CUDA 11. */
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int ordinal);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int ordinal) {
	struct cudaDeviceProp all;
	NEED(prop);
	TRY(cudaGetDeviceProperties_v2(&all, ordinal));
	memcpy(prop, &all, offsetof(struct cudaDeviceProp, hostRegisterSupported));
	return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id) {
	return cudaStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}
#endif

#if SIMTRUN_CUDA_MAJOR == 11
#undef cudaGraphInstantiate
#undef cudaGraphExecUpdate
#undef cudaGetDriverEntryPoint

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *errorNode, char *log, size_t size);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *errorNode, char *log, size_t size) {
	if (errorNode != NULL)
		*errorNode = NULL;
	if (log != NULL && size > 0)
		log[0] = 0;
	return cudaGraphInstantiateWithFlags(exec, graph, 0);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *errorNode, enum cudaGraphExecUpdateResult *result);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *errorNode, enum cudaGraphExecUpdateResult *result) {
	cudaGraphExecUpdateResultInfo info = {0};
	cudaError_t error = of12_cudaGraphExecUpdate(exec, graph, &info);
	if (errorNode != NULL)
		*errorNode = info.errorNode;
	if (result != NULL)
		*result = (enum cudaGraphExecUpdateResult)info.result;
	return error;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **fn, unsigned long long flags);
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **fn, unsigned long long flags) {
	return cudaGetDriverEntryPointByVersion(symbol, fn, 11080, flags, NULL);
}
#endif

#if SIMTRUN_CUDA_MAJOR == 13
#undef cudaGetDeviceProperties
#undef cudaStreamGetCaptureInfo
#undef cudaMemAdvise
#undef cudaMemPrefetchAsync
#undef cudaStreamUpdateCaptureDependencies
#undef cudaGraphAddNode
#undef cudaGraphAddDependencies
#undef cudaGraphRemoveDependencies
#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependencies
#undef cudaGraphNodeGetDependentNodes

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int ordinal);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int ordinal) { return cudaGetDeviceProperties_v2(prop, ordinal); }

/* Names that stand for the second or third version of CUDA 12. */
#define NOW(NAME, VERSION, PARAMETERS, ARGUMENTS) \
	cudaError_t NAME PARAMETERS;                    \
	cudaError_t NAME PARAMETERS { return NAME##_v##VERSION ARGUMENTS; }

NOW(cudaMemAdvise, 2, (const void *p, size_t size, enum cudaMemoryAdvise advice, struct cudaMemLocation location), (p, size, advice, location))
NOW(cudaMemPrefetchAsync, 2, (const void *p, size_t size, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream),
    (p, size, location, flags, stream))
NOW(cudaStreamGetCaptureInfo, 3,
    (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **deps,
     const cudaGraphEdgeData **edges, size_t *n),
    (stream, status, id, graph, deps, edges, n))
NOW(cudaStreamUpdateCaptureDependencies, 2, (cudaStream_t stream, cudaGraphNode_t *deps, const cudaGraphEdgeData *edges, size_t n, unsigned int flags),
    (stream, deps, edges, n, flags))
NOW(cudaGraphAddNode, 2,
    (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, const cudaGraphEdgeData *edges, size_t n, struct cudaGraphNodeParams *params),
    (node, graph, deps, edges, n, params))
NOW(cudaGraphAddDependencies, 2, (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t n),
    (graph, from, to, edges, n))
NOW(cudaGraphRemoveDependencies, 2, (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t n),
    (graph, from, to, edges, n))
NOW(cudaGraphGetEdges, 2, (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *n), (graph, from, to, edges, n))
NOW(cudaGraphNodeGetDependencies, 2, (cudaGraphNode_t node, cudaGraphNode_t *deps, cudaGraphEdgeData *edges, size_t *n), (node, deps, edges, n))
NOW(cudaGraphNodeGetDependentNodes, 2, (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *n), (node, nodes, edges, n))
#endif
