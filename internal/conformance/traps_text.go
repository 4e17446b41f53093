package conformance

// textTraps are about what text means: registers, names, literals and operands.
var textTraps = []trap{
	{"trap01 registers are bits, wider ones are extended", all(
		inModule(0xf0, ".global .u32 v = 0x812345f0;\n", "ld.global.u8 %rd1, [v];\n\tcvt.u32.u64 %r1, %rd1;"),
		inModule(allOnes, ".global .u32 v = 0x812345f0;\n", "ld.global.s8 %rd1, [v];\n\tshr.u64 %rd1, %rd1, 32;\n\tcvt.u32.u64 %r1, %rd1;"),
		gives(0x34, "mov.u32 %r2, 0x1234;\n\tcvt.u8.u32 %r1, %r2;"),
		gives(0xffffff80, "mov.u32 %r2, 0x1280;\n\tcvt.s8.s32 %r1, %r2;"),
		gives(f32One+1, "mov.f32 %f1, 1.0;\n\tmov.b32 %r2, %f1;\n\tadd.s32 %r1, %r2, 1;"),
		gives(0x40000000, "mov.u32 %r2, 0x3f800000;\n\tadd.f32 %r1, %r2, %r2;"),
		refused("%rd1 is .b64", "add.u32 %r1, %rd1, 1;"),
		refused("%fd1 is .f64", "add.f32 %f1, %fd1, 1.0;"))},
	{"trap02 predicates have no memory form", all(
		gives(allOnes, "set.lt.u32.u32 %r1, %r0, 32;"),
		holdsFor(true, "setp.eq.u32 %p2, %r0, %r0;\n\tnot.pred %p3, %p2;\n\txor.pred %p1, %p2, %p3;"),
		refused("ld.global.pred", "ld.global.pred %p1, [%out];"),
		refused("%p1", "mov.u32 %r1, %p1;"))},
	{"trap03 ranges count from 0, inner names hide outer ones", all(
		refused("%x5", ".reg .b32 %x<5>;\n\tmov.u32 %x4, 1;\n\tmov.u32 %x5, 1;"),
		gives(3, "mov.u32 %r1, 3;\n\t{ .reg .b32 %r1; mov.u32 %r1, 4; }"),
		gives(2, "mov.u32 %r1, 0;\n\t{ bra L;\n\tadd.u32 %r1, %r1, 8;\nL: add.u32 %r1, %r1, 1; }\n\t{ bra L;\n\tadd.u32 %r1, %r1, 8;\nL: add.u32 %r1, %r1, 1; }"))},
	{"trap04 literals and constant expressions", all(
		gives(8, "mov.u32 %r1, 010;"), gives(5, "mov.u32 %r1, 0b101U;"), gives(31, "mov.u32 %r1, 0x1F;"),
		gives(5, "mov.u32 %r1, 0x100000005;"),
		givesFloat(0x3dcccccd, "mov.f32 %f1, 0.1;"), givesFloat(0x40490fdb, "mov.f32 %f1, 0f40490FDB;"),
		givesDouble(0x3fb999999999999a, "mov.f64 %fd1, 0.1;"), givesDouble(0x400921fb54442d18, "mov.f64 %fd1, 0d400921FB54442D18;"),
		gives(46, "mov.u32 %r1, (3 + 4) * 2 + WARP_SZ;"), gives(7, "mov.u32 %r1, 1 > 2 ? 6 : 7;"),
		gives(1, "mov.u32 %r1, (.s64)-1 < 0;"), gives(9, "mov.u32 %r1, (1 << 3) | 1;"))},
	{"trap05 immediates are cut to the type, counts are 32 bits", all(
		gives(allOnes, "mov.u32 %r1, -1;"),
		gives(0xffff, "mov.u16 %h1, -1;\n\tcvt.u32.u16 %r1, %h1;"),
		gives(1, "mov.u64 %rd1, 0x100000000;\n\tmov.u32 %r2, 32;\n\tshr.u64 %rd1, %rd1, %r2;\n\tcvt.u32.u64 %r1, %rd1;"))},
	{"trap06 address forms", all(
		inModule(7, ".global .u32 v[4] = {5, 6, 7, 8};\n", "ld.global.u32 %r1, [v+8];"),
		inModule(6, ".global .u32 v[4] = {5, 6, 7, 8};\n", "mov.u64 %rd1, v+8;\n\tld.global.u32 %r1, [%rd1+-4];"),
		inModule(8, ".global .u32 v[4] = {5, 6, 7, 8};\n", "mov.u64 %rd1, v;\n\tld.global.u32 %r1, [%rd1+12];"),
		gives(9, ".shared .u32 s[4];\n\tst.shared.u32 [s+8], 9;\n\tbar.sync 0;\n\tld.shared.u32 %r1, [8];"),
		gives(0, ".shared .u32 s[4];\n\tmov.u32 %r1, s;"),
		holdsFor(false, ".shared .u32 s[4];\n\tmov.u64 %rd1, s;\n\tcvta.shared.u64 %rd2, %rd1;\n\tsetp.eq.u64 %p1, %rd1, %rd2;"))},
	{"trap07 vector operands", all(
		inModule(7, ".global .align 16 .u32 v[4] = {5, 6, 7, 8};\n", "ld.global.v4.u32 {_, _, %r1, _}, [v];"),
		gives(0x55667788, "mov.u64 %rd1, 0x1122334455667788;\n\tmov.b64 {%r1, %r2}, %rd1;"),
		gives(4, ".shared .align 16 .u32 s[4];\n\tst.shared.v2.u32 [s], {3, 4};\n\tbar.sync 0;\n\tld.shared.u32 %r1, [s+4];"),
		fails("not a multiple of 8 bytes", moduleTrial(".global .align 16 .u32 v[4];\n", "ld.global.v2.u32 {%r1, %r2}, [v+4];", 32, anything)))},
}
