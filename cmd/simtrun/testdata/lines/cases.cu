// Cases with one mistake each. A line "//case" has the kernel, the flags of its run, and the arguments; the lines after
// it have the finding: its rule, the labels of the lines on its sides, and, after ":", words of its advice. Labels are
// comments such as "// @name". They were written from the source, before any of it was run.
#include <cassert>
#include <cuda_pipeline.h>
#include "helpers.cuh"

//case missing_barrier block=64 check=race o=zeros:64:s32
//want race-raw mb.write mb.read : __syncthreads() before line {mb.read}
__global__ void missing_barrier(int *o)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = t; // @mb.write
    o[t] = tile[63 - t]; // @mb.read
}

//case unrolled block=256 check=race in=iota:256:s32 out=zeros:1:s32
//want race-raw un.add un.add : __syncthreads() before line {un.add}
__global__ void unrolled(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d]; // @un.add
    }
    if (t == 0)
        out[0] = s[0];
}

//case rolled block=64 check=race o=zeros:64:s32 n=5
//want race-war ro.read ro.write : __syncthreads()
__global__ void rolled(int *o, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        int v = s[(t + 33) & 63]; // @ro.read
        s[t] = v + i; // @ro.write
        __syncthreads();
    }
    o[t] = s[t];
}

//case between_rounds block=64 check=race o=zeros:64:s32 n=5
//want race-war br.read br.write : __syncthreads()
__global__ void between_rounds(int *o, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n; i++) {
        s[t] = t * i; // @br.write
        __syncthreads();
        sum += s[(t + 33) & 63]; // @br.read
    }
    o[t] = sum;
}

//case two_writers block=64 check=race o=zeros:64:s32
//want race-waw tw.write tw.write : let one
__global__ void two_writers(int *o)
{
    o[threadIdx.x / 2] = threadIdx.x; // @tw.write
}

//case counter block=64 check=race o=zeros:1:s32
//want race-war co.add co.add : atomicAdd() in line {co.add}
__global__ void counter(int *o)
{
    o[0] += 2; // @co.add
}

//case two_blocks grid=2 block=32 check=race o=zeros:1:s32
//want race-waw tb.write tb.write : one thread
__global__ void two_blocks(int *o)
{
    if (threadIdx.x == 0)
        o[0] = blockIdx.x; // @tb.write
}

//case flag grid=2 block=1 check=race data=zeros:1:s32 f=zeros:1:s32 o=zeros:1:s32
//want race-raw fl.data fl.read : __threadfence()
__global__ void flag(int *data, int *f, int *o)
{
    if (blockIdx.x == 0) {
        data[0] = 7; // @fl.data
        atomicExch(f, 1);
    } else {
        while (atomicAdd(f, 0) == 0)
            ;
        o[0] = data[0]; // @fl.read
    }
}

//case in_header block=64 check=race o=zeros:64:s32
//want race-raw put ih.read : __syncthreads() before line {ih.read}
//call in_header ih.call
__global__ void in_header(int *o)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    put(tile, t, t); // @ih.call
    o[t] = tile[63 - t]; // @ih.read
}

__device__ int get(const int *s, int i)
{
    return s[63 - i]; // @get
}

//case both_inlined block=64 check=race o=zeros:64:s32
//want race-raw put get : __syncthreads() before line {bi.get}
__global__ void both_inlined(int *o)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    put(tile, t, 2 * t);
    o[t] = get(tile, t); // @bi.get
}

//case lambda block=64 check=race o=zeros:64:s32
//want race-raw la.write la.read : __syncthreads()
__global__ void lambda(int *o)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    auto store = [&](int v) {
        tile[t] = v; // @la.write
    };
    store(t + 1);
    o[t] = tile[t ^ 32]; // @la.read
}

//case templated<float> block=64 check=race o=zeros:64:f32
//want race-raw te.write te.read : __syncthreads() before line {te.read}
template <class T> __global__ void templated(T *o)
{
    __shared__ T tile[64];
    tile[threadIdx.x] = threadIdx.x; // @te.write
    o[threadIdx.x] = tile[threadIdx.x ^ 32]; // @te.read
}
template __global__ void templated<float>(float *);

//case one_warp block=32 check=race o=zeros:32:s32
//want race-lockstep ow.write ow.read : __syncwarp() before line {ow.read}
__global__ void one_warp(int *o)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    tile[t] = t; // @ow.write
    o[t] = tile[t ^ 1]; // @ow.read
}

//case strong_warp block=32 check=race o=zeros:32:s32
//want race-lockstep sw.write sw.read : __syncwarp() before line {sw.read}
__global__ void strong_warp(int *o)
{
    __shared__ int s[64];
    volatile int *v = s;
    int t = threadIdx.x;
    v[t] = t; // @sw.write
    o[t] = v[t ^ 1]; // @sw.read
}

//case unwaited_copy block=32 check=race in=iota:32:s32 o=zeros:32:s32
//want copy-unwaited uc.copy uc.read : before line {uc.read}
__global__ void unwaited_copy(const int *in, int *o)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], 4); // @uc.copy
    __pipeline_commit();
    o[t] = tile[t]; // @uc.read
}

//case global_rows grid=4 block=64 check=race o=zeros:320:s32
//want race-waw gr.write gr.write
__global__ void global_rows(int *o)
{
    o[blockIdx.x * 60 + threadIdx.x] = blockIdx.x; // @gr.write
}

//case one_line block=64 check=race o=zeros:64:s32
//want race-raw ol.both ol.both : __syncthreads() in line {ol.both}
__global__ void one_line(int *o)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = t; o[t] = tile[63 - t]; // @ol.both
}

//case one_statement block=64 check=race o=zeros:64:s32
//want race-war os.shift os.shift : between the read and the write
__global__ void one_statement(int *o)
{
    __shared__ int s[65];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    s[t] = s[t + 1]; // @os.shift
    __syncthreads();
    o[t] = s[t];
}

//case divergent_barrier block=64 o=zeros:64:s32
//want sync-diverged db.barrier
__global__ void divergent_barrier(int *o)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 40)
        __syncthreads(); // @db.barrier
    o[t] = s[63 - t];
}

__device__ void meet()
{
    __syncthreads(); // @meet
}

//case barrier_in_function block=64 o=zeros:64:s32
//want sync-diverged meet
//call barrier_in_function bf.call
__global__ void barrier_in_function(int *o)
{
    int t = threadIdx.x;
    if (t < 8) {
        o[t] = 1;
        meet(); // @bf.call
    }
    o[t] += 2;
}

//case endless block=32 f=zeros:1:s32
//want sync-spin en.loop
__global__ void endless(volatile int *f)
{
    while (*f == 0) // @en.loop
        ;
}

//case endless_in_header block=32 f=zeros:1:s32
//want sync-spin waits
__global__ void endless_in_header(int *f)
{
    waits(f);
}

//case named_barrier block=64 o=zeros:64:s32
//want sync-deadlock nb.wait
__global__ void named_barrier(int *o)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;"); // @nb.wait
    else
        asm volatile("bar.sync 2, 64;");
    o[threadIdx.x] = 1;
}

//case mask_self block=32 o=zeros:32:s32
//want sync-mask-self ms.sync
__global__ void mask_self(int *o)
{
    __syncwarp(0x0000ffff); // @ms.sync
    o[threadIdx.x] = 1;
}

//case shuffle_self block=32 o=zeros:32:s32
//want sync-mask-self ss.shuffle
__global__ void shuffle_self(int *o)
{
    int t = threadIdx.x;
    o[t] = __shfl_sync(0x0000ffff, t, 3); // @ss.shuffle
}

//case shuffle_outside block=32 check=sync o=zeros:32:s32
//want sync-shuffle so.shuffle
//used so.use
__global__ void shuffle_outside(int *o)
{
    int t = threadIdx.x;
    if (t >= 16) {
        int v = __shfl_sync(0xffff0000, t, 3); // @so.shuffle
        o[t] = v; // @so.use
    }
}

//case store_past block=64 o=zeros:32:s32 n=64
//want mem-oob sp.store
__global__ void store_past(int *o, int n)
{
    int t = threadIdx.x;
    if (t < n)
        o[t] = t; // @sp.store
}

//case load_past block=64 in=iota:32:s32 o=zeros:64:s32
//want mem-oob get
__global__ void load_past(const int *in, int *o)
{
    o[threadIdx.x] = get(in, threadIdx.x);
}

//case negative block=32 o=zeros:32:s32 n=1
//want mem-oob ne.store
__global__ void negative(int *o, int n)
{
    o[(int)threadIdx.x - n] = 1; // @ne.store
}

//case shared_past block=32 o=zeros:32:s32 n=40
//want mem-oob sh.store
__global__ void shared_past(int *o, int n)
{
    __shared__ int s[32];
    s[threadIdx.x + n] = 1; // @sh.store
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x];
}

//case functor block=64 o=zeros:32:s32 s=3
//want mem-oob scale
//call functor fu.call
__global__ void functor(int *o, int s)
{
    Scale scale{s};
    scale(o, threadIdx.x); // @fu.call
}

//case null block=32 o=0
//want mem-space nu.store
__global__ void null(int *o)
{
    o[threadIdx.x] = 1; // @nu.store
}

//case atomic_past block=32 o=zeros:8:s32
//want mem-oob ap.add
__global__ void atomic_past(int *o)
{
    atomicAdd(&o[threadIdx.x], 1); // @ap.add
}

//case header_past block=64 o=zeros:32:s32
//want mem-oob put
//call header_past hp.call
__global__ void header_past(int *o)
{
    put(o, threadIdx.x, 1); // @hp.call
}

__device__ __noinline__ void apart(int *o, int i)
{
    o[i] = i; // @apart
}

//case called block=64 o=zeros:32:s32
//want mem-oob apart
__global__ void called(int *o)
{
    apart(o, threadIdx.x);
}

//case divide block=32 o=zeros:32:s32 n=3
//want div-zero di.divide
__global__ void divide(int *o, int n)
{
    int t = threadIdx.x;
    o[t] = 100 / (n - t); // @di.divide
}

//case divide_unrolled block=32 o=zeros:36:s32 n=3
//want div-zero du.divide
__global__ void divide_unrolled(int *o, int n)
{
    for (int i = 0; i < 4; i++)
        o[threadIdx.x + i] = 7 / (n - (int)threadIdx.x); // @du.divide
}

//case divide_in_header block=32 o=zeros:32:s32 n=3
//want div-zero quotient
//call divide_in_header dh.call
__global__ void divide_in_header(int *o, int n)
{
    o[threadIdx.x] = quotient(n, threadIdx.x); // @dh.call
}

//case misaligned block=8 o=zeros:32:s32 n=2
//want mem-misaligned mi.load
__global__ void misaligned(char *o, int n)
{
    *(volatile int *)(o + n) = 1; // @mi.load
}

//case asserted block=8 o=zeros:8:s32 n=3
//want assert as.assert
__global__ void asserted(int *o, int n)
{
    int t = threadIdx.x;
    assert(t < n); // @as.assert
    o[t] = t;
}
