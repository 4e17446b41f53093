// Values of TestCUDAValuesAreShown, of every kind of type. The kernel begins at line 45; the stop is in line 88.
#if __clang_major__ >= 18 // needs half precision
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else
typedef float __half, __nv_bfloat16;
#define __float2half(x) (x)
#define __float2bfloat16(x) (x)
#endif
enum class Color : unsigned char { Red, Green = 5, Blue };
enum Flags { A = 1, B = 2, C = 4 };
namespace ns {
enum Mode { Off, On };
struct Type {
    enum class Speed { Slow, Fast };
    int a;
    Speed speed;
    struct Inner { int z; } inner;
    static constexpr int limit = 7;
    __device__ int raised(int by)
    {
        a += by;
        return a + limit;
    }
};
__device__ int var = 42;
namespace deep { __device__ float var = 2.5f; }
__device__ Type origin = {1, Type::Speed::Fast, {3}};
__device__ Type *where = &origin;
}
namespace { __device__ int hidden = 9; }
struct Holder { static __device__ int count; };
__device__ int Holder::count = 77;
__device__ const char *message = "abc";
template <typename T, int N> struct Vec { T v[N]; };
template <typename T> __device__ __noinline__ T twice(const Vec<T, 2> &x) { return x.v[0] + x.v[1]; }
struct Node { int x; Node *next; };
struct Bits { unsigned a : 3; int b : 5; bool c : 1; };
union Either { unsigned i; float f; unsigned char bytes[4]; };
struct Anon { int kind; union { int i; float f; }; struct { short lo, hi; } s[2]; };
struct Base { int base; };
struct Derived : Base { int own; };
struct Args { int x; int list[4]; const char *name; bool on; Color color; };

__global__ void values(Args p, int *out, const float *in, dim3 shape)
{
    const char *s = "hello", *null = nullptr;
    char text[2][4] = {"ab", "it\x81"};
    unsigned char byte = 200, zero = 0;
    Color color = threadIdx.x % 2 ? Color::Green : Color::Blue;
    Color list[2] = {Color::Red, Color::Blue};
    Flags flags = Flags(A | C);
    ns::Mode mode = ns::On;
    ns::Type t{1, ns::Type::Speed::Fast, {4}}, *pt = &t;
    Vec<float, 3> v{{1, 2, 3}};
    Vec<int, 2> pair{{int(threadIdx.x), 5}};
    int (*fn)(const Vec<int, 2> &) = twice<int>;
    Node tail{2, nullptr}, head{1, &tail}, *first = &head;
    Node *both[2] = {&head, &tail};
    Bits bits{5, -3, true};
    Either either;
    either.f = 1;
    Anon anon{1, {3}, {{1, 2}, {3, 4}}};
    Derived derived;
    derived.base = 10, derived.own = 11;
    Base &ref = derived;
    int &place = out[threadIdx.x];
    __half half = __float2half(1.5f), halves[2] = {half, half};
    __nv_bfloat16 brain = __float2bfloat16(3.25f);
    float4 four = make_float4(1, 2, 3, 4);
    uchar2 bytes = make_uchar2(65, 10);
    int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}}, (*row)[3] = &matrix[1];
    int factor = 6;
    auto scaled = [=, &place](int k) {
        int inside = factor * k;
        place += inside;
        return inside + p.x;
    };
    int sum = scaled(3) + t.raised(2);
    __shared__ ns::Type tiles[2];
    static __device__ int calls = 3;
    if (threadIdx.x < 2)
        tiles[threadIdx.x] = t;
    __syncthreads();
    sum += s[0] + text[0][1] + byte + zero + int(color) + int(list[1]) + flags + mode + pt->a + int(v.v[1]) + fn(pair)
        + first->next->x + both[1]->x + bits.b + int(either.i) + anon.i + ref.base + int(four.w) + bytes.x + (*row)[1]
        + tiles[1].a + calls + ns::var + int(ns::deep::var) + ns::where->a + hidden + Holder::count + message[0] + p.list[2];
    out[threadIdx.x] = sum + int(in[0]) + int(shape.y) + (null == nullptr) + int(float(halves[1])) + int(float(brain));
}
