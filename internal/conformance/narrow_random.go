package conformance

import (
	"math"
	"math/big"
	"strings"
)

// withoutFloat is cvt to two bytes that are powers of two, or signed fixed-point numbers.
func withoutFloat(f form) []trial {
	to, from := f.types[0], f.types[1]
	sp := specimen{form: f, dst: operands(to), src: operands(from)}
	encode := powerOf
	if to == "s2f6x2" {
		encode = fixedPoint
	}
	if f.has("scaled::n2::ue8m0") {
		return scaledFixed(f, sp)
	}
	if from == "f32" {
		sp.src = operands(from, from)
		sp.eval = func(s []uint64) []uint64 {
			return one(encode(f, single.float64(s[0]))<<8 | encode(f, single.float64(s[1])))
		}
	} else {
		sp.eval = func(s []uint64) []uint64 {
			return one(encode(f, brain.float64(s[0]>>16))<<8 | encode(f, brain.float64(s[0]&0xffff)))
		}
	}
	return trials(sp)
}

// powerOf returns the byte of the largest power of two that is not above |v|, or of the smallest that is not below it.
// Of those outside of 2^-127 to 2^127 it is the nearest with .satfinite; without, NaN stands for what is above.
func powerOf(f form, v float64) uint64 {
	v = math.Abs(v)
	above := uint64(255)
	if f.has("satfinite") {
		above = 254
	}
	switch {
	case math.IsNaN(v):
		return 255
	case v >= 0x1p128:
		return above
	}
	up := f.has("rp")
	for code := range uint64(255) {
		power := math.Ldexp(1, int(code)-127)
		if up && power >= v || !up && 2*power > v {
			return code
		}
	}
	return above
}

// fixedPoint returns the signed byte, in units of 1/64, that is nearest to v. It searches all bytes.
func fixedPoint(f form, v float64) uint64 {
	switch {
	case math.IsNaN(v): // PTX ISA, cvt: with .satfinite the largest number
		return 127
	case v < 0 && f.has("relu"):
		return 0
	}
	best, distance := 0, math.Inf(1)
	for code := -128; code < 128; code++ {
		off := math.Abs(max(min(v, 4), -4) - float64(code)/64)
		if off < distance || off == distance && code%2 == 0 {
			best, distance = code, off
		}
	}
	return uint64(best) & 0xff
}

// scaledFixed is cvt to .s2f6x2 of values that were divided by powers of two.
func scaledFixed(f form, sp specimen) []trial {
	of := func(v, scale uint64, ff floatFormat) uint64 {
		if scale == 255 {
			return fixedPoint(f, math.NaN())
		}
		return fixedPoint(f, math.Ldexp(ff.float64(v), 127-int(scale)))
	}
	if from := f.types[len(f.types)-1]; from == "f32" {
		sp.src = operands(from, from, "b16")
		sp.eval = func(s []uint64) []uint64 { return one(of(s[0], s[2]>>8, single)<<8 | of(s[1], s[2]&0xff, single)) }
	} else {
		sp.src = operands(from, "b16")
		sp.eval = func(s []uint64) []uint64 {
			return one(of(s[0]>>16, s[1]>>8, brain)<<8 | of(s[0]&0xffff, s[1]&0xff, brain))
		}
	}
	return trials(sp)
}

// randomConversions is cvt.rs: the fraction of a unit that is cut off, plus the random bits as a fraction, is cut off.
func randomConversions(f form) []trial {
	to := f.types[0]
	number, count := strings.CutSuffix(to, "x4")
	if !count {
		return trials(specimen{form: f, dst: operands(to), src: operands("f32", "f32", "b32"), eval: func(s []uint64) []uint64 {
			number := strings.TrimSuffix(to, "x2")
			return one(randomly(f, number, s[0], s[2]>>16)<<16 | randomly(f, number, s[1], s[2]&0xffff))
		}})
	}
	step := typeBits[to] / 4
	return trials(specimen{form: f, dst: operands(to), src: operands("f32", "f32", "f32", "f32", "b32"), args: "$d0, {$s0, $s1, $s2, $s3}, $s4", eval: func(s []uint64) []uint64 {
		var d uint64
		for k := range 4 {
			bits := s[4] >> (16 * (1 - k/2)) & 0xffff
			if step == 4 {
				bits = s[4] >> [...]int{24, 8, 16, 0}[k] & 0xff
			}
			d = d<<step | randomly(f, number, s[k], bits)
		}
		return one(d)
	}})
}

// randomly returns a .f32 as a number of a format, rounded with random bits, by exact arithmetic: it is the upper
// neighbour, away from zero, if the distance from the lower one, as a part of that between them, and the random
// fraction are together at least 1.
func randomly(f form, format string, v, bits uint64) uint64 {
	width, random := 8, 16
	valueOf := func(code uint64) float64 { return valueOfByte(format, code) }
	last, nan := uint64(0x7e), uint64(0x7f)
	switch tiny, isTiny := tinyFormats[format]; {
	case format == "f16":
		width, random, last, nan = 16, 13, 0x7bff, 0x7fff
		bits &= 1<<13 - 1
		valueOf = half.float64
	case format == "bf16":
		width, last, nan = 16, 0x7f7f, 0x7fff
		valueOf = brain.float64
	case format == "e5m2":
		last = 0x7b
	case isTiny:
		width = 1 + tiny[0] + tiny[1]
		last = 1<<(width-1) - 1
		nan = last
		if format == "e2m1" {
			random = 8
		}
	}
	x := single.float64(v)
	sign := uint64(b2i(math.Signbit(x))) << (width - 1)
	switch {
	case math.IsNaN(x):
		return nan
	case sign != 0 && f.has("relu"):
		return 0
	}
	x = math.Abs(x)
	above := last + 1 // infinity
	if f.has("satfinite") || width < 16 {
		above = last
	}
	if math.IsInf(x, 0) {
		return sign | above
	}
	low, high := uint64(0), last
	for low < high { // the largest code whose value is not above x
		if middle := (low + high + 1) / 2; valueOf(middle) <= x {
			low = middle
		} else {
			high = middle - 1
		}
	}
	next := 2*valueOf(last) - valueOf(last-1)
	if low < last {
		next = valueOf(low + 1)
	}
	exact := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	part := new(big.Rat).Quo(new(big.Rat).Sub(exact(x), exact(valueOf(low))), new(big.Rat).Sub(exact(next), exact(valueOf(low))))
	part.Add(part, new(big.Rat).SetFrac64(int64(bits), 1<<random))
	if part.Cmp(big.NewRat(1, 1)) >= 0 {
		low++
	}
	return sign | min(low, above)
}
