struct Pair {
    int a;
    float b;
    __device__ int sum(int more) const { return a + (int)b + more; }
};
enum Kind { Red, Green = 5 };
union Word { unsigned u; float f; };
struct Base { int id; };
typedef unsigned char Byte;
struct Acc : Base {
    float v[3];
    Pair p;
    int *q;
    Kind k;
    unsigned low : 3, high : 9;
    const Acc *next;
};
__constant__ int table[4] = {1, 2, 3, 4};
namespace deep { __device__ int counter; }

__device__ int twice(int x)
{
    int y = x + x;
    return y;
}

__global__ void k(const int *__restrict__ in, int *out, int n, Pair pr)
{
    __shared__ int s[8][16];
    int t = threadIdx.x;
    Acc acc;
    acc.id = t, acc.v[0] = 2 * t, acc.p = pr, acc.q = out, acc.k = Green, acc.low = 5, acc.high = 300, acc.next = &acc;
    float arr[4];
    for (int i = 0; i < 4; i++)
        arr[i] = in[t] * i;
    s[t / 16][t % 16] = twice(in[t]);
    __syncthreads();
    int &r = out[t];
    bool last = t == n - 1;
    char letter = 'a' + t % 26;
    Byte byte = t;
    Word w;
    w.u = 0x3f800000;
    if (t < n) {
        int t = 7; // hides the other
        r = s[7 - threadIdx.x / 16][0] + table[t & 3] + (int)arr[n & 3] + acc.p.sum(last) + letter + byte + (int)w.f;
    }
    atomicAdd(&deep::counter, 1);
}
