// Files without an end, and larger than the memory that there is for them, are not read to their end.
//
// RUN SIMTRUN_MEMORY=33554432
// STDERR ^simtrun: /dev/zero has more than the 33554432 bytes that SIMTRUN_MEMORY leaves$
// STDERR ^simtrun: .*/pipe has more than the 33554432 bytes that SIMTRUN_MEMORY leaves$
// STDERR ^simtrun: .*/sparse has more than the 33554432 bytes
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static char pipeName[256];

static void *writes(void *unused)
{
	static char bytes[1 << 16];
	int fd;

	(void)unused;
	while ((fd = open(pipeName, O_WRONLY)) >= 0) { /* for each that reads */
		while (write(fd, bytes, sizeof bytes) > 0)
			;
		close(fd);
	}
	return NULL;
}

static void load(const char *name)
{
	CUmodule module;
	CUlibrary library;
	CUlinkState link;

	OK(cuLinkCreate(0, NULL, NULL, &link));
	WANT(CUDA_ERROR_OUT_OF_MEMORY, cuLinkAddFile(link, CU_JIT_INPUT_PTX, name, 0, NULL, NULL));
	OK(cuLinkDestroy(link));
	WANT(CUDA_ERROR_OUT_OF_MEMORY, cuModuleLoad(&module, name));
	WANT(CUDA_ERROR_OUT_OF_MEMORY, cuLibraryLoadFromFile(&library, name, NULL, NULL, 0, NULL, NULL, 0));
}

int main(void)
{
	char sparse[256];
	pthread_t writer;
	CUmodule module;

	signal(SIGPIPE, SIG_IGN);
	begin();
	WANT(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/nowhere/at all"));
	load("/dev/zero");
	snprintf(sparse, sizeof sparse, "%s/sparse", getenv("OUT"));
	int fd = open(sparse, O_CREAT | O_WRONLY, 0600);
	TRUE(fd >= 0 && ftruncate(fd, 1L << 40) == 0);
	load(sparse);
	snprintf(pipeName, sizeof pipeName, "%s/pipe", getenv("OUT"));
	TRUE(mkfifo(pipeName, 0600) == 0);
	pthread_create(&writer, NULL, writes, NULL);
	load(pipeName);
	return failures != 0;
}
