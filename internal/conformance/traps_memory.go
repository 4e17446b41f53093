package conformance

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// memoryTraps are about addresses, calls, accesses and atomics.
var memoryTraps = []trap{
	{"trap68 results of 128 bits that nothing reads change nothing", works(moduleTrial(".global .align 16 .b8 g[16];\n",
		".reg .b128 %q<4>;\n\tmov.u64 %rd1, g;\n\tmov.b128 %q1, {0, 0};\n\tmov.u32 %r2, 1;\n\tsetp.eq.u32 %p1, %r2, 1;\n\tadd.cc.u32 %r3, %r2, 1;\n\t"+
			"atom.global.exch.b128 %q2, [%rd1], %q1;\n\tatom.global.cas.b128 %q3, [%rd1], %q1, %q1;\n\tatom.global.exch.b128 _, [%rd1], %q1;\n\t"+
			"addc.u32 %r4, 5, 0;\n\tmov.u32 %r1, 100;\n\t@%p1 add.u32 %r1, %r1, %r0;\n\tadd.u32 %r1, %r1, %r4;",
		32, func(i int) uint32 { return uint32(i) + 105 }))},
	{"trap69 atomics on vectors take their sources when they are issued", works(moduleTrial(".global .align 16 .b8 g[16];\n",
		"mov.u64 %rd1, g;\n\tmov.f32 %f1, 1.0;\n\tmov.f32 %f2, 2.0;\n\tmov.f32 %f5, 0.0;\n\tred.global.add.v2.f32 [%rd1], {%f1, %f2};\n\tmov.f32 %f1, 100.0;\n\t"+
			"atom.global.add.v2.f32 {%f3, %f4}, [%rd1], {%f5, %f5};\n\tadd.f32 %f5, %f1, 1.0;\n\tcvt.rni.u32.f32 %r2, %f3;\n\tcvt.rni.u32.f32 %r3, %f4;\n\tcvt.rni.u32.f32 %r4, %f5;\n\t"+
			"mad.lo.u32 %r1, %r2, 1000, %r3;\n\tmad.lo.u32 %r1, %r4, 1000000, %r1;",
		32, func(int) uint32 { return 101032064 }))},
	{"trap70 elements of a vector in memory may have registers of several widths", all(
		works(moduleTrial(".global .align 8 .b8 g[8] = {255, 128, 7, 0, 1, 2, 3, 4};\n",
			"mov.u64 %rd1, g;\n\tld.global.v4.s8 {%h1, %r2, %rd2, %h2}, [%rd1];\n\tcvt.u32.u64 %r3, %rd2;\n\tcvt.s32.s16 %r4, %h1;\n\t"+
				"add.s32 %r1, %r2, %r3;\n\tshr.s64 %rd3, %rd2, 60;\n\tcvt.u32.u64 %r5, %rd3;\n\tadd.s32 %r1, %r1, %r5;\n\tmad.lo.s32 %r1, %r4, 1000, %r1;",
			32, func(int) uint32 { return 1<<32 - 128 + 7 - 1000 })),
		works(moduleTrial(".global .align 8 .b8 g[8] = {1, 255, 0, 128, 1, 2, 3, 4};\n",
			"mov.u64 %rd1, g;\n\tld.global.v2.s16 {%r2, %rd2}, [%rd1];\n\tld.global.v2.u16 {%rd3, %r3}, [%rd1];\n\tcvt.u32.u64 %r4, %rd2;\n\tcvt.u32.u64 %r5, %rd3;\n\t"+
				"shr.s64 %rd2, %rd2, 32;\n\tcvt.u32.u64 %r6, %rd2;\n\tadd.s32 %r1, %r2, %r4;\n\tadd.s32 %r1, %r1, %r5;\n\tadd.s32 %r1, %r1, %r3;\n\tadd.s32 %r1, %r1, %r6;",
			32, func(int) uint32 { return 65281 - 256 })),
		works(moduleTrial("",
			"mov.u64 %rd2, 0x1111111122222222;\n\tmov.u32 %r2, 5;\n\tmov.u16 %h1, 9;\n\t.shared .align 16 .b8 s[512];\n\tmov.u64 %rd1, s;\n\tmad.wide.u32 %rd1, %r0, 16, %rd1;\n\t"+
				"st.shared.v4.b32 [%rd1], {%rd2, %r2, %tid.x, 7};\n\tld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%rd1];\n\t"+
				"sub.u32 %r3, %r3, 0x22222222;\n\tadd.u32 %r1, %r3, %r4;\n\tadd.u32 %r1, %r1, %r5;\n\tadd.u32 %r1, %r1, %r6;\n\t"+
				"st.shared.v2.u8 [%rd1], {%rd2, %h1};\n\tld.shared.u16 %r3, [%rd1];\n\tadd.u32 %r1, %r1, %r3;",
			32, func(i int) uint32 { return uint32(i) + 12 + 0x0922 })))},
	{"trap41 generic addresses", all(
		holdsFor(true, ".shared .u32 s[4];\n\tcvta.to.global.u64 %rd1, %out;\n\tsetp.eq.u64 %p1, %rd1, %out;"),
		holdsFor(false, "mov.u64 %rd1, 0;\n\tisspacep.shared %p1, %rd1;"), holdsFor(false, "mov.u64 %rd1, 0;\n\tisspacep.local %p1, %rd1;"),
		givesEach(func(i int) uint32 { return uint32(i) + 7 }, // one address, a place in every thread
			".local .u32 l;\n\tmov.u64 %rd1, l;\n\tcvta.local.u64 %rd1, %rd1;\n\tmov.b64 {%r3, %r4}, %rd1;\n\tshfl.sync.idx.b32 %r3, %r3, 0, 31, -1;\n\tmov.b64 %rd1, {%r3, %r4};\n\tadd.u32 %r2, %r0, 7;\n\tst.u32 [%rd1], %r2;\n\tbar.warp.sync -1;\n\tld.local.u32 %r1, [l];"))},
	{"trap42 kernel parameters have addresses", works(parameterAddress())},
	{"trap43 the call ABI", all(
		works(moduleTrial(aggregateCallee, aggregateCall, 32, func(i int) uint32 { return uint32(i)*3 + 12 })),
		works(callForms(parseForm("call"))...))},
	{"trap44 indirect calls", all(
		works(callForms(parseForm("call.uni"))...),
		works(moduleTrial(addOne+addTwo+".global .u64 table[2] = {one, two};\n", `and.b32 %r2, %r0, 1;
	mov.u64 %rd1, table;
	mad.wide.u32 %rd1, %r2, 8, %rd1;
	ld.global.u64 %rd2, [%rd1];
T: .calltargets one, two;
	call (%r1), %rd2, (%r0), T;`, 32, func(i int) uint32 { return uint32(i + 1 + i&1) })),
		inModule(6, ".global .u32 v[2] = {5, 6};\n.global .u64 p = generic(v)+4;\n", "ld.global.u64 %rd1, [p];\n\tld.u32 %r1, [%rd1];"))},
	{"trap45 declarations before definitions", all(
		works(moduleTrial(".func (.reg .u32 d) one(.reg .u32 s);\n.weak .func (.reg .u32 d) two(.reg .u32 s);\n"+addOne+strings.Replace(addTwo, ".func", ".weak .func", 1),
			"call (%r2), one, (%r0);\n\tcall (%r1), two, (%r2);", 32, func(i int) uint32 { return uint32(i) + 3 })),
		inModule(5, ".extern .func (.reg .u32 d) unknown(.reg .u32 s);\n", "mov.u32 %r1, 5;\n\tsetp.gt.u32 %p1, %r0, 99;\n\t@%p1 call (%r1), unknown, (%r0);"),
		fails("unknown", moduleTrial(".extern .func (.reg .u32 d) unknown(.reg .u32 s);\n", "call (%r1), unknown, (%r0);", 32, anything)))},
	{"trap46 dynamic shared memory", func() claim {
		tr := moduleTrial(".extern .shared .align 8 .b8 x[];\n.extern .shared .u32 y[];\n",
			".shared .u32 fixed[3];\n\tst.shared.u32 [fixed+8], 1;\n\tst.shared.u32 [x], 7;\n\tbar.sync 0;\n\tld.shared.u32 %r1, [y];", 32, func(int) uint32 { return 7 })
		tr.shared = 64
		return works(tr)
	}()},
	{"trap47 a misaligned access is an error", refused("not a multiple of 4 bytes", "ld.global.u32 %r1, [%out+2];")},
	{"trap48 orderings and cache hints", all(
		refused("ld.relaxed", "ld.relaxed.global.u32 %r1, [%out];"), refused("ld.release", "ld.release.gpu.global.u32 %r1, [%out];"),
		gives(0, "ld.relaxed.cta.global.u32 %r1, [%out];"), gives(0, "ld.acquire.sys.global.u32 %r1, [%out];"), gives(0, "ld.volatile.global.u32 %r1, [%out];"),
		gives(0, "ld.global.nc.L1::no_allocate.L2::128B.u32 %r1, [%out];"), gives(0, "ld.global.cg.u32 %r1, [%out];"), gives(0, "ldu.global.u32 %r1, [%out];"),
		gives(3, "fence.acq_rel.gpu;\n\tfence.sc.cta;\n\tfence.gpu;\n\tmembar.gl;\n\tmov.u32 %r1, 3;"),
		gives(0, "mov.u64 %rd2, 0;\n\tld.global.L2::cache_hint.u32 %r1, [%out], %rd2;"))},
	{"trap49 variables keep their values between launches", works(variablesKeep())},
	{"trap50 atomics give the old value", all(
		works(atomicTrial(parseForm("atom.global.inc.u32"), "u32", "global", 1, 1), atomicTrial(parseForm("atom.global.dec.u32"), "u32", "global", 1, 1),
			atomicTrial(parseForm("atom.global.cas.b32"), "b32", "global", 8, 1), atomicTrial(parseForm("atom.shared.add.f32"), "f32", "shared", 32, 1),
			atomicTrial(parseForm("atom.global.add.f32"), "f32", "global", 32, 1)))},
	{"trap51 the order of lanes is open, each comes once", works(ticketsAreASet())},
}

// structures passed by value.
func parameterAddress() trial {
	params := make([]byte, 32) // from c on
	params[0], params[8], params[28] = 5, 100, 77
	return trial{src: header + `.entry k(.param .u64 out, .param .u8 c, .param .align 8 .b8 s[24])
{
	.reg .b64 %rd<9>;
	.reg .b32 %r<9>;
	ld.param.u64 %rd1, [out];
	mov.b64 %rd2, s;
	cvta.param.u64 %rd3, %rd2;
	ld.u32 %r1, [%rd3+20];
	ld.param.u32 %r2, [s+20];
	sub.u32 %r1, %r1, %r2;
	ld.param.u8 %r3, [c];
	add.u32 %r1, %r1, %r3;
	ld.param.u32 %r4, [%rd2];
	add.u32 %r1, %r1, %r4;
	st.global.u32 [%rd1], %r1;
	ret;
}
`, buffers: [][]byte{make([]byte, 4)}, check: wordsMatch(func(int) uint32 { return 105 }),
		params: params}
}

// An aggregate argument and an aggregate result, in parts.
const (
	aggregateCallee = `.func (.param .align 8 .b8 r[16]) f(.param .align 8 .b8 p[16])
{
	.reg .b32 %a, %b, %c, %d;
	.reg .b16 %h;
	ld.param.v2.b32 {%a, %b}, [p];
	ld.param.b8 %h, [p+9];
	cvt.u32.u16 %c, %h;
	add.u32 %d, %a, %b;
	st.param.b32 [r+4], %d;
	st.param.b32 [r+12], %c;
	ret;
}
`
	aggregateCall = `mul.lo.u32 %r2, %r0, 3;
	mov.u16 %h1, 7;
	{ .param .align 8 .b8 p0[16]; .param .align 8 .b8 r0[16];
	st.param.v2.b32 [p0], {%r2, 5};
	st.param.b8 [p0+9], %h1;
	call (r0), f, (p0);
	ld.param.b32 %r3, [r0+4];
	ld.param.b32 %r4, [r0+12]; }
	add.u32 %r1, %r3, %r4;`
	addOne = ".func (.reg .u32 d) one(.reg .u32 s)\n{\n\tadd.u32 d, s, 1;\n\tret;\n}\n"
	addTwo = ".func (.reg .u32 d) two(.reg .u32 s)\n{\n\tadd.u32 d, s, 2;\n\tret;\n}\n"
)

// variablesKeep launches a counter twice on one machine.
func variablesKeep() trial {
	tr := moduleTrial(".global .u32 count = 10;\n", "red.global.add.u32 [count], 1;\n\tbar.sync 0;\n\tld.volatile.global.u32 %r1, [count];", 32,
		func(int) uint32 { return 10 + 2*32 })
	tr.times = 2
	return tr
}

// ticketsAreASet draws numbers from a counter. Each number must come once.
func ticketsAreASet() trial {
	const threads = 128
	tr := moduleTrial(".global .u32 next;\n", "atom.global.add.u32 %r1, [next], 1;", threads, anything)
	tr.check = func(after [][]byte) error {
		seen := make(map[uint32]bool)
		for i := range threads {
			n := binary.LittleEndian.Uint32(after[0][4*i:])
			if n >= threads || seen[n] {
				return fmt.Errorf("thread %d drew %d", i, n)
			}
			seen[n] = true
		}
		return nil
	}
	return tr
}
