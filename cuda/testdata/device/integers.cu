// Intrinsics of integers and SIMD within a word.
extern "C" __global__ void integers(const unsigned *a, const unsigned *b, unsigned *out) {
	int i = threadIdx.x;
	unsigned x = a[i], y = b[i], *o = out + 32 * i;
	o[0] = __popc(x);
	o[1] = __clz(x);
	o[2] = __ffs(x);
	o[3] = __brev(x);
	o[4] = __byte_perm(x, y, 0x3715 | (x & 0x8888)); // the fourth bit of an index does not count
	o[5] = __funnelshift_l(x, y, 5);
	o[6] = __funnelshift_r(x, y, 37);
	o[7] = __funnelshift_rc(x, y, 37);
	o[8] = __umulhi(x, y);
	o[9] = __mulhi((int)x, (int)y);
	o[10] = __mul24((int)x, (int)y);
	o[11] = __usad(x, y, 7);
	o[12] = __hadd((int)x, (int)y);
	o[13] = __rhadd((int)x, (int)y);
	o[14] = __popcll((unsigned long long)x << 32 | y);
	o[15] = __clzll((unsigned long long)y);
	o[16] = (unsigned)(__umul64hi((unsigned long long)x << 32, (unsigned long long)y << 32) >> 32);
	o[17] = min(x, 100u) + max((int)y, -5) + min(3ll, (long long)x);
	o[18] = __vadd4(x, y);
	o[19] = __vsub2(x, y);
	o[20] = __vavgu4(x, y);
	o[21] = __vcmpgtu4(x, y);
	o[22] = __vmaxs2(x, y);
	o[23] = __vminu4(x, y);
	o[24] = __vabsdiffu4(x, y);
	o[25] = __vaddus4(x, y);
	o[26] = __vsadu4(x, y);
	o[27] = __vcmpeq2(x, y);
	o[28] = __dp4a((int)x, (int)y, 10);
	o[29] = abs((int)x);
	o[30] = __float_as_uint(__uint_as_float(x)) + (unsigned)__double2hiint(__hiloint2double(3, 4));
	o[31] = __vsetltu4(x, y);
}

// Minima and maxima of up to three values and of sums; functions under their names without underscores.
extern "C" __global__ void dpx(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *out) {
	int i = threadIdx.x;
	unsigned x = a[i], y = b[i], z = c[i], *o = out + 40 * i;
	bool first, high, low;
	o[0] = __viaddmax_s32(x, y, z), o[1] = __viaddmin_s32(x, y, z), o[2] = __viaddmax_u32(x, y, z), o[3] = __viaddmin_u32(x, y, z);
	o[4] = __viaddmax_s16x2(x, y, z), o[5] = __viaddmin_s16x2(x, y, z), o[6] = __viaddmax_u16x2(x, y, z), o[7] = __viaddmin_u16x2(x, y, z);
	o[8] = __viaddmax_s32_relu(x, y, z), o[9] = __viaddmin_s32_relu(x, y, z), o[10] = __viaddmax_s16x2_relu(x, y, z), o[11] = __viaddmin_s16x2_relu(x, y, z);
	o[12] = __vimax3_s32(x, y, z), o[13] = __vimin3_s32(x, y, z), o[14] = __vimax3_u32(x, y, z), o[15] = __vimin3_u32(x, y, z);
	o[16] = __vimax3_s16x2(x, y, z), o[17] = __vimin3_s16x2(x, y, z), o[18] = __vimax3_u16x2(x, y, z), o[19] = __vimin3_u16x2(x, y, z);
	o[20] = __vimax3_s32_relu(x, y, z), o[21] = __vimin3_s32_relu(x, y, z), o[22] = __vimax3_s16x2_relu(x, y, z), o[23] = __vimin3_s16x2_relu(x, y, z);
	o[24] = __vimax_s32_relu(x, y), o[25] = __vimin_s32_relu(x, y), o[26] = __vimax_s16x2_relu(x, y), o[27] = __vimin_s16x2_relu(x, y);
	o[28] = __vibmax_s32(x, y, &first), o[29] = first, o[30] = __vibmin_u32(x, y, &first), o[31] = first;
	o[32] = __vibmax_u16x2(x, y, &high, &low), o[33] = high << 1 | low, o[34] = __vibmin_s16x2(x, y, &high, &low), o[35] = high << 1 | low;
	o[36] = mulhi((int)x, (int)y), o[37] = mulhi(x, (int)y), o[38] = float2int(int_as_float(0x40200000 | x & 15)) + float2int(2.5f, cudaRoundPosInf);
	o[39] = __dp2a_hi(make_short2(x, x >> 16), make_char4(y, y >> 8, y >> 16, y >> 24), (int)z);
}

// The order of bytes.
extern "C" __global__ void swaps(const unsigned long long *a, unsigned long long *out) {
	int i = threadIdx.x;
	out[3 * i] = __nv_bswap16((unsigned short)a[i]);
	out[3 * i + 1] = __nv_bswap32((unsigned)a[i]);
	out[3 * i + 2] = __nv_bswap64(a[i]);
}
