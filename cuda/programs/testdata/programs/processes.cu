// Memory that another process has allocated, by itself and in a pool, and an event of it. The program runs itself as the other process.
#include "check.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct Handles {
	cudaIpcMemHandle_t memory;
	cudaIpcEventHandle_t event;
	cudaMemPoolPtrExportData pooled;
	int process, pool;
};

__global__ void twice(int *p) { p[threadIdx.x] *= 2; }

static int other(const char *text) {
	Handles handles;
	for (size_t i = 0; i < sizeof(handles); i++) {
		unsigned value;
		sscanf(text + 2 * i, "%2x", &value);
		((unsigned char *)&handles)[i] = (unsigned char)value;
	}
	int *p;
	cudaEvent_t event;
	CHECK(cudaIpcOpenMemHandle((void **)&p, handles.memory, cudaIpcMemLazyEnablePeerAccess));
	CHECK(cudaIpcOpenEventHandle(&event, handles.event));
	CHECK(cudaStreamWaitEvent(0, event, 0));
	twice<<<1, 32>>>(p);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaIpcCloseMemHandle(p));
	char path[64];
	sprintf(path, "/proc/%d/fd/%d", handles.process, handles.pool);
	intptr_t file = open(path, O_RDWR);
	cudaMemPool_t pool;
	CHECK(cudaMemPoolImportFromShareableHandle(&pool, (void *)file, cudaMemHandleTypePosixFileDescriptor, 0));
	CHECK(cudaMemPoolImportPointer((void **)&p, pool, &handles.pooled));
	twice<<<1, 32>>>(p);
	CHECK(cudaFreeAsync(p, 0));
	CHECK(cudaStreamSynchronize(0));
	return 0;
}

int main(int argc, char **argv) {
	if (argc > 1)
		return other(argv[1]);
	const int n = 32;
	int *p, *pooled, values[n];
	Handles handles;
	cudaEvent_t event;
	for (int i = 0; i < n; i++)
		values[i] = i;
	CHECK(cudaMalloc(&p, sizeof(values)));
	CHECK(cudaMemcpy(p, values, sizeof(values), cudaMemcpyHostToDevice));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
	CHECK(cudaEventRecord(event));
	CHECK(cudaIpcGetMemHandle(&handles.memory, p));
	CHECK(cudaIpcGetEventHandle(&handles.event, event));
	cudaMemPoolProps props = {};
	props.allocType = cudaMemAllocationTypePinned;
	props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
	props.location.type = cudaMemLocationTypeDevice;
	cudaMemPool_t pool;
	CHECK(cudaMemPoolCreate(&pool, &props));
	CHECK(cudaMallocAsync(&pooled, sizeof(values), pool, 0));
	CHECK(cudaMemcpyAsync(pooled, values, sizeof(values), cudaMemcpyHostToDevice, 0));
	CHECK(cudaStreamSynchronize(0));
	CHECK(cudaMemPoolExportToShareableHandle(&handles.pool, pool, cudaMemHandleTypePosixFileDescriptor, 0));
	CHECK(cudaMemPoolExportPointer(&handles.pooled, pooled));
	handles.process = getpid();
	char text[2 * sizeof(handles) + 1], *args[] = {argv[0], text, nullptr};
	for (size_t i = 0; i < sizeof(handles); i++)
		sprintf(text + 2 * i, "%02x", ((unsigned char *)&handles)[i]);
	pid_t pid;
	int status = -1;
	EXPECT(posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, args, environ) == 0);
	EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
	for (int *shared : {p, pooled}) {
		CHECK(cudaMemcpy(values, shared, sizeof(values), cudaMemcpyDeviceToHost));
		for (int i = 0; i < n; i++)
			EXPECT(values[i] == 2 * i);
		CHECK(cudaFree(shared));
	}
	printf("ok\n");
}
