package conformance

import "math/big"

// A summand is an element of a matrix of floats, or a product of two.
type summand struct {
	value    exact
	lead     int // exponent of the leading bit of normal numbers; the least one for others
	nan, inf bool
}

// elementFormats are the formats of elements that are floats.
var elementFormats = map[string]floatFormat{"f16": half, "bf16": brain, "f32": single, "tf32": single, "f64": double, "e4m3": {8, 3}, "e5m2": {8, 2},
	"e3m2": {6, 2}, "e2m3": {6, 3}, "e2m1": {4, 1}, nibble: {4, 1}}

// nibble is e2m1 without padding: eight elements in a register.
const nibble = "e2m1x8"

// numberOf returns the number that v encodes in a type.
func numberOf(typ string, v uint64) summand {
	ff := elementFormats[typ]
	if typ == "tf32" {
		v &^= 1<<13 - 1
	}
	switch {
	case typ == "e2m1": // in the middle of a byte
		v = v >> 2 & 0xf
	case typ == "e3m2", typ == "e2m3":
		v &= 0x3f
	case typ == nibble:
	case typ == "e4m3":
		if ff.magnitude(v) == 0x7f {
			return summand{nan: true}
		}
	case ff.isNaN(v):
		return summand{nan: true}
	case ff.isInf(v):
		return summand{inf: true, value: exact{neg: ff.negative(v), m: big.NewInt(1)}}
	}
	return summand{value: ff.exact(v), lead: max(int(ff.magnitude(v)>>ff.mantissa), 1) - ff.bias()}
}

func (x summand) times(y summand) summand {
	switch {
	case x.nan || y.nan, x.inf && y.value.isZero(), y.inf && x.value.isZero():
		return summand{nan: true}
	case x.inf || y.inf:
		return summand{inf: true, value: exact{neg: x.value.neg != y.value.neg, m: big.NewInt(1)}}
	}
	return summand{value: x.value.times(y.value), lead: x.lead + y.lead}
}

// sumAtOnce returns the sum of numbers as computed by a tensor core of an H100: all are truncated, towards zero, a
// number of places below the leading one of the largest.
func sumAtOnce(all []summand, places int) summand {
	top, any := 0, false
	sum := summand{value: exact{m: new(big.Int)}}
	for _, x := range all {
		switch {
		case x.nan, x.inf && sum.inf && sum.value.neg != x.value.neg:
			return summand{nan: true}
		case x.inf:
			sum = x
		case !x.value.isZero() && (!any || x.lead > top):
			top, any = x.lead, true
		}
	}
	for _, x := range all {
		if x.nan {
			return x
		}
	}
	if sum.inf || !any {
		return sum
	}
	total := new(big.Int)
	for _, x := range all {
		m := x.value.integral(top-places, towardZero)
		if x.value.neg {
			total.Sub(total, m)
		} else {
			total.Add(total, m)
		}
	}
	sum.value = exact{total.Sign() < 0, total.Abs(total), top - places}
	return sum
}

// encode returns a sum as an element of D.
func (x summand) encode(typ string) uint64 {
	ff, mode := formatOf(typ), toNearest
	if typ == "f32" {
		mode = towardZero
	}
	sign := uint64(0)
	if x.value.neg {
		sign = ff.sign()
	}
	switch {
	case x.nan:
		return ff.nan()
	case x.inf || !x.value.isZero() && x.value.e+x.value.m.BitLen() > ff.bias()+1:
		return sign | ff.infinity()
	}
	return ff.round(x.value, mode)
}

// encodeCoarse is encode for sums with 13 bits of fraction in .f32.
func (x summand) encodeCoarse(typ string) uint64 {
	if typ == "f32" && !x.nan && !x.inf && !x.value.isZero() && x.value.e+x.value.m.BitLen() <= single.bias()+1 {
		sign := uint64(0)
		if x.value.neg {
			sign = single.sign()
		}
		return sign | floatFormat{22, 13}.round(exact{m: x.value.m, e: x.value.e}, towardZero)<<10
	}
	return x.encode(typ)
}
