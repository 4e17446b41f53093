// Two kernels that are compiled from the same template and inline function, the one that is launched second first.

template <typename T>
__device__ T scaled(T x, T by) {
    T result = x * by;
    return result;
}

template <typename T>
__global__ void second(int *out, T by) {
    int i = threadIdx.x;
    out[i] = static_cast<int>(scaled(static_cast<T>(i), by));
}

__global__ void first(int *out, int n) {
    int i = threadIdx.x;
    out[i] = scaled(i, n);
}

template __global__ void second<float>(int *, float);
