package conformance

// conversionTraps are about conversions.
var conversionTraps = []trap{
	{"trap36 conversions that need a rounding", all(
		refused("cvt.s32.f32", "cvt.s32.f32 %r1, %f1;"), refused("cvt.f32.f64", "cvt.f32.f64 %f1, %fd1;"), refused("cvt.f32.s32", "cvt.f32.s32 %f1, %r0;"),
		refused("cvt.rn.f64.f32", "cvt.rn.f64.f32 %fd1, %f1;"), givesFloat(f32NegZero, "mov.f32 %f2, 0fBE800000;\n\tcvt.rni.f32.f32 %f1, %f2;"),
		givesFloat(0x40000000, "mov.f32 %f2, 2.5;\n\tcvt.rni.f32.f32 %f1, %f2;"))},
	{"trap37 float to integer is clamped", all(
		gives(0x7fffffff, "mov.f32 %f1, 0f7F800000;\n\tcvt.rzi.s32.f32 %r1, %f1;"), gives(0, "mov.f32 %f1, -5.5;\n\tcvt.rzi.u32.f32 %r1, %f1;"),
		gives(255, "mov.f32 %f1, 300.0;\n\tcvt.rzi.u8.f32 %r1, %f1;"), gives(0xffff8000, "mov.f32 %f1, -1000000.0;\n\tcvt.rzi.s16.f32 %r1, %f1;"),
		gives(0, "mov.f32 %f1, 0f7FC00000;\n\tcvt.rzi.s32.f32 %r1, %f1;"), gives(intMin, "mov.f64 %fd1, 0d7FF8000000000000;\n\tcvt.rzi.s32.f64 %r1, %fd1;"),
		gives(intMin, "mov.f32 %f1, 0f7FC00000;\n\tcvt.rzi.s64.f32 %rd1, %f1;\n\tmov.b64 {%r2, %r1}, %rd1;"))},
	{"trap38 integer to integer", all(
		gives(0, "mov.u32 %r2, -1;\n\tcvt.s64.u32 %rd1, %r2;\n\tmov.b64 {%r3, %r1}, %rd1;"), gives(allOnes, "mov.u32 %r2, -1;\n\tcvt.u64.s32 %rd1, %r2;\n\tmov.b64 {%r3, %r1}, %rd1;"),
		gives(0, "mov.u32 %r2, -1;\n\tcvt.sat.u32.s32 %r1, %r2;"), gives(0x7fffffff, "mov.u32 %r2, -1;\n\tcvt.sat.s32.u32 %r1, %r2;"),
		gives(0x34, "mov.u32 %r2, 0x1234;\n\tcvt.u32.u8 %r1, %r2;"))},
	{"trap39 u64 to f32 is rounded once", all(
		givesFloat(0x5f000001, "mov.u64 %rd1, 0x8000008000000001;\n\tcvt.rn.f32.u64 %f1, %rd1;"),
		givesFloat(0x5f7fffff, "mov.u64 %rd1, -1;\n\tcvt.rz.f32.u64 %f1, %rd1;"), givesFloat(0x5f800000, "mov.u64 %rd1, -1;\n\tcvt.rp.f32.u64 %f1, %rd1;"))},
	{"trap40 ftz of conversions, packing", all(
		givesDouble(1<<63, "mov.f32 %f1, 0f80000001;\n\tcvt.ftz.f64.f32 %fd1, %f1;"), givesDouble(0x36a0000000000000, "mov.f32 %f1, 0f00000001;\n\tcvt.f64.f32 %fd1, %f1;"),
		gives(0x56787f80, "mov.u32 %r2, 0x12345678;\n\tcvt.pack.sat.s8.s32.b32 %r1, 1000, -1000, %r2;"))},
}
