// Intrinsics of integers and SIMD within a word.
extern "C" __global__ void integers(const unsigned *a, const unsigned *b, unsigned *out) {
	int i = threadIdx.x;
	unsigned x = a[i], y = b[i], *o = out + 32 * i;
	o[0] = __popc(x);
	o[1] = __clz(x);
	o[2] = __ffs(x);
	o[3] = __brev(x);
	o[4] = __byte_perm(x, y, 0x3715);
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
