// Half precision and bfloat16. Each result as a float.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

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
