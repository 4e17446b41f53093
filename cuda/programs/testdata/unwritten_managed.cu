// Uses of managed memory that was written or not, by the first argument.
#include <cstdio>
#include <cstring>

struct Pair {
	char kind; // followed by seven bytes of padding
	double value;
	int next, unused; // four more follow
	short last;
};

__global__ void fill(int *x) { x[threadIdx.x] = threadIdx.x; }
__global__ void increment(int *x) { x[threadIdx.x]++; }
__global__ void copy(int *to, const int *from) { to[threadIdx.x] = from[threadIdx.x]; }

__global__ void branch(const int *x, int *y)
{
	if (x[threadIdx.x] > 2)
		atomicAdd(y, 1);
}

__global__ void index(const int *x, int *y) { y[x[threadIdx.x] & 7] = 1; }

__global__ void count(int *total) { atomicAdd(total, 1); }

__global__ void print(const int *x)
{
	if (threadIdx.x == 0)
		printf("%d\n", x[0]);
}

__global__ void sumPixels(const unsigned char *x, int *y)
{
	if (x[threadIdx.x] > 2)
		atomicAdd(y, 1);
}

__global__ void usePairs(Pair *to, const Pair *from, int *y)
{
	Pair p = from[threadIdx.x];
	if (p.kind == 1 && p.value > 3 && p.next > 4 && p.last > 5)
		atomicAdd(y, 1);
	to[threadIdx.x] = p;
}

__global__ void wait(volatile int *flag, const int *x, int *y)
{
	while (*flag == 0)
		;
	__threadfence_system();
	if (x[threadIdx.x] > 2)
		atomicAdd(y, 1);
}

__managed__ int variable[256];

const int n = 256, bytes = n * sizeof(int);

template <typename T> T *shared(size_t size)
{
	T *p;
	cudaMallocManaged(&p, size);
	return p;
}

int main(int argc, char **argv)
{
	auto is = [&](const char *name) { return argc > 1 && strcmp(argv[1], name) == 0; };
	int host[n], *x = shared<int>(bytes), *y = shared<int>(bytes), *z = shared<int>(bytes), *device, *pinned;
	cudaMalloc(&device, bytes);
	cudaMallocHost(&pinned, bytes);
	memset(host, 1, bytes);
	memset(y, 0, bytes);
	auto writeAll = [&](int *p) {
		for (int i = 0; i < n; i++)
			p[i] = i;
	};
	auto end = [] { return cudaDeviceSynchronize() != cudaSuccess; };

	if (is("branch"))
		branch<<<1, n>>>(x, y);
	else if (is("index"))
		index<<<1, n>>>(x, y);
	else if (is("atomic"))
		count<<<1, n>>>(x);
	else if (is("atomic, then reset")) {
		count<<<1, n>>>(x);
		cudaDeviceSynchronize();
		x[0] = 0;
		count<<<1, n>>>(x);
	} else if (is("printf"))
		print<<<1, n>>>(x);
	else if (is("copied out"))
		cudaMemcpy(host, x, bytes, cudaMemcpyDeviceToHost);
	else if (is("changed and copied out")) {
		increment<<<1, n>>>(x);
		cudaMemcpy(host, x, bytes, cudaMemcpyDeviceToHost);
	} else if (is("changed and freed")) {
		increment<<<1, n>>>(x);
		cudaFree(x);
	} else if (is("changed"))
		increment<<<1, n>>>(x);
	else if (is("changed, later written")) {
		increment<<<1, n>>>(x);
		cudaDeviceSynchronize();
		writeAll(x);
		branch<<<1, n>>>(x, y);
	} else if (is("changed, later written by a kernel")) {
		increment<<<1, n>>>(x);
		fill<<<1, n>>>(x);
	} else if (is("changed and used")) {
		increment<<<1, n>>>(x);
		branch<<<1, n>>>(x, y);
	} else if (is("copied by a kernel")) {
		x[0] = 1;
		copy<<<1, n>>>(z, x);
		copy<<<1, n>>>(device, z);
	} else if (is("copied by a kernel and used")) {
		x[0] = 1;
		copy<<<1, n>>>(z, x);
		branch<<<1, n>>>(z, y);
	} else if (is("half")) {
		for (int i = 0; i < n / 2; i++)
			x[i] = i;
		branch<<<1, n>>>(x, y);
	} else if (is("other half")) {
		for (int i = 0; i < n / 2; i++)
			x[i] = i;
		branch<<<1, n / 2>>>(x, y);
	} else if (is("host")) {
		writeAll(x);
		branch<<<1, n>>>(x, y);
		increment<<<1, n>>>(x);
	} else if (is("kernel")) {
		fill<<<1, n>>>(x);
		branch<<<1, n>>>(x, y);
	} else if (is("cudaMemset")) {
		cudaMemset(x, 0xab, bytes);
		branch<<<1, n>>>(x, y);
	} else if (is("half cudaMemset")) {
		cudaMemset(x, 0, bytes / 2);
		branch<<<1, n>>>(x, y);
	} else if (is("cudaMemcpy")) {
		cudaMemcpy(x, host, bytes, cudaMemcpyHostToDevice);
		branch<<<1, n>>>(x, y);
	} else if (is("cudaMemcpy of unwritten memory")) {
		cudaMemcpy(x, device, bytes, cudaMemcpyDeviceToDevice);
		branch<<<1, n>>>(x, y);
	} else if (is("cudaMemcpy to device memory")) {
		cudaMemcpy(device, x, bytes, cudaMemcpyDefault);
		branch<<<1, n>>>(device, y);
	} else if (is("cudaMemcpy of written memory")) {
		writeAll(x);
		cudaMemcpy(device, x, bytes, cudaMemcpyDefault);
		branch<<<1, n>>>(device, y);
	} else if (is("memcpy")) {
		memcpy(x, host, bytes);
		branch<<<1, n>>>(x, y);
	} else if (is("prefetch")) {
		cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
		cudaMemPrefetchAsync(x, bytes, here, 0, 0);
		branch<<<1, n>>>(x, y);
	} else if (is("bytes 0xab")) {
		memset(x, 0xab, bytes);
		branch<<<1, n>>>(x, y);
	} else if (is("rows of an image")) {
		auto *pixels = shared<unsigned char>(n * n);
		for (int i = 0; i < n * n; i++)
			pixels[i] = i / n;
		for (int i = 0; i < n; i++)
			sumPixels<<<1, n>>>(pixels + i * n, y);
	} else if (is("single bytes")) {
		auto *pixels = shared<unsigned char>(n + 3);
		for (int i = 0; i < n + 3; i++)
			pixels[i] = 0xab;
		sumPixels<<<1, n>>>(pixels + 3, y);
	} else if (is("between launches")) {
		for (int i = 0; i < n; i += 32) {
			for (int k = 0; k < 32; k++)
				x[i + k] = k;
			branch<<<1, 32>>>(x + i, y);
			cudaDeviceSynchronize();
		}
	} else if (is("padding")) {
		auto *from = shared<Pair>(n * sizeof(Pair)), *to = shared<Pair>(n * sizeof(Pair));
		for (int i = 0; i < n; i++) {
			from[i].kind = 1;
			from[i].value = from[i].next = from[i].last = i;
		}
		usePairs<<<1, n>>>(to, from, y);
	} else if (is("member")) {
		auto *from = shared<Pair>(n * sizeof(Pair)), *to = shared<Pair>(n * sizeof(Pair));
		for (int i = 0; i < n; i++) {
			from[i].kind = 1;
			from[i].value = from[i].last = i;
		}
		usePairs<<<1, n>>>(to, from, y);
	} else if (is("allocated again")) {
		for (int i = 0; i < 4; i++) {
			writeAll(x);
			cudaFree(x);
			x = shared<int>(bytes);
		}
		branch<<<1, n>>>(x, y);
	} else if (is("while the kernel runs")) {
		volatile int *flag = z;
		*flag = 0;
		wait<<<1, n>>>(flag, x, y);
		writeAll(x);
		__sync_synchronize();
		*flag = 1;
	} else if (is("pinned result")) {
		copy<<<1, n>>>(x, device);
		increment<<<1, n>>>(x);
		copy<<<1, n>>>(pinned, x);
	} else if (is("variable"))
		branch<<<1, n>>>(variable, y);
	else
		return 2;
	return end();
}
