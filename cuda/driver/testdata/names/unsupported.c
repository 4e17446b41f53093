// Calls each function named by the arguments, none of which is supported: twice, as that is said once.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	enum { NOT_SUPPORTED = 801 };
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	int wrong = 0;

	if (library == NULL) {
		printf("%s\n", dlerror());
		return 1;
	}
	for (int i = 1; i < argc; i++) {
		int (*fn)(void) = (int (*)(void))dlsym(library, argv[i]);
		if (fn == NULL || fn() != NOT_SUPPORTED || fn() != NOT_SUPPORTED) {
			printf("%s\n", argv[i]);
			wrong = 1;
		}
	}
	return wrong;
}
