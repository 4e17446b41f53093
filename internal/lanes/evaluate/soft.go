package evaluate

import "math/bits"

// format is a binary floating-point format.
type format struct {
	width    int // bits
	fraction int // explicit bits of the significand
}

var (
	binary16 = format{16, 10}
	binary32 = format{32, 23}
	binary64 = format{64, 52}
)

// The rounding modes, as in the field RC of MXCSR.
const (
	toNearest uint8 = iota
	down
	up
	toZero
)

// mode is how results are rounded, and what happens to subnormal numbers. The zero value is Go's mode.
type mode struct {
	rounding     uint8
	zeroSources  bool // DAZ: subnormal sources are zeros
	flushResults bool // FTZ: tiny results become zeros
}

func (f format) most() int          { return 1<<(f.width-1-f.fraction) - 1 } // the exponent field of infinity and NaN
func (f format) bias() int          { return f.most() >> 1 }
func (f format) signBit() uint64    { return 1 << (f.width - 1) }
func (f format) infinity() uint64   { return uint64(f.most()) << f.fraction }
func (f format) quietBit() uint64   { return 1 << (f.fraction - 1) }
func (f format) indefinite() uint64 { return f.signBit() | f.infinity() | f.quietBit() } // the default NaN

func (f format) magnitude(x uint64) uint64 { return x &^ f.signBit() }
func (f format) isNaN(x uint64) bool       { return f.magnitude(x) > f.infinity() }
func (f format) isInfinite(x uint64) bool  { return f.magnitude(x) == f.infinity() }
func (f format) isNegative(x uint64) bool  { return x&f.signBit() != 0 }
func (f format) isZero(x uint64) bool      { return f.magnitude(x) == 0 }
func (f format) isSignaling(x uint64) bool { return f.isNaN(x) && x&f.quietBit() == 0 }

func (f format) isSubnormal(x uint64) bool {
	return !f.isZero(x) && f.magnitude(x) < 1<<f.fraction
}

// sign is the sign bit, if negative.
func (f format) sign(negative bool) uint64 {
	if negative {
		return f.signBit()
	}
	return 0
}

// flushed is a source as the mode has it.
func (f format) flushed(m mode, x uint64) uint64 {
	if m.zeroSources && f.isSubnormal(x) {
		return x & f.signBit()
	}
	return x
}

// unpack returns the significand and the exponent of a finite number: |x| = significand * 2^exponent.
func (f format) unpack(x uint64) (significand uint64, exponent int) {
	significand = x & (1<<f.fraction - 1)
	field := int(x>>f.fraction) & f.most()
	if field == 0 {
		return significand, 1 - f.bias() - f.fraction
	}
	return significand | 1<<f.fraction, field - f.bias() - f.fraction
}

// wide is a number of 128 bits times a power of two. If bits below it were lost, its lowest bit is 1.
type wide struct {
	high, low uint64
	exponent  int
}

func (w wide) isZero() bool { return w.high|w.low == 0 }

// length is the number of bits up to the highest one.
func (w wide) length() int {
	if w.high != 0 {
		return 64 + bits.Len64(w.high)
	}
	return bits.Len64(w.low)
}

// shifted is w with the same value and an exponent that is larger by n.
func (w wide) shifted(n int) wide {
	w.exponent += n
	switch {
	case n < 0:
		n = -n
		if n >= 64 {
			w.high, w.low = w.low<<(n-64), 0
		} else {
			w.high, w.low = w.high<<n|w.low>>(64-n), w.low<<n
		}
		return w
	case n >= 128:
		w.high, w.low = 0, bit(!w.isZero())
		return w
	}
	high, low := w.high, w.low
	var lost uint64
	if n >= 64 {
		lost = low
		high, low = 0, high
		n -= 64
	}
	lost |= low & (1<<n - 1)
	w.high, w.low = high>>n, low>>n|high<<(64-n)|bit(lost != 0)
	return w
}

// normal is w with its highest bit in bit n.
func (w wide) normal(n int) wide { return w.shifted(w.length() - 1 - n) }

// plus is the sum of two numbers with signs; negative is the sign of a sum that is not zero.
func (w wide) plus(minus bool, v wide, vMinus bool) (sum wide, negative bool) {
	switch {
	case w.isZero():
		return v, vMinus
	case v.isZero():
		return w, minus
	}
	w, v = w.normal(126), v.normal(126)
	if w.exponent < v.exponent || w.exponent == v.exponent && (w.high < v.high || w.high == v.high && w.low < v.low) {
		w, v, minus, vMinus = v, w, vMinus, minus
	}
	v = v.shifted(w.exponent - v.exponent)
	var carry uint64
	if minus == vMinus {
		w.low, carry = bits.Add64(w.low, v.low, 0)
		w.high += v.high + carry
	} else {
		w.low, carry = bits.Sub64(w.low, v.low, 0)
		w.high -= v.high + carry
	}
	return w, minus
}

// round is a number, which is not zero, in the format.
func (f format) round(m mode, negative bool, w wide) uint64 {
	precision, least := f.fraction+1, 1-f.bias()
	top := w.exponent + w.length() - 1 // exponent of the highest bit
	drop := w.length() - precision
	if top < least {
		if m.flushResults && !f.reaches(m, negative, w, least) {
			return f.sign(negative)
		}
		drop += least - top
	}
	significand := roundAt(m, negative, w, drop)
	field := uint64(max(top-least, 0)) // the implicit bit adds one, if there is one
	v := field<<f.fraction + significand
	if v >= f.infinity() {
		v = f.overflow(m, negative)
	}
	return f.sign(negative) | v
}

// roundAt is the integer part of w / 2^drop, without regard to its exponent, rounded.
func roundAt(m mode, negative bool, w wide, drop int) uint64 {
	if drop <= 0 {
		return w.low << -drop
	}
	v := w.shifted(drop - 2) // with two bits more: the half, and whether there are others
	rest, kept := v.low&3, v.low>>2|v.high<<62
	if roundsUp(m.rounding, negative, kept&1 != 0, rest) {
		kept++
	}
	return kept
}

// roundsUp reports whether the magnitude is rounded up. The discarded part is in quarters; an inexact one is odd.
func roundsUp(rounding uint8, negative, odd bool, rest uint64) bool {
	switch rounding {
	case toNearest:
		return rest == 3 || rest == 2 && odd
	case down:
		return negative && rest != 0
	case up:
		return !negative && rest != 0
	}
	return false
}

// reaches reports whether w, which is below the least normal number, is that when it is rounded with all bits of the
// precision.
func (f format) reaches(m mode, negative bool, w wide, least int) bool {
	top := w.exponent + w.length() - 1
	return top == least-1 && roundAt(m, negative, w, w.length()-f.fraction-1) == 1<<(f.fraction+1)
}

// overflow is the magnitude of a result that is too large.
func (f format) overflow(m mode, negative bool) uint64 {
	if m.rounding == toZero || m.rounding == down && !negative || m.rounding == up && negative {
		return f.infinity() - 1
	}
	return f.infinity()
}

// nan returns the result if an operand is NaN: the first that is, made quiet.
func (f format) nan(operands ...uint64) (uint64, bool) {
	for _, x := range operands {
		if f.isNaN(x) {
			return x | f.quietBit(), true
		}
	}
	return 0, false
}

// add is a + b.
func (f format) add(m mode, a, b uint64) uint64 {
	if v, ok := f.nan(a, b); ok {
		return v
	}
	a, b = f.flushed(m, a), f.flushed(m, b)
	switch {
	case f.isInfinite(a) && f.isInfinite(b) && a != b:
		return f.indefinite()
	case f.isInfinite(a):
		return a
	case f.isInfinite(b):
		return b
	}
	return f.addWide(m, f.wide(a), f.isNegative(a), f.wide(b), f.isNegative(b))
}

// wide is the magnitude of a finite number.
func (f format) wide(x uint64) wide {
	significand, exponent := f.unpack(x)
	return wide{0, significand, exponent}
}

// addWide is the sum of two numbers, rounded.
func (f format) addWide(m mode, a wide, aMinus bool, b wide, bMinus bool) uint64 {
	if a.isZero() && b.isZero() && aMinus == bMinus {
		return f.sign(aMinus)
	}
	sum, negative := a.plus(aMinus, b, bMinus)
	if sum.isZero() {
		return f.sign(m.rounding == down)
	}
	return f.round(m, negative, sum)
}

// sub is a - b.
func (f format) sub(m mode, a, b uint64) uint64 {
	if f.isNaN(b) {
		return f.add(m, a, b)
	}
	return f.add(m, a, b^f.signBit())
}

// mul is a * b.
func (f format) mul(m mode, a, b uint64) uint64 {
	if v, ok := f.nan(a, b); ok {
		return v
	}
	a, b = f.flushed(m, a), f.flushed(m, b)
	negative := f.isNegative(a) != f.isNegative(b)
	switch {
	case f.isInfinite(a) && f.isZero(b) || f.isZero(a) && f.isInfinite(b):
		return f.indefinite()
	case f.isInfinite(a) || f.isInfinite(b):
		return f.sign(negative) | f.infinity()
	case f.isZero(a) || f.isZero(b):
		return f.sign(negative)
	}
	return f.round(m, negative, f.product(a, b))
}

// product is the magnitude of a * b.
func (f format) product(a, b uint64) wide {
	x, y := f.wide(a), f.wide(b)
	high, low := bits.Mul64(x.low, y.low)
	return wide{high, low, x.exponent + y.exponent}
}

// div is a / b.
func (f format) div(m mode, a, b uint64) uint64 {
	if v, ok := f.nan(a, b); ok {
		return v
	}
	a, b = f.flushed(m, a), f.flushed(m, b)
	negative := f.isNegative(a) != f.isNegative(b)
	switch {
	case f.isInfinite(a) && f.isInfinite(b) || f.isZero(a) && f.isZero(b):
		return f.indefinite()
	case f.isInfinite(a) || f.isZero(b):
		return f.sign(negative) | f.infinity()
	case f.isZero(a) || f.isInfinite(b):
		return f.sign(negative)
	}
	x, y := f.wide(a).normal(62), f.wide(b).normal(63)
	quotient, rest := bits.Div64(x.low, 0, y.low)
	return f.round(m, negative, wide{0, quotient | bit(rest != 0), x.exponent - y.exponent - 64})
}

// sqrt is the square root of a.
func (f format) sqrt(m mode, a uint64) uint64 {
	if v, ok := f.nan(a); ok {
		return v
	}
	a = f.flushed(m, a)
	switch {
	case f.isZero(a) || a == f.infinity():
		return a
	case f.isNegative(a):
		return f.indefinite()
	}
	x := f.wide(a).normal(127)
	if x.exponent&1 != 0 {
		x = x.normal(126)
	}
	root, exact := squareRoot(x.high, x.low)
	return f.round(m, false, wide{0, root | bit(!exact), x.exponent / 2})
}

// squareRoot is the integer part of the square root, of 64 bits if the number has 127 or 128.
func squareRoot(high, low uint64) (root uint64, exact bool) {
	for n := 63; n >= 0; n-- {
		next := root | 1<<n
		h, l := bits.Mul64(next, next)
		if h < high || h == high && l <= low {
			root = next
		}
	}
	h, l := bits.Mul64(root, root)
	return root, h == high && l == low
}

// fma is a * b + c, rounded once. The signs of the product and of c are inverted first if asked for. The operands are
// in the order in which one that is NaN is the result.
func (f format) fma(m mode, a, b, c uint64, minusProduct, minusC bool) uint64 {
	a, b, c = f.flushed(m, a), f.flushed(m, b), f.flushed(m, c)
	negative := f.isNegative(a) != f.isNegative(b) != minusProduct
	cNegative := f.isNegative(c) != minusC
	switch {
	case f.isInfinite(a) && f.isZero(b) || f.isZero(a) && f.isInfinite(b):
		return f.indefinite()
	case f.isInfinite(a) || f.isInfinite(b):
		if f.isInfinite(c) && cNegative != negative {
			return f.indefinite()
		}
		return f.sign(negative) | f.infinity()
	case f.isInfinite(c):
		return f.sign(cNegative) | f.infinity()
	}
	return f.addWide(m, f.product(a, b), negative, f.wide(c), cNegative)
}

// roundToIntegral is a rounded to a multiple of 2^-scale.
func (f format) roundToIntegral(m mode, a uint64, scale int) uint64 {
	if v, ok := f.nan(a); ok {
		return v
	}
	a = f.flushed(m, a)
	significand, exponent := f.unpack(a)
	if f.isInfinite(a) || f.isZero(a) || exponent >= -scale {
		return a
	}
	negative := f.isNegative(a)
	n := roundAt(m, negative, wide{0, significand, 0}, -scale-exponent)
	if n == 0 {
		return f.sign(negative)
	}
	return f.round(mode{}, negative, wide{0, n, -scale})
}

// toInteger is a as an integer of a number of bits, or its indefinite value if it does not fit.
func (f format) toInteger(m mode, a uint64, size int, signed bool) uint64 {
	indefinite := ^uint64(0) >> (64 - size)
	if signed {
		indefinite = 1 << (size - 1)
	}
	if f.isNaN(a) || f.isInfinite(a) {
		return indefinite
	}
	a = f.flushed(m, a)
	negative := f.isNegative(a)
	significand, exponent := f.unpack(a)
	if significand == 0 {
		return 0
	}
	w := wide{0, significand, 0}
	if exponent > 64 {
		return indefinite
	}
	n := uint64(0)
	if exponent >= 0 {
		if bits.Len64(significand)+exponent > 64 {
			return indefinite
		}
		n = significand << exponent
	} else {
		n = roundAt(m, negative, w, -exponent)
	}
	limit := ^uint64(0) >> (64 - size)
	switch {
	case signed && negative:
		limit = 1 << (size - 1)
	case signed:
		limit >>= 1
	case negative:
		limit = 0
	}
	if n > limit {
		return indefinite
	}
	if negative {
		n = -n
	}
	return n & (^uint64(0) >> (64 - size))
}

// ofInteger is an integer in the format.
func (f format) ofInteger(m mode, n uint64, signed bool) uint64 {
	if n == 0 {
		return 0
	}
	negative := signed && int64(n) < 0
	if negative {
		n = -n
	}
	return f.round(m, negative, wide{0, n, 0})
}

// from is a number of another format in this one.
func (f format) from(m mode, other format, a uint64) uint64 {
	negative := other.isNegative(a)
	if other.isNaN(a) {
		payload := a & (1<<other.fraction - 1)
		if f.fraction > other.fraction {
			payload <<= f.fraction - other.fraction
		} else {
			payload >>= other.fraction - f.fraction
		}
		return f.sign(negative) | f.infinity() | f.quietBit() | payload
	}
	a = other.flushed(m, a)
	switch {
	case other.isInfinite(a):
		return f.sign(negative) | f.infinity()
	case other.isZero(a):
		return f.sign(negative)
	}
	return f.round(m, negative, other.wide(a))
}
