/* Loading the driver, making its contexts current, and errors. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "rt.h"

struct driver driver;

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static cudaError_t openError;

static _Thread_local cudaError_t lastError;
static _Thread_local int device;         /* chosen by cudaSetDevice */
static _Thread_local int boundDevice = -1; /* device with the current context */
static _Thread_local unsigned boundGeneration;

/* Number of device resets: contexts from before the last reset are gone. */
static unsigned generation = 1;
static CUcontext contexts[MAX_DEVICES];
static pthread_mutex_t contextLock = PTHREAD_MUTEX_INITIALIZER;

cudaError_t recorded(cudaError_t error) {
	if (error != cudaSuccess && error != cudaErrorNotReady)
		lastError = error;
	return error;
}

cudaError_t failedIn(const char *function, cudaError_t error, const char *why, ...) {
	const char *name = cudaGetErrorName(error);
	char text[256] = "";
	if (why != NULL) {
		va_list args;
		va_start(args, why);
		vsnprintf(text, sizeof text, why, args);
		va_end(args);
	}
	if (driver.simtrunCallFails == NULL)
		return recorded(error);
	/* an older driver lacks the call with a reason */
	if (why == NULL || driver.simtrunCallFailsFor(function, name, text) != CUDA_SUCCESS)
		driver.simtrunCallFails(function, name);
	return recorded(error);
}

cudaError_t done(CUresult result) { return recorded((cudaError_t)result); }

/* Functions that an older driver lacks are not supported. */
static CUresult missing(void) { return CUDA_ERROR_NOT_SUPPORTED; }

static void findFunctions(void *library) {
	void *found;
#define CALL(NAME)                                                       \
	found = dlsym(library, #NAME);                                         \
	driver.NAME = (__typeof__(driver.NAME))(found ? found : (void *)missing);
#include "driver_calls.h"
#undef CALL
}

static void openDriver(void) {
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		library = dlopen("libcuda.so", RTLD_NOW | RTLD_LOCAL);
	if (library == NULL) {
		fprintf(stderr, "simtrun: no CUDA driver: %s\n"
		                "  start the program with: simtrun host %s\n"
		                "  or add the folder of simtrun's libcuda.so.1 to LD_LIBRARY_PATH (simtrun version prints it)\n",
		        dlerror(), program_invocation_name);
		openError = cudaErrorInsufficientDriver;
		return;
	}
	findFunctions(library);
	openError = (cudaError_t)driver.cuInit(0);
}

cudaError_t beginDriver(void) {
	pthread_once(&opened, openDriver);
	return openError == cudaSuccess ? cudaSuccess : recorded(openError);
}

/* primaryContext returns the primary context of a device, and makes it when first needed. */
static CUresult primaryContext(int ordinal, CUcontext *context) {
	CUresult result = CUDA_SUCCESS;
	CUdevice dev;
	pthread_mutex_lock(&contextLock);
	if (contexts[ordinal] == NULL) {
		result = driver.cuDeviceGet(&dev, ordinal);
		if (result == CUDA_SUCCESS)
			result = driver.cuDevicePrimaryCtxRetain(&contexts[ordinal], dev);
	}
	*context = contexts[ordinal];
	pthread_mutex_unlock(&contextLock);
	return result;
}

/* If a program has made a context current with the driver API, the runtime works in that context. */
static CUresult bind(void) {
	CUcontext context;
	CUresult result;
	if (boundDevice < 0 && driver.cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != NULL) {
		CUdevice dev = 0;
		driver.cuCtxGetDevice(&dev);
		device = dev;
	} else {
		result = primaryContext(device, &context);
		if (result == CUDA_SUCCESS)
			result = driver.cuCtxSetCurrent(context);
		if (result != CUDA_SUCCESS)
			return result;
	}
	boundDevice = device;
	boundGeneration = generation;
	return CUDA_SUCCESS;
}

cudaError_t begin(void) {
	if (boundDevice == device && boundGeneration == generation)
		return cudaSuccess;
	TRY(beginDriver());
	CUresult result = bind();
	return result == CUDA_SUCCESS ? cudaSuccess : done(result);
}

int currentDevice(void) { return device; }

cudaError_t cudaSetDevice(int ordinal) {
	int count;
	TRY(cudaGetDeviceCount(&count));
	if (ordinal < 0 || ordinal >= count || ordinal >= MAX_DEVICES)
		return failedFor(cudaErrorInvalidDevice, "device %d; the devices are 0 to %d", ordinal, count - 1);
	if (device != ordinal && boundDevice < 0)
		/* the program has chosen a device: do not use its own current context */
		boundDevice = ordinal == 0 ? -2 : -3;
	device = ordinal;
	return begin();
}

cudaError_t cudaGetDevice(int *ordinal) {
	NEED(ordinal);
	TRY(beginDriver());
	*ordinal = device;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
	NEED(count);
	*count = 0;
	TRY(beginDriver());
	CUresult result = driver.cuDeviceGetCount(count);
	if (result == CUDA_SUCCESS && *count == 0)
		return failed(cudaErrorNoDevice);
	return done(result);
}

cudaError_t cudaDeviceReset(void) {
	CUdevice dev;
	BEGIN;
	driver.cuCtxSynchronize();
	downloadManaged();
	pthread_mutex_lock(&contextLock);
	CUresult result = driver.cuDeviceGet(&dev, device);
	if (result == CUDA_SUCCESS)
		result = driver.cuDevicePrimaryCtxReset_v2(dev);
	contexts[device] = NULL;
	generation++;
	pthread_mutex_unlock(&contextLock);
	forgetModules(device);
	boundDevice = -2;
	return done(result);
}
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

/* Functions of the driver by name. */

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **fn, unsigned int version, unsigned long long flags, enum cudaDriverEntryPointQueryResult *result) {
	CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
	BEGIN;
	CUresult error = driver.cuGetProcAddress_v2(symbol, fn, (int)version, flags, &status);
	if (result != NULL)
		*result = (enum cudaDriverEntryPointQueryResult)status;
	return done(error);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **fn, unsigned long long flags, enum cudaDriverEntryPointQueryResult *result) {
	return cudaGetDriverEntryPointByVersion(symbol, fn, CUDART_VERSION, flags, result);
}

/* Errors. */

cudaError_t cudaGetLastError(void) {
	cudaError_t error = lastError;
	lastError = cudaSuccess;
	return error;
}
cudaError_t cudaPeekAtLastError(void) { return lastError; }

#define ERROR(NAME, VALUE, TEXT) {VALUE, #NAME, TEXT},
static const struct {
	int value;
	const char *name, *text;
} errors[] = {
#include <simtrun/errors.h>
};
#undef ERROR

static int indexOf(cudaError_t error) {
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].value == (int)error)
			return (int)i;
	return -1;
}

const char *cudaGetErrorName(cudaError_t error) {
	int i = indexOf(error);
	return i < 0 ? "unrecognized error code" : errors[i].name;
}

const char *cudaGetErrorString(cudaError_t error) {
	int i = indexOf(error);
	return i < 0 ? "unrecognized error code" : errors[i].text;
}

cudaError_t cudaDriverGetVersion(int *version) {
	NEED(version);
	*version = 0;
	TRY(beginDriver());
	return done(driver.cuDriverGetVersion(version));
}
cudaError_t cudaRuntimeGetVersion(int *version) {
	NEED(version);
	*version = SIMTRUN_CUDA_MAJOR == 11 ? 11080 : SIMTRUN_CUDA_MAJOR == 13 ? 13000 : CUDART_VERSION;
	return cudaSuccess;
}

cudaError_t cudaProfilerStart(void) {
	BEGIN;
	return done(driver.cuProfilerStart());
}
cudaError_t cudaProfilerStop(void) {
	BEGIN;
	return done(driver.cuProfilerStop());
}
