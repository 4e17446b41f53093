package isa_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
)

func unitOf(in *isa.Instr) isa.Unit {
	return in.Spec.Unit(&isa.Variant{Types: in.Types, Mods: in.Mods})
}

// TestEveryFormHasAUnit: every form has a unit, and every unit has a form.
func TestEveryFormHasAUnit(t *testing.T) {
	short.Alternates(t, 1, 3)
	used := make(map[isa.Unit]bool)
	for _, s := range isa.Specs() {
		for in := range s.Forms() {
			u := unitOf(&in)
			if used[u] = true; u == isa.NoUnit || u >= isa.NumUnits {
				t.Errorf("%s: no unit", in.Mnemonic())
			}
		}
	}
	for u := isa.NoUnit + 1; u < isa.NumUnits; u++ {
		if !used[u] {
			t.Errorf("nothing runs on %s", u)
		}
	}
}

// TestUnitsMatchMachineInstructions: units of variants, derived by hand from the machine instruction that each
// becomes, which the comments name, and from its pipeline in Nsight Compute's guide; if the guide does not have it,
// from results per cycle and SM in CUDA's table of throughputs for compute capability 9.0: 128 FMA, 64 ALU, products
// of integers and FP64, 16 XU.
func TestUnitsMatchMachineInstructions(t *testing.T) {
	for want, variants := range map[isa.Unit]string{
		isa.ALU: `
			add.u32 add.s32 sub.s32 add.cc.u32 addc.u32         IADD3
			add.u64 sub.s64                                     IADD3, IADD3.X
			and.b32 or.b32 xor.b64 not.b32 lop3.b32             LOP3
			shl.b32 shr.s32 shr.u64 shf.l.wrap.b32              SHF
			bfe.u32 prmt.b32 bmsk.clamp.b32                     SHF and SGXT, PRMT, BMSK
			setp.lt.s32 setp.eq.u64 set.lt.u32.s32              ISETP
			setp.lt.f32 set.gt.ftz.u32.f32                      FSETP
			min.s32 max.u32 abs.s32 neg.s32                     IMNMX, IABS, IADD3
			min.f32 max.ftz.f32                                 FMNMX
			selp.b32 selp.f64 slct.f32.s32                      SEL, FSEL
			mov.u32 mov.f64 cvta.to.global.u64                  MOV
			cvt.u32.u8 cvt.s32.s16 cvt.u32.u64 cvt.s64.s32      PRMT, MOV, SHF
			cvt.rn.f16.f32 cvt.rn.f16x2.f32                     F2FP
			vote.sync.ballot.b32 sad.u32                        VOTE, VABSDIFF`,
		isa.FMA: `
			add.f32 sub.rz.f32 mul.f32 fma.rn.f32 fma.rn.ftz.sat.f32 mad.rn.f32   FADD, FMUL, FFMA
			neg.f32 abs.ftz.f32 cvt.sat.f32.f32                                   FADD`,
		isa.FMAHeavy: `
			mul.lo.u32 mul.hi.s32 mul.wide.u32 mad.lo.s32 mad.wide.s32 mul.lo.u64 mul24.lo.u32 madc.hi.u32   IMAD
			dp4a.u32.s32 dp2a.lo.s32.s32                                                                     IDP`,
		isa.FP16: `
			add.f16 add.f16x2 mul.f16 fma.rn.f16x2 fma.rn.relu.f16   HADD2, HMUL2, HFMA2
			setp.lt.f16 min.f16x2 cvt.f32.f16                        HSETP2, HMNMX2, HADD2.F32`,
		isa.FP64: `
			add.f64 sub.f64 mul.f64 fma.rn.f64 mad.rn.f64 neg.f64   DADD, DMUL, DFMA
			setp.lt.f64 min.f64 set.lt.u32.f64                      DSETP
			div.rn.f64 rcp.rn.f64 sqrt.rn.f64 rsqrt.approx.f64      DFMA, many times`,
		isa.XU: `
			rcp.approx.f32 rsqrt.approx.ftz.f32 sqrt.approx.f32 sin.approx.f32 cos.approx.f32     MUFU
			ex2.approx.f32 lg2.approx.f32 tanh.approx.f32 ex2.approx.f16 rcp.approx.ftz.f64       MUFU
			div.approx.f32 div.rn.f32 div.s32 rem.u32 div.u64                                     around MUFU.RCP
			cvt.rn.f32.s32 cvt.rzi.s32.f32 cvt.rn.f64.s32 cvt.rzi.s64.f64 cvt.rn.f16.s32          I2F, F2I
			cvt.f64.f32 cvt.rn.f32.f64 cvt.rni.f32.f32 cvt.rn.f16.f64                             F2F, FRND
			popc.b32 clz.b32 bfind.u32 brev.b32                                                   POPC, FLO, BREV`,
		isa.LSU: `
			ld.global.u32 ld.shared.v4.f32 ld.local.u8 ld.u64 st.global.f64 st.shared.b32   LDG, LDS, LDL, STG, STS
			atom.global.add.u32 atom.shared.cas.b32 red.global.add.f64                      ATOMG, ATOMS, RED
			shfl.sync.bfly.b32 match.any.sync.b32 membar.gl fence.acq_rel.gpu               SHFL, MATCH, MEMBAR`,
		isa.ADU: `
			ld.const.f32 ld.param.u64            LDC
			bar.sync barrier.sync bar.red.popc.u32   BAR`,
		isa.TEX: `
			tex.2d.v4.f32.f32 tex.level.2d.v4.f32.f32 tld4.r.2d.v4.f32.f32          TEX, TLD, TLD4
			suld.b.2d.b32.trap sust.b.2d.b32.trap sured.b.add.2d.u32.trap          SULD, SUST, SURED`,
		isa.CBU: `
			bra bra.uni brx.idx call ret exit    BRA, BRX, CALL, RET, EXIT
			bar.warp.sync nanosleep.u32          WARPSYNC, NANOSLEEP`,
	} {
		for line := range strings.Lines(variants) {
			for _, mnemonic := range strings.Fields(line) {
				if mnemonic == "around" || mnemonic == strings.ToUpper(mnemonic) {
					break // the machine instructions
				}
				in, msg := isa.Resolve(mnemonic)
				if msg != "" || in.Later != "" {
					t.Errorf("%s %s", msg, in.Later)
				} else if got := unitOf(&in); got != want {
					t.Errorf("%s: %s, want %s", mnemonic, got, want)
				}
			}
		}
	}
}
