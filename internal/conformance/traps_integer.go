package conformance

// integerTraps are about arithmetic on integers and bits.
var integerTraps = []trap{
	{"trap08 products", all(
		refused("mul", "mul.u32 %r1, %r0, 3;"),
		gives(1, "mov.u32 %r2, 0x10000;\n\tmul.hi.u32 %r1, %r2, %r2;"),
		gives(0xfffffffe, "mov.s32 %r2, -1;\n\tmul.wide.s32 %rd1, %r2, 2;\n\tcvt.u32.u64 %r1, %rd1;"),
		gives(0xfffffe00, "mov.u32 %r2, 0xffffff;\n\tmul24.hi.u32 %r1, %r2, %r2;"), gives(0xfffffffe, "mul24.lo.s32 %r1, 0xffffff, 0xab000002;"),
		gives(5, "mov.u32 %r2, 0x80000000;\n\tmov.u64 %rd2, 0x400000000;\n\tmad.wide.u32 %rd1, %r2, 2, %rd2;\n\tshr.u64 %rd1, %rd1, 32;\n\tcvt.u32.u64 %r1, %rd1;"))},
	{"trap09 division by zero does not trap", all(
		gives(allOnes, "mov.u32 %r2, 0;\n\tdiv.u32 %r1, 7, %r2;"), gives(allOnes, "mov.u32 %r2, 0;\n\trem.u32 %r1, 7, %r2;"),
		gives(allOnes, "mov.u32 %r2, 0;\n\tdiv.s32 %r1, -7, %r2;"),
		gives(intMin, "mov.u32 %r2, 0x80000000;\n\tdiv.s32 %r1, %r2, -1;"), gives(0, "mov.u32 %r2, 0x80000000;\n\trem.s32 %r1, %r2, -1;"))},
	{"trap10 shift counts are clamped", all(
		gives(0, "mov.u32 %r2, 32;\n\tshl.b32 %r1, 1, %r2;"), gives(0, "mov.u32 %r2, -1;\n\tshr.u32 %r1, -1, %r2;"),
		gives(allOnes, "mov.u32 %r2, 99;\n\tmov.s32 %r3, -5;\n\tshr.s32 %r1, %r3, %r2;"),
		gives(0, "mov.u16 %h1, 0x8001;\n\tmov.u32 %r2, 0x10001;\n\tshl.b16 %h1, %h1, %r2;\n\tcvt.u32.u16 %r1, %h1;"))},
	{"trap11 saturation is for s32", all(
		gives(0x7fffffff, "mov.u32 %r2, 0x7fffffff;\n\tadd.sat.s32 %r1, %r2, 1;"), gives(intMin, "mov.u32 %r2, 0x80000000;\n\tsub.sat.s32 %r1, %r2, 1;"),
		gives(0x7fffffff, "mov.u32 %r2, 0x7fffffff;\n\tmad.hi.sat.s32 %r1, %r2, %r2, %r2;"),
		refused("add.sat", "add.sat.u32 %r1, %r0, 1;"))},
	{"trap12 the carry flag", all(
		gives(1, "mov.u32 %r2, -1;\n\tadd.cc.u32 %r3, %r2, 1;\n\tmul.lo.u32 %r4, %r2, %r2;\n\taddc.u32 %r1, 0, 0;"),
		gives(allOnes, "sub.cc.u32 %r3, 0, 1;\n\tsubc.u32 %r1, 5, 5;"),
		gives(1, "mov.u64 %rd1, -1;\n\tadd.cc.u64 %rd2, %rd1, %rd1;\n\taddc.u64 %rd2, 0, 0;\n\tcvt.u32.u64 %r1, %rd2;"),
		gives(2, "mov.u32 %r2, -1;\n\tadd.cc.u32 %r3, %r2, 1;\n\tmadc.hi.u32 %r1, 0x10000, 0x10000, 0;"),
		gives(1, "mov.u32 %r2, -1;\n\tadd.cc.u32 %r3, %r2, 1;\n\taddc.u32 %r4, %r2, 0;\n\taddc.u32 %r1, 0, 0;"))}, // addc without .cc leaves it
	{"trap13 the most negative integer has no opposite", all(
		gives(intMin, "mov.u32 %r2, 0x80000000;\n\tabs.s32 %r1, %r2;"), gives(intMin, "mov.u32 %r2, 0x80000000;\n\tneg.s32 %r1, %r2;"),
		gives(4, "mov.u32 %r2, -1;\n\tsad.u32 %r1, 6, 1, %r2;"))},
	{"trap14 bit fields", all(
		gives(allOnes, "mov.u32 %r2, 0x80000000;\n\tbfe.s32 %r1, %r2, 31, 5;"), gives(1, "mov.u32 %r2, 0x80000000;\n\tbfe.u32 %r1, %r2, 31, 5;"),
		gives(0, "bfe.s32 %r1, -1, 3, 0;"), gives(0xf, "bfe.u32 %r1, -1, 0x104, 0x204;"),
		gives(0x123, "bfi.b32 %r1, -1, 0x123, 40, 4;"), gives(0xf0000123, "bfi.b32 %r1, -1, 0x123, 28, 9;"))},
	{"trap15 positions of bits", all(
		gives(allOnes, "bfind.s32 %r1, -1;"), gives(allOnes, "bfind.shiftamt.s32 %r1, 0;"), gives(0, "bfind.s32 %r1, -2;"),
		gives(27, "bfind.shiftamt.u32 %r1, 16;"), gives(32, "clz.b32 %r1, 0;"), gives(64, "mov.u64 %rd1, 0;\n\tclz.b64 %r1, %rd1;"),
		gives(64, "mov.u64 %rd1, -1;\n\tpopc.b64 %r1, %rd1;"),
		gives(4, "fns.b32 %r1, 0x15, 1, 2;"), gives(0, "fns.b32 %r1, 0x15, 3, -2;"), gives(allOnes, "fns.b32 %r1, 0x15, 1, 0;"))},
	{"trap16 byte permutation", all(
		gives(0xff00ff00, "prmt.b32 %r1, 0x7f80, 0, 0x8989;"),
		gives(0x11223344, "prmt.b32 %r1, 0x44332211, 0, 0x0123;"),
		gives(0x66778811, "prmt.b32.b4e %r1, 0x44332211, 0x88776655, 0;"),
		gives(0x55443322, "prmt.b32.f4e %r1, 0x44332211, 0x88776655, 0xfffffff1;"))},
	{"trap17 lop3 tables", all(
		gives(0x96, "lop3.b32 %r1, 0xf0, 0xcc, 0xaa, 0x96;"),
		gives(0x80, "lop3.b32 %r1, 0xf0, 0xcc, 0xaa, 0x80;"),
		holdsFor(true, "setp.lt.u32 %p2, %r0, 0;\n\tlop3.or.b32 %r2|%p1, 0xf0, 0xcc, 0xaa, 0x96, %p2;"))},
	{"trap18 funnel shifts", all(
		gives(0x33444444, "shf.l.clamp.b32 %r1, 0x44555566, 0x22334444, 8;"),
		gives(0x1, "mov.u32 %r2, 1;\n\tshf.l.clamp.b32 %r1, %r2, 2, 64;"), gives(2, "mov.u32 %r2, 1;\n\tshf.l.wrap.b32 %r1, %r2, 2, 64;"),
		gives(2, "mov.u32 %r2, 1;\n\tshf.r.clamp.b32 %r1, %r2, 2, 33;"), gives(intMin, "mov.u32 %r2, 1;\n\tshf.r.wrap.b32 %r1, %r2, 2, 34;"))},
	{"trap19 dot products", all(
		gives(0xfffffc04, "dp4a.s32.u32 %r1, 0xffffffff, 0xffffffff, 0;"),
		gives(4, "dp4a.s32.s32 %r1, 0xffffffff, 0xffffffff, 0;"), gives(260100-1, "dp4a.u32.u32 %r1, 0xffffffff, 0xffffffff, -1;"),
		gives(11, "dp2a.lo.u32.u32 %r1, 0x00030002, 0x09080301, 0;"), gives(43, "dp2a.hi.u32.u32 %r1, 0x00030002, 0x09080301, 0;"),
		gives(1, "cnot.b32 %r1, 0;"), gives(0, "cnot.b32 %r1, 6;"))},
	{"trap20 slct", all(
		gives(2, "mov.f32 %f1, 0f7FC00000;\n\tslct.u32.f32 %r1, 1, 2, %f1;"), gives(1, "mov.f32 %f1, 0f80000000;\n\tslct.u32.f32 %r1, 1, 2, %f1;"),
		gives(2, "mov.f32 %f1, 0f80000001;\n\tslct.u32.f32 %r1, 1, 2, %f1;"),
		givesFloat(1, "mov.f32 %f2, 0f80000001;\n\tmov.f32 %f3, 0f00000001;\n\tslct.ftz.f32.f32 %f1, %f3, 1.0, %f2;"))},
	{"trap21 video instructions take bytes by themselves, and widen before they compute", all(
		gives(0x00000102, "mov.u32 %r2, 0x00ff0081;\n\tmov.u32 %r3, 0x00010181;\n\tvadd4.u32.u32.u32 %r1, %r2, %r3, %r2;"),
		gives(255, "mov.u32 %r2, 0x80;\n\tmov.u32 %r3, 0x7f;\n\tvabsdiff4.s32.s32.s32.add %r1, %r2, %r3, 0;"),
		gives(allOnes, "vmin.s32.s32.u32 %r1, -1, 1;"),
		gives(0x12ff5678, "vadd.u32.u32.u32.sat %r1.b2, 200, 100, 0x12345678;"),
		gives(0x80000000, "vmad.s32.s32.s32 %r1, 1, 0, -2147483648;"))},
}
