package lanes

import "math"

// addF32 is x + y rounded by the mode.
func (mode Mode) addF32(x, y float32) float32 {
	if mode&roundMask == RoundNearest {
		return x + y
	}
	s := oddSum(float64(x), float64(y))
	if s == 0 && mode&roundMask == RoundDown {
		// When rounding down, x - x is -0; only +0 + +0 is +0.
		return math.Float32frombits((math.Float32bits(x) | math.Float32bits(y)) & signF32)
	}
	return mode.narrow(s)
}

// mulF32 is x * y rounded by the mode.
func (mode Mode) mulF32(x, y float32) float32 {
	p := float64(x) * float64(y) // the product of two 24-bit significands is exact
	if mode.tinyF32(p) {
		return zeroF32(p)
	}
	return mode.narrow(p)
}

// fewForFma lanes take as long one by one as all lanes in groups.
const fewForFma = 8

// fmaNearestF32 is x * y + z in every lane, rounded once, to nearest. It is written out because it is too long for
// map3 to inline.
func fmaNearestF32(d, a, b, c *[Width]float32) {
	for i := 0; i < Width; i += 4 {
		d, a, b, c := (*[4]float32)(d[i:]), (*[4]float32)(a[i:]), (*[4]float32)(b[i:]), (*[4]float32)(c[i:])
		// The products are exact, fused or not.
		s0 := float64(a[0])*float64(b[0]) + float64(c[0])
		s1 := float64(a[1])*float64(b[1]) + float64(c[1])
		s2 := float64(a[2])*float64(b[2]) + float64(c[2])
		s3 := float64(a[3])*float64(b[3]) + float64(c[3])
		if normalRoundsTwiceF32(s0) && normalRoundsTwiceF32(s1) && normalRoundsTwiceF32(s2) && normalRoundsTwiceF32(s3) {
			d[0], d[1], d[2], d[3] = float32(s0), float32(s1), float32(s2), float32(s3)
			continue
		}
		for k := range d {
			d[k] = fmaNearestOneF32(a[k], b[k], c[k])
		}
	}
}

func fmaNearestOneF32(x, y, z float32) float32 {
	if s := float64(x)*float64(y) + float64(z); roundsTwiceF32(s) {
		return float32(s)
	}
	return fmaCornerF32(x, y, z)
}

// roundsTwiceF32 reports whether rounding s, which is a sum rounded to float64, again to float32 gives the same as
// rounding the exact sum once. It does not if s is the midpoint of two float32 and the exact sum may not be. For
// subnormal numbers, which have other midpoints, and for NaN it is false. For zero it is true: a float64 holds
// exactly every sum of float32 products that is so small.
func roundsTwiceF32(s float64) bool { return s == 0 || normalRoundsTwiceF32(s) }

// normalRoundsTwiceF32 is roundsTwiceF32, but false for zero: the test for zero takes 4 % of the time of every fma.
func normalRoundsTwiceF32(s float64) bool {
	const (
		lost        = 29 // the bits of a float64 that a float32 does not have
		leastNormal = (1023 - 126) << 53
		infinity    = 0x7ff << 53
	)
	b := math.Float64bits(s)
	return b<<(64-lost) != 1<<63 && b<<1-leastNormal < infinity-leastNormal
}

// fmaCornerF32 is x * y + z rounded once, to nearest, for all operands.
func fmaCornerF32(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	return canonicalF32(float32(oddSum(p, float64(z))))
}

// tinyF32 reports whether FTZ flushes the product x, before it is rounded: whether it is less than the smallest
// normal number when rounded to 24 bits with unbounded exponents. A product that becomes normal only because
// subnormal numbers have fewer bits is flushed. PTX does not specify this; it is what an H100 does.
func (mode Mode) tinyF32(x float64) bool {
	const far = 0x1p64 // outside the exponent range
	return mode&FTZ != 0 && x != 0 && math.Abs(x) < leastNormalF32 && magnitudeF32(mode.narrow(x*far)) < leastNormalF32*far
}

const leastNormalF32 = 0x1p-126

// zeroF32 is zero with the sign of x.
func zeroF32(x float64) float32 { return float32(math.Copysign(0, x)) }

// fmaF32 is x * y + z rounded by the mode.
func (mode Mode) fmaF32(x, y, z float32) float32 {
	p := float64(x) * float64(y) // exact
	s := oddSum(p, float64(z))
	if mode.tinyF32(s) {
		return zeroF32(s)
	}
	if s == 0 && mode&roundMask == RoundDown {
		negative := math.Signbit(p) || math.Signbit(float64(z))
		return math.Float32frombits(signBit(negative))
	}
	return mode.narrow(s)
}

func signBit(negative bool) uint32 {
	if negative {
		return signF32
	}
	return 0
}

// divF32 is x / y rounded by the mode. Rounding the quotient to float64 first is harmless: the quotient of two 24-bit
// numbers either has at most 24 bits, or is further from all numbers that do, and from their midpoints, than that
// rounding moves it. The same holds for square roots.
func (mode Mode) divF32(x, y float32) float32 {
	return mode.narrow(float64(x) / float64(y))
}

// sqrtF32 is the square root of x rounded by the mode.
func (mode Mode) sqrtF32(x float32) float32 {
	return mode.narrow(math.Sqrt(float64(x)))
}

// AddF32 is a + b. It honours rounding, FTZ and SAT.
func AddF32(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float32](f, in, m)
	switch mode := in.Mode; mode {
	case RoundNearest:
		map2(d, a, b, func(x, y float32) float32 { return canonicalF32(x + y) })
	case RoundNearest | FTZ:
		map2(d, a, b, func(x, y float32) float32 { return canonicalF32(flushF32(flushF32(x) + flushF32(y))) })
	default:
		map2(d, a, b, func(x, y float32) float32 {
			return mode.resultF32(mode.addF32(mode.operandF32(x), mode.operandF32(y)))
		})
	}
	Merge[float32](f, in.D, m)
}

// SubF32 is a - b. It honours rounding, FTZ and SAT.
func SubF32(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float32](f, in, m)
	switch mode := in.Mode; mode {
	case RoundNearest:
		map2(d, a, b, func(x, y float32) float32 { return canonicalF32(x - y) })
	case RoundNearest | FTZ:
		map2(d, a, b, func(x, y float32) float32 { return canonicalF32(flushF32(flushF32(x) - flushF32(y))) })
	default:
		map2(d, a, b, func(x, y float32) float32 {
			return mode.resultF32(mode.addF32(mode.operandF32(x), -mode.operandF32(y)))
		})
	}
	Merge[float32](f, in.D, m)
}

// MulF32 is a * b. It honours rounding, FTZ and SAT.
func MulF32(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float32](f, in, m)
	switch mode := in.Mode; mode {
	case RoundNearest:
		map2(d, a, b, func(x, y float32) float32 { return canonicalF32(x * y) })
	case RoundNearest | FTZ:
		map2(d, a, b, func(x, y float32) float32 {
			x, y = flushF32(x), flushF32(y)
			p := x * y
			if magnitudeF32(p) <= leastNormalF32 {
				p = mode.mulF32(x, y)
			}
			return canonicalF32(p)
		})
	default:
		map2(d, a, b, func(x, y float32) float32 {
			return mode.resultF32(mode.mulF32(mode.operandF32(x), mode.operandF32(y)))
		})
	}
	Merge[float32](f, in.D, m)
}

// FmaF32 is a * b + c, rounded once. It honours rounding, FTZ and SAT.
func FmaF32(f *File, in *Op, m Mask) {
	d, a, b, c := ternaryFloat[float32](f, in, m)
	switch mode := in.Mode; mode {
	case RoundNearest:
		if m == AllLanes || m.Count() > fewForFma {
			fmaNearestF32(d, a, b, c)
		} else {
			some3(d, a, b, c, m, fmaNearestOneF32)
		}
	case RoundNearest | FTZ:
		var x, y, z [Width]float32
		flushLanesF32(&x, a)
		flushLanesF32(&y, b)
		flushLanesF32(&z, c)
		var sum [Width]float32
		fmaNearestF32(&sum, &x, &y, &z)
		for i, s := range &sum {
			if magnitudeF32(s) <= leastNormalF32 {
				s = mode.fmaF32(x[i], y[i], z[i])
			}
			d[i] = s
		}
	default:
		map3(d, a, b, c, func(x, y, z float32) float32 {
			return mode.resultF32(mode.fmaF32(mode.operandF32(x), mode.operandF32(y), mode.operandF32(z)))
		})
	}
	Merge[float32](f, in.D, m)
}

// DivF32 is a / b. It honours rounding and FTZ.
func DivF32(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float32](f, in, m)
	if mode := in.Mode; mode == RoundNearest {
		map2(d, a, b, func(x, y float32) float32 { return canonicalF32(x / y) })
	} else {
		map2(d, a, b, func(x, y float32) float32 {
			return mode.resultF32(mode.divF32(mode.operandF32(x), mode.operandF32(y)))
		})
	}
	Merge[float32](f, in.D, m)
}

// RcpF32 is 1 / a. It honours rounding and FTZ.
func RcpF32(f *File, in *Op, m Mask) {
	d, a := unaryFloat[float32](f, in, m)
	if mode := in.Mode; mode == RoundNearest {
		map1(d, a, func(x float32) float32 { return canonicalF32(1 / x) })
	} else {
		map1(d, a, func(x float32) float32 { return mode.resultF32(mode.divF32(1, mode.operandF32(x))) })
	}
	Merge[float32](f, in.D, m)
}

// SqrtF32 is the square root of a. It honours rounding and FTZ.
func SqrtF32(f *File, in *Op, m Mask) {
	d, a := unaryFloat[float32](f, in, m)
	if mode := in.Mode; mode == RoundNearest {
		map1(d, a, func(x float32) float32 { return canonicalF32(float32(math.Sqrt(float64(x)))) })
	} else {
		map1(d, a, func(x float32) float32 { return mode.resultF32(mode.sqrtF32(mode.operandF32(x))) })
	}
	Merge[float32](f, in.D, m)
}

// NegF32 is -a. It honours FTZ.
func NegF32(f *File, in *Op, m Mask) {
	d, a := unaryFloat[float32](f, in, m)
	mode := in.Mode
	map1(d, a, func(x float32) float32 { return canonicalF32(-mode.operandF32(x)) })
	Merge[float32](f, in.D, m)
}

// AbsF32 is a without its sign. It honours FTZ.
func AbsF32(f *File, in *Op, m Mask) {
	d, a := unaryFloat[float32](f, in, m)
	mode := in.Mode
	map1(d, a, func(x float32) float32 { return canonicalF32(magnitudeF32(mode.operandF32(x))) })
	Merge[float32](f, in.D, m)
}

// CopysignF32 is b with the sign of a: the order is not that of C.
func CopysignF32(f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	map2(d, a, b, func(x, y uint32) uint32 { return x&signF32 | y&^signF32 })
	Merge[uint32](f, in.D, m)
}

// minF32 is the smaller of x and y, -0 being smaller than +0; the other if one
// is NaN.
func minF32(x, y float32) float32 {
	if r := min(x, y); r == r {
		return r
	}
	return numberF32(x, y)
}

// maxF32 is minF32 for the larger.
func maxF32(x, y float32) float32 {
	if r := max(x, y); r == r {
		return r
	}
	return numberF32(x, y)
}

// numberF32 is the one of x and y that is a number, or the canonical NaN.
func numberF32(x, y float32) float32 {
	if x == x {
		return x
	}
	return canonicalF32(y)
}

// MinF32 is the smaller of a and b; the other if one is NaN. It honours FTZ.
func MinF32(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float32](f, in, m)
	mode := in.Mode
	map2(d, a, b, func(x, y float32) float32 { return minF32(mode.operandF32(x), mode.operandF32(y)) })
	Merge[float32](f, in.D, m)
}

// MaxF32 is the larger of a and b; the other if one is NaN. It honours FTZ.
func MaxF32(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float32](f, in, m)
	mode := in.Mode
	map2(d, a, b, func(x, y float32) float32 { return maxF32(mode.operandF32(x), mode.operandF32(y)) })
	Merge[float32](f, in.D, m)
}

// Variants of an Extremum function, as bits of in.Imm.
const (
	ExtremumMax     = 1 << iota // the larger, else the smaller
	ExtremumNaN                 // NaN if either is, else the other
	ExtremumXorSign             // of the magnitudes, with the sign of the operands' product
	ExtremumAbs                 // of the magnitudes
)

// extremumF32 is the extremum of x and y by in.Imm.
func (in *Op) extremumF32(x, y float32) float32 {
	sign := (math.Float32bits(x) ^ math.Float32bits(y)) & signF32
	x, y = in.Mode.operandF32(x), in.Mode.operandF32(y)
	if in.Imm&(ExtremumXorSign|ExtremumAbs) != 0 {
		x, y = magnitudeF32(x), magnitudeF32(y)
	}
	r := minF32(x, y)
	switch {
	case in.Imm&ExtremumNaN != 0 && (x != x || y != y):
		return math.Float32frombits(nanF32)
	case in.Imm&ExtremumMax != 0:
		r = maxF32(x, y)
	}
	if in.Imm&ExtremumXorSign != 0 && r == r {
		return math.Float32frombits(math.Float32bits(r) | sign)
	}
	return r
}

// ExtremumOfThree is ExtremumF32 of a, b and c.
func ExtremumOfThree(f *File, in *Op, m Mask) {
	d, a, b, c := ternaryFloat[float32](f, in, m)
	map3(d, a, b, c, func(x, y, z float32) float32 { return in.extremumF32(in.extremumF32(x, y), z) })
	Merge[float32](f, in.D, m)
}

func magnitudeF32(x float32) float32 {
	return math.Float32frombits(math.Float32bits(x) &^ signF32)
}

// extremumF16 is extremumF32 for halves.
func (in *Op) extremumF16(x, y uint32) uint32 {
	x, y = in.Mode.flushF16(x), in.Mode.flushF16(y)
	return roundF16(float64(in.extremumF32(expandF16(x), expandF16(y))))
}

// ExtremumF32 is the smaller or larger of a and b by in.Imm. It honours FTZ.
func ExtremumF32(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float32](f, in, m)
	map2(d, a, b, func(x, y float32) float32 { return in.extremumF32(x, y) })
	Merge[float32](f, in.D, m)
}
