package lanes

import (
	"math"
	"math/bits"
)

// An unrounded is the number sig × 2^exp, negative if neg: the result of an operation before rounding. If it needs
// more than 64 bits it is rounded to odd: the lowest bit of sig is then set, and bit 63 or 62 is, so that rounding
// again to any format of PTX is the same as rounding once (see towardOdd). It is used where the host's arithmetic
// does not suffice: directed rounding to .f64, and conversions.
type unrounded struct {
	neg bool
	exp int
	sig uint64
}

// A format is a binary floating-point format of IEEE 754.
type format struct {
	width    int // bits of the encoding
	fraction int // bits of the significand, without the hidden one
}

var (
	binary16 = format{16, 10}
	binary32 = format{32, 23}
	binary64 = format{64, 52}
	bfloat16 = format{16, 7}
	tf32     = format{19, 10} // the upper bits of a .f32
)

// sign is the sign bit; infinity is the encoding of +Inf, and NaNs are above it.
func (t format) sign() uint64     { return 1 << (t.width - 1) }
func (t format) infinity() uint64 { return t.sign() - 1<<t.fraction }

// one is the encoding of 1.0, which has the bias in its exponent field.
func (t format) one() uint64 { return t.infinity() >> 1 &^ (1<<t.fraction - 1) }

// leastExp is the exponent of the last bit of subnormal numbers.
func (t format) leastExp() int { return 1 - int(t.one()>>t.fraction) - t.fraction }

// round is the encoding of x in t, rounded by the mode.
func (x unrounded) round(t format, mode Mode) uint64 {
	sign := uint64(0)
	if x.neg {
		sign = t.sign()
	}
	if x.sig == 0 {
		return sign
	}
	x = x.normalized()
	lastExp := max(x.exp+63-t.fraction, t.leastExp()) // of the last bit that is kept
	drop := lastExp - x.exp
	if drop > 64 { // too small for its bits to matter
		drop, x.sig = 64, 1
	}
	kept, rest := x.sig>>drop, x.sig<<(64-drop)
	if mode.roundsUp(x.neg, kept, rest) {
		kept++
	}
	// The hidden bit of kept adds 1 to the exponent field, and so does a carry. The field has room for the exponent of
	// any product, twice that of a finite number.
	encoding := uint64(lastExp-t.leastExp())<<t.fraction + kept
	if encoding < t.infinity() {
		return sign | encoding
	}
	if mode.overflows(x.neg) {
		return sign | t.infinity()
	}
	return sign | t.infinity() - 1
}

// roundsUp reports whether a magnitude is rounded up: kept is its upper part, and rest the bits below, in units of
// 2^-64.
func (mode Mode) roundsUp(neg bool, kept, rest uint64) bool {
	const half = 1 << 63
	if mode&roundMask == RoundNearest {
		return rest > half || rest == half && kept&1 != 0
	}
	return rest != 0 && mode.overflows(neg)
}

// overflows reports whether a result that is too large becomes infinite (true) or the largest finite number (false). It
// becomes infinite if the mode rounds it to nearest or away from zero; neg is its sign.
func (mode Mode) overflows(neg bool) bool {
	switch mode & roundMask {
	case RoundZero:
		return false
	case RoundDown:
		return neg
	case RoundUp:
		return !neg
	}
	return true
}

// normalized is x with bit 63 of sig set. x must not be zero.
func (x unrounded) normalized() unrounded {
	n := bits.LeadingZeros64(x.sig)
	return unrounded{x.neg, x.exp - n, x.sig << n}
}

// exactF64 is the finite number x, with bit 63 of sig set unless it is zero, and the last eleven bits clear.
func exactF64(x float64) unrounded {
	b := math.Float64bits(x)
	u := unrounded{neg: b&signF64 != 0, exp: binary64.leastExp(), sig: b & (1<<52 - 1)}
	if field := int(b >> 52 & 0x7ff); field != 0 {
		u.exp += field - 1
		u.sig |= 1 << 52
	}
	if u.sig == 0 {
		return u
	}
	return u.normalized()
}

// sticky is 1 if any bit of x is set.
func sticky(x uint64) uint64 {
	if x != 0 {
		return 1
	}
	return 0
}

// times is x * y.
func (x unrounded) times(y unrounded) unrounded {
	hi, lo := bits.Mul64(x.sig, y.sig)
	return unrounded{x.neg != y.neg, x.exp + y.exp + 64, hi | sticky(lo)}
}

// over is x / y. Both come from exactF64, and y is not zero.
func (x unrounded) over(y unrounded) unrounded {
	q, r := bits.Div64(x.sig>>1, x.sig<<63, y.sig)
	return unrounded{x.neg != y.neg, x.exp - y.exp - 63, q | sticky(r)}
}

// root is the square root of x, which comes from exactF64 and is not negative.
func (x unrounded) root() unrounded {
	n := float64(x.sig) // exact: the last eleven bits are clear
	if x.exp%2 != 0 {
		n *= 2
		x.exp--
	}
	s := math.Sqrt(n)
	r := exactF64(s)
	r.exp += x.exp / 2
	switch rest := math.FMA(-s, s, n); {
	case rest > 0:
		r.sig++
	case rest < 0:
		r.sig--
	}
	return r
}

// A wide is the number (hi × 2^64 + lo) × 2^exp, negative if neg.
type wide struct {
	neg    bool
	exp    int
	hi, lo uint64
}

func (x wide) isZero() bool { return x.hi|x.lo == 0 }

// shiftRight is x shifted right by n bits, rounded to odd.
func (x wide) shiftRight(n int) wide {
	x.exp += n
	if n >= 128 {
		x.hi, x.lo = 0, sticky(x.hi|x.lo)
		return x
	}
	lost := x.lo << (64 - min(n, 64))
	if n >= 64 {
		lost = x.lo | x.hi<<(128-n)
		x.lo, x.hi = x.hi, 0
		n -= 64
	}
	x.lo = x.lo>>n | x.hi<<(64-n) | sticky(lost)
	x.hi >>= n
	return x
}

// plus is x + y, with their top bits clear. If one of them is shifted right far enough to lose bits, it is so much
// smaller that the sum keeps its top bits.
func (x wide) plus(y wide, mode Mode) wide {
	if y.exp > x.exp {
		x, y = y, x
	}
	y = y.shiftRight(x.exp - y.exp)
	if x.neg == y.neg {
		lo, carry := bits.Add64(x.lo, y.lo, 0)
		hi, _ := bits.Add64(x.hi, y.hi, carry)
		return wide{x.neg, x.exp, hi, lo}
	}
	lo, borrow := bits.Sub64(x.lo, y.lo, 0)
	hi, borrow := bits.Sub64(x.hi, y.hi, borrow)
	d := wide{x.neg, x.exp, hi, lo}
	if borrow != 0 { // y was the larger
		d.neg = y.neg
		d.lo, borrow = bits.Sub64(0, lo, 0)
		d.hi, _ = bits.Sub64(0, hi, borrow)
	}
	if d.isZero() {
		d.neg = mode&roundMask == RoundDown // the sign of x - x
	}
	return d
}

// narrowed is x in 64 bits.
func (x wide) narrowed() unrounded {
	if x.hi == 0 {
		x.exp, x.hi, x.lo = x.exp-64, x.lo, 0
	}
	n := bits.LeadingZeros64(x.hi)
	return unrounded{x.neg, x.exp + 64 - n, x.hi<<n | x.lo>>(64-n) | sticky(x.lo<<n)}
}

// timesPlus is x * y + z, with all three from exactF64.
func (x unrounded) timesPlus(y, z unrounded, mode Mode) unrounded {
	p := wide{neg: x.neg != y.neg, exp: x.exp + y.exp}
	p.hi, p.lo = bits.Mul64(x.sig, y.sig)
	c := wide{z.neg, z.exp - 64, z.sig, 0}
	switch { // zero has no exponent
	case p.isZero() && !c.isZero():
		return z
	case c.isZero() && !p.isZero():
		return p.narrowed()
	}
	return p.shiftRight(1).plus(c.shiftRight(1), mode).narrowed() // room for a carry
}
