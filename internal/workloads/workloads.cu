// The ten workloads of the benchmark, in CUDA C. workloads.ptx is compiled from this
// file, unchanged, by clang 19.1.7:
//   clang-19 -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_70 \
//            --cuda-feature=+ptx63 -ffp-contract=off -O2 -S -o workloads.ptx workloads.cu
//   sha256sum workloads.ptx; gzip -9n workloads.ptx  # SHA256SUMS has the digest
#define KERNEL extern "C" __attribute__((global)) void
#define SHARED __attribute__((shared))
typedef unsigned u32;
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };
#define TX __nvvm_read_ptx_sreg_tid_x()
#define TY __nvvm_read_ptx_sreg_tid_y()
#define BX __nvvm_read_ptx_sreg_ctaid_x()
#define BY __nvvm_read_ptx_sreg_ctaid_y()
#define NX __nvvm_read_ptx_sreg_ntid_x()
#define NY __nvvm_read_ptx_sreg_ntid_y()
#define GX __nvvm_read_ptx_sreg_nctaid_x()
#define GIDX (BX * NX + TX)
#define GIDY (BY * NY + TY)
#define TS 16
#define fmaf __builtin_fmaf

KERNEL saxpy_loop(float *y, const float *x, float a, int niter) {
  int i = GIDX;
  float v = x[i], acc = y[i];
#pragma clang loop unroll(disable)
  for (int k = 0; k < niter; k++) acc = fmaf(acc, a, v);
  y[i] = acc;
}
KERNEL vecadd(const float *a, const float *b, float *c) {
  int i = GIDX;
  c[i] = a[i] + b[i];
}
KERNEL matmul_naive(const float *A, const float *B, float *C, int n) {
  int col = GIDX, row = GIDY;
  float acc = 0.0f;
  for (int k = 0; k < n; k++) acc = fmaf(A[row * n + k], B[k * n + col], acc);
  C[row * n + col] = acc;
}
KERNEL matmul_tiled(const float *A, const float *B, float *C, int n) {
  static SHARED float As[TS][TS], Bs[TS][TS];
  int lx = TX, ly = TY, col = BX * TS + lx, row = BY * TS + ly;
  float acc = 0.0f;
  for (int t = 0; t < n / TS; t++) {
    As[ly][lx] = A[row * n + t * TS + lx];
    Bs[ly][lx] = B[(t * TS + ly) * n + col];
    __syncthreads();
    for (int k = 0; k < TS; k++) acc = fmaf(As[ly][k], Bs[k][lx], acc);
    __syncthreads();
  }
  C[row * n + col] = acc;
}
KERNEL reduce(const int *in, int *out) {
  static SHARED int s[256];
  int l = TX;
  s[l] = in[GIDX];
  __syncthreads();
  for (int w = 128; w > 0; w >>= 1) {
    if (l < w) s[l] += s[l + w];
    __syncthreads();
  }
  if (l == 0) out[BX] = s[0];
}
KERNEL histogram(const u32 *in, u32 *bins, int per_item) {
  static SHARED u32 h[256];
  int l = TX, stride = GX * NX, g = GIDX;
  h[l] = 0;
  __syncthreads();
  for (int k = 0; k < per_item; k++)
    __atomic_fetch_add(&h[in[g + k * stride] & 255u], 1u, __ATOMIC_RELAXED);
  __syncthreads();
  __atomic_fetch_add(&bins[l], h[l], __ATOMIC_RELAXED);
}
KERNEL mandelbrot(int *out, int w, int h, int maxit) {
  int px = GIDX, py = GIDY;
  float cx = -2.0f + 3.0f * (float)px / (float)w;
  float cy = -1.5f + 3.0f * (float)py / (float)h;
  float zx = 0.0f, zy = 0.0f;
  int it = 0;
  while (it < maxit) {
    float x2 = zx * zx, y2 = zy * zy;
    if (x2 + y2 > 4.0f) break;
    zy = fmaf(2.0f * zx, zy, cy);
    zx = x2 - y2 + cx;
    it++;
  }
  out[py * w + px] = it;
}
KERNEL collatz(u32 *out) {
  u32 i = GIDX, n = i + 1u, steps = 0;
  while (n != 1u) {
    if (n & 1u) n = 3u * n + 1u;
    else n >>= 1;
    steps++;
  }
  out[i] = steps;
}
KERNEL nbody(const float4 *pos, float4 *acc, int n, float eps2) {
  int i = GIDX;
  float px = pos[i].x, py = pos[i].y, pz = pos[i].z;
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    float4 q = pos[j];
    float dx = q.x - px, dy = q.y - py, dz = q.z - pz;
    float r2 = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, eps2)));
    float inv = 1.0f / __builtin_sqrtf(r2);
    float s = q.w * inv * inv * inv;
    ax = fmaf(s, dx, ax); ay = fmaf(s, dy, ay); az = fmaf(s, dz, az);
  }
  float4 r; r.x = ax; r.y = ay; r.z = az; r.w = 0; acc[i] = r;
}
KERNEL transpose(const float *in, float *out, int n) {
  static SHARED float tile[TS][TS + 1];
  int lx = TX, ly = TY, bx = BX * TS, by = BY * TS;
  tile[ly][lx] = in[(by + ly) * n + bx + lx];
  __syncthreads();
  out[(bx + ly) * n + by + lx] = tile[lx][ly];
}
