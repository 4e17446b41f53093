// srush/GPU-Puzzles#26: the tree sum reads cells of shared memory that nobody filled (i + p < size is not asked): 88 instead of 77
//sim:grid 2
//sim:block 8
//sim:buffer a = iota:15:f32
//sim:buffer o = zeros:2:f32
//sim:arg 0 = a
//sim:arg 1 = o
//sim:arg 2 = 15
//sim:dump o:f32:2
extern "C" __global__ void k(const float *a, float *o, int n) {
  __shared__ float c[8];
  int l = threadIdx.x, i = blockIdx.x * 8 + l;
  if (i < n) c[l] = a[i];
  __syncthreads();
  for (int p = 1; p < 8; p *= 2) { if (l % (2 * p) == 0) c[l] += c[l + p]; __syncthreads(); }
  if (l == 0) o[blockIdx.x] = c[0];
}

