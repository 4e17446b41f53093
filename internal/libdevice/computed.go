package libdevice

import (
	"math"
	"slices"

	"github.com/simtrun/simtrun/internal/libdevice/fn"
)

// compute is a Go function.
type compute struct {
	name string // without the prefix
	sig  string // a letter for each parameter, and after > for each result (see letters)
	cost Cost
	of   any // the function, of one of the types that Func.EvalLanes calls
}

// computed returns the Go functions, by subject. Names with a $ are of functions that only bodies call.
func computed() []compute {
	return slices.Concat(exact(), elementary(), special(), simd())
}

// exact returns the functions of floats with results that are exact, or rounded once.
func exact() []compute {
	return slices.Concat(
		apartTwo("fmod", Remainder, Remainder, fn.Mod, singleMod), both("remainder", Remainder, fn.Remainder),
		bothTo("remquo$", "i", Remainder, func(a, b float64) (float64, uint64) { r, q := fn.Remquo(a, b); return r, uint64(uint32(q)) }),
		[]compute{
			ofValues("frexp$", "d>di", Bits, func(v Values) [3]uint64 {
				m, e := fn.Frexp(f64(v.Args[0]))
				return [3]uint64{bits64(m), uint64(uint32(e))}
			}),
			ofValues("frexpf$", "f>fi", Bits, func(v Values) [3]uint64 {
				m, e := fn.Frexp(wide(v.Args[0]))
				return [3]uint64{bits32(m), uint64(uint32(e))}
			}),
			ofValues("modf$", "d>dd", Bits, func(v Values) [3]uint64 {
				frac, whole := fn.Modf(f64(v.Args[0]))
				return [3]uint64{bits64(frac), bits64(whole)}
			}),
			ofValues("modff$", "f>ff", Bits, func(v Values) [3]uint64 {
				frac, whole := fn.Modf(wide(v.Args[0]))
				return [3]uint64{bits32(frac), bits32(whole)}
			}),
			ofValues("nextafter", "dd>d", Bits, func(v Values) [3]uint64 {
				return [3]uint64{bits64(fn.Nextafter(f64(v.Args[0]), f64(v.Args[1])))}
			}),
			ofValues("nextafterf", "ff>f", Bits, func(v Values) [3]uint64 {
				return [3]uint64{uint64(math.Float32bits(fn.Nextafter32(f32(v.Args[0]), f32(v.Args[1]))))}
			}),
			ofValues("nan_digit$", "li>l", Bits, func(v Values) [3]uint64 { return [3]uint64{fn.NaNDigit(v.Args[0], byte(v.Args[1]))} }),
			ofValues("add_square$", "lddd>ldd", Bits, func(v Values) [3]uint64 {
				s := fn.Squares{Exp: int64(v.Args[0]), Hi: f64(v.Args[1]), Lo: f64(v.Args[2])}
				s.Add(f64(v.Args[3]))
				return [3]uint64{uint64(s.Exp), math.Float64bits(s.Hi), math.Float64bits(s.Lo)}
			}),
		},
		ofSquares("norm$", fn.Squares.Norm), ofSquares("rnorm$", fn.Squares.Rnorm),
		withInt("ldexp", Bits, Bits, fn.Ldexp), withInt("scalbn", Bits, Bits, fn.Ldexp),
		one("logb", Bits, Bits, fn.Logb), toInt("ilogb", fn.Ilogb),
	)
}

func f64(bits uint64) float64 { return math.Float64frombits(bits) }
func f32(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }

// bits32 returns the bits of x rounded to .f32. NaN is the one of all instructions on .f32.
func bits32(x float64) uint64 {
	if x != x {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(float32(x)))
}

// ofValues returns a function that is computed lane by lane.
func ofValues(name, sig string, cost Cost, eval func(v Values) [3]uint64) compute {
	return compute{name, sig, cost, eval}
}

// f32Name returns the name of the function for .f32: sincosf for sincos, normf$ for norm$.
func f32Name(name string) string {
	if n := len(name) - 1; name[n] == '$' {
		return name[:n] + "f$"
	}
	return name + "f"
}

// one returns a function of one float for .f64, and the same rounded once more for .f32: its error is half an ulp and
// 2^-29 of an ulp.
func one(name string, cost32, cost64 Cost, f func(float64) float64) []compute {
	return []compute{{name, "d>d", cost64, f}, {f32Name(name), "f>f", cost32, f}}
}

// both returns a function of two floats for .f64 and for .f32.
func both(name string, cost Cost, f func(a, b float64) float64) []compute {
	return two(name, cost, cost, f)
}

func two(name string, cost32, cost64 Cost, f func(a, b float64) float64) []compute {
	return []compute{{name, "dd>d", cost64, f}, {f32Name(name), "ff>f", cost32, f}}
}

// bothTo returns a function of two floats with a second result of the given type.
func bothTo(name, second string, cost Cost, f func(a, b float64) (float64, uint64)) []compute {
	return []compute{
		ofValues(name, "dd>d"+second, cost, func(v Values) [3]uint64 {
			r, q := f(f64(v.Args[0]), f64(v.Args[1]))
			return [3]uint64{bits64(r), q}
		}),
		ofValues(f32Name(name), "ff>f"+second, cost, func(v Values) [3]uint64 {
			r, q := f(wide(v.Args[0]), wide(v.Args[1]))
			return [3]uint64{bits32(r), q}
		}),
	}
}

// withInt returns a function of a float and an int.
func withInt(name string, cost32, cost64 Cost, f func(a float64, n int32) float64) []compute {
	return []compute{{name, "di>d", cost64, f}, {f32Name(name), "fi>f", cost32, f}}
}

// toInt returns a function of a float with an int as its result.
func toInt(name string, f func(a float64) int32) []compute {
	return []compute{{name, "d>i", Bits, f}, {f32Name(name), "f>i", Bits, f}}
}

// ofSquares returns a function of a sum of squares.
func ofSquares(name string, f func(fn.Squares) float64) []compute {
	eval := func(v Values) float64 {
		return f(fn.Squares{Exp: int64(v.Args[0]), Hi: f64(v.Args[1]), Lo: f64(v.Args[2])})
	}
	return []compute{
		ofValues(name, "ldd>d", ShortF64, func(v Values) [3]uint64 { return [3]uint64{bits64(eval(v))} }),
		ofValues(f32Name(name), "ldd>f", ShortF32, func(v Values) [3]uint64 { return [3]uint64{bits32(eval(v))} }),
	}
}

// bits64 returns the bits of x. All NaNs become the same one.
func bits64(x float64) uint64 {
	if x != x {
		return 0x7ff8000000000000
	}
	return math.Float64bits(x)
}
