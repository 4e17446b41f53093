// Integer arithmetic of every width, bit tricks, hashes and generators.
#include "kernels.h"

KERNEL(divide_signed, 2, 64, 128 * 10) {
  u32 *o = out + GID * 10;
  // Halved, no dividend is the least integer, whose quotient by -1 is undefined in C.
  i32 a = (i32)IN(0) >> 1, b = (i32)nonzero((i32)IN(1) >> (IN(2) & 31));
  o[0] = a / b;
  o[1] = a % b;
  i64 c = (i64)join(IN(3), IN(4)) >> 1, d = (i64)nonzero((i64)join(IN(5), IN(6)) >> (IN(7) & 63));
  put64(o + 2, c / d);
  put64(o + 4, c % d);
  i16 e = (i16)IN(1), f = (i16)nonzero((i16)IN(2) >> (IN(3) & 15));
  o[6] = e / f;
  o[7] = e % f;
  i8 g = (i8)IN(4), h = (i8)nonzero((i8)IN(5) >> (IN(6) & 7));
  o[8] = g / h;
  o[9] = (i8)(g % h);
}

KERNEL(divide_unsigned, 2, 64, 128 * 10) {
  u32 *o = out + GID * 10;
  u32 a = IN(0), b = (u32)nonzero(IN(1) >> (IN(2) & 31));
  o[0] = a / b;
  o[1] = a % b;
  u64 c = join(IN(3), IN(4)), d = nonzero(join(IN(5), IN(6)) >> (IN(7) & 63));
  put64(o + 2, c / d);
  put64(o + 4, c % d);
  u16 e = (u16)IN(1), f = (u16)nonzero((u16)IN(2) >> (IN(3) & 15));
  o[6] = e / f;
  o[7] = e % f;
  u8 g = (u8)IN(4), h = (u8)nonzero((u8)IN(5) >> (IN(6) & 7));
  o[8] = g / h;
  o[9] = g % h;
}

KERNEL(divide_by_constants, 2, 64, 128 * 13) {
  u32 *o = out + GID * 13;
  i32 s = (i32)IN(0);
  u32 u = IN(1);
  i64 l = (i64)join(IN(2), IN(3));
  o[0] = s / 3;
  o[1] = s % 7;
  o[2] = s / -5;
  o[3] = s / 16;
  o[4] = s % 1024;
  o[5] = u / 10;
  o[6] = u % 641;
  o[7] = u / 7;
  put64(o + 8, l / 1000000007);
  put64(o + 10, (u64)l % 10);
  o[12] = (u32)((i16)s / 11) ^ (u32)((u8)u % 13);
}

KERNEL(shifts, 2, 64, 128 * 11) {
  u32 *o = out + GID * 11;
  u32 n = IN(0);
  o[0] = IN(1) << (n & 31);
  o[1] = IN(1) >> (n >> 5 & 31);
  o[2] = (i32)IN(1) >> (n >> 10 & 31);
  u64 v = join(IN(2), IN(3));
  put64(o + 3, v << (n & 63));
  put64(o + 5, v >> (n >> 6 & 63));
  put64(o + 7, (i64)v >> (n >> 12 & 63));
  o[9] = (u32)(u16)((u16)IN(4) << (n & 15)) << 16 | (u16)IN(4) >> (n >> 4 & 15);
  o[10] = (i16)IN(5) >> (n & 15) ^ (i8)IN(6) >> (n & 7);
}

KERNEL(multiply_high, 2, 64, 128 * 10) {
  u32 *o = out + GID * 10;
  u32 a = IN(0), b = IN(1);
  o[0] = (u32)((u64)a * b >> 32);
  o[1] = (u32)((i64)(i32)a * (i32)b >> 32);
  u64 c = join(IN(2), IN(3)), d = join(IN(4), IN(5));
  put64(o + 2, (u64)((unsigned __int128)c * d >> 64));
  put64(o + 4, (u64)((__int128)(i64)c * (i64)d >> 64));
  put64(o + 6, (u64)a * b + c);
  o[8] = (u32)((u16)a * (u32)(u16)b >> 16);
  o[9] = (u32)((i16)a * (i16)b >> 16);
}

KERNEL(int128, 2, 64, 128 * 13) {
  u32 *o = out + GID * 13;
  unsigned __int128 a = (unsigned __int128)join(IN(0), IN(1)) << 64 | join(IN(2), IN(3));
  unsigned __int128 b = (unsigned __int128)join(IN(4), IN(5)) << 64 | join(IN(6), IN(7));
  unsigned __int128 r[3] = {a + b, a - b, a * b};
  for (int i = 0; i < 3; i++) {
    put64(o + 4 * i, (u64)r[i]);
    put64(o + 4 * i + 2, (u64)(r[i] >> 64));
  }
  o[12] = (a < b) | ((__int128)a < (__int128)b) << 1 | (u32)(u16)(a >> (IN(0) & 127)) << 16;
}

KERNEL(bit_counts, 2, 64, 128 * 12) {
  u32 *o = out + GID * 12;
  u32 a = IN(0) >> (IN(1) & 31);
  u64 b = join(IN(2), IN(3)) >> (IN(4) & 63);
  o[0] = __builtin_popcount(a);
  o[1] = __builtin_popcountll(b);
  o[2] = a ? __builtin_clz(a) : 99;
  o[3] = b ? __builtin_clzll(b) : 99;
  o[4] = a ? __builtin_ctz(a) : 99;
  o[5] = b ? __builtin_ctzll(b) : 99;
  o[6] = __builtin_bitreverse32(a);
  put64(o + 7, __builtin_bitreverse64(b));
  o[9] = __builtin_bswap32(a) ^ __builtin_bswap16((u16)IN(5));
  o[10] = __builtin_parity(a) | __builtin_parityll(b) << 1 | __builtin_bitreverse8((u8)a) << 8;
  o[11] = __builtin_ffs((i32)a) << 8 | __builtin_ffsll((i64)b);
}

KERNEL(rotates, 2, 64, 128 * 6) {
  u32 *o = out + GID * 6;
  u32 n = IN(0);
  o[0] = __builtin_rotateleft32(IN(1), n);
  o[1] = __builtin_rotateright32(IN(1), n >> 8);
  put64(o + 2, __builtin_rotateleft64(join(IN(2), IN(3)), n));
  o[4] = (u32)__builtin_rotateleft16((u16)IN(4), (u16)n) << 16 | __builtin_rotateright8((u8)IN(5), (u8)n);
  o[5] = (u32)(join(IN(6), IN(7)) >> (n & 31)); // a funnel shift
}

KERNEL(saturating, 2, 64, 128 * 8) {
  u32 *o = out + GID * 8;
  i32 a = (i32)IN(0), b = (i32)IN(1);
  o[0] = __builtin_elementwise_add_sat(a, b);
  o[1] = __builtin_elementwise_sub_sat(a, b);
  o[2] = __builtin_elementwise_add_sat((u32)a, (u32)b);
  o[3] = __builtin_elementwise_sub_sat((u32)a, (u32)b);
  o[4] = __builtin_elementwise_add_sat((i16)a, (i16)b);
  o[5] = __builtin_elementwise_sub_sat((u8)a, (u8)b);
  put64(o + 6, __builtin_elementwise_add_sat((i64)join(IN(2), IN(3)), (i64)join(IN(4), IN(5))));
}

KERNEL(overflow_flags, 2, 64, 128 * 2) {
  i32 a = (i32)IN(0) >> (IN(6) & 31), b = (i32)IN(1) >> (IN(7) & 31), r;
  u32 flags = 0, v;
  u64 c = join(IN(2), IN(3)) >> (IN(6) >> 8 & 63), d = join(IN(4), IN(5)) >> (IN(7) >> 8 & 63), w;
  i64 x;
  flags = flags << 1 | __builtin_add_overflow(a, b, &r);
  flags = flags << 1 | __builtin_sub_overflow(a, b, &r);
  flags = flags << 1 | __builtin_mul_overflow(a, b, &r);
  flags = flags << 1 | __builtin_add_overflow((u32)a, (u32)b, &v);
  flags = flags << 1 | __builtin_mul_overflow((u32)a, (u32)b, &v);
  flags = flags << 1 | __builtin_add_overflow(c, d, &w);
  flags = flags << 1 | __builtin_mul_overflow(c, d, &w);
  flags = flags << 1 | __builtin_sub_overflow((i64)c, (i64)d, &x);
  out[GID * 2] = flags;
  out[GID * 2 + 1] = (u32)r ^ v ^ (u32)w ^ (u32)(x >> 32);
}

KERNEL(narrow_types, 2, 64, 128 * 6) {
  u32 *o = out + GID * 6;
  i8 a = (i8)IN(0), b = (i8)IN(1);
  u8 c = (u8)IN(2), d = (u8)IN(3);
  i16 e = (i16)IN(4), f = (i16)IN(5);
  u16 g = (u16)IN(6), h = (u16)IN(7);
  o[0] = (i8)(a + b) ^ (i8)(a * b) << 8;
  o[1] = (u8)(c - d) | (u32)(u8)(c * d) << 8 | (u32)(u8)~c << 16;
  o[2] = (i16)(e - f) ^ (i16)(e * f) << 3;
  o[3] = (u16)(g + h) | (u32)(u16)-g << 16;
  o[4] = (a < b) | (c < d) << 1 | (e < f) << 2 | (g < h) << 3 | (a < (i32)c) << 4 | (e == (i16)g) << 5;
  o[5] = a > b ? (u32)e : g;
}

KERNEL(order_statistics, 2, 64, 128 * 6) {
  u32 *o = out + GID * 6;
  i32 a = (i32)IN(0), b = (i32)IN(1), c = (i32)IN(2);
  o[0] = a < b ? a : b;
  o[1] = (u32)a < (u32)b ? (u32)b : (u32)a;
  i32 low = a < b ? a : b, high = a < b ? b : a;
  o[2] = c < low ? low : c > high ? high : c; // the median
  o[3] = (u32)((a < 0 ? -(i64)a : a) + (b < 0 ? -(i64)b : b));
  i64 d = (i64)join(IN(3), IN(4)), e = (i64)join(IN(5), IN(6));
  put64(o + 4, d < e ? (u64)e - (u64)d : (u64)d - (u64)e);
}

KERNEL(add_256_bits, 2, 64, 128 * 17) {
  u32 *o = out + GID * 17;
  u64 a[4], b[4], carry = 0, borrow = 0;
  for (int i = 0; i < 4; i++) {
    a[i] = join(IN(2 * i), IN(2 * i + 1));
    b[i] = IN(i) & 1 ? ~a[i] : join(IN(7 - i), IN(i)); // carries that run through
  }
  for (int i = 0; i < 4; i++) {
    unsigned long long c = 0;
    put64(o + 2 * i, __builtin_addcll(a[i], b[i], carry, &c));
    carry = c;
    put64(o + 8 + 2 * i, __builtin_subcll(a[i], b[i], borrow, &c));
    borrow = c;
  }
  o[16] = (u32)(carry << 1 | borrow);
}

KERNEL(multiply_256_bits, 2, 64, 128 * 16) {
  u32 *o = out + GID * 16;
  u32 product[16] = {0};
  for (int i = 0; i < 8; i++) {
    u32 carry = 0;
    for (int j = 0; j < 8; j++) {
      u64 t = (u64)IN(i) * IN(j ^ 5) + product[i + j] + carry;
      product[i + j] = (u32)t;
      carry = (u32)(t >> 32);
    }
    product[i + 8] = carry;
  }
  for (int i = 0; i < 16; i++) o[i] = product[i];
}

KERNEL(modular_power, 2, 64, 128) {
  u32 modulus = IN(0) | 1;
  u64 base = IN(1) % modulus, result = 1;
  NO_UNROLL for (u32 e = IN(2); e; e >>= 1) {
    if (e & 1) result = result * base % modulus;
    base = base * base % modulus;
  }
  out[GID] = (u32)result;
}

// The greatest common divisor d of a and b, and x and y with ax + by = d.
KERNEL(extended_gcd, 2, 64, 128 * 3) {
  i64 a = IN(0) >> 1, b = IN(1) >> 1, x0 = 1, x1 = 0, y0 = 0, y1 = 1;
  while (b) {
    i64 q = a / b, r = a % b, x2 = x0 - q * x1, y2 = y0 - q * y1;
    a = b, b = r, x0 = x1, x1 = x2, y0 = y1, y1 = y2;
  }
  out[GID * 3] = (u32)a;
  out[GID * 3 + 1] = (u32)x0;
  out[GID * 3 + 2] = (u32)y0;
}

KERNEL(collatz, 3, 40, 120) {
  u64 v = IN(0) >> 8 | 1;
  u32 steps = 0;
  for (; v != 1; steps++) v = v & 1 ? 3 * v + 1 : v >> 1;
  out[GID] = steps;
}

KERNEL(square_roots, 2, 64, 128) {
  u64 v = join(IN(0), IN(1)) >> (IN(2) & 63), root = 0;
  for (u64 bit = 1ull << 62; bit; bit >>= 2) {
    u64 trial = root + bit;
    root >>= 1;
    if (v >= trial) v -= trial, root += bit;
  }
  out[GID] = (u32)root;
}

KERNEL(mersenne_twister, 1, 32, 32 * 8) {
  u32 state[64];
  state[0] = IN(0);
  for (u32 i = 1; i < 64; i++) state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
  for (int n = 0, k = 0; n < 80; n++, k = (k + 1) & 63) {
    u32 y = (state[k] & 0x80000000u) | (state[(k + 1) & 63] & 0x7fffffffu);
    state[k] = state[(k + 39) & 63] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    y = state[k];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    y ^= y >> 18;
    if (n >= 72) out[GID * 8 + n - 72] = y;
  }
}

KERNEL(xorshift_lcg, 2, 64, 128 * 4) {
  u64 s0 = join(IN(0), IN(1)) | 1, s1 = join(IN(2), IN(3)), lcg = join(IN(4), IN(5));
  u32 pcg = 0;
  NO_UNROLL for (int i = 0; i < 20; i++) {
    u64 t = s0, s = s1;
    s0 = s;
    t ^= t << 23;
    s1 = t ^ s ^ t >> 17 ^ s >> 26;
    lcg = lcg * 6364136223846793005ull + 1442695040888963407ull;
    pcg = __builtin_rotateright32((u32)((lcg >> 18 ^ lcg) >> 27), (u32)(lcg >> 59));
  }
  put64(out + GID * 4, s0 + s1);
  out[GID * 4 + 2] = pcg;
  out[GID * 4 + 3] = (u32)(lcg >> 32);
}

KERNEL(hash_64, 2, 64, 128 * 6) {
  u32 *o = out + GID * 6;
  u64 fnv = 14695981039346656037ull;
  const u8 *bytes = (const u8 *)&IN(0);
  for (int i = 0; i < 16; i++) fnv = (fnv ^ bytes[i]) * 1099511628211ull;
  put64(o, fnv);
  u64 k = join(IN(4), IN(5));
  k = (k ^ k >> 33) * 0xff51afd7ed558ccdull;
  k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53ull;
  put64(o + 2, k ^ k >> 33);
  u32 h = IN(6) * 0xcc9e2d51u;
  h = __builtin_rotateleft32(h, 15) * 0x1b873593u ^ IN(7);
  o[4] = __builtin_rotateleft32(h, 13) * 5 + 0xe6546b64u;
  u32 adler_a = 1, adler_b = 0;
  for (int i = 0; i < 16; i++) adler_a = (adler_a + bytes[i]) % 65521, adler_b = (adler_b + adler_a) % 65521;
  o[5] = adler_b << 16 | adler_a;
}

CONSTANT u32 sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

KERNEL(sha256_block, 1, 40, 40 * 8) {
  u32 w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int i = 0; i < 16; i++) w[i] = __builtin_bswap32(IN(i));
  u32 a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
  NO_UNROLL for (int i = 0; i < 64; i++) {
    if (i >= 16) {
      u32 p = w[(i + 1) & 15], q = w[(i + 14) & 15];
      w[i & 15] += w[(i + 9) & 15] + (__builtin_rotateright32(p, 7) ^ __builtin_rotateright32(p, 18) ^ p >> 3) +
                   (__builtin_rotateright32(q, 17) ^ __builtin_rotateright32(q, 19) ^ q >> 10);
    }
    u32 t1 = h + (__builtin_rotateright32(e, 6) ^ __builtin_rotateright32(e, 11) ^ __builtin_rotateright32(e, 25)) + ((e & f) ^ (~e & g)) +
             sha256_k[i] + w[i & 15];
    u32 t2 = (__builtin_rotateright32(a, 2) ^ __builtin_rotateright32(a, 13) ^ __builtin_rotateright32(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  u32 r[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; i++) out[GID * 8 + i] = s[i] + r[i];
}

CONSTANT u32 crc_nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

KERNEL(crc32, 2, 64, 128 * 2) {
  const u8 *bytes = (const u8 *)in + GID * 17;
  u32 by_bit = ~0u, by_table = ~0u;
  NO_UNROLL for (u32 i = 0; i < 10 + GID % 7; i++) {
    by_bit ^= bytes[i];
    for (int k = 0; k < 8; k++) by_bit = by_bit >> 1 ^ (0xedb88320u & -(by_bit & 1));
    by_table ^= bytes[i];
    by_table = by_table >> 4 ^ crc_nibbles[by_table & 15];
    by_table = by_table >> 4 ^ crc_nibbles[by_table & 15];
  }
  out[GID * 2] = ~by_bit;
  out[GID * 2 + 1] = ~by_table;
}

FN u64 spread(u32 v) {
  u64 x = v;
  x = (x | x << 16) & 0x0000ffff0000ffffull;
  x = (x | x << 8) & 0x00ff00ff00ff00ffull;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
  x = (x | x << 2) & 0x3333333333333333ull;
  return (x | x << 1) & 0x5555555555555555ull;
}

KERNEL(morton_and_gray, 2, 64, 128 * 4) {
  u32 *o = out + GID * 4;
  put64(o, spread(IN(0)) | spread(IN(1)) << 1);
  o[2] = IN(2) ^ IN(2) >> 1;
  u32 g = IN(3);
  for (u32 n = 16; n; n >>= 1) g ^= g >> n;
  o[3] = g;
}

KERNEL(transpose_8x8_bits, 2, 64, 128 * 2) {
  u64 x = join(IN(0), IN(1)), t;
  t = (x ^ x >> 7) & 0x00aa00aa00aa00aaull, x = x ^ t ^ t << 7;
  t = (x ^ x >> 14) & 0x0000cccc0000ccccull, x = x ^ t ^ t << 14;
  t = (x ^ x >> 28) & 0x00000000f0f0f0f0ull, x = x ^ t ^ t << 28;
  put64(out + GID * 2, x);
}

FN i32 fixed_multiply(i32 a, i32 b) { return (i32)(((i64)a * b + 0x8000) >> 16); }

KERNEL(fixed_point, 2, 64, 128 * 3) {
  i32 x = (i32)IN(0) >> 15, y = (i32)IN(1) >> 14; // in 16.16, small
  i32 x2 = fixed_multiply(x, x);
  i32 sine = fixed_multiply(x, 65536 - fixed_multiply(x2, 10923 - fixed_multiply(x2, 546)));
  out[GID * 3] = sine;
  out[GID * 3 + 1] = y ? (i32)(((i64)x << 16) / y) : 0x7fffffff;
  out[GID * 3 + 2] = fixed_multiply(x, y) >> 2;
}

KERNEL(decimal_digits, 2, 64, 128 * 4) {
  u64 v = join(IN(0), IN(1)) >> (IN(2) & 63), low = 0;
  u32 high = 0, digits = 0;
  do {
    u32 digit = (u32)(v % 10);
    if (digits < 16)
      low |= (u64)digit << 4 * digits;
    else
      high |= digit << 4 * (digits - 16);
    digits++;
    v /= 10;
  } while (v);
  put64(out + GID * 4, low);
  out[GID * 4 + 2] = high;
  out[GID * 4 + 3] = digits;
}

struct packet {
  u32 version : 4, length : 12, flags : 3;
  i32 delta : 13;
  i64 offset : 40;
  u64 kind : 24;
};
union pun {
  u32 word[2];
  u16 half[4];
  i8 byte[8];
  u64 all;
};

KERNEL(bitfields_and_unions, 2, 64, 128 * 8) {
  u32 *o = out + GID * 8;
  packet p = {IN(0) & 15, IN(1) & 4095, 5, (i32)IN(2) >> 19, (i64)join(IN(3), IN(4)) >> 24, IN(5) & 0xffffff};
  p.length = (p.length + 17) & 4095;
  p.delta = p.delta / 3;
  p.offset -= p.kind;
  o[0] = p.version << 16 | p.length;
  o[1] = p.delta;
  put64(o + 2, p.offset);
  o[4] = p.kind ^ p.flags << 24;
  pun u;
  u.word[0] = IN(6);
  u.word[1] = IN(7);
  u.half[GID & 3] ^= 0x1234;
  u.byte[GID >> 2 & 7] -= 1;
  put64(o + 5, u.all);
  o[7] = u.byte[5];
}

// Instructions that clang does not choose of its own accord.
KERNEL(inline_assembly, 2, 64, 128 * 14) {
  u32 *o = out + GID * 14;
  u32 a = IN(0), b = IN(1), c = IN(2), n = IN(3) & 31;
#if DEVICE
  u32 r[14];
  asm("bfe.u32 %0, %1, %2, 9;" : "=r"(r[0]) : "r"(a), "r"(n));
  asm("bfe.s32 %0, %1, %2, 9;" : "=r"(r[1]) : "r"(a), "r"(n));
  asm("bfi.b32 %0, %1, %2, %3, 7;" : "=r"(r[2]) : "r"(a), "r"(b), "r"(n));
  asm("lop3.b32 %0, %1, %2, %3, 0xd8;" : "=r"(r[3]) : "r"(a), "r"(b), "r"(c));
  asm("prmt.b32 %0, %1, %2, 0x4e05;" : "=r"(r[4]) : "r"(a), "r"(b));
  asm("bfind.u32 %0, %1;" : "=r"(r[5]) : "r"(a >> n));
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r[6]) : "r"(a), "r"(b), "r"(c));
  asm("sad.s32 %0, %1, %2, %3;" : "=r"(r[7]) : "r"(a), "r"(b), "r"(c));
  asm("mul24.lo.u32 %0, %1, %2;" : "=r"(r[8]) : "r"(a), "r"(b));
  asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r[9]) : "r"(a), "r"(b), "r"(c));
  asm("{ .reg .u32 t; add.cc.u32 %0, %2, %3; addc.u32 t, %3, %4; add.u32 %1, t, 1; }" : "=&r"(r[10]), "=r"(r[11]) : "r"(a), "r"(b), "r"(c));
  asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %4;" : "=&r"(r[12]), "=r"(r[13]) : "r"(a), "r"(b), "r"(c));
  for (int i = 0; i < 14; i++) o[i] = r[i];
#else
  u64 wide = (u64)a;
  i64 extended = (i32)a;
  o[0] = (u32)(wide >> n) & 511;
  o[1] = (u32)((i64)((u64)(extended >> n) << 55) >> 55);
  u32 field = (u32)(127ull << n);
  o[2] = (b & ~field) | (a << n & field);
  o[3] = 0;
  for (int k = 0; k < 32; k++) o[3] |= (0xd8u >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1) << k;
  u64 pool = join(b, a);
  u32 sign = (u32)((i32)(u32)((u8)(pool >> 48) << 24) >> 31) & 255;
  o[4] = (u32)(u8)(pool >> 40) | (u32)(u8)pool << 8 | sign << 16 | (u32)(u8)(pool >> 32) << 24;
  o[5] = a >> n ? 31 - __builtin_clz(a >> n) : ~0u;
  o[6] = c;
  for (int k = 0; k < 32; k += 8) o[6] += (i8)(a >> k) * (i8)(b >> k);
  o[7] = c + ((i32)a > (i32)b ? a - b : b - a);
  o[8] = (u32)((u64)(a & 0xffffff) * (b & 0xffffff));
  o[9] = (u32)(join(b, a) >> (c & 31));
  o[10] = a + b;
  o[11] = b + c + (a + b < a) + 1;
  u64 product = (u64)a * b;
  o[12] = (u32)product + c;
  o[13] = (u32)(product >> 32) + c + ((u32)product + c < c);
#endif
}
