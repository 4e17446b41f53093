// Nodes of graphs: what they have, what is changed of them before and after instantiation, memory that a graph allocates, objects that live as
// long as it, and attributes of streams.
#include "check.h"
#include <cstring>
#include <string>

const int n = 1000;
__device__ int table[n];
static int destroyed;

__global__ void scale(int *out, const int *in, int factor) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = in[i] * factor;
}

static void destroy(void *) { destroyed++; }
static void count(void *calls) { ++*(int *)calls; }

static cudaKernelNodeParams kernel(void **args, int threads) {
	cudaKernelNodeParams p = {};
	p.func = (void *)scale, p.gridDim = dim3((n + threads - 1) / threads), p.blockDim = dim3(threads), p.kernelParams = args;
	return p;
}

static void parameters() {
	int in[n], out[n], other[n], calls = 0, more = 0, *a, *b, factor = 3;
	for (int i = 0; i < n; i++)
		in[i] = i, other[i] = -i;
	CHECK(cudaMalloc(&a, sizeof(in)));
	CHECK(cudaMalloc(&b, sizeof(in)));
	cudaGraph_t graph;
	cudaGraphNode_t up, run, down, host, set, from, to;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemcpyNode1D(&up, graph, nullptr, 0, a, in, sizeof(in), cudaMemcpyHostToDevice));
	void *args[] = {&b, &a, &factor};
	cudaKernelNodeParams k = kernel(args, 128);
	CHECK(cudaGraphAddKernelNode(&run, graph, &up, 1, &k));
	CHECK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, &run, 1, table, b, n / 2 * 4, n / 2 * 4, cudaMemcpyDeviceToDevice));
	CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, out + n / 2, table, n / 2 * 4, n / 2 * 4, cudaMemcpyDeviceToHost));
	CHECK(cudaGraphAddMemcpyNode1D(&down, graph, &run, 1, out, b, n / 2 * 4, cudaMemcpyDeviceToHost));
	cudaHostNodeParams h = {count, &calls};
	CHECK(cudaGraphAddHostNode(&host, graph, &down, 1, &h));
	cudaMemsetParams fill = {};
	fill.dst = a, fill.value = 7, fill.elementSize = 4, fill.width = n, fill.height = 1;
	CHECK(cudaGraphAddMemsetNode(&set, graph, &run, 1, &fill));

	cudaGraphNode_t nodes[8];
	size_t count = 8;
	CHECK(cudaGraphNodeGetDependentNodes(run, nodes, &count));
	EXPECT(count == 3);
	count = 8;
	CHECK(cudaGraphNodeGetDependencies(run, nodes, &count));
	EXPECT(count == 1 && nodes[0] == up);

	cudaKernelNodeParams k2 = {};
	CHECK(cudaGraphKernelNodeGetParams(run, &k2));
	EXPECT(k2.func == (void *)scale && k2.gridDim.x == 8 && k2.blockDim.x == 128 && *(int *)k2.kernelParams[2] == 3);
	cudaMemcpy3DParms c = {};
	CHECK(cudaGraphMemcpyNodeGetParams(up, &c));
	EXPECT(c.srcPtr.ptr == in && c.dstPtr.ptr == a && c.extent.width == sizeof(in) && c.kind == cudaMemcpyHostToDevice);
	cudaMemsetParams s = {};
	CHECK(cudaGraphMemsetNodeGetParams(set, &s));
	EXPECT(s.dst == a && s.value == 7 && s.elementSize == 4 && s.width == n);
	cudaHostNodeParams h2 = {};
	CHECK(cudaGraphHostNodeGetParams(host, &h2));
	EXPECT(h2.fn == ::count && h2.userData == &calls);

	cudaKernelNodeAttrValue cooperative = {};
	CHECK(cudaGraphKernelNodeGetAttribute(run, cudaLaunchAttributeCooperative, &cooperative));
	EXPECT(cooperative.cooperative == 0);

	cudaGraphExec_t exec;
	CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUseNodePriority));
	unsigned long long flags = 0;
	CHECK(cudaGraphExecGetFlags(exec, &flags));
	EXPECT(flags == cudaGraphInstantiateFlagUseNodePriority);
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < n / 2; i++)
		EXPECT(out[i] == 3 * i && out[n / 2 + i] == 3 * i);
	EXPECT(calls == 1);
	int filled[n];
	CHECK(cudaMemcpy(filled, a, sizeof(filled), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(filled[i] == 7);

	// Of the executable graph.
	factor = 5;
	CHECK(cudaGraphExecKernelNodeSetParams(exec, run, &k));
	CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec, up, a, other, sizeof(other), cudaMemcpyHostToDevice));
	h.userData = &more;
	CHECK(cudaGraphExecHostNodeSetParams(exec, host, &h));
	fill.value = 9;
	CHECK(cudaGraphExecMemsetNodeSetParams(exec, set, &fill));
	CHECK(cudaGraphNodeSetEnabled(exec, set, 0));
	unsigned int enabled = 1;
	CHECK(cudaGraphNodeGetEnabled(exec, set, &enabled));
	EXPECT(enabled == 0);
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < n / 2; i++)
		EXPECT(out[i] == -5 * i && out[n / 2 + i] == -5 * i);
	EXPECT(calls == 1 && more == 1);
	CHECK(cudaMemcpy(filled, a, sizeof(filled), cudaMemcpyDeviceToHost));
	EXPECT(filled[3] == -3);
	CHECK(cudaGraphNodeSetEnabled(exec, set, 1));
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaMemcpy(filled, a, sizeof(filled), cudaMemcpyDeviceToHost));
	EXPECT(filled[3] == 9);
	CHECK(cudaGraphExecDestroy(exec));

	// Of the graph and of a clone.
	cudaGraph_t clone;
	cudaGraphNode_t cloned;
	CHECK(cudaGraphClone(&clone, graph));
	CHECK(cudaGraphNodeFindInClone(&cloned, up, clone));
	CHECK(cudaGraphMemcpyNodeSetParams1D(cloned, a, other, sizeof(other), cudaMemcpyHostToDevice));
	CHECK(cudaGraphNodeFindInClone(&cloned, host, clone));
	CHECK(cudaGraphHostNodeSetParams(cloned, &h));
	CHECK(cudaGraphNodeFindInClone(&cloned, set, clone));
	CHECK(cudaGraphMemsetNodeSetParams(cloned, &fill));
	cudaGraphInstantiateParams how = {};
	CHECK(cudaGraphInstantiateWithParams(&exec, clone, &how));
	EXPECT(how.result_out == cudaGraphInstantiateSuccess);
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	EXPECT(out[10] == -30 && calls == 1 && more == 3);
	CHECK(cudaGraphRemoveDependencies(graph, &run, &set, 1));
	count = 8;
	CHECK(cudaGraphNodeGetDependentNodes(run, nodes, &count));
	EXPECT(count == 2);

	// With data of edges, which are plain.
	cudaGraphNode_t one[8], two[8];
	cudaGraphEdgeData edges[8], plain = {};
	CHECK(cudaGraphAddDependencies(graph, &run, &set, &plain, 1));
	count = 8;
	CHECK(cudaGraphNodeGetDependentNodes(run, nodes, edges, &count));
	EXPECT(count == 3 && edges[2].type == cudaGraphDependencyTypeDefault);
	count = 8;
	CHECK(cudaGraphNodeGetDependencies(set, nodes, edges, &count));
	EXPECT(count == 1 && nodes[0] == run);
	CHECK(cudaGraphRemoveDependencies(graph, &run, &set, &plain, 1));
	count = 8;
	CHECK(cudaGraphGetEdges(graph, one, two, edges, &count));
	EXPECT(count == 5);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(clone));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
}

// A graph allocates what it needs, and a child graph uses it.
static void memory() {
	int in[n], out[n], factor = 4, device = 0;
	for (int i = 0; i < n; i++)
		in[i] = i;
	cudaGraph_t graph, child, inner;
	cudaGraphNode_t alloc, copy, run, sub, freed;
	CHECK(cudaGraphCreate(&graph, 0));
	cudaMemAllocNodeParams p = {};
	p.bytesize = sizeof(in), p.poolProps.allocType = cudaMemAllocationTypePinned;
	p.poolProps.location.type = cudaMemLocationTypeDevice, p.poolProps.location.id = device;
	CHECK(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &p));
	int *a = (int *)p.dptr;
	CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &alloc, 1, a, in, sizeof(in), cudaMemcpyHostToDevice));
	CHECK(cudaGraphCreate(&child, 0));
	void *args[] = {&a, &a, &factor};
	cudaKernelNodeParams k = kernel(args, 256);
	CHECK(cudaGraphAddKernelNode(&run, child, nullptr, 0, &k));
	CHECK(cudaGraphAddChildGraphNode(&sub, graph, &copy, 1, child));
	CHECK(cudaGraphChildGraphNodeGetGraph(sub, &inner));
	size_t nodes = 0;
	CHECK(cudaGraphGetNodes(inner, nullptr, &nodes));
	EXPECT(nodes == 1);
	CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &sub, 1, out, a, sizeof(in), cudaMemcpyDeviceToHost));
	CHECK(cudaGraphAddMemFreeNode(&freed, graph, &copy, 1, a));
	cudaMemAllocNodeParams q = {};
	void *address = nullptr;
	CHECK(cudaGraphMemAllocNodeGetParams(alloc, &q));
	CHECK(cudaGraphMemFreeNodeGetParams(freed, &address));
	EXPECT(q.dptr == a && q.bytesize == sizeof(in) && address == a);
	cudaGraphNodeType type;
	CHECK(cudaGraphNodeGetType(alloc, &type));
	EXPECT(type == cudaGraphNodeTypeMemAlloc);

	cudaUserObject_t object;
	CHECK(cudaUserObjectCreate(&object, nullptr, destroy, 1, cudaUserObjectNoDestructorSync));
	CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));

	std::string path = "/tmp/simtrun_graph_nodes.dot";
	if (const char *folder = getenv("TMPDIR"))
		path = std::string(folder) + "/simtrun_graph_nodes.dot";
	CHECK(cudaGraphDebugDotPrint(graph, path.c_str(), cudaGraphDebugDotFlagsVerbose));
	FILE *dot = fopen(path.c_str(), "r");
	char line[64] = "";
	EXPECT(dot != nullptr && fgets(line, sizeof(line), dot) != nullptr && strstr(line, "digraph") != nullptr);
	fclose(dot);
	remove(path.c_str());

	cudaGraphExec_t exec;
	CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphDestroy(child));
	EXPECT(destroyed == 0);
	for (int k = 0; k < 2; k++) {
		CHECK(cudaGraphLaunch(exec, 0));
		CHECK(cudaDeviceSynchronize());
		for (int i = 0; i < n; i++)
			EXPECT(out[i] == 4 * i);
	}
	unsigned long long used = 1, high = 0;
	CHECK(cudaDeviceGetGraphMemAttribute(device, cudaGraphMemAttrUsedMemCurrent, &used));
	CHECK(cudaDeviceGetGraphMemAttribute(device, cudaGraphMemAttrUsedMemHigh, &high));
	EXPECT(used == 0 && high >= sizeof(in));
	CHECK(cudaGraphExecDestroy(exec));
	EXPECT(destroyed == 1);
	CHECK(cudaDeviceGraphMemTrim(device));
}

static void streams() {
	cudaStream_t a, b;
	CHECK(cudaStreamCreate(&a));
	CHECK(cudaStreamCreate(&b));
	cudaStreamAttrValue value = {}, copy = {};
	value.accessPolicyWindow.hitRatio = 0.5f, value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
	CHECK(cudaStreamSetAttribute(a, cudaStreamAttributeAccessPolicyWindow, &value));
	CHECK(cudaStreamCopyAttributes(b, a));
	CHECK(cudaStreamGetAttribute(b, cudaStreamAttributeAccessPolicyWindow, &copy));
	EXPECT(copy.accessPolicyWindow.hitRatio == 0.5f && copy.accessPolicyWindow.hitProp == cudaAccessPropertyPersisting);
	unsigned long long x = 0, y = 0;
	int device = -1;
	CHECK(cudaStreamGetId(a, &x));
	CHECK(cudaStreamGetId(b, &y));
	CHECK(cudaStreamGetDevice(a, &device));
	EXPECT(x != y && device == 0);

	// What is captured goes into a graph that is there already, after a node of it.
	cudaGraph_t graph, same;
	cudaGraphNode_t first;
	int *p, out = 0;
	CHECK(cudaMalloc(&p, 4));
	CHECK(cudaGraphCreate(&graph, 0));
	cudaMemsetParams fill = {};
	fill.dst = p, fill.value = 11, fill.elementSize = 4, fill.width = 1, fill.height = 1;
	CHECK(cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &fill));
	CHECK(cudaStreamBeginCaptureToGraph(a, graph, &first, nullptr, 1, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemcpyAsync(&out, p, 4, cudaMemcpyDeviceToHost, a));
	cudaStreamCaptureStatus status;
	const cudaGraphNode_t *deps;
	const cudaGraphEdgeData *data;
	size_t count;
	CHECK(cudaStreamGetCaptureInfo(a, &status, nullptr, &same, &deps, &data, &count));
	EXPECT(status == cudaStreamCaptureStatusActive && same == graph && count == 1);
	cudaGraphNode_t last = deps[0];
	CHECK(cudaStreamUpdateCaptureDependencies(a, &last, nullptr, 1, cudaStreamSetCaptureDependencies));
	CHECK(cudaStreamEndCapture(a, &same));
	EXPECT(same == graph);
	cudaGraphExec_t exec;
	CHECK(cudaGraphInstantiate(&exec, graph));
	CHECK(cudaGraphLaunch(exec, a));
	CHECK(cudaStreamSynchronize(a));
	EXPECT(out == 11);
}

static void pools() {
	cudaMemPool_t pool;
	CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
	cudaMemAccessDesc access = {};
	access.location.type = cudaMemLocationTypeDevice, access.location.id = 0, access.flags = cudaMemAccessFlagsProtReadWrite;
	CHECK(cudaMemPoolSetAccess(pool, &access, 1));
	cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
	CHECK(cudaMemPoolGetAccess(&flags, pool, &access.location));
	EXPECT(flags == cudaMemAccessFlagsProtReadWrite);
	int *p;
	CHECK(cudaMallocManaged(&p, 4096));
	CHECK(cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, access.location));
	CHECK(cudaMemPrefetchAsync(p, 4096, access.location, 0));
	CHECK(cudaMemAdvise(p, 4096, cudaMemAdviseSetReadMostly, 0));
	CHECK(cudaMemPrefetchAsync(p, 4096, 0, 0));
	CHECK(cudaMemPrefetchAsync(p, 4096, cudaCpuDeviceId));
	CHECK(cudaFree(p));
}

int main() {
	parameters();
	memory();
	streams();
	pools();
	printf("ok\n");
}
