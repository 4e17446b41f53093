//cc: -Xcompiler -no-pie
// A program at fixed addresses, which are low: kernels reach its variables, managed or registered, by their addresses on the host.
#include "check.h"
#include <cstdint>

__managed__ int managed[100];
static int registered[100];

__global__ void add(int *to, int value) { to[threadIdx.x] += value + threadIdx.x; }

static bool all(const int *values, int first) {
	for (int i = 0; i < 100; i++)
		if (values[i] != first + i)
			return false;
	return true;
}

int main() {
	EXPECT((uintptr_t)managed < 1 << 24 && (uintptr_t)registered < 1 << 24);
	add<<<1, 100>>>(managed, 5);
	CHECK(cudaDeviceSynchronize());
	EXPECT(all(managed, 5));

	int *device;
	CHECK(cudaHostRegister(registered, sizeof registered, cudaHostRegisterMapped));
	CHECK(cudaHostGetDevicePointer(&device, registered, 0));
	add<<<1, 100>>>(device, 7);
	CHECK(cudaDeviceSynchronize());
	EXPECT(all(registered, 7));
	CHECK(cudaHostUnregister(registered));
	printf("ok\n");
}
