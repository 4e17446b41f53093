// The program of TestManualOfCUDAGDBWorks, by line. Threads of block 0: i = 0 to 63, in[i] = i.
namespace sim {
enum Level { Low = 1, High = 4 };
struct Item {
    int key[2];
    float weight;
    char name[8];
    __device__ float scaled(float by) const { return weight * by; }
};
__constant__ float scale[4] = {1, 2, 3, 4};
template <typename T> __device__ T twice(T x)
{
    T y = x + x;
    return y;
}
} // namespace sim

__device__ int counter;
__device__ char message[16] = "in device";

__device__ __noinline__ int weigh(const sim::Item &item, int k)
{
    int w = item.key[0] + k;
    w += int(item.scaled(sim::scale[k & 3]));
    return w;
}

extern "C" __global__ void manual(const int *in, int *out, int n)
{
    __shared__ int s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sim::Item item = {{i, 2 * i}, 0.5f, "item"};
    item.name[4] = i % 2 ? 'a' : 0;
    sim::Level level = i % 2 ? sim::High : sim::Low;
    s[threadIdx.x] = sim::twice(in[threadIdx.x]);
    __syncthreads();
    int sum = 0;
    for (int j = 0; j < 4; j++) {
        sum += s[(threadIdx.x + j) % 64];
    }
    if (i < n)
        out[i] = weigh(item, i) + sum + level;
    atomicAdd(&counter, 1);
}
