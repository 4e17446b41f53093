package conformance

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// typeBits is the width of the types.
var typeBits = map[string]int{
	"bf16": 16, "bf16x2": 32, "tf32": 32, "e4m3x2": 16, "e5m2x2": 16, "e2m1x2": 8, "e2m3x2": 16, "e3m2x2": 16, "ue8m0x2": 16, "s2f6x2": 16, "e4m3": 8, "e5m2": 8, "e4m3x4": 32, "e5m2x4": 32, "e2m3x4": 32, "e3m2x4": 32, "e2m1x4": 16, "f32x2": 64, "pred": 1, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16,
	"b32": 32, "u32": 32, "s32": 32, "f32": 32, "f16x2": 32, "u16x2": 32, "s16x2": 32, "u8x4": 32, "s8x4": 32, "b64": 64, "u64": 64, "s64": 64, "f64": 64,
}

// isFloat reports whether the type is a floating-point one, or two of them.
func isFloat(typ string) bool { return typ[0] == 'f' || isBrain(typ) || typ == "tf32" || isBytes(typ) }

// isBytes reports whether the type is two floating-point numbers of at most 8 bits.
func isBytes(typ string) bool { return typ[0] == 'e' || typ == "ue8m0x2" || typ == "s2f6x2" }

// isBrain reports whether the type is one or two bfloat16 numbers.
func isBrain(typ string) bool { return strings.HasPrefix(typ, "bf") }

// halfOf is the type of each of two floats of 16 bits in a register; false for other types.
func halfOf(typ string) (string, bool) {
	half, ok := strings.CutSuffix(typ, "x2")
	return half, ok && isFloat(typ) && !isBytes(typ)
}

// Kinds of operands that need edges of their own, in addition to the types.
const (
	count     = "count"     // a 32-bit shift count or field position
	selector  = "selector"  // of prmt
	carry     = "carry"     // the carry flag, 0 or 1
	bitOffset = "bitoffset" // a small signed number, for fns
)

// operandBits returns the width of an operand of a type, or of a kind above.
func operandBits(typ string) int {
	switch typ {
	case count, selector, bitOffset:
		return 32
	case carry:
		return 1
	}
	return typeBits[typ]
}

// edges returns the values of a type that are likely to reveal errors, as bits.
func edges(typ string) []uint64 {
	switch typ {
	case "pred", carry:
		return []uint64{0, 1}
	case count:
		return []uint64{0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 127, 255, 256, 257, 1 << 31, math.MaxUint32}
	case selector:
		return []uint64{0, 1, 2, 3, 0x3210, 0x7654, 0x0123, 0x89ab, 0xcdef, 0xfedc, 0x5140, math.MaxUint32, 0xffff0000}
	case bitOffset:
		return bits32(0, 1, 2, 3, 31, 32, 33, -1, -2, -3, -31, -32, -33, math.MaxInt32, math.MinInt32)
	case "f16":
		return floatEdges(half)
	case "bf16":
		return floatEdges(brain)
	case "f32":
		return floatEdges(single)
	case "f64":
		return floatEdges(double)
	case "e4m3x2", "e5m2x2", "ue8m0x2", "s2f6x2":
		return everyByte()
	case "e2m1x2":
		var values []uint64
		for b := range uint64(256) {
			values = append(values, b)
		}
		return values
	case "f32x2":
		return pairEdges(single)
	case "f16x2", "bf16x2":
		return pairEdges(formatOf(typ))
	}
	return integerEdges(typeBits[typ])
}

func bits32(values ...int64) []uint64 {
	var out []uint64
	for _, v := range values {
		out = append(out, uint64(uint32(v)))
	}
	return out
}

// integerEdges are 0, ±1, the extremes, and powers of two and their
// neighbours.
func integerEdges(bits int) []uint64 {
	values := []uint64{0, 1, 2, 3}
	for _, k := range []int{7, 8, 15, 16, 23, 24, 31, 32, 47, 63} {
		if k < bits {
			values = append(values, 1<<k-1, 1<<k, 1<<k+1)
		}
	}
	for _, v := range slices.Clone(values) {
		values = append(values, -v, ^v)
	}
	for i := range values {
		values[i] = truncate(values[i], bits)
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// floatEdges are both signs of zero, the limits of subnormal and normal numbers, infinity, NaNs with payloads, small
// integers, halfway cases and the limits of integer types.
func floatEdges(ff floatFormat) []uint64 {
	one := uint64(ff.bias()) << ff.mantissa
	inf := ff.infinity()
	values := []uint64{
		0, 1, 2, 3, 1<<ff.mantissa - 1, 1 << ff.mantissa, 1<<ff.mantissa + 1, 2 << ff.mantissa, // subnormal to normal
		inf - 1, inf - 2, inf - 1<<ff.mantissa, inf, // the largest
		inf + 1, inf + 1<<(ff.mantissa-1), inf + 1<<(ff.mantissa-1) + 5, inf + 1<<ff.mantissa - 1, // NaNs
		one, one + 1, one - 1, one + 1<<(ff.mantissa-1), // 1 and 1.5
	}
	halfUlp := one - uint64(ff.mantissa+1)<<ff.mantissa // 2 to the -(mantissa+1): half of the last place of 1
	values = append(values, halfUlp, halfUlp+1, halfUlp-1<<ff.mantissa, halfUlp+1<<ff.mantissa+1<<(ff.mantissa-1))
	for _, v := range []float64{0.25, 0.5, 0.75, 2, 2.5, 3, 3.5, 127.5, 128, 255.5, 256, 32767.5, 32768, 65535, 65520,
		1 << 31, 1<<31 - 0.5, 1<<31 - 1, 1<<32 - 1, 1 << 32, 1 << 63, 1 << 64, 0.49999997, 8388607.5, 4503599627370495.5, 6.25, 9, 1e-3} {
		if bits := ff.round(exactFloat64(v), toNearest); ff.finite(bits) {
			values = append(values, bits)
		}
	}
	for _, v := range slices.Clone(values) {
		values = append(values, v|ff.sign())
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// pairEdges puts the edges of a format into both halves.
func pairEdges(ff floatFormat) []uint64 {
	of := floatEdges(ff)
	var values []uint64
	for i, low := range of {
		values = append(values, low|of[(i*7+3)%len(of)]<<ff.bits)
	}
	return values
}

// everyByte puts every byte into each half.
func everyByte() []uint64 {
	var values []uint64
	for b := range uint64(256) {
		values = append(values, b|(b*7+3)%256<<8)
	}
	return values
}

// truncate returns the low bits of v.
func truncate(v uint64, bits int) uint64 {
	if bits >= 64 {
		return v
	}
	return v & (1<<bits - 1)
}

// signExtend returns v of a number of bits as a signed number.
func signExtend(v uint64, bits int) int64 { return int64(v<<(64-bits)) >> (64 - bits) }

// nearLeastProducts are tuples of floats with products within a few units in the last place of the smallest normal
// number; a third source adds almost nothing.
func nearLeastProducts(types []string, r *rand.Rand) [][]uint64 {
	if len(types) < 2 || !isFloat(types[0]) || strings.HasSuffix(types[0], "x2") || slices.ContainsFunc(types, func(t string) bool { return t != types[0] }) {
		return nil
	}
	ff := formatOf(types[0])
	var all [][]uint64
	for range nearLeast {
		x := randomFloat(ff, r)
		for x = ff.magnitude(x); !ff.finite(x) || ff.subnormal(x) || ff.isZero(x); {
			x = ff.magnitude(randomFloat(ff, r))
		}
		y := ff.div(1<<ff.mantissa, x, toNearest) + uint64(r.IntN(5)) - 2
		tuple := []uint64{x | ff.sign()*uint64(r.IntN(2)), truncate(y, ff.bits-1) | ff.sign()*uint64(r.IntN(2))}
		for len(tuple) < len(types) {
			tuple = append(tuple, []uint64{0, ff.sign(), 1, ff.sign() | 1, 1 << ff.mantissa, 1<<ff.mantissa | ff.sign()}[r.IntN(6)])
		}
		all = append(all, tuple)
	}
	return all
}

// randomValue returns a value of the type: any bits, or more often a number of moderate size, because most encodings
// of floats and integers are huge.
func randomValue(typ string, r *rand.Rand) uint64 {
	bits := operandBits(typ)
	v := truncate(r.Uint64(), bits)
	switch typ {
	case "f16":
		return randomFloat(half, r)
	case "bf16":
		return randomFloat(brain, r)
	case "f32":
		return randomFloat(single, r)
	case "f64":
		return randomFloat(double, r)
	case "f16x2", "bf16x2", "f32x2":
		ff := formatOf(typ)
		return randomFloat(ff, r) | randomFloat(ff, r)<<ff.bits
	case count:
		return uint64(r.IntN(70))
	case bitOffset:
		return uint64(uint32(int32(r.IntN(21) - 10)))
	}
	if r.IntN(3) == 0 {
		return v >> r.IntN(bits)
	}
	return v
}

// randomFloat returns any encoding in one of four cases; else the exponent is near that of 1, and the fraction may
// have few bits, which makes halfway cases.
func randomFloat(ff floatFormat, r *rand.Rand) uint64 {
	v := truncate(r.Uint64(), ff.bits)
	if r.IntN(4) == 0 {
		return v
	}
	spread := ff.mantissa + 2
	exponent := ff.bias() - spread + r.IntN(2*spread)
	fraction := truncate(v, ff.mantissa)
	if r.IntN(2) == 0 {
		fraction = fraction >> r.IntN(ff.mantissa) << r.IntN(ff.mantissa)
	}
	return v&ff.sign() | uint64(max(exponent, 0))<<ff.mantissa | truncate(fraction, ff.mantissa)
}

const (
	mostTuples   = 3000 // of edges; a sixteenth still has every edge of up to three operands
	randomTuples = 96
	nearLeast    = 64 // tuples of nearLeastProducts
)

// tuples returns operand values of the types: all combinations of edges if they are few, or a part that has every
// edge of every operand, plus random values, and random ones with edges among them.
func tuples(types []string, maxTuples int, r *rand.Rand) [][]uint64 {
	of := make([][]uint64, len(types))
	product, longest := 1, 0
	for i, typ := range types {
		of[i] = edges(typ)
		product *= len(of[i])
		longest = max(longest, len(of[i]))
	}
	var all [][]uint64
	if product <= maxTuples {
		for n := range product {
			tuple := make([]uint64, len(types))
			for i := range types {
				tuple[i], n = of[i][n%len(of[i])], n/len(of[i])
			}
			all = append(all, tuple)
		}
	} else {
		for n := range maxTuples {
			tuple := make([]uint64, len(types))
			for i := range types {
				k := r.IntN(len(of[i]))
				if n < longest*len(types) && n%len(types) == i {
					k = n / len(types) % len(of[i])
				}
				tuple[i] = of[i][k]
			}
			all = append(all, tuple)
		}
	}
	all = append(all, nearLeastProducts(types, r)...)
	for n := range randomTuples {
		tuple := make([]uint64, len(types))
		for i, typ := range types {
			tuple[i] = randomValue(typ, r)
			if n%3 == 0 && r.IntN(2) == 0 {
				tuple[i] = of[i][r.IntN(len(of[i]))]
			}
		}
		all = append(all, tuple)
	}
	return all
}
