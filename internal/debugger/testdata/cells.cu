// The program of TestCUDAGDBCommandsWork, by line. Threads of block 0: t = 0 to 63, in[t] = t.
#include <cstdint>
enum Kind { Even, Odd };
struct Pair {
    int a;
    float b;
};
class Cell {
public:
    __device__ Cell(int start) : value(start), where{start, 0.5f} {}
    __device__ int grow(int by)
    {
        value += by;
        return value;
    }
    int value;
    Pair where;
    Kind kind;
    float history[3];
    Cell *next;
};
__constant__ int table[4] = {10, 20, 30, 40};
__device__ int counter;

template <class T> __device__ T twice(T x)
{
    T y = x + x;
    return y;
}

__forceinline__ __device__ int clamp(int x, int most)
{
    int low = x < 0 ? 0 : x;
    return low > most ? most : low;
}

__global__ void cells(const int *in, int *out, int n)
{
    __shared__ int s[64];
    __shared__ float grid[2][4];
    int t = threadIdx.x;
    int g = blockIdx.x * blockDim.x + t;
    Cell cell(t);
    cell.kind = t % 2 ? Odd : Even;
    cell.history[0] = t, cell.history[1] = 1.5f, cell.history[2] = -1;
    cell.next = &cell;
    grid[t / 32][t % 4] = t % 4;
    s[t] = twice(in[t]);
    cell.where.b = twice(0.25f * t);
    __syncthreads();
    int &r = out[g];
    bool last = t == n - 1;
    char letter = 'a' + t % 26;
    if (t < 16) {
        int u = clamp(s[63 - t], 100);
        r = u + cell.grow(table[t & 3]);
    } else {
        r = -1;
    }
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += s[(t + i) % 64];
    }
    r += sum + last + letter + n;
    atomicAdd(&counter, 1);
}
