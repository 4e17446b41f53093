// Stand-ins for libraries that simtrun does not have: they load with all names bound, refuse each call by the
// library's status, and say so once. NVML answers for what the driver knows.
// STDERR ^simtrun: cufftPlan1d: simtrun does not support this function of cuFFT; such calls return CUFFT_NOT_SUPPORTED$
// STDERR ^simtrun: cudnnCreate: simtrun does not support this function of cuDNN; such calls return CUDNN_STATUS_NOT_SUPPORTED$
// STDOUT ^NVIDIA H100 SXM5 .simtrun., 9.0, 5120 bits, 1980 MHz, GPU-[0-9a-f]{8}-
// STDOUT ^no failures$
#define _GNU_SOURCE
#include <dlfcn.h>
#include <nvml.h>
#include <stdio.h>
#include <string.h>

#include <cuda.h>

#define CHECK(condition)                                    \
	do {                                                      \
		if (!(condition))                                       \
			failures++, printf("line %d: %s\n", __LINE__, #condition); \
	} while (0)

static int failures;
static char folder[4096];

static void *load(const char *file)
{
	char path[8192];
	void *library;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		failures++, printf("%s\n", dlerror());
	return library;
}

#define CALL(library, result, name, ...) ((result(*)())dlsym(library, name))(__VA_ARGS__)
#define NVML(name, ...) CHECK(CALL(nvml, int, "nvml" name, __VA_ARGS__) == NVML_SUCCESS)

static void answers(void)
{
	void *nvml = load("libnvidia-ml.so.1");
	char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE], uuid[NVML_DEVICE_UUID_BUFFER_SIZE];
	unsigned count = 0, index = 7, bits = 0, clock = 0, constant = 0, milliwatts;
	int major = 0, minor = 0;
	nvmlMemory_v2_t memory = {.version = nvmlMemory_v2};
	nvmlDevice_t device, same = NULL;
	nvmlPciInfo_t pci;

	CHECK(CALL(nvml, int, "nvmlDeviceGetCount_v2", &count) == NVML_ERROR_UNINITIALIZED);
	NVML("Init_v2");
	NVML("DeviceGetCount_v2", &count);
	CHECK(count == 1);
	CHECK(CALL(nvml, int, "nvmlDeviceGetHandleByIndex_v2", count, &device) == NVML_ERROR_INVALID_ARGUMENT);
	NVML("DeviceGetHandleByIndex_v2", 0u, &device);
	NVML("DeviceGetIndex", device, &index);
	CHECK(index == 0);
	NVML("DeviceGetName", device, name, (unsigned)sizeof(name));
	CHECK(CALL(nvml, int, "nvmlDeviceGetName", device, uuid, 4u) == NVML_ERROR_INSUFFICIENT_SIZE);
	NVML("DeviceGetUUID", device, uuid, (unsigned)sizeof(uuid));
	NVML("DeviceGetHandleByUUID", uuid, &same);
	CHECK(same == device);
	NVML("DeviceGetPciInfo_v3", device, &pci);
	same = NULL;
	NVML("DeviceGetHandleByPciBusId_v2", pci.busId, &same);
	CHECK(same == device);
	NVML("DeviceGetCudaComputeCapability", device, &major, &minor);
	NVML("DeviceGetMemoryBusWidth", device, &bits);
	NVML("DeviceGetMaxClockInfo", device, NVML_CLOCK_SM, &clock);
	for (unsigned id = 0; id < NVML_CLOCK_ID_COUNT; id++) {
		NVML("DeviceGetClock", device, NVML_CLOCK_SM, id, &constant);
		CHECK(constant == clock);
	}
	CHECK(CALL(nvml, int, "nvmlDeviceGetClock", device, NVML_CLOCK_SM, NVML_CLOCK_ID_COUNT, &constant) == NVML_ERROR_INVALID_ARGUMENT);
	constant = 0;
	NVML("DeviceGetApplicationsClock", device, NVML_CLOCK_SM, &constant);
	CHECK(constant == clock);
	NVML("DeviceGetDefaultApplicationsClock", device, NVML_CLOCK_MEM, &constant);
	CHECK(constant > 0 && CALL(nvml, int, "nvmlDeviceGetApplicationsClock", device, NVML_CLOCK_VIDEO, &clock) == NVML_ERROR_NOT_SUPPORTED);
	NVML("DeviceGetMemoryInfo_v2", device, &memory);
	CHECK(memory.total > 0 && memory.free <= memory.total && memory.used == memory.total - memory.free);
	memory.version = 1;
	CHECK(CALL(nvml, int, "nvmlDeviceGetMemoryInfo_v2", device, &memory) == NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
	CHECK(CALL(nvml, int, "nvmlDeviceGetPowerUsage", device, &milliwatts) == NVML_ERROR_NOT_SUPPORTED);
	CHECK(strcmp(CALL(nvml, const char *, "nvmlErrorString", NVML_ERROR_NOT_SUPPORTED), "Not Supported") == 0);
	printf("%s, %d.%d, %u bits, %u MHz, %s\n", name, major, minor, bits, clock, uuid);
	NVML("Shutdown");
	CHECK(CALL(nvml, int, "nvmlShutdown") == NVML_ERROR_UNINITIALIZED);
}

static void refusals(void)
{
	void *fft = load("standins/libcufft.so.11"), *dnn8 = load("standins/libcudnn.so.8"), *dnn9 = load("standins/libcudnn.so.9");
	int plan;
	void *handle;

	CHECK(CALL(fft, int, "cufftPlan1d", &plan, 1024, 0x29, 1) == 16);
	CHECK(CALL(fft, int, "cufftExecC2C", plan, &handle, &handle, -1) == 16);
	CHECK(CALL(dnn8, int, "cudnnCreate", &handle) == 9);
	CHECK(CALL(dnn9, int, "cudnnCreate", &handle) == 3000);
	CHECK(CALL(dnn9, size_t, "cudnnGetVersion") == 0);
	CHECK(strcmp(CALL(dnn9, const char *, "cudnnGetErrorString", 3000), "CUDNN_STATUS_NOT_SUPPORTED") == 0);
	CHECK(dlvsym(fft, "cufftPlan1d", "libcufft.so.11") != NULL);
	CHECK(dlvsym(dnn8, "cudnnCreate", "libcudnn.so.8") != NULL);
}

int main(void)
{
	Dl_info info;

	dladdr((void *)cuInit, &info);
	snprintf(folder, sizeof(folder), "%s", info.dli_fname);
	*strrchr(folder, '/') = '\0';
	answers();
	refusals();
	printf("%s\n", failures == 0 ? "no failures" : "failures");
	return failures != 0;
}
