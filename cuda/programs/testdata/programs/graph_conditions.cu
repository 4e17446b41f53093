// Conditional nodes of graphs: if with and without else, while in a captured graph, switch, one within another, first values, updates; and nodes that
// are added and changed by parameters of any type.
#include "check.h"

__device__ int trace[64], traced;

__global__ void note(int what) { trace[traced++] = what; }

__global__ void choose(cudaGraphConditionalHandle handle, const int *value) { cudaGraphSetConditional(handle, *value); }

// countDown is what all threads of a block do.
__global__ void countDown(cudaGraphConditionalHandle handle, int *left) {
	__shared__ int now;
	if (threadIdx.x == 0)
		now = --*left;
	__syncthreads();
	cudaGraphSetConditional(handle, now > 0);
}

static cudaGraphNodeParams launching(void *kernel, void **args, int threads = 1) {
	cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
	p.kernel.func = kernel, p.kernel.gridDim = dim3(1), p.kernel.blockDim = dim3(threads), p.kernel.kernelParams = args;
	return p;
}

static cudaGraphNode_t addNote(cudaGraph_t graph, int what) {
	void *args[] = {&what};
	cudaGraphNodeParams p = launching((void *)note, args);
	cudaGraphNode_t node;
	CHECK(cudaGraphAddNode(&node, graph, nullptr, 0, &p));
	return node;
}

static cudaGraphNodeParams deciding(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned int size) {
	cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
	p.conditional.handle = handle, p.conditional.type = type, p.conditional.size = size;
	return p;
}

// traces launches a graph and tells what it has noted, as decimals.
static long traces(cudaGraphExec_t exec) {
	int zero = 0, n, all[64];
	long number = 0;
	CHECK(cudaMemcpyToSymbol(traced, &zero, sizeof(zero)));
	CHECK(cudaGraphLaunch(exec, 0));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpyFromSymbol(&n, traced, sizeof(n)));
	CHECK(cudaMemcpyFromSymbol(all, trace, sizeof(all)));
	for (int i = 0; i < n; i++)
		number = number * 10 + all[i];
	return number;
}

static int *value;

static void set(int v) { CHECK(cudaMemcpy(value, &v, sizeof(v), cudaMemcpyHostToDevice)); }

// chosen is a graph with a kernel that sets a condition, and a node that chooses by it among so many graphs, of which graph i notes i + 1.
static cudaGraph_t chosen(cudaGraphConditionalNodeType type, unsigned int size) {
	cudaGraph_t graph;
	cudaGraphNode_t first, node;
	cudaGraphConditionalHandle handle;
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
	void *args[] = {&handle, &value};
	cudaGraphNodeParams p = launching((void *)choose, args);
	CHECK(cudaGraphAddNode(&first, graph, nullptr, 0, &p));
	p = deciding(handle, type, size);
	CHECK(cudaGraphAddNode(&node, graph, &first, 1, &p));
	for (unsigned int i = 0; i < size; i++)
		addNote(p.conditional.phGraph_out[i], i + 1);
	cudaGraphNodeType kind;
	CHECK(cudaGraphNodeGetType(node, &kind));
	EXPECT(kind == cudaGraphNodeTypeConditional);
	return graph;
}

static void choices() {
	const struct {
		cudaGraphConditionalNodeType type;
		unsigned int size;
		int value;
		long want;
	} cases[] = {{cudaGraphCondTypeIf, 1, 0, 0},     {cudaGraphCondTypeIf, 1, 7, 1},     {cudaGraphCondTypeIf, 2, 0, 2},
	             {cudaGraphCondTypeIf, 2, 1, 1},     {cudaGraphCondTypeSwitch, 3, 0, 1}, {cudaGraphCondTypeSwitch, 3, 2, 3},
	             {cudaGraphCondTypeSwitch, 3, 3, 0}, {cudaGraphCondTypeSwitch, 3, -1, 0}, {cudaGraphCondTypeWhile, 1, 0, 0}};
	for (auto c : cases) {
		cudaGraph_t graph = chosen(c.type, c.size);
		cudaGraphExec_t exec;
		CHECK(cudaGraphInstantiate(&exec, graph, 0));
		set(c.value);
		EXPECT(traces(exec) == c.want);
		CHECK(cudaGraphDestroy(graph));
		EXPECT(traces(exec) == c.want);
		CHECK(cudaGraphExecDestroy(exec));
	}
}

// loops is a loop of three rounds in each of two rounds of another, whose conditions are true at first, captured.
static void loops() {
	cudaGraph_t graph;
	cudaStream_t stream;
	cudaGraphNode_t node;
	cudaGraphConditionalHandle outer, inner;
	int *left, three = 3;
	CHECK(cudaMalloc(&left, sizeof(int)));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&outer, graph, 1, cudaGraphCondAssignDefault));
	cudaGraphNodeParams p = deciding(outer, cudaGraphCondTypeWhile, 1);
	CHECK(cudaGraphAddNode(&node, graph, nullptr, 0, &p));
	cudaGraph_t body = p.conditional.phGraph_out[0];
	CHECK(cudaGraphConditionalHandleCreate(&inner, body, 1, cudaGraphCondAssignDefault));

	CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
	note<<<1, 1, 0, stream>>>(1);
	CHECK(cudaMemcpyAsync(left, &three, sizeof(int), cudaMemcpyHostToDevice, stream));
	const cudaGraphNode_t *deps;
	cudaStreamCaptureStatus status;
	size_t n;
	CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &deps, &n));
	p = deciding(inner, cudaGraphCondTypeWhile, 1);
	CHECK(cudaGraphAddNode(&node, body, deps, n, &p));
	CHECK(cudaStreamUpdateCaptureDependencies(stream, &node, 1, cudaStreamSetCaptureDependencies));
	countDown<<<1, 64, 0, stream>>>(outer, value);
	note<<<1, 1, 0, stream>>>(3);
	CHECK(cudaStreamEndCapture(stream, nullptr));

	body = p.conditional.phGraph_out[0];
	CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
	note<<<1, 1, 0, stream>>>(2);
	countDown<<<1, 64, 0, stream>>>(inner, left);
	CHECK(cudaStreamEndCapture(stream, nullptr));

	cudaGraphExec_t exec;
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < 2; i++) {
		set(2);
		EXPECT(traces(exec) == 1222312223);
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
}

// changes: parameters of any type, of a graph and of what was instantiated of it, and an update.
static void changes() {
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node, copy, fill;
	int five = 5, six = 6, got[2] = {}, *p, from[2] = {8, 9};
	void *args[] = {&five};
	CHECK(cudaMalloc(&p, sizeof(got)));
	CHECK(cudaGraphCreate(&graph, 0));
	node = addNote(graph, 4);
	cudaGraphNodeParams k = launching((void *)note, args);
	CHECK(cudaGraphNodeSetParams(node, &k));
	cudaGraphNodeParams c = {cudaGraphNodeTypeMemcpy};
	c.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(from, sizeof(from), sizeof(from), 1);
	c.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(p, sizeof(from), sizeof(from), 1);
	c.memcpy.copyParams.extent = make_cudaExtent(sizeof(from), 1, 1);
	c.memcpy.copyParams.kind = cudaMemcpyHostToDevice;
	CHECK(cudaGraphAddNode(&copy, graph, &node, 1, &c));
	cudaGraphNodeParams f = {cudaGraphNodeTypeMemset};
	f.memset.dst = p, f.memset.value = 3, f.memset.elementSize = 4, f.memset.width = 1, f.memset.height = 1;
	CHECK(cudaGraphAddNode(&fill, graph, &copy, nullptr, 1, &f)); // as CUDA 13 has it
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	EXPECT(traces(exec) == 5);
	CHECK(cudaMemcpy(got, p, sizeof(got), cudaMemcpyDeviceToHost));
	EXPECT(got[0] == 3 && got[1] == 9);
	args[0] = &six;
	k = launching((void *)note, args);
	CHECK(cudaGraphExecNodeSetParams(exec, node, &k));
	EXPECT(traces(exec) == 6);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));

	graph = chosen(cudaGraphCondTypeIf, 1);
	cudaGraph_t other = chosen(cudaGraphCondTypeIf, 2), clone;
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	cudaGraphExecUpdateResultInfo info;
	CHECK(cudaGraphExecUpdate(exec, graph, &info));
	EXPECT(cudaGraphExecUpdate(exec, other, &info) == cudaErrorGraphExecUpdateFailure && info.result != cudaGraphExecUpdateSuccess);
	EXPECT(cudaGraphClone(&clone, graph) == cudaErrorNotSupported);
	cudaGraphConditionalHandle handle;
	EXPECT(cudaGraphConditionalHandleCreate(&handle, graph, 0, 2) == cudaErrorInvalidValue);
	CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
	cudaGraphNodeParams bad[] = {deciding(handle, cudaGraphCondTypeIf, 3), deciding(handle, cudaGraphCondTypeWhile, 2), deciding(handle, cudaGraphCondTypeSwitch, 0),
	                             deciding(handle + 1, cudaGraphCondTypeIf, 1)};
	for (auto &b : bad)
		EXPECT(cudaGraphAddNode(&node, graph, nullptr, 0, &b) == cudaErrorInvalidValue);
	cudaGetLastError();
	set(1);
	EXPECT(traces(exec) == 1);
}

int main() {
	CHECK(cudaMalloc(&value, sizeof(int)));
	choices();
	loops();
	changes();
	printf("ok\n");
}
