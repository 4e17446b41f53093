// Uses of page-locked memory that was written or not, by the first argument.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>

__global__ void fill(int *x) { x[threadIdx.x] = threadIdx.x; }
__global__ void increment(int *x) { x[threadIdx.x]++; }
__global__ void count(int *total) { atomicAdd(total, 1); }

__global__ void branch(const int *x, int *y)
{
	if (x[threadIdx.x] > 2)
		atomicAdd(y, 1);
}

__global__ void wait(volatile int *flag, const int *x, int *y)
{
	while (*flag == 0)
		;
	__threadfence_system();
	if (x[threadIdx.x] > 2)
		atomicAdd(y, 1);
}

const int n = 256, bytes = n * sizeof(int);

static int *pinned(unsigned flags = cudaHostAllocDefault)
{
	int *p;
	cudaHostAlloc(&p, bytes, flags);
	return p;
}

static void writeAll(int *p)
{
	for (int i = 0; i < n; i++)
		p[i] = i;
}

static int *device()
{
	int *p;
	cudaMalloc(&p, bytes);
	return p;
}

// Memory of the driver that kernels and the host use.
static bool shared(const char *name, int *x, int *y)
{
	auto is = [&](const char *other) { return strcmp(name, other) == 0; };
	if (is("branch"))
		branch<<<1, n>>>(x, y);
	else if (is("mapped")) {
		int *mapped, *at = pinned(cudaHostAllocMapped);
		cudaHostGetDevicePointer(&mapped, at, 0);
		branch<<<1, n>>>(mapped, y);
	} else if (is("write-combined"))
		branch<<<1, n>>>(pinned(cudaHostAllocWriteCombined), y);
	else if (is("driver")) {
		void *p;
		cuMemAllocHost(&p, bytes);
		branch<<<1, n>>>((int *)p, y);
	} else if (is("atomic"))
		count<<<1, n>>>(x);
	else if (is("half") || is("other half")) {
		for (int i = 0; i < n / 2; i++)
			x[i] = i;
		branch<<<1, is("half") ? n : n / 2>>>(x, y);
	} else if (is("changed"))
		increment<<<1, n>>>(x);
	else if (is("changed and freed")) {
		increment<<<1, n>>>(x);
		cudaFreeHost(x);
	} else if (is("allocated again")) {
		for (int i = 0; i < 4; i++) {
			writeAll(x);
			cudaFreeHost(x);
			x = pinned();
		}
		branch<<<1, n>>>(x, y);
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
	} else if (is("read")) {
		FILE *zeros = fopen("/dev/zero", "r");
		if (fread(x, 1, bytes, zeros) != bytes)
			return false;
		fclose(zeros);
		branch<<<1, n>>>(x, y);
	} else if (is("bytes 0xab") || is("zeros")) {
		memset(x, is("zeros") ? 0 : 0xab, bytes);
		branch<<<1, n>>>(x, y);
	} else if (is("registered")) {
		int *own = (int *)malloc(bytes);
		writeAll(own);
		cudaHostRegister(own, bytes, cudaHostRegisterDefault);
		branch<<<1, n>>>(own, y);
		cudaDeviceSynchronize();
		cudaHostUnregister(own);
	} else if (is("while the kernel runs")) {
		volatile int *flag = pinned();
		*flag = 0;
		wait<<<1, n>>>(flag, x, y);
		writeAll(x);
		__sync_synchronize();
		*flag = 1;
	} else
		return false;
	return true;
}

// Copies of such memory.
static bool copies(const char *name, int *x, int *y)
{
	auto is = [&](const char *other) { return strcmp(name, other) == 0; };
	int *to = device(), *other = pinned();
	if (is("copied to the device"))
		cudaMemcpy(to, x, bytes, cudaMemcpyHostToDevice);
	else if (is("copied to the device and used")) {
		cudaMemcpy(to, x, bytes, cudaMemcpyHostToDevice);
		branch<<<1, n>>>(to, y);
	} else if (is("copied asynchronously and used")) {
		cudaMemcpyAsync(to, x, bytes, cudaMemcpyHostToDevice);
		branch<<<1, n>>>(to, y);
	} else if (is("half copied to the device") || is("half copied to the device and used")) {
		for (int i = 0; i < n / 2; i++)
			x[i] = i;
		cudaMemcpy(to, x, bytes, cudaMemcpyHostToDevice);
		branch<<<1, is("half copied to the device") ? n / 2 : n>>>(to, y);
	} else if (is("copied in the host") || is("copied in the host and used")) {
		cudaMemcpy(other, x, bytes, cudaMemcpyHostToHost);
		if (!is("copied in the host"))
			branch<<<1, n>>>(other, y);
	} else if (is("device memory copied out"))
		cudaMemcpy(x, to, bytes, cudaMemcpyDeviceToHost);
	else if (is("changed in the device and copied out")) {
		increment<<<1, n>>>(to);
		cudaMemcpy(x, to, bytes, cudaMemcpyDeviceToHost);
	} else if (is("results") || is("results asynchronously")) {
		fill<<<1, n>>>(to);
		if (is("results"))
			cudaMemcpy(x, to, bytes, cudaMemcpyDeviceToHost);
		else
			cudaMemcpyAsync(x, to, bytes, cudaMemcpyDeviceToHost);
		branch<<<1, n>>>(x, y);
	} else if (is("ring")) {
		for (int i = 0; i < 4; i++) {
			writeAll(x);
			cudaMemcpyAsync(to, x, bytes, cudaMemcpyHostToDevice);
			increment<<<1, n>>>(to);
			cudaMemcpyAsync(x, to, bytes, cudaMemcpyDeviceToHost);
			cudaDeviceSynchronize();
		}
	} else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	int *x = pinned(), *y = pinned();
	memset(y, 0, bytes);
	if (argc < 2 || !shared(argv[1], x, y) && !copies(argv[1], x, y))
		return 2;
	return cudaDeviceSynchronize() != cudaSuccess;
}
