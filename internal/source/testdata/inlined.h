__device__ inline void put(int *s, int t)
{
    s[t] = t;
}
__device__ inline int put2(int *s, int t) { put(s, t + 1); return s[t] / 3; }
