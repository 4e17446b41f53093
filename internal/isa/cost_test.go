package isa_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
)

func classOf(in *isa.Instr) isa.CostClass {
	return in.Spec.CostClass(&isa.Variant{Types: in.Types, Mods: in.Mods})
}

// TestEveryFormHasACostClass: every class has a form, except for classes that depend on an operand.
func TestEveryFormHasACostClass(t *testing.T) {
	short.Alternates(t, 1, 3)
	used := map[isa.CostClass]bool{isa.CostReadSpecial: true, isa.CostReadClock: true, isa.CostUniformConstant: true}
	for _, s := range isa.Specs() {
		for in := range s.Forms() {
			c := classOf(&in)
			if used[c] = true; c == isa.CostNothing || c >= isa.NumCostClasses {
				t.Errorf("%s: no class", in.Mnemonic())
			}
		}
	}
	for c := isa.CostNothing + 1; c < isa.NumCostClasses; c++ {
		if !used[c] {
			t.Errorf("nothing is of class %s", c)
		}
	}
}

func TestCostClassNamesParse(t *testing.T) {
	for c := isa.CostNothing + 1; c < isa.NumCostClasses; c++ {
		if got, ok := isa.CostClassByName(c.String()); !ok || got != c {
			t.Errorf("class %d is %q, which is %d, %v", c, c, got, ok)
		}
	}
	for _, name := range []string{"", "none", "alu"} {
		if _, ok := isa.CostClassByName(name); ok {
			t.Errorf("%q is a class", name)
		}
	}
}

// TestExceptionalVariantsHaveTheirClass: classes of variants that do not have the class of their unit, or not the same
// class as the rest of their row.
func TestExceptionalVariantsHaveTheirClass(t *testing.T) {
	for want, mnemonics := range map[isa.CostClass]string{
		isa.CostInteger:          "add.u32 sub.s64 and.pred shf.l.wrap.b32 setp.lt.s32 setp.lt.f32 min.f32 min.f16x2 selp.f64 mov.u32 cvt.u32.u8 cvt.rn.f16.f32 cvta.to.global.u64",
		isa.CostProduct:          "mul.lo.u32 mad.lo.s32 mul.hi.u16 mul.wide.s16 mul24.lo.u32 madc.lo.u32 dp4a.u32.s32",
		isa.CostProductHigh:      "mul.hi.u32 mad.hi.s32 madc.hi.u32 mul24.hi.u32 mul.hi.u64",
		isa.CostProductWide:      "mul.wide.u32 mad.wide.s32",
		isa.CostSingle:           "add.f32 fma.rn.f32 mul.rz.f32 neg.f32 cvt.sat.f32.f32",
		isa.CostHalf:             "add.f16 fma.rn.f16x2 cvt.f32.f16",
		isa.CostDouble:           "add.f64 fma.rn.f64 div.rn.f64 neg.f64",
		isa.CostDoubleCompare:    "setp.lt.f64 min.f64 set.lt.u32.f64",
		isa.CostSpecialFunction:  "rcp.approx.f32 sin.approx.f32 ex2.approx.f16 div.s32 rem.u64 rcp.approx.ftz.f64",
		isa.CostSingleConversion: "cvt.rn.f32.s32 cvt.rz.f32.u32",
		isa.CostConversion:       "cvt.rn.f32.u16 cvt.rzi.s32.f32 cvt.rn.f16.s32 cvt.rni.f32.f32",
		isa.CostDoubleConversion: "cvt.f64.f32 cvt.rn.f32.f64 cvt.rzi.s64.f32 cvt.rn.f64.u8 cvt.rn.f16.f64",
		isa.CostBitCount:         "popc.b32 clz.b64 bfind.u32 brev.b32",
		isa.CostVote:             "vote.sync.ballot.b32 activemask.b32",
		isa.CostMatch:            "match.any.sync.b32",
		isa.CostReduction:        "redux.sync.add.u32",
		isa.CostShuffle:          "shfl.sync.bfly.b32",
		isa.CostLoadConstant:     "ld.const.f32 ld.param.u64",
		isa.CostLoadShared:       "ld.shared.u32 ld.shared::cta.v4.f32",
		isa.CostStoreShared:      "st.shared.u32",
		isa.CostAtomicShared:     "atom.shared.add.u32 red.shared.add.u32 atom.shared.cas.b32",
		isa.CostLoadGlobal:       "ld.global.u32 ld.u32 ldu.global.u32 ld.volatile.global.u32",
		isa.CostStoreGlobal:      "st.global.u32 st.u32 prefetch.global.L2",
		isa.CostAtomicGlobal:     "atom.global.add.u32 atom.cas.b32",
		isa.CostReductionGlobal:  "red.global.add.u32 red.add.f32",
		isa.CostLoadLocal:        "ld.local.u32",
		isa.CostStoreLocal:       "st.local.u32",
		isa.CostFenceCTA:         "membar.cta fence.acq_rel.cta",
		isa.CostFenceGPU:         "membar.gl fence.sc.gpu fence.acq_rel.cluster",
		isa.CostFenceSystem:      "membar.sys fence.sc.sys",
		isa.CostCTABarrier:       "bar.sync bar.arrive barrier.sync bar.red.popc.u32",
		isa.CostWarpSync:         "bar.warp.sync",
		isa.CostBranch:           "bra trap",
		isa.CostIndirectBranch:   "brx.idx",
		isa.CostCall:             "call ret",
		isa.CostExit:             "exit",
		isa.CostSleep:            "nanosleep.u32",
	} {
		for _, mnemonic := range strings.Fields(mnemonics) {
			in, msg := isa.Resolve(mnemonic)
			if msg != "" || in.Later != "" {
				t.Errorf("%s %s", msg, in.Later)
			} else if got := classOf(&in); got != want {
				t.Errorf("%s: %s, want %s", mnemonic, got, want)
			}
		}
	}
}
