/* How long tiny launches and loading modules take: CPU time of the process and time of the clock.
 *
 *	cc -O2 -Icuda/include -o speed cuda/test/speed.c -Lcuda/lib -lcuda && LD_LIBRARY_PATH=cuda/lib ./speed
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static void check(CUresult r, int line)
{
	if (r != CUDA_SUCCESS) {
		fprintf(stderr, "speed.c:%d: error %d\n", line, r);
		exit(1);
	}
}
#define CHECK(call) check(call, __LINE__)

struct moment {
	double cpu, clock; /* µs */
};

static struct moment now(void)
{
	struct rusage r;
	struct timespec t;

	getrusage(RUSAGE_SELF, &r);
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (struct moment){(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e6 + r.ru_utime.tv_usec + r.ru_stime.tv_usec, t.tv_sec * 1e6 + t.tv_nsec / 1e3};
}

static void tell(const char *what, struct moment from, int n)
{
	struct moment to = now();
	printf("%-44s %8.1f us CPU  %8.1f us\n", what, (to.cpu - from.cpu) / n, (to.clock - from.clock) / n);
}

/* text is a kernel of n instructions besides its first and last, with a number in it that makes it another one. */
static char *text(int n, int number)
{
	char *s = malloc(200 + 60 * (size_t)n), *p = s;

	p += sprintf(p, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 to)\n{\n.reg .b32 %%r<8>;\n.reg .b64 %%d<4>;\n");
	p += sprintf(p, "ld.param.u64 %%d1, [to];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r4, %%ctaid.x;\nmov.u32 %%r5, %%ntid.x;\nmad.lo.u32 %%r1, %%r4, %%r5, %%r1;\nmul.wide.u32 %%d2, %%r1, 4;\nadd.s64 %%d1, %%d1, %%d2;\nmov.u32 %%r2, %d;\n", number);
	for (int i = 0; i < n; i++)
		p += sprintf(p, i % 4 == 0 ? "ld.global.u32 %%r3, [%%d1];\n" : i % 4 == 1 ? "mad.lo.u32 %%r2, %%r2, %%r3, %%r1;\n" : i % 4 == 2 ? "xor.b32 %%r2, %%r2, %%r3;\n" : "st.global.u32 [%%d1], %%r2;\n");
	sprintf(p, "ret;\n}\n");
	return s;
}

static void launches(const char *what, CUfunction f, CUdeviceptr p, int ctas, int threads, int n)
{
	for (int i = 0; i < 100; i++)
		CHECK(cuLaunchKernel(f, ctas, 1, 1, threads, 1, 1, 0, 0, (void *[]){&p}, 0));
	struct moment from = now();
	for (int i = 0; i < n; i++)
		CHECK(cuLaunchKernel(f, ctas, 1, 1, threads, 1, 1, 0, 0, (void *[]){&p}, 0));
	CHECK(cuCtxSynchronize());
	tell(what, from, n);
}

int main(void)
{
	enum { LAUNCHES = 10000, MODULES = 300 };
	CUcontext ctx;
	CUmodule m;
	CUfunction f;
	CUdeviceptr p;
	struct moment from = now();

	CHECK(cuInit(0));
	CHECK(cuCtxCreate(&ctx, 0, 0));
	tell("cuInit, cuCtxCreate", from, 1);
	CHECK(cuMemAlloc(&p, 1 << 20));
	CHECK(cuMemsetD8(p, 1, 1 << 20));

	CHECK(cuModuleLoadData(&m, text(4, 0)));
	CHECK(cuModuleGetFunction(&f, m, "k"));
	launches("a launch of 1 CTA of 32 threads", f, p, 1, 32, LAUNCHES);
	launches("a launch of 1 CTA of 256 threads", f, p, 1, 256, LAUNCHES);
	launches("a launch of 16 CTAs of 128 threads", f, p, 16, 128, LAUNCHES);

	from = now();
	for (int i = 0; i < LAUNCHES; i++)
		CHECK(cuMemsetD32(p, 0, 1));
	tell("cuMemsetD32 of 4 bytes", from, LAUNCHES);

	char *texts[MODULES];
	CUmodule modules[MODULES];
	for (int i = 0; i < MODULES; i++)
		texts[i] = text(83, i); /* 100 lines */
	from = now();
	for (int i = 0; i < MODULES; i++)
		CHECK(cuModuleLoadData(&modules[i], texts[i]));
	tell("cuModuleLoadData of 100 lines", from, MODULES);
	from = now();
	for (int i = 0; i < MODULES; i++)
		CHECK(cuModuleGetFunction(&f, modules[i], "k"));
	tell("cuModuleGetFunction", from, MODULES);
	from = now();
	for (int i = 0; i < MODULES; i++) {
		CHECK(cuModuleGetFunction(&f, modules[i], "k"));
		CHECK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&p}, 0));
	}
	tell("its first launch", from, MODULES);
	from = now();
	for (int i = 0; i < MODULES; i++)
		CHECK(cuModuleLoadData(&m, texts[i]));
	tell("cuModuleLoadData of the same again", from, MODULES);
	from = now();
	for (int i = 0; i < MODULES; i++)
		CHECK(cuModuleUnload(modules[i]));
	tell("cuModuleUnload", from, MODULES);
	return 0;
}
