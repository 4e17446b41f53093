// Two block reductions through one shared array, with no barrier between the read of the first and the write of the second
// (the shape of block_reduce in well-known inference code). A race by the model, yet right on every GPU, as the warps
// leave the barrier together: between the read and the next write each warp has hundreds of instructions of its own.
#include <cmath>
#include <cstdio>

__device__ float reduce(float v, float *s, bool max) {
    for (int o = 16; o; o /= 2) { float w = __shfl_xor_sync(~0u, v, o); v = max ? fmaxf(v, w) : v + w; }
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) s[warp] = v;
    __syncthreads();
    v = lane < blockDim.x / 32 ? s[lane] : max ? -INFINITY : 0;
    for (int o = 16; o; o /= 2) { float w = __shfl_xor_sync(~0u, v, o); v = max ? fmaxf(v, w) : v + w; }
    return v;
}

__global__ void softmax(const float *x, float *y, int n) {
    __shared__ float s[32];
    float m = -INFINITY, z = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmaxf(m, x[i]);
    m = reduce(m, s, true);
    for (int i = threadIdx.x; i < n; i += blockDim.x) z += expf(x[i] - m);
    z = reduce(z, s, false);
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = expf(x[i] - m) / z;
}

int main() {
    const int n = 4096;
    static float h[n], r[n];
    float *x, *y;
    for (int i = 0; i < n; i++) h[i] = sinf(i);
    cudaMalloc(&x, sizeof h); cudaMalloc(&y, sizeof h);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    softmax<<<1, 256>>>(x, y, n);
    puts(cudaGetErrorString(cudaMemcpy(r, y, sizeof r, cudaMemcpyDeviceToHost)));
    double z = 0, worst = 0;
    for (float v : h) z += exp(v);
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(r[i] / (exp(h[i]) / z) - 1));
    printf("off by %.2g: %s\n", worst, worst < 1e-4 ? "right" : "WRONG");
    return worst >= 1e-4;
}
