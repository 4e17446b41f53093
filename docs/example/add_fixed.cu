#include <cstdio>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    const int n = 1000;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * sizeof *a);
    cudaMallocManaged(&b, n * sizeof *b);
    cudaMallocManaged(&c, n * sizeof *c);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    add<<<8, 128>>>(a, b, c, n);
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess)
        printf("c[10] = %g\n", c[10]);
    else
        printf("%s\n", cudaGetErrorString(error));
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return error != cudaSuccess;
}
