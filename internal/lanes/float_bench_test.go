package lanes

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchmarkWarp times fn on ordinary numbers; the sources hold numbers of every format.
func benchmarkWarp(b *testing.B, fn Func, in Op, m Mask) {
	const slots = 8
	f := NewFile(ScratchBytes + slots*Slot64)
	slot := func(i uint32) uint32 { return ScratchBytes + i*Slot64 }
	in.D, in.A, in.B, in.C = slot(0), slot(1), slot(2), slot(3)
	r := rand.New(rand.NewPCG(1, 2))
	for _, off := range []uint32{in.A, in.B, in.C} {
		for i := range Width {
			v := 1 + 100*r.Float64()
			switch in.From {
			case F64:
				Reg[float64](f, off)[i] = v
			case F32:
				Reg[float32](f, off)[i] = float32(v)
			case F16:
				Reg[uint32](f, off)[i] = roundF16(v)
			default:
				Reg[uint64](f, off)[i] = r.Uint64()
			}
		}
	}
	for b.Loop() {
		fn(f, &in, m)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/warp-inst")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkFloat(b *testing.B) {
	for _, c := range []struct {
		name string
		fn   Func
		in   Op
	}{
		{"add.f32", AddF32, Op{From: F32}},
		{"add.ftz.f32", AddF32, Op{From: F32, Mode: FTZ}},
		{"add.rm.f32", AddF32, Op{From: F32, Mode: RoundDown}},
		{"add.sat.f32", AddF32, Op{From: F32, Mode: SAT}},
		{"mul.f32", MulF32, Op{From: F32}},
		{"fma.rn.f32", FmaF32, Op{From: F32}},
		{"fma.rn.ftz.f32", FmaF32, Op{From: F32, Mode: FTZ}},
		{"fma.rm.f32", FmaF32, Op{From: F32, Mode: RoundDown}},
		{"div.rn.f32", DivF32, Op{From: F32}},
		{"div.rz.f32", DivF32, Op{From: F32, Mode: RoundZero}},
		{"div.full.f32", DivFullF32, Op{From: F32}},
		{"div.approx.f32", DivApproxF32, Op{From: F32}},
		{"sqrt.rn.f32", SqrtF32, Op{From: F32}},
		{"min.f32", MinF32, Op{From: F32}},
		{"max.ftz.f32", MaxF32, Op{From: F32, Mode: FTZ}},
		{"neg.f32", NegF32, Op{From: F32}},
		{"add.f64", AddF64, Op{From: F64}},
		{"add.rp.f64", AddF64, Op{From: F64, Mode: RoundUp}},
		{"fma.rn.f64", FmaF64, Op{From: F64}},
		{"fma.rp.f64", FmaF64, Op{From: F64, Mode: RoundUp}},
		{"div.rp.f64", DivF64, Op{From: F64, Mode: RoundUp}},
		{"min.f64", MinF64, Op{From: F64}},
		{"setp.lt.f32", SetpF32, Op{From: F32, Imm: uint64(Lt)}},
		{"setp.ne.f32", SetpF32, Op{From: F32, Imm: uint64(Ne)}},
		{"setp.lt.ftz.f32", SetpF32, Op{From: F32, Imm: uint64(Lt), Mode: FTZ}},
		{"testp.f32", TestpF32, Op{From: F32, Imm: TestpNormal}},
		{"slct.f32", SlctF32, Op{From: F32}},
		{"sin.approx.f32", SinF32, Op{From: F32}},
		{"ex2.approx.f32", Ex2F32, Op{From: F32}},
		{"lg2.approx.f32", Lg2F32, Op{From: F32}},
		{"rcp.approx.f32", RcpApproxF32, Op{From: F32}},
		{"rsqrt.approx.f32", RsqrtApproxF32, Op{From: F32}},
		{"tanh.approx.f32", TanhF32, Op{From: F32}},
		{"add.f16", AddF16, Op{From: F16}},
		{"fma.rn.f16x2", FmaF16x2, Op{From: F16}},
		{"max.f16", MaxF16, Op{From: F16}},
	} {
		for _, m := range []Mask{AllLanes, 0x55555555, 0xff, 1} {
			b.Run(fmt.Sprintf("%s/%08x", c.name, uint32(m)), func(b *testing.B) { benchmarkWarp(b, c.fn, c.in, m) })
		}
	}
}

func BenchmarkCvt(b *testing.B) {
	for _, c := range []struct {
		name string
		in   Op
	}{
		{"cvt.u64.u32", Op{To: U64, From: U32}},
		{"cvt.s64.s32", Op{To: S64, From: S32}},
		{"cvt.u32.u64", Op{To: U32, From: U64}},
		{"cvt.u32.u8", Op{To: U32, From: U8}},
		{"cvt.sat.s8.s32", Op{To: S8, From: S32, Mode: SAT}},
		{"cvt.rn.f32.s32", Op{To: F32, From: S32, Imm: CvtRounded}},
		{"cvt.rn.f64.s32", Op{To: F64, From: S32, Imm: CvtRounded}},
		{"cvt.rz.f32.u64", Op{To: F32, From: U64, Mode: RoundZero, Imm: CvtRounded}},
		{"cvt.rzi.s32.f32", Op{To: S32, From: F32, Mode: RoundZero, Imm: CvtIntegral}},
		{"cvt.rni.s32.f32", Op{To: S32, From: F32, Imm: CvtIntegral}},
		{"cvt.rmi.f32.f32", Op{To: F32, From: F32, Mode: RoundDown, Imm: CvtIntegral}},
		{"cvt.f64.f32", Op{To: F64, From: F32}},
		{"cvt.rn.f32.f64", Op{To: F32, From: F64, Imm: CvtRounded}},
		{"cvt.rz.f32.f64", Op{To: F32, From: F64, Mode: RoundZero, Imm: CvtRounded}},
		{"cvt.f32.f16", Op{To: F32, From: F16}},
		{"cvt.rn.f16.f32", Op{To: F16, From: F32, Imm: CvtRounded}},
	} {
		b.Run(c.name, func(b *testing.B) {
			benchmarkWarp(b, CvtFor(c.in.To, c.in.From, c.in.Mode, c.in.Imm), c.in, AllLanes)
		})
	}
}
