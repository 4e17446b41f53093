package evaluate

import "math"

// bitsOf are the bits of a floating-point number.
type bitsOf interface{ uint32 | uint64 }

// formatOf is the format of numbers with the bits T.
func formatOf[T bitsOf]() format {
	if sizeOf[T]() == 4 {
		return binary32
	}
	return binary64
}

// mode is the mode of an instruction: that of MXCSR, unless the instruction has a rounding mode of its own.
func (c *CPU) mode(s *step) mode {
	m := c.controlled()
	if s.Rounded {
		m.rounding = s.Rounding
	}
	return m
}

// controlled is the mode of MXCSR.
func (c *CPU) controlled() mode {
	return mode{uint8(c.control >> 13 & 3), c.control>>6&1 != 0, c.control>>15&1 != 0}
}

// The results are computed exactly and rounded (soft.go). In Go's mode the host's operations have the same results,
// except NaN.

func addition32(m mode, a, b uint32) uint32 {
	if m == (mode{}) {
		if v := math.Float32frombits(a) + math.Float32frombits(b); v == v {
			return math.Float32bits(v)
		}
	}
	return uint32(binary32.add(m, uint64(a), uint64(b)))
}

func addition64(m mode, a, b uint64) uint64 {
	if m == (mode{}) {
		if v := math.Float64frombits(a) + math.Float64frombits(b); v == v {
			return math.Float64bits(v)
		}
	}
	return binary64.add(m, a, b)
}

func subtraction32(m mode, a, b uint32) uint32 {
	if m == (mode{}) {
		if v := math.Float32frombits(a) - math.Float32frombits(b); v == v {
			return math.Float32bits(v)
		}
	}
	return uint32(binary32.sub(m, uint64(a), uint64(b)))
}

func subtraction64(m mode, a, b uint64) uint64 {
	if m == (mode{}) {
		if v := math.Float64frombits(a) - math.Float64frombits(b); v == v {
			return math.Float64bits(v)
		}
	}
	return binary64.sub(m, a, b)
}

func product32(m mode, a, b uint32) uint32 {
	if m == (mode{}) {
		if v := math.Float32frombits(a) * math.Float32frombits(b); v == v {
			return math.Float32bits(v)
		}
	}
	return uint32(binary32.mul(m, uint64(a), uint64(b)))
}

func product64(m mode, a, b uint64) uint64 {
	if m == (mode{}) {
		if v := math.Float64frombits(a) * math.Float64frombits(b); v == v {
			return math.Float64bits(v)
		}
	}
	return binary64.mul(m, a, b)
}

func quotient32(m mode, a, b uint32) uint32 {
	if m == (mode{}) {
		if v := math.Float32frombits(a) / math.Float32frombits(b); v == v {
			return math.Float32bits(v)
		}
	}
	return uint32(binary32.div(m, uint64(a), uint64(b)))
}

func quotient64(m mode, a, b uint64) uint64 {
	if m == (mode{}) {
		if v := math.Float64frombits(a) / math.Float64frombits(b); v == v {
			return math.Float64bits(v)
		}
	}
	return binary64.div(m, a, b)
}

func root32(m mode, a uint32) uint32 {
	if m == (mode{}) {
		if v := math.Sqrt(float64(math.Float32frombits(a))); v == v {
			return math.Float32bits(float32(v)) // 53 bits suffice for a root of 24
		}
	}
	return uint32(binary32.sqrt(m, uint64(a)))
}

func root64(m mode, a uint64) uint64 {
	if m == (mode{}) {
		if v := math.Sqrt(math.Float64frombits(a)); v == v {
			return math.Float64bits(v)
		}
	}
	return binary64.sqrt(m, a)
}

// fused is a * b + c, of numbers that are not NaN.
func fused[T bitsOf](m mode, a, b, c T, minusProduct, minusC bool) T {
	f := formatOf[T]()
	if m == (mode{}) {
		a, c := a^T(f.sign(minusProduct)), c^T(f.sign(minusC))
		if f == binary32 {
			if v, ok := fused32(uint32(a), uint32(b), uint32(c)); ok {
				return T(v)
			}
		} else if v := math.FMA(math.Float64frombits(uint64(a)), math.Float64frombits(uint64(b)), math.Float64frombits(uint64(c))); v == v {
			return T(math.Float64bits(v))
		}
	}
	return T(f.fma(m, uint64(a), uint64(b), uint64(c), minusProduct, minusC))
}

// fused32 computes in 64 bits, which hold the product exactly. Rounding twice is wrong where the sum, once rounded to
// 64 bits, is half way between two numbers of 32, and for subnormal numbers: ok is then false, as it is for NaN.
func fused32(a, b, c uint32) (v uint32, ok bool) {
	product := float64(math.Float32frombits(a)) * float64(math.Float32frombits(b))
	sum := product + float64(math.Float32frombits(c))
	const (
		dropped = 52 - 23
		half    = 1 << (dropped - 1)
		least   = 0x1p-126
	)
	if math.Float64bits(sum)&(1<<dropped-1) == half || math.Abs(sum) < least && sum != 0 {
		return 0, false
	}
	return math.Float32bits(float32(sum)), sum == sum
}

// eachFloat is an operation on each element.
func eachFloat[D, S element](f func(m mode, a S) D) evaluation {
	return func(c *CPU, s *step) {
		m := c.mode(s)
		each(func(a S) D { return f(m, a) })(c, s)
	}
}

// eachFloatPair is an operation on the elements of two sources.
func eachFloatPair[T bitsOf](f func(m mode, a, b T) T) evaluation {
	return func(c *CPU, s *step) {
		m := c.mode(s)
		a, b := view[T](c.source(s, 1, sizeOf[T]())), view[T](c.source(s, 2, sizeOf[T]()))
		d := view[T](&c.result)
		for i := range s.bytes(0) / sizeOf[T]() {
			d[i] = f(m, a[i], b[i])
		}
		c.put(s, sizeOf[T]())
	}
}

// fma is a fused multiplication and addition. order has the numbers of the operands: of the two factors and of the
// addend. If one is NaN, the first that is one in this order is the result.
func fma[T bitsOf](order string, minusProduct, minusAddend bool) evaluation {
	f := formatOf[T]()
	first, second, third := order[0]-'1', order[1]-'1', order[2]-'1'
	return func(c *CPU, s *step) {
		m := c.mode(s)
		operands := [3][]T{view[T](c.old(s)), view[T](c.source(s, 1, sizeOf[T]())), view[T](c.source(s, 2, sizeOf[T]()))}
		x, y, z := operands[first], operands[second], operands[third]
		d := view[T](&c.result)
		for i := range s.bytes(0) / sizeOf[T]() {
			if v, ok := f.nan(uint64(x[i]), uint64(y[i]), uint64(z[i])); ok {
				d[i] = T(v)
			} else {
				d[i] = fused(m, x[i], y[i], z[i], minusProduct, minusAddend)
			}
		}
		c.put(s, sizeOf[T]())
	}
}

// order is a number that compares as x does, which is not NaN.
func (f format) order(x uint64) int64 {
	v := int64(f.magnitude(x))
	if f.isNegative(x) {
		return -v
	}
	return v
}

// least is a if it is less than b, otherwise b: also if one is NaN, or both are zeros.
func leastFloat[T bitsOf](m mode, a, b T) T {
	f := formatOf[T]()
	x, y := f.flushed(m, uint64(a)), f.flushed(m, uint64(b))
	if !f.isNaN(x) && !f.isNaN(y) && f.order(x) < f.order(y) {
		return T(x)
	}
	return T(y)
}

func greatestFloat[T bitsOf](m mode, a, b T) T {
	f := formatOf[T]()
	x, y := f.flushed(m, uint64(a)), f.flushed(m, uint64(b))
	if !f.isNaN(x) && !f.isNaN(y) && f.order(x) > f.order(y) {
		return T(x)
	}
	return T(y)
}

// The relations of two numbers, as bits.
const (
	isLess = 1 << iota
	isEqual
	isGreater
	isUnordered
)

// relations are the relations for which a comparison holds, by its number without the bit that says whether quiet
// NaNs raise an exception.
var relations = [16]uint8{
	isEqual, isLess, isLess | isEqual, isUnordered,
	isLess | isGreater | isUnordered, isEqual | isGreater | isUnordered, isGreater | isUnordered, isLess | isEqual | isGreater,
	isEqual | isUnordered, isLess | isUnordered, isLess | isEqual | isUnordered, 0,
	isLess | isGreater, isEqual | isGreater, isGreater, isLess | isEqual | isGreater | isUnordered,
}

// relation is the relation of two numbers.
func (f format) relation(a, b uint64) uint8 {
	switch {
	case f.isNaN(a) || f.isNaN(b):
		return isUnordered
	case f.order(a) < f.order(b):
		return isLess
	case f.order(a) == f.order(b):
		return isEqual
	}
	return isGreater
}

func compareFloat[T bitsOf](c *CPU, s *step) {
	f, m := formatOf[T](), c.controlled()
	compare(func(a, b T, imm uint8) bool {
		return relations[imm&15]&f.relation(f.flushed(m, uint64(a)), f.flushed(m, uint64(b))) != 0
	})(c, s)
}

// roundScale rounds to a multiple of a power of two. The immediate has the rounding mode or the choice of MXCSR's, and
// above four bits the number of bits after the point.
func roundScale[T bitsOf](c *CPU, s *step) { roundTo[T](c, s, int(s.imm>>4)) }

// roundWhole rounds to a whole number, with the same lowest bits of the immediate.
func roundWhole[T bitsOf](c *CPU, s *step) { roundTo[T](c, s, 0) }

func roundTo[T bitsOf](c *CPU, s *step, scale int) {
	f, m := formatOf[T](), c.controlled()
	if s.imm&4 == 0 {
		m.rounding = s.imm & 3
	}
	each(func(a T) T { return T(f.roundToIntegral(m, uint64(a), scale)) })(c, s)
}

// floats are the operations on floating-point numbers.
var floats = func() map[string]evaluation {
	all := map[string]evaluation{
		"vaddps": eachFloatPair(addition32), "vaddpd": eachFloatPair(addition64),
		"vsubps": eachFloatPair(subtraction32), "vsubpd": eachFloatPair(subtraction64),
		"vmulps": eachFloatPair(product32), "vmulpd": eachFloatPair(product64),
		"vdivps": eachFloatPair(quotient32), "vdivpd": eachFloatPair(quotient64),
		"vsqrtps": eachFloat(root32), "vsqrtpd": eachFloat(root64),
		"vminps": eachFloatPair(leastFloat[uint32]), "vminpd": eachFloatPair(leastFloat[uint64]),
		"vmaxps": eachFloatPair(greatestFloat[uint32]), "vmaxpd": eachFloatPair(greatestFloat[uint64]),
		"vcmpps": compareFloat[uint32], "vcmppd": compareFloat[uint64],
		"vroundps": roundWhole[uint32], "vroundpd": roundWhole[uint64],
		"vrndscaleps": roundScale[uint32], "vrndscalepd": roundScale[uint64],
		"vscalefps": eachFloatPair(scaled[uint32]), "vscalefpd": eachFloatPair(scaled[uint64]),
		"vrangeps": selectRange[uint32], "vrangepd": selectRange[uint64],
		"vfixupimmps": fixUp[uint32], "vfixupimmpd": fixUp[uint64],
	}
	// The digits of a name are the operands of the product and of the sum; a product of the first two is in the order in
	// which Intel's manual writes it.
	for digits, order := range map[string]string{"132": "132", "213": "213", "231": "231"} {
		for name, minus := range map[string][2]bool{"vfmadd": {}, "vfmsub": {false, true}, "vfnmadd": {true, false}, "vfnmsub": {true, true}} {
			all[name+digits+"ps"] = fma[uint32](order, minus[0], minus[1])
			all[name+digits+"pd"] = fma[uint64](order, minus[0], minus[1])
		}
	}
	return all
}()

// scaled is a * 2^floor(b).
func scaled[T bitsOf](m mode, a, b T) T {
	f := formatOf[T]()
	x, y := uint64(a), uint64(b)
	if v, ok := f.scaledSpecial(m, x, y); ok {
		return T(v)
	}
	x, y = f.flushed(m, x), f.flushed(m, y)
	if f.isZero(x) || f.isInfinite(x) {
		return T(x)
	}
	n, most := 1<<13, uint64(f.bias()+12)<<f.fraction // 2^12 is more than any exponent
	switch {
	case f.magnitude(y) < most:
		n = int(int64(f.toInteger(mode{rounding: down}, y, 64, true)))
	case f.isNegative(y):
		n = -n
	}
	w := f.wide(x).normal(63)
	w.exponent += n
	return T(f.roundFar(m, f.isNegative(x), w))
}

// roundFar is round for exponents far out of range.
func (f format) roundFar(m mode, negative bool, w wide) uint64 {
	if w.exponent+63 > f.bias() {
		return f.sign(negative) | f.overflow(m, negative)
	}
	return f.round(m, negative, w)
}

// scaledSpecial is the result of scaled for NaN and infinities.
func (f format) scaledSpecial(m mode, a, b uint64) (v uint64, ok bool) {
	bPositive, bNegative := b == f.infinity(), b == f.infinity()|f.signBit()
	switch {
	case f.isNaN(a) && !f.isSignaling(a) && !f.isSignaling(b) && bPositive:
		return f.infinity(), true
	case f.isNaN(a) && !f.isSignaling(a) && !f.isSignaling(b) && bNegative:
		return 0, true
	}
	if v, ok := f.nan(a, b); ok {
		return v, true
	}
	a = f.flushed(m, a)
	switch {
	case bPositive && f.isZero(a), bNegative && f.isInfinite(a):
		return f.indefinite(), true
	case bPositive:
		return a&f.signBit() | f.infinity(), true
	case bNegative:
		return a & f.signBit(), true
	}
	return 0, false
}

// selectRange is the least or greatest of two numbers, or of their magnitudes, with a sign by bits of the immediate.
func selectRange[T bitsOf](c *CPU, s *step) {
	f, m := formatOf[T](), c.controlled()
	eachPair(func(a, b T) T { return T(f.selected(m, uint64(a), uint64(b), s.imm)) })(c, s)
}

func (f format) selected(m mode, a, b uint64, imm uint8) uint64 {
	a, b = f.flushed(m, a), f.flushed(m, b)
	v := f.selectedNumber(a, b, imm)
	if f.isSignaling(a) || f.isSignaling(b) {
		return v
	}
	switch imm >> 2 & 3 {
	case 0:
		return f.magnitude(v) | a&f.signBit()
	case 1:
		return v
	case 2:
		return f.magnitude(v)
	}
	return v | f.signBit()
}

func (f format) selectedNumber(a, b uint64, imm uint8) uint64 {
	switch {
	case f.isSignaling(a):
		return a | f.quietBit()
	case f.isSignaling(b):
		return b | f.quietBit()
	case f.isNaN(b):
		return a
	case f.isNaN(a):
		return b
	}
	x, y := f.order(a), f.order(b)
	if imm&2 != 0 && f.magnitude(a) != f.magnitude(b) {
		x, y = int64(f.magnitude(a)), int64(f.magnitude(b))
	}
	first := x < y
	if x == y { // of zeros, the negative one is less
		first = f.isNegative(a)
	}
	if first == (imm&1 == 0) {
		return a
	}
	return b
}

// fixUp replaces special numbers: the second source has, for each kind of number, four bits that select the result.
func fixUp[T bitsOf](c *CPU, s *step) {
	f, m := formatOf[T](), c.controlled()
	eachOfThree(func(d, a, b T, _ uint8) T { return T(f.fixedUp(m, uint64(d), uint64(a), uint64(b))) })(c, s)
}

func (f format) fixedUp(m mode, d, a, table uint64) uint64 {
	a = f.flushed(m, a)
	one := uint64(f.bias()) << f.fraction
	kind := 0
	switch {
	case f.isSignaling(a):
		kind = 1
	case f.isNaN(a):
		kind = 0
	case f.isZero(a):
		kind = 2
	case a == one:
		kind = 3
	case f.isInfinite(a) && f.isNegative(a):
		kind = 4
	case f.isInfinite(a):
		kind = 5
	case f.isNegative(a):
		kind = 6
	default:
		kind = 7
	}
	halfPi, ninety := math.Float64bits(math.Pi/2), math.Float64bits(90)
	if f == binary32 {
		halfPi, ninety = uint64(math.Float32bits(math.Pi/2)), uint64(math.Float32bits(90))
	}
	return [16]uint64{
		d, a, a | f.infinity() | f.quietBit(), f.indefinite(),
		f.signBit() | f.infinity(), f.infinity(), f.infinity() | a&f.signBit(), f.signBit(),
		0, f.signBit() | one, one, uint64(f.bias()-1) << f.fraction,
		ninety, halfPi, f.infinity() - 1, f.signBit() | (f.infinity() - 1),
	}[table>>(4*kind)&15]
}
