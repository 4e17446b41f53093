package conformance

import "math"

// approximation is a function for which PTX gives error bounds.
type approximation struct {
	sources int
	f       func(x, y float64) float64
	// within reports whether got is close enough to want, which is not infinite, NaN or zero.
	within func(f form, x, y, want, got float64) bool
}

// relative is a bound on the relative error.
func relative(bound float64) func(form, float64, float64, float64, float64) bool {
	return func(f form, _, _, want, got float64) bool {
		return math.Abs(got-want) <= math.Abs(want)*bound || underflows(f, want, got)
	}
}

// underflows reports whether got is off by at most the last place of a subnormal number, or flushed if the form says
// so.
func underflows(f form, want, got float64) bool {
	const leastNormal, least = 0x1p-126, 0x1p-149
	if f.types[0] != "f32" || math.Abs(want) > leastNormal {
		return false
	}
	return math.Abs(got-want) <= least || f.has("ftz") && got == 0
}

// lastPlaces is a bound in units of the last place of a .f32.
func lastPlaces(n float64) func(form, float64, float64, float64, float64) bool {
	return func(f form, _, _, want, got float64) bool {
		exponent := max(math.Ilogb(want), -126)
		overflow := math.IsInf(got, 0) && math.Abs(want) > math.MaxFloat32*(1-n*0x1p-24)
		return overflow || math.Abs(got-want) <= n*math.Ldexp(1, exponent-23) || underflows(f, want, got)
	}
}

// trigonometric is the bound of sin and cos, which has no limit for large x.
func trigonometric(_ form, x, _, want, got float64) bool {
	switch x = math.Abs(x); {
	case x <= 2*math.Pi:
		return math.Abs(got-want) <= math.Pow(2, -20.5)
	case x <= 100*math.Pi:
		return math.Abs(got-want) <= math.Pow(2, -14.7)
	}
	return math.Abs(got) <= 1
}

// logarithm is the bound of lg2.
func logarithm(f form, x, y, want, got float64) bool {
	if x > 0.5 && x < 2 {
		return math.Abs(got-want) <= 0x1p-22
	}
	return relative(0x1p-22)(f, x, y, want, got)
}

// quotientBound is the bound of div, which for .approx holds only while 1/b is normal.
func quotientBound(f form, x, y, want, got float64) bool {
	open := f.has("approx") && math.Abs(y) < 0x1p-126
	return open && math.IsInf(got, 0) || lastPlaces(2)(f, x, y, want, got)
}

// rsqrtBound is the bound of rsqrt.
var rsqrtBound = math.Pow(2, -22.9)

var approximations = map[string]approximation{
	"div":   {2, func(x, y float64) float64 { return x / y }, quotientBound},
	"rcp":   {1, func(x, _ float64) float64 { return 1 / x }, lastPlaces(1)},
	"sqrt":  {1, func(x, _ float64) float64 { return math.Sqrt(x) }, relative(0x1p-23)},
	"rsqrt": {1, func(x, _ float64) float64 { return 1 / math.Sqrt(x) }, relative(rsqrtBound)},
	"sin":   {1, func(x, _ float64) float64 { return math.Sin(x) }, trigonometric},
	"cos":   {1, func(x, _ float64) float64 { return math.Cos(x) }, trigonometric},
	"ex2":   {1, func(x, _ float64) float64 { return math.Exp2(x) }, lastPlaces(2)},
	"lg2":   {1, func(x, _ float64) float64 { return math.Log2(x) }, logarithm},
	"tanh":  {1, func(x, _ float64) float64 { return math.Tanh(x) }, relative(0x1p-11)},
}

func (a approximation) trials(f form) []trial {
	typ := f.types[0]
	ff := formatOf(typ)
	sp := specimen{form: f, dst: operands(typ), src: repeated(typ, a.sources),
		eval: func(s []uint64) []uint64 { return one(a.exact(f, s)) },
		match: func(_ int, s []uint64, wantBits, got uint64) bool {
			x, y, want := a.value(f, s)
			switch v := ff.float64(got); {
			case math.IsNaN(want) || math.IsNaN(v):
				return math.IsNaN(want) && got == 0x7fffffff00000000 && ff == double
			case math.IsInf(want, 0) || want == 0:
				return f.op == "cos" || f.op == "sin" && math.Abs(v) < 0x1p-20
			default:
				return a.within(f, x, y, want, v)
			}
		}}
	return trials(sp)
}

// value returns the sources, flushed if the form says so, and the function of them.
func (a approximation) value(f form, s []uint64) (x, y, want float64) {
	ff := formatOf(f.types[0])
	var v [2]float64
	for i, bits := range s {
		if ff == double && f.has("ftz") {
			bits &^= 1<<32 - 1 // only the upper half is seen
		}
		if f.has("ftz") {
			bits = ff.flush(bits)
		}
		v[i] = ff.float64(bits)
	}
	want = a.f(v[0], v[1])
	switch {
	case f.op == "rsqrt" && v[0] == 0:
		want = math.Copysign(math.Inf(1), v[0])
	case f.op == "div" && f.has("approx") && math.Abs(v[1]) > 0x1p126: // 1/b is 0
		want = v[0] * math.Copysign(0, v[1])
	}
	return v[0], v[1], want
}

// unit returns the result of an H100's multi-function unit for v, except that it is rounded from the exact value: the
// unit flushes subnormal numbers.
func (a approximation) unit(v uint64) uint64 {
	return single.flush(single.nearest(a.f(single.float64(single.flush(v)), 0)))
}

// Constants of the steps around the unit, as .f32.
const (
	f32Pow24      = 0x4b800000 // 2^24
	f32Pow12      = 0x45800000
	f32PowMinus12 = 0x39800000
	f32Quarter    = 0x3e800000
	f32Half       = 0x3f000000
	f32Pow126     = 0x7e800000
	f32Minus24    = 0xc1c00000
	f32Turn       = 0x3e22f983 // 1 / 2π
)

// exact returns the result of the instructions that an H100's assembler uses for the form, if it is of .f32, and else
// the rounded function.
func (a approximation) exact(f form, s []uint64) uint64 {
	ff := formatOf(f.types[0])
	if ff != single {
		_, _, want := a.value(f, s)
		if math.IsNaN(want) {
			return 0x7fffffff00000000
		}
		return ff.nearest(want)
	}
	mul := func(x, y uint64) uint64 { return single.mul(toNearest, []uint64{x, y}) }
	v, ftz := s[0], f.has("ftz")
	subnormal := single.magnitude(v) < 1<<single.mantissa
	switch f.op {
	case "div":
		return approximateQuotient(f, s)
	case "tanh":
		return single.nearest(math.Tanh(single.float64(v)))
	case "sin", "cos":
		return inTurns(f, single.mul(towardZero, []uint64{v, f32Turn}))
	case "ex2":
		if x := single.float64(v); !ftz && x < -126 {
			r := a.unit(mul(v, f32Half))
			return mul(r, r)
		}
	case "lg2":
		if !ftz && subnormal {
			return single.fma(a.unit(mul(v, f32Pow24)), single.one(), f32Minus24, toNearest)
		}
	case "rcp":
		switch {
		case ftz:
		case subnormal:
			return mul(a.unit(mul(v, f32Pow24)), f32Pow24)
		case single.magnitude(v) > f32Pow126:
			return mul(a.unit(mul(v, f32Quarter)), f32Quarter)
		}
	case "sqrt", "rsqrt":
		if !ftz && subnormal {
			back := map[string]uint64{"sqrt": f32PowMinus12, "rsqrt": f32Pow12}[f.op]
			return mul(a.unit(mul(v, f32Pow24)), back)
		}
	}
	return a.unit(v)
}

// approximateQuotient is a product with the unit's reciprocal of the divisor.
func approximateQuotient(f form, s []uint64) uint64 {
	flush := func(v uint64) uint64 {
		if f.has("ftz") {
			return single.flush(v)
		}
		return v
	}
	multiply := floatOps["mul"]
	product := form{op: "mul", types: []string{"f32"}}
	if f.has("ftz") {
		product.mods = []string{"ftz"}
	}
	mul := func(x, y uint64) uint64 { return multiply.eval(product, []uint64{x, y}) }
	x, y := flush(s[0]), flush(s[1])
	switch {
	case f.has("full") && single.magnitude(y) > f32Pow126:
		x, y = mul(x, f32Quarter), mul(y, f32Quarter)
	case !f.has("ftz") && single.magnitude(y) < 1<<single.mantissa:
		x, y = mul(x, f32Pow24), mul(y, f32Pow24)
	}
	return mul(x, approximations["rcp"].unit(y))
}

// inTurns is the sine or cosine of 2π times v; the unit uses 25 bits of v's fraction.
func inTurns(f form, v uint64) uint64 {
	const steps = 1 << 25
	x := single.float64(single.flush(v))
	turn := math.Floor(math.Mod(math.Abs(x), 1)*steps) / steps
	if f.op == "cos" {
		turn += 0.25
	}
	var d float64
	switch { // sin is symmetric about a quarter of a turn, and a whole turn is equal to none
	case turn <= 0.25:
		d = math.Sin(2 * math.Pi * turn)
	case turn <= 0.75:
		d = math.Sin(2 * math.Pi * (0.5 - turn))
	default:
		d = math.Sin(2 * math.Pi * (turn - 1))
	}
	if f.op == "sin" && math.Signbit(x) {
		d = -d
	}
	return single.flush(single.nearest(d))
}
