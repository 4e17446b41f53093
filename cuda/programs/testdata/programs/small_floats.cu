// Numbers of 4, 6 and 8 bits, on the device and the host, compared with a search for the nearest number of each type.
#include "check.h"
#include <cmath>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <library_types.h>

static_assert(CUDA_R_8F_E5M2 == 29 && CUDA_R_6F_E3M2 == 32 && CUDA_R_4F_E2M1 == 33 && CUDA_R_4I == 16 && CUDA_C_16U == 23 && CUDA_R_64I == 24, "numbers of types");

struct Bits {
	unsigned char e2m1[4], e2m3, e3m2, e8m0[3], pair, three[2];
	unsigned short four;
};

__host__ __device__ void convert(float f, Bits &b) {
	for (int mode = 0; mode < 4; mode++)
		b.e2m1[mode] = __nv_cvt_float_to_fp4(f, __NV_E2M1, (cudaRoundMode)mode);
	b.e2m3 = __nv_fp6_e2m3(f).__x, b.e3m2 = __nv_fp6_e3m2(f).__x;
	b.e8m0[0] = __nv_fp8_e8m0(f).__x;
	b.e8m0[1] = __nv_cvt_float_to_e8m0(f, __NV_NOSAT, cudaRoundZero), b.e8m0[2] = __nv_cvt_float_to_e8m0(f, __NV_NOSAT, cudaRoundPosInf);
	b.pair = __nv_fp4x2_e2m1(make_float2(1, f)).__x;
	b.four = __nv_fp4x4_e2m1(make_float4(f, 1, 2, 3)).__x;
	__nv_fp6x2_e3m2 two(make_float2(f, 2));
	b.three[0] = (unsigned char)two.__x, b.three[1] = (unsigned char)(two.__x >> 8);
}

__global__ void convertAll(const float *f, Bits *b, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		convert(f[i], b[i]);
}

// The number with these bits, by the definition of the format.
static float value(int bits, int exponent, int fraction, int bias) {
	int e = bits >> fraction & ((1 << exponent) - 1), f = bits & ((1 << fraction) - 1);
	float v = e ? std::ldexp(1 + (float)f / (1 << fraction), e - bias) : std::ldexp((float)f / (1 << fraction), 1 - bias);
	return bits >> (exponent + fraction) ? -v : v;
}

// The bits of the number nearest to f in a direction; of two that are as near, those that end in 0.
static int search(float f, int exponent, int fraction, int bias, cudaRoundMode mode) {
	int sign = exponent + fraction, most = (1 << sign) - 1;
	if (std::isnan(f))
		return most;
	f = std::fmin(std::fmax(f, -100), 100); // which all types leave out
	int best = most | std::signbit(f) << sign;
	float distance = INFINITY;
	for (int m = 0; m <= most; m++) {
		int bits = m | std::signbit(f) << sign;
		float v = value(bits, exponent, fraction, bias), d = (float)std::fabs((double)v - f);
		bool outside = mode == cudaRoundZero     ? std::fabs(v) > std::fabs(f)
		               : mode == cudaRoundPosInf ? v < f
		               : mode == cudaRoundMinInf ? v > f
		                                         : false;
		if (!outside && (d < distance || (d == distance && m % 2 == 0)))
			best = bits, distance = d;
	}
	return best;
}

__global__ void back(float *out) {
	int i = threadIdx.x;
	__nv_fp4_e2m1 a;
	__nv_fp6_e2m3 b;
	__nv_fp6_e3m2 c;
	__nv_fp8_e8m0 d;
	a.__x = i & 15, b.__x = c.__x = i & 63, d.__x = i;
	__nv_fp4x2_e2m1 two;
	two.__x = i;
	float2 f = (float2)two;
	__half2 h(__nv_cvt_fp4x2_to_halfraw2(i, __NV_E2M1));
	float *o = out + 8 * i;
	o[0] = (float)a, o[1] = __half2float((__half)b), o[2] = (float)c, o[3] = (float)d, o[4] = f.x, o[5] = f.y, o[6] = __high2float(h), o[7] = (int)c;
}

int main() {
	const int n = 2048;
	float *f, *out;
	Bits *b;
	CHECK(cudaMallocManaged(&f, n * sizeof *f));
	CHECK(cudaMallocManaged(&b, n * sizeof *b));
	CHECK(cudaMallocManaged(&out, 8 * 256 * sizeof *out));
	float special[] = {0, -0.0f, INFINITY, -INFINITY, NAN, 6, 5, 7, 0.25f, 0.2500001f, 1e-40f, 5.877472e-39f, 6e-39f, 1.7014118e38f, 2e38f, 3e38f, 30, 7.75f, 448};
	for (int i = 0; i < n; i++)
		f[i] = i < (int)(sizeof special / sizeof *special) ? special[i]
		       : i < 1024                                  ? (float)(i - 512) / 64
		                                                   : std::ldexp((float)(i % 2 ? i : -i) / 1024, i % 37 - 30);
	convertAll<<<n / 128, 128>>>(f, b, n);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++) {
		Bits host;
		convert(f[i], host);
		const Bits *each[] = {&b[i], &host};
		for (const Bits *x : each) {
			for (int mode = 0; mode < 4; mode++)
				EXPECT(x->e2m1[mode] == search(f[i], 2, 1, 1, (cudaRoundMode)mode));
			EXPECT(x->e2m3 == search(f[i], 2, 3, 1, cudaRoundNearest));
			EXPECT(x->e3m2 == search(f[i], 3, 2, 3, cudaRoundNearest));
			EXPECT(x->three[0] == x->e3m2 && x->three[1] == search(2, 3, 2, 3, cudaRoundNearest));
			EXPECT(x->pair == (x->e2m1[0] << 4 | 2) && x->four == (x->e2m1[0] | 0x5420));
			// The exponents of the powers of two around the number, up to that of NaN, which is past the greatest.
			double v = std::fabs((double)f[i]), exponent = v > 0 ? std::log2(v) + 127 : 0;
			int above = (int)std::fmin(std::fmax(std::ceil(exponent), 0), 255), below = (int)std::fmin(std::fmax(std::floor(exponent), 0), 255);
			bool nan = std::isnan(f[i]);
			EXPECT(x->e8m0[0] == (nan ? 255 : above < 255 ? above : 254));
			EXPECT(x->e8m0[1] == (nan ? 255 : below) && x->e8m0[2] == (nan ? 255 : above));
		}
	}
	back<<<1, 256>>>(out);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 256; i++) {
		float *o = out + 8 * i, low = value(i & 15, 2, 1, 1), high = value(i >> 4, 2, 1, 1), c = value(i & 63, 3, 2, 3);
		EXPECT(o[0] == low && o[1] == value(i & 63, 2, 3, 1) && o[2] == c && o[4] == low && o[5] == high && o[6] == high && o[7] == (int)c);
		EXPECT(i < 255 ? o[3] == std::ldexp(1.0f, i - 127) : std::isnan(o[3]));
	}
	printf("ok\n");
}
