// Prints the devices that the driver library has.
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	if (driver == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
	int (*count)(int *) = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
	int (*name)(char *, int, int) = (int (*)(char *, int, int))dlsym(driver, "cuDeviceGetName");
	char text[100];
	int devices = 0;
	if (init(0) != 0 || count(&devices) != 0 || name(text, sizeof text, 0) != 0)
		return 1;
	printf("%d device, %s\n", devices, text);
	return 0;
}
