// Five more workloads, separate from the ten: optimisations that were developed on the ten are
// measured on these, which were not looked at meanwhile. five.ptx is compiled from this file,
// unchanged, by clang 19.1.7:
//   clang-19 -x cuda -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_70 \
//            --cuda-feature=+ptx63 -ffp-contract=off -O2 -S -o five.ptx five.cu
//   sha256sum five.ptx; gzip -9n five.ptx  # SHA256SUMS has the digest
#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE static inline __attribute__((device))
#define SHARED __attribute__((shared))
typedef unsigned u32;
typedef unsigned long long u64;
struct __attribute__((aligned(8))) float2 { float x, y; };
#define TX __nvvm_read_ptx_sreg_tid_x()
#define TY __nvvm_read_ptx_sreg_tid_y()
#define BX __nvvm_read_ptx_sreg_ctaid_x()
#define BY __nvvm_read_ptx_sreg_ctaid_y()
#define NX __nvvm_read_ptx_sreg_ntid_x()
#define NY __nvvm_read_ptx_sreg_ntid_y()
#define GIDX (BX * NX + TX)
#define GIDY (BY * NY + TY)
#define fmaf __builtin_fmaf
#define TS 16

// A step of heat flow: five points, from a tile in shared memory with a halo, which the
// threads at the tile's edges load. Beyond the plane it is cold.
KERNEL stencil(const float *in, float *out, int n, float centre, float side) {
  static SHARED float t[TS + 2][TS + 2];
  int lx = TX + 1, ly = TY + 1, x = GIDX, y = GIDY, at = y * n + x;
  t[ly][lx] = in[at];
  if (lx == 1) t[ly][0] = x > 0 ? in[at - 1] : 0.0f;
  if (lx == TS) t[ly][TS + 1] = x < n - 1 ? in[at + 1] : 0.0f;
  if (ly == 1) t[0][lx] = y > 0 ? in[at - n] : 0.0f;
  if (ly == TS) t[TS + 1][lx] = y < n - 1 ? in[at + n] : 0.0f;
  __syncthreads();
  float sides = t[ly][lx - 1] + t[ly][lx + 1] + t[ly - 1][lx] + t[ly + 1][lx];
  out[at] = fmaf(centre, t[ly][lx], side * sides);
}

// The softmax of rows, one to a block: reduced by shuffles in warps, then across warps.
#define EACH_DISTANCE _Pragma("unroll") for (int d = 16; d > 0; d >>= 1)
#define OF_LANE(v) __nvvm_shfl_sync_bfly_f32(0xffffffffu, v, d, 31)
#define WARPS 8
DEVICE float exp_approx(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
KERNEL softmax(const float *in, float *out, int columns) {
  static SHARED float top[WARPS], sums[WARPS];
  const float *row = in + BX * columns;
  float m = -3.4e38f, sum = 0.0f;
  for (int c = TX; c < columns; c += NX) m = __builtin_fmaxf(m, row[c]);
  EACH_DISTANCE m = __builtin_fmaxf(m, OF_LANE(m));
  if (TX % 32 == 0) top[TX / 32] = m;
  __syncthreads();
  for (int w = 0; w < WARPS; w++) m = __builtin_fmaxf(m, top[w]);
  for (int c = TX; c < columns; c += NX) sum += exp_approx(row[c] - m);
  EACH_DISTANCE sum += OF_LANE(sum);
  if (TX % 32 == 0) sums[TX / 32] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int w = 0; w < WARPS; w++) sum += sums[w];
  float scale = __nvvm_div_approx_f(1.0f, sum);
  for (int c = TX; c < columns; c += NX) out[BX * columns + c] = exp_approx(row[c] - m) * scale;
}

// A sparse matrix in compressed rows, times a vector, in f64: one row a thread, so that
// lanes gather, and leave the loop after one iteration for each element of their rows.
KERNEL spmv(const u32 *start, const u32 *column, const double *value, const double *x, double *y) {
  u32 row = GIDX;
  double sum = 0.0;
  for (u32 k = start[row], end = start[row + 1]; k < end; k++) sum = __builtin_fma(value[k], x[column[k]], sum);
  y[row] = sum;
}

// The prices of European options by the formula of Black and Scholes, with the approximate
// instructions. The distribution function is Abramowitz and Stegun's 26.2.17.
DEVICE float distribution(float d) {
  float k = __nvvm_div_approx_f(1.0f, fmaf(0.2316419f, __builtin_fabsf(d), 1.0f));
  float p = fmaf(k, fmaf(k, fmaf(k, fmaf(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.31938153f) * k;
  float tail = 0.39894228f * exp_approx(-0.5f * d * d) * p;
  return d > 0.0f ? 1.0f - tail : tail;
}
KERNEL black_scholes(const float *price, const float *strike, const float *years, float2 *out, float rate, float volatility) {
  int i = GIDX;
  float s = price[i], x = strike[i], t = years[i];
  float spread = volatility * t * __nvvm_rsqrt_approx_f(t);
  float growth = 0.69314718f * __nvvm_lg2_approx_f(__nvvm_div_approx_f(s, x));
  float d1 = __nvvm_div_approx_f(fmaf(fmaf(0.5f * volatility, volatility, rate), t, growth), spread);
  float n1 = distribution(d1), n2 = distribution(d1 - spread), now = x * exp_approx(-rate * t);
  float2 r;
  r.x = s * n1 - now * n2;
  r.y = now * (1.0f - n2) - s * (1.0f - n1);
  out[i] = r;
}

// Records sorted by the hash of their 64-bit ids, 512 to a block: MurmurHash3's finaliser,
// and a bitonic network in shared memory.
DEVICE u64 hash(u64 k) {
  k = (k ^ k >> 33) * 0xff51afd7ed558ccdull;
  k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53ull;
  return k ^ k >> 33;
}
KERNEL hash_sort(const u64 *id, u64 *out) {
  static SHARED u64 s[512];
  u32 t = TX, base = BX * 512;
  s[t] = hash(id[base + t]);
  s[t + 256] = hash(id[base + t + 256]);
  for (u32 k = 2; k <= 512; k <<= 1)
    for (u32 j = k >> 1; j > 0; j >>= 1) {
      __syncthreads();
      u32 lo = 2 * t - (t & (j - 1)), hi = lo + j;
      u64 a = s[lo], b = s[hi];
      if ((a > b) == ((lo & k) == 0)) s[lo] = b, s[hi] = a;
    }
  __syncthreads();
  out[base + t] = s[t];
  out[base + t + 256] = s[t + 256];
}
