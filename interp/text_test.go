package interp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/kerneltest"
)

// texts are kernels of one thread, written in less usual ways, and the words that each must leave in its buffer. The
// values are worked out by hand from the named section of the PTX ISA.
var texts = map[string]struct {
	src  string
	want []uint32
}{
	// The flag after each of six sums and differences, read by addc as 0 or 1
	// and by subc as 0 or -1. The values are what NVIDIA's GPUs give.
	"the carry of sums and differences is one flag": {`
.entry k(.param .u64 out)
{
	.reg .u32 x, a<6>, s<6>;
	ld.param.u64 %rd1, [out];
	sub.cc.u32 x, 0, 0;
	addc.u32 a0, 0, 0;
	subc.u32 s0, 0, 0;
	sub.cc.u32 x, 0, 1;
	addc.u32 a1, 0, 0;
	subc.u32 s1, 0, 0;
	add.cc.u32 x, 0, 0;
	addc.u32 a2, 0, 0;
	subc.u32 s2, 0, 0;
	add.cc.u32 x, -1, -1;
	addc.u32 a3, 0, 0;
	subc.u32 s3, 0, 0;
	mad.lo.cc.u32 x, 0, 0, 0;
	addc.u32 a4, 0, 0;
	subc.u32 s4, 0, 0;
	mad.lo.cc.u32 x, 1, -1, -1;
	addc.u32 a5, 0, 0;
	subc.u32 s5, 0, 0;
	st.global.v4.u32 [%rd1], {a0, a1, a2, a3};
	st.global.v2.u32 [%rd1+16], {a4, a5};
	st.global.v2.u32 [%rd1+24], {s0, s1};
	st.global.v4.u32 [%rd1+32], {s2, s3, s4, s5};
	ret;
}`, []uint32{1, 0, 0, 1, 0, 1, 0, ^uint32(0), ^uint32(0), 0, ^uint32(0), 0}},
	// The index -1 as clang widens it: 2^32 - 1 elements of 4 bytes.
	"addresses of shared and local memory have 32 bits": {`
.entry k(.param .u64 out)
{
	.shared .align 4 .b8 sh[64];
	.local .align 4 .b8 lo[64];
	.reg .u32 i;
	ld.param.u64 %rd1, [out];
	mov.u64 %rd2, sh;
	mov.u64 %rd3, lo;
	mov.u32 i, 1;
	sub.u32 i, i, 2;
	mul.wide.u32 %rd4, i, 4;
	add.u64 %rd2, %rd2, %rd4;
	add.u64 %rd3, %rd3, %rd4;
	st.shared.u32 [%rd2+8], 7;
	st.local.u32 [%rd3+12], 8;
	ld.shared.u32 %r1, [sh+4];
	ld.local.u32 %r2, [lo+8];
	ld.shared.u32 %r3, [%rd2+8];
	ld.local.u32 %r4, [%rd3+12];
	atom.shared.add.u32 %r5, [%rd2+8], 3;
	ld.shared.u32 %r6, [sh+4];
	st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
	st.global.v2.u32 [%rd1+16], {%r5, %r6};
	ret;
}`, []uint32{7, 8, 7, 8, 7, 10}},
	// PTX ISA 6.4.2: an index counts elements, and means a byte address.
	"elements of arrays": {`
.global .u32 g[4] = {10, 11, 12, 13};
.const .u16 h[3] = {20, 21, 22};
.global .v2 .u32 p[2] = {{30, 31}, {32, 33}};
.entry k(.param .u64 out)
{
	.shared .align 16 .b32 b[8];
	.shared .b8 y[8];
	.reg .b32 q;
	ld.param.u64 %rd1, [out];
	ld.global.u32 %r1, g[4-1];
	ld.global.u32 %r2, [g[1]+4];
	ld.const.u16 %rs1, h[2];
	cvt.u32.u16 %r3, %rs1;
	ld.global.u32 %r4, [p[1]+4];
	mov.u64 %rd2, b;
	mov.u64 %rd3, b[3];
	sub.u64 %rd4, %rd3, %rd2;
	cvt.u32.u64 %r5, %rd4;
	st.shared.b32 b[5], 7;
	ld.shared.u32 %r6, [b+20];
	mov.u32 q, y[2]+1;
	mov.u32 %r7, y;
	sub.u32 %r7, q, %r7;
	st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
	st.global.v2.u32 [%rd1+16], {%r5, %r6};
	st.global.u32 [%rd1+24], %r7;
	ret;
}`, []uint32{13, 12, 22, 33, 12, 7, 3}},
	// As Triton writes them.
	"vectors of one element": {`
.entry k(.param .u64 out)
{
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, 5;
	setp.eq.u32 %p1, %r1, 5;
	@%p1 st.global.b32 [ %rd1 + 0 ], { %r1 };
	@%p1 ld.global.b32 { %r2 }, [ %rd1 + 0 ];
	st.global.b32 [ %rd1 + 4 ], { %r2 };
	@!%p1 st.global.b32 [ %rd1 + 4 ], { 9 };
	ret;
}`, []uint32{5, 5}},
	// PTX ISA 9.4.1, tables of relaxed types: floats are cut to the type when
	// stored from a wider register of bits, and zero-extended when loaded.
	"floats through wider registers": {`
.entry k(.param .u64 out)
{
	.reg .b64 %rd<5>;
	.reg .b32 %r<3>;
	ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1], 0xBF800000;
	mov.u64 %rd2, -1;
	ld.global.f32 %rd2, [%rd1];
	st.global.b64 [%rd1+8], %rd2;
	st.global.f32 [%rd1+4], %rd2;
	mov.u64 %rd3, 0x123456783F800000;
	st.global.f32 [%rd1+16], %rd3;
	mov.u32 %r1, -1;
	ld.global.b16 %r1, [%rd1+2];
	st.global.u32 [%rd1+20], %r1;
	st.global.v2.f32 [%rd1+24], {%rd2, %rd3};
	ret;
}`, []uint32{0xBF800000, 0xBF800000, 0xBF800000, 0, 0x3F800000, 0xBF80, 0xBF800000, 0x3F800000}},
	"a constant added to what is stored": {`
.entry k(.param .u64 out)
{
	.local .u64 x;
	.reg .u64 temp;
	.reg .u16 h;
	ld.param.u64 %rd1, [out];
	mov.u64 temp, 0xFFFFFFFF;
	st.local.u64 [x], temp + 1;
	ld.local.v2.u32 {%r1, %r2}, [x];
	st.global.v2.u32 [%rd1], {%r1, %r2};
	st.global.u32 [%rd1+8], temp - 3 + 1;
	mov.u16 h, 0xFFFF;
	mov.u32 %r3, 0;
	setp.eq.u32 %p1, %r3, 1;
	@%p1 st.global.u16 [%rd1+12], h + 1;
	@!%p1 st.global.u16 [%rd1+12], h + 3;
	st.global.u64 [%rd1+16], temp + 0;
	ret;
}`, []uint32{0, 1, 0xFFFFFFFD, 2, 0xFFFFFFFF, 0}},
	"variables of the module, declared in functions": {`
.global .u32 from = 100;
.func (.reg .u32 r) next()
{
	.global .u32 from = 5;
	{
		.global .u32 from[2] = {6, 7};
		ld.global.u32 r, [from+4];
	}
	ld.global.u32 %r1, [from];
	add.u32 %r1, %r1, 1;
	st.global.u32 [from], %r1;
	mad.lo.u32 r, r, 10, %r1;
	ret;
}
.entry k(.param .u64 out)
{
	.const .b32 from[4] = {1, 2, 3, 4};
	ld.param.u64 %rd1, [out];
	ld.const.u32 %r1, [from+4];
	call (%r2), next, ();
	call (%r3), next, ();
	st.global.v2.u32 [%rd1], {%r1, %r2};
	st.global.u32 [%rd1+8], %r3;
	call (%r4), module, ();
	st.global.u32 [%rd1+12], %r4;
	ret;
}
.func (.reg .u32 r) module()
{
	ld.global.u32 r, [from];
	ret;
}`, []uint32{2, 76, 77, 100}},
	"a hidden parameter, and a NUL at the end": {`
.version 9.1
.target sm_80
.address_size 64
.visible .entry k(.hidden .param .u64 out)
{
	ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1], 3;
	ret;
}` + "\n\x00\x00", []uint32{3}},
	"predicates and vectors as parameters and results": {`
.func (.reg .u32 a, .reg .pred b) f(.reg .u32 x, .reg .pred c)
{
	add.u32 a, x, 1;
	setp.eq.u32 b, x, 5;
	and.pred b, b, c;
	ret;
}
.func (.reg .v2 .u32 d) swap(.reg .v2 .u32 a, .reg .u32 n)
{
	mul.lo.u32 d.x, a.y, n;
	mov.u32 d.y, a.x;
	ret;
}
.entry k(.param .u64 out)
{
	.reg .pred q, t, w;
	.reg .v2 .u32 v;
	ld.param.u64 %rd1, [out];
	setp.eq.u64 t, %rd1, %rd1;
	not.pred w, t;
	call (%r1, q), f, (5, t);
	selp.u32 %r2, 1, 0, q;
	call (%r3, q), f, (4, t);
	call (_, _), f, (7, t);
	selp.u32 %r4, 1, 0, q;
	mov.u64 %rd2, f;
	call (%r3, q), %rd2, (5, w), proto;
	selp.u32 %r5, 1, 0, q;
	proto: .callprototype (.reg .u32 _, .reg .pred _) _ (.reg .u32 _, .reg .pred _);
	mov.u32 v.x, 30;
	mov.u32 v.y, 4;
	call (v), swap, (v, 10);
	st.global.v4.u32 [%rd1], {%r1, %r2, %r4, %r5};
	st.global.v2.u32 [%rd1+16], v;
	ret;
}`, []uint32{6, 1, 0, 0, 40, 30}},
	// PTX ISA notes: before 1.4 these mean .approx.ftz for .f32 and .rn for
	// .f64; mad.f64 is mad.rn.f64. 0x00400000 is subnormal, 1/0 is infinity.
	"PTX 1.3 without modifiers": {`
.version 1.3
.target sm_13
.entry k
{
	.param .u64 out;
	.reg .u64 %rd<3>;
	.reg .f32 %f<19>;
	.reg .f64 %fd<9>;
	.reg .u32 %r<3>;
	ld.param.u64 %rd1, [out];
	mov.f32 %f1, 0f40800000;
	mov.f32 %f2, 0f40000000;
	div.f32 %f3, %f1, %f2;
	sqrt.f32 %f4, %f1;
	rcp.f32 %f5, %f2;
	ex2.f32 %f6, %f2;
	lg2.f32 %f7, %f1;
	rsqrt.f32 %f8, %f1;
	mov.f32 %f9, 0f00000000;
	sin.f32 %f10, %f9;
	cos.f32 %f11, %f9;
	mad.f32 %f12, %f1, %f2, %f1;
	mov.f32 %f13, 0f00400000;
	rcp.f32 %f14, %f13;
	st.global.f32 [%rd1], %f3;
	st.global.f32 [%rd1+4], %f4;
	st.global.f32 [%rd1+8], %f5;
	st.global.f32 [%rd1+12], %f6;
	st.global.f32 [%rd1+16], %f7;
	st.global.f32 [%rd1+20], %f8;
	st.global.f32 [%rd1+24], %f10;
	st.global.f32 [%rd1+28], %f11;
	st.global.f32 [%rd1+32], %f12;
	st.global.f32 [%rd1+36], %f14;
	mov.f64 %fd1, 0d4000000000000000;
	mov.f64 %fd2, 0d4010000000000000;
	mad.f64 %fd3, %fd1, %fd2, %fd1;
	div.f64 %fd4, %fd1, %fd2;
	rcp.f64 %fd5, %fd2;
	sqrt.f64 %fd6, %fd2;
	rsqrt.f64 %fd7, %fd2;
	st.global.f64 [%rd1+40], %fd3;
	st.global.f64 [%rd1+48], %fd4;
	st.global.f64 [%rd1+56], %fd5;
	st.global.f64 [%rd1+64], %fd6;
	st.global.f64 [%rd1+72], %fd7;
	exit;
}`, []uint32{0x40000000, 0x40000000, 0x3F000000, 0x40800000, 0x40000000, 0x3F000000, 0, 0x3F800000, 0x41400000, 0x7F800000,
		0, 0x40240000, 0, 0x3FE00000, 0, 0x3FD00000, 0, 0x40000000, 0, 0x3FE00000}},
	// Up to PTX 3.1 mad.f32 is mad.rn.f32: (1+2^-12)^2 - 1 - 2^-11 is 2^-24, which
	// a product rounded by itself loses. 2^-149 + 2^-149 is 2^-148: only sm_1x flushes.
	"PTX 2.3 for sm_20": {`
.version 2.3
.target sm_20
.address_size 64
	.visible .func (.param .s32 __cudaretf_f) f (.param .s32 __cudaparmf1_f)

	.visible .func g (.param .u64 __cudaparmf1_g)

	//----
	.file	0	"<command-line>"
	.file	1	"<command-line>"
	.entry k (.param .u64 __cudaparm_k_out)
	{
	.reg .u64 %rd<3>;
	.reg .f32 %f<9>;
	.reg .u32 %r<3>;
	ld.param.u64 	%rd1, [__cudaparm_k_out];
	mov.f32 	%f1, 0f3F800800;
	mov.f32 	%f2, 0fBF801000;
	mad.f32 	%f3, %f1, %f1, %f2;
	st.global.f32 	[%rd1+0], %f3;
	mov.f32 	%f4, 0f00000001;
	add.f32 	%f5, %f4, %f4;
	st.global.f32 	[%rd1+4], %f5;
	.param .s32 p;
	.param .s32 r;
	st.param.s32 	[p], 21;
	call.uni (r), f, (p);
	ld.param.s32 	%r1, [r];
	st.global.u32 	[%rd1+8], %r1;
	exit;
	}
	.visible .func (.param .s32 __cudaretf_f) f (.param .s32 __cudaparmf1_f)
	{
	.reg .u32 %r<3>;
	.loc	0	1	0
	ld.param.u32 	%r1, [__cudaparmf1_f];
	add.u32 	%r1, %r1, %r1;
	st.param.s32 	[__cudaretf_f], %r1;
	ret;
	}`, []uint32{0x33800000, 2, 42}},
	// For sm_1x subnormal sources of comparisons and conversions are zeros too,
	// but up to PTX 1.4 not those of conversions to 64 bits.
	"PTX 1.4 for sm_13": {`
.version 1.4
.target sm_13
.entry k (.param .u64 out)
{
	.reg .u64 %rd<3>;
	.reg .f32 %f<9>;
	.reg .f64 %fd<3>;
	.reg .u32 %r<9>;
	ld.param.u64 %rd1, [out];
	mov.f32 %f1, 0f00000001;
	mov.f32 %f2, 0f00000000;
	set.gt.u32.f32 %r1, %f1, %f2;
	add.f32 %f3, %f1, %f1;
	cvt.rpi.s32.f32 %r2, %f1;
	cvt.f64.f32 %fd1, %f1;
	st.global.u32 [%rd1], %r1;
	st.global.f32 [%rd1+4], %f3;
	st.global.u32 [%rd1+8], %r2;
	st.global.f64 [%rd1+16], %fd1;
	mov.f32 %f4, 0f3F800800;
	mov.f32 %f5, 0fBF801000;
	mad.f32 %f6, %f4, %f4, %f5;
	st.global.f32 [%rd1+24], %f6;
	exit;
}`, []uint32{0, 0, 0, 0, 0, 0x36A00000, 0x33800000, 0}},
}

// TestTexts runs each kernel from its source, and from the output of Format.
func TestTexts(t *testing.T) {
	for name, c := range texts {
		t.Run(name, func(t *testing.T) {
			mod, err := asm.Parse("k.s", []byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			for _, src := range []string{c.src, asm.Format(mod)} {
				out, _, err := kerneltest.Kernel{Source: src, Block: kerneltest.Dim(1, 1), Words: []int{len(c.want)}}.Run(t)
				if err != nil {
					t.Fatalf("%v\n%s", err, src)
				}
				if diff := cmp.Diff(c.want, out[0]); diff != "" {
					t.Errorf("memory (-want +got):\n%s\n%s", diff, src)
				}
			}
		})
	}
}
