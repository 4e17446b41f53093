// Copies of device memory to the host, by the first argument: of memory that was never written, and of memory of which a
// part was written, as correct programs copy it.
#include <cstdio>
#include <cstring>

struct Pair {
	char kind; // followed by three bytes of padding
	int value;
};

__global__ void fill(int *x, int n)
{
	int i = threadIdx.x;
	if (i < n)
		x[i] = i;
}

__global__ void makePairs(Pair *p)
{
	p[threadIdx.x].kind = 1;
	p[threadIdx.x].value = threadIdx.x;
}

__global__ void selectThirds(const int *x, int *selected, int *count)
{
	int i = threadIdx.x;
	if (x[i] % 3 == 0)
		selected[atomicAdd(count, 1)] = x[i];
}

__global__ void interior(const int *x, int *y)
{
	int i = threadIdx.x;
	if (i > 0 && i < blockDim.x - 1)
		y[i] = x[i - 1] + x[i + 1];
}

__global__ void increment(int *x) { x[threadIdx.x]++; }

const int n = 256, bytes = n * sizeof(int);

int main(int argc, char **argv)
{
	auto is = [&](const char *name) { return argc > 1 && strcmp(argv[1], name) == 0; };
	int host[n], *pinned, *x, *y, *count;
	Pair pairs[n], *p;
	cudaMallocHost(&pinned, bytes);
	cudaMalloc(&x, bytes);
	cudaMalloc(&y, bytes);
	cudaMalloc(&count, sizeof *count);
	cudaMalloc(&p, sizeof pairs);
	cudaMemset(count, 0, sizeof *count);
	if (is("other buffer")) {
		fill<<<1, n>>>(x, n);
		cudaMemcpy(host, y, bytes, cudaMemcpyDeviceToHost); // 256 ints
	} else if (is("failed launch")) {
		fill<<<1, 8 * n>>>(y, n);
		cudaMemcpy(host, y, bytes, cudaMemcpyDeviceToHost);
	} else if (is("asynchronous")) {
		cudaMemcpyAsync(pinned, x + 1, bytes - 4, cudaMemcpyDeviceToHost);
		cudaDeviceSynchronize();
	} else if (is("box")) {
		cudaMemcpy2D(host, 32, x, 64, 32, 8, cudaMemcpyDeviceToHost);
	} else if (is("copied within the device")) {
		cudaMemcpy(x, y, bytes, cudaMemcpyDeviceToDevice);
		cudaMemcpy(host, x, bytes, cudaMemcpyDeviceToHost);
	} else if (is("rest of a buffer")) {
		fill<<<1, n>>>(x, n / 2);
		cudaMemcpy(host, x + n / 2, bytes / 2, cudaMemcpyDeviceToHost);
	} else if (is("changed in place")) {
		increment<<<1, n>>>(x);
		cudaMemcpy(host, x, bytes, cudaMemcpyDeviceToHost);
		cudaMemcpy(host, x, bytes, cudaMemcpyDeviceToHost);
	} else if (is("padding")) {
		makePairs<<<1, n>>>(p);
		cudaMemcpy(pairs, p, sizeof pairs, cudaMemcpyDeviceToHost);
	} else if (is("selected elements")) {
		fill<<<1, n>>>(x, n);
		selectThirds<<<1, n>>>(x, y, count);
		cudaMemcpy(host, y, bytes, cudaMemcpyDeviceToHost);
	} else if (is("interior")) {
		fill<<<1, n>>>(x, n);
		interior<<<1, n>>>(x, y);
		cudaMemcpy(host, y, bytes, cudaMemcpyDeviceToHost);
	} else if (is("fill")) {
		cudaMemset(x, 0, bytes);
		cudaMemcpy(host, x, bytes, cudaMemcpyDeviceToHost);
	} else if (is("nothing")) {
		cudaMemcpy(host, x, 0, cudaMemcpyDeviceToHost);
	}
	cudaFreeHost(pinned);
	cudaFree(x);
	cudaFree(y);
	cudaFree(count);
	cudaFree(p);
	puts("ok");
}
