/* Streams, events and graphs. */
#include "rt.h"

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
	BEGIN;
	return done(driver.cuStreamCreateWithPriority(stream, flags, priority));
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
	BEGIN;
	return done(driver.cuStreamDestroy_v2(stream));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
	BEGIN;
	return done(driver.cuStreamGetPriority(stream, priority));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
	BEGIN;
	return done(driver.cuStreamGetFlags(stream, flags));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
	BEGIN;
	return waited(driver.cuStreamSynchronize(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
	BEGIN;
	return waited(driver.cuStreamQuery(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
	BEGIN;
	return done(driver.cuStreamWaitEvent(stream, event, flags));
}

/* The errors of both callbacks have the same values and the same size. */
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags) {
	BEGIN;
	return done(driver.cuStreamAddCallback(stream, (CUstreamCallback)(void *)callback, data, flags));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t size, unsigned int flags) {
	BEGIN;
	return done(driver.cuStreamAttachMemAsync(stream, (CUdeviceptr)(size_t)p, size, flags));
}

/* What is set of a stream's cache does not change what a program computes. */
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attr, const cudaLaunchAttributeValue *value) {
	(void)stream, (void)attr, (void)value;
	return begin();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
	BEGIN;
	return done(driver.cuEventCreate(event, flags));
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
	BEGIN;
	return done(driver.cuEventRecordWithFlags(event, stream, flags));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault); }

cudaError_t cudaEventQuery(cudaEvent_t event) {
	BEGIN;
	return waited(driver.cuEventQuery(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
	BEGIN;
	return waited(driver.cuEventSynchronize(event));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
	BEGIN;
	return done(driver.cuEventDestroy_v2(event));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
	BEGIN;
	return done(driver.cuEventElapsedTime(ms, start, end));
}

/* Capture. */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
	BEGIN;
	return done(driver.cuStreamBeginCapture_v2(stream, (CUstreamCaptureMode)mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
	BEGIN;
	return done(driver.cuStreamEndCapture(stream, graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
	BEGIN;
	return done(driver.cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)status));
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **deps, size_t *n) {
	BEGIN;
	return done(driver.cuStreamGetCaptureInfo_v2(stream, (CUstreamCaptureStatus *)status, id, graph, deps, n));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
	BEGIN;
	return done(driver.cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)mode));
}

/* Graphs. */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
	BEGIN;
	return done(driver.cuGraphCreate(graph, flags));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
	BEGIN;
	return done(driver.cuGraphDestroy(graph));
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
	BEGIN;
	return done(driver.cuGraphClone(clone, graph));
}

static cudaError_t kernelParams(const struct cudaKernelNodeParams *params, CUDA_KERNEL_NODE_PARAMS *p) {
	*p = (CUDA_KERNEL_NODE_PARAMS){NULL, params->gridDim.x, params->gridDim.y, params->gridDim.z, params->blockDim.x, params->blockDim.y,
	                                  params->blockDim.z, params->sharedMemBytes, params->kernelParams, params->extra, NULL, NULL};
	return function(params->func, &p->func);
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n,
                                   const struct cudaKernelNodeParams *params) {
	CUDA_KERNEL_NODE_PARAMS p;
	BEGIN;
	TRY(kernelParams(params, &p));
	return done(driver.cuGraphAddKernelNode_v2(node, graph, deps, n, &p));
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params) {
	CUDA_KERNEL_NODE_PARAMS p;
	BEGIN;
	TRY(kernelParams(params, &p));
	return done(driver.cuGraphKernelNodeSetParams_v2(node, &p));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *params) {
	CUDA_KERNEL_NODE_PARAMS p;
	BEGIN;
	TRY(kernelParams(params, &p));
	return done(driver.cuGraphExecKernelNodeSetParams_v2(exec, node, &p));
}

/* A copy of so many bytes from anywhere to anywhere. */
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, void *dst, const void *src,
                                     size_t size, enum cudaMemcpyKind kind) {
	struct cudaMemcpy3DParms params = {0};
	params.srcPtr = (struct cudaPitchedPtr){(void *)src, size, size, 1};
	params.dstPtr = (struct cudaPitchedPtr){dst, size, size, 1};
	params.extent = (struct cudaExtent){size, 1, 1};
	params.kind = kind;
	return cudaGraphAddMemcpyNode(node, graph, deps, n, &params);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n,
                                   const struct cudaMemcpy3DParms *params) {
	CUDA_MEMCPY3D c;
	CUcontext context;
	BEGIN;
	TRY(copyOf(params, &c));
	driver.cuCtxGetCurrent(&context);
	return done(driver.cuGraphAddMemcpyNode(node, graph, deps, n, &c, context));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n,
                                   const struct cudaMemsetParams *params) {
	CUDA_MEMSET_NODE_PARAMS p = {(CUdeviceptr)(size_t)params->dst, params->pitch, params->value, params->elementSize, params->width, params->height};
	CUcontext context;
	BEGIN;
	driver.cuCtxGetCurrent(&context);
	return done(driver.cuGraphAddMemsetNode(node, graph, deps, n, &p, context));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n,
                                 const struct cudaHostNodeParams *params) {
	CUDA_HOST_NODE_PARAMS p = {params->fn, params->userData};
	BEGIN;
	return done(driver.cuGraphAddHostNode(node, graph, deps, n, &p));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n) {
	BEGIN;
	return done(driver.cuGraphAddEmptyNode(node, graph, deps, n));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, cudaGraph_t child) {
	BEGIN;
	return done(driver.cuGraphAddChildGraphNode(node, graph, deps, n, child));
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, cudaEvent_t event) {
	BEGIN;
	return done(driver.cuGraphAddEventRecordNode(node, graph, deps, n, event));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, cudaEvent_t event) {
	BEGIN;
	return done(driver.cuGraphAddEventWaitNode(node, graph, deps, n, event));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n) {
	BEGIN;
	return done(driver.cuGraphAddDependencies(graph, from, to, n));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
	BEGIN;
	return done(driver.cuGraphGetNodes(graph, nodes, n));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n) {
	BEGIN;
	return done(driver.cuGraphGetRootNodes(graph, nodes, n));
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n) {
	BEGIN;
	return done(driver.cuGraphGetEdges(graph, from, to, n));
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
	BEGIN;
	return done(driver.cuGraphNodeGetType(node, (CUgraphNodeType *)type));
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
	BEGIN;
	return done(driver.cuGraphDestroyNode(node));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
	BEGIN;
	return done(driver.cuGraphInstantiateWithFlags(exec, graph, flags));
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
	return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
	BEGIN;
	return done(driver.cuGraphExecUpdate_v2(exec, graph, info));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
	BEGIN;
	return done(driver.cuGraphUpload(exec, stream));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
	BEGIN;
	uploadManaged(stream);
	return done(driver.cuGraphLaunch(exec, stream));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
	BEGIN;
	return done(driver.cuGraphExecDestroy(exec));
}
