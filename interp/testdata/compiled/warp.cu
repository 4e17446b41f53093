// Threads that work together: shuffles, votes, barriers, shared memory and
// atomics. Every result is the same in any order of the threads.
#include "kernels.h"

#define ALL 0xffffffffu
#define LANE (TX & 31)

#if DEVICE
#define SYNC() __syncthreads()
#define SHUFFLE(v, lane) (u32) __nvvm_shfl_sync_idx_i32(ALL, (i32)(v), (i32)(lane), 31)
#define SHUFFLE_UP(v, n) (u32) __nvvm_shfl_sync_up_i32(ALL, (i32)(v), n, 0)
#define SHUFFLE_DOWN(v, n) (u32) __nvvm_shfl_sync_down_i32(ALL, (i32)(v), n, 31)
#define SHUFFLE_XOR(v, n) (u32) __nvvm_shfl_sync_bfly_i32(ALL, (i32)(v), n, 31)
#define ATOMIC_ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#endif

COOPERATIVE(warp_sum, 2, 64, 128) {
#if DEVICE
  u32 v = IN(0);
  for (int n = 16; n; n >>= 1) v += SHUFFLE_XOR(v, n);
  out[GID] = v;
#else
  for (u32 w = 0; w < 128; w += 32) {
    u32 sum = 0;
    for (u32 i = w; i < w + 32; i++) sum += in[i * 8];
    for (u32 i = w; i < w + 32; i++) out[i] = sum;
  }
#endif
}

COOPERATIVE(warp_scan, 2, 64, 256) {
#if DEVICE
  u32 v = IN(0), most = IN(1);
  for (u32 n = 1; n < 32; n <<= 1) {
    u32 below = SHUFFLE_UP(v, n), other = SHUFFLE_UP(most, n);
    if (LANE >= n) v += below, most = most > other ? most : other;
  }
  out[GID * 2] = v;
  out[GID * 2 + 1] = most;
#else
  for (u32 w = 0; w < 128; w += 32)
    for (u32 i = w, sum = 0, most = 0; i < w + 32; i++) {
      out[i * 2] = sum += in[i * 8];
      out[i * 2 + 1] = most = in[i * 8 + 1] > most ? in[i * 8 + 1] : most;
    }
#endif
}

// Rotation, reversal, halves of eight, a double in two parts, and lanes past the end.
COOPERATIVE(shuffles, 2, 64, 128 * 7) {
#if DEVICE
  u32 *o = out + GID * 7, v = IN(0);
  o[0] = SHUFFLE(v, LANE + 1);
  o[1] = SHUFFLE_XOR(v, 31);
  o[2] = SHUFFLE_DOWN(v, 5);
  o[3] = (u32)__nvvm_shfl_sync_idx_i32(ALL, (i32)v, 3, 0x181f); // in groups of eight
  o[4] = (u32)__nvvm_shfl_sync_down_i32(ALL, (i32)v, 2, 0x181f);
  u64 wide = join(IN(1), IN(2));
  put64(o + 5, join(SHUFFLE((u32)(wide >> 32), IN(3) & 31), SHUFFLE((u32)wide, IN(3) & 31)));
#else
  for (u32 i = 0; i < 128; i++) {
    u32 *o = out + i * 7, w = i & ~31u, lane = i & 31;
    o[0] = in[(w | ((lane + 1) & 31)) * 8];
    o[1] = in[(i ^ 31) * 8];
    o[2] = in[(lane + 5 < 32 ? i + 5 : i) * 8];
    o[3] = in[((i & ~7u) + 3) * 8];
    o[4] = in[((lane & 7) + 2 < 8 ? i + 2 : i) * 8];
    u32 from = w | (in[i * 8 + 3] & 31);
    put64(o + 5, join(in[from * 8 + 1], in[from * 8 + 2]));
  }
#endif
}

COOPERATIVE(votes, 2, 64, 128 * 2) {
#if DEVICE
  bool odd = IN(0) & 1, rare = IN(1) % 61 == 0, common = IN(2) % 61 != 0;
  out[GID * 2] = __nvvm_vote_ballot_sync(ALL, odd);
  out[GID * 2 + 1] = __nvvm_vote_any_sync(ALL, rare) | __nvvm_vote_all_sync(ALL, common) << 1 | __nvvm_vote_uni_sync(ALL, rare) << 2;
#else
  for (u32 w = 0; w < 128; w += 32) {
    u32 ballot = 0, rares = 0, commons = 0;
    for (u32 i = 0; i < 32; i++) {
      const u32 *own = in + (w + i) * 8;
      ballot |= (own[0] & 1) << i;
      rares += own[1] % 61 == 0;
      commons += own[2] % 61 != 0;
    }
    for (u32 i = w; i < w + 32; i++) {
      out[i * 2] = ballot;
      out[i * 2 + 1] = (rares > 0) | (commons == 32) << 1 | (rares == 0 || rares == 32) << 2;
    }
  }
#endif
}

COOPERATIVE(compaction, 2, 64, 130) {
#if DEVICE
  SHARED u32 used;
  if (TX == 0) used = 0;
  SYNC();
  u32 v = IN(0);
  bool keep = v % 3 == 0;
  u32 kept = __nvvm_vote_ballot_sync(ALL, keep), base = 0;
  if (TX >= 32) SYNC(); // the first warp is before the second
  if (LANE == 0) base = ATOMIC_ADD(&used, (u32)__builtin_popcount(kept));
  base = SHUFFLE(base, 0);
  if (TX < 32) SYNC();
  u32 *o = out + BX * 65;
  if (keep) o[1 + base + __builtin_popcount(kept & __nvvm_read_ptx_sreg_lanemask_lt())] = v;
  SYNC();
  if (TX == 0) o[0] = used;
#else
  for (u32 b = 0; b < 2; b++) {
    u32 n = 0, *o = out + b * 65;
    for (u32 i = 0; i < 64; i++)
      if (u32 v = in[(b * 64 + i) * 8]; v % 3 == 0) o[1 + n++] = v;
    o[0] = n;
  }
#endif
}

COOPERATIVE(matches, 2, 64, 128 * 3) {
#if DEVICE
  u32 v = IN(0) & 7;
  out[GID * 3] = __nvvm_match_any_sync_i32(ALL, v);
  out[GID * 3 + 1] = __nvvm_match_any_sync_i64(ALL, (i64)(IN(1) & 1) << 40);
  int agreed;
  u32 same = __nvvm_match_all_sync_i32p(ALL, BX ? 5 : v, &agreed);
  out[GID * 3 + 2] = same ^ agreed;
#else
  for (u32 i = 0; i < 128; i++) {
    u32 equal = 0, wide = 0;
    for (u32 k = 0; k < 32; k++) {
      u32 j = (i & ~31u) | k;
      equal |= (u32)((in[j * 8] & 7) == (in[i * 8] & 7)) << k;
      wide |= (u32)((in[j * 8 + 1] & 1) == (in[i * 8 + 1] & 1)) << k;
    }
    out[i * 3] = equal;
    out[i * 3 + 1] = wide;
    out[i * 3 + 2] = i < 64 ? (equal == ALL ? ALL ^ 1 : 0) : ALL ^ 1;
  }
#endif
}

// Lanes that take the branch exchange among themselves.
COOPERATIVE(divergent_shuffles, 2, 64, 128) {
#if DEVICE
  u32 v = IN(0);
  if (LANE < 12) {
    v += (u32)__nvvm_shfl_sync_bfly_i32(0xfff, (i32)v, 3, 31);
  } else {
    u32 others = __nvvm_vote_ballot_sync(0xfffff000, v & 1);
    v ^= others;
    __nvvm_bar_warp_sync(0xfffff000);
  }
  __nvvm_bar_warp_sync(ALL);
  out[GID] = SHUFFLE(v, 31 - LANE);
#else
  for (u32 i = 0; i < 128; i++) {
    u32 w = i & ~31u, lane = 31 - (i & 31), v = in[(w + lane) * 8];
    if (lane < 12) {
      v += in[(w + (lane ^ 3)) * 8];
    } else {
      for (u32 k = 12; k < 32; k++) v ^= (in[(w + k) * 8] & 1) << k;
    }
    out[i] = v;
  }
#endif
}

COOPERATIVE(block_sum, 2, 128, 2) {
#if DEVICE
  SHARED u32 s[128];
  s[TX] = in[GID];
  SYNC();
  for (u32 n = 64; n; n >>= 1) {
    if (TX < n) s[TX] += s[TX + n];
    SYNC();
  }
  if (TX == 0) out[BX] = s[0];
#else
  for (u32 i = 0; i < 256; i++) out[i / 128] += in[i];
#endif
}

COOPERATIVE(block_scan, 2, 100, 200) {
#if DEVICE
  SHARED u32 s[2][128];
  u32 from = 0;
  s[0][TX] = in[GID];
  SYNC();
  for (u32 n = 1; n < NX; n <<= 1, from ^= 1) {
    s[from ^ 1][TX] = s[from][TX] + (TX >= n ? s[from][TX - n] : 0);
    SYNC();
  }
  out[GID] = s[from][TX];
#else
  for (u32 i = 0; i < 200; i++) out[i] = in[i] + (i % 100 ? out[i - 1] : 0);
#endif
}

// Blelloch's scan: up the tree, and down.
COOPERATIVE(exclusive_scan, 1, 64, 128) {
#if DEVICE
  SHARED u32 s[128];
  s[2 * TX] = in[2 * TX], s[2 * TX + 1] = in[2 * TX + 1];
  u32 stride = 1;
  for (u32 d = 64; d; d >>= 1, stride <<= 1) {
    SYNC();
    if (TX < d) s[stride * (2 * TX + 2) - 1] += s[stride * (2 * TX + 1) - 1];
  }
  if (TX == 0) s[127] = 0;
  for (u32 d = 1; d < 128; d <<= 1) {
    stride >>= 1;
    SYNC();
    if (TX < d) {
      u32 a = stride * (2 * TX + 1) - 1, b = stride * (2 * TX + 2) - 1, t = s[a];
      s[a] = s[b];
      s[b] += t;
    }
  }
  SYNC();
  out[2 * TX] = s[2 * TX], out[2 * TX + 1] = s[2 * TX + 1];
#else
  for (u32 i = 0, sum = 0; i < 128; sum += in[i++]) out[i] = sum;
#endif
}

COOPERATIVE(bitonic_sort, 2, 128, 256) {
#if DEVICE
  SHARED u32 s[128];
  s[TX] = in[GID];
  for (u32 width = 2; width <= 128; width <<= 1)
    for (u32 gap = width >> 1; gap; gap >>= 1) {
      SYNC();
      u32 other = TX ^ gap;
      if (other > TX && (s[TX] > s[other]) == !(TX & width)) {
        u32 t = s[TX];
        s[TX] = s[other], s[other] = t;
      }
    }
  SYNC();
  out[GID] = s[TX];
#else
  for (u32 i = 0; i < 256; i++) {
    u32 at = i;
    for (; at % 128 && out[at - 1] > in[i]; at--) out[at] = out[at - 1];
    out[at] = in[i];
  }
#endif
}

COOPERATIVE(tiled_transpose, DIM(2, 2, 1), DIM(16, 16, 1), 1024) {
#if DEVICE
  SHARED u32 tile[16][17];
  u32 ty = __nvvm_read_ptx_sreg_tid_y(), by = __nvvm_read_ptx_sreg_ctaid_y();
  tile[ty][TX] = in[(by * 16 + ty) * 32 + BX * 16 + TX];
  SYNC();
  out[(BX * 16 + ty) * 32 + by * 16 + TX] = tile[TX][ty];
#else
  for (u32 i = 0; i < 1024; i++) out[i % 32 * 32 + i / 32] = in[i];
#endif
}

COOPERATIVE(tiled_product, DIM(2, 2, 1), DIM(8, 8, 1), 256) {
#if DEVICE
  SHARED u32 a[8][8], b[8][8];
  u32 ty = __nvvm_read_ptx_sreg_tid_y(), row = __nvvm_read_ptx_sreg_ctaid_y() * 8 + ty, column = BX * 8 + TX, sum = 0;
  for (u32 t = 0; t < 2; t++) {
    a[ty][TX] = in[row * 16 + t * 8 + TX];
    b[ty][TX] = in[256 + (t * 8 + ty) * 16 + column];
    SYNC();
    for (u32 k = 0; k < 8; k++) sum += a[ty][k] * b[k][TX];
    SYNC();
  }
  out[row * 16 + column] = sum;
#else
  for (u32 i = 0; i < 256; i++)
    for (u32 k = 0; k < 16; k++) out[i] += in[i / 16 * 16 + k] * in[256 + k * 16 + i % 16];
#endif
}

COOPERATIVE(histogram, 2, 64, 16) {
#if DEVICE
  SHARED u32 bins[16];
  if (TX < 16) bins[TX] = 0;
  SYNC();
  for (int i = 0; i < 8; i++) ATOMIC_ADD(&bins[IN(i) >> 28], 1u);
  SYNC();
  if (TX < 16) ATOMIC_ADD(&out[TX], bins[TX]);
#else
  for (u32 i = 0; i < 1024; i++) out[in[i] >> 28]++;
#endif
}

COOPERATIVE(stencil, 2, 64, 128) {
#if DEVICE
  SHARED u32 s[66];
  s[TX + 1] = in[GID];
  if (TX == 0) s[0] = GID ? in[GID - 1] : 0, s[65] = in[GID + 64];
  SYNC();
  out[GID] = s[TX] + 2 * s[TX + 1] + s[TX + 2];
#else
  for (u32 i = 0; i < 128; i++) out[i] = (i ? in[i - 1] : 0) + 2 * in[i] + in[i + 1];
#endif
}

COOPERATIVE(barrier_reductions, 2, 64, 128) {
#if DEVICE
  u32 v = IN(0);
  out[GID] = __nvvm_bar0_popc(v & 1) | __nvvm_bar0_and(v != 0) << 8 | (__nvvm_bar0_or(v % 97 == 0) != 0) << 9;
#else
  for (u32 b = 0; b < 128; b += 64) {
    u32 odd = 0, any = 0;
    for (u32 i = b; i < b + 64; i++) odd += in[i * 8] & 1, any |= in[i * 8] % 97 == 0;
    for (u32 i = b; i < b + 64; i++) out[i] = odd | 1 << 8 | any << 9;
  }
#endif
}

// Two pairs of warps, each pair with a barrier of its own.
COOPERATIVE(named_barriers, 1, 128, 128) {
#if DEVICE
  SHARED u32 s[128];
  u32 group = TX >> 6;
  s[TX] = IN(0);
  __nvvm_barrier_sync_cnt(1 + group, 64);
  for (u32 i = 0; i < 4 + 3 * group; i++) {
    u32 next = s[(TX & 64) | ((TX + 33) & 63)];
    __nvvm_barrier_sync_cnt(1 + group, 64);
    s[TX] = s[TX] * 3 + next;
    __nvvm_barrier_sync_cnt(1 + group, 64);
  }
  out[TX] = s[TX];
#else
  for (u32 group = 0; group < 2; group++) {
    u32 s[64], t[64];
    for (u32 i = 0; i < 64; i++) s[i] = in[(group * 64 + i) * 8];
    for (u32 n = 0; n < 4 + 3 * group; n++) {
      for (u32 i = 0; i < 64; i++) t[i] = s[i] * 3 + s[(i + 33) & 63];
      for (u32 i = 0; i < 64; i++) s[i] = t[i];
    }
    for (u32 i = 0; i < 64; i++) out[group * 64 + i] = s[i];
  }
#endif
}

COOPERATIVE(integer_atomics, 2, 64, 21) {
#if DEVICE
  SHARED u32 common;
  if (TX == 0) common = ALL;
  SYNC();
  u32 v = IN(0);
  ATOMIC_ADD(&out[0], v);
  __atomic_fetch_sub(&out[1], v, __ATOMIC_RELAXED);
  __atomic_fetch_or(&out[2], 1u << (v & 31), __ATOMIC_RELAXED);
  __atomic_fetch_xor(&out[3], v, __ATOMIC_RELAXED);
  __atomic_fetch_and(&common, v | 0xffff0, __ATOMIC_RELAXED);
  __nvvm_atom_max_gen_ui(&out[5], v);
  __nvvm_atom_min_gen_i((i32 *)&out[6], (i32)v);
  __nvvm_atom_max_gen_i((i32 *)&out[7], (i32)v);
  u64 *wide = (u64 *)(out + 8);
  __atomic_fetch_add(&wide[0], join(v, IN(1)), __ATOMIC_RELAXED);
  __nvvm_atom_max_gen_ull(&wide[1], join(IN(2), IN(3)));
  __nvvm_atom_min_gen_ll((long long *)&wide[2], (i64)join(IN(4), IN(5)));
  __nvvm_atom_inc_gen_ui(&out[14], 49);
  __nvvm_atom_dec_gen_ui(&out[15], 29);
  // Every ticket is drawn once, whatever the order.
  u32 ticket = ATOMIC_ADD(&out[16], 1u);
  ATOMIC_ADD(&out[17], ticket * ticket);
  // What exchanges displace and what stays add up; the last to come sees what stays.
  ATOMIC_ADD(&out[18], (u32)__nvvm_atom_xchg_gen_i((i32 *)&out[19], (i32)v));
  __nvvm_membar_gl();
  if (ATOMIC_ADD(&out[20], 1u) == GX * NX - 1) {
    ATOMIC_ADD(&out[18], out[19]);
    out[19] = 0;
  }
  SYNC();
  if (TX == 0) ATOMIC_ADD(&out[4], common);
#else
  u64 wide[3] = {0, 0, 0};
  u32 common[2] = {ALL, ALL};
  for (u32 g = 0; g < 128; g++) {
    const u32 *own = in + g * 8;
    u32 v = own[0];
    out[0] += v;
    out[1] -= v;
    out[2] |= 1u << (v & 31);
    out[3] ^= v;
    common[g / 64] &= v | 0xffff0;
    if (v > out[5]) out[5] = v;
    if ((i32)v < (i32)out[6]) out[6] = v;
    if ((i32)v > (i32)out[7]) out[7] = v;
    wide[0] += join(v, own[1]);
    if (join(own[2], own[3]) > wide[1]) wide[1] = join(own[2], own[3]);
    if ((i64)join(own[4], own[5]) < (i64)wide[2]) wide[2] = join(own[4], own[5]);
    out[17] += g * g;
    out[18] += v;
  }
  out[4] = common[0] + common[1];
  for (int i = 0; i < 3; i++) put64(out + 8 + 2 * i, wide[i]);
  out[14] = 128 % 50;
  out[15] = (30 - 128 % 30) % 30;
  out[16] = out[20] = 128;
#endif
}

// Atomics that a loop of compare-and-swap makes: a product, a minimum of bytes, a 64-bit maximum.
COOPERATIVE(compare_and_swap, 2, 64, 4) {
#if DEVICE
  u32 seen = out[0], want = IN(0) | 1;
  while (!__atomic_compare_exchange_n(&out[0], &seen, seen ? seen * want : want, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  u32 shift = 8 * (TX & 3), least = IN(1) & 255;
  for (u32 old = out[1];;) {
    u32 byte = 255 - (old >> shift & 255); // kept as its complement, which starts at 0
    if (least >= byte) break;
    u32 found = __nvvm_atom_cas_gen_i((i32 *)&out[1], (i32)old, (i32)((old & ~(255u << shift)) | (255 - least) << shift));
    if (found == old) break;
    old = found;
  }
  u64 *best = (u64 *)(out + 2), mine = join(IN(2), IN(3)), old = *best;
  while (mine > old) {
    u64 found = __nvvm_atom_cas_gen_ll((long long *)best, (i64)old, (i64)mine);
    if (found == old) break;
    old = found;
  }
#else
  u32 product = 1, most[4] = {0};
  u64 best = 0;
  for (u32 g = 0; g < 128; g++) {
    const u32 *own = in + g * 8;
    product *= own[0] | 1;
    u32 complement = 255 - (own[1] & 255);
    if (complement > most[g & 3]) most[g & 3] = complement;
    if (join(own[2], own[3]) > best) best = join(own[2], own[3]);
  }
  out[0] = product;
  out[1] = most[0] | most[1] << 8 | most[2] << 16 | most[3] << 24;
  put64(out + 2, best);
#endif
}

// The sums are exact, so that their order does not show.
COOPERATIVE(float_atomics, 2, 64, 6) {
#if DEVICE
  SHARED float sum;
  if (TX == 0) sum = 0;
  SYNC();
  i32 v = (i32)IN(0) >> 16;
  __nvvm_atom_add_gen_f((float *)out, v * 0.25f);
  __nvvm_atom_add_gen_f(&sum, (float)(IN(1) & 1023));
  __nvvm_atom_add_gen_d((double *)out + 1, v * 0.0078125);
  SYNC();
  if (TX == 0) out[4 + BX] = __builtin_bit_cast(u32, sum);
#else
  i64 total = 0;
  u32 sums[2] = {0, 0};
  for (u32 g = 0; g < 128; g++) total += (i32)in[g * 8] >> 16, sums[g / 64] += in[g * 8 + 1] & 1023;
  out[0] = __builtin_bit_cast(u32, (float)total * 0.25f);
  put64(out + 2, __builtin_bit_cast(u64, (double)total * 0.0078125));
  for (int b = 0; b < 2; b++) out[4 + b] = __builtin_bit_cast(u32, (float)sums[b]);
#endif
}

GLOBAL u32 lock;
GLOBAL volatile u32 guarded[2];

// One thread of each warp at a time, and a result by the CTA that is last.
COOPERATIVE(critical_section, 4, 64, 3) {
#if DEVICE
  if (LANE == 0) {
    u32 v = IN(0);
    while (__nvvm_atom_cas_gen_i((i32 *)&lock, 0, 1)) {
    }
    __nvvm_membar_gl();
    guarded[0] = guarded[0] + v;
    guarded[1] = guarded[1] ^ v;
    __nvvm_membar_gl();
    __nvvm_atom_xchg_gen_i((i32 *)&lock, 0);
  }
  SYNC();
  if (TX) return;
  __nvvm_membar_gl();
  if (__nvvm_atom_inc_gen_ui(&out[2], GX - 1) == GX - 1) {
    out[0] = guarded[0];
    out[1] = guarded[1];
  }
#else
  for (u32 w = 0; w < 8; w++) out[0] += in[w * 256 % 1024], out[1] ^= in[w * 256 % 1024];
#endif
}

COOPERATIVE(coordinates, DIM(2, 1, 3), DIM(5, 4, 3), 2 * 3 * 60 * 3) {
#if DEVICE
  u32 tx = TX, ty = __nvvm_read_ptx_sreg_tid_y(), tz = __nvvm_read_ptx_sreg_tid_z();
  u32 ny = __nvvm_read_ptx_sreg_ntid_y(), nz = __nvvm_read_ptx_sreg_ntid_z();
  u32 by = __nvvm_read_ptx_sreg_ctaid_y(), bz = __nvvm_read_ptx_sreg_ctaid_z();
  u32 thread = (tz * ny + ty) * NX + tx;
  u32 block = (bz * __nvvm_read_ptx_sreg_nctaid_y() + by) * GX + BX;
  u32 *o = out + (block * NX * ny * nz + thread) * 3;
  o[0] = tx | ty << 4 | tz << 8 | BX << 12 | by << 16 | bz << 20 | __nvvm_read_ptx_sreg_nctaid_z() << 24;
  o[1] = __nvvm_read_ptx_sreg_laneid() | NX << 8 | ny << 16 | nz << 24;
  o[2] = __nvvm_read_ptx_sreg_lanemask_eq() ^ __nvvm_read_ptx_sreg_lanemask_le() ^ __nvvm_read_ptx_sreg_lanemask_gt() * 3 ^
         __nvvm_read_ptx_sreg_lanemask_ge() * 5;
#else
  for (u32 i = 0; i < 360; i++) {
    u32 block = i / 60, thread = i % 60, lane = thread % 32, eq = 1u << lane, lt = eq - 1;
    out[i * 3] = thread % 5 | thread / 5 % 4 << 4 | thread / 20 << 8 | block % 2 << 12 | block / 2 << 20 | 3 << 24;
    out[i * 3 + 1] = lane | 5 << 8 | 4 << 16 | 3 << 24;
    out[i * 3 + 2] = eq ^ (lt | eq) ^ ~(lt | eq) * 3 ^ ~lt * 5;
  }
#endif
}

// Four bits of a key at a time, ballots in place of a histogram.
COOPERATIVE(radix_sort, 4, 32, 128) {
#if DEVICE
  SHARED u32 s[32];
  u32 v = in[GID] & 0xffff;
  for (u32 bit = 0; bit < 16; bit++) {
    u32 ones = __nvvm_vote_ballot_sync(ALL, v >> bit & 1), below = __nvvm_read_ptx_sreg_lanemask_lt();
    u32 at = v >> bit & 1 ? 32 - __builtin_popcount(ones) + __builtin_popcount(ones & below) : __builtin_popcount(~ones & below);
    s[at] = v;
    __nvvm_bar_warp_sync(ALL);
    v = s[TX];
    __nvvm_bar_warp_sync(ALL);
  }
  out[GID] = v;
#else
  for (u32 i = 0; i < 128; i++) {
    u32 at = i, v = in[i] & 0xffff;
    for (; at % 32 && out[at - 1] > v; at--) out[at] = out[at - 1];
    out[at] = v;
  }
#endif
}

// From sm_80 on one instruction, before it a loop of shuffles.
COOPERATIVE(warp_reductions, 2, 64, 128 * 4) {
#if DEVICE
  u32 v = IN(0), *o = out + GID * 4;
#if __CUDA_ARCH__ >= 800
  o[0] = (u32)__nvvm_redux_sync_add((i32)v, ALL);
  o[1] = __nvvm_redux_sync_umax(v, ALL);
  o[2] = (u32)__nvvm_redux_sync_min((i32)v, ALL);
  o[3] = (u32)__nvvm_redux_sync_xor((i32)v, ALL);
#else
  u32 sum = v, most = v, parity = v;
  i32 least = (i32)v;
  for (int n = 1; n < 32; n <<= 1) {
    u32 other = SHUFFLE_XOR(most, n);
    i32 smaller = (i32)SHUFFLE_XOR(least, n);
    sum += SHUFFLE_XOR(sum, n);
    parity ^= SHUFFLE_XOR(parity, n);
    most = other > most ? other : most;
    least = smaller < least ? smaller : least;
  }
  o[0] = sum, o[1] = most, o[2] = (u32)least, o[3] = parity;
#endif
#else
  for (u32 w = 0; w < 128; w += 32) {
    u32 sum = 0, most = 0, parity = 0;
    i32 least = 0x7fffffff;
    for (u32 i = w; i < w + 32; i++) {
      u32 v = in[i * 8];
      sum += v, parity ^= v;
      if (v > most) most = v;
      if ((i32)v < least) least = (i32)v;
    }
    for (u32 i = w; i < w + 32; i++) out[i * 4] = sum, out[i * 4 + 1] = most, out[i * 4 + 2] = (u32)least, out[i * 4 + 3] = parity;
  }
#endif
}
