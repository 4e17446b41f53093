// Loads libcublas.so and libcublasLt.so of CUDA 11 to 13, as programs that were built for them do.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *find(void *library, const char *name, const char *version)
{
	void *found = library != NULL ? dlvsym(library, name, version) : NULL;

	if (found == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return found;
}

int main(void)
{
	for (int version = 11; version <= 13; version++) {
		char blas[32], lt[32];
		void *handle = NULL;
		int got = 0;

		snprintf(blas, sizeof blas, "libcublas.so.%d", version);
		snprintf(lt, sizeof lt, "libcublasLt.so.%d", version);
		void *library = dlopen(blas, RTLD_NOW), *light = dlopen(lt, RTLD_NOW);
		int (*create)(void **) = (int (*)(void **))find(library, "cublasCreate_v2", blas);
		int (*destroy)(void *) = (int (*)(void *))find(library, "cublasDestroy_v2", blas);
		int (*property)(int, int *) = (int (*)(int, int *))find(library, "cublasGetProperty", blas);
		int (*unsupported)(void *) = (int (*)(void *))find(library, "cublasSgbmv_v2", blas);
		size_t (*number)(void) = (size_t (*)(void))find(light, "cublasLtGetVersion", lt);
		if (create(&handle) != 0 || property(0, &got) != 0 || got != version || number() / 10000 != (size_t)version) {
			fprintf(stderr, "version %d says it is %d and %zu\n", version, got, number());
			return 1;
		}
		for (int i = 0; i < 2; i++)
			if (unsupported(handle) != 15)
				return 2;
		if (destroy(handle) != 0)
			return 3;
	}
	printf("ok\n");
	return 0;
}
