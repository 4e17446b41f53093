package isa

import "github.com/simtrun/simtrun/internal/lanes/jit"

// The templates of arithmetic on integers. Values of 16 bits have zeros above, which operations on both halves of
// words keep.

// How the body of a template treats its operands.
type (
	unaryBody   = func(e *jit.Emit, d, a jit.Val)
	binaryBody  = func(e *jit.Emit, d, a, b jit.Val)
	ternaryBody = func(e *jit.Emit, d, a, b, c jit.Val)
)

func unaryCode(body unaryBody) *jit.Template {
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { body(e, o.D, o.A) }}
}

//go:noinline
func binaryCode(body binaryBody) *jit.Template {
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { body(e, o.D, o.A, o.B) }}
}

func ternaryCode(body ternaryBody) *jit.Template {
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { body(e, o.D, o.A, o.B, o.C) }}
}

// signedBody returns a body for signed or unsigned sources.
type signedBody = func(e *jit.Emit, d, a, b jit.Val, signed bool)

// signedly returns the templates of a body for words and longer types.
func signedly(body signedBody) codes {
	u := binaryCode(func(e *jit.Emit, d, a, b jit.Val) { body(e, d, a, b, false) })
	s := binaryCode(func(e *jit.Emit, d, a, b jit.Val) { body(e, d, a, b, true) })
	return codes{U32: u, U64: u, S32: s, S64: s}
}

// withHalves adds to templates those for 16 bits and, if paired, for two halves of a word.
func withHalves(c codes, paired bool, unsigned, signed binaryBody) codes {
	u, s := binaryCode(unsigned), binaryCode(signed)
	c[U16], c[S16] = u, s
	if paired {
		c[U16x2], c[S16x2] = u, s
	}
	return c
}

var (
	addCodes = withHalves(addWords, true, (*jit.Emit).AddHalves, (*jit.Emit).AddHalves)
	subCodes = withHalves(subWords, false, (*jit.Emit).SubHalves, (*jit.Emit).SubHalves)
	mulCodes = withHalves(mulWords, false, (*jit.Emit).MulHalves, (*jit.Emit).MulHalves)
	madCodes = plus(mulCodes, madWords, false)

	mulHighCodes = withHalves(signedly((*jit.Emit).MulHigh), false,
		func(e *jit.Emit, d, a, b jit.Val) { e.MulHighHalves(d, a, b, false) },
		func(e *jit.Emit, d, a, b jit.Val) { e.MulHighHalves(d, a, b, true) })
	madHighCodes = plus(mulHighCodes, codes{}, false)

	mulWideCodes = mulWideOf(mulWideWords)
	madWideCodes = plus(mulWideCodes, madWideWords, true)

	minCodes = withHalves(signedly((*jit.Emit).Min), true,
		func(e *jit.Emit, d, a, b jit.Val) { e.MinHalves(d, a, b, false) },
		func(e *jit.Emit, d, a, b jit.Val) { e.MinHalves(d, a, b, true) })
	maxCodes = withHalves(signedly((*jit.Emit).Max), true,
		func(e *jit.Emit, d, a, b jit.Val) { e.MaxHalves(d, a, b, false) },
		func(e *jit.Emit, d, a, b jit.Val) { e.MaxHalves(d, a, b, true) })

	sadCodes = plus(withHalves(signedly((*jit.Emit).Difference), false,
		func(e *jit.Emit, d, a, b jit.Val) { differenceHalves(e, d, a, b, false) },
		func(e *jit.Emit, d, a, b jit.Val) { differenceHalves(e, d, a, b, true) }), codes{}, false)

	negCodes = codes{
		S16: unaryCode(func(e *jit.Emit, d, a jit.Val) { e.Const(d, 0); e.SubHalves(d, d, a) }),
		S32: negWord, S64: negWord,
	}
	negWord  = &jit.Template{Affine: jit.AffineNeg, Body: func(e *jit.Emit, o *jit.Operands) { e.NegInt(o.D, o.A) }}
	absCodes = codes{S16: unaryCode((*jit.Emit).AbsHalves), S32: unaryCode((*jit.Emit).AbsInt), S64: unaryCode((*jit.Emit).AbsInt)}

	divCodes = divisionCodes((*jit.Emit).Divide, (*jit.Emit).LongQuotient)
	remCodes = divisionCodes((*jit.Emit).Remainder, (*jit.Emit).LongRemainder)

	addSatCode = binaryCode((*jit.Emit).AddSat)
	subSatCode = binaryCode((*jit.Emit).SubSat)

	madHighSat = ternaryCode(func(e *jit.Emit, d, a, b, c jit.Val) {
		t := e.Temp(32)
		e.MulHigh(t, a, b, true)
		e.AddSat(d, t, c)
	})
)

// divisionCodes are the templates of div or rem, of up to 32 bits and of 64.
func divisionCodes(body, long signedBody) codes {
	c, l := signedly(body), signedly(long)
	c[U64], c[S64] = l[U64], l[S64]
	c[U16] = binaryCode(func(e *jit.Emit, d, a, b jit.Val) {
		body(e, d, a, b, false)
		e.AndConst(d, d, 1<<16-1)
	})
	c[S16] = binaryCode(func(e *jit.Emit, d, a, b jit.Val) {
		x, y := e.Temp(32), e.Temp(32)
		e.SignExtend(x, a, 16)
		e.SignExtend(y, b, 16)
		body(e, d, x, y, true)
		e.AndConst(d, d, 1<<16-1)
	})
	return c
}

// plus adds c to the result of templates, in addition to others. For 16 bits, the sum is a word if wide is true.
func plus(codes, others codes, wide bool) codes {
	for t, code := range codes {
		if code == nil || others[t] != nil {
			continue
		}
		add := (*jit.Emit).Add
		if Type(t).Bits() == 16 && !wide {
			add = (*jit.Emit).AddHalves
		}
		body := code.Body
		others[t] = &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) {
			body(e, o)
			add(e, o.D, o.D, o.C)
		}}
	}
	return others
}

// mulWideOf adds the products of 16 bits, which have words as results.
func mulWideOf(c codes) codes {
	c[U16] = binaryCode((*jit.Emit).Mul)
	c[S16] = binaryCode((*jit.Emit).MulWideHalves)
	return c
}

func differenceHalves(e *jit.Emit, d, a, b jit.Val, signed bool) {
	t := e.Temp(32)
	e.MinHalves(t, a, b, signed)
	e.MaxHalves(d, a, b, signed)
	e.SubHalves(d, d, t)
}

// extremumCode is min or max.
func extremumCode(v *Variant, ints codes, larger bool) *jit.Template {
	code := ints[v.Type()]
	switch {
	case code == nil:
		return extremumFloat(v, larger)
	case v.only():
		return code
	case v.only(Relu) && v.Type() == S32:
		return atLeastZero(code, func(e *jit.Emit, d, a, b jit.Val) { e.Max(d, a, b, true) })
	case v.only(Relu) && v.Type() == S16x2:
		return atLeastZero(code, func(e *jit.Emit, d, a, b jit.Val) { e.MaxHalves(d, a, b, true) })
	}
	return nil
}

// atLeastZero replaces negative results with 0.
func atLeastZero(code *jit.Template, larger binaryBody) *jit.Template {
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) {
		code.Body(e, o)
		zero := e.Temp(32)
		e.Const(zero, 0)
		larger(e, o.D, o.D, zero)
	}}
}

// mul24Code is mul24, or mad24 if it adds.
func mul24Code(v *Variant, adds bool) *jit.Template {
	signed, high, saturates := v.Type() == S32, v.Mods[Part] == Hi, v.Mods[Sat] != 0
	if saturates && !(signed && high && adds) {
		return nil
	}
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) {
		a, b := e.Temp(32), e.Temp(32)
		e.Low24(a, o.A, signed)
		e.Low24(b, o.B, signed)
		product := o.D
		if saturates {
			product = e.Temp(32)
		}
		if high {
			e.MulHigh24(product, a, b, signed)
		} else {
			e.Mul(product, a, b)
		}
		switch {
		case saturates:
			e.AddSat(o.D, product, o.C)
		case adds:
			e.Add(o.D, o.D, o.C)
		}
	}}
}

// dotCode is dp4a, or dp2a.
func dotCode(v *Variant, bytes int) *jit.Template {
	signedA, signedB := v.Types[0] == S32, v.Types[1] == S32
	if bytes == 4 {
		return ternaryCode(func(e *jit.Emit, d, a, b, c jit.Val) { e.DotBytes(d, a, b, c, signedA, signedB) })
	}
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) {
		e.DotHalves(o.D, o.A, o.B, o.C, uint8(o.Op.Imm), signedA, signedB)
	}}
}

// withSat adds a template for .sat.s32.
func withSat(sat *jit.Template, rest func(v *Variant) *jit.Template) func(v *Variant) *jit.Template {
	return func(v *Variant) *jit.Template {
		if v.Type() == S32 && v.Mods[Sat] != 0 && v.only(Sat) {
			return sat
		}
		return rest(v)
	}
}
