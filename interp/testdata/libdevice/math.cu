// Functions of math.h as clang compiles them where there is no CUDA toolkit: its own header
// makes calls of libdevice of them. Each thread stores what all of them give for its x and y.
#define __device__ __attribute__((device))
#define __forceinline__ __attribute__((always_inline)) inline
#define CUDA_VERSION 12000
#define __float2ll_rn __nv_float2ll_rn
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#include <limits.h>
#include <stddef.h>
#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_math.h>

#define KERNEL extern "C" __attribute__((global)) void
#define THREAD (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())

enum { VALUES = 32 };

KERNEL doubles(const double *xs, const double *ys, double *out, int n) {
  int i = THREAD;
  if (i >= n)
    return;
  double x = xs[i], y = ys[i], s, c, whole;
  int e, q;
  out += i * VALUES;
  *out++ = sin(x);
  *out++ = cos(x);
  *out++ = tan(x);
  *out++ = exp(x);
  *out++ = log(y);
  *out++ = pow(y, x);
  *out++ = erf(x);
  *out++ = erfc(x);
  *out++ = lgamma(y);
  *out++ = tgamma(x);
  *out++ = j0(y);
  *out++ = y1(y);
  *out++ = jn(3, y);
  *out++ = cbrt(x);
  *out++ = hypot(x, y);
  *out++ = atan2(x, y);
  *out++ = asinh(x);
  *out++ = tanh(x);
  *out++ = log1p(y);
  *out++ = normcdf(x);
  sincos(x, &s, &c);
  *out++ = s;
  *out++ = c;
  *out++ = frexp(x, &e);
  *out++ = e;
  *out++ = modf(x, &whole);
  *out++ = whole;
  *out++ = remquo(x, y, &q);
  *out++ = q;
  *out++ = fmod(x, y);
  *out++ = sqrt(y);
  *out++ = sinpi(x);
  *out++ = round(x);
}

KERNEL floats(const float *xs, const float *ys, float *out, int n) {
  int i = THREAD;
  if (i >= n)
    return;
  float x = xs[i], y = ys[i], s, c, whole;
  int e, q;
  out += i * VALUES;
  *out++ = sinf(x);
  *out++ = cosf(x);
  *out++ = tanf(x);
  *out++ = expf(x);
  *out++ = logf(y);
  *out++ = powf(y, x);
  *out++ = erff(x);
  *out++ = erfcf(x);
  *out++ = lgammaf(y);
  *out++ = tgammaf(x);
  *out++ = j0f(y);
  *out++ = y1f(y);
  *out++ = jnf(3, y);
  *out++ = cbrtf(x);
  *out++ = hypotf(x, y);
  *out++ = atan2f(x, y);
  *out++ = asinhf(x);
  *out++ = tanhf(x);
  *out++ = log1pf(y);
  *out++ = normcdff(x);
  sincosf(x, &s, &c);
  *out++ = s;
  *out++ = c;
  *out++ = frexpf(x, &e);
  *out++ = e;
  *out++ = modff(x, &whole);
  *out++ = whole;
  *out++ = remquof(x, y, &q);
  *out++ = q;
  *out++ = fmodf(x, y);
  *out++ = sqrtf(y);
  *out++ = sinpif(x);
  *out++ = roundf(x);
}
