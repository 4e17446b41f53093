package fn

import "math"

// Mod is the remainder of a/b rounded towards zero, with the sign of a.
func Mod(a, b float64) float64 { return math.Mod(a, b) }

// Remainder is the remainder of a/b rounded to the nearest integer, or to the even one of two.
func Remainder(a, b float64) float64 { return math.Remainder(a, b) }

// Remquo is Remainder, and the quotient: its sign and the low three bits of its magnitude, which is all that CUDA
// guarantees.
func Remquo(a, b float64) (float64, int32) {
	r := math.Remainder(a, b)
	if r != r || math.IsInf(b, 0) {
		return r, 0
	}
	x, y := math.Abs(a), math.Abs(b)
	if y <= math.MaxFloat64/8 {
		x = math.Mod(x, mul(8, y))
	}
	q := int32(0)
	for _, part := range [...]int32{4, 2, 1} {
		if d := x - mul(float64(part), y); d >= 0 {
			x, q = d, q+part
		}
	}
	if rest := y - x; x > rest || x == rest && q&1 != 0 {
		q = (q + 1) & 7
	}
	if math.Signbit(a) != math.Signbit(b) {
		q = -q
	}
	return r, q
}

// Frexp returns a as m times 2^e, where m is 0 or at least a half and less than 1; e is 0 for zeros, infinities and
// NaN.
func Frexp(a float64) (m float64, e int32) {
	m, exp := math.Frexp(a)
	return m, int32(exp)
}

// Modf returns the fraction of a and its integral part, both with the sign of a.
func Modf(a float64) (frac, whole float64) {
	switch {
	case math.IsInf(a, 0):
		return math.Copysign(0, a), a
	case a != a:
		return a, a
	}
	whole = math.Trunc(a)
	return math.Copysign(a-whole, a), whole
}

// Ldexp returns a times 2^n, rounded once.
func Ldexp(a float64, n int32) float64 { return math.Ldexp(a, int(n)) }

// Logb returns the exponent of a, as a float: -inf for zero, inf for infinities.
func Logb(a float64) float64 {
	switch {
	case a != a:
		return a
	case a == 0:
		return math.Inf(-1)
	case math.IsInf(a, 0):
		return math.Inf(1)
	}
	_, e := math.Frexp(a)
	return float64(e - 1)
}

// Ilogb returns the exponent of a: the least int for zero and NaN, the greatest for infinities.
func Ilogb(a float64) int32 {
	switch {
	case a == 0 || a != a:
		return math.MinInt32
	case math.IsInf(a, 0):
		return math.MaxInt32
	}
	_, e := math.Frexp(a)
	return int32(e - 1)
}

// Nextafter returns the float next to a in the direction of b; b itself if they are equal.
func Nextafter(a, b float64) float64 {
	if a == b {
		return b
	}
	return math.Nextafter(a, b)
}

// Nextafter32 is Nextafter for single precision.
func Nextafter32(a, b float32) float32 {
	if a == b {
		return b
	}
	return math.Nextafter32(a, b)
}

// The state of NaNDigit in bits: the value of the digits so far is in the lowest bits, then come the base and a mark
// for invalid text.
const (
	nanValue   = 1<<52 - 1
	nanOctal   = 1 << 52
	nanDecimal = 2 << 52
	nanHex     = 3 << 52
	nanBase    = 3 << 52
	nanInvalid = 1 << 54
)

var radixes = [...]uint64{1: 8, 2: 10, 3: 16} // by base, in units of nanOctal

// NaNDigit reads one more character of an unsigned number in C's notation, in base 8, 10 or 16: it returns the next
// state; the first state is 0. For the 0 at the end it returns the bits of the quiet NaN with the number as its
// payload, of 51 bits; the NaN has no payload if the text is not a number.
func NaNDigit(state uint64, c byte) uint64 {
	base := state & nanBase
	digit, radix := uint64(255), radixes[base/nanOctal]
	switch {
	case c == 0 && state&nanInvalid != 0:
		return 0x7ff8000000000000
	case c == 0:
		return 0x7ff8000000000000 | state&(nanValue>>1)
	case base == 0 && c == '0':
		return state | nanOctal
	case base == nanOctal && state&nanValue == 0 && (c == 'x' || c == 'X'):
		return state&^nanBase | nanHex
	case c >= '0' && c <= '9':
		digit = uint64(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		digit = uint64(c|0x20-'a') + 10
	}
	if base == 0 {
		base, radix = nanDecimal, 10
	}
	if digit >= radix {
		return state | nanInvalid
	}
	return (state&nanValue*radix+digit)&nanValue | base | state&nanInvalid
}

// Squares is a sum of squares: 2^Exp times Hi + Lo. Neither a term nor the sum overflows or underflows. Hi is
// infinite if a term is, and otherwise NaN if a term is.
type Squares struct {
	Exp    int64
	Hi, Lo float64
}

// Add adds the square of x.
func (s *Squares) Add(x float64) {
	switch {
	case math.IsInf(x, 0) || math.IsInf(s.Hi, 0):
		*s = Squares{Hi: math.Inf(1)}
		return
	case x != x || s.Hi != s.Hi:
		*s = Squares{Hi: math.NaN()}
		return
	case x == 0:
		return
	}
	m, e := math.Frexp(x)
	term, exp := product(m, m), int64(2*e)
	if s.Hi == 0 || exp > s.Exp {
		down := int(s.Exp - exp)
		s.Hi, s.Lo, s.Exp = math.Ldexp(s.Hi, down), math.Ldexp(s.Lo, down), exp
	}
	down := int(exp - s.Exp)
	sum := dd{s.Hi, s.Lo}.add(dd{math.Ldexp(term.hi, down), math.Ldexp(term.lo, down)})
	s.Hi, s.Lo = sum.hi, sum.lo
}

func squares(xs ...float64) (s Squares) {
	for _, x := range xs {
		s.Add(x)
	}
	return s
}

// Norm returns the root of the sum.
func (s Squares) Norm() float64 {
	if s.Hi == 0 || !(s.Hi <= math.MaxFloat64) {
		return s.Hi
	}
	return dd{s.Hi, s.Lo}.sqrt().scale(int(s.Exp / 2))
}

// Rnorm returns 1 / Norm.
func (s Squares) Rnorm() float64 {
	switch {
	case s.Hi == 0:
		return math.Inf(1)
	case math.IsInf(s.Hi, 0):
		return 0
	case s.Hi != s.Hi:
		return s.Hi
	}
	return dd{hi: 1}.div(dd{s.Hi, s.Lo}.sqrt()).scale(-int(s.Exp / 2))
}
