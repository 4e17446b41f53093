package conformance

import (
	"strings"
)

// floatTraps are about arithmetic on floats.
var floatTraps = []trap{
	{"trap22 nothing is fused", givesFloat(0, // fused it is 2^-24
		"mov.f32 %f2, 0f3F800800;\n\tmov.f32 %f3, 0fBF801000;\n\tmul.f32 %f1, %f2, %f2;\n\tadd.f32 %f1, %f1, %f3;")},
	{"trap23 rounding has no default", all(
		refused("fma.f32", "fma.f32 %f1, %f2, %f2, %f2;"), refused("mad.f32", "mad.f32 %f1, %f2, %f2, %f2;"), refused("div.f32", "div.f32 %f1, %f2, %f2;"),
		refused("sqrt.f32", "sqrt.f32 %f1, %f2;"), refused("rcp.f64", "rcp.f64 %fd1, %fd2;"),
		givesFloat(0x3eaaaaab, "mov.f32 %f2, 3.0;\n\tdiv.rn.f32 %f1, 1.0, %f2;"), givesFloat(0x3eaaaaaa, "mov.f32 %f2, 3.0;\n\tdiv.rz.f32 %f1, 1.0, %f2;"),
		givesFloat(0xbeaaaaab, "mov.f32 %f2, -3.0;\n\trcp.rm.f32 %f1, %f2;"), givesFloat(0xbeaaaaaa, "mov.f32 %f2, -3.0;\n\trcp.rp.f32 %f1, %f2;"),
		givesDouble(0x3ff0000000000001, "mov.f64 %fd2, 0d0000000000000001;\n\tadd.rp.f64 %fd1, %fd2, 1.0;"),
		givesFloat(0x33800000, "mov.f32 %f2, 0f3F800800;\n\tmov.f32 %f3, 0fBF801000;\n\tmad.rn.f32 %f1, %f2, %f2, %f3;"))},
	{"trap24 fma is rounded once", givesFloat(0x3f801001,
		"mov.f32 %f2, 0f3F800800;\n\tmov.f32 %f3, 0f17800000;\n\tfma.rn.f32 %f1, %f2, %f2, %f3;")}, // 2^-80 away from a tie
	{"trap25 flush to zero", all(
		givesFloat(0, "mov.f32 %f2, 0f007FFFFF;\n\tadd.ftz.f32 %f1, %f2, %f2;"), givesFloat(0x00fffffe, "mov.f32 %f2, 0f007FFFFF;\n\tadd.f32 %f1, %f2, %f2;"),
		givesFloat(f32NegZero, "mov.f32 %f2, 0f80800000;\n\tmul.ftz.f32 %f1, %f2, 0.5;"), refused("add.ftz.f64", "add.ftz.f64 %fd1, %fd2, %fd2;"),
		works(oldModule("add.f32 %f1, 0f007FFFFF, 0f007FFFFF;\n\tmov.b32 %r1, %f1;", anything)))},
	{"trap26 sat makes NaN zero", all(
		givesFloat(0, "mov.f32 %f2, 0f7FC00000;\n\tadd.sat.f32 %f1, %f2, 1.0;"), givesFloat(f32One, "mov.f32 %f2, 7.0;\n\tadd.sat.f32 %f1, %f2, 1.0;"),
		givesFloat(0, "mov.f32 %f2, 0f80000001;\n\tadd.ftz.sat.f32 %f1, %f2, 0f80000000;"), givesFloat(0, "mov.f32 %f2, 0f7F800000;\n\tfma.rn.sat.f32 %f1, %f2, 0f00000000, %f2;"))},
	{"trap27 NaN is canonical", all(
		givesFloat(f32NaN, "mov.f32 %f2, 0fFFC12345;\n\tadd.f32 %f1, %f2, 1.0;"), givesFloat(f32NaN, "mov.f32 %f2, 0f7F800000;\n\tsub.f32 %f1, %f2, %f2;"),
		givesFloat(f32NaN, "mov.f32 %f2, -1.0;\n\tsqrt.rn.f32 %f1, %f2;"),
		gives(0x7fff, "mov.b16 %h2, 0x7e12;\n\tadd.f16 %h1, %h2, %h2;\n\tcvt.u32.u16 %r1, %h1;"),
		givesDouble(0x7ff8000000012345, "mov.f64 %fd2, 0d7FF0000000012345;\n\tadd.f64 %fd1, %fd2, 1.0;"),
		givesDouble(0, "mov.f64 %fd2, 0d7FF0000000012345;\n\trcp.approx.ftz.f64 %fd1, %fd2;"),
		givesDouble(0x7fffffff00000000, "mov.f64 %fd2, 0d7FF8000000000000;\n\trcp.approx.ftz.f64 %fd1, %fd2;"))},
	{"trap28 min and max", all(
		givesFloat(f32One, "mov.f32 %f2, 0f7FC00000;\n\tmin.f32 %f1, %f2, 1.0;"), givesFloat(f32One, "mov.f32 %f2, 0f7FC00000;\n\tmax.f32 %f1, 1.0, %f2;"),
		givesFloat(f32NaN, "mov.f32 %f2, 0fFFC00001;\n\tmax.f32 %f1, %f2, %f2;"), givesFloat(f32NegZero, "mov.f32 %f2, 0f80000000;\n\tmin.f32 %f1, 0f00000000, %f2;"),
		givesFloat(0, "mov.f32 %f2, 0f80000000;\n\tmax.f32 %f1, %f2, 0f00000000;"), givesFloat(f32NaN, "mov.f32 %f2, 0f7FC00000;\n\tmin.NaN.f32 %f1, %f2, 1.0;"),
		givesFloat(0xbf800000, "mov.f32 %f2, -2.0;\n\tmin.xorsign.abs.f32 %f1, %f2, 1.0;"))},
	{"trap29 ne is false for NaN, neu is true", all(
		holdsFor(false, "mov.f32 %f1, 0f7FC00000;\n\tsetp.ne.f32 %p1, %f1, %f1;"), holdsFor(true, "mov.f32 %f1, 0f7FC00000;\n\tsetp.neu.f32 %p1, %f1, %f1;"),
		holdsFor(true, "mov.f32 %f1, 0f7FC00000;\n\tsetp.ltu.f32 %p1, %f1, 1.0;"), holdsFor(false, "mov.f32 %f1, 0f7FC00000;\n\tsetp.num.f32 %p1, %f1, 1.0;"),
		holdsFor(true, "mov.f32 %f1, 0f7FC00000;\n\tsetp.nan.f32 %p1, %f1, 1.0;"), holdsFor(true, "mov.u32 %r2, -1;\n\tsetp.hi.u32 %p1, %r2, 1;"))},
	{"trap30 the second result of setp", all(
		holdsFor(false, "setp.eq.u32 %p3, %r0, 99;\n\tsetp.lt.and.u32 %p2|%p1, %r0, 0, %p3;"), // !(cmp) and c
		holdsFor(true, "setp.ne.u32 %p3, %r0, 99;\n\tsetp.lt.and.u32 %p2|%p1, %r0, 0, %p3;"),
		holdsFor(true, "setp.eq.u32 %p3, %r0, 99;\n\tsetp.ge.or.u32 %p1|%p2, %r0, 0, !%p3;"))},
	{"trap31 what set and testp say", all(
		gives(allOnes, "set.ge.u32.u32 %r1, %r0, 0;"), gives(f32One, "set.ge.f32.u32 %f1, %r0, 0;\n\tmov.b32 %r1, %f1;"),
		gives(allOnes, "set.ge.s32.u32 %r1, %r0, 0;"), holdsFor(true, "mov.f32 %f1, 0f80000000;\n\ttestp.normal.f32 %p1, %f1;"))},
	{"trap32 copysign takes the sign of a", givesFloat(0xc0000000, "mov.f32 %f2, -1.0;\n\tcopysign.f32 %f1, %f2, 2.0;")},
	{"trap33 approximations", all(
		givesFloat(0, "mov.f32 %f2, 0f7F000000;\n\tdiv.approx.f32 %f1, 0f7F000000, %f2;"), givesFloat(f32NaN, "mov.f32 %f2, 0f7F000000;\n\tdiv.approx.f32 %f1, 0f7F800000, %f2;"),
		givesFloat(f32One, "mov.f32 %f2, 0f7F000000;\n\tdiv.full.f32 %f1, %f2, %f2;"),
		gives(0, "mov.f64 %fd2, 0d4008000000000001;\n\trcp.approx.ftz.f64 %fd1, %fd2;\n\tmov.b64 {%r1, %r2}, %fd1;"),
		withinBounds("sin.approx.f32", "cos.approx.f32", "ex2.approx.f32", "lg2.approx.f32", "rsqrt.approx.f32", "rcp.approx.f32", "sqrt.approx.f32", "div.approx.f32", "div.full.f32", "tanh.approx.f32"))},
	{"trap34 special values", all(
		givesFloat(f32NegInf, "mov.f32 %f2, 0f80000000;\n\trcp.approx.f32 %f1, %f2;"), givesFloat(f32NegInf, "mov.f32 %f2, 0f80000000;\n\trsqrt.approx.f32 %f1, %f2;"),
		givesFloat(f32NegInf, "mov.f32 %f2, 0f80000000;\n\tlg2.approx.f32 %f1, %f2;"), givesFloat(f32NaN, "mov.f32 %f2, -1.0;\n\tlg2.approx.f32 %f1, %f2;"),
		givesFloat(f32NaN, "mov.f32 %f2, 0f7F800000;\n\tsin.approx.f32 %f1, %f2;"), givesFloat(0, "mov.f32 %f2, 0fFF800000;\n\tex2.approx.f32 %f1, %f2;"))},
	{"trap35 half precision", all(
		gives(0x40003c00, "mov.f32 %f1, 2.0;\n\tmov.f32 %f2, 1.0;\n\tcvt.rn.f16x2.f32 %r1, %f1, %f2;"),
		gives(0x42004000, "mov.b32 %r2, 0x40003c00;\n\tmov.b32 %r3, 0x3c003c00;\n\tadd.rn.f16x2 %r1, %r2, %r3;"),
		gives(0x7fff0000, "mov.f32 %f1, 0f7FC00000;\n\tmov.f32 %f2, -1.0;\n\tcvt.rn.relu.f16x2.f32 %r1, %f1, %f2;"),
		gives(0x3c01, "mov.b16 %h2, 0x3c01;\n\tmov.b16 %h3, 0x0001;\n\tmov.b16 %h4, 0x3c00;\n\tfma.rn.f16 %h1, %h2, %h4, %h3;\n\tcvt.u32.u16 %r1, %h1;"))},
}

// registers were 16 bits wide.
func oldModule(body string, want func(i int) uint32) trial {
	tr := perThread(body, 32, want)
	tr.src = strings.Replace(tr.src, header, ".version 1.4\n.target sm_13\n", 1)
	return tr
}

// withinBounds holds approximations against the bounds of the ISA.
func withinBounds(forms ...string) claim {
	return func(run Run) error {
		for _, text := range forms {
			if err := parseForm(text).try(run); err != nil {
				return err
			}
		}
		return nil
	}
}
