// Properties, attributes and limits of the device.
#include "check.h"
#include <cstring>

extern "C" __global__ void kernel(int *, double) {}

int main() {
	int devices = 0, current = -1, value = 0, runtime = 0, driver = 0;
	CHECK(cudaGetDeviceCount(&devices));
	EXPECT(devices >= 1);
	for (int d = 0; d < devices; d++) {
		CHECK(cudaSetDevice(d));
		CHECK(cudaGetDevice(&current));
		EXPECT(current == d);
		cudaDeviceProp p;
		CHECK(cudaGetDeviceProperties(&p, d));
		EXPECT(strlen(p.name) > 0 && p.major >= 7 && p.warpSize == 32);
		EXPECT(p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[2] == 64 && p.maxGridSize[0] == 2147483647);
		EXPECT(p.multiProcessorCount > 0 && p.totalGlobalMem > (1u << 30) && p.sharedMemPerBlock == 48 * 1024);
		EXPECT(p.regsPerBlock == 65536 && p.clockRate > 0 && p.memoryBusWidth > 0 && p.l2CacheSize > 0);
		EXPECT(p.unifiedAddressing && p.managedMemory && p.totalConstMem == 65536 && p.sharedMemPerBlockOptin >= p.sharedMemPerBlock);
		EXPECT(p.textureAlignment == 512 && p.maxTexture1D == 131072 && p.maxTexture1DLinear == 1 << 28 && p.maxTexture2D[1] == 65536 && p.maxTexture3D[2] == 16384);
		EXPECT(p.maxTexture2DMipmap[0] == 32768 && p.maxTexture2DLayered[2] == 2048 && p.maxTextureCubemapLayered[1] == 2046 && p.maxSurface2D[0] == 131072 && p.maxSurface3D[2] == 16384);
		CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, d));
		EXPECT(value == p.multiProcessorCount);
		CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, d));
		EXPECT(value == p.major);
	}
	CHECK(cudaRuntimeGetVersion(&runtime));
	CHECK(cudaDriverGetVersion(&driver));
	EXPECT(runtime >= 12000 && driver >= 12000 && runtime == CUDART_VERSION);
	size_t available, total, limit;
	CHECK(cudaMemGetInfo(&available, &total));
	EXPECT(available > 0 && available <= total);
	CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4 << 20));
	CHECK(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
	EXPECT(limit == 4 << 20);
	CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
	CHECK(cudaThreadGetLimit(&limit, cudaLimitPrintfFifoSize));
	EXPECT(limit == 4 << 20);

	// Functions of the driver by name, and kernels by theirs.
	void *fn = nullptr;
	cudaDriverEntryPointQueryResult found;
	CHECK(cudaGetDriverEntryPoint("cuDeviceGetCount", &fn, cudaEnableDefault, &found));
	EXPECT(found == cudaDriverEntryPointSuccess && ((int (*)(int *))fn)(&value) == 0 && value == devices);
	CHECK(cudaGetDriverEntryPoint("cuNoSuchFunction", &fn, cudaEnableDefault, &found));
	EXPECT(found == cudaDriverEntryPointSymbolNotFound && fn == nullptr);
	CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrIpcEventSupport, 0));
	EXPECT(value == 1);
	CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
	EXPECT(value == cudaMemHandleTypePosixFileDescriptor);
	cudaChannelFormatDesc texel = cudaCreateChannelDesc<float2>();
	size_t texels, size;
	CHECK(cudaDeviceGetTexture1DLinearMaxWidth(&texels, &texel, 0));
	CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxTexture1DLinearWidth, 0));
	EXPECT(texels == (size_t)value);
	const char *name = nullptr;
	size_t offset;
	CHECK(cudaFuncGetName(&name, kernel));
	EXPECT(strcmp(name, "kernel") == 0);
	CHECK(cudaFuncGetParamInfo(kernel, 1, &offset, &size));
	EXPECT(offset == 8 && size == sizeof(double));
	EXPECT(cudaFuncGetParamInfo(kernel, 2, &offset, &size) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);

	cudaStream_t stream;
	cudaGraph_t graph, captured;
	cudaStreamCaptureStatus status;
	unsigned long long id = 0;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamGetCaptureInfo(stream, &status));
	EXPECT(status == cudaStreamCaptureStatusNone);
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph));
	EXPECT(status == cudaStreamCaptureStatusActive && id != 0);
	CHECK(cudaStreamEndCapture(stream, &captured));
	EXPECT(captured == graph);

	cudaIpcMemHandle_t handle;
	EXPECT(cudaIpcGetMemHandle(&handle, &handle) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
	printf("ok\n");
}
