package isa

import (
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"add.s32", ""},
		{"add.f16", ""},
		{"setp.lt.and.s32", ""},
		{"setp.s32.lt", ""},
		{"mul.wide.u32", ""},
		{"mad.lo.cc.u32", ""},
		{"cvt.rzi.s32.f32", ""},
		{"ld.global.nc.L2::128B.v4.f32", ""},
		{"ld.volatile.shared.u32", ""},
		{"atom.shared.add.u32", ""},
		{"addd.s32", "addd: no such opcode; did you mean add?"},
		{"add.pred", "add.pred: no such type; add takes .u16 .u32 .u64 .s16"},
		{"add.u32.s32", "add.u32.s32: .s32 is one type too many"},
		{"mul.u32", "mul.u32: no part of the product; with this type it takes one of .lo .hi .wide"},
		{"mul.wide.u64", "mul.wide.u64: no such type; mul.wide takes .u16 .u32 .s16 .s32"},
		{"add.sat.u32", "add.sat.u32: no such type; add.sat takes .s32"},
		{"setp.ltt.s32", "no modifier .ltt; did you mean .lt?"},
		{"setp.s32", "setp.s32: no comparison; setp takes .eq"},
		{"ld.global", "ld.global: no type; ld takes .b8"},
		{"bar.sink", "bar takes .sync"},
		{"setp.lo.s32", "setp.lo.s32: no such type; setp.lo takes .u16 .u32 .u64"},
		{"fma.f32", "fma.f32: no rounding; fma takes .rn .rz .rm .rp"},
	} {
		_, msg := Resolve(c.in)
		if (c.want == "") != (msg == "") || !strings.Contains(msg, c.want) {
			t.Errorf("Resolve(%q): %q, want %q", c.in, msg, c.want)
		}
	}
	for _, later := range []string{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "add.bf16", "fma.rn.bf16x2", "atom.global.add.f32", "ld.global.L2::cache_hint.f32"} {
		if in, msg := Resolve(later); msg != "" || in.Later == "" {
			t.Errorf("Resolve(%q): %q, later %q; want not supported yet", later, msg, in.Later)
		}
	}
}
