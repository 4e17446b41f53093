package isa

import "github.com/simtrun/simtrun/lanes"

// floatArith is add, sub, mul or fma: .f32 takes any rounding, .ftz and .sat,
// .f64 a rounding, the halves .rn, .ftz and either .sat or .relu.
func floatArith(v *Variant, f32, f64, f16, f16x2 lanes.Func) lanes.Func {
	switch v.Type() {
	case F32:
		if v.only(Rnd, Ftz, Sat) {
			return f32
		}
	case F64:
		if v.only(Rnd) {
			return f64
		}
	case F16, F16x2:
		if !v.only(Rnd, Ftz, Sat, Relu) || v.Mods[Rnd] > RN || v.Mods[Sat] != 0 && v.Mods[Relu] != 0 {
			return nil
		}
		if v.Type() == F16 {
			return f16
		}
		return f16x2
	}
	return nil
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

// impliedBefore14 is the Implied of what PTX 1.0 to 1.3 wrote without modifiers:
// for .f32 it means .approx.ftz (PTX ISA notes on div, rcp, sqrt, rsqrt, sin,
// cos, lg2 and ex2), for .f64 what f64 says.
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

// impliedMad is the Implied of mad: PTX 1.0 to 1.3 had mad.f64 for mad.rn.f64,
// and PTX up to 3.1 mad.f32 for mad.rn.f32. For sm_1x it has no rounding.
func impliedMad(d Dialect, in *Instr) {
	if in.Mods[Rnd] == 0 && (in.Types[0] == F64 && d.Before14 || in.Types[0] == F32 && d.Before32 && !d.SM1x) {
		in.Mods[Rnd] = RN
	}
}

func missingMad(d Dialect, in *Instr) string {
	if in.Types[0] == F32 && in.Mods[Rnd] == 0 && !d.SM1x {
		return "no rounding; from PTX 3.2 on it takes one of " + dotted(groups[Rnd].words)
	}
	return ""
}

var (
	minFloats = Exec{F32: lanes.MinF32, F64: lanes.MinF64, F16: lanes.MinF16, F16x2: lanes.MinF16x2}
	maxFloats = Exec{F32: lanes.MaxF32, F64: lanes.MaxF64, F16: lanes.MaxF16, F16x2: lanes.MaxF16x2}
	// extremumFloats honour .NaN and .xorsign.abs.
	extremumFloats = Exec{F32: lanes.ExtremumF32, F16: lanes.ExtremumF16, F16x2: lanes.ExtremumF16x2}
)

// minMax is min or max: integers take nothing but .s32 .relu, and .f64 nothing
// at all.
func minMax(v *Variant, ints, floats Exec, relu lanes.Func) lanes.Func {
	switch t := v.Type(); {
	case v.only():
		if t.IsInt() {
			return ints[t]
		}
		return floats[t]
	case v.only(Relu) && t == S32:
		return relu
	case v.only(Ftz):
		if t == F64 {
			return nil
		}
		return floats[t]
	case v.only(Ftz, NaN, XorSign, AbsG) && (v.Mods[XorSign] != 0) == (v.Mods[AbsG] != 0):
		return extremumFloats[t]
	}
	return nil
}

// extremumImm is what lanes.ExtremumF32 is to do.
func extremumImm(v *Variant) uint64 {
	imm := uint64(0)
	if v.Mods[NaN] != 0 {
		imm |= lanes.ExtremumNaN
	}
	if v.Mods[XorSign] != 0 {
		imm |= lanes.ExtremumXorSign
	}
	return imm
}

// approximate is the Bind of a function that PTX only has as an approximation:
// .f32 takes .ftz, the halves nothing.
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

var floatSpecs = []*Spec{
	{Name: "fma", Mods: "rnd [ftz] [sat] [relu] type", Form: "d, a, b, c", Units: arithmetic(NoUnit), FLOPs: 2,
		Doc: "d = a * b + c with a single rounding.",
		Bind: func(v *Variant) lanes.Func {
			return floatArith(v, lanes.FmaF32, lanes.FmaF64, lanes.FmaF16, lanes.FmaF16x2)
		}},
	{Name: "rcp", Mods: "[prec] [rnd] [ftz] type", Form: "d, a", Units: special,
		Doc: "d = 1 / a.", Implied: impliedBefore14(nearestEven),
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
	{Name: "sqrt", Mods: "[prec] [rnd] [ftz] type", Form: "d, a", Units: special,
		Doc: "d = the square root of a.", Implied: impliedBefore14(nearestEven),
		Bind: func(v *Variant) lanes.Func {
			if v.Mods[Prec] != Approx {
				return floatIEEE(v, lanes.SqrtF32, lanes.SqrtF64)
			}
			return approximate(lanes.SqrtApproxF32, nil, nil)(v)
		}},
	{Name: "rsqrt", Mods: "prec [ftz] type", Form: "d, a", Units: special,
		Doc: "d = 1 / the square root of a, approximately.", Implied: impliedBefore14(approximately),
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
	{Name: "sin", Mods: "prec [ftz] type", Form: "d, a", Units: on(XU), Doc: "d = the sine of a, in radians, approximately.",
		Implied: impliedBefore14(nil), Bind: approximate(lanes.SinF32, nil, nil)},
	{Name: "cos", Mods: "prec [ftz] type", Form: "d, a", Units: on(XU), Doc: "d = the cosine of a, in radians, approximately.",
		Implied: impliedBefore14(nil), Bind: approximate(lanes.CosF32, nil, nil)},
	{Name: "ex2", Mods: "prec [ftz] type", Form: "d, a", Units: on(XU), Doc: "d = 2 to the power of a, approximately.",
		Implied: impliedBefore14(nil), Bind: approximate(lanes.Ex2F32, lanes.Ex2F16, lanes.Ex2F16x2)},
	{Name: "tanh", Mods: "prec type", Form: "d, a", Units: on(XU), Doc: "d = the hyperbolic tangent of a, approximately.",
		Bind: approximate(lanes.TanhF32, lanes.TanhF16, lanes.TanhF16x2)},
	{Name: "copysign", Mods: "type", Form: "d, a, b", Units: on(ALU), Doc: "d = b with the sign of a.",
		Exec: Exec{F32: lanes.CopysignF32, F64: lanes.CopysignF64}},
	{Name: "lg2", Mods: "prec [ftz] type", Form: "d, a", Units: on(XU), Doc: "d = the logarithm of a to base 2, approximately.",
		Implied: impliedBefore14(nil), Bind: approximate(lanes.Lg2F32, nil, nil)},
}
