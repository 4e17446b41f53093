// Conway's game of life on a torus, with ballots that pack a row's cells, and popcounts.
#include "check.h"
#include <vector>

__global__ void generation(const unsigned *in, unsigned *out, int words, int height) {
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, width = 32 * words, n = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++) {
			int cx = (x + dx + width) % width, cy = (y + dy + height) % height;
			n += (dx || dy) && in[cy * words + cx / 32] >> (cx & 31) & 1;
		}
	bool alive = in[y * words + x / 32] >> (x & 31) & 1;
	unsigned row = __ballot_sync(0xffffffff, n == 3 || (alive && n == 2));
	if ((x & 31) == 0)
		out[y * words + x / 32] = row;
}
__global__ void population(const unsigned *cells, int n, int *count) {
	int c = 0;
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		c += __popc(cells[i]);
	c = __reduce_add_sync(0xffffffffu, c);
	if (threadIdx.x == 0)
		*count = c;
}

int main() {
	const int words = 4, height = 96, width = 32 * words;
	std::vector<unsigned> cells(words * height), next(words * height), got(words * height);
	unsigned seed = 99;
	for (auto &c : cells) {
		seed = seed * 1664525u + 1013904223u;
		c = seed ^ seed >> 13;
	}
	unsigned *d[2];
	int *count, h;
	CHECK(cudaMalloc(&d[0], cells.size() * 4));
	CHECK(cudaMalloc(&d[1], cells.size() * 4));
	CHECK(cudaMalloc(&count, 4));
	CHECK(cudaMemcpy(d[0], cells.data(), cells.size() * 4, cudaMemcpyHostToDevice));
	for (int g = 0; g < 6; g++) {
		generation<<<dim3(words / 2, height), 64>>>(d[g & 1], d[1 - (g & 1)], words, height);
		for (int y = 0; y < height; y++)
			for (int x = 0; x < width; x++) {
				int n = 0;
				for (int k = 0; k < 9; k++) {
					int cx = (x + k % 3 - 1 + width) % width, cy = (y + k / 3 - 1 + height) % height;
					n += k != 4 && cells[cy * words + cx / 32] >> (cx & 31) & 1;
				}
				unsigned bit = 1u << (x & 31), &word = next[y * words + x / 32];
				bool alive = cells[y * words + x / 32] & bit;
				word = n == 3 || (alive && n == 2) ? word | bit : word & ~bit;
			}
		cells = next;
	}
	CHECK(cudaMemcpy(got.data(), d[0], got.size() * 4, cudaMemcpyDeviceToHost));
	EXPECT(got == cells);
	population<<<1, 32>>>(d[0], words * height, count);
	CHECK(cudaMemcpy(&h, count, 4, cudaMemcpyDeviceToHost));
	int want = 0;
	for (unsigned c : cells)
		want += __builtin_popcount(c);
	EXPECT(h == want);
	printf("ok\n");
}
