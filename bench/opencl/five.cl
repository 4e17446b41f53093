// The workloads of internal/workloads/five.cu in OpenCL C 1.2. Sizes, inputs and
// references are those of package internal/workloads.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// A step of heat flow: five points, from a tile in local memory with a halo, which the
// work-items at the tile's edges load. Beyond the plane it is cold.
#define TS 16
__kernel __attribute__((reqd_work_group_size(TS, TS, 1)))
void stencil(__global const float *in, __global float *out, const int n,
             const float centre, const float side)
{
    __local float t[TS + 2][TS + 2];
    int lx = get_local_id(0) + 1, ly = get_local_id(1) + 1;
    int x = get_global_id(0), y = get_global_id(1), at = y * n + x;
    t[ly][lx] = in[at];
    if (lx == 1) t[ly][0] = x > 0 ? in[at - 1] : 0.0f;
    if (lx == TS) t[ly][TS + 1] = x < n - 1 ? in[at + 1] : 0.0f;
    if (ly == 1) t[0][lx] = y > 0 ? in[at - n] : 0.0f;
    if (ly == TS) t[TS + 1][lx] = y < n - 1 ? in[at + n] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sides = t[ly][lx - 1] + t[ly][lx + 1] + t[ly - 1][lx] + t[ly + 1][lx];
    out[at] = fma(centre, t[ly][lx], side * sides);
}

// The softmax of rows, one to a work-group. Without sub-groups, which PoCL does not have on
// processors, all of the group is reduced in local memory.
float exp_approx(float x) { return native_exp2(x * 1.4426950408889634f); }
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void softmax(__global const float *in, __global float *out, const int columns)
{
    __local float part[256];
    int l = get_local_id(0);
    __global const float *row = in + get_group_id(0) * columns;
    __global float *to = out + get_group_id(0) * columns;
    float m = -3.4e38f, sum = 0.0f;
    for (int c = l; c < columns; c += 256) m = fmax(m, row[c]);
    part[l] = m;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int w = 128; w > 0; w >>= 1) {
        if (l < w) part[l] = fmax(part[l], part[l + w]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    m = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int c = l; c < columns; c += 256) sum += exp_approx(row[c] - m);
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int w = 128; w > 0; w >>= 1) {
        if (l < w) part[l] += part[l + w];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float scale = native_divide(1.0f, part[0]);
    for (int c = l; c < columns; c += 256) to[c] = exp_approx(row[c] - m) * scale;
}

// A sparse matrix in compressed rows, times a vector, in f64: one row a work-item.
__kernel void spmv(__global const uint *start, __global const uint *column,
                   __global const double *value, __global const double *x,
                   __global double *y)
{
    uint row = get_global_id(0);
    double sum = 0.0;
    for (uint k = start[row], end = start[row + 1]; k < end; k++)
        sum = fma(value[k], x[column[k]], sum);
    y[row] = sum;
}

// The prices of European options by the formula of Black and Scholes. The distribution
// function is Abramowitz and Stegun's 26.2.17.
float distribution(float d)
{
    float k = native_divide(1.0f, fma(0.2316419f, fabs(d), 1.0f));
    float p = fma(k, fma(k, fma(k, fma(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.31938153f) * k;
    float tail = 0.39894228f * exp_approx(-0.5f * d * d) * p;
    return d > 0.0f ? 1.0f - tail : tail;
}
__kernel void black_scholes(__global const float *price, __global const float *strike,
                            __global const float *years, __global float2 *out,
                            const float rate, const float volatility)
{
    int i = get_global_id(0);
    float s = price[i], x = strike[i], t = years[i];
    float spread = volatility * t * native_rsqrt(t);
    float growth = 0.69314718f * native_log2(native_divide(s, x));
    float d1 = native_divide(fma(fma(0.5f * volatility, volatility, rate), t, growth), spread);
    float n1 = distribution(d1), n2 = distribution(d1 - spread), now = x * exp_approx(-rate * t);
    out[i] = (float2)(s * n1 - now * n2, now * (1.0f - n2) - s * (1.0f - n1));
}

// Records sorted by the hash of their 64-bit ids, 512 to a work-group: MurmurHash3's finaliser,
// and a bitonic network in local memory.
ulong hash(ulong k)
{
    k = (k ^ k >> 33) * 0xff51afd7ed558ccdUL;
    k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53UL;
    return k ^ k >> 33;
}
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void hash_sort(__global const ulong *id, __global ulong *out)
{
    __local ulong s[512];
    uint t = get_local_id(0), base = get_group_id(0) * 512;
    s[t] = hash(id[base + t]);
    s[t + 256] = hash(id[base + t + 256]);
    for (uint k = 2; k <= 512; k <<= 1)
        for (uint j = k >> 1; j > 0; j >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint lo = 2 * t - (t & (j - 1)), hi = lo + j;
            ulong a = s[lo], b = s[hi];
            if ((a > b) == ((lo & k) == 0)) { s[lo] = b; s[hi] = a; }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + t] = s[t];
    out[base + t + 256] = s[t + 256];
}
