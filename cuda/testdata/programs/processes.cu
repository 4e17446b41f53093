// Memory that another process has allocated, and an event of it. The program runs itself as the other process.
#include "check.h"
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

struct Handles {
	cudaIpcMemHandle_t memory;
	cudaIpcEventHandle_t event;
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
	return 0;
}

int main(int argc, char **argv) {
	if (argc > 1)
		return other(argv[1]);
	const int n = 32;
	int *p, values[n];
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
	char text[2 * sizeof(handles) + 1], *args[] = {argv[0], text, nullptr};
	for (size_t i = 0; i < sizeof(handles); i++)
		sprintf(text + 2 * i, "%02x", ((unsigned char *)&handles)[i]);
	pid_t pid;
	int status = -1;
	EXPECT(posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, args, environ) == 0);
	EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(cudaMemcpy(values, p, sizeof(values), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		EXPECT(values[i] == 2 * i);
	CHECK(cudaFree(p));
	printf("ok\n");
}
