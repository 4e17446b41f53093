// Pipelines as CUTLASS and its like have them, with inline PTX: stages of cp.async in front of ldmatrix
// and mma, a producer and consumers with mbarriers and bulk copies, messages between the blocks of a
// cluster. make.sh compiles them; pipeline_compiled_test.go works out what they compute.
#define GLOBAL extern "C" __attribute__((global))
#define DEVICE __attribute__((device)) static inline
#define SHARED __attribute__((shared)) __attribute__((aligned(128))) static

typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned short u16;

DEVICE u32 tid() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE u32 ctaid() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE void sync() { asm volatile("bar.sync 0;" ::: "memory"); }

// shared is the address of p in shared memory.
DEVICE u32 shared(const void *p) {
  u32 a;
  asm("{.reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t;}" : "=r"(a) : "l"(p));
  return a;
}

// copy16 copies n of 16 bytes, and fills up with zeros.
DEVICE void copy16(u32 to, const void *from, u32 n) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(n) : "memory");
}
DEVICE void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

DEVICE void load4(u32 *r, u32 at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

// Mbarriers.
DEVICE void init(u64 *bar, u32 count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(bar)), "r"(count) : "memory");
}
DEVICE void expect(u64 *bar, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(bar)), "r"(bytes) : "memory");
}
DEVICE void arrive(u64 *bar) {
  asm volatile("{.reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0];}" ::"r"(shared(bar)) : "memory");
}
DEVICE void wait(u64 *bar, u32 parity) {
  asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra.uni DONE;\n"
               "bra.uni LAB_WAIT;\nDONE:\n}" ::"r"(shared(bar)), "r"(parity) : "memory");
}

// gemm is c = a * b^T of bfloat16 numbers: a of m by k, b of n by k, k and n multiples of 8. A block has
// four warps and 64 by 64 of c; three stages of 64 by 32 of a and b are swizzled in shared memory.
enum { TILE = 64, DEPTH = 32, STAGES = 3 };

DEVICE u32 swizzled(u32 row, u32 chunk) { return row * 64 + ((chunk ^ (row >> 1 & 3)) << 4); }

DEVICE void loadTile(u32 to, const u16 *from, int row0, int rows, int k0, int k) {
  for (int i = 0; i < 2; i++) {
    u32 piece = tid() + i * 128, row = piece / 4, chunk = piece % 4;
    int at = k0 + chunk * 8;
    bool inside = row0 + (int)row < rows && at < k;
    copy16(to + swizzled(row, chunk), inside ? from + (u64)(row0 + row) * k + at : from, inside ? 16 : 0);
  }
}

GLOBAL void gemm(const u16 *a, const u16 *b, u16 *c, int m, int n, int k) {
  SHARED u16 tiles[STAGES * 2 * TILE * DEPTH];
  const u32 half = TILE * DEPTH * 2, base = shared(tiles), lane = tid() % 32, warp = tid() / 32, wm = warp / 2, wn = warp % 2;
  const int m0 = __nvvm_read_ptx_sreg_ctaid_y() * TILE, n0 = ctaid() * TILE, steps = (k + DEPTH - 1) / DEPTH;
  float sum[2][4][4] = {};
  for (int s = 0; s < STAGES - 1; s++) {
    if (s < steps) {
      loadTile(base + s * 2 * half, a, m0, m, s * DEPTH, k);
      loadTile(base + s * 2 * half + half, b, n0, n, s * DEPTH, k);
    }
    commit();
  }
  for (int step = 0; step < steps; step++) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    sync();
    int next = step + STAGES - 1;
    if (next < steps) {
      u32 to = base + next % STAGES * 2 * half;
      loadTile(to, a, m0, m, next * DEPTH, k);
      loadTile(to + half, b, n0, n, next * DEPTH, k);
    }
    commit();
    u32 from = base + step % STAGES * 2 * half;
    for (int kk = 0; kk < 2; kk++) {
      u32 x[2][4], y[2][4];
      for (int i = 0; i < 2; i++)
        load4(x[i], from + swizzled(wm * 32 + i * 16 + lane % 16, kk * 2 + lane / 16));
      for (int j = 0; j < 2; j++)
        load4(y[j], from + half + swizzled(wn * 32 + j * 16 + lane % 8 + lane / 16 * 8, kk * 2 + lane / 8 % 2));
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) {
          float *d = sum[i][j];
          const u32 *p = x[i], *q = &y[j / 2][j % 2 * 2];
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                       : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]));
        }
    }
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  sync();
  for (int i = 0; i < 2; i++) // to shared memory, rows of 72 numbers, and from there to c
    for (int j = 0; j < 4; j++) {
      u32 low, high;
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(low) : "f"(sum[i][j][1]), "f"(sum[i][j][0]));
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(high) : "f"(sum[i][j][3]), "f"(sum[i][j][2]));
      asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(
                       base + ((wm * 32 + i * 16 + lane % 16) * 72 + wn * 32 + j * 8) * 2), "r"(low), "r"(high) : "memory");
    }
  sync();
  for (int i = 0; i < 4; i++) {
    int piece = tid() + i * 128, row = piece / 8, chunk = piece % 8;
    if (m0 + row < m && n0 + chunk * 8 < n) {
      u32 v[4];
      asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                   : "r"(base + (row * 72 + chunk * 8) * 2) : "memory");
      asm volatile("st.global.L1::no_allocate.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(c + (u64)(m0 + row) * n + n0 + chunk * 8),
                   "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory");
    }
  }
}

// ring doubles tiles of 1024 words and adds up each. A warp copies them to a ring of four, four warps
// consume them; one of their threads copies the result back.
enum { RING = 4, WORDS = 1024 };

GLOBAL void ring(const u32 *in, u32 *out, u32 *sums, int tiles) {
  SHARED u32 slots[RING][WORDS], done[WORDS], parts[4];
  SHARED u64 full[RING], empty[RING];
  const u32 t = tid(), stride = __nvvm_read_ptx_sreg_nctaid_x();
  if (t == 0) {
    for (int i = 0; i < RING; i++) {
      init(&full[i], 1);
      init(&empty[i], 128);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  sync();
  if (t >= 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    u32 elected;
    asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(elected));
    if (!elected)
      return;
    for (int i = ctaid(), n = 0; i < tiles; i += stride, n++) {
      wait(&empty[n % RING], (n / RING & 1) ^ 1);
      expect(&full[n % RING], WORDS * 4);
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared(slots[n % RING])),
                   "l"(in + (u64)i * WORDS), "r"(WORDS * 4), "r"(shared(&full[n % RING])) : "memory");
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  for (int i = ctaid(), n = 0; i < tiles; i += stride, n++) {
    wait(&full[n % RING], n / RING & 1);
    u32 v[8], sum = 0;
    for (int j = 0; j < 8; j++)
      sum += v[j] = slots[n % RING][t + j * 128];
    arrive(&empty[n % RING]);
    asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(sum));
    if (t == 0)
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    asm volatile("bar.sync 1, 128;" ::: "memory");
    for (int j = 0; j < 8; j++)
      done[t + j * 128] = v[j] * 2;
    if (t % 32 == 0)
      parts[t / 32] = sum;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (t == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + (u64)i * WORDS), "r"(shared(done)), "r"(WORDS * 4) : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      sums[i] = parts[0] + parts[1] + parts[2] + parts[3];
    }
  }
  if (t == 0)
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// pass sends 64 words from each block of a cluster to the next one, five times: 3v + round is sent, and
// 1 added where it arrives. The messages are announced at mbarriers of the receiver.
DEVICE u32 of(u32 address, u32 rank) {
  u32 a;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(address), "r"(rank));
  return a;
}
DEVICE void syncCluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

GLOBAL void pass(const u32 *in, u32 *out) {
  SHARED u32 box[2][64];
  SHARED u64 came[2];
  u32 rank, size;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  if (tid() == 0) {
    init(&came[0], 64);
    init(&came[1], 64);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  syncCluster();
  u32 v = in[ctaid() * 64 + tid()], to = (rank + 1) % size;
  for (int round = 0; round < 5; round++) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(of(shared(&box[round & 1][tid()]), to)), "r"(v * 3 + round) : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(of(shared(&came[round & 1]), to)) : "memory");
    u32 ok;
    do
      asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                   : "=r"(ok) : "r"(shared(&came[round & 1])), "r"(round >> 1 & 1) : "memory");
    while (!ok);
    v = box[round & 1][tid()] + 1;
    if (round & 1)
      syncCluster();
  }
  out[ctaid() * 64 + tid()] = v;
  syncCluster();
}
