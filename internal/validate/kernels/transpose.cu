// Transposes of matrices of words in six steps of optimisation: those of github.com/yencal/gpu-matrix-transpose, with
// the same tiles; written anew for this package.
//
// transpose.s.gz has what "simtrun cc -arch=sm_90", by clang 19, makes of this file, without debug information,
// after a header, compressed by gzip -9n; SHA256SUMS has the digest of the text.
#define KERNEL(name) extern "C" __global__ void name(const float *__restrict__ in, float *__restrict__ out, int width)
#define TX ((int)threadIdx.x)
#define TY ((int)threadIdx.y)
#define BX ((int)blockIdx.x)
#define BY ((int)blockIdx.y)

// Lanes of a warp write to different rows.
KERNEL(naive) {
  int x = BX * 32 + TX, y = BY * 32 + TY;
  if (x < width && y < width) out[x * width + y] = in[y * width + x];
}

// The CTA transposes a tile of 32 by 32 in shared memory, whose rows have pitch words; it has rows rows of threads.
template <int pitch, int rows> __device__ __forceinline__ void tiled(const float *__restrict__ in, float *__restrict__ out, int width) {
  __shared__ float tile[32][pitch];
  int x = BX * 32 + TX, y = BY * 32 + TY;
#pragma unroll
  for (int j = 0; j < 32; j += rows) tile[TY + j][TX] = in[(y + j) * width + x];
  __syncthreads();
  x = BY * 32 + TX, y = BX * 32 + TY;
#pragma unroll
  for (int j = 0; j < 32; j += rows) out[(y + j) * width + x] = tile[TX][TY + j];
}

KERNEL(shared) { tiled<32, 32>(in, out, width); }
KERNEL(padded) { tiled<33, 32>(in, out, width); }
KERNEL(coarse_2) { tiled<33, 16>(in, out, width); }
KERNEL(coarse_4) { tiled<33, 8>(in, out, width); }

// A tile of 64 by 64, and two words of a row for each thread and row.
KERNEL(wide) {
  __shared__ float tile[64][65];
  int x = BX * 32 + TX, y = BY * 64 + TY, pitch = width / 2;
#pragma unroll
  for (int j = 0; j < 64; j += 16) {
    float2 pair = ((const float2 *)in)[(y + j) * pitch + x];
    tile[TY + j][TX * 2] = pair.x, tile[TY + j][TX * 2 + 1] = pair.y;
  }
  __syncthreads();
  x = BY * 32 + TX, y = BX * 64 + TY;
#pragma unroll
  for (int j = 0; j < 64; j += 16) {
    float2 pair = {tile[TX * 2][TY + j], tile[TX * 2 + 1][TY + j]};
    ((float2 *)out)[(y + j) * pitch + x] = pair;
  }
}

// Leaves L2 as a transpose of a large matrix finds it: half of its lines have to be written back.
extern "C" __global__ void copy(const float4 *__restrict__ in, float4 *__restrict__ out) {
  in += BX * 1024 + TX, out += BX * 1024 + TX;
#pragma unroll
  for (int i = 0; i < 1024; i += 256) out[i] = in[i];
}
