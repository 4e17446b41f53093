// Memory and events of another process: this program runs itself as that process.
//
// RUN SIMTRUN_FUNCTIONAL=1
#include "check.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What the other process is told: handles, as text. */
struct told {
	CUipcMemHandle large, small, inside, freed;
	CUipcEventHandle event;
	CUmemPoolPtrExportData pooled;
	int parent, pool; /* a descriptor of the other process */
};

enum { LARGE = 300000, SMALL = 100 };

static void encode(const void *from, size_t n, char *to)
{
	for (size_t i = 0; i < n; i++)
		sprintf(to + 2 * i, "%02x", ((const unsigned char *)from)[i]);
}

static void decode(const char *from, void *to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned v = 0;
		sscanf(from + 2 * i, "%2x", &v);
		((unsigned char *)to)[i] = (unsigned char)v;
	}
}

static void launch(CUfunction add, CUdeviceptr p, int n)
{
	OK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&p, &n}, 0));
}

/* Memory of a pool of the other process. */
static void pooled(struct told *t, CUfunction add)
{
	CUmemoryPool pool;
	CUdeviceptr p, again;
	char path[64];
	int fd;

	sprintf(path, "/proc/%d/fd/%d", t->parent, t->pool);
	fd = open(path, O_RDWR);
	OK(cuMemPoolImportFromShareableHandle(&pool, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	close(fd);
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportFromShareableHandle(&pool, (void *)0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	OK(cuMemPoolImportPointer(&p, pool, &t->pooled));
	launch(add, p, 5);
	OK(cuMemPoolImportPointer(&again, pool, &t->pooled));
	HAVE(p, again);
	OK(cuMemFreeAsync(again, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(p));
	launch(add, p, 6);
	OK(cuMemFree(p));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&p, 64, pool, 0)); /* it is another's */
	WANT(CUDA_ERROR_INVALID_VALUE, cuDeviceSetMemPool(0, pool));
	OK(cuMemPoolDestroy(pool));
	OK(cuDeviceGetDefaultMemPool(&pool, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolImportPointer(&p, pool, &t->pooled));
}

/* A pool of this process with 32 numbers. */
static CUmemoryPool share(struct told *t, CUdeviceptr *p, const int *v)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemoryPool pool, alone;
	CUdeviceptr q;

	OK(cuMemPoolCreate(&alone, &props));
	props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	OK(cuMemPoolCreate(&pool, &props));
	OK(cuMemAllocFromPoolAsync(p, 128, pool, 0));
	OK(cuMemAllocFromPoolAsync(&q, 128, alone, 0));
	OK(cuMemcpyHtoD(*p, v, 128));
	OK(cuMemPoolExportToShareableHandle(&t->pool, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	OK(cuMemPoolExportPointer(&t->pooled, *p));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&t->pool, alone, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&t->pool, pool, CU_MEM_HANDLE_TYPE_WIN32, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolExportPointer(&t->pooled, q));
	OK(cuMemFreeAsync(q, 0));
	OK(cuMemPoolDestroy(alone));
	t->parent = getpid();
	return pool;
}

/* No handle opens that differs from one that was made by a bit, whether that is open already or not. */
static void forged(struct told *t)
{
	CUdeviceptr p, opened;
	CUmemoryPool pool;
	CUevent event;
	char path[64];
	int fd;

	sprintf(path, "/proc/%d/fd/%d", t->parent, t->pool);
	fd = open(path, O_RDWR);
	OK(cuIpcOpenMemHandle(&opened, t->small, 0));
	OK(cuMemPoolImportFromShareableHandle(&pool, (void *)(size_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	close(fd);
	for (size_t bit = 0; bit < 8 * sizeof t->large; bit++) {
		unsigned char mask = 1 << bit % 8;
		CUipcMemHandle large = t->large, small = t->small, inside = t->inside;
		CUmemPoolPtrExportData pooled = t->pooled;
		CUipcEventHandle ev = t->event;
		((unsigned char *)&large)[bit / 8] ^= mask;
		((unsigned char *)&small)[bit / 8] ^= mask;
		((unsigned char *)&inside)[bit / 8] ^= mask;
		((unsigned char *)&pooled)[bit / 8] ^= mask;
		((unsigned char *)&ev)[bit / 8] ^= mask;
		TRUE(cuIpcOpenMemHandle(&p, large, 0) != CUDA_SUCCESS);
		TRUE(cuIpcOpenMemHandle(&p, small, 0) != CUDA_SUCCESS);
		TRUE(cuIpcOpenMemHandle(&p, inside, 0) != CUDA_SUCCESS);
		TRUE(cuMemPoolImportPointer(&p, pool, &pooled) != CUDA_SUCCESS);
		TRUE(cuIpcOpenEventHandle(&event, ev) != CUDA_SUCCESS);
	}
	OK(cuIpcCloseMemHandle(opened));
	OK(cuMemPoolDestroy(pool));
}

static int other(const char *text)
{
	struct told t;
	CUdeviceptr large, small, inside, again, base;
	size_t size;
	CUevent event;
	CUfunction add;
	int v[32];

	decode(text, &t, sizeof t);
	begin();
	add = kernel(PTX_ADD, "add");
	pooled(&t, add);
	OK(cuIpcOpenMemHandle(&large, t.large, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
	OK(cuIpcOpenMemHandle(&small, t.small, 0));
	OK(cuIpcOpenMemHandle(&inside, t.inside, 0));
	OK(cuIpcOpenMemHandle(&again, t.large, 0));
	HAVE(large, again);
	HAVE(large + 256, inside);
	OK(cuMemGetAddressRange(&base, &size, inside));
	HAVE(large, base);
	HAVE(LARGE, size);
	launch(add, large, 1);
	launch(add, inside, 10);
	OK(cuMemcpyDtoH(v, large, sizeof v));
	for (int i = 0; i < 32; i++)
		HAVE(i + 1, v[i]);
	OK(cuMemsetD8(small, 7, SMALL));
	OK(cuIpcOpenEventHandle(&event, t.event));
	OK(cuEventSynchronize(event));
	OK(cuEventDestroy(event));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(large)); /* it is another's */
	OK(cuIpcCloseMemHandle(again));
	OK(cuMemsetD8(large + LARGE - 1, 9, 1)); /* it was opened three times */
	OK(cuIpcCloseMemHandle(inside));
	OK(cuIpcCloseMemHandle(large));
	WANT(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(large));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(large, 0, 1));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuIpcOpenMemHandle(&again, t.freed, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle(NULL, t.large, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle(&again, t.large, 8));
	forged(&t);
	memset(&t, 0, sizeof t);
	WANT(CUDA_ERROR_INVALID_VALUE, cuIpcOpenMemHandle(&again, t.large, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuIpcOpenEventHandle(&event, t.event));
	return failures != 0;
}

int main(int argc, char **argv)
{
	struct told t;
	CUdeviceptr large, small, freed, inPool, q;
	CUmemoryPool pool;
	CUevent event, own;
	void *host;
	int v[64], status = -1;
	unsigned char bytes[SMALL], last;
	char text[2 * sizeof t + 1];
	char *args[] = {argv[0], text, NULL};
	pid_t pid;

	if (argc > 1)
		return other(argv[1]);
	begin();
	OK(cuMemAlloc(&large, LARGE));
	OK(cuMemAlloc(&small, SMALL));
	OK(cuMemAlloc(&freed, 4096));
	for (int i = 0; i < 64; i++)
		v[i] = i;
	OK(cuMemcpyHtoD(large, v, sizeof v));
	OK(cuMemcpyHtoD(large + 256, v, 4 * 32));
	OK(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
	OK(cuEventCreate(&own, 0));
	OK(cuEventRecord(event, 0));
	OK(cuIpcGetMemHandle(&t.large, large));
	OK(cuIpcGetMemHandle(&t.small, small));
	OK(cuIpcGetMemHandle(&t.inside, large + 256));
	OK(cuIpcGetMemHandle(&t.freed, freed));
	OK(cuIpcGetEventHandle(&t.event, event));
	OK(cuMemFree(freed));
	OK(cuMemAllocHost(&host, 64));
	WANT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(&t.freed, (CUdeviceptr)(size_t)host));
	WANT(CUDA_ERROR_INVALID_VALUE, cuIpcGetMemHandle(NULL, large));
	WANT(CUDA_ERROR_INVALID_VALUE, cuIpcGetEventHandle(&t.event, own));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuIpcGetEventHandle(&t.event, (CUevent)0x1234));
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenMemHandle(&q, t.large, 0)); /* a process's own */
	WANT(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenEventHandle(&own, t.event));
	pool = share(&t, &inPool, v);
	encode(&t, sizeof t, text);
	TRUE(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ) == 0);
	TRUE(waitpid(pid, &status, 0) == pid);
	HAVE(0, status);
	OK(cuMemcpyDtoH(v, inPool, 4 * 32));
	for (int i = 0; i < 32; i++)
		HAVE(i + 11, v[i]);
	OK(cuMemFreeAsync(inPool, 0));
	OK(cuMemPoolDestroy(pool));
	OK(cuMemcpyDtoH(v, large, 4 * 32));
	for (int i = 0; i < 32; i++)
		HAVE(i + 1, v[i]);
	OK(cuMemcpyDtoH(v, large + 256, 4 * 32));
	for (int i = 0; i < 32; i++)
		HAVE(i + 10, v[i]);
	OK(cuMemcpyDtoH(bytes, small, SMALL));
	HAVE(7, bytes[0]);
	HAVE(7, bytes[SMALL - 1]);
	OK(cuMemcpyDtoH(&last, large + LARGE - 1, 1));
	HAVE(9, last);
	OK(cuMemFree(large));
	OK(cuMemFree(small));
	return failures != 0;
}
