package lanes

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	negZero    = 1 << 31
	posInf     = 0x7f800000
	negInf     = 0xff800000
	subnormal  = 0x00400000 // 2^-127
	quietNaN   = 0xffc00001
	signalling = 0x7f800001
)

// TestApproximationsMatchSpecialValues is PTX's tables of special values.
func TestApproximationsMatchSpecialValues(t *testing.T) {
	one := uint64(math.Float32bits(1))
	for _, c := range []struct {
		name string
		fn   Func
		mode Mode
		want map[uint64]uint64
	}{
		{"rcp", RcpApproxF32, 0, map[uint64]uint64{0: posInf, negZero: negInf, posInf: 0, negInf: negZero, subnormal: 0x7f000000}},
		{"rcp.ftz", RcpApproxF32, FTZ, map[uint64]uint64{subnormal: posInf, negZero | subnormal: negInf, 0x7f000000: 0, 0xff000000: negZero}},
		{"rsqrt", RsqrtApproxF32, 0, map[uint64]uint64{0: posInf, negZero: negInf, posInf: 0, negInf: nanF32, one | negZero: nanF32, 1: 0x64b504f3}},
		{"rsqrt.ftz", RsqrtApproxF32, FTZ, map[uint64]uint64{subnormal: posInf, negZero | subnormal: negInf}},
		{"sqrt", SqrtApproxF32, 0, map[uint64]uint64{0: 0, negZero: negZero, posInf: posInf, negInf: nanF32, one | negZero: nanF32}},
		{"sqrt.ftz", SqrtApproxF32, FTZ, map[uint64]uint64{subnormal: 0, negZero | subnormal: negZero}},
		{"sin", SinF32, 0, map[uint64]uint64{0: 0, negZero: negZero, posInf: nanF32, negInf: nanF32, subnormal: 0, 0xb3800000: negZero, 0xcf800000: negZero, 0x344939b0: 0x34490fdb}},
		{"sin.ftz", SinF32, FTZ, map[uint64]uint64{subnormal: 0, negZero | subnormal: negZero}},
		{"cos", CosF32, 0, map[uint64]uint64{0: one, negZero: one, posInf: nanF32, negInf: nanF32, subnormal: one}},
		{"ex2", Ex2F32, 0, map[uint64]uint64{0: one, negZero: one, posInf: posInf, negInf: 0, subnormal: one, 0xc2fe0000: subnormal, 0x43000000: posInf}},
		{"ex2.ftz", Ex2F32, FTZ, map[uint64]uint64{0xc2fe0000: 0, 0xc2fc0000: 0x00800000}},
		{"lg2", Lg2F32, 0, map[uint64]uint64{0: negInf, negZero: negInf, posInf: posInf, negInf: nanF32, one: 0, one | negZero: nanF32, subnormal: 0xc2fe0000}},
		{"lg2.ftz", Lg2F32, FTZ, map[uint64]uint64{subnormal: negInf, negZero | subnormal: negInf}},
		{"tanh", TanhF32, 0, map[uint64]uint64{0: 0, negZero: negZero, posInf: one, negInf: one | negZero, subnormal: subnormal}},
	} {
		c.want[quietNaN], c.want[signalling] = nanF32, nanF32
		for x, want := range c.want {
			newFloatBench(Op{Mode: c.mode}).run(c.fn, F32, F32, []triple{{x}}, func(_ triple, got uint64) {
				if got != want {
					t.Errorf("%s(%08x) = %08x, want %08x", c.name, x, got, want)
				}
			})
		}
	}
}

func TestF64ApproximationsHaveExpectedBits(t *testing.T) {
	const nan = 0x7fffffff << 32
	bits := math.Float64bits
	for _, c := range []struct {
		name string
		fn   Func
		want map[uint64]uint64
	}{
		{"rsqrt", RsqrtApproxF64, map[uint64]uint64{
			0: bits(math.Inf(1)), 1 << 63: bits(math.Inf(-1)), bits(math.Inf(1)): 0, bits(-1): nan, bits(math.NaN()): nan,
			bits(2): 0x3fe6a09e667f3bcc, bits(0x1p-1074): bits(0x1p537),
		}},
		{"rcp.ftz", RcpApproxFtzF64, map[uint64]uint64{
			0: bits(math.Inf(1)), 1 << 63: bits(math.Inf(-1)), bits(math.Inf(-1)): 1 << 63, bits(math.NaN()): nan,
			bits(0x1p-1030): bits(math.Inf(1)), bits(0x1p1023): 0, // subnormal, and its reciprocal
			bits(3): 0x3fd55555 << 32, bits(3) | 0xffffffff: 0x3fd55555 << 32,
		}},
		{"rsqrt.ftz", RsqrtApproxFtzF64, map[uint64]uint64{
			0: bits(math.Inf(1)), 1 << 63: bits(math.Inf(-1)), bits(math.Inf(1)): 0, bits(-1): nan, bits(math.NaN()): nan,
			bits(2): 0x3fe6a09e << 32, 1<<63 | 1: bits(math.Inf(-1)),
		}},
	} {
		for x, want := range c.want {
			newFloatBench(Op{}).run(c.fn, F64, F64, []triple{{x}}, func(_ triple, got uint64) {
				if got != want {
					t.Errorf("%s.f64(%016x) = %016x, want %016x", c.name, x, got, want)
				}
			})
		}
	}
}

func TestApproximateQuotientsMatchISA(t *testing.T) {
	f := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	for _, c := range []struct {
		x, y         uint64
		mode         Mode
		approx, full uint64
	}{
		{f(6), f(3), 0, f(2), f(2)},
		{f(1), f(3), 0, 0x3eaaaaab, 0x3eaaaaab},
		{f(1), f(0x1p126), 0, f(0x1p-126), f(0x1p-126)},
		{f(0x1p100), f(0x1p127), 0, 0, f(0x1p-27)}, // the reciprocal is subnormal
		{f(-0x1p100), f(0x1p127), 0, negZero, f(-0x1p-27)},
		{f(0x1p100), f(-0x1p127), 0, negZero, f(-0x1p-27)},
		{posInf, f(0x1p127), 0, nanF32, posInf},
		{posInf, negInf, 0, nanF32, nanF32},
		{0, 0, 0, nanF32, nanF32},
		{f(1), negZero, 0, negInf, negInf},
		{f(1), negInf, 0, negZero, negZero},
		{quietNaN, f(0x1p127), 0, nanF32, nanF32},
		{f(1), signalling, 0, nanF32, nanF32},
		{f(1), subnormal, FTZ, posInf, posInf},
		{subnormal, f(0.5), FTZ, 0, 0},
		{f(0x1p-126), f(2), FTZ, 0, 0},
		{f(0x1p-126), f(2), 0, subnormal, subnormal},
	} {
		for _, d := range []struct {
			name string
			fn   Func
			want uint64
		}{{"approx", DivApproxF32, c.approx}, {"full", DivFullF32, c.full}} {
			newFloatBench(Op{Mode: c.mode}).run(d.fn, F32, F32, []triple{{c.x, c.y}}, func(_ triple, got uint64) {
				if got != d.want {
					t.Errorf("div.%s(%08x, %08x) mode %d = %08x, want %08x", d.name, c.x, c.y, c.mode, got, d.want)
				}
			})
		}
	}
}

// sinSeries and exp are Taylor's series in 200 bits, for |x| up to about 20.
func sinSeries(x float64, first int) float64 {
	return series(new(big.Float).SetPrec(200).SetFloat64(x), first, 2, true)
}

func series(x *big.Float, first, step int, alternate bool) float64 {
	newFloat := func() *big.Float { return new(big.Float).SetPrec(200) }
	sum, term := newFloat(), newFloat().SetInt64(1)
	if first == 1 {
		term.Set(x)
	}
	for k := first; k < first+step*120; k += step {
		sum.Add(sum, term)
		for j := range step {
			term.Quo(term.Mul(term, x), newFloat().SetInt64(int64(k+j+1)))
		}
		if alternate {
			term.Neg(term)
		}
	}
	r, _ := sum.Float64()
	return r
}

// exp2Series is 2^x by the series of e^(x ln 2).
func exp2Series(x float64) float64 {
	const ln2 = "0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996418687"
	l, _, err := big.ParseFloat(ln2, 10, 200, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return series(l.Mul(l, new(big.Float).SetFloat64(x)), 0, 1, false)
}

// TestApproximationsAreAccurate checks that the approximations are within slightly more than half a unit in the last
// place, against series and inverses; sine and cosine within the resolution of their argument, turns in 24 bits and in
// 1 / 2^25.
func TestApproximationsAreAccurate(t *testing.T) {
	const slack = 0.5001
	ulp := func(x float64) float64 {
		y := float32(math.Abs(x))
		return float64(math.Nextafter32(y, math.MaxFloat32)) - float64(y)
	}
	for _, c := range []struct {
		name   string
		fn     Func
		lo, hi float64
		off    func(got, x float64) float64 // the error
	}{
		{"sin", SinF32, -20, 20, func(got, x float64) float64 { return got - sinSeries(x, 1) }},
		{"cos", CosF32, -20, 20, func(got, x float64) float64 { return got - sinSeries(x, 0) }},
		{"ex2", Ex2F32, -20, 20, func(got, x float64) float64 { return got - exp2Series(x) }},
		// d lg2(x) is dx / (x ln 2)
		{"lg2", Lg2F32, 0.01, 100, func(got, x float64) float64 { return (exp2Series(got) - x) / (x * math.Ln2) }},
		{"lg2 near 1", Lg2F32, 0.999, 1.001, func(got, x float64) float64 { return (exp2Series(got) - x) / (x * math.Ln2) }},
		{"tanh", TanhF32, -5, 5, func(got, x float64) float64 {
			e := exp2Series(2 * x / math.Ln2)
			return got - (e-1)/(e+1)
		}},
		{"rsqrt", RsqrtApproxF32, 0.01, 100, func(got, x float64) float64 { return (got*got*x - 1) / 2 * got }},
		{"rcp", RcpApproxF32, -10, 10, func(got, x float64) float64 { return got - 1/x }},
	} {
		r := rand.New(rand.NewPCG(3, 4))
		var cases []triple
		for range 500 {
			cases = append(cases, triple{uint64(math.Float32bits(float32(c.lo + (c.hi-c.lo)*r.Float64())))})
		}
		newFloatBench(Op{}).run(c.fn, F32, F32, cases, func(v triple, got uint64) {
			x, y := refValue(F32, v[0]), refValue(F32, got)
			steps := 0.0
			if strings.Contains("sin cos", c.name) {
				turns := math.Abs(x) / (2 * math.Pi)
				steps = 2 * math.Pi * (turns*(0x1p-23+0x1p-24) + 0x1p-25)
			}
			if off := c.off(y, x); math.Abs(off) > slack*ulp(y)+steps {
				t.Errorf("%s(%g) = %g: off by %g, %.3f ulp", c.name, x, y, off, off/ulp(y))
			}
		})
	}
}
