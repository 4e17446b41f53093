package conformance

import (
	"math"
	"math/big"
	"slices"
)

var floatMakers = map[string]trialMaker{
	"fma":      floatTrials,
	"rcp":      floatTrials,
	"sqrt":     floatTrials,
	"rsqrt":    floatTrials,
	"sin":      floatTrials,
	"cos":      floatTrials,
	"ex2":      floatTrials,
	"lg2":      floatTrials,
	"tanh":     floatTrials,
	"copysign": copySign,
	"testp":    testProperty,
}

// floatTrials is an instruction that takes floats of its type and gives one.
func floatTrials(f form) []trial {
	typ := f.types[0]
	if f.has("approx") && isBrain(typ) {
		return brainApproximation(f)
	}
	if a, ok := approximations[f.op]; ok && f.oneOf("approx", "full") != "" {
		return a.trials(f)
	}
	op := floatOps[f.op]
	sp := specimen{form: f, dst: operands(typ), src: repeated(typ, op.sources),
		eval: func(s []uint64) []uint64 { return one(op.eval(f, s)) }}
	if ofThree := (f.op == "min" || f.op == "max") && typ == "f32" && !f.has("xorsign"); ofThree {
		of := specimen{form: f, dst: sp.dst, src: repeated(typ, 3), eval: func(s []uint64) []uint64 { return one(extreme(f, s)) }}
		if f.has("abs") {
			return trials(of)
		}
		return append(trials(sp), trials(of)...)
	}
	if _, pair := halfOf(typ); pair {
		sp.eval = func(s []uint64) []uint64 {
			return one(inParts(s, typeBits[typ]/2, func(s []uint64) uint64 { return op.eval(f, s) }))
		}
	}
	if len(f.types) > 1 {
		return mixedTrials(f, sp)
	}
	return trials(sp)
}

// brainApproximation is ex2 or tanh of bfloat16 numbers, rounded to nearest, which is
// well within the bounds that PTX has.
func brainApproximation(f form) []trial {
	typ := f.types[0]
	op := func(s []uint64) uint64 {
		d := brain.nearest(approximations[f.op].f(brain.float64(s[0]), 0))
		if f.has("ftz") {
			return brain.flush(d)
		}
		return d
	}
	return trials(specimen{form: f, dst: operands(typ), src: operands(typ), eval: func(s []uint64) []uint64 {
		if _, pair := halfOf(typ); pair {
			return one(inHalves(s, op))
		}
		return one(op(s))
	}})
}

// mixedTrials are the trials of sums and products in which some sources have 16 bits: the first of add and sub, the
// first two of fma. They are .f32 numbers too.
func mixedTrials(f form, sp specimen) []trial {
	narrow, eval := f.types[1], sp.eval
	if narrow == "f16x2" || narrow == "bf16x2" {
		return mixedPairs(f, sp)
	}
	halves := len(sp.src) - 1
	for i := range halves {
		sp.src[i].typ = narrow
	}
	sp.eval = func(s []uint64) []uint64 {
		wide := slices.Clone(s)
		for i := range halves {
			if ff := formatOf(narrow); ff.isNaN(s[i]) {
				wide[i] = single.nan()
			} else {
				wide[i] = single.nearest(ff.float64(s[i]))
			}
		}
		return eval(wide)
	}
	return trials(sp)
}

// inHalves is op on the low and on the high halves of 32 bits.
func inHalves(s []uint64, op func([]uint64) uint64) uint64 { return inParts(s, 16, op) }

// inParts is op on the low bits and on those above.
func inParts(s []uint64, bits int, op func([]uint64) uint64) uint64 {
	var low, high []uint64
	for _, v := range s {
		low, high = append(low, truncate(v, bits)), append(high, v>>bits)
	}
	return op(low) | op(high)<<bits
}

// floatOp is an operation on floats.
type floatOp struct {
	sources int
	op      func(ff floatFormat, mode rounding, s []uint64) uint64
	nanFrom []int // the sources, in the order in which a NaN of .f64 counts
}

var floatOps = map[string]floatOp{
	"add": {2, func(ff floatFormat, mode rounding, s []uint64) uint64 { return ff.fma(s[0], ff.one(), s[1], mode) }, []int{1, 0}},
	"sub": {2, func(ff floatFormat, mode rounding, s []uint64) uint64 {
		return ff.fma(s[0], ff.one(), s[1]^ff.sign(), mode)
	}, []int{1, 0}},
	"mul":  {2, floatFormat.mul, []int{1, 0}},
	"fma":  {3, func(ff floatFormat, mode rounding, s []uint64) uint64 { return ff.fma(s[0], s[1], s[2], mode) }, []int{1, 2, 0}},
	"mad":  {3, func(ff floatFormat, mode rounding, s []uint64) uint64 { return ff.fma(s[0], s[1], s[2], mode) }, []int{1, 2, 0}},
	"div":  {2, func(ff floatFormat, mode rounding, s []uint64) uint64 { return ff.div(s[0], s[1], mode) }, []int{0, 1}},
	"rcp":  {1, func(ff floatFormat, mode rounding, s []uint64) uint64 { return ff.div(ff.one(), s[0], mode) }, []int{0}},
	"sqrt": {1, floatFormat.sqrt, []int{0}},
	"min":  {2, func(ff floatFormat, _ rounding, s []uint64) uint64 { return ff.lesser(s[0], s[1], false) }, []int{1, 0}},
	"max":  {2, func(ff floatFormat, _ rounding, s []uint64) uint64 { return ff.lesser(s[0], s[1], true) }, []int{1, 0}},
	"neg":  {1, func(ff floatFormat, _ rounding, s []uint64) uint64 { return s[0] ^ ff.sign() }, []int{0}},
	"abs":  {1, func(ff floatFormat, _ rounding, s []uint64) uint64 { return ff.magnitude(s[0]) }, []int{0}},
}

// eval is the operation under its modifiers: subnormal sources and results are flushed, then the result is clamped or
// takes its sign.
func (op *floatOp) eval(f form, s []uint64) uint64 {
	ff := formatOf(f.types[0])
	flushed := make([]uint64, len(s))
	for i, v := range s {
		flushed[i] = v
		if f.has("ftz") {
			flushed[i] = ff.flush(v)
		}
	}
	sign := (s[0] ^ s[len(s)-1]) & ff.sign()
	if f.has("xorsign") {
		for i := range flushed {
			flushed[i] = ff.magnitude(flushed[i])
		}
	}
	d := op.op(ff, roundingOf(f), flushed)
	if f.has("ftz") {
		d = ff.flush(d)
		if f.op == "mul" || f.op == "fma" || f.op == "mad" { // which are flushed if they would be subnormal with all bits
			d = op.flushTiny(ff, roundingOf(f), flushed, d)
		}
	}
	if ff.isNaN(d) {
		d = op.nan(f, s)
	}
	switch {
	case f.has("NaN") && slices.ContainsFunc(s, ff.isNaN):
		d = ff.nan()
	case f.has("xorsign") && !ff.isNaN(d):
		d |= sign
	case f.has("sat"):
		d = ff.saturate(d)
	case f.has("relu") && !ff.isNaN(d) && ff.negative(d):
		d = 0
	}
	return d
}

// flushTiny returns d, or zero of its sign if the exact result is below the smallest normal number, and still is when
// rounded with unbounded exponents.
func (op *floatOp) flushTiny(ff floatFormat, mode rounding, s []uint64, d uint64) uint64 {
	if !ff.subnormal(op.op(ff, towardZero, s)) {
		return d
	}
	far := uint64(ff.bias() / 2)
	scaled := slices.Clone(s)
	for _, k := range []int{0, 2} { // both terms of the sum, by the same factor
		if k < len(s) && !ff.isZero(s[k]) {
			scaled[k] += far << ff.mantissa
		}
	}
	if ff.magnitude(op.op(ff, mode, scaled)) < (far+1)<<ff.mantissa {
		return d & ff.sign()
	}
	return d
}

// saturate is v clamped to [+0, 1], and +0 for NaN.
func (ff floatFormat) saturate(v uint64) uint64 {
	switch {
	case ff.isNaN(v), ff.negative(v):
		return 0
	case v > ff.one():
		return ff.one()
	}
	return v
}

// nan returns the NaN of an operation with a NaN result. For .f64 it is one of the sources: PTX leaves open which,
// and this is an H100's order.
func (op *floatOp) nan(f form, s []uint64) uint64 {
	ff := formatOf(f.types[0])
	if ff != double {
		return ff.nan()
	}
	var inOrder []uint64
	for _, k := range op.nanFrom {
		inOrder = append(inOrder, s[k])
	}
	return quietOf(double, inOrder)
}

// quietOf returns the first NaN among sources as a quiet one of .f64, or the NaN of an invalid operation on numbers.
func quietOf(of floatFormat, s []uint64) uint64 {
	const quiet = 1 << 51
	for _, v := range s {
		if of.isNaN(v) {
			payload := truncate(v, of.mantissa) << (double.mantissa - of.mantissa)
			d := double.infinity() | quiet | payload
			if of.negative(v) {
				d |= double.sign()
			}
			return d
		}
	}
	return double.sign() | double.infinity() | quiet
}

func (ff floatFormat) mul(mode rounding, s []uint64) uint64 {
	a, b := s[0], s[1]
	sign := (a ^ b) & ff.sign()
	switch {
	case ff.isNaN(a) || ff.isNaN(b), ff.isInf(a) && ff.isZero(b), ff.isZero(a) && ff.isInf(b):
		return ff.nan()
	case ff.isInf(a) || ff.isInf(b):
		return sign | ff.infinity()
	}
	return ff.round(ff.exact(a).times(ff.exact(b)), mode)
}

// fma is a·b + c rounded once.
func (ff floatFormat) fma(a, b, c uint64, mode rounding) uint64 {
	product := ff.mul(mode, []uint64{a, b}) // handles infinity and NaN
	infinite := ff.isInf(a) || ff.isInf(b)
	switch {
	case ff.isNaN(product) || ff.isNaN(c), infinite && ff.isInf(c) && ff.negative(product) != ff.negative(c):
		return ff.nan()
	case infinite:
		return product
	case ff.isInf(c):
		return c
	}
	return ff.round(ff.exact(a).times(ff.exact(b)).plus(ff.exact(c), mode), mode)
}

func (ff floatFormat) div(a, b uint64, mode rounding) uint64 {
	sign := (a ^ b) & ff.sign()
	switch {
	case ff.isNaN(a) || ff.isNaN(b), ff.isInf(a) && ff.isInf(b), ff.isZero(a) && ff.isZero(b):
		return ff.nan()
	case ff.isInf(a), ff.isZero(b):
		return sign | ff.infinity()
	case ff.isInf(b):
		return sign
	}
	return ff.round(ff.exact(a).over(ff.exact(b)), mode)
}

func (ff floatFormat) sqrt(mode rounding, s []uint64) uint64 {
	switch a := s[0]; {
	case ff.isZero(a):
		return a
	case ff.isNaN(a), ff.negative(a):
		return ff.nan()
	case ff.isInf(a):
		return a
	default:
		return ff.round(ff.exact(a).root(), mode)
	}
}

// ordinal is larger for larger numbers, with -0 below +0.
func (ff floatFormat) ordinal(v uint64) int64 {
	if ff.negative(v) {
		return -1 - int64(ff.magnitude(v))
	}
	return int64(v)
}

// extreme returns the smallest or largest .f32 of s, or of their magnitudes under .abs. It returns a NaN if all of s
// are NaNs or, under .NaN, if any is.
func extreme(f form, s []uint64) uint64 {
	var best uint64
	nans := 0
	for _, v := range s {
		if f.has("ftz") {
			v = single.flush(v)
		}
		if f.has("abs") {
			v = single.magnitude(v)
		}
		switch greater := f.op == "max" || f.has("max"); {
		case single.isNaN(v):
			nans++
		case best == 0, single.ordinal(v) > single.ordinal(best-1) == greater:
			best = v + 1
		}
	}
	if nans > 0 && f.has("NaN") || nans == len(s) {
		return single.nan()
	}
	return best - 1
}

// lesser returns the smaller of a and b, or the greater: the other if one is NaN.
func (ff floatFormat) lesser(a, b uint64, greater bool) uint64 {
	switch {
	case ff.isNaN(a) && ff.isNaN(b):
		return ff.nan()
	case ff.isNaN(a):
		return b
	case ff.isNaN(b):
		return a
	case ff.ordinal(a) < ff.ordinal(b) != greater:
		return a
	}
	return b
}

// copySign is the magnitude of the second source with the sign of the first.
func copySign(f form) []trial {
	ff := formatOf(f.types[0])
	return trials(specimen{form: f, dst: operands(f.types[0]), src: repeated(f.types[0], 2), eval: func(s []uint64) []uint64 {
		return one(s[0]&ff.sign() | ff.magnitude(s[1]))
	}})
}

func testProperty(f form) []trial {
	ff := formatOf(f.types[0])
	is := map[string]func(uint64) bool{
		"finite":     ff.finite,
		"infinite":   ff.isInf,
		"number":     func(v uint64) bool { return !ff.isNaN(v) },
		"notanumber": ff.isNaN,
		"normal":     func(v uint64) bool { return ff.finite(v) && !ff.subnormal(v) },
		"subnormal":  ff.subnormal,
	}[f.oneOf("finite", "infinite", "number", "notanumber", "normal", "subnormal")]
	return trials(specimen{form: f, dst: operands("pred"), src: operands(f.types[0]), eval: func(s []uint64) []uint64 {
		return one(uint64(b2i(is(s[0]))))
	}})
}

// nearest encodes v.
func (ff floatFormat) nearest(v float64) uint64 {
	switch {
	case math.IsNaN(v):
		return ff.nan()
	case math.IsInf(v, -1):
		return ff.sign() | ff.infinity()
	case math.IsInf(v, 1):
		return ff.infinity()
	}
	return ff.round(exactFloat64(v), toNearest)
}

// integralFloat is v rounded to an integral value, which keeps the sign of
// zero.
func (ff floatFormat) integralFloat(v uint64, mode rounding) uint64 {
	if !ff.finite(v) || ff.isZero(v) {
		return v
	}
	x := ff.exact(v)
	return ff.round(exact{x.neg, x.integral(0, mode), 0}, toNearest)
}

// integer is v rounded to an integer.
func (ff floatFormat) integer(v uint64, mode rounding) *big.Int {
	x := ff.exact(v)
	n := x.integral(0, mode)
	if x.neg {
		n.Neg(n)
	}
	return n
}

// mixedPairs are sums of pairs of halves and pairs of .f32.
func mixedPairs(f form, sp specimen) []trial {
	pair := f.types[1]
	eval, ff := sp.eval, halfFormat(pair)
	sp.src = operands(pair, "f32x2")
	widened := func(h uint64) uint64 {
		if ff.isNaN(h) {
			return single.nan()
		}
		return single.nearest(ff.float64(h))
	}
	sp.eval = func(s []uint64) []uint64 {
		return eval([]uint64{widened(s[0]>>16)<<32 | widened(s[0]&0xffff), s[1]})
	}
	return trials(sp)
}
