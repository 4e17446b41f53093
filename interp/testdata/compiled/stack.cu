// Local memory whose size is known at run time: alloca, which came with PTX 7.3.
#include "kernels.h"

// Horner's rule over numbers that are kept while the function calls itself.
NOINLINE u32 fold(u32 n) {
  if ((i32)n <= 0) return 1;
  u32 *v = (u32 *)__builtin_alloca(n * sizeof(u32) + 4);
  for (u32 i = 0; i <= n; i++) v[i] = i * n + 1;
  u32 sum = fold(n - 3);
  for (u32 i = 0; i <= n; i++) sum = sum * 31 + v[i];
  return sum;
}

// What a turn takes stays until the function returns.
NOINLINE u32 turns(u32 n, const u32 *in, u32 from) {
  u32 sum = 0;
  NO_UNROLL for (u32 k = 1; k <= n; k++) {
    u16 *v = (u16 *)__builtin_alloca(k * 5 * sizeof(u16));
    for (u32 i = 0; i < k * 5; i++) v[k * 5 - 1 - i] = in[(from + i) % INPUT_WORDS];
    for (u32 i = 0; i < k * 5; i++) sum = sum * 3 + v[i];
    if (sum & 1) sum += fold(k);
  }
  return sum;
}

KERNEL(allocate_recursively, 2, 64, 128) { out[GID] = fold(IN(0) % 23); }

KERNEL(allocate_in_turns, 2, 32, 64) { out[GID] = turns(IN(0) % 6 + (GID == 5 ? 60 : 0), in, GID); }

KERNEL(allocate_in_a_kernel, 1, 64, 64) {
  u32 n = IN(1) % 40 + 1;
  u8 *v = (u8 *)__builtin_alloca(n);
  u64 *wide = (u64 *)__builtin_alloca_with_align(n * sizeof(u64), 256);
  for (u32 i = 0; i < n; i++) v[i] = IN(2) >> i % 24, wide[i] = (u64)i << 40 | ((u64)(unsigned long)&wide[0] & 31);
  u64 sum = 0;
  for (u32 i = 0; i < n; i++) sum = sum * 5 + v[n - 1 - i] + wide[i];
  out[GID] = (u32)(sum ^ sum >> 32);
}
