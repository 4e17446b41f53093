/* Libraries: PTX, or fat binaries, that a program loads itself. Their kernels are accepted wherever kernels of the
   program are. */
#include "rt.h"

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jitOptions, void **jitValues, unsigned int jitN,
                                enum cudaLibraryOption *options, void **values, unsigned int n) {
	BEGIN;
	return done(driver.cuLibraryLoadData(library, code, (CUjit_option *)jitOptions, jitValues, jitN, options, values, n));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *file, enum cudaJitOption *jitOptions, void **jitValues, unsigned int jitN,
                                    enum cudaLibraryOption *options, void **values, unsigned int n) {
	BEGIN;
	return done(driver.cuLibraryLoadFromFile(library, file, (CUjit_option *)jitOptions, jitValues, jitN, options, values, n));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
	BEGIN;
	return done(driver.cuLibraryUnload(library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
	BEGIN;
	return done(driver.cuLibraryGetKernel(kernel, library, name));
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *n, cudaLibrary_t library) {
	BEGIN;
	return done(driver.cuLibraryGetKernelCount(n, library));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int n, cudaLibrary_t library) {
	BEGIN;
	return done(driver.cuLibraryEnumerateKernels(kernels, n, library));
}

cudaError_t cudaLibraryGetGlobal(void **p, size_t *size, cudaLibrary_t library, const char *name) {
	BEGIN;
	return done(driver.cuLibraryGetGlobal((CUdeviceptr *)p, size, library, name));
}

cudaError_t cudaLibraryGetManaged(void **p, size_t *size, cudaLibrary_t library, const char *name) {
	BEGIN;
	return done(driver.cuLibraryGetManaged((CUdeviceptr *)p, size, library, name));
}

/* The handle of a kernel of the program is its stub. */
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *stub) {
	CUfunction fn;
	BEGIN;
	TRY(function(stub, &fn));
	*kernel = (cudaKernel_t)(size_t)stub;
	return cudaSuccess;
}

/* Stubs of CUDA 13 call these two. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *stub) { return cudaGetKernel(kernel, stub); }

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
	return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr, int value, int ordinal) {
	BEGIN;
	if (ordinal != currentDevice())
		return failed(cudaErrorInvalidDevice);
	return cudaFuncSetAttribute(kernel, attr, value);
}
