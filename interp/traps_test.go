package interp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
)

// TestTraps shows, one kernel after the other, where the semantics of PTX are
// not what a reader would expect.
func TestTraps(t *testing.T) {
	for _, trap := range traps {
		t.Run(trap.name, func(t *testing.T) {
			if err := trap.shown(); err != nil {
				t.Error(err)
			}
		})
	}
}

// claim is something that holds of the machine, or an error that says why it
// does not.
type claim func() error

// all claims hold.
func all(claims ...claim) claim {
	return func() error {
		var wrong []error
		for _, c := range claims {
			wrong = append(wrong, c())
		}
		return errors.Join(wrong...)
	}
}

// works claims that trials come out as they say.
func works(trials ...trial) claim {
	return func() error {
		for i := range trials {
			trials[i].prepare()
			if err := trials[i].run(&form{}); err != nil {
				return fmt.Errorf("%w in\n%s", err, trials[i].src)
			}
		}
		return nil
	}
}

// gives claims that the body leaves a value in %r1 of every thread.
func gives(want uint32, body string) claim {
	return works(perThread(body, 32, func(int) uint32 { return want }))
}

// givesEach is gives with a value for each thread.
func givesEach(want func(i int) uint32, body string) claim { return works(perThread(body, 32, want)) }

// givesFloat is gives of a .f32 in %f1.
func givesFloat(want uint32, body string) claim { return gives(want, body+"\n\tmov.b32 %r1, %f1;") }

// givesDouble is gives of both halves of a .f64 in %fd1.
func givesDouble(want uint64, body string) claim {
	return all(gives(uint32(want), body+"\n\tmov.b64 {%r1, %r2}, %fd1;"),
		gives(uint32(want>>32), body+"\n\tmov.b64 {%r2, %r1}, %fd1;"))
}

// holdsFor is gives of whether %p1 holds.
func holdsFor(want bool, body string) claim {
	return gives(uint32(b2i(want)), body+"\n\tselp.u32 %r1, 1, 0, %p1;")
}

// inModule is gives with declarations before the kernel.
func inModule(want uint32, declarations, body string) claim {
	return works(moduleTrial(declarations, body, 32, func(int) uint32 { return want }))
}

// anything is what a kernel that does not come to its end leaves.
func anything(int) uint32 { return 0 }

// fails claims that a trial is refused, or ends with an error, that says why.
func fails(why string, tr trial) claim {
	return func() error {
		err := tr.run(&form{})
		if notSupportedYet(err) && !strings.Contains(why, "not supported yet") {
			return err
		}
		if err == nil || !strings.Contains(err.Error(), why) {
			return fmt.Errorf("got %v, want an error with %q, in\n%s", err, why, tr.src)
		}
		return nil
	}
}

// refused is fails for a body.
func refused(why, body string) claim {
	return fails(why, perThread(body, 32, anything))
}

const (
	f32One     = 0x3f800000
	f32NaN     = 0x7fffffff
	f32Inf     = 0x7f800000
	f32NegInf  = 0xff800000
	f32NegZero = 0x80000000
	intMin     = 0x80000000
	allOnes    = 0xffffffff
)

var traps = []struct {
	name  string
	shown claim
}{
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
	{"trap21 video instructions", refused("vadd4 is not supported yet", "vadd4.u32.u32.u32 %r1, %r0, %r0, %r0;")},

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
		"mov.f32 %f2, 0f3F800800;\n\tmov.f32 %f3, 0f17800000;\n\tfma.rn.f32 %f1, %f2, %f2, %f3;")}, // a tie but for 2^-80
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
		givesDouble(0x7fffffff00000000, "mov.f64 %fd2, 0d7FF0000000012345;\n\trcp.approx.ftz.f64 %fd1, %fd2;"))},
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
	{"trap46 dynamic shared memory", func() error {
		tr := moduleTrial(".extern .shared .align 8 .b8 x[];\n.extern .shared .u32 y[];\n",
			".shared .u32 fixed[3];\n\tst.shared.u32 [fixed+8], 1;\n\tst.shared.u32 [x], 7;\n\tbar.sync 0;\n\tld.shared.u32 %r1, [y];", 32, func(int) uint32 { return 7 })
		tr.shared = 64
		return works(tr)()
	}},
	{"trap47 a misaligned access is an error", refused("not a multiple of 4 bytes", "ld.global.u32 %r1, [%out+2];")},
	{"trap48 orderings and cache hints", all(
		refused("ld.relaxed", "ld.relaxed.global.u32 %r1, [%out];"), refused("ld.release", "ld.release.gpu.global.u32 %r1, [%out];"),
		gives(0, "ld.relaxed.cta.global.u32 %r1, [%out];"), gives(0, "ld.acquire.sys.global.u32 %r1, [%out];"), gives(0, "ld.volatile.global.u32 %r1, [%out];"),
		gives(0, "ld.global.nc.L1::no_allocate.L2::128B.u32 %r1, [%out];"), gives(0, "ld.global.cg.u32 %r1, [%out];"), gives(0, "ldu.global.u32 %r1, [%out];"),
		gives(3, "fence.acq_rel.gpu;\n\tfence.sc.cta;\n\tfence.gpu;\n\tmembar.gl;\n\tmov.u32 %r1, 3;"),
		gives(0, "mov.u64 %rd2, 0;\n\tld.global.L2::cache_hint.u32 %r1, [%out], %rd2;"))},
	{"trap49 variables keep their values between launches", variablesKeep},

	{"trap50 atomics give the old value", all(
		works(atomicTrial(parseForm("atom.global.inc.u32"), "u32", "global", 1, 1), atomicTrial(parseForm("atom.global.dec.u32"), "u32", "global", 1, 1),
			atomicTrial(parseForm("atom.global.cas.b32"), "b32", "global", 8, 1), atomicTrial(parseForm("atom.shared.add.f32"), "f32", "shared", 32, 1),
			atomicTrial(parseForm("atom.global.add.f32"), "f32", "global", 32, 1)))},
	{"trap51 the order of lanes is open, each comes once", ticketsAreASet},
	{"trap52 a spinning lane does not starve the others", all(
		works(moduleTrial(".global .u32 lock;\n.global .u32 sum;\n", `SPIN:
	atom.global.cas.b32 %r2, [lock], 0, 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra SPIN;
	ld.volatile.global.u32 %r3, [sum];
	add.u32 %r3, %r3, 1;
	st.volatile.global.u32 [sum], %r3;
	atom.global.exch.b32 %r4, [lock], 0;
	bar.sync 0;
	ld.volatile.global.u32 %r1, [sum];`, 64, func(int) uint32 { return 64 })),
		works(moduleTrial(".global .u32 flag;\n", `setp.ne.u32 %p1, %r0, 0;
	@%p1 bra SIGNAL;
WAIT:
	ld.volatile.global.u32 %r1, [flag];
	setp.ne.u32 %p2, %r1, 31;
	@%p2 bra WAIT;
	bra DONE;
SIGNAL:
	red.global.add.u32 [flag], 1;
	mov.u32 %r1, 31;
DONE:`, 32, func(int) uint32 { return 31 })))},
	{"trap53 exited lanes", works(
		perThread("mov.u32 %r1, 6;\n\tsetp.lt.u32 %p1, %r0, 40;\n\t@%p1 exit;\n\tbar.sync 0;\n\tbar.sync 0;", 128, func(i int) uint32 { return uint32(6 * b2i(i >= 40)) }),
		perThread("mov.u32 %r1, 6;\n\tsetp.lt.u32 %p1, %r0, 3;\n\t@%p1 ret;\n\tvote.sync.ballot.b32 %r1, !%p1, 0xfffffff8;", 32, func(i int) uint32 { return uint32(0xfffffff8 * b2i(i >= 3)) }))},
	{"trap54 .uni is not relied on, guards are for every instruction", all(
		givesEach(func(i int) uint32 { return uint32(4 + b2i(i < 7)) }, "mov.u32 %r1, 5;\n\tsetp.lt.u32 %p1, %r0, 7;\n\t@%p1 bra.uni L;\n\tmov.u32 %r1, 4;\nL:"),
		givesEach(func(i int) uint32 { return uint32(9 * b2i(i >= 7)) }, "mov.u32 %r1, 9;\n\tsetp.lt.u32 %p1, %r0, 7;\n\t@%p1 ld.global.u32 %r1, [%out];"))},
	{"trap55 an index beyond the list", all(
		works(branchesByIndex(parseForm("brx.idx"))...),
		refused("4", "T: .branchtargets A, B;\n\tmov.u32 %r2, 4;\n\tbrx.idx %r2, T;\nA:\nB:"))},
	{"trap56 barriers count warps of 32", all(
		works(perThread("bar.sync 0, 64;\n\tmov.u32 %r1, 8;", 48, func(int) uint32 { return 8 })),
		works(perThread("mov.u32 %r1, 1;\n\tsetp.lt.u32 %p1, %r0, 10;\n\t@%p1 bra L;\n\tbar.sync 0;\n\tbra END;\nL:\tbar.sync 0;\nEND:\n\tbar.sync 15;", 64, func(int) uint32 { return 1 })))},
	{"trap57 reductions over a barrier", works(
		perThread("setp.lt.u32 %p1, %r0, 50;\n\tbar.red.popc.u32 %r1, 0, !%p1;", 96, func(int) uint32 { return 46 }),
		perThread("mov.u32 %r1, 0;\n\tsetp.ge.u32 %p2, %r0, 64;\n\t@%p2 exit;\n\tsetp.lt.u32 %p1, %r0, 50;\n\tbar.red.popc.u32 %r1, 0, %p1;", 96, func(i int) uint32 { return uint32(50 * b2i(i < 64)) }))},
	{"trap58 lanes meet from different places", all(
		works(perThread("mov.u32 %r1, 0;\n\tsetp.lt.u32 %p1, %r0, 10;\n\t@%p1 bra L;\n\tbar.warp.sync -1;\n\tmov.u32 %r1, 1;\n\tbra END;\nL:\tbar.warp.sync -1;\n\tmov.u32 %r1, 2;\nEND:", 32,
			func(i int) uint32 { return uint32(1 + b2i(i < 10)) })),
		works(perThread("setp.lt.u32 %p1, %r0, 10;\n\tsetp.ge.u32 %p2, %r0, 5;\n\t@%p1 bra L;\n\tvote.sync.ballot.b32 %r1, %p2, -1;\n\tbra END;\nL:\tvote.sync.ballot.b32 %r1, %p2, -1;\nEND:", 32,
			func(int) uint32 { return 0xffffffe0 })),
		works(perThread("setp.lt.u32 %p1, %r0, 16;\n\t@%p1 bra L;\n\tshfl.sync.idx.b32 %r1, %r0, 20, 31, 0xffff0000;\n\tbra END;\nL:\tshfl.sync.idx.b32 %r1, %r0, 5, 31, 0xffff;\nEND:", 32,
			func(i int) uint32 { return uint32(5 + 15*(i/16)) })),
		refused("sync-mask-self", "vote.sync.ballot.b32 %r1, %p1, 0xffff;"))},

	{"trap59 shfl", all(
		works(exchanges(parseForm("shfl.sync.up.b32"))...),
		gives(8, "shfl.sync.idx.b32 %r1, %r0, 40, 31, -1;"),
		givesEach(func(i int) uint32 { return uint32(max(i-1, 0)) }, "shfl.sync.up.b32 %r1, %r0, 1, 0, -1;"),
		givesEach(func(i int) uint32 { return uint32(b2i(i == 0)) }, "shfl.sync.up.b32 %r2|%p1, %r0, 1, 0, -1;\n\tselp.u32 %r1, 0, 1, %p1;"))},
	{"trap60 the width of a segment", givesEach(func(i int) uint32 { return uint32(i - i%8 + 3) }, "shfl.sync.idx.b32 %r1, %r0, 3, 0x181f, -1;")}, // ((32-8)<<8)|31
	{"trap61 votes and matches", all(
		givesEach(func(i int) uint32 { return uint32(0xf0 * b2i(i >= 4 && i < 8)) },
			"mov.u32 %r1, 0;\n\tshr.u32 %r2, %r0, 2;\n\tsetp.ne.u32 %p1, %r2, 1;\n\t@%p1 bra L;\n\tvote.sync.ballot.b32 %r1, !%p1, 0xf0;\nL:"),
		works(matches(parseForm("match.any.sync.b32"))...), works(matches(parseForm("match.all.sync.b32"))...),
		gives(allOnes, "activemask.b32 %r1;"))},
	{"trap62 old forms without .sync", all(
		givesEach(func(i int) uint32 { return uint32(0xff * b2i(i < 8)) }, "mov.u32 %r1, 0;\n\tsetp.lt.u32 %p1, %r0, 8;\n\t@%p1 vote.ballot.b32 %r1, %p1;"),
		givesEach(func(i int) uint32 { return uint32(i ^ 1) }, "shfl.bfly.b32 %r1, %r0, 1, 31;"),
		holdsFor(true, "setp.lt.u32 %p2, %r0, 8;\n\tvote.any.pred %p1, %p2;"))},
	{"trap63 special registers", all(
		works(linearThreads()), gives(32, "mov.u32 %r1, WARP_SZ;"), gives(0, "mov.u32 %r1, %envreg3;"),
		givesEach(func(i int) uint32 { return 1<<i - 1 }, "mov.u32 %r1, %lanemask_lt;"), givesEach(func(i int) uint32 { return uint32(0xfffffffe << i) }, "mov.u32 %r1, %lanemask_gt;"),
		works(oldModule("mov.u16 %h1, %tid.x;\n\tcvt.u32.u16 %r1, %h1;", func(i int) uint32 { return uint32(i) })),
		holdsFor(true, "mov.u32 %r2, %smid;\n\tmov.u32 %r3, %nsmid;\n\tsetp.lt.u32 %p1, %r2, %r3;"))},
	{"trap64 clocks", all(
		holdsFor(true, "mov.u64 %rd1, %clock64;\n\tadd.u32 %r2, %r0, %r0;\n\tmov.u64 %rd2, %clock64;\n\tsetp.lt.u64 %p1, %rd1, %rd2;"),
		holdsFor(true, "mov.u64 %rd1, %globaltimer;\n\tnanosleep.u32 100;\n\tmov.u64 %rd2, %globaltimer;\n\tsetp.le.u64 %p1, %rd1, %rd2;"),
		holdsFor(true, "mov.u32 %r2, %clock;\n\tmov.u32 %r3, %clock;\n\tsub.u32 %r4, %r3, %r2;\n\tsetp.lt.u32 %p1, %r4, 1000;"),
		gives(0, "mov.u32 %r1, %clock_hi;"))},
	{"trap65 trap ends the grid", all(
		refused("trap", "trap;"), gives(1, "pmevent 7;\n\tmov.u32 %r1, 1;"), printed())},
	{"trap66 launch bounds and pragmas", all(
		fails(".reqntid asks for 64x1x1", trial{src: header + ".entry k() .reqntid 64 { ret; }\n"}), fails(".maxntid allows 16", trial{src: header + ".entry k() .maxntid 16 { ret; }\n"}),
		works(trial{src: header + ".entry k() .minnctapersm 4 .maxnreg 32 { .pragma \"whatever\"; ret; }\n"}))},
	{"trap67 limits of a launch", all(
		fails("at most 1024", trial{src: header + ".entry k() { ret; }\n", block: dim(1025, 1)}), fails("at most 1024x1024x64", trial{src: header + ".entry k() { ret; }\n", block: isa.Dim{X: 1, Y: 1, Z: 65}}),
		fails("65535", trial{src: header + ".entry k() { ret; }\n", grid: dim(1, 65536)}), fails("static shared memory", trial{src: header + ".entry k() { .shared .b8 s[49153]; st.shared.u8 [s], 0; ret; }\n"}),
		fails("4096", trial{src: ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .b8 p[4097]) { ret; }\n", params: make([]byte, 4097)}),
		works(trial{src: header + ".entry k(.param .b8 p[4097]) { ret; }\n", params: make([]byte, 4097)}))},
}

// oldModule is perThread in PTX 1.4, where .f32 is always flushed, and special
// registers were 16 bits wide.
func oldModule(body string, want func(i int) uint32) trial {
	tr := perThread(body, 32, want)
	tr.src = strings.Replace(tr.src, header, ".version 1.4\n.target sm_13\n", 1)
	return tr
}

// withinBounds holds approximations against the bounds of the ISA.
func withinBounds(forms ...string) claim {
	return func() error {
		for _, text := range forms {
			if err := parseForm(text).try(); err != nil {
				return err
			}
		}
		return nil
	}
}

// parameterAddress takes the address of a parameter, as compilers do for
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
func variablesKeep() error {
	mod, err := asm.Parse("k.ptx", []byte(header+".global .u32 count = 10;\n.entry k() { red.global.add.u32 [count], 1; ret; }\n"))
	if err != nil {
		return err
	}
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		return err
	}
	for range 2 {
		if _, err := m.Run(context.Background(), interp.Launch{Kernel: "k", Grid: dim(1, 1), Block: dim(32, 1)}); err != nil {
			return err
		}
	}
	if got := binary.LittleEndian.Uint32(m.Var("count").Data); got != 10+64 {
		return fmt.Errorf("count is %d, want 74", got)
	}
	return nil
}

// ticketsAreASet draws numbers from a counter, each of which comes once.
func ticketsAreASet() error {
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
	return works(tr)()
}

// linearThreads numbers lanes with x fastest in a block of three dimensions.
func linearThreads() trial {
	tr := perThread(`mov.u32 %r2, %tid.y;
	mov.u32 %r3, %tid.z;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %ntid.y;
	mad.lo.u32 %r6, %r3, %r5, %r2;
	mad.lo.u32 %r6, %r6, %r4, %r0;
	ld.param.u64 %out, [out];
	mad.wide.u32 %out, %r6, 4, %out;
	mov.u32 %r1, %laneid;`, 60, func(i int) uint32 { return uint32(i % 32) })
	tr.block = isa.Dim{X: 5, Y: 4, Z: 3}
	return tr
}

// printed calls vprintf with packed arguments, and __assertfail, which ends
// the grid.
func printed() claim {
	return func() error {
		mod, err := asm.Parse("k.ptx", []byte(header+`.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.global .b8 format[9] = {37, 100, 32, 37, 46, 49, 102, 10, 0};
.entry k()
{
	.local .align 8 .b8 v[16];
	.reg .b64 %rd<9>;
	.reg .b32 %r<9>;
	mov.u64 %rd1, v;
	cvta.local.u64 %rd2, %rd1;
	mov.u32 %r1, %tid.x;
	st.local.u32 [%rd1], %r1;
	st.local.f64 [%rd1+8], 0d3FF8000000000000;
	mov.u64 %rd3, format;
	cvta.global.u64 %rd3, %rd3;
	{ .param .b64 p0; .param .b64 p1; .param .b32 r0;
	st.param.b64 [p0], %rd3;
	st.param.b64 [p1], %rd2;
	call (r0), vprintf, (p0, p1);
	ld.param.b32 %r2, [r0]; }
	ret;
}
`))
		if err != nil {
			return err
		}
		var out bytes.Buffer
		m, err := interp.New(mod, interp.Config{Stdout: &out})
		if err != nil {
			return err
		}
		if _, err := m.Run(context.Background(), interp.Launch{Kernel: "k", Grid: dim(1, 1), Block: dim(2, 1)}); err != nil {
			return err
		}
		if got := out.String(); got != "0 1.5\n1 1.5\n" {
			return errors.New("vprintf wrote " + got)
		}
		return nil
	}
}
