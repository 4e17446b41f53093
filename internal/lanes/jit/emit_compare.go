package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Select is a in the lanes of p, which may be wide if they are, else b.
func (e *Emit) Select(d, p, a, b Val) {
	l, n := e.shape(d.Bits)
	if d.Bits == 64 && p.Bits != 64 {
		m := e.Temp(64)
		e.Widen(m, p, true)
		p = m
	}
	e.pick(l, d.Lo, b.Lo, a.Lo, p.Lo)
	if n == 2 {
		e.pick(l, d.Hi, b.Hi, a.Hi, p.Hi)
	}
}

// Compare is the lanes in which the comparison of integers holds.
func (e *Emit) Compare(d, a, b Val, c lanes.Comparison, signed bool) {
	if e.Level == AVX512 {
		op := byWidth(a.Bits, vpcmpud, vpcmpuq)
		if signed {
			op = byWidth(a.Bits, vpcmpd, vpcmpq)
		}
		e.compareToMask(op, d, a, b, intPredicates[c])
		return
	}
	not := false
	switch c {
	case lanes.Lt, lanes.Lo:
		a, b = b, a
	case lanes.Ge, lanes.Hs:
		a, b, not = b, a, true
	case lanes.Le, lanes.Ls:
		not = true
	case lanes.Ne:
		not = true
	}
	// Equal or greater.
	r := d
	if a.Bits == 64 {
		r = e.Temp(64)
	}
	if c == lanes.Eq || c == lanes.Ne {
		e.op3(byWidth(a.Bits, vpcmpeqd, vpcmpeqq), r, a, b)
	} else {
		if !signed {
			a, b = e.flipped(a), e.flipped(b)
		}
		e.op3(byWidth(a.Bits, vpcmpgtd, vpcmpgtq), r, a, b)
	}
	if a.Bits == 64 {
		e.Narrow(d, r)
	}
	if not {
		e.Not(d, d)
	}
}

// flipped is a with the sign bit flipped, so that signed comparisons order unsigned numbers.
func (e *Emit) flipped(a Val) Val {
	t := e.Temp(a.Bits)
	e.XorConst(t, a, 1<<(a.Bits-1))
	return t
}

// intPredicates are the immediates of vpcmpd, by comparison.
var intPredicates = [...]uint8{lanes.Eq: 0, lanes.Lt: 1, lanes.Lo: 1, lanes.Le: 2, lanes.Ls: 2, lanes.Ne: 4, lanes.Ge: 5, lanes.Hs: 5, lanes.Gt: 6, lanes.Hi: 6}

// compareToMask is the set of lanes in which a comparison that writes a mask register holds.
func (e *Emit) compareToMask(op vOp, d, a, b Val, imm uint8) {
	l, n := e.shape(a.Bits)
	e.vCmpK(op, l, maskScratch, a.Lo, b.Lo, imm)
	if n == 2 {
		e.vCmpK(op, l, maskSecond, a.Hi, b.Hi, imm)
		e.kUnpck(W16, maskScratch, maskSecond, maskScratch)
	}
	l, _ = e.shape(d.Bits)
	e.vFromMask(byWidth(d.Bits, vpmovm2D, vpmovm2Q), l, d.Lo, maskScratch)
}

// floatPredicates are the immediates of vcmpps, by comparison: the quiet forms.
var floatPredicates = [...]uint8{
	lanes.Eq: 0x00, lanes.Ne: 0x0c, lanes.Lt: 0x11, lanes.Le: 0x12, lanes.Gt: 0x1e, lanes.Ge: 0x1d,
	lanes.Equ: 0x08, lanes.Neu: 0x04, lanes.Ltu: 0x19, lanes.Leu: 0x1a, lanes.Gtu: 0x16, lanes.Geu: 0x15,
	lanes.Num: 0x07, lanes.Nan: 0x03,
}

// CompareFloat is the lanes in which the comparison of floats holds.
func (e *Emit) CompareFloat(d, a, b Val, c lanes.Comparison) {
	if e.Level == AVX512 {
		e.compareToMask(byWidth(a.Bits, vcmpps, vcmppd), d, a, b, floatPredicates[c])
		return
	}
	if a.Bits == 64 {
		t := e.Temp(64)
		e.op3i(vcmppd, t, a, b, floatPredicates[c])
		e.Narrow(d, t)
		return
	}
	e.op3i(vcmpps, d, a, b, floatPredicates[c])
}
