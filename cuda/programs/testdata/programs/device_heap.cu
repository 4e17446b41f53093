// A hash table with chains of nodes from the device's heap, built with locks by many threads and freed again.
#include "check.h"
#include <vector>

struct Entry {
	unsigned key, count;
	Entry *next;
	__device__ Entry(unsigned k, Entry *n) : key(k), count(1), next(n) {}
};
struct Table {
	Entry *heads[64];
	int locks[64];
};

__device__ Table table;

__global__ void insert(const unsigned *keys, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned key = keys[i], slot = key * 2654435761u >> 26;
	for (bool done = false; !done;) {
		if (atomicCAS(&table.locks[slot], 0, 1) == 0) {
			__threadfence();
			volatile Entry *e = table.heads[slot];
			while (e != nullptr && e->key != key)
				e = e->next;
			if (e != nullptr)
				e->count++;
			else
				table.heads[slot] = new Entry(key, table.heads[slot]);
			__threadfence();
			atomicExch(&table.locks[slot], 0);
			done = true;
		}
	}
}
__global__ void collect(unsigned *counts) {
	for (Entry *e = table.heads[threadIdx.x]; e != nullptr;) {
		Entry *next = e->next;
		counts[e->key] += e->count;
		delete e;
		e = next;
	}
}

int main() {
	const int n = 800, distinct = 150;
	std::vector<unsigned> keys(n), want(distinct, 0);
	for (int i = 0; i < n; i++)
		want[keys[i] = (i * 37u + i / 11) % distinct]++;
	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
	unsigned *dk, *counts;
	CHECK(cudaMalloc(&dk, n * sizeof(unsigned)));
	CHECK(cudaMallocManaged(&counts, distinct * sizeof(unsigned)));
	CHECK(cudaMemcpy(dk, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
	for (int i = 0; i < distinct; i++)
		counts[i] = 0;
	insert<<<(n + 63) / 64, 64>>>(dk, n);
	collect<<<1, 64>>>(counts);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < distinct; i++)
		EXPECT(counts[i] == want[i]);
	printf("ok\n");
}
