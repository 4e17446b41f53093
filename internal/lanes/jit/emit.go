package jit

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Emit writes code for the lanes of a subvector, or of two. Templates of instructions are written with its methods:
// each is one operation on every lane, at the width of the values.
type Emit struct {
	pairs bool // see Pairs
	Asm
	Level Level // AVX2 or AVX512
	Dots  bool  // code may use instructions for which HasDots reports true
	// Lanes is the number of lanes of a Val: those of AsSubvectors, or ScalarLanes for scalars.
	Lanes int
	// NewTemp allocates a register until the body ends.
	NewTemp func(bits uint8) Val

	// If EachSubvector has unrolled its loop: the first subvector that the code is for.
	unrolled  bool
	subvector int32
	masked    bool // maskLanes is valid, see needLanes

	pool   []poolEntry
	inPool []int32 // a hash table with, from 1, the indices in pool; 0 for none
	cold   []coldCode
	fresh  freshMask
}

// coldCode is rarely executed code, placed out of line.
type coldCode struct {
	at, back Label
	write    func()
}

// seldom places rarely executed code out of line, at a label, from where it continues at another.
func (e *Emit) seldom(at, back Label, write func()) {
	e.cold = append(e.cold, coldCode{at, back, write})
}

// A warp is four subvectors of eight lanes. A scalar has one value for each subvector: that of the subvector's first
// lane, which determines those of the others.
const (
	SubvectorLanes = 8
	ScalarLanes    = 4
	subvectors     = lanes.Width / SubvectorLanes
)

// reset empties e and keeps its memory, as Asm.reset does.
func (e *Emit) Reset() {
	e.Asm.reset()
	e.noEVEX = e.Level < AVX512
	e.pool, e.cold, e.fresh = e.pool[:0], e.cold[:0], freshMask{}
	clear(e.inPool)
}

// Temp allocates a register until the body ends.
//
//go:noinline
func (e *Emit) Temp(bits uint8) Val { return e.NewTemp(bits) }

// Two reports whether a value of that width takes two registers.
func (e *Emit) Two(bits uint8) bool {
	_, n := e.shape(bits)
	return n == 2
}

// op2 is d = op a, in every register of the values.
func (e *Emit) op2(op vOp, d, a Val) {
	l, n := e.shape(d.Bits)
	e.v2(op, l, d.Lo, a.Lo)
	if n == 2 {
		e.v2(op, l, d.Hi, a.Hi)
	}
}

// op3 is d = a op b.
func (e *Emit) op3(op vOp, d, a, b Val) {
	l, n := e.shape(d.Bits)
	e.v3(op, l, d.Lo, a.Lo, b.Lo)
	if n == 2 {
		e.v3(op, l, d.Hi, a.Hi, b.Hi)
	}
}

// op3i is op3 with an immediate.
func (e *Emit) op3i(op vOp, d, a, b Val, imm uint8) {
	l, n := e.shape(d.Bits)
	e.v3I(op, l, d.Lo, a.Lo, b.Lo, imm)
	if n == 2 {
		e.v3I(op, l, d.Hi, a.Hi, b.Hi, imm)
	}
}

// op2i is op2 with an immediate.
func (e *Emit) op2i(op vOp, d, a Val, imm uint8) {
	l, n := e.shape(d.Bits)
	e.v2I(op, l, d.Lo, a.Lo, imm)
	if n == 2 {
		e.v2I(op, l, d.Hi, a.Hi, imm)
	}
}

// op3m is d = a op m, the same vector in memory for all registers.
func (e *Emit) op3m(op vOp, d, a Val, m Mem) {
	l, n := e.shape(d.Bits)
	e.v3M(op, l, d.Lo, a.Lo, m)
	if n == 2 {
		e.v3M(op, l, d.Hi, a.Hi, m)
	}
}

// shift is d = a shifted by n bits.
func (e *Emit) shift(op vOp, d, a Val, n uint8) {
	l, regs := e.shape(d.Bits)
	e.vShiftImm(op, l, d.Lo, a.Lo, n)
	if regs == 2 {
		e.vShiftImm(op, l, d.Hi, a.Hi, n)
	}
}

// Cold writes the rarely executed code, which is placed after all other code.
func (e *Emit) Cold() {
	for i := range e.cold {
		c := &e.cold[i]
		e.Bind(c.at)
		c.write()
		e.Jmp(c.back)
	}
	e.cold = e.cold[:0]
}

// Const is the same bits in each lane.
func (e *Emit) Const(d Val, bits uint64) {
	l, n := e.shape(d.Bits)
	if bits == 0 {
		e.v3(vpxor, l, d.Lo, d.Lo, d.Lo)
		if n == 2 {
			e.v3(vpxor, l, d.Hi, d.Hi, d.Hi)
		}
		return
	}
	op := byWidth(d.Bits, vpbroadcastd, vpbroadcastq)
	m := e.pooled(poolConstant{bits: bits, wide: d.Bits == 64, kind: poolElement})
	e.v2M(op, l, d.Lo, m)
	if n == 2 {
		e.v2(vmovdqa, l, d.Hi, d.Lo)
	}
}

// Move is d = a.
func (e *Emit) Move(d, a Val) { e.op2(vmovdqa, d, a) }

// byWidth selects the operation for elements of a width.
func byWidth(bits uint8, narrow, wide vOp) vOp {
	if bits == 64 {
		return wide
	}
	return narrow
}

// Add is d = a + b, wrapping.
func (e *Emit) Add(d, a, b Val) { e.op3(byWidth(d.Bits, vpaddd, vpaddq), d, a, b) }

// Sub is d = a - b, wrapping.
func (e *Emit) Sub(d, a, b Val) { e.op3(byWidth(d.Bits, vpsubd, vpsubq), d, a, b) }

// And is d = a & b.
func (e *Emit) And(d, a, b Val) { e.op3(vpand, d, a, b) }

// Or is d = a | b.
func (e *Emit) Or(d, a, b Val) { e.op3(vpor, d, a, b) }

// Xor is d = a ^ b.
func (e *Emit) Xor(d, a, b Val) { e.op3(vpxor, d, a, b) }

// AndNot is d = ^a & b.
func (e *Emit) AndNot(d, a, b Val) { e.op3(vpandn, d, a, b) }

// AndConst is d = a & bits in each lane.
func (e *Emit) AndConst(d, a Val, bits uint64) { e.op3m(vpand, d, a, e.constant(bits, d.Bits)) }

// AddConst is d = a + bits in each lane.
func (e *Emit) AddConst(d, a Val, bits uint64) {
	if bits == 0 {
		e.Move(d, a)
		return
	}
	e.op3m(byWidth(d.Bits, vpaddd, vpaddq), d, a, e.constant(bits, d.Bits))
}

// XorConst is d = a ^ bits in each lane.
func (e *Emit) XorConst(d, a Val, bits uint64) { e.op3m(vpxor, d, a, e.constant(bits, d.Bits)) }

// Not is d = ^a.
func (e *Emit) Not(d, a Val) { e.XorConst(d, a, ^uint64(0)) }

// Mul is d = a * b, the low half.
func (e *Emit) Mul(d, a, b Val) {
	if d.Bits != 64 {
		e.op3(vpmulld, d, a, b)
		return
	}
	if e.Level == AVX512 {
		e.op3(vpmullq, d, a, b)
		return
	}
	t := e.Temp(64)
	e.shift(vpsrlq, t, a, 32)
	e.op3(vpmuludq, t, t, b) // high half of a by low half of b
	e.shift(vpsrlq, d, b, 32)
	e.op3(vpmuludq, d, a, d)
	e.op3(vpaddq, d, d, t)
	e.shift(vpsllq, d, d, 32)
	e.op3(vpmuludq, t, a, b)
	e.op3(vpaddq, d, d, t)
}

// Widen is a, of 32 bits, extended to 64.
func (e *Emit) Widen(d, a Val, signed bool) {
	op := vpmovzxdq
	if signed {
		op = vpmovsxdq
	}
	e.lengthen(op, d, a)
}

// Narrow is the low 32 bits of a, which has 64. d may be in a register of a.
func (e *Emit) Narrow(d, a Val) {
	const even = 0x88 // elements 0 and 2 of each source
	switch {
	case e.two():
		t := e.Temp(32)
		e.v2M(vmovdqu, l512, t.Lo, e.laneNumbers(2))
		e.v3(vpermi2D, l512, t.Lo, a.Lo, a.Hi)
		e.Move(d, t)
		return
	case e.Lanes == SubvectorLanes:
		e.v3I(vshufps, l256, d.Lo, a.Lo, a.Hi, even)
		e.v2I(vpermq, l256, d.Lo, d.Lo, 0xd8) // 0, 2, 1, 3
		return
	}
	t := e.Temp(32)
	e.v2I(vextracti128, l256, t.Lo, a.Lo, 1)
	e.v3I(vshufps, l128, d.Lo, a.Lo, t.Lo, even)
}

// MulWide is the 64-bit product of the 32-bit a and b.
func (e *Emit) MulWide(d, a, b Val, signed bool) {
	op := vpmuludq
	if signed {
		op = vpmuldq
	}
	t := e.Temp(64)
	if e.two() { // only one unit moves elements; widening costs nothing extra
		even, odd := t.Lo, t.Hi
		e.vShiftImm(vpsrlq, l512, even, a.Lo, 32)
		e.vShiftImm(vpsrlq, l512, odd, b.Lo, 32)
		e.v3(op, l512, odd, even, odd)
		e.v3(op, l512, even, a.Lo, b.Lo)
		for i, v := range []Vec{d.Lo, d.Hi} {
			e.v2M(vmovdqu, l512, v, e.pooled(poolConstant{bits: 4 * uint64(i), wide: true, kind: poolInterleave}))
			e.v3(vpermi2Q, l512, v, even, odd)
		}
		return
	}
	e.Widen(d, a, false)
	e.Widen(t, b, false)
	e.op3(op, d, d, t)
}

// MulWideBy is MulWide by a constant.
func (e *Emit) MulWideBy(d, a Val, n uint32, signed bool) {
	e.Widen(d, a, signed)
	switch {
	case bits.OnesCount32(n) == 1 && !(signed && n == 1<<31):
		e.ShiftLeftBy(d, d, uint8(bits.TrailingZeros32(n)))
	case signed:
		e.op3m(vpmuldq, d, d, e.constant(uint64(n), 64))
	default:
		e.op3m(vpmuludq, d, d, e.constant(uint64(n), 64))
	}
}

// ShiftLeft is d = a << n, 0 if n, which has 32 bits, is the width or more.
func (e *Emit) ShiftLeft(d, a, n Val) { e.variableShift(vpsllvd, vpsllvq, d, a, n) }

// ShiftRight is d = a >> n, filled with the sign if signed, else with zeros; all bits are fill if n is the width or
// more.
func (e *Emit) ShiftRight(d, a, n Val, signed bool) {
	switch {
	case signed && d.Bits == 64 && e.Level < AVX512:
		w := e.Temp(64)
		e.Widen(w, n, false)
		e.shiftSigned64(d, a, w, e.Temp(64))
		return
	case signed:
		e.variableShift(vpsravd, vpsravq, d, a, n)
		return
	}
	e.variableShift(vpsrlvd, vpsrlvq, d, a, n)
}

func (e *Emit) variableShift(narrow, wide vOp, d, a, n Val) {
	if d.Bits != 64 {
		e.op3(narrow, d, a, n)
		return
	}
	t := e.Temp(64)
	e.Widen(t, n, false)
	e.op3(wide, d, a, t)
}

// Pairs emits body, whose sums, products and fused products of 64 bits are those of pairs of 32-bit floats.
func (e *Emit) Pairs(body func()) {
	e.pairs = true
	body()
	e.pairs = false
}

// CanonicalPair makes each NaN of a pair the canonical one of .f32.
func (e *Emit) CanonicalPair(d Val) {
	m, nan := e.Temp(64), e.Temp(64)
	e.op3i(vcmpps, m, d, d, floatPredicates[lanes.Nan])
	e.Const(nan, nanF32<<32|nanF32)
	e.choose(d, d, nan, m)
}

// ofFloats is the operation on floats of a value.
func (e *Emit) ofFloats(v Val, single, double vOp) vOp {
	if e.pairs {
		return single
	}
	return byWidth(v.Bits, single, double)
}

// AddFloat is d = a + b, rounded to nearest.
func (e *Emit) AddFloat(d, a, b Val) { e.op3(e.ofFloats(d, vaddps, vaddpd), d, a, b) }

// SubFloat is d = a - b.
func (e *Emit) SubFloat(d, a, b Val) { e.op3(e.ofFloats(d, vsubps, vsubpd), d, a, b) }

// MulFloat is d = a * b.
func (e *Emit) MulFloat(d, a, b Val) { e.op3(e.ofFloats(d, vmulps, vmulpd), d, a, b) }

// DivFloat is d = a / b.
func (e *Emit) DivFloat(d, a, b Val) { e.op3(byWidth(d.Bits, vdivps, vdivpd), d, a, b) }

// SqrtFloat is the square root of a.
func (e *Emit) SqrtFloat(d, a Val) { e.op2(byWidth(d.Bits, vsqrtps, vsqrtpd), d, a) }

// Fma is d = a * b + c, rounded once.
func (e *Emit) Fma(d, a, b, c Val) {
	e.Move(d, c)
	e.op3(e.ofFloats(d, vfmadd231PS, vfmadd231PD), d, a, b)
}

// nanF32 is the NaN that every .f32 instruction returns (PTX ISA 9.7.3).
const nanF32 = 0x7fffffff

// UnlessCanonical jumps to l if v, of subvectors, has a NaN of .f32 that is not the canonical one. AVX-512 only.
func (e *Emit) UnlessCanonical(v Val, l Label) {
	length, _ := e.shape(32)
	cold, back := e.NewLabel(), e.NewLabel()
	e.vCmpK(vcmpps, length, maskScratch, v.Lo, v.Lo, floatPredicates[lanes.Nan])
	e.kortest(W16, maskScratch, maskScratch)
	e.jcc(condNE, cold)
	e.seldom(cold, back, func() {
		e.vCmpKM(vpcmpud, length, maskSecond, v.Lo, e.constant(nanF32, 32), intPredicates[lanes.Ne])
		e.kAnd(W16, maskSecond, maskSecond, maskScratch)
		e.kortest(W16, maskSecond, maskSecond)
		e.jcc(condNE, l)
	})
	e.Bind(back)
}

// Canonical replaces every NaN of .f32 in d by the canonical one. NaNs are rare, so this is out-of-line code, and
// uses of d do not wait for the comparison.
func (e *Emit) Canonical(d Val) {
	l, _ := e.shape(32)
	cold, back := e.NewLabel(), e.NewLabel()
	if e.Level == AVX512 {
		e.vCmpK(vcmpps, l, maskScratch, d.Lo, d.Lo, floatPredicates[lanes.Nan])
		e.kortest(W16, maskScratch, maskScratch)
		e.jcc(condNE, cold)
		e.seldom(cold, back, func() { e.v2MK(vmovdqu32, l, d.Lo, e.constant(nanF32, 32), maskScratch, false) })
	} else {
		t, n := e.Temp(32), e.Temp(32)
		e.op3i(vcmpps, t, d, d, floatPredicates[lanes.Nan])
		e.vToReg(vmovmskps, l, RAX, t.Lo)
		e.test(W32, RAX, RAX)
		e.jcc(condNE, cold)
		e.seldom(cold, back, func() {
			e.v2M(vmovdqu, l, n.Lo, e.constant(nanF32, 32))
			e.pick(l, d.Lo, d.Lo, n.Lo, t.Lo)
		})
	}
	e.Bind(back)
}
