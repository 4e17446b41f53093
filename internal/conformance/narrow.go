package conformance

import (
	"math"
	"strings"
)

// tensorFloat is tf32: the upper 19 bits of a .f32.
var tensorFloat = floatFormat{19, 10}

// narrowConversions is cvt to tf32, and to and from two numbers of 8 bits.
func narrowConversions(f form) []trial {
	to, from := f.types[0], f.types[1]
	sp := specimen{form: f, dst: operands(to), src: operands(from)}
	bytesOf, isTo := strings.CutSuffix(to, "x2")
	switch {
	case to == "tf32":
		sp.eval = func(s []uint64) []uint64 { return one(toTensorFloat(f, s[0])) }
	case isTo && from == "f32":
		sp.src = operands(from, from)
		sp.eval = func(s []uint64) []uint64 {
			return one(nearestByte(f, bytesOf, single.float64(s[0]))<<8 | nearestByte(f, bytesOf, single.float64(s[1])))
		}
	case isBytes(to):
		sp.eval = func(s []uint64) []uint64 {
			return one(nearestByte(f, bytesOf, half.float64(s[0]>>16))<<8 | nearestByte(f, bytesOf, half.float64(s[0]&0xffff)))
		}
	default:
		of, _ := strings.CutSuffix(from, "x2")
		sp.eval = func(s []uint64) []uint64 {
			return one(half.finish(f, half.nearest(valueOfByte(of, s[0]>>8)))<<16 | half.finish(f, half.nearest(valueOfByte(of, s[0]&0xff))))
		}
	}
	return trials(sp)
}

// toTensorFloat is v, a .f32, rounded to 19 bits, which are followed by 13 zeros. NaN
// is that of .f32.
func toTensorFloat(f form, v uint64) uint64 {
	switch {
	case single.isNaN(v):
		return single.nan()
	case single.isInf(v):
		return tensorFloat.finish(f, v>>13) << 13
	}
	return tensorFloat.finish(f, tensorFloat.round(single.exact(v), roundingOf(f))) << 13
}

// valueOfByte is the number that a byte encodes, by the definition of its format: four
// bits of exponent and three of fraction, and no infinity, or five and two.
func valueOfByte(format string, b uint64) float64 {
	fraction, bias := 3, 7
	if format == "e5m2" {
		fraction, bias = 2, 15
	}
	sign := 1 - 2*float64(b>>7&1)
	exponent, bits := int(b&0x7f)>>fraction, float64(int(b)&(1<<fraction-1))
	switch {
	case format == "e4m3" && b&0x7f == 0x7f, format == "e5m2" && exponent == 31 && bits > 0:
		return math.NaN()
	case format == "e5m2" && exponent == 31:
		return math.Inf(int(sign))
	case exponent == 0:
		return math.Copysign(math.Ldexp(bits, 1-bias-fraction), sign)
	}
	return sign * math.Ldexp(math.Ldexp(1, fraction)+bits, exponent-bias-fraction)
}

// nearestByte is the byte of the number that is nearest to v, of two the one that is
// even, and never infinity.
func nearestByte(f form, format string, v float64) uint64 {
	if math.IsNaN(v) {
		return 0x7f
	}
	sign := uint64(0)
	if math.Signbit(v) {
		sign = 0x80
	}
	if sign != 0 && f.has("relu") {
		return 0
	}
	v = min(math.Abs(v), 1<<20) // beyond all
	best, distance := uint64(0), math.Inf(1)
	for b := range uint64(0x80) {
		x := valueOfByte(format, b)
		off := math.Abs(v - x)
		if !math.IsNaN(x) && (off < distance || off == distance && b%2 == 0) {
			best, distance = b, off
		}
	}
	return sign | best
}
