// Calls the functions that the arguments name with NULL and 0, and with a buffer in the place of one of the first
// two arguments. The first argument is the library.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int anything(void *, void *, void *, long, long, long, long, long);

int main(int argc, char **argv)
{
	static long buffer[1024];
	void *library = dlopen(argv[1], RTLD_NOW);
	if (library == NULL) {
		puts(dlerror());
		return 1;
	}
	for (int i = 2; i < argc; i++) {
		anything *call = (anything *)dlsym(library, argv[i]);
		for (int at = -1; at < 2; at++) {
			memset(buffer, 0, sizeof(buffer));
			printf("%s", argv[i]);
			fflush(stdout); // the last line names a call that crashes
			call(at == 0 ? buffer : NULL, at == 1 ? buffer : NULL, NULL, 0, 0, 0, 0, 0);
			printf(" %d\n", at);
		}
	}
	puts("done");
	return 0;
}
