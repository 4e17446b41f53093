//sim:grid 2
//sim:block 64
//sim:arg in = iota:128:s32
//sim:arg out = zeros:2:s32
struct Pair {
    int low, high;
};

__device__ int sum(const Pair &p)
{
    int both = p.low + p.high;
    return both;
}

__global__ void reduce(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (t < d) {
            Pair p = {s[t], s[t + d]};
            s[t] = sum(p);
        }
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
