// The ten workloads of internal/workloads/workloads.cu in OpenCL C 1.2. Sizes, inputs and
// references are those of package internal/workloads.

// (a) pure ALU: NITER dependent fused multiply-adds per work-item.
__kernel void saxpy_loop(__global float *y, __global const float *x,
                         const float a, const int niter)
{
    int i = get_global_id(0);
    float v = x[i];
    float acc = y[i];
    for (int k = 0; k < niter; k++)
        acc = fma(acc, a, v);
    y[i] = acc;
}

// (b) memory streaming.
__kernel void vecadd(__global const float *a, __global const float *b,
                     __global float *c)
{
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}

// (c) one output per work-item, no reuse.
__kernel void matmul_naive(__global const float *A, __global const float *B,
                           __global float *C, const int n)
{
    int col = get_global_id(0);
    int row = get_global_id(1);
    float acc = 0.0f;
    for (int k = 0; k < n; k++)
        acc = fma(A[row * n + k], B[k * n + col], acc);
    C[row * n + col] = acc;
}

// (d) 16x16 tiles in local memory, two barriers per tile.
#define TS 16
__kernel __attribute__((reqd_work_group_size(TS, TS, 1)))
void matmul_tiled(__global const float *A, __global const float *B,
                  __global float *C, const int n)
{
    __local float As[TS][TS];
    __local float Bs[TS][TS];
    int lx = get_local_id(0), ly = get_local_id(1);
    int col = get_group_id(0) * TS + lx;
    int row = get_group_id(1) * TS + ly;
    float acc = 0.0f;
    for (int t = 0; t < n / TS; t++) {
        As[ly][lx] = A[row * n + t * TS + lx];
        Bs[ly][lx] = B[(t * TS + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++)
            acc = fma(As[ly][k], Bs[k][lx], acc);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * n + col] = acc;
}

// (e) block reduction, one partial sum per 256-wide work-group.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduce(__global const int *in, __global int *out)
{
    __local int s[256];
    int l = get_local_id(0);
    s[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int w = 128; w > 0; w >>= 1) {
        if (l < w)
            s[l] += s[l + w];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = s[0];
}

// (f) 256-bin histogram: local atomics, then one global atomic per bin and group.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void histogram(__global const uint *in, __global uint *bins, const int per_item)
{
    __local uint h[256];
    int l = get_local_id(0);
    h[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int stride = get_global_size(0);
    int g = get_global_id(0);
    for (int k = 0; k < per_item; k++)
        atomic_inc(&h[in[g + k * stride] & 255u]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[l], h[l]);
}

// (g) divergent escape loop.
__kernel void mandelbrot(__global int *out, const int w, const int h,
                         const int maxit)
{
    int px = get_global_id(0), py = get_global_id(1);
    float cx = -2.0f + 3.0f * (float)px / (float)w;
    float cy = -1.5f + 3.0f * (float)py / (float)h;
    float zx = 0.0f, zy = 0.0f;
    int it = 0;
    while (it < maxit) {
        float x2 = zx * zx, y2 = zy * zy;
        if (x2 + y2 > 4.0f)
            break;
        zy = fma(2.0f * zx, zy, cy);
        zx = x2 - y2 + cx;
        it++;
    }
    out[py * w + px] = it;
}

// (h) data-dependent loop with a data-dependent branch in it.
__kernel void collatz(__global uint *out)
{
    uint i = get_global_id(0);
    uint n = i + 1u;
    uint steps = 0;
    while (n != 1u) {
        if (n & 1u)
            n = 3u * n + 1u;
        else
            n >>= 1;
        steps++;
    }
    out[i] = steps;
}

// (i) all-pairs forces, one body per work-item, no local memory.
__kernel void nbody(__global const float4 *pos, __global float4 *acc,
                    const int n, const float eps2)
{
    int i = get_global_id(0);
    float px = pos[i].x, py = pos[i].y, pz = pos[i].z;
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int j = 0; j < n; j++) {
        float4 q = pos[j];
        float dx = q.x - px, dy = q.y - py, dz = q.z - pz;
        float r2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, eps2)));
        float inv = 1.0f / sqrt(r2);
        float s = q.w * inv * inv * inv;
        ax = fma(s, dx, ax);
        ay = fma(s, dy, ay);
        az = fma(s, dz, az);
    }
    acc[i] = (float4)(ax, ay, az, 0.0f);
}

// (j) 16x16 tile through padded local memory.
__kernel __attribute__((reqd_work_group_size(TS, TS, 1)))
void transpose(__global const float *in, __global float *out, const int n)
{
    __local float tile[TS][TS + 1];
    int lx = get_local_id(0), ly = get_local_id(1);
    int bx = get_group_id(0) * TS, by = get_group_id(1) * TS;
    tile[ly][lx] = in[(by + ly) * n + bx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(bx + ly) * n + by + lx] = tile[lx][ly];
}
