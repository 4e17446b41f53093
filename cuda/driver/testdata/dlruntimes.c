// The runtimes for programs that were linked with a shared one of CUDA 11, 12 or 13: names with the versions that such programs ask for, and parameters and
// structures as that version has them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define HAVE(want, got)                                                                            \
	do {                                                                                             \
		long long want_ = (want), got_ = (got);                                                        \
		if (want_ != got_) {                                                                           \
			printf("%s:%d: %s: %s is %lld, want %lld\n", __FILE__, __LINE__, runtime, #got, got_, want_); \
			failures++;                                                                                  \
		}                                                                                              \
	} while (0)

static const char *runtime;
static void *library;

static void *find(const char *name)
{
	void *fn = dlvsym(library, name, runtime);
	if (fn == NULL)
		printf("%s has no %s\n", runtime, name), failures++;
	return fn;
}

#define CALL(TYPES, NAME, ...) ((int(*) TYPES)find(NAME))(__VA_ARGS__)

/* Members by their offsets, in CUDA 13 without the eight that it has left out. Of what is behind the structure nothing is written. */
static void properties(const char *name, int size, int major, int processors, int optin)
{
	enum { BEHIND = 64 };
	unsigned char p[2048];
	int written = 0;

	memset(p, 0xee, sizeof(p));
	HAVE(0, CALL((void *, int), name, p, 0));
	for (int i = size; i < size + BEHIND; i++)
		written += p[i] != 0xee;
	HAVE(0, written);
	HAVE(9, *(int *)(p + major));
	HAVE(132, *(int *)(p + processors));
	HAVE(227 << 10, *(long long *)(p + optin));
}

/* The attributes of CUDA 11 are a union of 32 bytes. */
static void attributes(void)
{
	static const int known[] = {1, 3};
	void *stream;

	HAVE(0, CALL((void **), "cudaStreamCreate", &stream));
	for (int i = 0; i < 2; i++) {
		unsigned char value[64];
		int written = 0;
		memset(value, 0xee, sizeof(value));
		HAVE(0, CALL((void *, int, void *), "cudaStreamGetAttribute", stream, known[i], value));
		for (int k = 32; k < 64; k++)
			written += value[k] != 0xee;
		HAVE(0, written);
		HAVE(0, CALL((void *, int, const void *), "cudaStreamSetAttribute", stream, known[i], value));
	}
}

/* The number of nodes in a capture that has none yet. */
static void captures(int version)
{
	void *stream, *graph = NULL, *exec = NULL, *node = (void *)1;
	char log[4] = "log";
	struct {
		int result;
		void *node, *from;
	} info = {99, (void *)1, (void *)1};
	int status = -1, result = 99;
	unsigned long long id = 0;

	HAVE(0, CALL((void **), "cudaStreamCreate", &stream));
	HAVE(0, CALL((void *, int), "cudaStreamBeginCapture", stream, 0));
	if (version == 13) {
		const void *nodes = NULL, *edges = NULL;
		size_t n = 9;
		HAVE(0, CALL((void *, int *, unsigned long long *, void **, const void **, const void **, size_t *), "cudaStreamGetCaptureInfo", stream, &status, &id, &graph, &nodes, &edges, &n));
		HAVE(0, n);
	} else {
		HAVE(0, CALL((void *, int *, unsigned long long *), "cudaStreamGetCaptureInfo", stream, &status, &id));
	}
	HAVE(1, status);
	HAVE(0, CALL((void *, void **), "cudaStreamEndCapture", stream, &graph));
	if (version == 11) {
		HAVE(0, CALL((void **, void *, void **, char *, size_t), "cudaGraphInstantiate", &exec, graph, &node, log, sizeof(log)));
		HAVE(1, node == NULL && log[0] == 0);
		node = (void *)1;
		HAVE(0, CALL((void *, void *, void **, int *), "cudaGraphExecUpdate", exec, graph, &node, &result));
		HAVE(1, node == NULL && result == 0);
	} else {
		HAVE(0, CALL((void **, void *, unsigned long long), "cudaGraphInstantiate", &exec, graph, 0));
		HAVE(0, CALL((void *, void *, void *), "cudaGraphExecUpdate", exec, graph, &info));
		HAVE(0, info.result);
	}
}

static void driver_functions(int version)
{
	void *fn = NULL;
	int status = 7;
	if (version == 11)
		HAVE(0, CALL((const char *, void **, unsigned long long), "cudaGetDriverEntryPoint", "cuInit", &fn, 0));
	else if (version == 12)
		HAVE(0, CALL((const char *, void **, unsigned long long, int *), "cudaGetDriverEntryPoint", "cuInit", &fn, 0, &status));
	else
		HAVE(0, CALL((const char *, void **, unsigned int, unsigned long long, int *), "cudaGetDriverEntryPointByVersion", "cuInit", &fn, 13000, 0, &status));
	HAVE(1, fn != NULL);
	HAVE(version == 11 ? 7 : 0, status);
}

static void advice(int version)
{
	struct {
		int type, id;
	} location = {1, 0};
	void *p;

	HAVE(0, CALL((void **, size_t, unsigned), "cudaMallocManaged", &p, 4096, 1));
	if (version == 13) {
		HAVE(0, CALL((void *, size_t, int, __typeof__(location)), "cudaMemAdvise", p, 4096, 3, location));
		HAVE(0, CALL((void *, size_t, __typeof__(location), unsigned, void *), "cudaMemPrefetchAsync", p, 4096, location, 0, NULL));
	} else {
		HAVE(0, CALL((void *, size_t, int, int), "cudaMemAdvise", p, 4096, 3, 0));
		HAVE(0, CALL((void *, size_t, int, void *), "cudaMemPrefetchAsync", p, 4096, 0, NULL));
	}
}

/* Kernels by their stubs, as compilers register them. */
static void kernels(int version)
{
	static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry put(.param .u64 p)\n{\n.reg .b64 %d;\n.reg .b32 %r;\nld.param.u64 %d, [p];\n"
	                          "mov.u32 %r, %ctaid.x;\nadd.u32 %r, %r, 7;\nst.global.u32 [%d], %r;\nret;\n}\n";
	static const struct {
		int magic, version;
		const void *data, *files;
	} wrapper = {0x466243b1, 1, ptx, NULL};
	static const char stub[1];
	struct dim3 {
		unsigned x, y, z;
	} one = {1, 1, 1};
	struct {
		size_t shared, constant, local;
		int threads, more[200];
	} attributes;
	int *p;
	const void *kernel = stub;
	void **handle = ((void **(*)(const void *))find("__cudaRegisterFatBinary"))(&wrapper);

	((void (*)(void **, const void *, const char *, const char *, int, void *, void *, void *, void *, void *))find("__cudaRegisterFunction"))(handle, stub, "put", "put", -1, NULL, NULL, NULL,
	                                                                                                                                          NULL, NULL);
	((void (*)(void **))find("__cudaRegisterFatBinaryEnd"))(handle);
	HAVE(0, CALL((void **, size_t, unsigned), "cudaHostAlloc", (void **)&p, 4, 0));
	if (version == 13) {
		HAVE(0, CALL((const void **, const void *), "__cudaGetKernel", &kernel, stub));
		HAVE(0, CALL((const void *, struct dim3, struct dim3, void **, size_t, void *), "__cudaLaunchKernel", kernel, one, one, (void *[]){&p}, 0, NULL));
	} else {
		HAVE(0, CALL((const void *, struct dim3, struct dim3, void **, size_t, void *), "cudaLaunchKernel", kernel, one, one, (void *[]){&p}, 0, NULL));
	}
	HAVE(0, CALL((void), "cudaDeviceSynchronize"));
	HAVE(7, *p);
	memset(&attributes, 0xee, sizeof(attributes));
	HAVE(0, CALL((void *, const void *), "cudaFuncGetAttributes", &attributes, kernel));
	HAVE(1024, attributes.threads);
	if (version == 11)
		HAVE((int)0xeeeeeeee, attributes.more[6]); /* behind the structure */
}

int main(void)
{
	static const struct {
		const char *name;
		int version, is;
	} all[] = {{"libcudart.so.11.0", 11, 11080}, {"libcudart.so.12", 12, 12080}, {"libcudart.so.13", 13, 13000}};

	for (int i = 0; i < 3; i++) {
		int version = 0;
		runtime = all[i].name;
		library = dlopen(runtime, RTLD_NOW | RTLD_LOCAL);
		if (library == NULL) {
			printf("%s\n", dlerror());
			return 1;
		}
		HAVE(0, CALL((int *), "cudaRuntimeGetVersion", &version));
		HAVE(all[i].is, version);
		if (all[i].version == 13) {
			properties("cudaGetDeviceProperties", 1008, 360, 384, 672);
		} else {
			properties("cudaGetDeviceProperties", 728, 360, 388, 696);
			properties("cudaGetDeviceProperties_v2", 1032, 360, 388, 696);
		}
		attributes();
		captures(all[i].version);
		driver_functions(all[i].version);
		advice(all[i].version);
		kernels(all[i].version);
		HAVE(1, dlsym(library, "begin") == NULL);
	}
	return failures != 0;
}
