// Multiplies 100 elements by 3.
#include <stdio.h>

__global__ void scale(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0;
    if (i < n)
        x[i] = v * by;
}

int main(void)
{
    float *x;
    cudaMallocManaged(&x, 100 * sizeof *x);
    for (int i = 0; i < 100; i++)
        x[i] = i;
    scale<<<2, 64>>>(x, 3, 100);
    cudaDeviceSynchronize();
    printf("x[70] = %g\n", x[70]);
    cudaFree(x);
}
