// Breadth-first search of a graph, level by level, with a flag that the host reads after each.
#include "check.h"
#include <cstring>
#include <queue>
#include <vector>

struct Node {
	int starting, edges;
};

__global__ void expand(Node *nodes, int *edges, bool *mask, bool *updating, bool *visited, int *cost, int n) {
	int id = blockIdx.x * 256 + threadIdx.x;
	if (id < n && mask[id]) {
		mask[id] = false;
		for (int i = nodes[id].starting; i < nodes[id].starting + nodes[id].edges; i++)
			if (!visited[edges[i]]) {
				cost[edges[i]] = cost[id] + 1;
				updating[edges[i]] = true;
			}
	}
}
__global__ void update(bool *mask, bool *updating, bool *visited, bool *over, int n) {
	int id = blockIdx.x * 256 + threadIdx.x;
	if (id < n && updating[id]) {
		mask[id] = visited[id] = true;
		*over = true;
		updating[id] = false;
	}
}

int main(int argc, char **argv) {
	const int n = 2000;
	std::vector<Node> nodes(n);
	std::vector<int> edges;
	unsigned seed = 7;
	for (int i = 0; i < n; i++) {
		int degree = 1 + i % 4;
		nodes[i] = Node{(int)edges.size(), degree};
		for (int k = 0; k < degree; k++) {
			seed = seed * 1664525u + 1013904223u;
			edges.push_back((seed >> 10) % n);
		}
	}
	std::vector<int> want(n, -1), got(n, -1);
	std::queue<int> queue;
	want[0] = 0;
	for (queue.push(0); !queue.empty(); queue.pop()) {
		Node &node = nodes[queue.front()];
		for (int i = node.starting; i < node.starting + node.edges; i++)
			if (want[edges[i]] < 0)
				want[edges[i]] = want[queue.front()] + 1, queue.push(edges[i]);
	}

	Node *dn;
	int *de, *dc;
	bool *mask, *updating, *visited, *over, again, yes = true;
	CHECK(cudaMalloc((void **)&dn, sizeof(Node) * n));
	CHECK(cudaMalloc((void **)&de, sizeof(int) * edges.size()));
	CHECK(cudaMalloc((void **)&dc, sizeof(int) * n));
	CHECK(cudaMalloc((void **)&mask, n));
	CHECK(cudaMalloc((void **)&updating, n));
	CHECK(cudaMalloc((void **)&visited, n));
	CHECK(cudaMalloc((void **)&over, 1));
	CHECK(cudaMemcpy(dn, nodes.data(), sizeof(Node) * n, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(de, edges.data(), sizeof(int) * edges.size(), cudaMemcpyHostToDevice));
	got[0] = 0;
	CHECK(cudaMemcpy(dc, got.data(), sizeof(int) * n, cudaMemcpyHostToDevice));
	CHECK(cudaMemset(mask, 0, n));
	CHECK(cudaMemset(updating, 0, n));
	CHECK(cudaMemset(visited, 0, n));
	CHECK(cudaMemcpy(mask, &yes, 1, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(visited, &yes, 1, cudaMemcpyHostToDevice));
	dim3 grid((n + 255) / 256, 1, 1), threads(256, 1, 1);
	do {
		again = false;
		CHECK(cudaMemcpy(over, &again, 1, cudaMemcpyHostToDevice));
		expand<<<grid, threads, 0>>>(dn, de, mask, updating, visited, dc, n);
		update<<<grid, threads, 0>>>(mask, updating, visited, over, n);
		CHECK(cudaMemcpy(&again, over, 1, cudaMemcpyDeviceToHost));
	} while (again);
	CHECK(cudaMemcpy(got.data(), dc, sizeof(int) * n, cudaMemcpyDeviceToHost));
	EXPECT(got == want);
	printf("ok\n");
}
