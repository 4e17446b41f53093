// Half precision and bfloat16. Each result as a float.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ void halves(const float *in, float *out) {
	int i = threadIdx.x;
	float a = in[2 * i], b = in[2 * i + 1], *o = out + 24 * i;
	__half x = __float2half(a), y = __float2half(b);
	o[0] = x, o[1] = __half2float(x + y), o[2] = x * y, o[3] = x / y, o[4] = __hfma(x, y, x), o[5] = x < y, o[6] = __hmax(x, y);
	__half2 p = __halves2half2(x, y), q = __floats2half2_rn(b, 2.0f);
	o[7] = __low2float(__hadd2(p, q)), o[8] = __high2float(__hmul2(p, q)), o[9] = __high2float(__hfma2(p, q, p));
	o[10] = hsqrt(__habs(x)), o[11] = __half2int_rn(x), o[12] = __half2float(__float2half_rz(a)), o[13] = -y;
	__nv_bfloat16 u = __float2bfloat16(a), v = __float2bfloat16(b);
	o[14] = u, o[15] = u + v, o[16] = u * v, o[17] = __hfma(u, v, u), o[18] = __bfloat162float(__hmin(u, v));
	__nv_bfloat162 s = __halves2bfloat162(u, v);
	s = __hadd2(s, s);
	o[19] = __low2float(s), o[20] = __bfloat1622float2(__hmul2(s, s)).y;
	o[21] = __half2float(__shfl_xor_sync(0xffffffff, x, 1));
	o[22] = __half2float(__float2half_ru(a)), o[23] = __half2float(__float2half_rd(a));
}

extern "C" __global__ void sums(__half *h, __half2 *p, __nv_bfloat16 *b) {
	atomicAdd(h, __float2half(1.0f));
	atomicAdd(p, __floats2half2_rn(1.0f, 2.0f));
	atomicAdd(b, __float2bfloat16(1.0f));
}

// Conversions of integers and between the types, each as a float.
extern "C" __global__ void conversions(const long long *in, float *out) {
	int i = threadIdx.x;
	long long a = in[i];
	float *o = out + 16 * i;
	o[0] = __ll2bfloat16_rn(a), o[1] = __ll2bfloat16_rz(a), o[2] = __ll2bfloat16_rd(a), o[3] = __ll2bfloat16_ru(a);
	o[4] = __ll2half_rn(a), o[5] = __ll2half_ru(a), o[6] = __int2bfloat16_rz((int)a), o[7] = __uint2half_rd((unsigned)a);
	__nv_bfloat16 b = (float)a * 0.37f;
	o[8] = __bfloat162int_rd(b), o[9] = __bfloat162short_rn(b), o[10] = __bfloat162uchar_rz(b), o[11] = (float)__bfloat162ull_ru(b);
	o[12] = static_cast<__half>(b), o[13] = static_cast<__nv_bfloat16>(__float2half((float)a));
	__half2 p = __floats2half2_rn(1, (float)a), q = __floats2half2_rn(1, 5);
	o[14] = (float)(__hne2_mask(p, q) >> 8), o[15] = (float)(__hltu2_mask(p, q) >> 8);
}

// Each number in 8 bits, and each 8 bits as numbers.
extern "C" __global__ void eighths(const float *in, unsigned char *out, float *back) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float f = in[i];
	unsigned char *o = out + 6 * i;
	o[0] = __nv_fp8_e4m3(f).__x, o[1] = __nv_fp8_e5m2(f).__x;
	o[2] = __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E4M3), o[3] = __nv_cvt_float_to_fp8(f, __NV_NOSAT, __NV_E5M2);
	o[4] = (unsigned char)(__nv_fp8x2_e4m3(make_float2(0, f)).__x >> 8), o[5] = (unsigned char)(__nv_fp8x4_e5m2(make_float4(1, 2, f, 3)).__x >> 16);
	if (i < 256) {
		__nv_fp8_e4m3 a;
		__nv_fp8_e5m2 b;
		a.__x = b.__x = (unsigned char)i;
		back[2 * i] = (float)a, back[2 * i + 1] = (float)b;
	}
}

#define CONSTANTS(NAME, BITS)                                                                                          \
	BITS(CUDART_INF_##NAME), BITS(CUDART_NAN_##NAME), BITS(CUDART_MIN_DENORM_##NAME), BITS(CUDART_MAX_NORMAL_##NAME),    \
		BITS(CUDART_NEG_ZERO_##NAME), BITS(CUDART_ZERO_##NAME), BITS(CUDART_ONE_##NAME)
extern "C" __global__ void constants(unsigned short *out) {
	unsigned short all[] = {CONSTANTS(FP16, __half_as_ushort), CONSTANTS(BF16, __bfloat16_as_ushort)};
	for (int i = 0; i < 14; i++)
		out[i] = all[i];
}
