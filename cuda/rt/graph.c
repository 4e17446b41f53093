/* Graphs: nodes, their parameters, and executable graphs. */
#include "rt.h"
#include <string.h>

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
	if (params == NULL)
		return failed(cudaErrorInvalidValue);
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

/* A kernel of the program is identified by its stub, and a kernel of a library by its handle. */
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *params) {
	CUDA_KERNEL_NODE_PARAMS p;
	BEGIN;
	TRY(done(driver.cuGraphKernelNodeGetParams_v2(node, &p)));
	const void *stub = stubOf(p.func);
	*params = (struct cudaKernelNodeParams){stub != NULL ? (void *)stub : (void *)p.func, {p.gridDimX, p.gridDimY, p.gridDimZ}, {p.blockDimX, p.blockDimY, p.blockDimZ},
	                                        p.sharedMemBytes, p.kernelParams, p.extra};
	return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, enum cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value) {
	BEGIN;
	return done(driver.cuGraphKernelNodeGetAttribute(node, (CUkernelNodeAttrID)attr, (CUkernelNodeAttrValue *)value));
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, enum cudaLaunchAttributeID attr, const cudaLaunchAttributeValue *value) {
	BEGIN;
	return done(driver.cuGraphKernelNodeSetAttribute(node, (CUkernelNodeAttrID)attr, (const CUkernelNodeAttrValue *)value));
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
	BEGIN;
	return done(driver.cuGraphKernelNodeCopyAttributes(to, from));
}

/* Copies. */

/* A copy of size bytes between any kinds of memory. */
static struct cudaMemcpy3DParms row(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind) {
	struct cudaMemcpy3DParms p = {0};
	p.srcPtr = (struct cudaPitchedPtr){(void *)src, size, size, 1};
	p.dstPtr = (struct cudaPitchedPtr){dst, size, size, 1};
	p.extent = (struct cudaExtent){size, 1, 1};
	p.kind = kind;
	return p;
}

static CUcontext context(void) {
	CUcontext c = NULL;
	driver.cuCtxGetCurrent(&c);
	return c;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n,
                                   const struct cudaMemcpy3DParms *params) {
	CUDA_MEMCPY3D c;
	BEGIN;
	TRY(copyOf(params, &c));
	return done(driver.cuGraphAddMemcpyNode(node, graph, deps, n, &c, context()));
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *params) {
	CUDA_MEMCPY3D c;
	BEGIN;
	TRY(copyOf(params, &c));
	return done(driver.cuGraphMemcpyNodeSetParams(node, &c));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *params) {
	CUDA_MEMCPY3D c;
	BEGIN;
	TRY(copyOf(params, &c));
	return done(driver.cuGraphExecMemcpyNodeSetParams(exec, node, &c, context()));
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *params) {
	CUDA_MEMCPY3D c;
	BEGIN;
	TRY(done(driver.cuGraphMemcpyNodeGetParams(node, &c)));
	return paramsOf(&c, params);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, void *dst, const void *src,
                                     size_t size, enum cudaMemcpyKind kind) {
	struct cudaMemcpy3DParms params = row(dst, src, size, kind);
	return cudaGraphAddMemcpyNode(node, graph, deps, n, &params);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t size, enum cudaMemcpyKind kind) {
	struct cudaMemcpy3DParms params = row(dst, src, size, kind);
	return cudaGraphMemcpyNodeSetParams(node, &params);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *src, size_t size,
                                               enum cudaMemcpyKind kind) {
	struct cudaMemcpy3DParms params = row(dst, src, size, kind);
	return cudaGraphExecMemcpyNodeSetParams(exec, node, &params);
}

/* The address of a device variable, plus an offset. */
static cudaError_t symbolAt(const void *symbol, size_t offset, size_t size, void **p) {
	CUdeviceptr address;
	size_t all;
	BEGIN;
	TRY(variable(symbol, &address, &all));
	if (offset > all || size > all - offset)
		return failed(cudaErrorInvalidValue);
	*p = (void *)(size_t)(address + offset);
	return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, const void *symbol,
                                           const void *src, size_t size, size_t offset, enum cudaMemcpyKind kind) {
	void *dst;
	TRY(symbolAt(symbol, offset, size, &dst));
	return cudaGraphAddMemcpyNode1D(node, graph, deps, n, dst, src, size, kind);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, void *dst,
                                             const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind) {
	void *src;
	TRY(symbolAt(symbol, offset, size, &src));
	return cudaGraphAddMemcpyNode1D(node, graph, deps, n, dst, src, size, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src, size_t size, size_t offset,
                                                 enum cudaMemcpyKind kind) {
	void *dst;
	TRY(symbolAt(symbol, offset, size, &dst));
	return cudaGraphMemcpyNodeSetParams1D(node, dst, src, size, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol, size_t size, size_t offset,
                                                   enum cudaMemcpyKind kind) {
	void *src;
	TRY(symbolAt(symbol, offset, size, &src));
	return cudaGraphMemcpyNodeSetParams1D(node, dst, src, size, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol, const void *src, size_t size,
                                                     size_t offset, enum cudaMemcpyKind kind) {
	void *dst;
	TRY(symbolAt(symbol, offset, size, &dst));
	return cudaGraphExecMemcpyNodeSetParams1D(exec, node, dst, src, size, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *symbol, size_t size,
                                                       size_t offset, enum cudaMemcpyKind kind) {
	void *src;
	TRY(symbolAt(symbol, offset, size, &src));
	return cudaGraphExecMemcpyNodeSetParams1D(exec, node, dst, src, size, kind);
}

/* Memsets. */

static cudaError_t setParams(const struct cudaMemsetParams *p, CUDA_MEMSET_NODE_PARAMS *set) {
	NEED(p);
	*set = (CUDA_MEMSET_NODE_PARAMS){(CUdeviceptr)(size_t)p->dst, p->pitch, p->value, p->elementSize, p->width, p->height};
	return cudaSuccess;
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n,
                                   const struct cudaMemsetParams *params) {
	CUDA_MEMSET_NODE_PARAMS p;
	BEGIN;
	TRY(setParams(params, &p));
	return done(driver.cuGraphAddMemsetNode(node, graph, deps, n, &p, context()));
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params) {
	CUDA_MEMSET_NODE_PARAMS p;
	BEGIN;
	TRY(setParams(params, &p));
	return done(driver.cuGraphMemsetNodeSetParams(node, &p));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *params) {
	CUDA_MEMSET_NODE_PARAMS p;
	BEGIN;
	TRY(setParams(params, &p));
	return done(driver.cuGraphExecMemsetNodeSetParams(exec, node, &p, context()));
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *params) {
	CUDA_MEMSET_NODE_PARAMS p;
	BEGIN;
	TRY(done(driver.cuGraphMemsetNodeGetParams(node, &p)));
	*params = (struct cudaMemsetParams){(void *)(size_t)p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
	return cudaSuccess;
}

/* Host functions. Their parameters have the same layout in both APIs. */

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n,
                                 const struct cudaHostNodeParams *params) {
	BEGIN;
	return done(driver.cuGraphAddHostNode(node, graph, deps, n, (const CUDA_HOST_NODE_PARAMS *)params));
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *params) {
	BEGIN;
	return done(driver.cuGraphHostNodeSetParams(node, (const CUDA_HOST_NODE_PARAMS *)params));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *params) {
	BEGIN;
	return done(driver.cuGraphExecHostNodeSetParams(exec, node, (const CUDA_HOST_NODE_PARAMS *)params));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *params) {
	BEGIN;
	return done(driver.cuGraphHostNodeGetParams(node, (CUDA_HOST_NODE_PARAMS *)params));
}

/* Other nodes. */

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

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
	BEGIN;
	return done(driver.cuGraphChildGraphNodeGetGraph(node, graph));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child) {
	BEGIN;
	return done(driver.cuGraphExecChildGraphNodeSetParams(exec, node, child));
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
	BEGIN;
	return done(driver.cuGraphEventRecordNodeGetEvent(node, event));
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
	BEGIN;
	return done(driver.cuGraphEventRecordNodeSetEvent(node, event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
	BEGIN;
	return done(driver.cuGraphExecEventRecordNodeSetEvent(exec, node, event));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
	BEGIN;
	return done(driver.cuGraphEventWaitNodeGetEvent(node, event));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
	BEGIN;
	return done(driver.cuGraphEventWaitNodeSetEvent(node, event));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event) {
	BEGIN;
	return done(driver.cuGraphExecEventWaitNodeSetEvent(exec, node, event));
}

/* Memory nodes. Parameters of an allocation have the same layout in both APIs. */

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, struct cudaMemAllocNodeParams *params) {
	BEGIN;
	return done(driver.cuGraphAddMemAllocNode(node, graph, deps, n, (CUDA_MEM_ALLOC_NODE_PARAMS *)params));
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *params) {
	BEGIN;
	return done(driver.cuGraphMemAllocNodeGetParams(node, (CUDA_MEM_ALLOC_NODE_PARAMS *)params));
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, void *p) {
	BEGIN;
	return done(driver.cuGraphAddMemFreeNode(node, graph, deps, n, (CUdeviceptr)(size_t)p));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer) {
	BEGIN;
	return done(driver.cuGraphMemFreeNodeGetParams(node, (CUdeviceptr *)pointer));
}

cudaError_t cudaDeviceGraphMemTrim(int ordinal) {
	BEGIN;
	return done(driver.cuDeviceGraphMemTrim(ordinal));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int ordinal, enum cudaGraphMemAttributeType attr, void *value) {
	BEGIN;
	return done(driver.cuDeviceGetGraphMemAttribute(ordinal, (CUgraphMem_attribute)attr, value));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int ordinal, enum cudaGraphMemAttributeType attr, void *value) {
	BEGIN;
	return done(driver.cuDeviceSetGraphMemAttribute(ordinal, (CUgraphMem_attribute)attr, value));
}

/* Nodes of any type. */

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph, unsigned int first, unsigned int flags) {
	BEGIN;
	return done(driver.cuGraphConditionalHandleCreate((CUgraphConditionalHandle *)handle, graph, context(), first, flags));
}

/* The parameters of types not listed here have the same layout in both APIs. */
static cudaError_t anyParams(const struct cudaGraphNodeParams *params, CUgraphNodeParams *p) {
	if (params == NULL)
		return failed(cudaErrorInvalidValue);
	memset(p, 0, sizeof(*p));
	p->type = (CUgraphNodeType)params->type;
	switch (params->type) {
	case cudaGraphNodeTypeKernel:
		return kernelParams((const struct cudaKernelNodeParams *)&params->kernel, &p->kernel);
	case cudaGraphNodeTypeMemcpy:
		p->memcpy.copyCtx = context();
		return copyOf(&params->memcpy.copyParams, &p->memcpy.copyParams);
	case cudaGraphNodeTypeConditional:
		p->conditional = (CUDA_CONDITIONAL_NODE_PARAMS){params->conditional.handle, (CUgraphConditionalNodeType)params->conditional.type,
		                                                params->conditional.size, NULL, context()};
		return cudaSuccess;
	default:
		memcpy(p->reserved1, params->reserved1, sizeof(p->reserved1));
		return cudaSuccess;
	}
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, const cudaGraphEdgeData *edges, size_t n,
                                struct cudaGraphNodeParams *params) {
	CUgraphNodeParams p;
	BEGIN;
	TRY(anyParams(params, &p));
	TRY(done(driver.cuGraphAddNode_v2(node, graph, deps, (const CUgraphEdgeData *)edges, n, &p)));
	if (params->type == cudaGraphNodeTypeMemAlloc)
		params->alloc.dptr = (void *)(size_t)p.alloc.dptr;
	if (params->type == cudaGraphNodeTypeConditional)
		params->conditional.phGraph_out = p.conditional.phGraph_out;
	return cudaSuccess;
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t n, struct cudaGraphNodeParams *params) {
	return cudaGraphAddNode_v2(node, graph, deps, NULL, n, params);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
	CUgraphNodeParams p;
	BEGIN;
	TRY(anyParams(params, &p));
	return done(driver.cuGraphNodeSetParams(node, &p));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
	CUgraphNodeParams p;
	BEGIN;
	TRY(anyParams(params, &p));
	return done(driver.cuGraphExecNodeSetParams(exec, node, &p));
}

/* User objects, which live as long as references to them. */

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy, unsigned int references, unsigned int flags) {
	BEGIN;
	return done(driver.cuUserObjectCreate(object, data, destroy, references, flags));
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int n) {
	BEGIN;
	return done(driver.cuUserObjectRetain(object, n));
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int n) {
	BEGIN;
	return done(driver.cuUserObjectRelease(object, n));
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int n, unsigned int flags) {
	BEGIN;
	return done(driver.cuGraphRetainUserObject(graph, object, n, flags));
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int n) {
	BEGIN;
	return done(driver.cuGraphReleaseUserObject(graph, object, n));
}

/* Whole graphs. */

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n) {
	BEGIN;
	return done(driver.cuGraphAddDependencies(graph, from, to, n));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n) {
	BEGIN;
	return done(driver.cuGraphRemoveDependencies(graph, from, to, n));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps, size_t *n) {
	BEGIN;
	return done(driver.cuGraphNodeGetDependencies(node, deps, n));
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n) {
	BEGIN;
	return done(driver.cuGraphNodeGetDependentNodes(node, nodes, n));
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone) {
	BEGIN;
	return done(driver.cuGraphNodeFindInClone(node, original, clone));
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags) {
	BEGIN;
	return done(driver.cuGraphDebugDotPrint(graph, path, flags));
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

/* Edge data have the same layout in both APIs. */

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **deps, const cudaGraphEdgeData **edges, size_t *n) {
	BEGIN;
	return done(driver.cuStreamGetCaptureInfo_v3(stream, (CUstreamCaptureStatus *)status, id, graph, deps, (const CUgraphEdgeData **)edges, n));
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *deps, const cudaGraphEdgeData *edges, size_t n, unsigned int flags) {
	BEGIN;
	return done(driver.cuStreamUpdateCaptureDependencies_v2(stream, deps, (const CUgraphEdgeData *)edges, n, flags));
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t n) {
	BEGIN;
	return done(driver.cuGraphAddDependencies_v2(graph, from, to, (const CUgraphEdgeData *)edges, n));
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t n) {
	BEGIN;
	return done(driver.cuGraphRemoveDependencies_v2(graph, from, to, (const CUgraphEdgeData *)edges, n));
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges, size_t *n) {
	BEGIN;
	return done(driver.cuGraphGetEdges_v2(graph, from, to, (CUgraphEdgeData *)edges, n));
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *deps, cudaGraphEdgeData *edges, size_t *n) {
	BEGIN;
	return done(driver.cuGraphNodeGetDependencies_v2(node, deps, (CUgraphEdgeData *)edges, n));
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, size_t *n) {
	BEGIN;
	return done(driver.cuGraphNodeGetDependentNodes_v2(node, nodes, (CUgraphEdgeData *)edges, n));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
	BEGIN;
	return done(driver.cuGraphInstantiateWithFlags(exec, graph, flags));
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
	return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *params) {
	BEGIN;
	return done(driver.cuGraphInstantiateWithParams(exec, graph, (CUDA_GRAPH_INSTANTIATE_PARAMS *)params));
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
	BEGIN;
	return done(driver.cuGraphExecGetFlags(exec, (cuuint64_t *)flags));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled) {
	BEGIN;
	return done(driver.cuGraphNodeSetEnabled(exec, node, enabled));
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *enabled) {
	BEGIN;
	return done(driver.cuGraphNodeGetEnabled(exec, node, enabled));
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
