package isa

import "github.com/simtrun/simtrun/lanes"

// floatArith is add, sub, mul or fma: .f32 takes any rounding, .ftz and .sat,
// .f64 a rounding, the halves .rn, .ftz and .sat.
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
		if !v.only(Rnd, Ftz, Sat) || v.Mods[Rnd] > RN {
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

var (
	minFloats = [2]Exec{
		{F32: lanes.MinF32, F64: lanes.MinF64, F16: lanes.MinF16, F16x2: lanes.MinF16x2},
		{F32: lanes.MinNaNF32},
	}
	maxFloats = [2]Exec{
		{F32: lanes.MaxF32, F64: lanes.MaxF64, F16: lanes.MaxF16, F16x2: lanes.MaxF16x2},
		{F32: lanes.MaxNaNF32},
	}
)

func minMax(v *Variant, integer Exec, float [2]Exec) lanes.Func {
	if v.Type().IsInt() || v.Type() == F64 {
		if !v.only() {
			return nil
		}
	}
	if v.Type().IsInt() {
		return integer[v.Type()]
	}
	return float[v.Mods[NaN]][v.Type()]
}

// approximate is the Bind of a function that PTX only has as an approximation.
func approximate(f32 lanes.Func) func(*Variant) lanes.Func {
	return func(v *Variant) lanes.Func {
		if v.Mods[Prec] == Approx && v.Type() == F32 && v.only(Prec, Ftz) {
			return f32
		}
		return nil
	}
}

var floatSpecs = []*Spec{
	{Name: "fma", Mods: "rnd [ftz] [sat] type", Form: "d, a, b, c", Latency: FP32,
		Doc: "d = a * b + c with a single rounding.",
		Bind: func(v *Variant) lanes.Func {
			return floatArith(v, lanes.FmaF32, lanes.FmaF64, lanes.FmaF16, lanes.FmaF16x2)
		}},
	{Name: "rcp", Mods: "[prec] [rnd] [ftz] type", Form: "d, a", Latency: MUFU,
		Doc: "d = 1 / a.",
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
	{Name: "sqrt", Mods: "[prec] [rnd] [ftz] type", Form: "d, a", Latency: MUFU,
		Doc: "d = the square root of a.",
		Bind: func(v *Variant) lanes.Func {
			if v.Mods[Prec] != Approx {
				return floatIEEE(v, lanes.SqrtF32, lanes.SqrtF64)
			}
			return approximate(lanes.SqrtApproxF32)(v)
		}},
	{Name: "rsqrt", Mods: "prec [ftz] type", Form: "d, a", Latency: MUFU,
		Doc: "d = 1 / the square root of a, approximately.",
		Bind: func(v *Variant) lanes.Func {
			switch {
			case v.Mods[Prec] != Approx:
				return nil
			case v.Type() == F64 && v.Mods[Ftz] != 0:
				return lanes.RsqrtApproxFtzF64
			case v.Type() == F64:
				return lanes.RsqrtApproxF64
			}
			return approximate(lanes.RsqrtApproxF32)(v)
		}},
	{Name: "sin", Mods: "prec [ftz] type", Form: "d, a", Latency: MUFU, Doc: "d = the sine of a, in radians, approximately.",
		Bind: approximate(lanes.SinF32)},
	{Name: "cos", Mods: "prec [ftz] type", Form: "d, a", Latency: MUFU, Doc: "d = the cosine of a, in radians, approximately.",
		Bind: approximate(lanes.CosF32)},
	{Name: "ex2", Mods: "prec [ftz] type", Form: "d, a", Latency: MUFU, Doc: "d = 2 to the power of a, approximately.",
		Bind: approximate(lanes.Ex2F32), Later: []Type{F16, F16x2}},
	{Name: "lg2", Mods: "prec [ftz] type", Form: "d, a", Latency: MUFU, Doc: "d = the logarithm of a to base 2, approximately.",
		Bind: approximate(lanes.Lg2F32)},
}
