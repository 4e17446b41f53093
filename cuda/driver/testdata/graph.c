// Graphs: nodes of each kind, dependencies, parameters that are set, updates, clones.
// STDERR ^simtrun: add: 5000 threads in a block; at most 1024$
#include "check.h"

static CUfunction add, mul;
static CUdeviceptr p;
static CUcontext ctx;

/* mul: to[i] *= n, so that the order of nodes shows. */
#define PTX_MUL PTX_HEAD \
	".visible .entry mul(.param .u64 to, .param .u32 n)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<3>;\n" \
	"ld.param.u64 %d1, [to];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmad.wide.u32 %d1, %r2, 4, %d1;\n" \
	"ld.global.u32 %r3, [%d1];\nmul.lo.u32 %r3, %r3, %r1;\nst.global.u32 [%d1], %r3;\nret;\n}\n"

/* params are those of a node that launches f(p, n) with 32 threads. What they point to may be gone when the node is there. */
static CUDA_KERNEL_NODE_PARAMS params(CUfunction f, int n)
{
	static struct {
		CUdeviceptr p;
		int n;
		void *each[2];
	} ring[16];
	static int next;
	int i = next++ % 16;

	ring[i].p = p;
	ring[i].n = n;
	ring[i].each[0] = &ring[i].p;
	ring[i].each[1] = &ring[i].n;
	return (CUDA_KERNEL_NODE_PARAMS){.func = f, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1, .kernelParams = ring[i].each};
}

static CUgraphNode node(CUgraph g, CUfunction f, int n, CUgraphNode a, CUgraphNode b)
{
	CUgraphNode made = NULL, deps[2] = {a, b};
	CUDA_KERNEL_NODE_PARAMS k = params(f, n);
	OK(cuGraphAddKernelNode(&made, g, deps, (a != NULL) + (b != NULL), &k));
	return made;
}

static void set(int v) { OK(cuMemsetD32(p, v, 32)); }

static void want(int line, int v)
{
	int got[32];
	OK(cuMemcpyDtoH(got, p, sizeof got));
	for (int i = 0; i < 32; i++)
		if (got[i] != v) {
			printf("graph.c:%d: [%d] is %d, want %d\n", line, i, got[i], v);
			failures++;
			return;
		}
}
#define IS(v) want(__LINE__, v)

static void launch(CUgraphExec e) { OK(cuGraphLaunch(e, 0)); }

static void kernels(void)
{
	CUgraph g = NULL, clone = NULL;
	CUgraphExec e = NULL;
	CUgraphNode a, b, c, d, list[8], to[8];
	CUgraphNodeType type = -1;
	size_t n;

	OK(cuGraphCreate(&g, 0));
	a = node(g, add, 1, NULL, NULL);
	b = node(g, mul, 10, a, NULL);
	c = node(g, add, 5, b, NULL);
	d = node(g, mul, 2, c, a);
	n = 8;
	OK(cuGraphGetNodes(g, list, &n));
	HAVE(4, n);
	TRUE(list[0] == a && list[3] == d && list[4] == NULL && list[7] == NULL);
	n = 2; /* no more than there is room for */
	list[2] = (CUgraphNode)1;
	OK(cuGraphGetNodes(g, list, &n));
	HAVE(2, n);
	TRUE(list[2] == (CUgraphNode)1);
	n = 8;
	OK(cuGraphGetRootNodes(g, list, &n));
	HAVE(1, n);
	TRUE(list[0] == a);
	n = 8;
	OK(cuGraphGetEdges(g, list, to, &n));
	HAVE(4, n);
	TRUE(list[0] == a && to[0] == b);
	n = 8;
	OK(cuGraphNodeGetDependencies(d, list, &n));
	HAVE(2, n);
	TRUE((list[0] == c && list[1] == a) || (list[0] == a && list[1] == c));
	n = 8;
	OK(cuGraphNodeGetDependentNodes(a, list, &n));
	HAVE(2, n);
	TRUE((list[0] == b && list[1] == d) || (list[0] == d && list[1] == b));
	OK(cuGraphNodeGetType(a, &type));
	HAVE(CU_GRAPH_NODE_TYPE_KERNEL, type);

	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	OK(cuGraphUpload(e, 0));
	set(3);
	launch(e);
	IS(((3 + 1) * 10 + 5) * 2);
	launch(e);
	IS((((90 + 1) * 10) + 5) * 2);

	/* A node's parameters are set in the executable graph alone, or in the graph for later instances. */
	CUDA_KERNEL_NODE_PARAMS k = params(add, 7);
	OK(cuGraphExecKernelNodeSetParams(e, a, &k));
	set(3);
	launch(e);
	IS(((3 + 7) * 10 + 5) * 2);
	k = params(mul, 3);
	OK(cuGraphKernelNodeSetParams(d, &k));
	set(3);
	launch(e);
	IS(((3 + 7) * 10 + 5) * 2);
	OK(cuGraphExecDestroy(e));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(e, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphExecDestroy(e));
	OK(cuGraphClone(&clone, g));
	/* Dependencies that are changed: b, c and then d are to come before a. */
	CUgraphNode from[] = {a, a}, on[] = {b, d};
	OK(cuGraphRemoveDependencies(g, from, on, 2));
	OK(cuGraphAddDependencies(g, on + 1, from, 1));
	OK(cuGraphInstantiate_v2(&e, g, list, NULL, 0));
	set(3);
	launch(e);
	IS((3 * 10 + 5) * 3 + 1);
	OK(cuGraphExecDestroy(e));
	OK(cuGraphAddDependencies(g, &a, &b, 1)); /* a circle */
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(&e, g, 0));
	OK(cuGraphDestroyNode(a));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroyNode(a));
	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	set(3);
	launch(e);
	IS((3 * 10 + 5) * 3);
	OK(cuGraphExecDestroy(e));
	OK(cuGraphDestroy(g));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(g));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(&e, g, 0));
	OK(cuGraphInstantiateWithFlags(&e, clone, 0)); /* as it was */
	OK(cuGraphDestroy(clone));
	set(3);
	launch(e); /* though the graph is gone */
	IS(((3 + 1) * 10 + 5) * 3);
	OK(cuGraphExecDestroy(e));
}

static int calls;

static void on_host(void *data) { calls = calls * 10 + (int)(intptr_t)data; }

static void kinds(void)
{
	CUgraph g = NULL, child = NULL;
	CUgraphExec e = NULL;
	CUgraphNode fill, copy, kernel_node, call, inner, sub, empty, back, record, wait;
	CUgraphNodeType type;
	CUevent event;
	int in[32], out[32] = {0};

	for (int i = 0; i < 32; i++)
		in[i] = 2;
	OK(cuEventCreate(&event, 0));
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphCreate(&child, 0));
	inner = node(child, mul, 6, NULL, NULL);
	CUDA_MEMSET_NODE_PARAMS m = {.dst = p, .elementSize = 4, .value = 77, .width = 32, .height = 1};
	CUDA_MEMCPY3D in3 = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = p, .WidthInBytes = sizeof in, .Height = 1, .Depth = 1};
	CUDA_MEMCPY3D out3 = {.dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = out, .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = p, .WidthInBytes = sizeof out, .Height = 1, .Depth = 1};
	CUDA_HOST_NODE_PARAMS h = {on_host, (void *)4};
	OK(cuGraphAddMemsetNode(&fill, g, NULL, 0, &m, ctx));
	OK(cuGraphAddMemcpyNode(&copy, g, &fill, 1, &in3, ctx));
	OK(cuGraphAddHostNode(&call, g, &copy, 1, &h));
	OK(cuGraphAddChildGraphNode(&sub, g, &call, 1, child));
	OK(cuGraphAddEmptyNode(&empty, g, &sub, 1));
	kernel_node = node(g, add, 1, empty, NULL);
	OK(cuGraphAddEventRecordNode(&record, g, &kernel_node, 1, event));
	OK(cuGraphAddEventWaitNode(&wait, g, &record, 1, event));
	OK(cuGraphAddMemcpyNode(&back, g, &wait, 1, &out3, ctx));
	CUgraphNode all[] = {fill, copy, call, sub, empty, kernel_node, record, wait, back};
	int types[] = {CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_HOST, CU_GRAPH_NODE_TYPE_GRAPH, CU_GRAPH_NODE_TYPE_EMPTY,
		CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_MEMCPY};
	for (int i = 0; i < 9; i++) {
		OK(cuGraphNodeGetType(all[i], &type));
		HAVE(types[i], type);
	}
	/* A child graph is a copy: what happens to the graph later is not seen. */
	CUDA_KERNEL_NODE_PARAMS k = params(mul, 1000);
	OK(cuGraphKernelNodeSetParams(inner, &k));
	OK(cuGraphDestroy(child));
	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	calls = 0;
	launch(e);
	HAVE(4, calls);
	HAVE(2 * 6 + 1, out[0]);
	HAVE(2 * 6 + 1, out[31]);
	OK(cuEventQuery(event));

	/* Each with other parameters in the executable graph. */
	h.userData = (void *)5;
	m.value = 3;
	m.width = 16;
	in3.WidthInBytes = 8 * 4;
	out3.WidthInBytes = 20 * 4;
	k = params(add, 100);
	OK(cuGraphExecHostNodeSetParams(e, call, &h));
	OK(cuGraphExecMemsetNodeSetParams(e, fill, &m, ctx));
	OK(cuGraphExecMemcpyNodeSetParams(e, copy, &in3, ctx));
	OK(cuGraphExecMemcpyNodeSetParams(e, back, &out3, ctx));
	OK(cuGraphExecKernelNodeSetParams(e, kernel_node, &k));
	set(1);
	memset(out, 0, sizeof out);
	launch(e);
	HAVE(45, calls);
	for (int i = 0; i < 32; i++)
		HAVE(i < 8 ? 112 : i < 16 ? 118 : i < 20 ? 106 : 0, out[i]);
	OK(cuGraphExecDestroy(e));

	/* And in the graph. */
	OK(cuGraphHostNodeSetParams(call, &h));
	OK(cuGraphMemsetNodeSetParams(fill, &m));
	OK(cuGraphMemcpyNodeSetParams(copy, &in3));
	OK(cuGraphMemcpyNodeSetParams(back, &out3));
	OK(cuGraphKernelNodeSetParams(kernel_node, &k));
	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	set(1);
	memset(out, 0, sizeof out);
	launch(e);
	HAVE(455, calls);
	for (int i = 0; i < 32; i++)
		HAVE(i < 8 ? 112 : i < 16 ? 118 : i < 20 ? 106 : 0, out[i]);

	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphExecMemsetNodeSetParams(e, copy, &m, ctx)); /* another kind */
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphExecHostNodeSetParams(e, NULL, &h));
	m.elementSize = 3;
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemsetNode(&fill, g, NULL, 0, &m, ctx));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemsetNode(&fill, g, NULL, 0, NULL, ctx));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemcpyNode(&fill, g, NULL, 0, NULL, ctx));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode(&fill, g, NULL, 0, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddHostNode(&fill, g, NULL, 0, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&fill, g, NULL, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(NULL, g, NULL, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&fill, NULL, NULL, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphAddChildGraphNode(&fill, g, NULL, 0, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphCreate(NULL, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphCreate(&g, 1));
	OK(cuGraphExecDestroy(e));
	OK(cuGraphDestroy(g));
}

static void updates(void)
{
	CUgraph g = NULL, same = NULL, other = NULL, more = NULL;
	CUgraphExec e = NULL;
	CUgraphNode a, b, error = NULL;
	CUDA_MEMSET_NODE_PARAMS m = {.dst = p, .elementSize = 4, .value = 77, .width = 32, .height = 1};
	struct {
		int result;
		CUgraphNode node, from;
	} info;
	int result = -1;

	OK(cuGraphCreate(&g, 0));
	a = node(g, add, 1, NULL, NULL);
	node(g, mul, 2, a, NULL);
	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	OK(cuGraphCreate(&same, 0));
	b = node(same, add, 10, NULL, NULL);
	node(same, mul, 20, b, NULL);
	OK(cuGraphExecUpdate_v2(e, same, &info));
	HAVE(0, info.result);
	set(1);
	launch(e);
	IS((1 + 10) * 20);
	/* Nodes are those of the graph of which it was made, still. */
	CUDA_KERNEL_NODE_PARAMS k = params(add, 4);
	OK(cuGraphExecKernelNodeSetParams(e, a, &k));
	set(1);
	launch(e);
	IS((1 + 4) * 20);

	/* Another kind, another number, other dependencies. */
	OK(cuGraphCreate(&other, 0));
	b = node(other, add, 10, NULL, NULL);
	OK(cuGraphAddMemsetNode(&b, other, &b, 1, &m, ctx));
	WANT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(e, other, &info));
	TRUE(info.result != 0);
	OK(cuGraphCreate(&more, 0));
	node(more, add, 1, NULL, NULL);
#undef cuGraphExecUpdate
	WANT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(e, more, &error, &result));
	HAVE(2, result); /* the topology */
	node(more, mul, 1, NULL, NULL); /* which does not depend on the other */
	WANT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(e, more, &error, &result));
	HAVE(2, result);
	OK(cuGraphExecUpdate(e, g, &error, &result));
	HAVE(0, result);
	set(1);
	launch(e);
	IS((1 + 1) * 2);
	OK(cuGraphExecDestroy(e));
}

/* The structure of before CUDA 12 ends with extra. */
static void old(void)
{
#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
	struct {
		CUdeviceptr p;
		int n;
	} block = {p, 8};
	size_t size = 12;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
	CUDA_KERNEL_NODE_PARAMS_v1 k = {.func = add, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1, .blockDimZ = 1, .extra = extra};
	CUgraph g;
	CUgraphExec e;
	CUgraphNode a;

	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddKernelNode(&a, g, NULL, 0, &k));
	block.n = 9;
	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	set(0);
	launch(e);
	IS(8); /* as it was when the node was added */
	OK(cuGraphExecKernelNodeSetParams(e, a, &k));
	launch(e);
	IS(17);
	OK(cuGraphKernelNodeSetParams(a, &k));
	k.blockDimX = 5000;
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphExecKernelNodeSetParams(e, a, &k));
	k.blockDimX = 32, k.func = NULL;
	WANT(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeSetParams(a, &k));
	/* The names with a version are the newer structure's. */
	CUDA_KERNEL_NODE_PARAMS k2 = params(add, 1);
	OK(cuGraphAddKernelNode_v2(&a, g, NULL, 0, &k2));
	OK(cuGraphKernelNodeSetParams_v2(a, &k2));
	OK(cuGraphExecDestroy(e));
	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	OK(cuGraphExecKernelNodeSetParams_v2(e, a, &k2));
	set(0);
	launch(e);
	IS(10);
	OK(cuGraphExecDestroy(e));
	OK(cuGraphDestroy(g));
}

int main(void)
{
	ctx = begin();
	add = kernel(PTX_ADD, "add");
	mul = kernel(PTX_MUL, "mul");
	OK(cuMemAlloc(&p, 128));
	kernels();
	kinds();
	updates();
	old();
	OK(cuCtxSynchronize());
	return failures != 0;
}
