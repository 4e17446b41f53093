package lanes

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
)

// The reference for floating point: every value as an exact big.Float, rounded
// once by comparing it with the numbers of the format.

// exactPrec holds every sum, product and product-sum of float64 values exactly, and distinguishes every quotient and
// root from all of them.
const exactPrec = 4400

func exact(x float64) *big.Float { return new(big.Float).SetPrec(exactPrec).SetFloat64(x) }

// refValue returns the number that an encoding means.
func refValue(e Elem, x uint64) float64 {
	switch e {
	case F16, BF16:
		return refSmall(e, uint32(x))
	case F32:
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

// fractionBits are the bits of a significand without the hidden one.
var fractionBits = map[Elem]int{F16: 10, BF16: 7, F32: 23, F64: 52}

func refHalf(h uint32) float64 { return refSmall(F16, h) }

// refSmall decodes a number of 16 bits by the definition of its format.
func refSmall(e Elem, h uint32) float64 {
	n := fractionBits[e]
	top, bias := 1<<(15-n)-1, 1<<(14-n)-1
	exp, frac, sign := int(h>>n)&top, float64(h&(1<<n-1)), 1.0
	if h>>15&1 != 0 {
		sign = -1
	}
	switch exp {
	case 0:
		return math.Copysign(math.Ldexp(frac, 1-bias-n), sign)
	case top:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(float64(int(1)<<n)+frac, exp-bias-n)
}

// refEncoding returns the encoding of a number of the format.
func refEncoding(e Elem, x float64) uint64 {
	switch e {
	case F16, BF16:
		i := uint64(sort.SearchFloat64s(smallNumbers[e], math.Abs(x)))
		if math.Signbit(x) {
			i |= 1 << 15
		}
		return i
	case F32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// smallNumbers are the non-negative numbers of the 16-bit formats in ascending order, +Inf last.
var smallNumbers = func() map[Elem][]float64 {
	all := make(map[Elem][]float64)
	for _, e := range []Elem{F16, BF16} {
		for h := uint32(0); len(all[e]) == 0 || !math.IsInf(all[e][h-1], 0); h++ {
			all[e] = append(all[e], refSmall(e, h))
		}
	}
	return all
}()

// refNext returns the neighbour of x in the format, upwards or downwards.
func refNext(e Elem, x float64, up bool) float64 {
	to := math.Inf(-1)
	if up {
		to = math.Inf(1)
	}
	switch e {
	case F16, BF16:
		halves := smallNumbers[e]
		i := int(refEncoding(e, math.Abs(x)))
		if x == 0 {
			return math.Copysign(halves[1], to)
		}
		if up == (x > 0) {
			i++
		} else {
			i--
		}
		return math.Copysign(halves[i], x)
	case F32:
		return float64(math.Nextafter32(float32(x), float32(to)))
	}
	return math.Nextafter(x, to)
}

// refNearest is v rounded to the nearest number of the format, ties to even.
func refNearest(e Elem, v *big.Float) float64 {
	switch e {
	case F16, BF16:
		halves := smallNumbers[e]
		magnitude := new(big.Float).Abs(v)
		i := sort.Search(len(halves)-1, func(i int) bool { return exact(halves[i]).Cmp(magnitude) > 0 })
		beyond := halves[i] // the least number above v, or what it would be if exponents went on
		if i == len(halves)-1 {
			beyond = map[Elem]float64{F16: 0x1p16, BF16: 0x1p128}[e]
		}
		mid := exact((halves[i-1] + beyond) / 2)
		if c := magnitude.Cmp(mid); c < 0 || c == 0 && (i-1)%2 == 0 {
			i--
		}
		if v.Signbit() {
			return -halves[i]
		}
		return halves[i]
	case F32:
		r, _ := v.Float32()
		return float64(r)
	}
	r, _ := v.Float64()
	return r
}

// refRound returns v rounded to the format by the mode.
func refRound(e Elem, v *big.Float, mode Mode) float64 {
	r := refNearest(e, v)
	wrong := exact(r).Cmp(v)
	switch mode & roundMask {
	case RoundNearest:
		return r
	case RoundZero:
		if wrong == v.Sign() && wrong != 0 {
			return refNext(e, r, wrong < 0)
		}
	case RoundDown:
		if wrong > 0 {
			return refNext(e, r, false)
		}
	case RoundUp:
		if wrong < 0 {
			return refNext(e, r, true)
		}
	}
	return r
}

var leastNormals = map[Elem]float64{F16: 0x1p-14, BF16: 0x1p-126, F32: 0x1p-126, F64: 0x1p-1022}

// refTiny returns v, the result of an operation, with products flushed as by FTZ, fused with a sum or not: those that
// are subnormal when rounded to as many bits as normal numbers have.
func refTiny(e Elem, op string, v *big.Float, mode Mode) *big.Float {
	if v == nil || mode&FTZ == 0 || op != "mul" && op != "fma" {
		return v
	}
	const scale = 0x1p13 // away from subnormal numbers, of v and of its rest
	if math.Abs(refRound(e, new(big.Float).Mul(v, exact(scale)), mode)) >= leastNormals[e]*scale {
		return v
	}
	zero := new(big.Float)
	if v.Signbit() {
		zero.Neg(zero)
	}
	return zero
}

// refResult returns the encoding of v as the result of an instruction; NaN is nan.
func refResult(e Elem, v *big.Float, mode Mode, nan uint64) uint64 {
	leastNormal := leastNormals[e]
	switch {
	case v == nil && mode&SAT != 0:
		return 0
	case v == nil:
		return nan
	}
	r := refRound(e, v, mode)
	if mode&FTZ != 0 && math.Abs(r) < leastNormal {
		r = math.Copysign(0, r)
	}
	if mode&SAT != 0 {
		r = min(max(r, 0), 1)
	}
	if mode&RELU != 0 {
		r = max(r, 0) // +0 of both zeros
	}
	if mode&SATFINITE != 0 && math.IsInf(r, 0) {
		r = refNext(e, r, r < 0)
	}
	return refEncoding(e, r)
}

// refFlush returns a source under the mode.
func refFlush(e Elem, x uint64, mode Mode) uint64 {
	sign := uint64(1) << (e.bits() - 1)
	exponent := map[Elem]uint64{F16: 0x7c00, BF16: 0x7f80, F32: 0x7f800000, F64: 0x7ff << 52}[e]
	if mode&FTZ != 0 && x&exponent == 0 {
		return x & sign
	}
	return x
}

// refNaN is the canonical NaN.
func refNaN(e Elem) uint64 { return 1<<(e.bits()-1) - 1 }

var bigMode = map[Mode]big.RoundingMode{
	RoundNearest: big.ToNearestEven, RoundZero: big.ToZero, RoundDown: big.ToNegativeInf, RoundUp: big.ToPositiveInf,
}

// refExact returns the result of op on float64 values before rounding: nil for NaN. Zero has the sign of IEEE 754 in
// the mode's direction.
func refExact(op string, x, y, z float64, mode Mode) (v *big.Float) {
	defer func() {
		if err := recover(); err != nil {
			if _, ok := err.(big.ErrNaN); !ok {
				panic(err)
			}
			v = nil
		}
	}()
	if x != x || y != y || z != z {
		return nil
	}
	r := new(big.Float).SetPrec(exactPrec).SetMode(bigMode[mode&roundMask])
	short := new(big.Float).SetPrec(300) // of a quotient or root: far more bits than tell it from a midpoint
	switch op {
	case "add":
		return refSum(r, exact(x), exact(y))
	case "sub":
		return refSum(r, exact(x), exact(-y))
	case "mul":
		return r.Mul(exact(x), exact(y))
	case "fma":
		return refSum(r, new(big.Float).Mul(exact(x), exact(y)), exact(z))
	case "div":
		return short.Quo(exact(x), exact(y))
	case "rcp":
		return short.Quo(exact(1), exact(x))
	}
	if x < 0 {
		return nil
	}
	return short.Sqrt(exact(x))
}

// refSum returns r = x + y. For zeros of opposite signs, math/big gives +0 in every direction, IEEE 754 gives -0
// downwards.
func refSum(r, x, y *big.Float) *big.Float {
	if x.Sign() == 0 && y.Sign() == 0 && x.Signbit() != y.Signbit() && r.Mode() == big.ToNegativeInf {
		return r.Neg(r.SetInt64(0))
	}
	return r.Add(x, y)
}

// floatEdges are encodings at the limits of rounding and flushing, and special values, of both signs.
func floatEdges(e Elem) []uint64 {
	var inf, frac uint64
	switch e {
	case F16:
		inf, frac = 0x7c00, 10
	case BF16:
		inf, frac = 0x7f80, 7
	case F32:
		inf, frac = 0x7f800000, 23
	default:
		inf, frac = 0x7ff<<52, 52
	}
	one := inf >> 1 &^ (1<<frac - 1)
	at := func(exp int) uint64 { return one + uint64(int64(exp)<<frac) }
	list := []uint64{
		0, 1, 2, 3, 1<<frac - 1, 1 << frac, 1<<frac + 1, 1<<(frac-1) + 1, 2<<frac - 1, 2 << frac,
		one - 1, one, one + 1, one + 1<<(frac-1), at(1), at(1) - 1, at(1) + 1, at(2) + 3<<(frac-2),
		at(-int(frac) - 1), at(-int(frac) - 2), at(-int(frac)-1) + 1, at(-int(frac)), at(int(frac)), at(int(frac)+1) + 1,
		one/2 + 1<<(frac-1), one/2 + 5, one + one/2, one + one/2 - 1, one + 1<<(frac-1) + 1,
		inf - 1, inf - 2, inf - 1<<frac, inf - 1<<frac - 1, inf,
		inf | 1, inf | 1<<(frac-1), inf | 1<<(frac-1) | 5, 2*inf - inf + 1<<frac - 1, inf | 0x2a,
	}
	for _, x := range list[:len(list):len(list)] {
		list = append(list, x|1<<(e.bits()-1))
	}
	return list
}

// randomFloat returns an encoding of one of several kinds: any bits, numbers near one, and numbers of few bits, with
// sums and products at midpoints.
func randomFloat(r *rand.Rand, e Elem) uint64 {
	bits, frac := e.bits(), fractionBits[e]
	one := refEncoding(e, 1)
	sign := r.Uint64() & (1 << (bits - 1))
	switch r.IntN(4) {
	case 0:
		return r.Uint64() >> (64 - bits)
	case 1: // close exponents
		return sign | (one + uint64(int64(r.IntN(5)-2)<<frac) + r.Uint64()>>(64-frac))
	case 2: // few bits, close exponents
		x := one + uint64(int64(r.IntN(2*min(frac, 26))-min(frac, 26))<<frac)
		if e == F16 {
			x = one + uint64(int64(r.IntN(20)-10)<<frac)
		}
		return sign | x | 1<<r.IntN(frac) | uint64(r.IntN(2))<<r.IntN(frac)
	}
	return sign | uint64(r.IntN(2*frac))<<frac | 1<<r.IntN(frac) | uint64(r.IntN(2)) // near the bottom
}
