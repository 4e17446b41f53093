// driver.c executes kernels on PoCL's processor for ../opencl.go. Commands come on standard
// input, a line each; answers go to standard output. The driver begins with
//   device VERSION|NAME|UNITS
// and then takes
//   source BYTES      and the text of a module: ok
//   kernel NAME LAUNCHES GLOBAL_X GLOBAL_Y LOCAL_X LOCAL_Y OUT ARGS, and for each argument
//     word HEX        a scalar of 4 bytes
//     buffer BYTES    and its contents
//                     answered, after the last argument, by: ok
//   run               the kernel from these contents, LAUNCHES times; if that is not 1, the
//                     last argument is the number of the launch: done CPU_NS WALL_NS BYTES,
//                     and the contents of argument OUT
// An error ends it, with a message on standard error.
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_ARGS 8

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

// The prepared kernel.
static struct {
    cl_kernel kernel;
    size_t global[2], local[2];
    int launches, args, out;
    struct {
        cl_mem mem;   // NULL for a scalar
        size_t bytes;
        void *data;   // at the start of a run
    } arg[MAX_ARGS];
} work;

static void die(const char *what, long code)
{
    fprintf(stderr, "%s: %ld\n", what, code);
    exit(1);
}
#define CHECK(call) do { cl_int e = (call); if (e != CL_SUCCESS) die(#call, e); } while (0)

static long long ns(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t)) die("clock_gettime", clock);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// take reads bytes of standard input, and appends a zero.
static void *take(size_t bytes)
{
    char *p = malloc(bytes + 1);
    if (!p || fread(p, 1, bytes, stdin) != bytes) die("a short input, of bytes", bytes);
    p[bytes] = 0;
    return p;
}

// find_device takes the first device of PoCL, which need not be the only platform.
static void find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint n = 0, units = 0;
    char version[256] = "", name[256] = "";
    if (clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS) n = 0;
    for (cl_uint i = 0; i < n && i < 16 && !device; i++) {
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "Portable Computing Language")) continue;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof version, version, NULL);
        CHECK(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL));
    }
    if (device) {
        clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
        clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
        printf("device %s|%s|%u\n", version, name, units);
    } else {
        printf("none\n");
    }
}

static void build(size_t bytes)
{
    cl_int e;
    const char *text = take(bytes);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    if (e) die("clCreateProgramWithSource", e);
    if ((e = clBuildProgram(program, 1, &device, "", NULL, NULL))) {
        static char log[65536];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
        die("clBuildProgram", e);
    }
    free((void *)text);
}

static void forget(void)
{
    for (int i = 0; i < work.args; i++)
        if (work.arg[i].mem) {
            CHECK(clReleaseMemObject(work.arg[i].mem));
            free(work.arg[i].data);
        }
    if (work.kernel) CHECK(clReleaseKernel(work.kernel));
    memset(&work, 0, sizeof work);
}

static void prepare(const char *line)
{
    char name[64];
    cl_int e;
    forget();
    if (sscanf(line, "kernel %63s %d %zu %zu %zu %zu %d %d", name, &work.launches, &work.global[0], &work.global[1],
               &work.local[0], &work.local[1], &work.out, &work.args) != 8 || work.args > MAX_ARGS)
        die(line, 0);
    work.kernel = clCreateKernel(program, name, &e);
    if (e) die(name, e);
    for (int i = 0; i < work.args; i++) {
        char arg[64];
        cl_uint word;
        size_t bytes;
        if (!fgets(arg, sizeof arg, stdin)) die("a missing argument", i);
        if (sscanf(arg, "word %x", &word) == 1) {
            CHECK(clSetKernelArg(work.kernel, i, sizeof word, &word));
        } else if (sscanf(arg, "buffer %zu", &bytes) == 1) {
            work.arg[i].data = take(work.arg[i].bytes = bytes);
            work.arg[i].mem = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &e);
            if (e) die("clCreateBuffer", e);
            CHECK(clSetKernelArg(work.kernel, i, sizeof(cl_mem), &work.arg[i].mem));
        } else {
            die(arg, i);
        }
    }
}

static void run(void)
{
    for (int i = 0; i < work.args; i++)
        if (work.arg[i].mem)
            CHECK(clEnqueueWriteBuffer(queue, work.arg[i].mem, CL_TRUE, 0, work.arg[i].bytes, work.arg[i].data, 0, NULL, NULL));
    CHECK(clFinish(queue));
    long long wall = ns(CLOCK_MONOTONIC), cpu = ns(CLOCK_PROCESS_CPUTIME_ID);
    for (cl_int i = 0; i < work.launches; i++) {
        if (work.launches > 1) CHECK(clSetKernelArg(work.kernel, work.args - 1, sizeof i, &i));
        CHECK(clEnqueueNDRangeKernel(queue, work.kernel, 2, NULL, work.global, work.local, 0, NULL, NULL));
    }
    CHECK(clFinish(queue));
    cpu = ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = ns(CLOCK_MONOTONIC) - wall;
    size_t bytes = work.arg[work.out].bytes;
    void *result = malloc(bytes);
    if (!result) die("malloc", bytes);
    CHECK(clEnqueueReadBuffer(queue, work.arg[work.out].mem, CL_TRUE, 0, bytes, result, 0, NULL, NULL));
    printf("done %lld %lld %zu\n", cpu, wall, bytes);
    fwrite(result, 1, bytes, stdout);
    free(result);
}

int main(void)
{
    char line[256];
    cl_int e;
    find_device();
    fflush(stdout);
    if (!device) return 0;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    if (e) die("clCreateContext", e);
    queue = clCreateCommandQueue(context, device, 0, &e);
    if (e) die("clCreateCommandQueue", e);
    while (fgets(line, sizeof line, stdin)) {
        size_t bytes;
        if (sscanf(line, "source %zu", &bytes) == 1) {
            build(bytes);
            printf("ok\n");
        } else if (!strncmp(line, "kernel ", 7)) {
            prepare(line);
            printf("ok\n");
        } else if (!strcmp(line, "run\n")) {
            run();
        } else {
            die(line, 0);
        }
        fflush(stdout);
    }
    return 0;
}
