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
		{"ld.global.v8.u32", ""},
		{"ld.global.v8.b64", "ld.global.v8.b64: no such type"},
		{"ld.acquire.u32", "ld.acquire.u32: no scope"},
		{"st.acquire.gpu.u32", ".acquire does not go with this type"},
		{"atom.global.add.f32", ""},
		{"atom.cta.acq_rel.shared::cta.add.f64", ""},
		{"atom.add.noftz.f16x2", ""},
		{"atom.add.f16", "atom.add.f16: no subnormal mode; with this type it takes one of .noftz"},
		{"atom.weak.add.u32", ".weak does not go with this type"},
		{"atom.local.add.u32", ".local does not go with this type"},
		{"red.add.global.relaxed.gpu.f64", ""},
		{"red.acquire.gpu.add.u32", ".acquire does not go with this type"},
		{"red.cas.b32", "red.cas.b32"},
		{"min.ftz.NaN.xorsign.abs.f16x2", ""},
		{"min.xorsign.f32", "min.xorsign.f32: no magnitude"},
		{"min.relu.s32", ""},
		{"fma.rn.relu.f16", ""},
		{"fma.rn.relu.f32", "no such type; fma.rn.relu takes .f16 .f16x2"},
		{"cvt.rn.relu.f16.f32", ""},
		{"cvt.pack.sat.s8.s32.b32", ""},
		{"cvt.pack.sat.s8.s32", "no type of c"},
		{"set.gt.f16x2.f16x2", ""},
		{"add.bf16", ""},
		{"add.rz.bf16", "no such type; add.rz takes .f32 .f64"},
		{"add.ftz.bf16", "no such type; add.ftz takes .f16 .f16x2 .f32"},
		{"mul.sat.bf16x2", "no such type; mul.sat takes .f16 .f16x2 .f32"},
		{"fma.rn.relu.bf16x2", ""},
		{"mad.rn.bf16", "no such type; mad.rn takes .f32 .f64"},
		{"neg.ftz.bf16", "no such type; neg.ftz takes .f16 .f16x2 .f32"},
		{"max.NaN.xorsign.abs.bf16x2", ""},
		{"min.ftz.bf16", "no such type"},
		{"ex2.approx.ftz.bf16x2", ""},
		{"ex2.approx.bf16", "no flush to zero"},
		{"tanh.approx.bf16", ""},
		{"set.gt.bf16x2.bf16x2", ""},
		{"set.gt.bf16.s32", ""},
		{"set.gt.f32.bf16", "no such pair of types"},
		{"set.gt.ftz.bf16.f32", "no such type"},
		{"atom.global.add.noftz.bf16x2", ""},
		{"atom.global.add.bf16", "no subnormal mode"},
		{"cvt.rn.bf16.f32", ""},
		{"cvt.rz.relu.satfinite.bf16x2.f32", ""},
		{"cvt.rm.bf16.f32", "no such pair of types"},
		{"cvt.rm.bf16.f64", ""},
		{"cvt.rn.bf16.f16", ""},
		{"cvt.f16.bf16", "no rounding"},
		{"cvt.ftz.f32.bf16", ""},
		{"cvt.rn.ftz.bf16.f32", "no such type"},
		{"cvt.rn.sat.bf16.s32", "no such type"},
		{"cvt.rn.satfinite.bf16.s32", "after .bf16 comes .f32"},
		{"cvt.rni.bf16.bf16", ""},
		{"cvt.rzi.u8.bf16", ""},
		{"ld.global.bf16", "no such type"},
		{"mov.bf16", "no such type"},
		{"set.gt.u16.f32", "no such pair of types; after .u16 comes .f16"},
		{"bar.red.popc.pred", "no such type; bar.red.popc takes .u32"},
		{"prefetch.global.L2::evict_last", ""},
		{"prefetch.local.L2::evict_last", "prefetch.local.L2::evict_last"},
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
		{"bar.sink", "bar takes .cta .sync .arrive"},
		{"setp.lo.s32", "setp.lo.s32: no such type; setp.lo takes .u16 .u32 .u64"},
		{"fma.f32", "fma.f32: no rounding; fma takes .rn .rz .rm .rp"},
	} {
		_, msg := Resolve(c.in)
		if (c.want == "") != (msg == "") || !strings.Contains(msg, c.want) {
			t.Errorf("Resolve(%q): %q, want %q", c.in, msg, c.want)
		}
	}
	for _, later := range []string{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "cvt.pack.sat.u4.s32.b32",
		"cvt.rna.tf32.f32", "ld.mmio.relaxed.sys.global.u32", "fence.proxy.async.global", "barrier.cluster.arrive.relaxed.aligned", "isspacep.const", "redux.sync.min.abs.f32"} {
		if in, msg := Resolve(later); msg != "" || in.Later == "" {
			t.Errorf("Resolve(%q): %q, later %q; want not supported yet", later, msg, in.Later)
		}
	}
}
