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
	for _, o := range []*operand{&sp.dst[0], &sp.src[0]} {
		if o.typ == "e2m1x2" {
			o.reg = 8
		}
	}
	bytesOf, isTo := strings.CutSuffix(to, "x2")
	step := typeBits[to] / 2
	switch {
	case to == "ue8m0x2" || to == "s2f6x2":
		return withoutFloat(f)
	case from == "s2f6x2" && f.has("scaled::n2::ue8m0"):
		sp.src = operands(from, "b16")
		sp.eval = func(s []uint64) []uint64 {
			value := func(b, scale uint64) uint64 {
				if scale == 255 {
					return brain.nan()
				}
				return brain.finish(f, brain.nearest(math.Ldexp(float64(signExtend(b, 8))/64, int(scale)-127)))
			}
			return one(value(s[0]>>8, s[1]>>8)<<16 | value(s[0]&0xff, s[1]&0xff))
		}
	case from == "s2f6x2":
		sp.eval = func(s []uint64) []uint64 {
			value := func(b uint64) uint64 { return brain.finish(f, brain.nearest(float64(signExtend(b, 8))/64)) }
			return one(value(s[0]>>8)<<16 | value(s[0]&0xff))
		}
	case from == "ue8m0x2":
		sp.eval = func(s []uint64) []uint64 { return one(powerOfTwo(s[0]>>8)<<16 | powerOfTwo(s[0]&0xff)) }
	case to == "tf32":
		sp.eval = func(s []uint64) []uint64 { return one(toTensorFloat(f, s[0])) }
	case isTo && from == "f32":
		sp.src = operands(from, from)
		sp.eval = func(s []uint64) []uint64 {
			return one(nearestByte(f, bytesOf, single.float64(s[0]))<<step | nearestByte(f, bytesOf, single.float64(s[1])))
		}
	case isBytes(to):
		of := halfFormat(from)
		sp.eval = func(s []uint64) []uint64 {
			return one(nearestByte(f, bytesOf, of.float64(s[0]>>16))<<step | nearestByte(f, bytesOf, of.float64(s[0]&0xffff)))
		}
	default:
		of, _ := strings.CutSuffix(from, "x2")
		half := halfFormat(to)
		sp.eval = func(s []uint64) []uint64 {
			step := typeBits[from] / 2
			return one(half.finish(f, half.nearest(valueOfByte(of, s[0]>>step)))<<16 | half.finish(f, half.nearest(valueOfByte(of, truncate(s[0], step)))))
		}
	}
	return trials(sp)
}

// halfFormat returns the format of the halves of a pair.
func halfFormat(pair string) floatFormat {
	if pair == "bf16x2" {
		return brain
	}
	return half
}

// toTensorFloat returns v, a .f32, rounded to 19 bits, followed by 13 zeros. NaN is that of .f32.
func toTensorFloat(f form, v uint64) uint64 {
	switch {
	case single.isNaN(v):
		return single.nan()
	case single.isInf(v):
		return tensorFloat.finish(f, v>>13) << 13
	}
	return tensorFloat.finish(f, tensorFloat.round(single.exact(v), roundingOf(f))) << 13
}

// powerOfTwo returns the bfloat16 number for a byte b of ue8m0: 2^(b-127), or NaN.
func powerOfTwo(b uint64) uint64 {
	if b == 255 {
		return brain.nan()
	}
	return brain.nearest(math.Ldexp(1, int(b)-127))
}

// tinyFormats are the formats without infinity and NaN: bits of exponent and of fraction.
var tinyFormats = map[string][2]int{"e2m1": {2, 1}, "e2m3": {2, 3}, "e3m2": {3, 2}}

// valueOfByte returns the number that a byte encodes, by the definition of its format: four bits of exponent and
// three of fraction, without infinity; or five and two; or fewer.
func valueOfByte(format string, b uint64) float64 {
	fraction, bias, width := 3, 7, 7
	if format == "e5m2" {
		fraction, bias = 2, 15
	}
	if tiny, ok := tinyFormats[format]; ok {
		fraction, bias, width = tiny[1], 1<<(tiny[0]-1)-1, tiny[0]+tiny[1]
	}
	sign := 1 - 2*float64(b>>width&1)
	exponent, bits := int(b&(1<<width-1))>>fraction, float64(int(b)&(1<<fraction-1))
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

// nearestByte returns the byte of the number nearest to v, ties to even, and never infinity.
func nearestByte(f form, format string, v float64) uint64 {
	codes, signBit := uint64(0x80), uint64(0x80)
	if tiny, ok := tinyFormats[format]; ok {
		signBit = 1 << (tiny[0] + tiny[1])
		codes = signBit
		if math.IsNaN(v) {
			return codes - 1
		}
	}
	if math.IsNaN(v) {
		return 0x7f
	}
	sign := uint64(0)
	if math.Signbit(v) {
		sign = signBit
	}
	if sign != 0 && f.has("relu") {
		return 0
	}
	v = min(math.Abs(v), 1<<20) // beyond all
	best, distance := uint64(0), math.Inf(1)
	for b := range codes {
		x := valueOfByte(format, b)
		off := math.Abs(v - x)
		if !math.IsNaN(x) && (off < distance || off == distance && b%2 == 0) {
			best, distance = b, off
		}
	}
	return sign | best
}
