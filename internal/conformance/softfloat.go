package conformance

import (
	"math"
	"math/big"
)

// floatFormat is a binary format of IEEE 754.
type floatFormat struct{ bits, mantissa int }

var (
	half   = floatFormat{16, 10}
	single = floatFormat{32, 23}
	double = floatFormat{64, 52}
	brain  = floatFormat{16, 7}
)

// formatOf is the format of a type.
func formatOf(typ string) floatFormat {
	switch typ {
	case "f16", "f16x2":
		return half
	case "bf16", "bf16x2":
		return brain
	case "f32", "f32x2":
		return single
	}
	return double
}

func (ff floatFormat) sign() uint64     { return 1 << (ff.bits - 1) }
func (ff floatFormat) infinity() uint64 { return ff.sign() - 1<<ff.mantissa }
func (ff floatFormat) bias() int        { return 1<<(ff.bits-ff.mantissa-2) - 1 }

// nan is the canonical NaN. PTX defines none for .f64, which has its NaNs compared with sameNaN.
func (ff floatFormat) nan() uint64 { return ff.sign() - 1 }

func (ff floatFormat) magnitude(v uint64) uint64 { return v &^ ff.sign() }
func (ff floatFormat) negative(v uint64) bool    { return v&ff.sign() != 0 }
func (ff floatFormat) isNaN(v uint64) bool       { return ff.magnitude(v) > ff.infinity() }
func (ff floatFormat) isInf(v uint64) bool       { return ff.magnitude(v) == ff.infinity() }
func (ff floatFormat) isZero(v uint64) bool      { return ff.magnitude(v) == 0 }
func (ff floatFormat) finite(v uint64) bool      { return ff.magnitude(v) < ff.infinity() }
func (ff floatFormat) subnormal(v uint64) bool {
	return !ff.isZero(v) && ff.magnitude(v) < 1<<ff.mantissa
}

// flush is v, or zero of its sign if it is subnormal.
func (ff floatFormat) flush(v uint64) uint64 {
	if ff.subnormal(v) {
		return v & ff.sign()
	}
	return v
}

// one is 1.0.
func (ff floatFormat) one() uint64 { return uint64(ff.bias()) << ff.mantissa }

// exact is a real number: ±m·2^e. A zero has a sign too.
type exact struct {
	neg bool
	m   *big.Int
	e   int
}

// exact is the number that a finite v encodes.
func (ff floatFormat) exact(v uint64) exact {
	m := ff.magnitude(v)
	e := int(m >> ff.mantissa)
	m &= 1<<ff.mantissa - 1
	if e > 0 {
		m |= 1 << ff.mantissa
		e--
	}
	return exact{ff.negative(v), new(big.Int).SetUint64(m), e + 1 - ff.bias() - ff.mantissa}
}

func exactFloat64(v float64) exact { return double.exact(math.Float64bits(v)) }

func exactInt(x *big.Int) exact { return exact{x.Sign() < 0, new(big.Int).Abs(x), 0} }

func (x exact) isZero() bool { return x.m.Sign() == 0 }

// scaled returns ±m for the exponent e, which must not be above that of x.
func (x exact) scaled(e int) *big.Int {
	m := new(big.Int).Lsh(x.m, uint(x.e-e))
	if x.neg {
		m.Neg(m)
	}
	return m
}

// plus is the sum; the sign of an exact zero is that of both, or negative only when rounding down.
func (x exact) plus(y exact, mode rounding) exact {
	e := min(x.e, y.e)
	sum := new(big.Int).Add(x.scaled(e), y.scaled(e))
	neg := sum.Sign() < 0
	if sum.Sign() == 0 {
		neg = x.neg && y.neg || x.neg != y.neg && mode == downward
	}
	return exact{neg, sum.Abs(sum), e}
}

func (x exact) times(y exact) exact {
	return exact{x.neg != y.neg, new(big.Int).Mul(x.m, y.m), x.e + y.e}
}

// guardBits is more than the bits that rounding to any format's mantissa needs.
const guardBits = 120

// over is the quotient by y, which is not zero, with a sticky last bit.
func (x exact) over(y exact) exact {
	q, r := new(big.Int).QuoRem(new(big.Int).Lsh(x.m, guardBits), y.m, new(big.Int))
	return exact{x.neg != y.neg, sticky(q, r.Sign() != 0), x.e - y.e - guardBits - 1}
}

// root is the square root, with a sticky last bit.
func (x exact) root() exact {
	m, e := new(big.Int).Lsh(x.m, 2*guardBits), x.e-2*guardBits
	if e%2 != 0 {
		m.Lsh(m, 1)
		e--
	}
	q := new(big.Int).Sqrt(m)
	more := new(big.Int).Mul(q, q).Cmp(m) != 0
	return exact{false, sticky(q, more), e/2 - 1}
}

// sticky is 2q, plus 1 if more is set.
func sticky(q *big.Int, more bool) *big.Int {
	q = new(big.Int).Lsh(q, 1)
	if more {
		q.SetBit(q, 0, 1)
	}
	return q
}

type rounding int

const (
	toNearest     rounding = iota
	toNearestAway          // with ties away from zero
	towardZero
	downward
	upward
)

// roundingOf returns the rounding of a form's modifiers.
func roundingOf(f form) rounding {
	switch f.oneOf("rn", "rna", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi") {
	case "rna":
		return toNearestAway
	case "rz", "rzi":
		return towardZero
	case "rm", "rmi":
		return downward
	case "rp", "rpi":
		return upward
	}
	return toNearest
}

// integral is x·2^-e rounded to an integer.
func (x exact) integral(e int, mode rounding) *big.Int {
	if x.e >= e {
		return new(big.Int).Lsh(x.m, uint(x.e-e))
	}
	shift := uint(e - x.e)
	q := new(big.Int).Rsh(x.m, shift)
	rest := new(big.Int).Sub(x.m, new(big.Int).Lsh(q, shift))
	if rest.Sign() == 0 {
		return q
	}
	up := false
	switch mode {
	case toNearest, toNearestAway:
		half := rest.Cmp(new(big.Int).Lsh(big.NewInt(1), shift-1))
		up = half > 0 || half == 0 && (mode == toNearestAway || q.Bit(0) == 1)
	case downward:
		up = x.neg
	case upward:
		up = !x.neg
	}
	if up {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// round encodes x.
func (ff floatFormat) round(x exact, mode rounding) uint64 {
	sign := uint64(0)
	if x.neg {
		sign = ff.sign()
	}
	if x.isZero() {
		return sign
	}
	least := 1 - ff.bias() - ff.mantissa // the exponent of the last place of subnormals
	last := max(x.e+x.m.BitLen()-1-ff.mantissa, least)
	m := x.integral(last, mode)
	// A mantissa with its leading one, or with one bit more, carries into the exponent.
	bits := new(big.Int).Add(m, new(big.Int).Lsh(big.NewInt(int64(last-least)), uint(ff.mantissa)))
	if last-least > 2*ff.bias() || bits.Cmp(new(big.Int).SetUint64(ff.infinity())) >= 0 {
		if mode == towardZero || mode == downward && !x.neg || mode == upward && x.neg {
			return sign | ff.infinity() - 1
		}
		return sign | ff.infinity()
	}
	return sign | bits.Uint64()
}

// float64 is the number that v encodes.
func (ff floatFormat) float64(v uint64) float64 {
	switch {
	case ff.isNaN(v):
		return math.NaN()
	case ff.isInf(v) && ff.negative(v):
		return math.Inf(-1)
	case ff.isInf(v):
		return math.Inf(1)
	}
	return math.Float64frombits(double.round(ff.exact(v), toNearest))
}
