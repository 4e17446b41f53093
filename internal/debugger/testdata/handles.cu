texture<float, 2> ref;

struct M {
    int k;
    __device__ __noinline__ int add(int x) { return x + k; }
    __device__ __noinline__ int times(int x) { return x * k; }
    __device__ virtual int same(int x) { return x; }
};

__global__ void handles(const int *in, int *out, cudaTextureObject_t tex, const cudaSurfaceObject_t none)
{
    int i = threadIdx.x;
    M m;
    m.k = 3;
    int (M::*either)(int) = i & 1 ? &M::add : &M::times;
    int (M::*empty)(int) = nullptr;
    int (M::*table)(int) = &M::same;
    float texel = tex2D<float>(tex, i, 0) + tex2D(ref, i, 0);
    out[i] = (m.*either)(in[i]) + (m.*table)(1) + (empty == nullptr) + (int)texel + (int)none;
}
