struct Pair { int low; float high; };

__device__ __noinline__ Pair both(int t)
{
    return {2 * t, t + 0.5f};
}

__device__ __noinline__ int &element(int *s, int t)
{
    return s[t];
}

__device__ __noinline__ int *after(int *s, int t)
{
    return s + t;
}

__device__ __noinline__ void put(int *s, int x)
{
    *s = x;
}

__device__ __noinline__ char letter(int t)
{
    return 'a' + t;
}

__forceinline__ __device__ int inlined(int t)
{
    return t + 3;
}

__device__ __noinline__ double outer(int t)
{
    return letter(t) + 0.25;
}

__global__ void returns(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    Pair p = both(t);
    element(out, t) = in[t] + 5;
    int *q = after(out, t);
    put(q, p.low + inlined(n));
    if (t < 3)
        out[t] += outer(t);
}
