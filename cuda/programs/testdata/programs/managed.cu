// Managed memory and managed variables that host and device write in turn.
#include "check.h"
#include <cstring>

__device__ __managed__ int counter = 40;
__managed__ float table[8] = {1, 2, 3};
__managed__ char letter = 'a', tail = 'z';
struct Node {
	int value;
	Node *next;
};

__global__ void step(float *alias) {
	int before = atomicAdd(&counter, 1);
	if (threadIdx.x < 8 && blockIdx.x == 0)
		table[threadIdx.x] += before >= 0 ? 0.5f : 0.0f;
	if (alias != nullptr && threadIdx.x == 0)
		alias[7] = 70;
}
__global__ void add(int i, float v) {
	counter++;
	table[i] += v;
	if (i == 0)
		table[7] += 512;
}
__global__ void walk(Node *list, int *sum) {
	for (Node *n = list; n != nullptr; n = n->next)
		*sum += n->value++;
}

// Small variables, which lie next to each other, each have an address that kernels may use, too.
__global__ void capitalize(char *first, char *last) { *first -= 32, *last -= 32; }
void neighbours() {
	cudaPointerAttributes attr;
	for (void *p : {(void *)&counter, (void *)&letter, (void *)&tail}) {
		CHECK(cudaPointerGetAttributes(&attr, p));
		EXPECT(attr.devicePointer == p);
	}
	capitalize<<<1, 1>>>(&letter, &tail);
	CHECK(cudaDeviceSynchronize());
	EXPECT(letter == 'A' && tail == 'Z');
}

// What the host writes after a launch, without waiting for it, is there for the next one, and so is what kernels wrote.
void written() {
	counter = 0;
	for (int i = 0; i < 8; i++)
		table[i] = i;
	add<<<1, 1>>>(5, 0.25f);
	table[0] = 300, table[7] = -1;
	add<<<1, 1>>>(7, 0.5f);
	table[7] = 1e9f;
	add<<<1, 1>>>(0, 1);
	CHECK(cudaDeviceSynchronize());
	EXPECT(counter == 3 && table[0] == 301 && table[5] == 5.25f && table[6] == 6 && table[7] == 1000000512.0f);
}

// A graph has only the nodes that were captured, and its launches keep what kernels have written.
void captured() {
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	size_t nodes;
	counter = 10, table[2] = 2;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	add<<<1, 1, 0, stream>>>(2, 1);
	add<<<1, 1, 0, stream>>>(2, 2);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	EXPECT(nodes == 2 && counter == 14 && table[2] == 8);
	counter = 0;
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	EXPECT(counter == 2 && table[2] == 11);
}

int main() {
	EXPECT(counter == 40 && table[1] == 2 && table[7] == 0);
	counter = 0;
	step<<<2, 32>>>(nullptr);
	step<<<2, 32>>>(nullptr);
	CHECK(cudaDeviceSynchronize());
	EXPECT(counter == 128 && table[0] == 2 && table[3] == 1);
	table[3] = 100;
	step<<<1, 32>>>(nullptr);
	CHECK(cudaDeviceSynchronize());
	EXPECT(counter == 160 && table[3] == 100.5f);
	written();
	captured();
	neighbours();

	Node *nodes;
	int *sum;
	CHECK(cudaMallocManaged(&nodes, 10 * sizeof(Node)));
	CHECK(cudaMallocManaged(&sum, sizeof(int), cudaMemAttachGlobal));
	for (int i = 0; i < 10; i++)
		nodes[i] = Node{i, i < 9 ? &nodes[i + 1] : nullptr};
	*sum = 5;
	CHECK(cudaMemPrefetchAsync(nodes, 10 * sizeof(Node), 0));
	CHECK(cudaMemAdvise(nodes, 10 * sizeof(Node), cudaMemAdviseSetReadMostly, 0));
	walk<<<1, 1>>>(nodes, sum);
	CHECK(cudaDeviceSynchronize());
	EXPECT(*sum == 50 && nodes[9].value == 10);
	cudaPointerAttributes attr;
	CHECK(cudaPointerGetAttributes(&attr, nodes));
	EXPECT(attr.type == cudaMemoryTypeManaged && attr.devicePointer == nodes);
	CHECK(cudaPointerGetAttributes(&attr, &attr));
	EXPECT(attr.type == cudaMemoryTypeUnregistered);
	printf("ok\n");
}
