// Managed memory and managed variables that host and device write in turn.
#include "check.h"
#include <cstring>

__device__ __managed__ int counter = 40;
__managed__ float table[8] = {1, 2, 3};
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
__global__ void walk(Node *list, int *sum) {
	for (Node *n = list; n != nullptr; n = n->next)
		*sum += n->value++;
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
