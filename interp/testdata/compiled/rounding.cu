// Roundings other than to nearest even, saturation and flushing, by the
// builtins of PTX. The host's reference has the same operations in rounding
// modes of its own; a compiler may not move them, hence the volatile operands.
#include "kernels.h"
#if !DEVICE
#include <cfenv>
#include <cmath>
#endif

FN u32 bits(float v) { return v == v ? __builtin_bit_cast(u32, v) : 0x7fffffffu; }
FN u64 bits(double v) { return v == v ? __builtin_bit_cast(u64, v) : 0x7fffffffffffffffull; }
FN float wide_float(u32 v) { return __builtin_bit_cast(float, (v & 0x8fffffffu) | 0x38000000u); }
FN double wide_double(u32 high, u32 low) { return __builtin_bit_cast(double, join((high & 0x80ffffffu) | 0x3f000000u, low)); }

#if !DEVICE
enum { NEAREST = FE_TONEAREST, ZERO = FE_TOWARDZERO, DOWN = FE_DOWNWARD, UP = FE_UPWARD };
struct rounded {
  rounded(int mode) { std::fesetround(mode); }
  ~rounded() { std::fesetround(FE_TONEAREST); }
};
#define OPERATION(name, T, expression)                               \
  NOINLINE T name(int mode, T x, T y = 1, T z = 0) {                 \
    rounded r(mode);                                                 \
    volatile T a = x, b = y, c = z;                                  \
    [[maybe_unused]] T unused = b + c;                               \
    volatile T result = expression;                                  \
    return result;                                                   \
  }
OPERATION(add_f, float, a + b)
OPERATION(mul_f, float, a * b)
OPERATION(div_f, float, a / b)
OPERATION(sqrt_f, float, std::sqrt(a))
OPERATION(fma_f, float, std::fma(a, b, c))
OPERATION(add_d, double, a + b)
OPERATION(mul_d, double, a * b)
OPERATION(div_d, double, a / b)
OPERATION(sqrt_d, double, std::sqrt(a))
OPERATION(fma_d, double, std::fma(a, b, c))
NOINLINE float narrow(int mode, double x) {
  rounded r(mode);
  volatile double a = x;
  volatile float result = (float)a;
  return result;
}
NOINLINE float from_integer(int mode, i64 x) {
  rounded r(mode);
  volatile i64 a = x;
  volatile float result = (float)a;
  return result;
}
NOINLINE i64 to_integer(int mode, double x) {
  rounded r(mode);
  volatile double a = x;
  return std::llrint(a);
}
FN float flush(float v) { return std::fabs(v) < 0x1p-126f ? std::copysign(0.0f, v) : v; }
#endif

KERNEL(directed_float, 2, 64, 128 * 11) {
  u32 *o = out + GID * 11;
  float a = wide_float(IN(0)), b = wide_float(IN(1)), c = wide_float(IN(2)), root = __builtin_fabsf(a);
#if DEVICE
  o[0] = bits(__nvvm_add_rz_f(a, b));
  o[1] = bits(__nvvm_add_rm_f(a, b));
  o[2] = bits(__nvvm_add_rp_f(a, b));
  o[3] = bits(__nvvm_mul_rz_f(a, b));
  o[4] = bits(__nvvm_mul_rm_f(a, b));
  o[5] = bits(__nvvm_div_rp_f(a, b));
  o[6] = bits(__nvvm_div_rz_f(a, b));
  o[7] = bits(__nvvm_sqrt_rm_f(root));
  o[8] = bits(__nvvm_fma_rp_f(a, b, c));
  o[9] = bits(__nvvm_fma_rz_f(a, b, c));
  o[10] = bits(__nvvm_rcp_rm_f(a));
#else
  o[0] = bits(add_f(ZERO, a, b));
  o[1] = bits(add_f(DOWN, a, b));
  o[2] = bits(add_f(UP, a, b));
  o[3] = bits(mul_f(ZERO, a, b));
  o[4] = bits(mul_f(DOWN, a, b));
  o[5] = bits(div_f(UP, a, b));
  o[6] = bits(div_f(ZERO, a, b));
  o[7] = bits(sqrt_f(DOWN, root));
  o[8] = bits(fma_f(UP, a, b, c));
  o[9] = bits(fma_f(ZERO, a, b, c));
  o[10] = bits(div_f(DOWN, 1, a));
#endif
}

KERNEL(directed_double, 2, 64, 128 * 14) {
  u32 *o = out + GID * 14;
  double a = wide_double(IN(0), IN(1)), b = wide_double(IN(2), IN(3)), c = wide_double(IN(4), IN(5)), root = __builtin_fabs(a);
#if DEVICE
  put64(o, bits(__nvvm_add_rm_d(a, b)));
  put64(o + 2, bits(__nvvm_mul_rp_d(a, b)));
  put64(o + 4, bits(__nvvm_div_rz_d(a, b)));
  put64(o + 6, bits(__nvvm_sqrt_rp_d(root)));
  put64(o + 8, bits(__nvvm_fma_rm_d(a, b, c)));
  put64(o + 10, bits(__nvvm_fma_rz_d(a, b, c)));
  put64(o + 12, bits(__nvvm_rcp_rp_d(a)));
#else
  put64(o, bits(add_d(DOWN, a, b)));
  put64(o + 2, bits(mul_d(UP, a, b)));
  put64(o + 4, bits(div_d(ZERO, a, b)));
  put64(o + 6, bits(sqrt_d(UP, root)));
  put64(o + 8, bits(fma_d(DOWN, a, b, c)));
  put64(o + 10, bits(fma_d(ZERO, a, b, c)));
  put64(o + 12, bits(div_d(UP, 1, a)));
#endif
}

KERNEL(directed_conversions, 2, 64, 128 * 11) {
  u32 *o = out + GID * 11;
  double a = wide_double(IN(0), IN(1));
  i64 whole = (i64)join(IN(2), IN(3));
  float small = (float)((i32)IN(4) >> 10) * 0x1p-6f;
#if DEVICE
  o[0] = bits(__nvvm_d2f_rz(a));
  o[1] = bits(__nvvm_d2f_rm(a));
  o[2] = bits(__nvvm_d2f_rp(a));
  o[3] = bits(__nvvm_ll2f_rm(whole));
  o[4] = bits(__nvvm_i2f_rp((i32)whole));
  o[5] = (u32)__nvvm_f2i_rn(small);
  o[6] = (u32)__nvvm_f2i_rm(small);
  o[7] = (u32)__nvvm_d2i_rp(small);
  put64(o + 8, (u64)__nvvm_d2ll_rn((double)small * 1024.5));
  o[10] = (u32)__nvvm_d2i_hi(a) ^ (u32)__nvvm_d2i_lo(__nvvm_lohi_i2d((i32)IN(5), (i32)IN(6)));
#else
  o[0] = bits(narrow(ZERO, a));
  o[1] = bits(narrow(DOWN, a));
  o[2] = bits(narrow(UP, a));
  o[3] = bits(from_integer(DOWN, whole));
  o[4] = bits(from_integer(UP, (i32)whole));
  o[5] = (u32)to_integer(NEAREST, small);
  o[6] = (u32)to_integer(DOWN, small);
  o[7] = (u32)to_integer(UP, small);
  put64(o + 8, (u64)to_integer(NEAREST, (double)small * 1024.5));
  o[10] = (u32)(__builtin_bit_cast(u64, a) >> 32) ^ IN(5);
#endif
}

// Conversions of what does not fit are defined in PTX: to the nearest integer there is,
// and NaN to 0 or, of 64 bits, to the least.
KERNEL(clamped_conversions, 2, 64, 128 * 5) {
  u32 *o = out + GID * 5;
  float a = __builtin_bit_cast(float, IN(0));
#if DEVICE
  o[0] = (u32)__nvvm_f2i_rz(a);
  o[1] = __nvvm_f2ui_rz(a);
  put64(o + 2, (u64)__nvvm_f2ll_rz(a));
  o[4] = bits(__nvvm_saturate_f(a));
#else
  o[0] = a != a ? 0 : a < -0x1p31f ? 0x80000000u : a >= 0x1p31f ? 0x7fffffffu : (u32)(i32)a;
  o[1] = !(a > 0) ? 0 : a >= 0x1p32f ? ~0u : (u32)a;
  put64(o + 2, a != a ? 1ull << 63 : a < -0x1p63f ? 1ull << 63 : a >= 0x1p63f ? ~0ull >> 1 : (u64)(i64)a);
  o[4] = !(a > 0) ? 0 : a > 1 ? 0x3f800000u : bits(a);
#endif
}

KERNEL(flushed_float, 2, 64, 128 * 5) {
  u32 *o = out + GID * 5;
  // Around the least normal number.
  float a = __builtin_bit_cast(float, (IN(0) & 0x80ffffffu) | (IN(3) & 1) << 24);
  float b = __builtin_bit_cast(float, (IN(1) & 0x80ffffffu) | (IN(3) & 2) << 23);
  float c = wide_float(IN(2));
#if DEVICE
  o[0] = bits(__nvvm_add_rn_ftz_f(a, b));
  o[1] = bits(__nvvm_mul_rn_ftz_f(a, c));
  o[2] = bits(__nvvm_fma_rn_ftz_f(a, c, b));
  o[3] = bits(__nvvm_div_rn_ftz_f(a, c));
  o[4] = bits(__nvvm_sqrt_rn_ftz_f(__builtin_fabsf(a)));
#else
  float x = flush(a), y = flush(b);
  o[0] = bits(flush(x + y));
  o[1] = bits(flush(x * c));
  o[2] = bits(flush(std::fma(x, c, y)));
  o[3] = bits(flush(x / c));
  o[4] = bits(flush(std::sqrt(std::fabs(x))));
#endif
}
