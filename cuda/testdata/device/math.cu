// Functions of math.h and of CUDA, with and without std, and intrinsics that round another way.
#include <cmath>
#include <math_constants.h>

extern "C" __global__ void functions(const double *in, double *out) {
	int i = threadIdx.x;
	double x = in[i], *o = out + 40 * i;
	float f = (float)x;
	o[0] = sin(x), o[1] = std::cos(x), o[2] = exp(x), o[3] = log(x), o[4] = sqrt(x), o[5] = std::pow(x, 1.5);
	o[6] = atan2(x, 2.0), o[7] = cbrt(x), o[8] = floor(x), o[9] = fmod(x, 0.3), o[10] = fma(x, x, 1.0), o[11] = erf(x);
	o[12] = sinf(f), o[13] = std::exp(f), o[14] = logf(f), o[15] = rsqrtf(f), o[16] = powf(f, 2.5f), o[17] = tanhf(f);
	o[18] = fabsf(-f), o[19] = std::max(f, 2.0f), o[20] = fmaxf(f, 1.0f), o[21] = std::abs(-x), o[22] = roundf(f);
	o[23] = rsqrt(x), o[24] = hypot(x, 1.0), o[25] = exp2f(f), o[26] = log10(x), o[27] = tgamma(x), o[28] = copysign(x, -1.0);
	o[29] = __fadd_rz(f, 1e-8f), o[30] = __fmul_ru(f, f), o[31] = __fdiv_rn(f, 3.0f), o[32] = __dadd_ru(x, 1e-20);
	o[33] = __float2int_rn(f * 10) + __float2int_rz(f * 10) * 100.0 + __float2uint_ru(f) * 1e6;
	o[34] = __double2int_rd(-x), o[35] = __saturatef(f), o[36] = __fsqrt_rn(f), o[37] = std::isnan(f) + 2 * isinf(CUDART_INF_F);
	double s, c;
	sincos(x, &s, &c);
	o[38] = s + c;
	int e;
	o[39] = frexp(x, &e) + e + min(f, 9.0) + lrint(x) + sinpi(x);
}

extern "C" __global__ void fast(const float *in, float *out) {
	int i = threadIdx.x;
	float x = in[i], *o = out + 8 * i;
	o[0] = __expf(x), o[1] = __logf(x), o[2] = __sinf(x), o[3] = __fdividef(x, 3.0f), o[4] = __powf(x, 1.5f);
	o[5] = __frcp_rn(x), o[6] = __frsqrt_rn(x), o[7] = __fmaf_rn(x, x, 0.5f);
}
