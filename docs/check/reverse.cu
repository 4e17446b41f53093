//sim:block 64
//sim:arg x = iota:64:s32
//sim:dump x:s32:4
__global__ void reverse(int *x)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    x[t] = s[63 - t];
}
