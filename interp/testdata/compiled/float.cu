// Floating point of three widths: only what IEEE 754 defines to the bit. A
// result that is not a number is stored as one fixed pattern, since the
// payloads of x86 are not those of PTX.
#include "kernels.h"

typedef _Float16 f16;

FN float as_float(u32 v) { return __builtin_bit_cast(float, v); }
FN double as_double(u64 v) { return __builtin_bit_cast(double, v); }
FN f16 as_half(u16 v) { return __builtin_bit_cast(f16, v); }
FN u32 bits(float v) { return v == v ? __builtin_bit_cast(u32, v) : 0x7fffffffu; }
FN u64 bits(double v) { return v == v ? __builtin_bit_cast(u64, v) : 0x7fffffffffffffffull; }
FN u32 bits(f16 v) { return v == v ? __builtin_bit_cast(u16, v) : 0x7fffu; }

// From -1 to 1, in steps small enough that sums and products are rounded.
FN float unit(u32 v) { return (float)(i32)v * 0x1p-31f; }
FN double unit_double(u32 high, u32 low) { return (double)(i64)join(high, low) * 0x1p-63; }

// Patterns of every kind: zeros, subnormals, infinities and NaNs among them.
FN float any_float(u32 v) {
  switch (v & 15) {
  case 0: return as_float(v & 0x80000000u);
  case 1: return as_float(v & 0x807fffffu);
  case 2: return as_float((v & 0x80000000u) | 0x7f800000u);
  case 3: return as_float(v | 0x7f800000u);
  case 4: return as_float((v & 0x80ffffffu) | 0x3f000000u);
  case 5: return as_float((v & 0x80ffffffu) | 0x3f000000u) * 3;
  default: return as_float(v);
  }
}
FN double any_double(u32 high, u32 low) {
  switch (low & 15) {
  case 0: return as_double(join(high & 0x80000000u, 0));
  case 1: return as_double(join(high & 0x800fffffu, low));
  case 2: return as_double(join((high & 0x80000000u) | 0x7ff00000u, 0));
  case 3: return as_double(join(high | 0x7ff00000u, low));
  case 4: return as_double(join((high & 0x801fffffu) | 0x3fe00000u, low));
  default: return as_double(join(high, low));
  }
}

KERNEL(float_arithmetic, 3, 48, 144 * 6) {
  u32 *o = out + GID * 6;
  float a = any_float(IN(0) ^ GID), b = any_float(IN(1) + GID * 77);
  o[0] = bits(a + b);
  o[1] = bits(a - b);
  o[2] = bits(a * b);
  o[3] = bits(a / b);
  o[4] = bits(__builtin_sqrtf(a));
  o[5] = bits(-a) ^ bits(__builtin_fabsf(b)) ^ bits(__builtin_copysignf(a, b));
}

KERNEL(double_arithmetic, 3, 48, 144 * 12) {
  u32 *o = out + GID * 12;
  double a = any_double(IN(0), IN(1) ^ GID), b = any_double(IN(2), IN(3) + GID);
  put64(o, bits(a + b));
  put64(o + 2, bits(a - b));
  put64(o + 4, bits(a * b));
  put64(o + 6, bits(a / b));
  put64(o + 8, bits(__builtin_sqrt(a)));
  put64(o + 10, bits(-a) ^ bits(__builtin_fabs(b)) ^ bits(__builtin_copysign(a, b)));
}

KERNEL(half_arithmetic, 3, 48, 144 * 5) {
  u32 *o = out + GID * 5;
  f16 a = as_half((u16)(IN(0) + GID)), b = as_half((u16)(IN(0) >> 16));
  if (IN(1) & 1) b = (f16)(i8)IN(2) / (f16)16;
  o[0] = bits((f16)(a + b)) | bits((f16)(a - b)) << 16;
  o[1] = bits((f16)(a * b)) | bits((f16)(a / b)) << 16;
  o[2] = (a < b) | (a == b) << 1 | (a >= b) << 2 | (a != b) << 3;
  f16 sum = 0;
  for (int i = 0; i < 8; i++) sum += (f16)(i16)IN(i) / (f16)64;
  o[3] = bits(sum);
  o[4] = bits((float)a) + bits((f16)-b);
}

typedef f16 half_pair __attribute__((ext_vector_type(2)));

KERNEL(half_pairs, 2, 64, 128 * 4) {
  half_pair a = {(f16)(i8)IN(0), (f16)(i8)IN(1)}, b = {(f16)(i16)IN(2), (f16)0.0625}, c[4];
  c[0] = a + b * b.yx;
  c[1] = a.yx - b;
  c[2] = -a * b;
  c[3] = half_pair{(f16)__builtin_fmaf16(a.x, b.y, a.y), (f16)__builtin_fmaxf16(__builtin_fminf16(b.x, (f16)100), (f16)-1000)};
  for (int i = 0; i < 4; i++) out[GID * 4 + i] = bits(c[i].x) | bits(c[i].y) << 16;
}

KERNEL(fused_multiply_add, 3, 48, 144 * 4) {
  u32 *o = out + GID * 4;
  float a = unit(IN(0)), b = any_float(IN(1) + GID), c = any_float(IN(2) ^ GID);
  if (GID & 1) c = -a * b; // all that is left is the rounding of the product
  o[0] = bits(__builtin_fmaf(a, b, c));
  double d = unit_double(IN(3), IN(4)), e = unit_double(IN(5), IN(6)), f = GID & 2 ? -d * e : (double)a;
  put64(o + 1, bits(__builtin_fma(d, e, f)));
  o[3] = bits(__builtin_fmaf(as_float(0x3f800000u | (IN(7) & 0xfff)), as_float(0x3f800001u), -1.0f));
}

KERNEL(minimum_maximum, 3, 48, 144 * 8) {
  u32 *o = out + GID * 8;
  float a = any_float(IN(0) + GID), b = any_float(IN(1) ^ GID);
  if (a == b) b = 1; // the sign of zero is left open in C
  o[0] = bits(__builtin_fminf(a, b));
  o[1] = bits(__builtin_fmaxf(a, b));
  o[2] = bits(a < b ? a : b);
  o[3] = bits(__builtin_fminf(__builtin_fmaxf(a, -0.5f), 0.75f));
  double c = any_double(IN(2), IN(3) + GID), d = any_double(IN(4), IN(5) ^ GID);
  if (c == d) d = 1;
  put64(o + 4, bits(__builtin_fmin(c, d)));
  put64(o + 6, bits(__builtin_fmax(c, d)));
}

KERNEL(comparisons, 3, 48, 144 * 2) {
  float a = any_float(IN(0) ^ GID), b = GID % 5 ? any_float(IN(1) + GID) : a;
  double c = any_double(IN(2), IN(3) ^ GID), d = GID % 7 ? any_double(IN(4), IN(5) + GID) : c;
  u32 r = 0;
  r = r << 1 | (a < b), r = r << 1 | (a <= b), r = r << 1 | (a == b), r = r << 1 | (a != b), r = r << 1 | (a >= b), r = r << 1 | (a > b);
  r = r << 1 | !(a < b), r = r << 1 | !(a <= b), r = r << 1 | !(a > b), r = r << 1 | !(a >= b);
  r = r << 1 | __builtin_isunordered(a, b), r = r << 1 | __builtin_islessgreater(a, b);
  r = r << 1 | __builtin_isnan(a), r = r << 1 | (__builtin_isinf(a) != 0), r = r << 1 | (__builtin_signbit(a) != 0);
  out[GID * 2] = r;
  r = 0;
  r = r << 1 | (c < d), r = r << 1 | (c <= d), r = r << 1 | (c == d), r = r << 1 | (c != d), r = r << 1 | (c >= d), r = r << 1 | !(c > d);
  out[GID * 2 + 1] = r << 1 | __builtin_isunordered(c, d);
}

// Truncation to integers, of values that fit: what happens to others is not defined in C.
KERNEL(float_to_integer, 2, 64, 128 * 12) {
  u32 *o = out + GID * 12;
  float a = unit(IN(0));
  double b = unit_double(IN(1), IN(2));
  o[0] = (u32)(i32)(a * 2147483520.0f);
  o[1] = (u32)(__builtin_fabsf(a) * 4294967040.0f);
  put64(o + 2, (u64)(i64)(a * 0x1p62f));
  put64(o + 4, (u64)(__builtin_fabs(b) * 0x1.fffffp63));
  o[6] = (u32)(i32)(b * 2147483647.0);
  put64(o + 7, (u64)(i64)(b * 0x1p62));
  o[9] = (u32)(i8)(a * 127) ^ (u32)(u8)(__builtin_fabsf(a) * 255) << 8;
  o[10] = (u32)(i16)(b * 32767) ^ (u32)(u16)(__builtin_fabs(b) * 65535) << 16;
  f16 h = (f16)(a * 1000);
  o[11] = (u32)(i32)h ^ (u32)(i16)h << 16 ^ (u32)(i64)h;
}

KERNEL(integer_to_float, 2, 64, 128 * 14) {
  u32 *o = out + GID * 14;
  u32 shift = IN(7) & 31;
  o[0] = bits((float)((i32)IN(0) >> shift));
  o[1] = bits((float)(IN(1) >> shift));
  u64 wide = join(IN(2), IN(3)) >> (IN(6) & 63);
  o[2] = bits((float)(i64)join(IN(2), IN(3)));
  o[3] = bits((float)wide);
  put64(o + 4, bits((double)(i64)~wide));
  put64(o + 6, bits((double)join(IN(4), IN(5))));
  put64(o + 8, bits((double)(i32)IN(0) + (double)IN(1)));
  o[10] = bits((float)(i8)IN(0)) ^ bits((float)(u8)IN(1));
  o[11] = bits((float)(i16)IN(2)) ^ bits((float)(u16)IN(3));
  o[12] = bits((f16)(i16)IN(4)) | bits((f16)(u8)IN(5)) << 16;
  o[13] = bits((float)(wide << 40 >> 40 | 1ull << 24)); // halfway cases
}

KERNEL(between_floats, 3, 48, 144 * 6) {
  u32 *o = out + GID * 6;
  float a = any_float(IN(0) + GID);
  double b = any_double(IN(1), IN(2) ^ GID);
  put64(o, bits((double)a));
  o[2] = bits((float)b);
  o[3] = bits((float)as_double(join((IN(3) & 0x8fffffffu) | 0x30000000u, IN(4)))); // within the range of float
  o[4] = bits((f16)a) | bits((f16)as_float((IN(5) & 0x8fffffffu) | 0x30000000u)) << 16;
  o[5] = bits((float)as_half((u16)IN(6))) ^ (u32)bits((double)as_half((u16)(IN(6) >> 16)));
}

KERNEL(to_integral, 3, 48, 144 * 14) {
  u32 *o = out + GID * 14;
  float a = any_float(IN(0) + GID);
  if (GID & 1) a = unit(IN(0)) * 8 - 0.5f;
  if (GID % 8 == 2) a = (float)((i32)IN(0) >> 24) / 2; // ties
  o[0] = bits(__builtin_floorf(a));
  o[1] = bits(__builtin_ceilf(a));
  o[2] = bits(__builtin_truncf(a));
  o[3] = bits(__builtin_rintf(a));
  o[4] = bits(__builtin_roundf(a));
  o[5] = bits(__builtin_nearbyintf(a));
  double b = GID & 1 ? (double)((i32)IN(1) >> 22) / 4 : any_double(IN(1), IN(2) + GID);
  put64(o + 6, bits(__builtin_floor(b)));
  put64(o + 8, bits(__builtin_ceil(b)));
  put64(o + 10, bits(__builtin_rint(b)));
  put64(o + 12, bits(__builtin_trunc(b)) ^ bits(__builtin_round(b)));
}

// What follows is made to be contracted, where the compiler may. Which of two
// products is fused into their sum is the compiler's choice, and for two squares
// that of NVPTX is not that of x86: such sums are exact here, or only compared.

KERNEL(polynomial, 2, 64, 128 * 3) {
  float x = unit(IN(0)), y = 0;
  for (int i = 1; i < 8; i++) y = y * x + unit(IN(i));
  double u = unit_double(IN(0), IN(1));
  out[GID * 3] = bits(y);
  put64(out + GID * 3 + 1, bits(((((u * 0.2 + 0.3) * u - 0.7) * u + 1.1) * u - 1.3) * u + 0.1));
}

KERNEL(complex_numbers, 2, 64, 128 * 5) {
  u32 *o = out + GID * 5;
  float a = unit(IN(0)), b = unit(IN(1)), c = unit(IN(2)), d = unit(IN(3));
  o[0] = bits(a * c - b * d);
  o[1] = bits(a * d + b * c);
  float e = unit(IN(4)), f = unit(IN(5)), n = e * e + 0.3f;
  o[2] = bits((a * e + b * f) / n);
  o[3] = bits((b * e - a * f) / n);
  float x = 0, y = 0;
  u32 steps = 0;
  for (; steps < 60 && x * x + y * y < 4; steps++) {
    float t = x * x - y * y + a;
    y = 2 * x * y + b;
    x = t;
  }
  o[4] = steps;
}

KERNEL(small_matrices, 2, 32, 64 * 9) {
  double m[3][3], r[3][3];
  for (int i = 0; i < 9; i++) m[i / 3][i % 3] = unit_double(IN(i & 7), IN((i + 3) & 7)) + (i % 4 ? 0 : 3);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      r[j][i] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
    }
  double determinant = m[0][0] * r[0][0] + m[0][1] * r[1][0] + m[0][2] * r[2][0];
  for (int i = 0; i < 9; i++) out[GID * 9 + i] = (u32)(bits(r[i / 3][i % 3] / determinant) >> 13);
}

KERNEL(exact_sums, 2, 64, 128 * 4) {
  // Kahan's sum, and Dekker's product: right only as long as nothing is fused or reordered.
  float sum = 0, lost = 0;
  for (int i = 0; i < 8; i++) {
    float v = unit(IN(i)) - lost, t = sum + v;
    lost = (t - sum) - v;
    sum = t;
  }
  out[GID * 4] = bits(sum);
  out[GID * 4 + 1] = bits(lost);
  float a = unit(IN(0)), b = unit(IN(1)), scale = 4097;
  float ca = scale * a, cb = scale * b, ah = ca - (ca - a), bh = cb - (cb - b), al = a - ah, bl = b - bh;
  float p = a * b;
  out[GID * 4 + 2] = bits(p);
  out[GID * 4 + 3] = bits(((ah * bh - p) + ah * bl + al * bh) + al * bl);
}

KERNEL(newton_iterations, 2, 64, 128 * 3) {
  double v = __builtin_fabs(unit_double(IN(0), IN(1))) + 0.001, r = 1;
  u32 steps = 0;
  for (double last = 0; r != last && steps < 40; steps++) {
    last = r;
    r = 0.5 * (r + v / r);
  }
  put64(out + GID * 3, bits(r));
  float w = __builtin_fabsf(unit(IN(2))) + 0.01f, g = as_float(0x5f3759dfu - (__builtin_bit_cast(u32, w) >> 1));
  for (int i = 0; i < 3; i++) g = g * (1.5f - 0.5f * w * g * g);
  out[GID * 3 + 2] = bits(g);
}

FN float next_up(float v) { return as_float(__builtin_bit_cast(u32, v) + (v < 0 ? -1u : 1u)); }

KERNEL(take_apart, 2, 64, 128 * 3) {
  u32 u = __builtin_bit_cast(u32, any_float(IN(0) | 6)), exponent = u >> 23 & 255;
  i32 scale = (i32)exponent - 126;
  if (exponent == 0) {
    u32 n = u << 9 ? __builtin_clz(u << 9) : 0;
    scale -= (i32)n;
    u = (u & 0x80000000u) | (u << (n + 1) & 0x7fffffu);
  }
  out[GID * 3] = (u & 0x807fffffu) | 0x3f000000u;
  out[GID * 3 + 1] = (u32)scale;
  out[GID * 3 + 2] = bits(next_up(unit(IN(1))) - unit(IN(1)));
}

struct state {
  double position, velocity;
};
NOINLINE state slope(state s) { return {s.velocity, -s.position - 0.1 * s.velocity}; }
FN state step(state s, state d, double h) { return {s.position + h * d.position, s.velocity + h * d.velocity}; }

KERNEL(runge_kutta, 2, 32, 64 * 4) {
  state s = {unit_double(IN(0), IN(1)), unit_double(IN(2), IN(3))};
  NO_UNROLL for (int i = 0; i < 10; i++) {
    state a = slope(s), b = slope(step(s, a, 0.05)), c = slope(step(s, b, 0.05)), d = slope(step(s, c, 0.1));
    s.position += 0.1 / 6 * (a.position + 2 * b.position + 2 * c.position + d.position);
    s.velocity += 0.1 / 6 * (a.velocity + 2 * b.velocity + 2 * c.velocity + d.velocity);
  }
  put64(out + GID * 4, bits(s.position));
  put64(out + GID * 4 + 2, bits(s.velocity));
}

// A coordinate; the difference of two is exact, and so is its square.
FN float place(u32 v) { return (float)((i32)v >> 21) * 0x1p-10f; }

KERNEL(bodies, 1, 32, 32 * 3) {
  float px = place(in[TX * 3]), py = place(in[TX * 3 + 1]), pz = place(in[TX * 3 + 2]), ax = 0, ay = 0, az = 0;
  NO_UNROLL for (int j = 0; j < 32; j++) {
    float dx = place(in[j * 3]) - px, dy = place(in[j * 3 + 1]) - py, dz = place(in[j * 3 + 2]) - pz;
    float r2 = dx * dx + dy * dy + dz * dz + 0.01f, inverse = 1 / __builtin_sqrtf(r2), s = inverse * inverse * inverse;
    ax += s * dx, ay += s * dy, az += s * dz;
  }
  out[TX * 3] = bits(ax), out[TX * 3 + 1] = bits(ay), out[TX * 3 + 2] = bits(az);
}

CONSTANT float kernel_weights[9] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.3f, 0.125f, 0.0625f, 0.125f, 0.0625f};

KERNEL(convolution, 4, 64, 256) {
  u32 x = GID & 15, y = GID >> 4;
  float sum = 0;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) {
      u32 sx = x + i - 1, sy = y + j - 1;
      if (sx < 16 && sy < 16) sum += kernel_weights[j * 3 + i] * unit(in[sy * 16 + sx]);
    }
  out[GID] = bits(sum);
}

CONSTANT float twiddle[4][2] = {{1, 0}, {0.70710678f, -0.70710678f}, {0, -1}, {-0.70710678f, -0.70710678f}};

KERNEL(fourier_8, 2, 32, 64 * 16) {
  float re[8], im[8];
  for (int i = 0; i < 8; i++) re[i] = unit(IN((i & 1) << 2 | (i & 2) | i >> 2)), im[i] = 0;
  for (int half = 1; half < 8; half *= 2)
    for (int i = 0; i < 4; i++) {
      int k = i % half, a = i / half * 2 * half + k, b = a + half;
      const float *w = twiddle[k * 4 / half];
      float tr = re[b] * w[0] - im[b] * w[1], ti = re[b] * w[1] + im[b] * w[0];
      re[b] = re[a] - tr, im[b] = im[a] - ti, re[a] += tr, im[a] += ti;
    }
  for (int i = 0; i < 8; i++) out[GID * 16 + 2 * i] = bits(re[i]), out[GID * 16 + 2 * i + 1] = bits(im[i]);
}

KERNEL(quadratics, 2, 64, 128 * 5) {
  u32 *o = out + GID * 5;
  double a = unit_double(IN(0), IN(1)), b = 3 * unit_double(IN(2), IN(3)), c = unit_double(IN(4), IN(5));
  double discriminant = b * b - 4 * a * c;
  if (discriminant < 0) {
    o[0] = 0;
    put64(o + 1, bits(-b / (2 * a)));
    put64(o + 3, bits(__builtin_sqrt(-discriminant) / (2 * a)));
    return;
  }
  double q = -0.5 * (b + __builtin_copysign(__builtin_sqrt(discriminant), b));
  o[0] = 2;
  put64(o + 1, bits(q / a));
  put64(o + 3, bits(c / q));
}
