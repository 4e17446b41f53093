package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

var (
	addFloats = Exec{F32: lanes.AddF32, F64: lanes.AddF64, F16: lanes.AddF16, F16x2: lanes.AddF16x2, BF16: lanes.AddBF16, BF16x2: lanes.AddBF16x2, F32x2: lanes.AddF32x2}
	subFloats = Exec{F32: lanes.SubF32, F64: lanes.SubF64, F16: lanes.SubF16, F16x2: lanes.SubF16x2, BF16: lanes.SubBF16, BF16x2: lanes.SubBF16x2, F32x2: lanes.SubF32x2}
	mulFloats = Exec{F32: lanes.MulF32, F64: lanes.MulF64, F16: lanes.MulF16, F16x2: lanes.MulF16x2, BF16: lanes.MulBF16, BF16x2: lanes.MulBF16x2, F32x2: lanes.MulF32x2}
	madFloats = Exec{F32: lanes.FmaF32, F64: lanes.FmaF64}
	fmaFloats = Exec{F32: lanes.FmaF32, F64: lanes.FmaF64, F16: lanes.FmaF16, F16x2: lanes.FmaF16x2, BF16: lanes.FmaBF16, BF16x2: lanes.FmaBF16x2, F32x2: lanes.FmaF32x2}

	// Mixed precision of sm_100: add, sub and fma of halves with an .f32 (PTX ISA 9.7.5).
	addMixed = [...]lanes.Func{HalfF16: lanes.AddF32F16, HalfBF16: lanes.AddF32BF16}
	subMixed = [...]lanes.Func{HalfF16: lanes.SubF32F16, HalfBF16: lanes.SubF32BF16}
	fmaMixed = [...]lanes.Func{HalfF16: lanes.FmaF32F16, HalfBF16: lanes.FmaF32BF16}
	// Mixed precision of sm_107: add and sub of pairs of halves with pairs of .f32.
	addMixedPairs = [...]lanes.Func{HalfF16: lanes.AddF32x2F16x2, HalfBF16: lanes.AddF32x2BF16x2}
	subMixedPairs = [...]lanes.Func{HalfF16: lanes.SubF32x2F16x2, HalfBF16: lanes.SubF32x2BF16x2}
)

// mixed is add, sub or fma of halves and .f32.
func mixed(v *Variant, of [3]lanes.Func) lanes.Func {
	if v.Type() != F32 || !v.only(Rnd, Sat, HalfG) {
		return nil
	}
	return of[v.Mods[HalfG]]
}

// mixedPair is mixed of pairs.
func mixedPair(v *Variant, of [3]lanes.Func) lanes.Func {
	if v.Type() != F32x2 || v.Mods[PairG] == 0 || !v.only(Rnd, HalvesG, PairG) {
		return nil
	}
	return of[v.Mods[HalvesG]]
}

// floatArith is add, sub, mul or fma: .f32 has any rounding, .ftz and .sat; .f32x2 a rounding and .ftz; .f64 a
// rounding; .f16 has .rn, .ftz and either .sat or .relu; bfloat16 has .rn and .relu.
func floatArith(v *Variant, floats *Exec) lanes.Func {
	legal := false
	switch v.Type() {
	case F32:
		legal = v.only(Rnd, Ftz, Sat)
	case F64:
		legal = v.only(Rnd)
	case F32x2:
		legal = v.only(Rnd, Ftz)
	case F16, F16x2:
		legal = v.only(Rnd, Ftz, Sat, Relu) && v.Mods[Rnd] <= RN && (v.Mods[Sat] == 0 || v.Mods[Relu] == 0)
	case BF16, BF16x2:
		legal = v.only(Rnd, Relu) && v.Mods[Rnd] <= RN
	}
	if !legal {
		return nil
	}
	return floats[v.Type()]
}

// floatIEEE is div, rcp or sqrt with a rounding, which has no default.
func floatIEEE(v *Variant, f32, f64 lanes.Func) lanes.Func {
	switch {
	case v.Mods[Rnd] == 0:
		return nil
	case v.Type() == F32 && v.only(Rnd, Ftz):
		return f32
	case v.Type() == F64 && v.only(Rnd):
		return f64
	}
	return nil
}

// impliedBefore14 is the Syntax.implied of rows that PTX 1.0 to 1.3 wrote without modifiers: for .f32 this means
// .approx.ftz (PTX ISA notes on div, rcp, sqrt, rsqrt, sin, cos, lg2 and ex2), and for .f64 the modifiers in f64.
func impliedBefore14(f64 func(*Mods)) func(Dialect, *Instr) {
	return func(d Dialect, in *Instr) {
		if !d.Before14 || in.Mods[Prec] != 0 || in.Mods[Rnd] != 0 {
			return
		}
		switch {
		case in.Types[0] == F32:
			in.Mods[Prec], in.Mods[Ftz] = Approx, Mod(1)
		case in.Types[0] == F64 && f64 != nil:
			f64(in.Mods)
		}
	}
}

func nearestEven(m *Mods) { m[Rnd] = RN }

func approximately(m *Mods) { m[Prec] = Approx }

// impliedMad is the Syntax.implied of mad: PTX 1.0 to 1.3 had mad.f64 for mad.rn.f64,
// and PTX up to 3.1 mad.f32 for mad.rn.f32. For sm_1x it has no rounding.
func impliedMad(d Dialect, in *Instr) {
	if in.Mods[Rnd] == 0 && (in.Types[0] == F64 && d.Before14 || in.Types[0] == F32 && d.Before32 && !d.SM1x) {
		in.Mods[Rnd] = RN
	}
}

func missingMad(d Dialect, in *Instr) string {
	if in.Types[0] == F32 && in.Mods[Rnd] == 0 && !d.SM1x {
		return "needs one of " + dotted(groups[Rnd].words) + " (rounding) from PTX 3.2 on"
	}
	return ""
}

var (
	minFloats = Exec{F32: lanes.MinF32, F64: lanes.MinF64, F16: lanes.MinF16, F16x2: lanes.MinF16x2, BF16: lanes.MinBF16, BF16x2: lanes.MinBF16x2}
	maxFloats = Exec{F32: lanes.MaxF32, F64: lanes.MaxF64, F16: lanes.MaxF16, F16x2: lanes.MaxF16x2, BF16: lanes.MaxBF16, BF16x2: lanes.MaxBF16x2}
	// extremumFloats honour .NaN and .xorsign.abs.
	extremumFloats = Exec{F32: lanes.ExtremumF32, F16: lanes.ExtremumF16, F16x2: lanes.ExtremumF16x2, BF16: lanes.ExtremumBF16, BF16x2: lanes.ExtremumBF16x2}
)

// minMax is min or max: integers have only .relu, .f64 has no modifiers, and bfloat16 has no .ftz.
func minMax(v *Variant, ints, floats Exec, relu, relu16x2 lanes.Func) lanes.Func {
	switch t := v.Type(); {
	case v.Third:
		return lanes.ExtremumOfThree
	case v.Mods[Ftz] != 0 && !t.takesFtz():
		return nil
	case v.only():
		if t.IsInt() {
			return ints[t]
		}
		return floats[t]
	case v.only(Relu) && t == S32:
		return relu
	case v.only(Relu) && t == S16x2:
		return relu16x2
	case v.only(Ftz):
		return floats[t]
	case v.only(Ftz, NaN, AbsG) && v.Mods[AbsG] != 0 && t == F32:
		return lanes.ExtremumOfThree
	case v.only(Ftz, NaN, XorSign, AbsG) && (v.Mods[XorSign] != 0) == (v.Mods[AbsG] != 0):
		return extremumFloats[t]
	}
	return nil
}

// ofThree checks that only .f32 has a third source, and that .abs without .xorsign has one.
func ofThree(in *Instr) string {
	switch has := len(in.Args) == 4; {
	case has && in.Types[0] != F32:
		return "only .f32 takes a third source"
	case has && in.Mods[XorSign] != 0:
		return "the sign of a product is that of two sources"
	case !has && in.Mods[AbsG] != 0 && in.Mods[XorSign] == 0:
		return "with .abs and no .xorsign there are three sources"
	}
	return ""
}

// extremumImm returns the operation for lanes.ExtremumF32.
func extremumImm(v *Variant) uint64 {
	imm := uint64(0)
	if v.Mods[AbsG] != 0 && v.Mods[XorSign] == 0 {
		imm |= lanes.ExtremumAbs
	}
	if v.Mods[NaN] != 0 {
		imm |= lanes.ExtremumNaN
	}
	if v.Mods[XorSign] != 0 {
		imm |= lanes.ExtremumXorSign
	}
	return imm
}

// approximate is the Bind of a function that PTX has only as an approximation: .f32 has .ftz, the halves have no
// modifiers.
func approximate(f32, f16, f16x2 lanes.Func) func(*Variant) lanes.Func {
	return func(v *Variant) lanes.Func {
		switch {
		case v.Mods[Prec] != Approx:
			return nil
		case v.Type() == F32 && v.only(Prec, Ftz):
			return f32
		case v.Type() == F16 && v.only(Prec):
			return f16
		case v.Type() == F16x2 && v.only(Prec):
			return f16x2
		}
		return nil
	}
}

var tanhFloats = Exec{F32: lanes.TanhF32, F16: lanes.TanhF16, F16x2: lanes.TanhF16x2, BF16: lanes.TanhBF16, BF16x2: lanes.TanhBF16x2}

var floatSpecs = []*Spec{
	{Name: "fma", Mods: "rnd [ftz] [sat] [relu] type [half]", Form: "d, a:half, b:half, c", Cost: &Cost{operation: OpFused, unit: arithmetic(NoUnit), flops: 2},
		Needs: "1; f16/f16x2 4.2 sm_53; bf16/bf16x2 7.0 sm_80; relu 7.0 sm_80; oob 8.1 sm_90; f32x2 8.6 sm_100; >f32 <f16/bf16 8.6 sm_100",
		Doc:   "d = a * b + c with a single rounding. With .f16 or .bf16 after .f32, a and b have that type.",
		Bind: func(v *Variant) lanes.Func {
			if v.Mods[HalfG] != 0 {
				return mixed(v, fmaMixed)
			}
			return floatArith(v, &fmaFloats)
		},
		Lower: Lower{code: func(v *Variant) *jit.Template {
			if v.Mods[HalfG] != 0 {
				return mixedCode(v, fmaFloat, true)
			}
			return arithFloat(v, fmaFloat, fmaF64, fmaHalf)
		}}},
	{Name: "rcp", Mods: "[prec] [rnd] [ftz] type", Form: "d, a", Needs: "1; approx f64 2.1 sm_20",
		Cost: (&Cost{unit: special}).becomes(
			when(approx, OfType(F32), Not(ftz)).then("2 integer > integer, integer > single > special_function > single"),
			when(rounded, OfType(F32)).then("warp_sync, integer > integer > integer > branch > special_function > single > single > single > warp_sync"),
			when(rounded, OfType(F64)).then("warp_sync, special_function, integer > integer > double > double > double > double > double > branch > warp_sync"),
			otherwise(Own)),
		Lower: Lower{code: rcpCode},
		Doc:   "d = 1 / a, rounded as the modifier says, or approximated with .approx.", Syntax: Syntax{implied: impliedBefore14(nearestEven)},
		Bind: func(v *Variant) lanes.Func {
			switch {
			case v.Mods[Prec] != Approx:
				return floatIEEE(v, lanes.RcpF32, lanes.RcpF64)
			case v.Type() == F32 && v.only(Prec, Ftz):
				return lanes.RcpApproxF32
			case v.Type() == F64 && v.only(Prec, Ftz) && v.Mods[Ftz] != 0:
				return lanes.RcpApproxFtzF64
			}
			return nil
		}},
	{Name: "sqrt", Mods: "[prec] [rnd] [ftz] type", Form: "d, a", Needs: "1",
		Cost: (&Cost{unit: special}).becomes(
			when(approx, OfType(F32), Not(ftz)).then("integer > single > special_function > single"),
			when(rounded, OfType(F32)).then("warp_sync, integer > integer, special_function > branch > single, single > single > single > warp_sync"),
			when(rounded, OfType(F64)).then("2 product, warp_sync, integer, special_function > integer > double > double > double > double > double > double, integer, product > double > double > branch > warp_sync"),
			otherwise(Own)),
		Lower: Lower{code: sqrtCode},
		Doc:   "d = the square root of a, rounded as the modifier says, or approximated with .approx.", Syntax: Syntax{implied: impliedBefore14(nearestEven)},
		Bind: func(v *Variant) lanes.Func {
			if v.Mods[Prec] != Approx {
				return floatIEEE(v, lanes.SqrtF32, lanes.SqrtF64)
			}
			return approximate(lanes.SqrtApproxF32, nil, nil)(v)
		}},
	{Name: "rsqrt", Mods: "prec [ftz] type", Form: "d, a", Needs: "1; ftz f64 4.0 sm_20",
		Cost: (&Cost{unit: special}).becomes(
			when(OfType(F32), Not(ftz)).then("integer > single > special_function > single"),
			when(OfType(F64), Not(ftz)).then("3 product, warp_sync, integer, special_function > integer > double > double > double > double > double > branch > warp_sync"),
			otherwise(Own)),
		Doc: "d = an approximation of 1 / the square root of a.", Lower: Lower{code: approxFloat((*jit.Emit).RsqrtApprox)}, Syntax: Syntax{implied: impliedBefore14(approximately)},
		Bind: func(v *Variant) lanes.Func {
			switch {
			case v.Mods[Prec] != Approx:
				return nil
			case v.Type() == F64 && v.Mods[Ftz] != 0:
				return lanes.RsqrtApproxFtzF64
			case v.Type() == F64:
				return lanes.RsqrtApproxF64
			}
			return approximate(lanes.RsqrtApproxF32, nil, nil)(v)
		}},
	{Name: "sin", Mods: "prec [ftz] type", Form: "d, a", Needs: "1", Doc: "d = an approximation of the sine of a, in radians.",
		Cost:   on(XU).as("single > special_function"),
		Syntax: Syntax{implied: impliedBefore14(nil)}, Bind: approximate(lanes.SinF32, nil, nil), Lower: Lower{code: ofGoMath(trigonometric(false))}},
	{Name: "cos", Mods: "prec [ftz] type", Form: "d, a", Needs: "1", Doc: "d = an approximation of the cosine of a, in radians.",
		Cost:   on(XU).as("single > special_function"),
		Syntax: Syntax{implied: impliedBefore14(nil)}, Bind: approximate(lanes.CosF32, nil, nil), Lower: Lower{code: ofGoMath(trigonometric(true))}},
	{Name: "ex2", Mods: "prec [ftz] type", Form: "d, a", Doc: "d = an approximation of 2 to the power of a. For .bf16 and .bf16x2 the result is rounded to nearest.",
		Needs: "1; f16/f16x2 7.0 sm_75; bf16/bf16x2 7.8 sm_90",
		Cost: on(XU).becomes(
			when(OfType(F32), Not(ftz)).then("integer > single > special_function > single"),
			when(OfType(F16x2)).then("2 special_function > integer"),
			otherwise(Own)),
		Lower:  Lower{code: ofGoMath(approxFloat((*jit.Emit).Ex2Approx))},
		Syntax: Syntax{implied: impliedBefore14(nil)}, Bind: func(v *Variant) lanes.Func {
			if v.Mods[Prec] == Approx && v.Mods[Ftz] != 0 {
				switch v.Type() {
				case BF16:
					return lanes.Ex2BF16
				case BF16x2:
					return lanes.Ex2BF16x2
				}
			}
			return approximate(lanes.Ex2F32, lanes.Ex2F16, lanes.Ex2F16x2)(v)
		}},
	{Name: "tanh", Mods: "prec type", Form: "d, a", Needs: "7.0 sm_75; bf16/bf16x2 7.8 sm_90", Doc: "d = an approximation of the hyperbolic tangent of a. For .bf16 and .bf16x2 the result is rounded to nearest.",
		Cost: on(XU).becomes(when(OfType(F16x2)).then("2 special_function > integer"), otherwise(Own)), Lower: Lower{code: approxFloat(tanhSingle)},
		Bind: func(v *Variant) lanes.Func {
			if v.Mods[Prec] != Approx {
				return nil
			}
			return tanhFloats[v.Type()]
		}},
	{Name: "copysign", Mods: "type", Form: "d, a, b", Needs: "2.0 sm_20", Cost: on(ALU), Doc: "d = b with the sign of a.",
		Lower: Lower{code: plainly(&copysignFloats)}, Exec: Exec{F32: lanes.CopysignF32, F64: lanes.CopysignF64}},
	{Name: "lg2", Mods: "prec [ftz] type", Form: "d, a", Needs: "1", Doc: "d = an approximation of the logarithm of a to base 2.",
		Cost:   on(XU).becomes(when(Not(ftz)).then("integer > single > special_function > single"), otherwise(Own)),
		Syntax: Syntax{implied: impliedBefore14(nil)}, Bind: approximate(lanes.Lg2F32, nil, nil), Lower: Lower{code: approxFloat((*jit.Emit).Lg2Approx)}},
}
