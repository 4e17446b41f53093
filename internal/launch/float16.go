package launch

import "math"

// format16 is a 16-bit floating-point format: one sign bit, then the exponent,
// then the fraction.
type format16 struct{ exponentBits, fractionBits int }

var (
	binary16 = format16{5, 10}
	bfloat16 = format16{8, 7}
)

func (f format16) bias() int        { return 1<<(f.exponentBits-1) - 1 }
func (f format16) infinity() uint64 { return (1<<f.exponentBits - 1) << f.fractionBits }

// narrow rounds v to the format, to nearest with ties to even.
func (f format16) narrow(v float64) uint64 {
	if math.IsNaN(v) {
		return 0x7fff
	}
	var sign uint64
	if math.Signbit(v) {
		sign, v = 0x8000, -v
	}
	switch {
	case math.IsInf(v, 0):
		return sign | f.infinity()
	case v == 0:
		return sign
	}
	_, e := math.Frexp(v)
	exponent := max(e-1, 1-f.bias()) // subnormals share the smallest exponent
	n := math.RoundToEven(math.Ldexp(v, f.fractionBits-exponent))
	// The leading bit of n, if there is one, carries into the exponent.
	bits := uint64(exponent+f.bias()-1)<<f.fractionBits + uint64(n)
	return sign | min(bits, f.infinity())
}

// widen returns the exact value of bits.
func (f format16) widen(bits uint64) float64 {
	exponent := int(bits & 0x7fff >> f.fractionBits)
	fraction := bits & (1<<f.fractionBits - 1)
	v := 0.0
	switch {
	case bits&f.infinity() == f.infinity() && fraction != 0:
		return math.NaN()
	case bits&f.infinity() == f.infinity():
		v = math.Inf(1)
	case exponent == 0:
		v = math.Ldexp(float64(fraction), 1-f.bias()-f.fractionBits)
	default:
		v = math.Ldexp(float64(fraction|1<<f.fractionBits), exponent-f.bias()-f.fractionBits)
	}
	if bits&0x8000 != 0 {
		v = -v
	}
	return v
}
