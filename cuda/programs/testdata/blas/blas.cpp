// What cuBLAS and cublasLt compute, against the host's sums. With an argument it is a part of that.
#include <thread>

#include "gemm.h"
#include "levels.h"
#include "lt.h"

// A handle is used by a thread that has no context, and there is a new one after the device was reset.
static void testContexts() {
	for (int i = 0; i < 2; i++) {
		cublasHandle_t handle;
		BLAS(cublasCreate(&handle));
		{
			Both<float> x(9);
			double want = 0;
			float got = 0;
			for (float e : x.host)
				want += e * e;
			std::thread thread([&] { BLAS(cublasSdot(handle, 9, x.device, 1, x.device, 1, &got)); });
			thread.join();
			EXPECT(got == want);
		}
		BLAS(cublasDestroy(handle));
		CHECK(cudaDeviceReset());
	}
}

int main(int n, char **) {
	products::run(n > 1);
	forms::run(n > 1);
	described::run(n > 1);
	testContexts();
	printf("ok\n");
}
