package fn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// arguments returns n numbers up to most: uniform ones, of all magnitudes, and next to multiples of 1/64 and of
// step.
func arguments(n int, most, step float64) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]float64, 0, n)
	for len(all) < n {
		var x float64
		switch r.IntN(5) {
		case 0:
			x = r.Float64() * most
		case 1:
			x = math.Exp2(-60*r.Float64()) * most
		case 2:
			x = math.Trunc(r.Float64()*most*64) / 64
		case 3:
			x = math.Trunc(r.Float64()*most/step) * step
		case 4:
			x = 1 + math.Exp2(-53*r.Float64())*float64(1-2*r.IntN(2))
		}
		for range r.IntN(3) {
			x = math.Nextafter(x, math.Inf(1-2*r.IntN(2)))
		}
		if r.IntN(2) == 0 {
			x = -x
		}
		if a := math.Abs(x); a <= most && a > 0x1p-200 { // smaller ones have paths of their own
			all = append(all, x)
		}
	}
	return all
}

// TestQuickErrorsAreBounded: the functions of the fast paths differ from those with 100 bits by at most a quarter of
// the errors that the fast paths assume.
func TestQuickErrorsAreBounded(t *testing.T) {
	worst := make(map[string]float64)
	check := func(name string, x float64, got, want dd, bound float64) {
		d := math.Abs(got.sub(want).float())
		if d > bound/4 {
			t.Fatalf("%s(%x): %x %x, want %x %x; error %.3g of the bound", name, x, got.hi, got.lo, want.hi, want.lo, d/bound)
		}
		if bound > 0 {
			worst[name] = max(worst[name], d/bound)
		}
	}
	relative := func(v dd) float64 { return math.Abs(v.hi) * quickError }
	for _, x := range arguments(300_000, quickExpMost, math.Ln2/128) {
		m, k := quickExp(dd{hi: x})
		s, j := expReduced(dd{hi: x})
		want := dd{hi: 1}.add(s).twice(math.Ldexp(1, j-k))
		check("exp", x, m, want, relative(want))
		lo := x * 0x1p-54
		m, k = quickExp(dd{x, lo})
		s, j = expReduced(dd{x, lo})
		want = dd{hi: 1}.add(s).twice(math.Ldexp(1, j-k))
		check("exp of a sum", x, m, want, relative(want))
		want = logOf(dd{hi: math.Abs(x) + 0x1p-1022})
		check("log", x, quickLog(dd{hi: math.Abs(x) + 0x1p-1022}), want, quickLogError(want.hi))
	}
	for _, x := range arguments(300_000, 1, math.Ln2/128) {
		want := expm1Of(dd{hi: x})
		check("expm1", x, quickExpm1(dd{hi: x}), want, relative(want))
		want = atanOf(dd{hi: math.Abs(x)}, dd{hi: 0.7})
		check("atan", x, quickAtan(dd{hi: math.Abs(x)}, dd{hi: 0.7}), want, relative(want))
		want = logNear(dd{hi: x / 90})
		check("log near 1", x, quickLogNear(dd{hi: x / 90}), want, relative(want))
		if x > -1 && math.Abs(x) > 1.0/128 {
			want = logOf(twoSum(1, x))
			check("log1p", x, quickLog(twoSum(1, x)), want, quickLogError(want.hi))
		}
	}
	for _, x := range arguments(100_000, 26, 0.1) {
		if x > -10 {
			m, k := quickErfc(dd{hi: x})
			want, j := erfcOf(dd{hi: x})
			want = want.twice(math.Ldexp(1, j-k))
			check("erfc", x, m, want, relative(want))
		}
		if math.Abs(x) <= 2 {
			want := erfNear(dd{hi: x})
			check("erf", x, quickErf(dd{hi: x}), want, relative(want))
		}
	}
	for _, x := range arguments(300_000, quickReduced-1, math.Pi/4) {
		r, n := quickQuadrant(x)
		want, wantN := quadrant(x)
		if n != wantN { // next to an odd multiple of pi/4
			want = want.add(halfPi.twice(float64((wantN-n+5)&3 - 1)))
		}
		check("quadrant", x, r, want, quickReduction)
		sin, cos := quickSincos(r)
		check("sin", x, sin, sinNear(r), relative(sin))
		check("cos", x, cos, cosNear(r), relative(cos))
	}
	t.Log(worst)
}

// TestQuickResultsAreThoseOf100Bits: functions with a fast path have the results of the definitions with 100 bits, and
// nearly always take it.
func TestQuickResultsAreThoseOf100Bits(t *testing.T) {
	for _, f := range []struct {
		name       string
		most, step float64
		f, want    func(x float64) float64
	}{
		{"exp", 750, math.Ln2 / 128, Exp, func(x float64) float64 { return expOf(dd{hi: x}) }},
		{"exp10", 330, 1.0 / 3, Exp10, func(x float64) float64 { return expOf(ln10.times(x)) }},
		{"exp2", 1080, 1.0 / 3, Exp2, func(x float64) float64 { return expOf(ln2.times(x)) }},
		{"expm1", 59, math.Ln2 / 128, Expm1, func(x float64) float64 {
			m, k := expm1DD(dd{hi: x})
			return m.scale(k)
		}},
		{"log", 1e300, 1, func(x float64) float64 { return Log(math.Abs(x)) }, func(x float64) float64 { return logOf(dd{hi: math.Abs(x)}).float() }},
		{"log near 1", 2, 1, func(x float64) float64 { return Log(math.Abs(x)) }, func(x float64) float64 { return logOf(dd{hi: math.Abs(x)}).float() }},
		{"log2", 1e6, 1, func(x float64) float64 { return Log2(math.Abs(x)) }, func(x float64) float64 { return logOf(dd{hi: math.Abs(x)}).mul(log2e).float() }},
		{"log10", 1e6, 10, func(x float64) float64 { return Log10(math.Abs(x)) }, func(x float64) float64 { return logOf(dd{hi: math.Abs(x)}).mul(log10e).float() }},
		{"log1p", 100, 0.1, func(x float64) float64 { return Log1p(math.Abs(x)) }, func(x float64) float64 { return logOf(twoSum(1, math.Abs(x))).float() }},
		{"pow 3.7", 1e80, 1, func(x float64) float64 { return Pow(math.Abs(x), 3.7) }, func(x float64) float64 { return expOf(logOf(dd{hi: math.Abs(x)}).times(3.7)) }},
		{"pow 2", 1e9, 1, func(x float64) float64 { return Pow(math.Abs(x), 2) }, func(x float64) float64 { return expOf(logOf(dd{hi: math.Abs(x)}).times(2)) }},
		{"1.7 to a power", 1300, 0.5, func(x float64) float64 { return Pow(1.7, x) }, func(x float64) float64 { return expOf(logOf(dd{hi: 1.7}).times(x)) }},
		{"sin", 3e5, math.Pi / 4, Sin, func(x float64) float64 { return sinQuadrant(quadrant(x)).float() }},
		{"cos", 3e5, math.Pi / 4, Cos, func(x float64) float64 { r, n := quadrant(x); return sinQuadrant(r, n+1).float() }},
		{"sincos", 30, math.Pi / 4, func(x float64) float64 { s, _ := Sincos(x); return s }, Sin},
		{"cos of sincos", 30, math.Pi / 4, func(x float64) float64 { _, c := Sincos(x); return c }, Cos},
		{"tan", 100, math.Pi / 4, Tan, func(x float64) float64 {
			r, n := quadrant(x)
			return sinQuadrant(r, n).div(sinQuadrant(r, n+1)).float()
		}},
		{"sinpi", 10, 0.25, Sinpi, func(x float64) float64 {
			r, n := halves(x)
			return sinQuadrant(piDD.times(r), n).float()
		}},
		{"atan", 100, 1, Atan, func(x float64) float64 {
			return math.Copysign(atanOf(dd{hi: math.Abs(x)}, dd{hi: 1}).float(), x)
		}},
		{"asin", 1, 0.1, Asin, func(x float64) float64 {
			return math.Copysign(atanOf(dd{hi: math.Abs(x)}, otherLeg(math.Abs(x))).float(), x)
		}},
		{"acos", 1, 0.1, Acos, func(x float64) float64 {
			angle := atanOf(otherLeg(math.Abs(x)), dd{hi: math.Abs(x)})
			if x < 0 {
				angle = piDD.sub(angle)
			}
			return angle.float()
		}},
		{"atan2 of negative x", 100, 1, func(x float64) float64 { return Atan2(x, -0.7) }, func(x float64) float64 {
			m, e := math.Frexp(math.Abs(x))
			return math.Copysign(piDD.sub(atanOf(dd{hi: math.Ldexp(m, e)}, dd{hi: 0.7})).float(), x)
		}},
		{"erf", 7, 0.1, Erf, func(x float64) float64 {
			if math.Abs(x) <= 2 {
				return erfNear(dd{hi: x}).float()
			}
			m, k := erfcOf(dd{hi: math.Abs(x)})
			return math.Copysign(dd{hi: 1}.sub(m.twice(math.Ldexp(1, k))).float(), x)
		}},
		{"erfc", 29, 0.1, Erfc, func(x float64) float64 {
			m, k := erfcOf(dd{hi: max(x, -10)})
			return m.scale(k)
		}},
		{"normcdf", 37, 0.1, Normcdf, func(x float64) float64 {
			m, k := erfcOf(rootHalf.times(-min(x, 10)))
			return m.scale(k - 1)
		}},
		{"sinh", 711, 0.1, Sinh, func(x float64) float64 {
			a := math.Abs(x)
			if a < 1 {
				e := expm1Of(dd{hi: a})
				return math.Copysign(e.add(e.div(e.plus(1))).float()/2, x)
			}
			m, k := expDD(dd{hi: a})
			return math.Copysign(m.sub(dd{hi: 1}.div(m).twice(math.Ldexp(1, -2*k))).scale(k-1), x)
		}},
		{"cosh", 711, 0.1, Cosh, func(x float64) float64 {
			m, k := expDD(dd{hi: math.Abs(x)})
			return m.add(dd{hi: 1}.div(m).twice(math.Ldexp(1, -2*k))).scale(k - 1)
		}},
		{"tanh", 39, 0.1, Tanh, func(x float64) float64 {
			e := expm1Of(dd{hi: 2 * math.Abs(x)})
			return math.Copysign(e.div(e.plus(2)).float(), x)
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			for _, x := range arguments(50_000, f.most, f.step) {
				if got, want := f.f(x), f.want(x); got != want && !(got != got && want != want) {
					t.Fatalf("%x (%v): got %x, want %x", x, x, got, want)
				}
			}
		})
	}
}

// TestTanhSingleRoundsLikeMathTanh: rounded to .f32, TanhSingle is what tanh.approx.f32 is, math.Tanh. That holds for
// all 2^32 arguments; the test has one in 997.
func TestTanhSingleRoundsLikeMathTanh(t *testing.T) {
	for bits := uint64(0); bits < 1<<32; bits += 997 {
		x := float64(math.Float32frombits(uint32(bits)))
		if x != x {
			continue
		}
		if got, want := float32(TanhSingle(x)), float32(math.Tanh(x)); math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("tanh(%x) = %x, want %x", x, got, want)
		}
	}
}
