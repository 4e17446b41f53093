// Programs for the check of races between streams. Each case has its verdict: "race" of two operations, "host" of the host with a copy, or "" for
// a program that is right. What the rules of CUDA's documentation say about a case is next to it.
#include "../check.h"

#include <pthread.h>

/* write: p[i] = i; read: q[i] = p[i]; count: atomic add of 1 to p[i]; part: p[i + from] = i for a byte each. */
static const char ptx[] = PTX_HEAD
	".visible .entry write(.param .u64 p)\n{\n.reg .b64 %a, %i;\n.reg .b32 %r;\nld.param.u64 %a, [p];\nmov.u32 %r, %tid.x;\nmul.wide.u32 %i, %r, 4;\nadd.u64 %a, %a, %i;\n"
	"st.global.u32 [%a], %r;\nret;\n}\n"
	".visible .entry read(.param .u64 p, .param .u64 q)\n{\n.reg .b64 %a, %b, %i;\n.reg .b32 %r;\nld.param.u64 %a, [p];\nld.param.u64 %b, [q];\nmov.u32 %r, %tid.x;\n"
	"mul.wide.u32 %i, %r, 4;\nadd.u64 %a, %a, %i;\nadd.u64 %b, %b, %i;\nld.global.u32 %r, [%a];\nst.global.u32 [%b], %r;\nret;\n}\n"
	".visible .entry count(.param .u64 p)\n{\n.reg .b64 %a, %i;\n.reg .b32 %r;\nld.param.u64 %a, [p];\nmov.u32 %r, %tid.x;\nmul.wide.u32 %i, %r, 4;\nadd.u64 %a, %a, %i;\n"
	"red.global.add.u32 [%a], 1;\nret;\n}\n"
	".visible .entry part(.param .u64 p, .param .u32 from)\n{\n.reg .b64 %a, %i;\n.reg .b32 %r, %f;\nld.param.u64 %a, [p];\nld.param.u32 %f, [from];\nmov.u32 %r, %tid.x;\n"
	"add.u32 %r, %r, %f;\ncvt.u64.u32 %i, %r;\nadd.u64 %a, %a, %i;\nst.global.u8 [%a], %r;\nret;\n}\n";

static CUdeviceptr p, q;
static unsigned *pinned, pageable[32];
static CUstream a, b, plain, plainToo; /* a and b do not wait for the default stream */
static CUevent event;
static CUmodule module;

static void run(const char *name, CUstream s, void **params)
{
	CUfunction fn;
	OK(cuModuleGetFunction(&fn, module, name));
	OK(cuLaunchKernel(fn, 1, 1, 1, 32, 1, 1, 0, s, params, 0));
}

static void put(CUstream s) { run("write", s, (void *[]){&p}); }
static void get(CUstream s) { run("read", s, (void *[]){&p, &q}); }
static void count(CUstream s) { run("count", s, (void *[]){&p}); }
static void part(CUstream s, unsigned from) { run("part", s, (void *[]){&p, &from}); }
static void wait(CUstream later, CUstream earlier)
{
	OK(cuEventRecord(event, earlier));
	OK(cuStreamWaitEvent(later, event, 0));
}

/* Streams. */
static void two_streams(void) { put(a), get(b); }
static void one_stream(void) { put(a), get(a); }
static void two_readers(void) { get(a), run("read", b, (void *[]){&p, &(CUdeviceptr){q + 128}}); }
static void read_then_write(void) { get(a), put(b); }
static void two_writers(void) { put(a), put(b); }
static void other_bytes(void) { part(a, 0), part(b, 32); }
static void common_bytes(void) { part(a, 0), part(b, 31); }
static void atomics(void) { count(a), count(b); }
static void atomics_and_read(void) { count(a), count(b), wait(b, b), get(b); } /* not after those of a */
static void atomics_awaited(void) { count(a), count(b), wait(b, a), get(b); }

/* Events: a wait is for the latest record before it; a query that says that the event has happened is a wait of the host. */
static void by_event(void) { put(a), wait(b, a), get(b); }
static void event_too_early(void) { OK(cuEventRecord(event, a)), put(a), OK(cuStreamWaitEvent(b, event, 0)), get(b); }
static void event_not_recorded(void) { put(a), OK(cuStreamWaitEvent(b, event, 0)), get(b); }
static void event_recorded_again(void) { put(a), OK(cuEventRecord(event, a)), OK(cuEventRecord(event, b)), OK(cuStreamWaitEvent(b, event, 0)), get(b); }
static void event_of_host(void) { put(a), OK(cuEventRecord(event, a)), OK(cuEventSynchronize(event)), get(b); }
static void event_queried(void) { put(a), OK(cuEventRecord(event, a)), OK(cuEventQuery(event)), get(b); }
static void through_third(void) { put(a), wait(plain, a), wait(b, plain), get(b); }

/* Waits of the host. */
static void stream_awaited(void) { put(a), OK(cuStreamSynchronize(a)), get(b); }
static void other_awaited(void) { put(a), OK(cuStreamSynchronize(b)), get(b); }
static void context_awaited(void) { put(a), OK(cuCtxSynchronize()), get(b); }
static void free_waits(void) { put(a), OK(cuMemFree(q)), OK(cuMemAlloc(&q, 256)), get(b); }

/* The default stream waits for blocking streams, and these for it. */
static void legacy_after(void) { put(plain), get(0); }
static void legacy_before(void) { put(0), get(plain); }
static void legacy_between(void) { put(plain), run("count", 0, (void *[]){&q}), get(plainToo); }
static void legacy_non_blocking(void) { put(a), get(0); }
static void blocking_streams(void) { put(plain), get(plainToo); }
static void thread_stream(void) { put(CU_STREAM_PER_THREAD), get(a); }
static void thread_stream_and_legacy(void) { put(CU_STREAM_PER_THREAD), get(0); }
static void *in_thread(void *ctx)
{
	OK(cuCtxSetCurrent(ctx));
	put(CU_STREAM_PER_THREAD);
	return NULL;
}
static void threads(void)
{
	CUcontext ctx;
	pthread_t thread;
	OK(cuCtxGetCurrent(&ctx));
	pthread_create(&thread, NULL, in_thread, ctx);
	pthread_join(thread, NULL);
	get(CU_STREAM_PER_THREAD);
}
static void ptsz_variant(void)
{
	CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);
	CUfunction fn;
	OK(cuGetProcAddress("cuLaunchKernel", (void **)&launch, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
	OK(cuModuleGetFunction(&fn, module, "write"));
	OK(launch(fn, 1, 1, 1, 32, 1, 1, 0, 0, (void *[]){&p}, 0));
	get(a);
}

/* Copies and fills: a copy in the default stream waits for it; a copy to the host has arrived when it returns, one from pageable memory may not
   have arrived yet; a fill does not wait. */
static void fill_and_kernel(void) { OK(cuMemsetD32Async(p, 1, 32, a)), get(b); }
static void fill_does_not_wait(void) { OK(cuMemsetD32(p, 1, 32)), get(a); }
static void copy_and_kernel(void) { OK(cuMemcpyDtoDAsync(p, q, 128, a)), get(b); }
static void copy_of_written(void) { put(a), OK(cuMemcpyDtoHAsync(pinned, p, 128, b)); }
static void copy_waits(void) { OK(cuMemcpyHtoD(p, pinned, 128)), get(a); }
static void copy_from_pageable(void) { OK(cuMemcpyHtoD(p, pageable, 128)), get(a); }
static void copy_in_device(void) { OK(cuMemcpyDtoD(p, q, 128)), OK(cuMemsetD32Async(p, 1, 32, a)); }
static void copy_of_rows(void)
{
	CUDA_MEMCPY2D c = {.srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = q, .srcPitch = 64, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = p, .dstPitch = 64, .WidthInBytes = 32, .Height = 2};
	OK(cuMemcpy2DAsync(&c, a));
	part(b, 32); /* between the rows */
	part(b, 95); /* the last but one is in the second row */
}
static void variable(void)
{
	CUmodule other;
	CUdeviceptr at;
	OK(cuModuleLoadData(&other, PTX_HEAD ".visible .global .align 4 .u32 words[32];\n"));
	OK(cuModuleGetGlobal(&at, NULL, other, "words"));
	run("write", a, (void *[]){&at});
	OK(cuMemcpyDtoHAsync(pinned, at, 128, b));
}

/* The host: what it reads too early it does not get, and what it changes too early is found. */
static void host_too_early(void)
{
	put(a);
	OK(cuMemcpyDtoHAsync(pinned, p, 128, a));
	OK(cuMemcpyDtoHAsync(pageable, p, 128, a));
	HAVE(0, pinned[5]);
	HAVE(0, pageable[5]);
	OK(cuStreamSynchronize(a));
	HAVE(5, pinned[5]);
	HAVE(5, pageable[5]);
}
static void host_changes_source(void) { OK(cuMemcpyHtoDAsync(p, pinned, 128, a)), pinned[3] = 9, OK(cuStreamSynchronize(a)); }
static void host_changes_later(void) { OK(cuMemcpyHtoDAsync(p, pinned, 128, a)), OK(cuStreamSynchronize(a)), pinned[3] = 9; }
static void host_changes_pageable(void) { OK(cuMemcpyHtoDAsync(p, pageable, 128, a)), pageable[3] = 9, OK(cuStreamSynchronize(a)); } /* it was staged */
static void host_changes_target(void) { OK(cuMemcpyDtoHAsync(pinned, q, 128, a)), pinned[3] = 9, OK(cuStreamSynchronize(a)); }
static void kernel_changes_source(void) { OK(cuMemcpyHtoDAsync(p, pinned, 128, a)), run("write", a, (void *[]){&pinned}), OK(cuStreamSynchronize(a)); }
static void kernel_reads_target(void)
{
	put(a);
	OK(cuMemcpyDtoHAsync(pinned, p, 128, a));
	run("read", a, (void *[]){&pinned, &q});
	OK(cuMemcpyDtoH(pageable, q, 128)); /* the default stream does not wait for a: a race, with the right values */
	HAVE(5, pageable[5]);
}

/* Host functions come after what is before them in their stream; who waits for them is not seen. */
static void seen(void *by) { *(unsigned *)by = pinned[5]; }
static void host_function(void)
{
	unsigned value = 0;
	put(a);
	OK(cuMemcpyDtoHAsync(pinned, p, 128, a));
	OK(cuLaunchHostFunc(a, seen, &value));
	HAVE(5, value);
	get(b);
}

/* Memory that is allocated and freed in the order of streams. */
static void allocated_elsewhere(void)
{
	CUdeviceptr fresh;
	OK(cuMemAllocAsync(&fresh, 128, a));
	run("write", b, (void *[]){&fresh});
	OK(cuMemFreeAsync(fresh, b));
}
static void freed_elsewhere(void)
{
	CUdeviceptr fresh;
	OK(cuMemAllocAsync(&fresh, 128, a));
	run("write", a, (void *[]){&fresh});
	OK(cuMemFreeAsync(fresh, b));
}
static void freed_in_order(void)
{
	CUdeviceptr fresh;
	OK(cuMemAllocAsync(&fresh, 128, a));
	run("write", a, (void *[]){&fresh});
	wait(b, a);
	OK(cuMemFreeAsync(fresh, b));
}

/* Graphs: nodes without an edge between them have no order; a graph comes after what is before it in its stream. */
static void graph(int edge, int fork)
{
	CUgraph g;
	CUgraphExec exec;
	OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_GLOBAL));
	if (fork)
		wait(b, a);
	put(a);
	if (edge)
		wait(b, a);
	get(fork ? b : a);
	if (fork)
		wait(a, b);
	OK(cuStreamEndCapture(a, &g));
	OK(cuGraphInstantiate(&exec, g, 0));
	OK(cuGraphLaunch(exec, a));
	OK(cuGraphLaunch(exec, a));
}
static void graph_in_line(void) { graph(0, 0); }
static void graph_fork(void) { graph(0, 1); }
static void graph_edge(void) { graph(1, 1); }
static void graph_then_kernel(void) { graph(0, 0), run("count", a, (void *[]){&q}); }
static void graph_and_stream(void) { graph(0, 0), run("count", b, (void *[]){&q}); }

/* Values for which streams wait. */
static void by_value(void)
{
	CUdeviceptr flag = q + 128;
	put(a);
	OK(cuStreamWriteValue32(a, flag, 7, 0));
	OK(cuStreamWaitValue32(b, flag, 7, CU_STREAM_WAIT_VALUE_EQ));
	get(b);
}

static const struct {
	const char *name;
	void (*program)(void);
	const char *verdict;
} cases[] = {
#define CASE(name, verdict) {#name, name, verdict},
	CASE(two_streams, "race") CASE(one_stream, "") CASE(two_readers, "") CASE(read_then_write, "race") CASE(two_writers, "race") CASE(other_bytes, "")
	CASE(common_bytes, "race") CASE(atomics, "") CASE(atomics_and_read, "race") CASE(atomics_awaited, "") CASE(by_event, "") CASE(event_too_early, "race")
	CASE(event_not_recorded, "race") CASE(event_recorded_again, "race") CASE(event_of_host, "") CASE(event_queried, "") CASE(through_third, "")
	CASE(stream_awaited, "") CASE(other_awaited, "race") CASE(context_awaited, "") CASE(free_waits, "") CASE(legacy_after, "") CASE(legacy_before, "")
	CASE(legacy_between, "") CASE(legacy_non_blocking, "race") CASE(blocking_streams, "race") CASE(thread_stream, "race") CASE(thread_stream_and_legacy, "")
	CASE(threads, "race") CASE(ptsz_variant, "race") CASE(fill_and_kernel, "race") CASE(fill_does_not_wait, "race") CASE(copy_and_kernel, "race")
	CASE(copy_of_written, "race") CASE(copy_waits, "") CASE(copy_from_pageable, "race") CASE(copy_in_device, "race") CASE(copy_of_rows, "race") CASE(variable, "race")
	CASE(host_too_early, "") CASE(host_changes_source, "host") CASE(host_changes_later, "") CASE(host_changes_pageable, "") CASE(host_changes_target, "host")
	CASE(kernel_changes_source, "") CASE(kernel_reads_target, "race") CASE(host_function, "") CASE(allocated_elsewhere, "race") CASE(freed_elsewhere, "race")
	CASE(freed_in_order, "") CASE(graph_in_line, "") CASE(graph_fork, "race") CASE(graph_edge, "") CASE(graph_then_kernel, "") CASE(graph_and_stream, "race")
	CASE(by_value, "")
};

/* Without an argument the cases and their verdicts are listed, else the case of that name runs. */
int main(int argc, char **argv)
{
	if (argc < 2) {
		for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
			printf("%s %s\n", cases[i].name, cases[i].verdict);
		return 0;
	}
	begin();
	OK(cuMemAlloc(&p, 256));
	OK(cuMemAlloc(&q, 256));
	OK(cuMemAllocHost((void **)&pinned, 128));
	memset(pinned, 0, 128);
	OK(cuMemsetD8(p, 0, 256));
	OK(cuMemsetD8(q, 0, 256));
	OK(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&plain, 0));
	OK(cuStreamCreate(&plainToo, 0));
	OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	OK(cuModuleLoadData(&module, ptx));
	OK(cuCtxSynchronize());
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (strcmp(cases[i].name, argv[1]) == 0)
			cases[i].program();
	OK(cuCtxSynchronize());
	return failures != 0;
}
