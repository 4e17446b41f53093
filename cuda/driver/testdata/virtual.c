// Virtual memory management: physical memory that is mapped at addresses which were reserved.
// STDERR ^simtrun: virtual memory of the host is not supported yet$
// STDERR mem-
#include "check.h"

#include <unistd.h>

static const CUmemAllocationProp on_device = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
static const CUmemAccessDesc both = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
static const CUmemAccessDesc neither = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_NONE};
static size_t unit;

static size_t left(void)
{
	size_t available = 0, total = 0;
	OK(cuMemGetInfo(&available, &total));
	return available;
}

static void wrong_arguments(void)
{
	CUmemAllocationProp props = on_device;
	CUmemGenericAllocationHandle m = 0;
	CUdeviceptr p = 0;
	size_t size = 0;
	int can = 0;

	OK(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
	HAVE(1, can);
	OK(cuMemGetAllocationGranularity(&size, &props, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
	OK(cuMemGetAllocationGranularity(&unit, &props, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	TRUE(unit > 0 && size % unit == 0);
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemGetAllocationGranularity(NULL, &props, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemGetAllocationGranularity(&size, NULL, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemGetAllocationGranularity(&size, &props, 2));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&p, 0, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&p, 100, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&p, unit, 3, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(NULL, unit, 0, 0, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&m, 0, &props, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&m, unit + 1, &props, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&m, unit, NULL, 0));
	WANT(CUDA_ERROR_OUT_OF_MEMORY, cuMemCreate(&m, (size_t)1 << 50, &props, 0));
	props.type = CU_MEM_ALLOCATION_TYPE_INVALID;
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&m, unit, &props, 0));
	props = on_device;
	props.location.id = 7;
	WANT(CUDA_ERROR_INVALID_DEVICE, cuMemCreate(&m, unit, &props, 0));
	props.location.type = CU_MEM_LOCATION_TYPE_HOST;
	WANT(CUDA_ERROR_NOT_SUPPORTED, cuMemCreate(&m, unit, &props, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemRelease(0x1234));

	OK(cuMemAddressReserve(&p, 2 * unit, 0, 0, 0));
	OK(cuMemCreate(&m, unit, &on_device, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, unit, 0, 0x1234, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, 2 * unit, 0, m, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemMap(p + 4096, unit, 0, m, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemMap(p + 2 * unit, unit, 0, m, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemMap(0x10000, unit, 0, m, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess(p, unit, &both, 1));
	OK(cuMemMap(p, unit, 0, m, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, unit, 0, m, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess(p, 2 * unit, &both, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess(p, unit, NULL, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(p, unit / 2));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(p + unit, unit));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(p, 2 * unit));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
	OK(cuMemUnmap(p, unit));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(p, unit));
	OK(cuMemAddressFree(p, 2 * unit));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(p, 2 * unit));
	OK(cuMemRelease(m));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemRelease(m));
}

/* Memory that grows: what is mapped beside each other is one piece for copies, sets and kernels. */
static void growing(void)
{
	CUfunction add = kernel(PTX_ADD, "add");
	CUmemGenericAllocationHandle m[3];
	CUdeviceptr p = 0, base = 0;
	CUcontext of = (CUcontext)1;
	size_t size = 0, before = left(), n = unit / 4;
	int *got = malloc(3 * unit), by = 5;
	unsigned type = 0;

	OK(cuMemAddressReserve(&p, 8 * unit, 4 * unit, 0, 0));
	HAVE(0, p % (4 * unit));
	for (int i = 0; i < 3; i++) {
		OK(cuMemCreate(&m[i], unit, &on_device, 0));
		OK(cuMemMap(p + i * unit, unit, 0, m[i], 0));
		OK(cuMemRelease(m[i])); /* it stays where it is mapped */
		OK(cuMemSetAccess(p + i * unit, unit, &both, 1));
	}
	HAVE(before - 3 * unit, left());
	OK(cuMemsetD32(p, 7, 3 * n));
	void *params[] = {&(CUdeviceptr){p + 4 * (n - 128)}, &by};
	OK(cuLaunchKernel(add, 2, 1, 1, 128, 1, 1, 0, 0, params, 0)); /* 128 in the first, 128 in the second */
	OK(cuMemcpyDtoH(got, p, 3 * unit));
	for (size_t i = 0; i < 3 * n; i++)
		if (got[i] != (i >= n - 128 && i < n + 128 ? 12 : 7)) {
			printf("[%zu] is %d\n", i, got[i]);
			failures++;
			break;
		}
	OK(cuMemGetAddressRange(&base, &size, p + unit));
	TRUE(base <= p + unit && base + size >= p + 2 * unit);
	OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
	HAVE(CU_MEMORYTYPE_DEVICE, type);
	OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, p));
	TRUE(of == NULL);
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p + 3 * unit - 4, got, 8));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH((void *)(uintptr_t)p, p, 4)); /* no address of the host */

	/* One in the middle goes, and others take its place with what they have. */
	OK(cuMemUnmap(p + unit, unit));
	HAVE(before - 2 * unit, left());
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(got, p + unit, 4));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(got, p, 3 * unit));
	OK(cuMemcpyDtoH(got, p + 2 * unit, unit));
	HAVE(7, got[0]);
	OK(cuMemCreate(&m[1], unit, &on_device, 0));
	OK(cuMemMap(p + unit, unit, 0, m[1], 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(got, p + unit, 4)); /* not before access */
	OK(cuMemSetAccess(p, 3 * unit, &both, 1));
	OK(cuMemcpyDtoH(got, p, 3 * unit));
	HAVE(12, got[n - 1]);
	HAVE((int)0xabababab, got[n]);
	HAVE(7, got[2 * n + 128]);
	OK(cuMemUnmap(p, 3 * unit));
	OK(cuMemRelease(m[1]));
	HAVE(before, left());
	OK(cuMemAddressFree(p, 8 * unit));
	free(got);
}

/* The same memory at two addresses, and at an address that was wished for. */
static void aliases(void)
{
	CUmemGenericAllocationHandle m = 0, again = 0;
	CUmemAllocationProp props = {0};
	CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	CUdeviceptr a = 0, b = 0, wished = 0;
	unsigned long long flags = 9;
	int v = 41;

	CUmemAllocationProp compressed = on_device;
	compressed.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
	OK(cuMemCreate(&m, unit, &compressed, 0));
	OK(cuMemAddressReserve(&a, unit, 0, 0, 0));
	OK(cuMemAddressReserve(&b, unit, 0, 0, 0));
	OK(cuMemMap(a, unit, 0, m, 0));
	OK(cuMemMap(b, unit, 0, m, 0));
	OK(cuMemGetAccess(&flags, &device, a));
	HAVE(CU_MEM_ACCESS_FLAGS_PROT_NONE, flags);
	OK(cuMemSetAccess(a, unit, &both, 1));
	OK(cuMemSetAccess(b, unit, &both, 1));
	OK(cuMemGetAccess(&flags, &device, a));
	HAVE(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, flags);
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemGetAccess(&flags, &device, a + unit));
	OK(cuMemcpyHtoD(a + 100, &v, sizeof v));
	v = 0;
	OK(cuMemcpyDtoH(&v, b + 100, sizeof v));
	HAVE(41, v);
	OK(cuMemSetAccess(b, unit, &neither, 1));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&v, b + 100, sizeof v));
	OK(cuMemcpyDtoH(&v, a + 100, sizeof v));

	OK(cuMemRelease(m));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemGetAllocationPropertiesFromHandle(&props, m));
	OK(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(a + 5)));
	OK(cuMemGetAllocationPropertiesFromHandle(&props, again));
	HAVE(CU_MEM_ALLOCATION_TYPE_PINNED, props.type);
	HAVE(CU_MEM_ALLOCATION_COMP_NONE, props.allocFlags.compressionType); /* there is no such memory */
	OK(cuMemUnmap(a, unit));
	OK(cuMemUnmap(b, unit));
	OK(cuMemMap(a, unit, 0, again, 0)); /* what it holds has stayed */
	OK(cuMemSetAccess(a, unit, &both, 1));
	v = 0;
	OK(cuMemcpyDtoH(&v, a + 100, sizeof v));
	HAVE(41, v);
	OK(cuMemUnmap(a, unit));
	OK(cuMemRelease(again));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)a));
	OK(cuMemAddressFree(b, unit));
	OK(cuMemAddressReserve(&wished, unit, 0, b, 0));
	TRUE(wished == b);
	OK(cuMemAddressFree(wished, unit));
	OK(cuMemAddressFree(a, unit));
}

/* Memory that is given to others as a file descriptor. */
static void shared(void)
{
	CUmemAllocationProp props = on_device;
	CUmemGenericAllocationHandle m = 0, other = 0;
	CUdeviceptr a = 0, b = 0;
	size_t before = left();
	int fd = -1, v = 17;

	OK(cuMemCreate(&m, unit, &props, 0));
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemExportToShareableHandle(&fd, m, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); /* it was not asked for */
	OK(cuMemRelease(m));
	props.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	OK(cuMemCreate(&m, unit, &props, 0));
	OK(cuMemExportToShareableHandle(&fd, m, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	OK(cuMemImportFromShareableHandle(&other, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	close(fd);
	WANT(CUDA_ERROR_INVALID_VALUE, cuMemImportFromShareableHandle(&other, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	OK(cuMemAddressReserve(&a, unit, 0, 0, 0));
	OK(cuMemAddressReserve(&b, unit, 0, 0, 0));
	OK(cuMemMap(a, unit, 0, m, 0));
	OK(cuMemMap(b, unit, 0, other, 0));
	OK(cuMemSetAccess(a, unit, &both, 1));
	OK(cuMemSetAccess(b, unit, &both, 1));
	OK(cuMemcpyHtoD(a + unit - 4, &v, sizeof v));
	v = 0;
	OK(cuMemcpyDtoH(&v, b + unit - 4, sizeof v));
	HAVE(17, v);
	OK(cuMemUnmap(a, unit));
	OK(cuMemUnmap(b, unit));
	OK(cuMemRelease(m));
	OK(cuMemRelease(other));
	OK(cuMemAddressFree(a, unit));
	OK(cuMemAddressFree(b, unit));
	HAVE(before, left());
}

/* A kernel that uses what is mapped for nobody is at fault. */
static void faults(void)
{
	CUfunction add = kernel(PTX_ADD, "add");
	CUmemGenericAllocationHandle m = 0;
	CUdeviceptr p = 0;
	int n = 1;

	OK(cuMemCreate(&m, unit, &on_device, 0));
	OK(cuMemAddressReserve(&p, unit, 0, 0, 0));
	OK(cuMemMap(p, unit, 0, m, 0));
	void *params[] = {&p, &n};
	OK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, 0, params, 0));
	WANT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
}

int main(void)
{
	begin();
	wrong_arguments();
	growing();
	aliases();
	shared();
	faults();
	return failures != 0;
}
