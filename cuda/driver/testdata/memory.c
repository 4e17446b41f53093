// Memory: allocations of each kind, what is wrong with addresses, attributes of pointers, pools.
#include "check.h"

#include <unistd.h>

enum { MIB = 1 << 20 };

static void device_memory(void)
{
	enum { N = 50 };
	CUdeviceptr p[N], again, base = 0;
	unsigned char bytes[64];
	size_t before = 0, after = 0, total = 0, size = 0, pitch = 0;

	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(p, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(NULL, 4));
	WANT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(p, (size_t)1 << 60));
	OK(cuMemGetInfo(&before, &total));
	TRUE(before > 0 && before <= total);
	WANT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(p, total + 1));
	OK(cuMemAlloc(p, MIB));
	OK(cuMemGetInfo(&after, NULL));
	TRUE(before - after >= MIB);
	OK(cuMemFree(p[0]));
	OK(cuMemGetInfo(&after, &total));
	HAVE(before, after);

	/* New memory is not zero, addresses are aligned to 256 bytes, and those that were freed do not come back. */
	for (int i = 0; i < N; i++) {
		OK(cuMemAlloc(&p[i], sizeof bytes));
		HAVE(0, p[i] % 256);
		for (int j = 0; j < i; j++)
			TRUE(p[i] != p[j]);
		memset(bytes, 0, sizeof bytes);
		OK(cuMemcpyDtoH(bytes, p[i], sizeof bytes));
		for (size_t j = 0; j < sizeof bytes; j++)
			TRUE(bytes[j] != 0);
		if (i % 2 == 0)
			OK(cuMemFree(p[i]));
	}
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(p[0]));      /* twice */
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(p[1] + 8));  /* not where it begins */
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(0x1234567)); /* never was one */
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(bytes, p[0], 4));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p[0], bytes, 4));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(bytes, p[1], sizeof bytes + 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p[1] + 1, bytes, sizeof bytes));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p[1], NULL, 4));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(NULL, p[1], 4));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(0, bytes, 4));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p[1], bytes, (size_t)-1));
	OK(cuMemcpyHtoD(p[1], bytes, 0));

	OK(cuMemGetAddressRange(&base, &size, p[1] + 63));
	HAVE(p[1], base);
	HAVE(sizeof bytes, size);
	OK(cuMemGetAddressRange(NULL, &size, p[1]));
	OK(cuMemGetAddressRange(&base, NULL, p[1]));
	WANT(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&base, &size, p[0]));
	WANT(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&base, &size, p[1] + 64));

	OK(cuMemAllocPitch(&again, &pitch, 100, 7, 4));
	TRUE(pitch >= 100 && pitch % 128 == 0);
	OK(cuMemsetD8(again, 1, 7 * pitch));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&again, &pitch, 100, 7, 3)); /* 4, 8 or 16 */
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&again, NULL, 100, 7, 4));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(NULL, &pitch, 100, 7, 4));
	WANT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocPitch(&again, &pitch, (size_t)1 << 39, (size_t)1 << 39, 4));
}

static void sets(void)
{
	unsigned char b[64], want[64];
	CUdeviceptr p;
	CUstream s;

	OK(cuStreamCreate(&s, 0));
	OK(cuMemAlloc(&p, 64));
#define LOOK() (OK(cuMemcpyDtoH(b, p, 64)), HAVE(0, memcmp(b, want, 64)))
	memset(want, 7, 64);
	OK(cuMemsetD8(p, 7, 64));
	LOOK();
	for (int i = 0; i < 3; i++) { /* in elements */
		want[10 + 2 * i] = 0x34;
		want[11 + 2 * i] = 0x12;
		memcpy(want + 20 + 4 * i, "\x78\x56\x34\x12", 4);
	}
	OK(cuMemsetD16(p + 10, 0x1234, 3));
	OK(cuMemsetD32(p + 20, 0x12345678, 3));
	LOOK();
	memset(want + 1, 9, 3);
	OK(cuMemsetD8Async(p + 1, 9, 3, s));
	memset(want + 4, 8, 4);
	OK(cuMemsetD16Async(p + 4, 0x0808, 2, s));
	memset(want + 40, 6, 8);
	OK(cuMemsetD32Async(p + 40, 0x06060606, 2, s));
	LOOK();
	for (int y = 0; y < 3; y++) { /* 3 rows of 2 elements, 16 bytes apart */
		memset(want + 16 * y + 8, 0x11, 2);
		memset(want + 16 * y + 10, 0x22, 4);
	}
	OK(cuMemsetD2D8(p + 8, 16, 0x11, 2, 3));
	OK(cuMemsetD2D16(p + 10, 16, 0x2222, 2, 3));
	LOOK();
	for (int y = 0; y < 2; y++)
		memset(want + 32 * y, 0x33, 8);
	OK(cuMemsetD2D32(p, 32, 0x33333333, 2, 2));
	LOOK();
	for (int y = 0; y < 2; y++) {
		memset(want + 32 * y, 0x44, 1);
		memset(want + 32 * y + 2, 0x55, 2);
		memset(want + 32 * y + 4, 0x66, 4);
	}
	OK(cuMemsetD2D8Async(p, 32, 0x44, 1, 2, s));
	OK(cuMemsetD2D16Async(p + 2, 32, 0x5555, 1, 2, s));
	OK(cuMemsetD2D32Async(p + 4, 32, 0x66666666, 1, 2, s));
	LOOK();
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(p, 1, 65));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD16(p + 1, 1, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p + 2, 1, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p, 1, (size_t)1 << 62)); /* whose bytes do not fit 64 bits */
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(0, 1, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8(p, 16, 1, 17, 2));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8(p, 32, 1, 33, 2));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8(p, 32, 1, 8, 3));
	WANT(CUDA_ERROR_INVALID_HANDLE, cuMemsetD8Async(p, 1, 1, (CUstream)0x123456));
	LOOK();
	OK(cuMemFree(p));
	OK(cuStreamDestroy(s));
}

/* add_at adds to memory in a kernel, so that what the host and what kernels see is compared. */
static void add_at(CUfunction add, CUdeviceptr p, int n, int threads)
{
	OK(cuLaunchKernel(add, 1, 1, 1, threads, 1, 1, 0, 0, (void *[]){&p, &n}, 0));
	OK(cuCtxSynchronize());
}

static void host_memory(void)
{
	CUfunction add = kernel(PTX_ADD, "add");
	CUdeviceptr dev = 0, base = 0;
	unsigned int flags = 99, odd;
	size_t size = 0;
	int *p = NULL, *q = NULL, got;
	char *page = aligned_alloc(4096, 8192);

	OK(cuMemAllocHost((void **)&p, 4096));
	OK(cuMemHostAlloc((void **)&q, 100, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
	OK(cuMemHostGetFlags(&flags, q));
	TRUE((flags & CU_MEMHOSTALLOC_PORTABLE) != 0);
	OK(cuMemHostGetDevicePointer(&dev, p, 0));
	HAVE((uintptr_t)p, dev); /* unified addresses */
	OK(cuMemHostGetDevicePointer(&dev, p + 3, 0));
	HAVE((uintptr_t)(p + 3), dev);
	p[5] = 100;
	add_at(add, (CUdeviceptr)(uintptr_t)(p + 5), 11, 1);
	HAVE(111, p[5]);
	OK(cuMemcpyDtoH(&got, (CUdeviceptr)(uintptr_t)(p + 5), 4));
	HAVE(111, got);
	OK(cuMemFreeHost(q));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(q));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree((CUdeviceptr)(uintptr_t)p));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(&got));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc((void **)&q, 100, 0x80));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc(NULL, 100, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer(&dev, &got, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags(&flags, &got));
	OK(cuMemFreeHost(p));

	/* Memory of the program, at odd addresses. */
	for (odd = 0; odd < 64; odd += 7) {
		char *at = page + odd;
		OK(cuMemHostRegister(at, 1000, CU_MEMHOSTREGISTER_DEVICEMAP));
		OK(cuMemHostGetDevicePointer(&dev, at, 0));
		HAVE((uintptr_t)at, dev);
		WANT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(at, 1000, 0));
		WANT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister(at + 500, 1000, 0));
		WANT(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(at));
		OK(cuMemGetAddressRange(&base, &size, dev + 999));
		HAVE((uintptr_t)at, base);
		HAVE(1000, size);
		CUdeviceptr start = 0;
		size_t bytes = 0;
		OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, dev + 10));
		HAVE((uintptr_t)at, start);
		OK(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, dev + 10));
		HAVE(1000, bytes);
		int *word = (int *)(page + (odd + 99) / 4 * 4);
		*word = 1;
		add_at(add, (CUdeviceptr)(uintptr_t)word, 41, 1);
		HAVE(42, *word);
		OK(cuMemHostUnregister(at));
		WANT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(at));
	}
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister(NULL, 10, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister(page, 0, 0));
	/* Neighbours. */
	OK(cuMemHostRegister(page, 4096, 0));
	OK(cuMemHostRegister(page + 4096, 4096, 0));
	OK(cuMemHostUnregister(page));
	OK(cuMemHostUnregister(page + 4096));
	/* Blocks as a heap has them, with 8 bytes between them: each kernel reaches its own words. Then the neighbour of a large one. */
	for (int i = 0; i < 4; i++)
		OK(cuMemHostRegister(page + 16 + 1008 * i, 1000, 0));
	for (int i = 0; i < 4; i++) {
		int *words = (int *)(page + 16 + 1008 * i);
		words[0] = words[1] = words[248] = words[249] = i;
		add_at(add, (CUdeviceptr)(uintptr_t)words, 10, 2);
		add_at(add, (CUdeviceptr)(uintptr_t)(words + 248), 20, 2);
		HAVE(10 + i, words[0]);
		HAVE(10 + i, words[1]);
		HAVE(20 + i, words[248]);
		HAVE(20 + i, words[249]);
	}
	for (int i = 0; i < 4; i++)
		OK(cuMemHostUnregister(page + 16 + 1008 * i));
	OK(cuMemHostRegister(page, 1000, 0));
	OK(cuMemHostRegister(page + 1008, 6000, 0));
	OK(cuMemHostUnregister(page));
	OK(cuMemHostUnregister(page + 1008));
	free(page);
}

static void managed_memory(void)
{
	CUfunction add = kernel(PTX_ADD, "add");
	CUdeviceptr p = 0;
	CUstream s;

	OK(cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_GLOBAL));
	int *host = (int *)(uintptr_t)p;
	for (int i = 0; i < 32; i++)
		host[i] = i;
	add_at(add, p, 1000, 32);
	for (int i = 0; i < 32; i++)
		HAVE(1000 + i, host[i]);
	OK(cuMemsetD32(p, 5, 8));
	HAVE(5, host[7]);
	HAVE(1008, host[8]);
	OK(cuMemAdvise(p, 4096, 1, 0));
	OK(cuMemAdvise_v2(p, 4096, 1, (CUmemLocation){1, 0}));
	OK(cuMemPrefetchAsync(p, 4096, 0, 0));
	OK(cuMemPrefetchAsync(p, 4096, CU_DEVICE_CPU, 0));
	OK(cuMemPrefetchAsync_v2(p, 4096, (CUmemLocation){1, 0}, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(p, 5000, 0, 0));
	OK(cuStreamCreate(&s, 0));
	OK(cuStreamAttachMemAsync(s, p, 0, CU_MEM_ATTACH_SINGLE));
	OK(cuStreamDestroy(s));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&p, 0, CU_MEM_ATTACH_GLOBAL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&p, 4, 77));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(NULL, 4, CU_MEM_ATTACH_GLOBAL));
	OK(cuMemFree((CUdeviceptr)(uintptr_t)host));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree((CUdeviceptr)(uintptr_t)host));
}

static void pointer_attributes(CUcontext ctx)
{
	CUdeviceptr dev = 0, managed = 0, start = 1;
	void *host = NULL, *p = NULL;
	unsigned int type = 0, is = 9;
	unsigned long long a = 0, b = 0;
	CUcontext of = NULL;
	int ordinal = 9, local, yes = 1;

	OK(cuMemAlloc(&dev, 128));
	OK(cuMemAllocHost(&host, 128));
	OK(cuMemAllocManaged(&managed, 128, CU_MEM_ATTACH_GLOBAL));
	const struct {
		CUdeviceptr at;
		unsigned int type, managed;
	} cases[] = {{dev, CU_MEMORYTYPE_DEVICE, 0}, {(uintptr_t)host, CU_MEMORYTYPE_HOST, 0}, {managed, CU_MEMORYTYPE_DEVICE, 1}};
	for (int i = 0; i < 3; i++) {
		CUdeviceptr at = cases[i].at + 16;
		OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at));
		HAVE(cases[i].type, type);
		is = 0;
		OK(cuPointerGetAttribute(&is, CU_POINTER_ATTRIBUTE_IS_MANAGED, at));
		HAVE(cases[i].managed, is & 1);
		OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, at));
		TRUE(of == ctx);
		OK(cuPointerGetAttribute(&p, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, at));
		HAVE(at, (uintptr_t)p);
		OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at));
		HAVE(0, ordinal);
		OK(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at));
		HAVE(cases[i].at, start);
		OK(cuPointerGetAttribute(&a, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at));
		HAVE(128, a);
		OK(cuPointerGetAttribute(&a, CU_POINTER_ATTRIBUTE_BUFFER_ID, at));
		TRUE(a != b); /* each has its own */
		b = a;
		OK(cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, at));
	}
	WANT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&p, CU_POINTER_ATTRIBUTE_HOST_POINTER, dev));
	OK(cuPointerGetAttribute(&p, CU_POINTER_ATTRIBUTE_HOST_POINTER, managed));
	HAVE(managed, (uintptr_t)p);
	WANT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)&local));
	WANT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, dev));
	WANT(CUDA_ERROR_INVALID_VALUE, cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, dev));

	/* Of addresses that are not known: no error, and nothing. */
	CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
	OK(cuPointerGetAttributes(3, attributes, (void *[]){&type, &p, &ordinal}, (uintptr_t)&local));
	HAVE(0, type);
	HAVE(0, (uintptr_t)p);
	HAVE(CU_DEVICE_INVALID, ordinal);
	OK(cuPointerGetAttributes(3, attributes, (void *[]){&type, &p, &ordinal}, dev));
	HAVE(CU_MEMORYTYPE_DEVICE, type);
	HAVE(dev, (uintptr_t)p);
	HAVE(0, ordinal);
	WANT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttributes(1, NULL, (void *[]){&type}, dev));
	OK(cuMemFree(dev));
	WANT(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, dev));
	OK(cuMemFree(managed));
	OK(cuMemFreeHost(host));
}

static void pools(void)
{
	CUmemPoolProps props = {.allocType = 1, .location = {1, 0}};
	CUmemoryPool pool = NULL, own = NULL;
	CUdeviceptr p = 0, q = 0;
	uint64_t threshold = 12345, got = 0;
	CUstream s;
	int word;

	OK(cuStreamCreate(&s, 0));
	OK(cuDeviceGetDefaultMemPool(&pool, 0));
	OK(cuDeviceGetMemPool(&own, 0));
	TRUE(pool == own);
	OK(cuMemPoolSetAttribute(pool, 4, &threshold)); /* the release threshold */
	OK(cuMemPoolGetAttribute(pool, 4, &got));
	HAVE(12345, got);
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAttribute(pool, 99, &got));
	OK(cuMemPoolCreate(&own, &props));
	OK(cuDeviceSetMemPool(0, own));
	OK(cuMemPoolSetAccess(own, NULL, 0));
	OK(cuMemAllocAsync(&p, 64, s));
	OK(cuMemAllocFromPoolAsync(&q, 64, own, s));
	TRUE(p != q);
	OK(cuMemsetD32Async(q, 77, 16, s));
	OK(cuMemcpyDtoHAsync(&word, q + 60, 4, s));
	OK(cuStreamSynchronize(s));
	HAVE(77, word);
	OK(cuMemFreeAsync(p, s));
	OK(cuMemFree(q));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
	OK(cuMemPoolTrimTo(own, 0));
	OK(cuMemPoolDestroy(own));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(own));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&own, NULL));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAllocAsync(NULL, 64, s));
	WANT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetDefaultMemPool(&pool, 1));
	OK(cuStreamDestroy(s));
}

int main(void)
{
	CUcontext ctx = begin();

	device_memory();
	sets();
	host_memory();
	managed_memory();
	pointer_attributes(ctx);
	pools();
	return failures != 0;
}
