package fn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNumbersStayNumbers: if a function is defined, its result is a number or infinite, even if intermediate results
// could overflow or underflow.
func TestNumbersStayNumbers(t *testing.T) {
	one := func(f func(float64) float64) func(x, y float64, n int32) float64 {
		return func(x, _ float64, _ int32) float64 { return f(x) }
	}
	positive := func(f func(float64) float64) func(x, y float64, n int32) float64 {
		return func(x, _ float64, _ int32) float64 { return f(math.Abs(x)) }
	}
	unit := func(f func(float64) float64) func(x, y float64, n int32) float64 { // from 0 to 1
		return func(x, _ float64, _ int32) float64 { return f(math.Ldexp(math.Abs(x), -1024)) }
	}
	functions := map[string]func(x, y float64, n int32) float64{
		"exp": one(Exp), "exp2": one(Exp2), "exp10": one(Exp10), "expm1": one(Expm1), "sinh": one(Sinh), "cosh": one(Cosh), "tanh": one(Tanh), "asinh": one(Asinh),
		"sin": one(Sin), "cos": one(Cos), "tan": one(Tan), "sinpi": one(Sinpi), "cospi": one(Cospi), "atan": one(Atan), "cbrt": one(Cbrt), "rcbrt": one(Rcbrt),
		"erf": one(Erf), "erfc": one(Erfc), "erfcx": one(Erfcx), "normcdf": one(Normcdf), "lgamma": one(Lgamma), "j0": one(J0), "j1": one(J1), "i0": one(CylBesselI0), "i1": one(CylBesselI1),
		"log": positive(Log), "log2": positive(Log2), "log10": positive(Log10), "log1p": positive(Log1p), "rsqrt": positive(Rsqrt), "y0": positive(Y0), "y1": positive(Y1), "tgamma": positive(Tgamma),
		"erfinv": unit(Erfinv), "erfcinv": unit(Erfcinv), "normcdfinv": unit(Normcdfinv), "asin": unit(Asin), "acos": unit(Acos), "atanh": unit(Atanh),
		"pow":   func(x, y float64, _ int32) float64 { return Pow(math.Abs(x), y) },
		"atan2": func(x, y float64, _ int32) float64 { return Atan2(x, y) }, "hypot": func(x, y float64, _ int32) float64 { return Hypot(x, y) }, "rhypot": func(x, y float64, _ int32) float64 { return Rhypot(x, y) },
		"jn": func(x, _ float64, n int32) float64 { return Jn(n, x) }, "yn": func(x, _ float64, n int32) float64 { return Yn(n, math.Abs(x)) },
	}
	n := 20000
	if testing.Short() {
		n = 2000
	}
	rng := rand.New(rand.NewPCG(3, 9))
	for range n {
		x, y, order := math.Float64frombits(rng.Uint64()), math.Float64frombits(rng.Uint64()), rng.Int32N(60)
		if !isFinite(x) || !isFinite(y) {
			continue
		}
		for name, f := range functions {
			if v := f(x, y, order); v != v {
				t.Errorf("%s(%v, %v, %v) is not a number", name, x, y, order)
			}
		}
	}
}

// TestNegativePowersHaveSignOfOddExponents: in single precision they are those of the positive numbers, with a sign for
// odd powers.
func TestNegativePowersHaveSignOfOddExponents(t *testing.T) {
	for x := 0.001; x < 1000; x *= 1.37 {
		for n := -9.0; n <= 9; n++ {
			want := PowSingle(x, n)
			if math.Mod(n, 2) != 0 {
				want = -want
			}
			if got := PowSingle(-x, n); got != want {
				t.Errorf("(%v)^%v is %v, want %v", -x, n, got, want)
			}
		}
		if got := PowSingle(-x, 0.5); got == got {
			t.Errorf("the root of %v is %v", -x, got)
		}
	}
}

// TestConstantsOfCodeAreThoseOfFunctions: the constants for compilers are those of the functions.
func TestConstantsOfCodeAreThoseOfFunctions(t *testing.T) {
	got := []float64{Log2E, Log10E, Ln2Hi, Ln2Lo, Ln10, TwoOverPi, HalfPiHi, HalfPiLo}
	for i, want := range []float64{log2e.hi, log10e.hi, ln2.hi, ln2.lo, ln10.hi, twoOverPiDD.hi, halfPi.hi, halfPi.lo} {
		if got[i] != want {
			t.Errorf("constant %d is %x, want %x", i, got[i], want)
		}
	}
	for i, r := range reciprocals {
		if want := 64 / float64(i+FirstReciprocal); r.reciprocal != want { // code divides
			t.Errorf("reciprocal %d is %x, want %x", i, r.reciprocal, want)
		}
	}
}
