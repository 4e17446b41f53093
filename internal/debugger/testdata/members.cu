struct Base { long id; };
struct S : Base { int x, y; __device__ bool operator==(const S &o) const { return x == o.x; } };

__global__ void members(const int *in, int *out, int n)
{
    int i = threadIdx.x;
    S obj;
    obj.id = 5;
    obj.x = in[i];
    obj.y = n;
    S *to = &obj;
    int S::*either = i & 1 ? &S::x : &S::y;
    int S::*none = nullptr;
    long Base::*id = &Base::id;
    out[i] = obj.*either + to->*either + (none == nullptr) + int(obj.*id);
}
