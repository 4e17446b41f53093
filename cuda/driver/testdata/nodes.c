// Nodes of graphs of all types by one call, what they tell of themselves, memory that graphs allocate, captures into a graph, objects that
// live as long as graphs, and the layout of structures.
// STDERR ^simtrun: a graph allocates memory at 0x\w+ that an earlier launch allocated and that was never freed$
// STDERR ^simtrun: graphs that kernels launch are not supported yet$
// STDERR ^simtrun: nodes of type 8 are not supported yet$
// STDERR ^simtrun: .* \[mem-
#include "check.h"

static CUfunction add;
static CUdeviceptr p;
static CUcontext ctx;

static int at(CUdeviceptr from, int i)
{
	int v = 0;
	OK(cuMemcpyDtoH(&v, from + 4 * i, sizeof v));
	return v;
}

static void layout(void)
{
	HAVE(256, sizeof(CUgraphNodeParams));
	HAVE(16, offsetof(CUgraphNodeParams, kernel));
	HAVE(48, sizeof(CUstreamBatchMemOpParams));
	HAVE(8, sizeof(CUgraphEdgeData));
	HAVE(128, sizeof(CUtensorMap));
	HAVE(64, sizeof(CUlaunchAttributeValue));
	HAVE(72, sizeof(CUlaunchAttribute));
	HAVE(32, sizeof(CUmemAllocationProp));
	HAVE(12, sizeof(CUmemAccessDesc));
	HAVE(88, sizeof(CUmemPoolProps));
	HAVE(120, sizeof(CUDA_MEM_ALLOC_NODE_PARAMS));
	HAVE(200, sizeof(CUDA_MEMCPY3D));
}

static CUDA_KERNEL_NODE_PARAMS adding(CUdeviceptr *to, int *n, void **each)
{
	each[0] = to;
	each[1] = n;
	return (CUDA_KERNEL_NODE_PARAMS){.func = add, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 4, .blockDimY = 1, .blockDimZ = 1, .kernelParams = each};
}

static void launch(CUgraphExec e) { OK(cuGraphLaunch(e, 0)); }

static void called(void *n) { ++*(int *)n; }

/* A node of each type by cuGraphAddNode, and its parameters again. */
static void types(void)
{
	int n = 3, calls = 0;
	void *each[2];
	CUgraph g = NULL, child = NULL, inner = NULL;
	CUgraphNode fill, kernel, copy, host, sub, record, wait, none, of = NULL, list[16];
	CUgraphNodeParams a = {.type = CU_GRAPH_NODE_TYPE_MEMSET};
	CUDA_KERNEL_NODE_PARAMS k;
	CUDA_KERNEL_NODE_PARAMS_v1 k1;
	CUDA_MEMCPY3D c;
	CUDA_MEMSET_NODE_PARAMS m;
	CUDA_HOST_NODE_PARAMS h;
	CUgraphEdgeData edges[16];
	CUgraphExec e = NULL;
	CUevent event = NULL, other = NULL, had = NULL;
	size_t count = 16;
	unsigned on = 9;

	OK(cuGraphCreate(&g, 0));
	a.memset.dst = p;
	a.memset.elementSize = 4;
	a.memset.value = 10;
	a.memset.width = 4;
	a.memset.height = 1;
	OK(cuGraphAddNode(&fill, g, NULL, 0, &a));
	a = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_KERNEL};
	a.kernel = adding(&p, &n, each);
	memset(edges, 0, sizeof edges);
	OK(cuGraphAddNode_v2(&kernel, g, &fill, edges, 1, &a));
	a = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMCPY};
	a.memcpy.copyParams = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = p, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = p + 16, .WidthInBytes = 16, .Height = 1, .Depth = 1};
	OK(cuGraphAddNode(&copy, g, &kernel, 1, &a));
	a = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_HOST, .host = {called, &calls}};
	OK(cuGraphAddNode(&host, g, &copy, 1, &a));
	OK(cuGraphCreate(&child, 0));
	k = adding(&p, &n, each);
	OK(cuGraphAddKernelNode(&of, child, NULL, 0, &k));
	a = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {child}};
	OK(cuGraphAddNode(&sub, g, &host, 1, &a));
	OK(cuEventCreate(&event, 0));
	OK(cuEventCreate(&other, 0));
	a = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord = {event}};
	OK(cuGraphAddNode(&record, g, &sub, 1, &a));
	a = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait = {event}};
	OK(cuGraphAddNode(&wait, g, &record, 1, &a));
	a = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EMPTY};
	OK(cuGraphAddNode(&none, g, &wait, 1, &a));
	a = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL};
	WANT(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddNode(&of, g, NULL, 0, &a));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&of, g, NULL, 0, NULL));

	OK(cuGraphInstantiate(&e, g, 0));
	launch(e);
	HAVE(16, at(p, 0)); /* 10 + 3 + 3 */
	HAVE(13, at(p, 4));
	HAVE(1, calls);

	/* What nodes say of themselves. */
	OK(cuGraphKernelNodeGetParams(kernel, &k));
	TRUE(k.func == add && k.gridDimX == 1 && k.blockDimX == 4 && k.sharedMemBytes == 0 && k.ctx == ctx);
	TRUE(*(CUdeviceptr *)k.kernelParams[0] == p && *(int *)k.kernelParams[1] == 3);
#undef cuGraphKernelNodeGetParams
	OK(cuGraphKernelNodeGetParams(kernel, &k1));
#define cuGraphKernelNodeGetParams cuGraphKernelNodeGetParams_v2
	TRUE(k1.func == add && k1.blockDimX == 4 && *(int *)k1.kernelParams[1] == 3);
	OK(cuGraphMemcpyNodeGetParams(copy, &c));
	TRUE(c.srcDevice == p && c.dstDevice == p + 16 && c.WidthInBytes == 16);
	OK(cuGraphMemsetNodeGetParams(fill, &m));
	TRUE(m.dst == p && m.value == 10 && m.width == 4);
	OK(cuGraphHostNodeGetParams(host, &h));
	TRUE(h.fn == called && h.userData == &calls);
	OK(cuGraphChildGraphNodeGetGraph(sub, &inner));
	TRUE(inner != child && inner != g);
	OK(cuGraphGetNodes(inner, list, &count));
	HAVE(1, count);
	OK(cuGraphEventRecordNodeGetEvent(record, &had));
	TRUE(had == event);
	OK(cuGraphEventWaitNodeGetEvent(wait, &had));
	TRUE(had == event);
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphMemsetNodeGetParams(kernel, &m));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeGetParams(kernel, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphHostNodeGetParams(NULL, &h));

	/* Parameters of any node by one call, in the executable graph and in its source. */
	n = 100;
	a = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_KERNEL};
	a.kernel = adding(&p, &n, each);
	OK(cuGraphExecNodeSetParams(e, kernel, &a));
	launch(e);
	HAVE(113, at(p, 0));
	OK(cuGraphKernelNodeGetParams(kernel, &k));
	HAVE(3, *(int *)k.kernelParams[1]);
	OK(cuGraphNodeSetParams(kernel, &a));
	OK(cuGraphKernelNodeGetParams(kernel, &k));
	HAVE(100, *(int *)k.kernelParams[1]);
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeSetParams(fill, &a));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeSetParams(kernel, NULL));
	OK(cuGraphEventRecordNodeSetEvent(record, other));
	OK(cuGraphEventRecordNodeGetEvent(record, &had));
	TRUE(had == other);
	OK(cuGraphEventWaitNodeSetEvent(wait, other));
	OK(cuGraphExecEventWaitNodeSetEvent(e, wait, other));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&(float){0}, other, other));
	OK(cuGraphExecEventRecordNodeSetEvent(e, record, other));
	launch(e);
	OK(cuEventElapsedTime(&(float){0}, other, other));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphEventWaitNodeSetEvent(record, other));

	/* The graph within, as another with the same nodes. */
	n = 1000;
	k = adding(&p, &n, each);
	count = 16;
	OK(cuGraphGetNodes(child, list, &count));
	OK(cuGraphNodeFindInClone(&of, list[0], inner));
	OK(cuGraphKernelNodeSetParams(list[0], &k));
	OK(cuGraphExecChildGraphNodeSetParams(e, sub, child));
	launch(e);
	HAVE(1110, at(p, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphExecChildGraphNodeSetParams(e, sub, g));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphExecChildGraphNodeSetParams(e, kernel, child));

	/* Nodes that are skipped. */
	OK(cuGraphNodeGetEnabled(e, kernel, &on));
	HAVE(1, on);
	OK(cuGraphNodeSetEnabled(e, kernel, 0));
	OK(cuGraphNodeGetEnabled(e, kernel, &on));
	HAVE(0, on);
	launch(e);
	HAVE(1010, at(p, 0));
	OK(cuGraphNodeSetEnabled(e, kernel, 1));
	launch(e);
	HAVE(1110, at(p, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeSetEnabled(e, host, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeGetEnabled(e, NULL, &on));

	/* Dependencies, with what edges say more. */
	CUgraphNode from[16], to[16];
	count = 16;
	memset(edges, 7, sizeof edges);
	OK(cuGraphGetEdges_v2(g, from, to, edges, &count));
	HAVE(7, count);
	HAVE(0, edges[6].type);
	HAVE(7, edges[7].type);
	count = 16;
	OK(cuGraphNodeGetDependencies_v2(kernel, from, edges, &count));
	TRUE(count == 1 && from[0] == fill);
	count = 16;
	OK(cuGraphNodeGetDependentNodes_v2(kernel, to, edges, &count));
	TRUE(count == 1 && to[0] == copy);
	OK(cuGraphAddDependencies_v2(g, &fill, &none, edges, 1));
	count = 16;
	OK(cuGraphGetEdges(g, from, to, &count));
	HAVE(8, count);
	OK(cuGraphRemoveDependencies_v2(g, &fill, &none, edges, 1));
	count = 16;
	OK(cuGraphGetEdges(g, from, to, &count));
	HAVE(7, count);

	/* The graph as a picture. */
	char path[4096], text[8192] = "";
	snprintf(path, sizeof path, "%s/graph.dot", getenv("OUT"));
	OK(cuGraphDebugDotPrint(g, path, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
	FILE *file = fopen(path, "r");
	TRUE(file != NULL && fread(text, 1, sizeof text - 1, file) > 0);
	TRUE(strncmp(text, "digraph", 7) == 0 && strstr(text, "MEMSET") != NULL && strstr(text, "subgraph") != NULL && strstr(text, "->") != NULL && strstr(text, "add") != NULL);
	WANT(CUDA_ERROR_OPERATING_SYSTEM, cuGraphDebugDotPrint(g, "/none/here.dot", 0));

	OK(cuGraphExecDestroy(e));
	OK(cuGraphDestroy(g));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphGetNodes(inner, list, &count)); /* it went with its node */
	OK(cuGraphDestroy(child));
}

/* Attributes of nodes that launch kernels, and how graphs are instantiated. */
static void attributes(void)
{
	int n = 1;
	void *each[2];
	CUgraph g = NULL;
	CUgraphNode a, b;
	CUDA_KERNEL_NODE_PARAMS k = adding(&p, &n, each);
	CUlaunchAttributeValue v, got;
	CUgraphExec e = NULL;
	CUDA_GRAPH_INSTANTIATE_PARAMS how = {.flags = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH, .result_out = 77};
	cuuint64_t flags = 0;

	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddKernelNode(&a, g, NULL, 0, &k));
	OK(cuGraphAddKernelNode(&b, g, NULL, 0, &k));
	memset(&v, 0, sizeof v);
	v.clusterDim.x = 2, v.clusterDim.y = v.clusterDim.z = 1;
	OK(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &v));
	v.priority = 4;
	OK(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_PRIORITY, &v));
	OK(cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &got));
	HAVE(0, got.clusterDim.x);
	OK(cuGraphKernelNodeCopyAttributes(b, a));
	OK(cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &got));
	HAVE(2, got.clusterDim.x);
	OK(cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
	HAVE(4, got.priority);
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeGetAttribute(b, 99, &got));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeSetAttribute(b, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL));
	OK(cuGraphInstantiateWithParams(&e, g, &how));
	HAVE(CUDA_GRAPH_INSTANTIATE_SUCCESS, how.result_out);
	OK(cuGraphExecGetFlags(e, &flags));
	HAVE(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH, flags);
	OK(cuGraphExecDestroy(e));
	how.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
	WANT(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiateWithParams(&e, g, &how));
	HAVE(CUDA_GRAPH_INSTANTIATE_ERROR, how.result_out);
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&e, g, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(&e, g, 1 << 20));
	OK(cuGraphDestroy(g));
}

static cuuint64_t memory(int attribute)
{
	cuuint64_t v = 0;
	OK(cuDeviceGetGraphMemAttribute(0, attribute, &v));
	return v;
}

/* Memory that a graph allocates, uses, copies out of and frees, or leaves to others. */
static void allocations(void)
{
	CUDA_MEM_ALLOC_NODE_PARAMS a = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}}, .bytesize = 1000}, got;
	CUgraph g = NULL, clone = NULL;
	CUgraphNode alloc, fill, copy, release;
	CUgraphExec e = NULL;
	CUDA_MEMSET_NODE_PARAMS m = {.elementSize = 4, .value = 6, .width = 4, .height = 1};
	CUdeviceptr addr = 0, first = 0;
	size_t before = 0, now = 0, total = 0;

	OK(cuMemGetInfo(&before, &total));
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddMemAllocNode(&alloc, g, NULL, 0, &a));
	TRUE(a.dptr != 0);
	OK(cuGraphMemAllocNodeGetParams(alloc, &got));
	TRUE(got.dptr == a.dptr && got.bytesize == 1000);
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(a.dptr, 1, 4)); /* not before a launch */
	m.dst = a.dptr;
	OK(cuGraphAddMemsetNode(&fill, g, &alloc, 1, &m, ctx));
	CUDA_MEMCPY3D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = a.dptr, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = p, .WidthInBytes = 16, .Height = 1, .Depth = 1};
	OK(cuGraphAddMemcpyNode(&copy, g, &fill, 1, &c, ctx));
	OK(cuGraphAddMemFreeNode(&release, g, &copy, 1, a.dptr));
	OK(cuGraphMemFreeNodeGetParams(release, &addr));
	TRUE(addr == a.dptr);
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&release, g, NULL, 0, p));
	WANT(CUDA_ERROR_NOT_SUPPORTED, cuGraphClone(&clone, g));
	OK(cuGraphInstantiate(&e, g, 0));
	for (int i = 0; i < 3; i++) {
		OK(cuMemsetD32(p, 0, 4));
		launch(e);
		HAVE(6, at(p, 3));
	}
	OK(cuMemGetInfo(&now, &total));
	HAVE(before, now);
	HAVE(0, memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT));
	HAVE(1000, memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH));
	OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &(cuuint64_t){0}));
	HAVE(0, memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH));
	WANT(CUDA_ERROR_INVALID_VALUE, cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &(cuuint64_t){0}));
	WANT(CUDA_ERROR_INVALID_VALUE, cuDeviceGetGraphMemAttribute(0, 4, &before));
	OK(cuDeviceGraphMemTrim(0));
	OK(cuGraphExecDestroy(e));
	OK(cuGraphDestroy(g));

	/* In a stream that is captured: what is not freed there stays until somebody frees it. */
	CUstream s = NULL;
	OK(cuStreamCreate(&s, 0));
	OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuMemAllocAsync(&first, 4096, s));
	OK(cuMemAllocAsync(&addr, 4096, s));
	OK(cuMemsetD32Async(first, 8, 1024, s));
	OK(cuMemsetD32Async(addr, 9, 1024, s));
	OK(cuMemFreeAsync(addr, s));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphInstantiate(&e, g, 0));
	launch(e);
	HAVE(8, at(first, 1023));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(addr, 1, 4));
	HAVE(4096, memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(e, 0));
	OK(cuMemFree(first));
	launch(e);
	HAVE(8, at(first, 0));
	OK(cuGraphExecDestroy(e));
	OK(cuGraphInstantiate(&e, g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
	launch(e);
	launch(e);
	HAVE(8, at(first, 5));
	OK(cuMemFreeAsync(first, 0));
	OK(cuMemGetInfo(&now, &total));
	HAVE(before, now);
	OK(cuGraphExecDestroy(e));
	OK(cuGraphDestroy(g));
	a.bytesize = 0;
	OK(cuGraphCreate(&g, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemAllocNode(&alloc, g, NULL, 0, &a));
	OK(cuGraphDestroy(g));
	OK(cuStreamDestroy(s));
}

/* Captures into a graph that is there, and behind other nodes than the last. */
static void captures(void)
{
	CUgraph g = NULL, got = NULL;
	CUgraphNode fill, list[16];
	const CUgraphNode *deps = NULL;
	const CUgraphEdgeData *edges = NULL;
	CUDA_MEMSET_NODE_PARAMS m = {.dst = p, .elementSize = 4, .value = 1, .width = 4, .height = 1};
	CUstreamCaptureStatus status = 9;
	CUgraphExec e = NULL;
	unsigned long long id = 0, again = 0;
	size_t n = 0;
	CUstream s = NULL, t = NULL;
	CUcontext of = NULL;
	CUlaunchAttributeValue v = {.priority = -2}, w;
	CUdevice device = 9;
	CUgreenCtx green = (CUgreenCtx)&s;
	int priority = 9;

	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddMemsetNode(&fill, g, NULL, 0, &m, ctx));
	OK(cuStreamBeginCaptureToGraph(s, g, &fill, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
	WANT(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCaptureToGraph(s, g, &fill, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuStreamGetCaptureInfo_v3(s, &status, &id, &got, &deps, &edges, &n));
	TRUE(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && got == g && n == 1 && deps[0] == fill && edges[0].type == 0);
#undef cuStreamGetCaptureInfo
	OK(cuStreamGetCaptureInfo(s, &status, &again));
#define cuStreamGetCaptureInfo cuStreamGetCaptureInfo_v2
	TRUE(id == again);
	OK(cuMemsetD32Async(p, 2, 4, s));
	OK(cuMemsetD32Async(p + 4, 3, 1, s));
	OK(cuStreamUpdateCaptureDependencies(s, &fill, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
	OK(cuMemsetD32Async(p + 32, 4, 1, s)); /* behind the first alone */
	OK(cuStreamGetCaptureInfo(s, &status, NULL, NULL, &deps, &n));
	HAVE(1, n);
	n = 16;
	CUgraphNode last = deps[0];
	OK(cuGraphNodeGetDependencies(last, list, &n));
	TRUE(n == 1 && list[0] == fill);
	OK(cuStreamUpdateCaptureDependencies_v2(s, &fill, NULL, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
	OK(cuStreamGetCaptureInfo(s, &status, NULL, NULL, &deps, &n));
	HAVE(2, n);
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamUpdateCaptureDependencies(s, &fill, 1, 2));
	OK(cuStreamEndCapture(s, &got));
	TRUE(got == g);
	WANT(CUDA_ERROR_ILLEGAL_STATE, cuStreamUpdateCaptureDependencies(s, &fill, 1, 0));
	n = 16;
	OK(cuGraphGetNodes(g, list, &n));
	HAVE(4, n);
	OK(cuGraphInstantiate(&e, g, 0));
	launch(e);
	HAVE(2, at(p, 0));
	HAVE(3, at(p, 1));
	HAVE(4, at(p, 8));
	OK(cuGraphExecDestroy(e));
	/* A capture that fails leaves the graph. */
	OK(cuStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
	WANT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(s));
	WANT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(s, &got));
	OK(cuGraphGetNodes(g, list, &n));
	OK(cuGraphDestroy(g));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, 0));

	/* What streams are asked for besides. */
	OK(cuStreamGetDevice(s, &device));
	HAVE(0, device);
	OK(cuStreamGetCtx_v2(s, &of, &green));
	TRUE(of == ctx && green == NULL);
	OK(cuStreamCreate(&t, 0));
	OK(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_PRIORITY, &v));
	OK(cuStreamGetPriority(s, &priority));
	HAVE(-2, priority);
	OK(cuStreamCopyAttributes(t, s));
	OK(cuStreamGetAttribute(t, CU_STREAM_ATTRIBUTE_PRIORITY, &w));
	HAVE(-2, w.priority);
	v.accessPolicyWindow = (CUaccessPolicyWindow){.base_ptr = &v, .num_bytes = 100};
	OK(cuStreamSetAttribute(t, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
	OK(cuStreamGetAttribute(t, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &w));
	HAVE(100, w.accessPolicyWindow.num_bytes);
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamGetAttribute(t, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &w));
	WANT(CUDA_ERROR_INVALID_VALUE, cuStreamSetAttribute(t, CU_STREAM_ATTRIBUTE_PRIORITY, NULL));
	OK(cuStreamDestroy(s));
	OK(cuStreamDestroy(t));
}

/* Objects are destroyed when neither the program nor a graph refers to them. */
static void objects(void)
{
	CUuserObject o = NULL;
	CUgraph g = NULL, clone = NULL;
	CUgraphExec e = NULL;
	int gone = 0, can = 9;

	OK(cuUserObjectCreate(&o, &gone, called, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	OK(cuUserObjectRetain(o, 2));
	OK(cuUserObjectRelease(o, 2));
	HAVE(0, gone);
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphRetainUserObject(g, o, 1, CU_GRAPH_USER_OBJECT_MOVE));
	OK(cuGraphClone(&clone, g));
	OK(cuGraphInstantiate(&e, g, 0));
	OK(cuGraphDestroy(g));
	OK(cuGraphExecDestroy(e));
	HAVE(0, gone);
	OK(cuGraphDestroy(clone));
	HAVE(1, gone);
	WANT(CUDA_ERROR_INVALID_VALUE, cuUserObjectRelease(o, 1));

	OK(cuUserObjectCreate(&o, &gone, called, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphRetainUserObject(g, o, 1, 0));
	OK(cuUserObjectRelease(o, 2));
	HAVE(1, gone);
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphReleaseUserObject(g, o, 2));
	OK(cuGraphReleaseUserObject(g, o, 1));
	HAVE(2, gone);
	OK(cuGraphDestroy(g));
	WANT(CUDA_ERROR_INVALID_VALUE, cuUserObjectCreate(&o, &gone, called, 1, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuUserObjectCreate(&o, &gone, NULL, 1, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuUserObjectCreate(&o, &gone, called, 0, 1));
	OK(cuDeviceGetExecAffinitySupport(&can, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
	HAVE(0, can);
}

static cuuint64_t of_pool(CUmemoryPool pool, int attribute)
{
	cuuint64_t v = 99;
	OK(cuMemPoolGetAttribute(pool, attribute, &v));
	return v;
}

/* What pools tell of their memory, and which one streams allocate from. */
static void pools(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, .maxSize = 10000};
	CUmemoryPool pool = NULL, own = NULL, had = NULL;
	CUmemAccess_flags flags = 9;
	CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0};
	CUdeviceptr a = 0, b = 0;
	int reuse = 0;

	OK(cuDeviceGetDefaultMemPool(&pool, 0));
	OK(cuMemPoolGetAccess(&flags, pool, &device));
	HAVE(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, flags);
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAccess(&flags, pool, &host));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAccess(NULL, pool, &device));
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &reuse));
	HAVE(1, reuse);

	OK(cuMemPoolCreate(&own, &props));
	OK(cuMemAllocAsync(&a, 1000, 0));
	OK(cuMemAllocFromPoolAsync(&b, 4000, own, 0));
	HAVE(4000, of_pool(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
	TRUE(of_pool(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT) >= 1000);
	OK(cuPointerGetAttribute(&had, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, b));
	TRUE(had == own);
	WANT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&b, 7000, own, 0));
	OK(cuMemFreeAsync(b, 0));
	OK(cuMemFree(a));
	HAVE(0, of_pool(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
	HAVE(4000, of_pool(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH));
	TRUE(of_pool(own, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH) >= 4000);
	OK(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &(cuuint64_t){0}));
	HAVE(0, of_pool(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &(cuuint64_t){5}));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &(cuuint64_t){0}));

	OK(cuDeviceSetMemPool(0, own));
	OK(cuDeviceGetMemPool(&had, 0));
	TRUE(had == own);
	OK(cuMemAllocAsync(&a, 500, 0));
	HAVE(500, of_pool(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT));
	OK(cuMemFreeAsync(a, 0));
	OK(cuMemPoolDestroy(own));
	OK(cuDeviceGetMemPool(&had, 0));
	TRUE(had == pool);
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&b, 4000, own, 0));
}

/* Graphs that a node has go with it, and what they refer to is there as long as an executable graph. */
static void inner(void)
{
	for (int conditional = 0; conditional < 2; conditional++) {
		CUgraphNodeParams a = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
		CUDA_KERNEL_NODE_PARAMS got;
		CUgraph g = NULL, child = NULL, in = NULL;
		CUgraphNode node = NULL, k = NULL;
		CUgraphExec e = NULL;
		CUuserObject o = NULL;
		int gone = 0, n = 1;
		void *each[2];

		OK(cuGraphCreate(&g, 0));
		if (conditional) {
			OK(cuGraphConditionalHandleCreate(&a.conditional.handle, g, ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
			a.conditional.size = 1;
			OK(cuGraphAddNode(&node, g, NULL, 0, &a));
			in = a.conditional.phGraph_out[0];
		} else {
			OK(cuGraphCreate(&child, 0));
			OK(cuGraphAddChildGraphNode(&node, g, NULL, 0, child));
			OK(cuGraphDestroy(child));
			OK(cuGraphChildGraphNodeGetGraph(node, &in));
		}
		got = adding(&p, &n, each);
		OK(cuGraphAddKernelNode_v2(&k, in, NULL, 0, &got));
		OK(cuGraphKernelNodeGetParams_v2(k, &got));
		OK(cuUserObjectCreate(&o, &gone, called, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
		OK(cuGraphRetainUserObject(in, o, 1, CU_GRAPH_USER_OBJECT_MOVE));
		OK(cuGraphInstantiate(&e, g, 0));
		WANT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(in));
		OK(cuGraphDestroy(g));
		HAVE(0, gone);
		launch(e);
		OK(cuGraphExecDestroy(e));
		HAVE(1, gone);
	}
}

/* A condition, whose handle is its address, is what a kernel makes of its first value, 2. */
static void conditions(void)
{
	static const struct { CUgraphConditionalNodeType type; unsigned int size; int add, want; } cases[] = {
		{CU_GRAPH_COND_TYPE_IF, 1, 0, 30}, {CU_GRAPH_COND_TYPE_IF, 1, -2, 7}, {CU_GRAPH_COND_TYPE_IF, 2, -2, 31}, {CU_GRAPH_COND_TYPE_SWITCH, 4, 1, 33}};
	char path[4096], text[8192] = "";
	snprintf(path, sizeof path, "%s/conditional.dot", getenv("OUT"));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		CUgraph g = NULL;
		CUgraphExec e = NULL;
		CUgraphNode first = NULL, node = NULL;
		CUgraphConditionalHandle handle = 0;
		CUdeviceptr to;
		int n = cases[i].add;
		void *each[2];

		OK(cuGraphCreate(&g, 0));
		OK(cuGraphConditionalHandleCreate(&handle, g, ctx, 2, CU_GRAPH_COND_ASSIGN_DEFAULT));
		WANT(CUDA_ERROR_INVALID_VALUE, cuGraphConditionalHandleCreate(NULL, g, ctx, 2, 0));
		to = handle;
		CUgraphNodeParams a = {.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = adding(&to, &n, each)};
		a.kernel.blockDimX = 1;
		OK(cuGraphAddNode(&first, g, NULL, 0, &a));
		a = (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_CONDITIONAL, .conditional = {handle, cases[i].type, cases[i].size, NULL, ctx}};
		OK(cuGraphAddNode(&node, g, &first, 1, &a));
		WANT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeSetParams(node, &a));
		for (unsigned int k = 0; k < cases[i].size; k++) {
			CUgraphNode fill;
			CUDA_MEMSET_NODE_PARAMS set = {p, 4, 30 + k, 4, 1, 1};
			OK(cuGraphAddMemsetNode(&fill, a.conditional.phGraph_out[k], NULL, 0, &set, ctx));
		}
		OK(cuGraphInstantiate(&e, g, 0));
		for (int again = 0; again < 2; again++) {
			OK(cuMemsetD32(p, 7, 1));
			launch(e);
			HAVE(cases[i].want, at(p, 0));
		}
		OK(cuGraphDebugDotPrint(g, path, 0));
		FILE *file = fopen(path, "r");
		TRUE(file != NULL && fread(text, 1, sizeof text - 1, file) > 0);
		fclose(file);
		TRUE(strstr(text, "CONDITIONAL") != NULL && strstr(text, "subgraph") != NULL);
		OK(cuGraphExecDestroy(e));
		OK(cuGraphDestroy(g));
	}
}

/* A loop whose kernel fails before it clears the condition ends. */
static void endless(void)
{
	CUgraphNodeParams a = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL, .conditional = {0, CU_GRAPH_COND_TYPE_WHILE, 1, NULL, ctx}};
	CUDA_KERNEL_NODE_PARAMS k;
	CUgraph g = NULL;
	CUgraphNode node = NULL;
	CUgraphExec e = NULL;
	CUdeviceptr nowhere = 0;
	int n = 1;
	void *each[2];

	OK(cuGraphCreate(&g, 0));
	OK(cuGraphConditionalHandleCreate(&a.conditional.handle, g, ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
	OK(cuGraphAddNode(&node, g, NULL, 0, &a));
	k = adding(&nowhere, &n, each);
	OK(cuGraphAddKernelNode_v2(&node, a.conditional.phGraph_out[0], NULL, 0, &k));
	OK(cuGraphInstantiate(&e, g, 0));
	OK(cuGraphLaunch(e, NULL));
	WANT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

int main(void)
{
	ctx = begin();
	add = kernel(PTX_ADD, "add");
	OK(cuMemAlloc(&p, 64));
	layout();
	types();
	attributes();
	allocations();
	captures();
	objects();
	pools();
	inner();
	conditions();
	endless();
	return failures != 0;
}
