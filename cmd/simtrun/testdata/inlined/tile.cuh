#pragma once
// Loads of one element, three levels deep, for a test: a template, a member of a class and a lambda are inlined.

template <typename T>
__device__ inline T fetch(const T *p, int i) {
  return p[i];
}

template <typename T, int N>
struct Tile {
  T v[N];
  __device__ void load(const T *p, int base, int stride) {
#pragma unroll
    for (int k = 0; k < N; k++)
      v[k] = fetch(p, base + k * stride);
  }
  template <typename F>
  __device__ T fold(F f) const {
    T s = v[0];
#pragma unroll
    for (int k = 1; k < N; k++) s = f(s, v[k]);
    return s;
  }
};
