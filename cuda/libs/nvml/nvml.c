/* NVML: what the driver knows about its devices. A handle is the index of the device plus one. */
#include <nvml.h>

#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* NVIDIA's first driver for CUDA 12.8, the version of cuda.h. */
#define DRIVER_VERSION "570.86"

/* The names without _v2 and _v3 are older than those that the header calls. */
#undef nvmlInit
#undef nvmlDeviceGetCount
#undef nvmlDeviceGetHandleByIndex
#undef nvmlDeviceGetHandleByPciBusId
#undef nvmlDeviceGetPciInfo

static int initialized; /* how often, minus the calls of nvmlShutdown */

const char *nvmlErrorString(nvmlReturn_t result)
{
	static const char *const texts[] = {
		[NVML_SUCCESS] = "Success",
		[NVML_ERROR_UNINITIALIZED] = "Uninitialized",
		[NVML_ERROR_INVALID_ARGUMENT] = "Invalid Argument",
		[NVML_ERROR_NOT_SUPPORTED] = "Not Supported",
		[NVML_ERROR_NOT_FOUND] = "Not Found",
		[NVML_ERROR_INSUFFICIENT_SIZE] = "Insufficient Size",
		[NVML_ERROR_DRIVER_NOT_LOADED] = "Driver Not Loaded",
		[NVML_ERROR_ARGUMENT_VERSION_MISMATCH] = "Argument Version Mismatch",
	};

	if ((unsigned)result < sizeof(texts) / sizeof(*texts) && texts[result] != NULL)
		return texts[result];
	return "Unknown Error";
}

nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
	(void)flags;
	if (cuInit(0) != CUDA_SUCCESS)
		return NVML_ERROR_DRIVER_NOT_LOADED;
	__atomic_add_fetch(&initialized, 1, __ATOMIC_RELAXED);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit_v2(void) { return nvmlInitWithFlags(0); }
nvmlReturn_t nvmlInit(void) { return nvmlInitWithFlags(0); }

nvmlReturn_t nvmlShutdown(void)
{
	if (__atomic_load_n(&initialized, __ATOMIC_RELAXED) == 0)
		return NVML_ERROR_UNINITIALIZED;
	__atomic_sub_fetch(&initialized, 1, __ATOMIC_RELAXED);
	return NVML_SUCCESS;
}

/* Returns from a function unless the library is initialized and the condition is true. */
#define CHECK(condition)                             \
	do {                                               \
		if (!__atomic_load_n(&initialized, __ATOMIC_RELAXED)) \
			return NVML_ERROR_UNINITIALIZED;               \
		if (!(condition))                                \
			return NVML_ERROR_INVALID_ARGUMENT;            \
	} while (0)

static int devices(void)
{
	int count = 0;
	return cuDeviceGetCount(&count) == CUDA_SUCCESS ? count : 0;
}

static CUdevice index_of(nvmlDevice_t device) { return (CUdevice)((uintptr_t)device - 1); }

static int known(nvmlDevice_t device) { return (uintptr_t)device - 1 < (uintptr_t)devices(); }

static int attribute(CUdevice device, CUdevice_attribute which)
{
	int value = 0;
	cuDeviceGetAttribute(&value, which, device);
	return value;
}

static nvmlReturn_t give(char *to, unsigned int length, const char *text)
{
	if (strlen(text) >= length)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	strcpy(to, text);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
	CHECK(version != NULL);
	return give(version, length, DRIVER_VERSION);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
	CHECK(version != NULL);
	return give(version, length, NVML_API_VERSION_STR "." DRIVER_VERSION);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version)
{
	CHECK(version != NULL);
	return cuDriverGetVersion(version) == CUDA_SUCCESS ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) { return nvmlSystemGetCudaDriverVersion(version); }

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count)
{
	CHECK(count != NULL);
	*count = (unsigned)devices();
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCount(unsigned int *count) { return nvmlDeviceGetCount_v2(count); }

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
	CHECK(device != NULL && index < (unsigned)devices());
	*device = (nvmlDevice_t)(uintptr_t)(index + 1);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device)
{
	return nvmlDeviceGetHandleByIndex_v2(index, device);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
	CHECK(known(device) && index != NULL);
	*index = (unsigned)index_of(device);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
	char text[NVML_DEVICE_NAME_V2_BUFFER_SIZE];

	CHECK(known(device) && name != NULL);
	if (cuDeviceGetName(text, sizeof(text), index_of(device)) != CUDA_SUCCESS)
		return NVML_ERROR_UNKNOWN;
	return give(name, length, text);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
	char text[NVML_DEVICE_UUID_BUFFER_SIZE];
	unsigned char *b;
	CUuuid id;

	CHECK(known(device) && uuid != NULL);
	if (cuDeviceGetUuid(&id, index_of(device)) != CUDA_SUCCESS)
		return NVML_ERROR_UNKNOWN;
	b = (unsigned char *)id.bytes;
	snprintf(text, sizeof(text), "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3], b[4],
	         b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
	return give(uuid, length, text);
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
	char text[NVML_DEVICE_UUID_BUFFER_SIZE];

	CHECK(uuid != NULL && device != NULL);
	for (int i = 0; i < devices(); i++) {
		nvmlDevice_t d = (nvmlDevice_t)(uintptr_t)(i + 1);
		if (nvmlDeviceGetUUID(d, text, sizeof(text)) == NVML_SUCCESS && strcmp(text, uuid) == 0) {
			*device = d;
			return NVML_SUCCESS;
		}
	}
	return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	CUdevice d = index_of(device);

	CHECK(known(device) && pci != NULL);
	memset(pci, 0, sizeof(*pci));
	pci->domain = (unsigned)attribute(d, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
	pci->bus = (unsigned)attribute(d, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
	pci->device = (unsigned)attribute(d, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
	snprintf(pci->busIdLegacy, sizeof(pci->busIdLegacy), "%04X:%02X:%02X.0", pci->domain & 0xffff, pci->bus & 0xff, pci->device & 0xff);
	snprintf(pci->busId, sizeof(pci->busId), "%08X:%02X:%02X.0", pci->domain, pci->bus & 0xff, pci->device & 0xff);
	return NVML_SUCCESS;
}

/* Finds a device by a text such as 0000:01:00.0, with or without the domain and the function. */
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, nvmlDevice_t *device)
{
	CUdevice d;

	CHECK(bus_id != NULL && device != NULL);
	if (cuDeviceGetByPCIBusId(&d, bus_id) != CUDA_SUCCESS)
		return NVML_ERROR_NOT_FOUND;
	*device = (nvmlDevice_t)(uintptr_t)(d + 1);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *bus_id, nvmlDevice_t *device)
{
	return nvmlDeviceGetHandleByPciBusId_v2(bus_id, device);
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
	CHECK(known(device) && major != NULL && minor != NULL);
	*major = attribute(index_of(device), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
	*minor = attribute(index_of(device), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
	return NVML_SUCCESS;
}

/* Asks in the device's primary context, which lives on if somebody else has it. */
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
	size_t free = 0, total = 0;
	CUcontext context;
	CUresult result;

	CHECK(known(device) && memory != NULL);
	if (cuDevicePrimaryCtxRetain(&context, index_of(device)) != CUDA_SUCCESS)
		return NVML_ERROR_UNKNOWN;
	cuCtxPushCurrent(context);
	result = cuMemGetInfo(&free, &total);
	cuCtxPopCurrent(&context);
	cuDevicePrimaryCtxRelease(index_of(device));
	if (result != CUDA_SUCCESS)
		return NVML_ERROR_UNKNOWN;
	*memory = (nvmlMemory_t){.total = total, .free = free, .used = total - free};
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
	nvmlMemory_t m;
	nvmlReturn_t result;

	CHECK(known(device) && memory != NULL);
	if (memory->version != nvmlMemory_v2)
		return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
	result = nvmlDeviceGetMemoryInfo(device, &m);
	if (result == NVML_SUCCESS)
		*memory = (nvmlMemory_v2_t){.version = memory->version, .total = m.total, .free = m.free, .used = m.used};
	return result;
}

nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned int *bits)
{
	CHECK(known(device) && bits != NULL);
	*bits = (unsigned)attribute(index_of(device), CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
	return NVML_SUCCESS;
}

/* Clocks do not vary: the present one is the highest. */
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz)
{
	CHECK(known(device) && mhz != NULL && (unsigned)type < NVML_CLOCK_COUNT);
	if (type == NVML_CLOCK_VIDEO)
		return NVML_ERROR_NOT_SUPPORTED;
	*mhz = (unsigned)attribute(index_of(device),
	                           type == NVML_CLOCK_MEM ? CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE : CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz)
{
	return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}

nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz)
{
	return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}

nvmlReturn_t nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t device, nvmlClockType_t type, unsigned int *mhz)
{
	return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}

nvmlReturn_t nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t type, nvmlClockId_t id, unsigned int *mhz)
{
	CHECK((unsigned)id < NVML_CLOCK_ID_COUNT);
	return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}
