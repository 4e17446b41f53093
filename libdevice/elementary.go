package libdevice

import (
	"math"
	"slices"

	"github.com/simtrun/simtrun/libdevice/fn"
)

// elementary are the elementary functions.
var elementary = slices.Concat(
	one("exp", ShortF32, MediumF64, fn.Exp), one("exp2", ShortF32, MediumF64, fn.Exp2), one("exp10", ShortF32, MediumF64, fn.Exp10), one("expm1", ShortF32, MediumF64, fn.Expm1),
	one("log", ShortF32, MediumF64, fn.Log), one("log2", ShortF32, MediumF64, fn.Log2), one("log10", ShortF32, MediumF64, fn.Log10), one("log1p", ShortF32, MediumF64, fn.Log1p),
	two("pow", LongF32, LongF64, fn.Pow), withInt("powi", LongF32, LongF64, powi),
	one("sinh", MediumF32, LongF64, fn.Sinh), one("cosh", MediumF32, LongF64, fn.Cosh), one("tanh", MediumF32, LongF64, fn.Tanh),
	one("asinh", MediumF32, LongF64, fn.Asinh), one("acosh", MediumF32, LongF64, fn.Acosh), one("atanh", MediumF32, LongF64, fn.Atanh),
	one("sin", MediumF32, MediumF64, fn.Sin), one("cos", MediumF32, MediumF64, fn.Cos), one("tan", MediumF32, LongF64, fn.Tan), pair("sincos$", fn.Sincos),
	one("sinpi", ShortF32, MediumF64, fn.Sinpi), one("cospi", ShortF32, MediumF64, fn.Cospi), pair("sincospi$", fn.Sincospi),
	one("asin", MediumF32, MediumF64, fn.Asin), one("acos", MediumF32, MediumF64, fn.Acos), one("atan", MediumF32, MediumF64, fn.Atan), two("atan2", MediumF32, LongF64, fn.Atan2),
	one("cbrt", ShortF32, MediumF64, fn.Cbrt), one("rcbrt", ShortF32, MediumF64, fn.Rcbrt), one("rsqrt", ShortF32, ShortF64, fn.Rsqrt),
	[]compute{{"frsqrt_rn", "f>f", ShortF32, func(v *Values) { v.Results[0] = bits32(fn.Rsqrt(wide(v.Args[0]))) }}},
	two("hypot", ShortF32, ShortF64, fn.Hypot), two("rhypot", ShortF32, ShortF64, fn.Rhypot),
	three("norm3d", fn.Norm3d), three("rnorm3d", fn.Rnorm3d), four("norm4d", fn.Norm4d), four("rnorm4d", fn.Rnorm4d),
)

func powi(x float64, n int32) float64 { return fn.Pow(x, float64(n)) }

// pair is a function with two results.
func pair(name string, f func(float64) (float64, float64)) []compute {
	return []compute{
		{name, "d>dd", LongF64, func(v *Values) {
			a, b := f(f64(v.Args[0]))
			v.Results = [3]uint64{bits64(a), bits64(b)}
		}},
		{f32Name(name), "f>ff", MediumF32, func(v *Values) {
			a, b := f(wide(v.Args[0]))
			v.Results = [3]uint64{bits32(a), bits32(b)}
		}},
	}
}

// three is a function of three floats.
func three(name string, f func(a, b, c float64) float64) []compute {
	return []compute{
		{name, "ddd>d", ShortF64, func(v *Values) { v.Results[0] = bits64(f(f64(v.Args[0]), f64(v.Args[1]), f64(v.Args[2]))) }},
		{f32Name(name), "fff>f", ShortF32, func(v *Values) {
			v.Results[0] = bits32(f(wide(v.Args[0]), wide(v.Args[1]), wide(v.Args[2])))
		}},
	}
}

// four is a function of four floats.
func four(name string, f func(a, b, c, d float64) float64) []compute {
	return []compute{
		{name, "dddd>d", ShortF64, func(v *Values) {
			v.Results[0] = bits64(f(f64(v.Args[0]), f64(v.Args[1]), f64(v.Args[2]), f64(v.Args[3])))
		}},
		{f32Name(name), "ffff>f", ShortF32, func(v *Values) {
			v.Results[0] = bits32(f(wide(v.Args[0]), wide(v.Args[1]), wide(v.Args[2]), wide(v.Args[3])))
		}},
	}
}

// wide is a .f32 as a float64.
func wide(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }
