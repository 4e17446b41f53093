package libdevice

import (
	"math"
	"slices"

	"github.com/simtrun/simtrun/internal/libdevice/fn"
)

// elementary returns the elementary functions.
func elementary() []compute {
	return slices.Concat(
		apart("exp", ShortF32, MediumF64, fn.Exp, fn.ExpSingle), one("exp2", ShortF32, MediumF64, fn.Exp2)[:1], apart("exp10", ShortF32, MediumF64, fn.Exp10, fn.Exp10Single), apart("expm1", ShortF32, MediumF64, fn.Expm1, fn.Expm1Single),
		apart("log", ShortF32, MediumF64, fn.Log, fn.LogSingle), apart("log2", ShortF32, MediumF64, fn.Log2, fn.Log2Single), apart("log10", ShortF32, MediumF64, fn.Log10, fn.Log10Single), apart("log1p", ShortF32, MediumF64, fn.Log1p, quick(math.Log1p, fn.Log1pSingle)),
		apartTwo("pow", LongF32, LongF64, fn.Pow, fn.PowSingle), withInt("powi", LongF32, LongF64, powi),
		apart("sinh", MediumF32, LongF64, fn.Sinh, quick(math.Sinh, fn.SinhSingle)), apart("cosh", MediumF32, LongF64, fn.Cosh, quick(math.Cosh, fn.CoshSingle)), apart("tanh", MediumF32, LongF64, fn.Tanh, fn.TanhSingle),
		apart("asinh", MediumF32, LongF64, fn.Asinh, quick(math.Asinh, fn.Asinh)), apart("acosh", MediumF32, LongF64, fn.Acosh, quick(math.Acosh, fn.Acosh)), apart("atanh", MediumF32, LongF64, fn.Atanh, quick(math.Atanh, fn.Atanh)),
		apart("sin", MediumF32, MediumF64, fn.Sin, fn.SinSingle), apart("cos", MediumF32, MediumF64, fn.Cos, fn.CosSingle), apart("tan", MediumF32, LongF64, fn.Tan, fn.TanSingle), pair("sincos$", fn.Sincos, fn.SincosSingle),
		apart("sinpi", ShortF32, MediumF64, fn.Sinpi, fn.SinpiSingle), apart("cospi", ShortF32, MediumF64, fn.Cospi, fn.CospiSingle), pair("sincospi$", fn.Sincospi, fn.SincospiSingle),
		apart("asin", MediumF32, MediumF64, fn.Asin, quick(math.Asin, fn.AsinSingle)), apart("acos", MediumF32, MediumF64, fn.Acos, quick(math.Acos, fn.AcosSingle)), apart("atan", MediumF32, MediumF64, fn.Atan, quick(math.Atan, fn.AtanSingle)), apartTwo("atan2", MediumF32, LongF64, fn.Atan2, quickTwo(math.Atan2, fn.Atan2Single)),
		apart("cbrt", ShortF32, MediumF64, fn.Cbrt, quick(math.Cbrt, fn.Cbrt)), apart("rcbrt", ShortF32, MediumF64, fn.Rcbrt, quick(rcbrt, fn.Rcbrt)), one("rsqrt", ShortF32, ShortF64, fn.Rsqrt)[:1],
		[]compute{{"frsqrt_rn", "f>f", ShortF32, fn.Rsqrt}},
		apartTwo("hypot", ShortF32, ShortF64, fn.Hypot, quickTwo(hypot, fn.Hypot)), apartTwo("rhypot", ShortF32, ShortF64, fn.Rhypot, quickTwo(rhypot, fn.Rhypot)),
		three("norm3d", fn.Norm3d, norm3), three("rnorm3d", fn.Rnorm3d, rnorm3), four("norm4d", fn.Norm4d, norm4), four("rnorm4d", fn.Rnorm4d, rnorm4),
	)
}

func powi(x float64, n int32) float64 { return fn.Pow(x, float64(n)) }

// apart returns the double- and single-precision versions of a function of one float: f computes the first, and single,
// which is only as accurate as single precision needs, the second.
func apart(name string, cost32, cost64 Cost, f, single func(float64) float64) []compute {
	return []compute{one(name, cost32, cost64, f)[0], one(name, cost32, cost64, single)[1]}
}

// apartTwo is apart for a function of two floats.
func apartTwo(name string, cost32, cost64 Cost, f, single func(a, b float64) float64) []compute {
	return []compute{two(name, cost32, cost64, f)[0], two(name, cost32, cost64, single)[1]}
}

// pair returns a function with two results.
func pair(name string, f, single func(float64) (float64, float64)) []compute {
	return []compute{
		ofValues(name, "d>dd", LongF64, func(v Values) [3]uint64 {
			a, b := f(f64(v.Args[0]))
			return [3]uint64{bits64(a), bits64(b)}
		}),
		ofValues(f32Name(name), "f>ff", MediumF32, func(v Values) [3]uint64 {
			a, b := single(wide(v.Args[0]))
			return [3]uint64{bits32(a), bits32(b)}
		}),
	}
}

// three returns a function of three floats. approx is that of quick.
func three(name string, f, approx func(a, b, c float64) float64) []compute {
	single := func(a, b, c float64) float64 {
		if x := approx(a, b, c); settled(x) {
			return x
		}
		return f(a, b, c)
	}
	return []compute{{name, "ddd>d", ShortF64, f}, {f32Name(name), "fff>f", ShortF32, single}}
}

// four returns a function of four floats. approx is that of quick.
func four(name string, f, approx func(a, b, c, d float64) float64) []compute {
	single := func(a, b, c, d float64) float64 {
		if x := approx(a, b, c, d); settled(x) {
			return x
		}
		return f(a, b, c, d)
	}
	return []compute{{name, "dddd>d", ShortF64, f}, {f32Name(name), "ffff>f", ShortF32, single}}
}

// wide returns a .f32 as a float64.
func wide(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }
