#pragma once
// Functions of a header of the user's, for cases.cu.

template <class T> __device__ inline void put(T *p, int i, T v)
{
    p[i] = v; // @put
}

struct Scale {
    int by;
    __device__ void operator()(int *p, int i) const
    {
        p[i] = by * i; // @scale
    }
};

__device__ inline int quotient(int a, int b)
{
    return a / b; // @quotient
}

__device__ inline void waits(volatile int *flag)
{
    while (*flag == 0) // @waits
        ;
}
