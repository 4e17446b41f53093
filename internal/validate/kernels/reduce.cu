// Sums of 2^25 words in steps of optimisation: kernels 2 to 6 of github.com/MasterSkepticista/parallel_reductions_cuda,
// which follow M. Harris, "Optimizing Parallel Reduction in CUDA", 2007; written anew for this package. Each CTA adds
// the sum of its words to out.
//
// reduce.s.gz has what "simtrun cc -arch=sm_86", by clang 19, makes of this file, without debug information,
// after a header, compressed by gzip -9n; SHA256SUMS has the digest of the text.
#define KERNEL(name) extern "C" __global__ void name(float *out, const float *in, int words)
#define LANE ((int)threadIdx.x)
#define SIZE ((int)blockDim.x)

extern __shared__ float sums[];

// Every second thread adds, then every fourth, and so on: warps diverge until few threads are left.
KERNEL(divergent) {
  int at = blockIdx.x * SIZE + LANE;
  if (at >= words) return;
  sums[LANE] = in[at];
  __syncthreads();
  for (int step = 1; step < SIZE; step *= 2) {
    if (LANE % (2 * step) == 0) sums[LANE] += sums[LANE + step];
    __syncthreads();
  }
  if (LANE == 0) atomicAdd(out, sums[0]);
}

// The first threads add: their words are in the same banks.
KERNEL(conflicts) {
  int at = blockIdx.x * SIZE + LANE;
  if (at >= words) return;
  sums[LANE] = in[at];
  __syncthreads();
  for (int step = 1; step < SIZE; step *= 2) {
    int to = 2 * step * LANE;
    if (to < SIZE) sums[to] += sums[to + step];
    __syncthreads();
  }
  if (LANE == 0) atomicAdd(out, sums[0]);
}

// Their words are consecutive.
KERNEL(sequential) {
  int at = blockIdx.x * SIZE + LANE;
  if (at >= words) return;
  sums[LANE] = in[at];
  __syncthreads();
  for (int step = SIZE / 2; step > 0; step /= 2) {
    if (LANE < step) sums[LANE] += sums[LANE + step];
    __syncthreads();
  }
  if (LANE == 0) atomicAdd(out, sums[0]);
}

// The last warp adds without barriers of the CTA.
__device__ __forceinline__ void last_warp() {
  volatile float *s = sums + LANE;
  for (int step = 32; step > 0; step /= 2) *s += s[step];
}

__device__ __forceinline__ void unrolled(float *out) {
  __syncthreads();
  for (int step = SIZE / 2; step > 32; step /= 2) {
    if (LANE < step) sums[LANE] += sums[LANE + step];
    __syncthreads();
  }
  if (LANE < 32) last_warp();
  if (LANE == 0) atomicAdd(out, sums[0]);
}

KERNEL(warp) {
  int at = blockIdx.x * SIZE + LANE;
  if (at >= words) return;
  sums[LANE] = in[at];
  unrolled(out);
}

// A thread reads two words.
KERNEL(two) {
  int at = blockIdx.x * (SIZE * 2) + LANE;
  if (at >= words) return;
  sums[LANE] = in[at] + in[at + SIZE];
  unrolled(out);
}
