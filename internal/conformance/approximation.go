package conformance

import "math"

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
