// Products of matrices in seven steps of optimisation: those of S. Boehm, "How to Optimize a CUDA Matmul Kernel for
// cuBLAS-like Performance", 2022, kernels 1 to 6 and 10, with the same tiles; written anew for this package.
// C = alpha A B + beta C. A has rows of pitch words, of which depth are used, B and C have rows of width words.
//
// sgemm.s.gz has what the compiler of CUDA 12.4 makes of this file (nvcc -arch=sm_86 -ptx), behind a header, compressed
// by gzip -9n; SHA256SUMS has the digest of the text.
#define KERNEL extern "C" __global__ void
#define GEMM(name) KERNEL name(const float *A, const float *B, float *C, int width, int depth, int pitch, float alpha, float beta)
#define TX ((int)threadIdx.x)
#define TY ((int)threadIdx.y)
#define BX ((int)blockIdx.x)
#define BY ((int)blockIdx.y)

// One element for each thread; lanes of a warp are in different rows of A and C.
GEMM(naive) {
  int row = BX * 32 + TX, column = BY * 32 + TY;
  float sum = 0;
  for (int k = 0; k < depth; k++) sum += A[row * pitch + k] * B[k * width + column];
  C[row * width + column] = alpha * sum + beta * C[row * width + column];
}

// Lanes of a warp are in consecutive columns of B and C.
GEMM(coalesced) {
  int row = BX * 32 + TX / 32, column = BY * 32 + TX % 32;
  float sum = 0;
  for (int k = 0; k < depth; k++) sum += A[row * pitch + k] * B[k * width + column];
  C[row * width + column] = alpha * sum + beta * C[row * width + column];
}

// The CTA copies tiles of 32 by 32 to shared memory.
GEMM(shared) {
  __shared__ float a[32 * 32], b[32 * 32];
  int row = TX / 32, column = TX % 32;
  A += BX * 32 * pitch, B += BY * 32, C += BX * 32 * width + BY * 32;
  float sum = 0;
  for (int k = 0; k < depth; k += 32) {
    a[row * 32 + column] = A[row * pitch + column];
    b[row * 32 + column] = B[row * width + column];
    __syncthreads();
    A += 32, B += 32 * width;
    for (int i = 0; i < 32; i++) sum += a[row * 32 + i] * b[i * 32 + column];
    __syncthreads();
  }
  C[row * width + column] = alpha * sum + beta * C[row * width + column];
}

// A tile of 64 by 64, 8 deep; a thread computes 8 elements of a column.
GEMM(tile_1d) {
  __shared__ float a[64 * 8], b[8 * 64];
  int row = TX / 64, column = TX % 64;
  A += BY * 64 * pitch, B += BX * 64, C += BY * 64 * width + BX * 64;
  float sums[8] = {};
  for (int k = 0; k < depth; k += 8) {
    a[TX] = A[TX / 8 * pitch + TX % 8];
    b[TX] = B[row * width + column];
    __syncthreads();
    A += 8, B += 8 * width;
    for (int i = 0; i < 8; i++) {
      float factor = b[i * 64 + column];
      for (int m = 0; m < 8; m++) sums[m] += a[(row * 8 + m) * 8 + i] * factor;
    }
    __syncthreads();
  }
  for (int m = 0; m < 8; m++) {
    float *c = &C[(row * 8 + m) * width + column];
    *c = alpha * sums[m] + beta * *c;
  }
}

// A tile of 128 by 128, 8 deep; a thread computes 8 by 8 elements.
GEMM(tile_2d) {
  __shared__ float a[128 * 8], b[8 * 128];
  int row = TX / 16 * 8, column = TX % 16 * 8;
  A += BY * 128 * pitch, B += BX * 128, C += BY * 128 * width + BX * 128;
  float sums[64] = {};
  for (int k = 0; k < depth; k += 8) {
    for (int m = 0; m < 128; m += 32) a[(TX / 8 + m) * 8 + TX % 8] = A[(TX / 8 + m) * pitch + TX % 8];
    for (int n = 0; n < 8; n += 2) b[(TX / 128 + n) * 128 + TX % 128] = B[(TX / 128 + n) * width + TX % 128];
    __syncthreads();
    A += 8, B += 8 * width;
    for (int i = 0; i < 8; i++) {
      float as[8], bs[8];
      for (int m = 0; m < 8; m++) as[m] = a[(row + m) * 8 + i];
      for (int n = 0; n < 8; n++) bs[n] = b[i * 128 + column + n];
      for (int m = 0; m < 8; m++)
        for (int n = 0; n < 8; n++) sums[m * 8 + n] += as[m] * bs[n];
    }
    __syncthreads();
  }
  for (int m = 0; m < 8; m++)
    for (int n = 0; n < 8; n++) {
      float *c = &C[(row + m) * width + column + n];
      *c = alpha * sums[m * 8 + n] + beta * *c;
    }
}

static __device__ void store(float *to, const float *sums, float alpha, float beta) {
  float4 c = *(float4 *)to;
  c.x = alpha * sums[0] + beta * c.x;
  c.y = alpha * sums[1] + beta * c.y;
  c.z = alpha * sums[2] + beta * c.z;
  c.w = alpha * sums[3] + beta * c.w;
  *(float4 *)to = c;
}

// The same with accesses of 16 bytes; the tile of A is transposed on the way to shared memory.
GEMM(vectors) {
  __shared__ __align__(16) float a[8 * 128], b[8 * 128];
  int row = TX / 16 * 8, column = TX % 16 * 8;
  A += BY * 128 * pitch, B += BX * 128, C += BY * 128 * width + BX * 128;
  float sums[64] = {};
  for (int k = 0; k < depth; k += 8) {
    float4 v = *(const float4 *)&A[TX / 2 * pitch + TX % 2 * 4];
    a[(TX % 2 * 4 + 0) * 128 + TX / 2] = v.x;
    a[(TX % 2 * 4 + 1) * 128 + TX / 2] = v.y;
    a[(TX % 2 * 4 + 2) * 128 + TX / 2] = v.z;
    a[(TX % 2 * 4 + 3) * 128 + TX / 2] = v.w;
    *(float4 *)&b[TX / 32 * 128 + TX % 32 * 4] = *(const float4 *)&B[TX / 32 * width + TX % 32 * 4];
    __syncthreads();
    A += 8, B += 8 * width;
    for (int i = 0; i < 8; i++) {
      float as[8], bs[8];
      for (int m = 0; m < 8; m++) as[m] = a[i * 128 + row + m];
      for (int n = 0; n < 8; n++) bs[n] = b[i * 128 + column + n];
      for (int m = 0; m < 8; m++)
        for (int n = 0; n < 8; n++) sums[m * 8 + n] += as[m] * bs[n];
    }
    __syncthreads();
  }
  for (int m = 0; m < 8; m++)
    for (int n = 0; n < 8; n += 4) store(&C[(row + m) * width + column + n], &sums[m * 8 + n], alpha, beta);
}

// A tile of 128 by 128, 16 deep, for four warps with 64 by 64 each: four times 64 by 16, of which a lane has 8 by 4.
GEMM(warp_tile) {
  __shared__ __align__(16) float a[16 * 128], b[16 * 128];
  int row = TX / 64 * 64 + TX % 32 / 4 * 8, column = TX / 32 % 2 * 64 + TX % 4 * 4;
  A += BY * 128 * pitch, B += BX * 128, C += BY * 128 * width + BX * 128;
  float sums[128] = {};
  for (int k = 0; k < depth; k += 16) {
    for (int m = 0; m < 128; m += 32) {
      float4 v = *(const float4 *)&A[(TX / 4 + m) * pitch + TX % 4 * 4];
      a[(TX % 4 * 4 + 0) * 128 + TX / 4 + m] = v.x;
      a[(TX % 4 * 4 + 1) * 128 + TX / 4 + m] = v.y;
      a[(TX % 4 * 4 + 2) * 128 + TX / 4 + m] = v.z;
      a[(TX % 4 * 4 + 3) * 128 + TX / 4 + m] = v.w;
    }
    for (int n = 0; n < 16; n += 4) *(float4 *)&b[(TX / 32 + n) * 128 + TX % 32 * 4] = *(const float4 *)&B[(TX / 32 + n) * width + TX % 32 * 4];
    __syncthreads();
    for (int i = 0; i < 16; i++) {
      float as[8], bs[16];
      for (int m = 0; m < 8; m++) as[m] = a[i * 128 + row + m];
      for (int w = 0; w < 4; w++)
        for (int n = 0; n < 4; n++) bs[w * 4 + n] = b[i * 128 + column + w * 16 + n];
      for (int w = 0; w < 4; w++)
        for (int m = 0; m < 8; m++)
          for (int n = 0; n < 4; n++) sums[(m * 4 + w) * 4 + n] += as[m] * bs[w * 4 + n];
    }
    A += 16, B += 16 * width;
    __syncthreads();
  }
  for (int w = 0; w < 4; w++)
    for (int m = 0; m < 8; m++) store(&C[(row + m) * width + column + w * 16], &sums[(m * 4 + w) * 4], alpha, beta);
}
