/* Kernels and variables of the program, which clang's code registers before main, and modules of the driver, which
   are loaded when one of their kernels or variables is first used on a device. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rt.h"

/* clang's code passes this structure for each file. Its data is PTX text, or a fat binary with PTX for several
   architectures. For relocatable code it belongs to one of several files, which linked describes. */
struct fatbinWrapper {
	int magic, version;
	const void *data;
	const struct linked *linked;
};

/* The files of a program, or of a shared library, whose device code is linked together. */
struct linked {
	const struct fatbinWrapper **begin, **end;
};

struct module {
	const void *image;           /* NULL if there are several */
	const struct linked *linked; /* the files, which are registered one by one */
	ptrdiff_t registered;        /* number of registered files */
	CUmodule loaded[MAX_DEVICES];
	struct symbol *symbols; /* symbols of this module */
	struct module *next;
};

/* A kernel, identified by its stub, or a variable, identified by its shadow. */
enum kind { OTHER, TEXTURE, SURFACE };
struct symbol {
	enum kind kind;
	const void *host;
	const char *name;
	struct module *module;
	size_t size; /* of a variable */
	CUfunction function[MAX_DEVICES];
	CUdeviceptr address[MAX_DEVICES];
	CUtexref texture[MAX_DEVICES];
	CUsurfref surface[MAX_DEVICES];
	int normalizedRead;         /* for a texture */
	size_t offset[MAX_DEVICES]; /* from the start of the texture to the bound address */
	unsigned char *snapshot; /* for a managed variable: the content of device and host at the last upload */
	int fetched;             /* the host has its initial value */
	struct symbol *nextInModule, *nextInBucket, *nextManaged;
};

enum { BUCKETS = 1024 };
static struct symbol *buckets[BUCKETS];
static struct module *modules;
static struct symbol *managed;
static int behind; /* a kernel may have written managed variables since the host last waited for it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned bucketOf(const void *host) {
	size_t bits = (size_t)host;
	return (unsigned)((bits >> 4 ^ bits >> 14) % BUCKETS);
}

static struct symbol *find(const void *host) {
	struct symbol *s = buckets[bucketOf(host)];
	while (s != NULL && s->host != host)
		s = s->nextInBucket;
	return s;
}

/* Registration. A handle is the module. */

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterLinkedBinary(void (*registerSymbols)(void **handle), const struct fatbinWrapper *wrapper, const char *id, void *unused);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *deviceFunction, const char *name, int threadLimit, uint3 *tid, uint3 *bid,
                            dim3 *blockDim, dim3 *gridDim, int *warpSize);
void __cudaRegisterVar(void **handle, char *shadow, char *deviceName, const char *name, int isExtern, size_t size, int isConstant, int isGlobal);
void __cudaRegisterManagedVar(void **handle, void **pointer, char *deviceName, const char *name, int isExtern, size_t size, int isConstant,
                              int isGlobal);

void **__cudaRegisterFatBinary(void *wrapper) {
	struct module *m = calloc(1, sizeof(*m));
	m->image = ((struct fatbinWrapper *)wrapper)->data;
	pthread_mutex_lock(&lock);
	m->next = modules;
	modules = m;
	pthread_mutex_unlock(&lock);
	return (void **)m;
}

/* linkedModule returns the module of files with relocatable code. */
static struct module *linkedModule(const struct linked *files) {
	struct module *m;
	pthread_mutex_lock(&lock);
	for (m = modules; m != NULL; m = m->next)
		if (m->linked != NULL && m->linked->begin == files->begin)
			break;
	if (m == NULL) {
		m = calloc(1, sizeof(*m));
		m->linked = files;
		m->next = modules;
		modules = m;
	}
	pthread_mutex_unlock(&lock);
	return m;
}

static struct symbol *add(void **handle, const void *host, const char *name, size_t size) {
	struct symbol *s = calloc(1, sizeof(*s));
	s->host = host;
	s->name = name;
	s->module = (struct module *)handle;
	s->size = size;
	pthread_mutex_lock(&lock);
	s->nextInModule = s->module->symbols;
	s->module->symbols = s;
	s->nextInBucket = buckets[bucketOf(host)];
	buckets[bucketOf(host)] = s;
	pthread_mutex_unlock(&lock);
	return s;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *deviceFunction, const char *name, int threadLimit, uint3 *tid, uint3 *bid,
                            dim3 *blockDim, dim3 *gridDim, int *warpSize) {
	(void)deviceFunction, (void)threadLimit, (void)tid, (void)bid, (void)blockDim, (void)gridDim, (void)warpSize;
	add(handle, stub, name, 0);
}

/* The linker collects the shadows of managed variables in a section. */
extern char __start_simtrun_managed[] __attribute__((weak));
extern char __stop_simtrun_managed[] __attribute__((weak));

void __cudaRegisterVar(void **handle, char *shadow, char *deviceName, const char *name, int isExtern, size_t size, int isConstant, int isGlobal) {
	(void)deviceName, (void)isExtern, (void)isConstant, (void)isGlobal;
	struct symbol *s = add(handle, shadow, name, size);
	if (__start_simtrun_managed != NULL && shadow >= __start_simtrun_managed && shadow < __stop_simtrun_managed) {
		s->snapshot = calloc(1, size);
		s->nextManaged = managed;
		managed = s;
	}
}

/* Compilers with support for managed variables pass the address of a pointer, to be set to the variable's address. */
void __cudaRegisterManagedVar(void **handle, void **pointer, char *deviceName, const char *name, int isExtern, size_t size, int isConstant,
                              int isGlobal) {
	(void)deviceName, (void)isExtern, (void)isConstant, (void)isGlobal;
	add(handle, pointer, name, size);
}

/* nvcc registers textures and surfaces with a leading "::", which the name in PTX does not have. */
static const char *plainName(const char *name) { return strncmp(name, "::", 2) == 0 ? name + 2 : name; }

/* Texture and surface variables. norm means that texels are read as normalized numbers. */
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim, int norm, int isExtern);
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim, int norm, int isExtern) {
	(void)device, (void)dim, (void)isExtern;
	struct symbol *s = add(handle, host, plainName(name), 0);
	s->kind = TEXTURE;
	s->normalizedRead = norm;
}
void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim, int isExtern);
void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim, int isExtern) {
	(void)device, (void)dim, (void)isExtern;
	add(handle, host, plainName(name), 0)->kind = SURFACE;
}

void __cudaUnregisterFatBinary(void **handle) { (void)handle; } /* the program ends, and the driver with it */

/* Loading. The lock is held. */

/* A fat binary begins with this header; data is the size of what follows. */
struct fatbinHeader {
	unsigned magic;
	unsigned short version, size;
	unsigned long long data;
};

static const char fatbinMagic[] = "\x50\xed\x55\xba"; /* in memory: 0xba55ed50 */

static CUresult addImage(CUlinkState state, const void *image) {
	struct fatbinHeader h;
	if (strncmp(image, fatbinMagic, 4) != 0)
		return driver.cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, (void *)image, strlen(image) + 1, NULL, 0, NULL, NULL);
	memcpy(&h, image, sizeof h);
	return driver.cuLinkAddData_v2(state, CU_JIT_INPUT_FATBINARY, (void *)image, h.size + h.data, NULL, 0, NULL, NULL);
}

static CUresult addAll(CUlinkState state, const struct linked *files) {
	CUresult result = CUDA_SUCCESS;
	for (const struct fatbinWrapper **f = files->begin; f != files->end && result == CUDA_SUCCESS; f++)
		result = addImage(state, (*f)->data);
	return result;
}

static CUresult loadLinked(const struct linked *files, CUmodule *loaded) {
	CUlinkState state;
	void *image;
	size_t size;
	CUresult result = driver.cuLinkCreate_v2(0, NULL, NULL, &state);
	if (result != CUDA_SUCCESS)
		return result;
	result = addAll(state, files);
	if (result == CUDA_SUCCESS)
		result = driver.cuLinkComplete(state, &image, &size);
	if (result == CUDA_SUCCESS)
		result = driver.cuModuleLoadData(loaded, image);
	driver.cuLinkDestroy(state);
	return result;
}

static CUresult load(struct module *m, int device) {
	if (m->loaded[device] != NULL)
		return CUDA_SUCCESS;
	if (m->linked != NULL)
		return loadLinked(m->linked, &m->loaded[device]);
	return driver.cuModuleLoadData(&m->loaded[device], m->image);
}

static CUresult findFunction(struct symbol *s, int device) {
	if (s->function[device] != NULL)
		return CUDA_SUCCESS;
	CUresult result = load(s->module, device);
	if (result == CUDA_SUCCESS)
		result = driver.cuModuleGetFunction(&s->function[device], s->module->loaded[device], s->name);
	return result;
}

static CUresult findAddress(struct symbol *s, int device) {
	if (s->address[device] != 0)
		return CUDA_SUCCESS;
	CUresult result = load(s->module, device);
	if (result == CUDA_SUCCESS)
		result = driver.cuModuleGetGlobal_v2(&s->address[device], &s->size, s->module->loaded[device], s->name);
	return result;
}

cudaError_t function(const void *stub, CUfunction *fn) {
	int device = currentDevice();
	pthread_mutex_lock(&lock);
	struct symbol *s = find(stub);
	CUresult result = s == NULL ? CUDA_SUCCESS : findFunction(s, device);
	if (s != NULL)
		*fn = s->function[device];
	pthread_mutex_unlock(&lock);
	if (s == NULL && driver.cuKernelGetFunction(fn, (CUkernel)(size_t)stub) == CUDA_SUCCESS)
		return cudaSuccess;
	if (s == NULL)
		return failedFor(cudaErrorInvalidDeviceFunction, "%p is not a kernel of the program", stub);
	return result == CUDA_ERROR_NOT_FOUND ? failed(cudaErrorInvalidDeviceFunction) : done(result);
}

const void *stubOf(CUfunction fn) {
	int device = currentDevice();
	const void *stub = NULL;
	pthread_mutex_lock(&lock);
	for (int b = 0; b < BUCKETS && stub == NULL; b++)
		for (struct symbol *s = buckets[b]; s != NULL && stub == NULL; s = s->nextInBucket)
			if (fn != NULL && s->function[device] == fn)
				stub = s->host;
	pthread_mutex_unlock(&lock);
	return stub;
}

cudaError_t variable(const void *shadow, CUdeviceptr *address, size_t *size) {
	int device = currentDevice();
	pthread_mutex_lock(&lock);
	struct symbol *s = find(shadow);
	CUresult result = s == NULL ? CUDA_SUCCESS : findAddress(s, device);
	if (s != NULL) {
		*address = s->address[device];
		*size = s->size;
	}
	pthread_mutex_unlock(&lock);
	if (s == NULL)
		return failedFor(cudaErrorInvalidSymbol, "%p is not a variable of the program's device code", shadow);
	return result == CUDA_ERROR_NOT_FOUND ? failed(cudaErrorInvalidSymbol) : done(result);
}

cudaError_t textureReferenceOf(const void *shadow, CUtexref *ref, int *normalizedRead, size_t **offset) {
	int device = currentDevice();
	CUresult result = CUDA_SUCCESS;
	pthread_mutex_lock(&lock);
	struct symbol *s = find(shadow);
	if (s != NULL && s->kind == TEXTURE) {
		if (s->texture[device] == NULL && (result = load(s->module, device)) == CUDA_SUCCESS)
			result = driver.cuModuleGetTexRef(&s->texture[device], s->module->loaded[device], s->name);
		*ref = s->texture[device];
		*normalizedRead = s->normalizedRead;
		if (offset != NULL)
			*offset = &s->offset[device];
	}
	pthread_mutex_unlock(&lock);
	if (s == NULL || s->kind != TEXTURE || result == CUDA_ERROR_NOT_FOUND)
		return failed(cudaErrorInvalidTexture);
	return done(result);
}

cudaError_t surfaceReferenceOf(const void *shadow, CUsurfref *ref) {
	int device = currentDevice();
	CUresult result = CUDA_SUCCESS;
	pthread_mutex_lock(&lock);
	struct symbol *s = find(shadow);
	if (s != NULL && s->kind == SURFACE) {
		if (s->surface[device] == NULL && (result = load(s->module, device)) == CUDA_SUCCESS)
			result = driver.cuModuleGetSurfRef(&s->surface[device], s->module->loaded[device], s->name);
		*ref = s->surface[device];
	}
	pthread_mutex_unlock(&lock);
	if (s == NULL || s->kind != SURFACE || result == CUDA_ERROR_NOT_FOUND)
		return failed(cudaErrorInvalidSurface);
	return done(result);
}

void forgetModules(int device) {
	pthread_mutex_lock(&lock);
	for (struct module *m = modules; m != NULL; m = m->next) {
		m->loaded[device] = NULL;
		for (struct symbol *s = m->symbols; s != NULL; s = s->nextInModule) {
			s->function[device] = NULL;
			s->address[device] = 0;
			s->texture[device] = NULL;
			s->surface[device] = NULL;
		}
	}
	pthread_mutex_unlock(&lock);
}

/* Managed variables. */

/* The host's addresses are also the device's. All shadows are registered at once, because registered memory starts at
   an aligned address, so that each of two small variables would include the other. */
static void registerShadows(void) {
	static int registered;
	if (!registered)
		driver.cuMemHostRegister_v2(__start_simtrun_managed, __stop_simtrun_managed - __start_simtrun_managed, CU_MEMHOSTREGISTER_DEVICEMAP);
	registered = 1;
}

/* The initial values are on the device: the host's shadows have none. fetchManaged copies those of a module, or of
   all modules. */
static void fetchManaged(const struct module *m) {
	pthread_mutex_lock(&lock);
	for (struct symbol *s = managed; s != NULL; s = s->nextManaged) {
		if (s->fetched || (m != NULL && s->module != m) || findAddress(s, currentDevice()) != CUDA_SUCCESS)
			continue;
		s->fetched = 1;
		driver.cuMemcpyDtoH_v2((void *)s->host, s->address[currentDevice()], s->size);
		registerShadows();
	}
	pthread_mutex_unlock(&lock);
}

/* The driver is opened before main only if there are managed variables. */
static void fetchEarly(const struct module *m) {
	if (managed == NULL || begin() != cudaSuccess)
		return;
	fetchManaged(m);
	cudaGetLastError();
}

void __cudaRegisterFatBinaryEnd(void **handle) { fetchEarly((struct module *)handle); }

void __cudaRegisterLinkedBinary(void (*registerSymbols)(void **handle), const struct fatbinWrapper *wrapper, const char *id, void *unused) {
	(void)id, (void)unused;
	struct module *m = linkedModule(wrapper->linked);
	registerSymbols((void **)m);
	if (++m->registered == m->linked->end - m->linked->begin)
		fetchEarly(m);
}

/* upload copies a part of a variable from the host to the device. */
static void upload(struct symbol *s, size_t at, size_t size, CUstream stream) {
	memcpy(s->snapshot + at, (char *)s->host + at, size);
	driver.cuMemcpyHtoDAsync_v2(s->address[currentDevice()] + at, s->snapshot + at, size, stream);
}

/* uploadChanges copies what the host has changed since the last upload, and leaves what kernels may have changed. */
static void uploadChanges(struct symbol *s, CUstream stream) {
	const unsigned char *host = s->host;
	for (size_t at = 0, end; at < s->size; at = end) {
		for (end = at; end < s->size && host[end] != s->snapshot[end]; end++)
			;
		if (end > at)
			upload(s, at, end - at, stream);
		else
			end++;
	}
}

/* A capture has no copies of managed variables: they are uploaded when its graph is launched. */
void uploadManaged(CUstream stream) {
	CUstreamCaptureStatus captured = CU_STREAM_CAPTURE_STATUS_NONE;
	if (managed == NULL || (driver.cuStreamIsCapturing(stream, &captured) == CUDA_SUCCESS && captured != CU_STREAM_CAPTURE_STATUS_NONE))
		return;
	fetchManaged(NULL);
	pthread_mutex_lock(&lock);
	for (struct symbol *s = managed; s != NULL; s = s->nextManaged) {
		if (findAddress(s, currentDevice()) != CUDA_SUCCESS)
			continue;
		if (behind)
			uploadChanges(s, stream);
		else
			upload(s, 0, s->size, stream);
	}
	behind = 1;
	pthread_mutex_unlock(&lock);
}

/* merge copies the bytes of now that differ from before. */
static void merge(unsigned char *host, const unsigned char *now, const unsigned char *before, size_t size) {
	enum { CHUNK = 4096 };
	for (size_t at = 0; at < size; at += CHUNK) {
		size_t end = size - at < CHUNK ? size : at + CHUNK;
		if (memcmp(now + at, before + at, end - at) == 0)
			continue;
		for (size_t i = at; i < end; i++)
			if (now[i] != before[i])
				host[i] = now[i];
	}
}

/* A kernel may have written the variable, or the shadow through a pointer: every byte that differs from the
   snapshot is copied. */
void downloadManaged(void) {
	if (managed == NULL || !behind)
		return;
	pthread_mutex_lock(&lock);
	for (struct symbol *s = managed; s != NULL; s = s->nextManaged) {
		unsigned char *now = malloc(s->size), *host = (unsigned char *)s->host;
		if (s->address[currentDevice()] != 0 && driver.cuMemcpyDtoH_v2(now, s->address[currentDevice()], s->size) == CUDA_SUCCESS)
			merge(host, now, s->snapshot, s->size);
		free(now);
	}
	behind = 0;
	pthread_mutex_unlock(&lock);
}

cudaError_t waited(CUresult result) {
	if (result == CUDA_SUCCESS)
		downloadManaged();
	return done(result);
}

/* Symbols. */

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
	CUdeviceptr at;
	size_t size;
	BEGIN;
	TRY(variable(symbol, &at, &size));
	*address = (void *)at;
	return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
	CUdeviceptr at;
	BEGIN;
	return variable(symbol, &at, size);
}

static cudaError_t partOf(const void *symbol, size_t count, size_t offset, CUdeviceptr *at) {
	size_t size;
	TRY(variable(symbol, at, &size));
	if (offset > size || count > size - offset)
		return failedFor(cudaErrorInvalidValue, "%zu bytes at byte %zu of a variable, which has only %zu bytes", count, offset, size);
	*at += offset;
	return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind) {
	CUdeviceptr at;
	BEGIN;
	TRY(partOf(symbol, count, offset, &at));
	return cudaMemcpy((void *)at, src, count, kind);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind) {
	CUdeviceptr at;
	BEGIN;
	TRY(partOf(symbol, count, offset, &at));
	return cudaMemcpy(dst, (const void *)at, count, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind,
                                    cudaStream_t stream) {
	CUdeviceptr at;
	BEGIN;
	TRY(partOf(symbol, count, offset, &at));
	return cudaMemcpyAsync((void *)at, src, count, kind, stream);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind,
                                      cudaStream_t stream) {
	CUdeviceptr at;
	BEGIN;
	TRY(partOf(symbol, count, offset, &at));
	return cudaMemcpyAsync(dst, (const void *)at, count, kind, stream);
}
