package jit

// This file has what AVX-512 adds: instructions under a mask register, with a
// rounding mode of their own, and those on mask registers.

// Rounding modes of single instructions.
const (
	RoundNearest uint8 = iota // to nearest, ties to even
	RoundDown
	RoundUp
	RoundZero
)

// masked is the part of an EVEX prefix that says which elements of the
// destination change, and whether the others become zero.
func masked(op VOp, k KReg, zero bool) uint8 {
	if !zero {
		return uint8(k)
	}
	if k == K0 {
		op.noForm()
	}
	return uint8(k) | evexZero
}

// V3K is V3 where k has ones; the other elements of d become zero or stay.
func (a *Asm) V3K(op VOp, l Length, d, s1, s2 Vec, k KReg, zero bool) {
	a.evexReg(op, op.form(formRVM, imm8|memOnly, 0), l, uint8(d), uint8(s1), uint8(s2), masked(op, k, zero))
}

// V3MK is V3M where k has ones.
func (a *Asm) V3MK(op VOp, l Length, d, s1 Vec, m Mem, k KReg, zero bool) {
	a.evexMem(op, op.form(formRVM, imm8|regOnly, 0), l, uint8(d), uint8(s1), &m, masked(op, k, zero), 0)
}

// V3IK is V3I where k has ones.
func (a *Asm) V3IK(op VOp, l Length, d, s1, s2 Vec, imm uint8, k KReg, zero bool) {
	a.evexReg(op, op.form(formRVM, imm8|memOnly, imm8), l, uint8(d), uint8(s1), uint8(s2), masked(op, k, zero))
	a.code = append(a.code, imm)
}

// V2K is V2 where k has ones.
func (a *Asm) V2K(op VOp, l Length, d, s Vec, k KReg, zero bool) {
	c, mr := op.two(imm8|memOnly, 0)
	if mr {
		d, s = s, d
	}
	a.evexReg(op, c, l, uint8(d), 0, uint8(s), masked(op, k, zero))
}

// V2IK is V2I where k has ones.
func (a *Asm) V2IK(op VOp, l Length, d, s Vec, imm uint8, k KReg, zero bool) {
	c, mr := op.two(imm8|memOnly, imm8)
	if mr {
		d, s = s, d
	}
	a.evexReg(op, c, l, uint8(d), 0, uint8(s), masked(op, k, zero))
	a.code = append(a.code, imm)
}

// V2MK is V2M where k has ones.
func (a *Asm) V2MK(op VOp, l Length, d Vec, m Mem, k KReg, zero bool) {
	a.evexMem(op, op.form(formRM, imm8|regOnly, 0), l, uint8(d), 0, &m, masked(op, k, zero), 0)
}

// VStoreK is VStore where k has ones; the rest of the memory stays.
func (a *Asm) VStoreK(op VOp, l Length, m Mem, s Vec, k KReg) {
	a.evexMem(op, op.form(formMR, imm8|regOnly, 0), l, uint8(s), 0, &m, uint8(k), 0)
}

// VShiftImmK is VShiftImm where k has ones.
func (a *Asm) VShiftImmK(op VOp, l Length, d, s Vec, n uint8, k KReg, zero bool) {
	c := op.form(formShift, imm8, imm8)
	a.evexReg(op, c, l, uint8(c>>digitShift)&7, uint8(d), uint8(s), masked(op, k, zero))
	a.code = append(a.code, n)
}

// V3R is V3 of 512 bits with a rounding mode.
func (a *Asm) V3R(op VOp, d, s1, s2 Vec, rounding uint8) {
	a.evexReg(op, op.form(formRVM, imm8|memOnly, 0), Length(rounding), uint8(d), uint8(s1), uint8(s2), evexBcast)
}

// V2R is V2 of 512 bits with a rounding mode.
func (a *Asm) V2R(op VOp, d, s Vec, rounding uint8) {
	a.evexReg(op, op.form(formRM, imm8|memOnly, 0), Length(rounding), uint8(d), 0, uint8(s), evexBcast)
}

// VGatherK is d = memory at base + index*scale + disp, element by element where k has
// ones; it clears k, which cannot be K0. d and index must be two registers.
func (a *Asm) VGatherK(op VOp, l Length, d Vec, base Reg, index Vec, scale uint8, disp int32, k KReg) {
	a.gatherMasked(op, formGather, l, d, base, index, scale, disp, k)
}

// VScatterK writes the elements of s where k has ones, in their order, to base +
// index*scale + disp; it clears k, which cannot be K0.
func (a *Asm) VScatterK(op VOp, l Length, base Reg, index Vec, scale uint8, disp int32, s Vec, k KReg) {
	a.gatherMasked(op, formScatter, l, s, base, index, scale, disp, k)
}

func (a *Asm) gatherMasked(op VOp, f form, l Length, reg Vec, base Reg, index Vec, scale uint8, disp int32, k KReg) {
	c := op.form(f, imm8, 0)
	if k == K0 || index >= MaxVectors {
		op.noForm()
	}
	// VEX.vvvv has nothing but bit 4 of the index.
	rex := uint8(index)>>3&1<<1 | uint8(base)>>3
	a.evexPrefix(op, c, l, uint8(reg), uint8(index)&16, rex, uint8(k))
	a.vsib(uint8(reg), base, index, scale, disp, c.unit(l))
}

// VCmpK is dk = comparison imm of s1 and s2.
func (a *Asm) VCmpK(op VOp, l Length, dk KReg, s1, s2 Vec, imm uint8) {
	a.VCmpKK(op, l, dk, s1, s2, imm, K0)
}

// VCmpKK is VCmpK where k has ones, otherwise 0.
func (a *Asm) VCmpKK(op VOp, l Length, dk KReg, s1, s2 Vec, imm uint8, k KReg) {
	a.evexReg(op, op.form(formToMask, imm8, imm8), l, uint8(dk), uint8(s1), uint8(s2), uint8(k))
	a.code = append(a.code, imm)
}

// VCmpKM is dk = comparison imm of s1 and m.
func (a *Asm) VCmpKM(op VOp, l Length, dk KReg, s1 Vec, m Mem, imm uint8) {
	a.evexMem(op, op.form(formToMask, imm8|regOnly, imm8), l, uint8(dk), uint8(s1), &m, 0, 1)
	a.code = append(a.code, imm)
}

// VTestK is dk = s1 op s2 where k has ones, otherwise 0: VPTESTM, VPCMPEQ, VPCMPGT and their kin.
func (a *Asm) VTestK(op VOp, l Length, dk KReg, s1, s2 Vec, k KReg) {
	a.evexReg(op, op.form(formToMask, imm8, 0), l, uint8(dk), uint8(s1), uint8(s2), uint8(k))
}

// VTestKM is VTestK with m as second source.
func (a *Asm) VTestKM(op VOp, l Length, dk KReg, s1 Vec, m Mem) {
	a.evexMem(op, op.form(formToMask, imm8|regOnly, 0), l, uint8(dk), uint8(s1), &m, 0, 0)
}

// VToMask is dk = the highest bit of each element of s.
func (a *Asm) VToMask(op VOp, l Length, dk KReg, s Vec) {
	a.evexReg(op, op.form(formSignsToMask, imm8, 0), l, uint8(dk), 0, uint8(s), 0)
}

// VFromMask is d = all ones in each element where k has a one, otherwise zero.
func (a *Asm) VFromMask(op VOp, l Length, d Vec, k KReg) {
	a.evexReg(op, op.form(formFromMask, imm8, 0), l, uint8(d), 0, uint8(k), 0)
}

// Instructions on mask registers are VEX. Four widths share an opcode: bytes
// and 32 bits have prefix 66, 32 and 64 bits have W.
var maskWidth = [4]code{W8: p66, W16: 0, W32: p66 | w1v, W64: w1v}

// maskGeneral is the same for moves from and to general registers.
var maskGeneral = [4]code{W8: p66, W16: 0, W32: pF2, W64: pF2 | w1v}

// KMov is d = s.
func (a *Asm) KMov(w Width, d, s KReg) {
	a.vexReg(maskWidth[w]|m0F|0x90, L128, uint8(d), 0, uint8(s))
}

// KLoad is d = m.
func (a *Asm) KLoad(w Width, d KReg, m Mem) {
	a.vexMem(maskWidth[w]|m0F|0x90, L128, uint8(d), 0, &m, 0)
}

// KStore is m = s.
func (a *Asm) KStore(w Width, m Mem, s KReg) {
	a.vexMem(maskWidth[w]|m0F|0x91, L128, uint8(s), 0, &m, 0)
}

// KFromReg is d = the low w bits of s.
func (a *Asm) KFromReg(w Width, d KReg, s Reg) {
	a.vexReg(maskGeneral[w]|m0F|0x92, L128, uint8(d), 0, uint8(s))
}

// KToReg is d = the low w bits of s, with zeros above.
func (a *Asm) KToReg(w Width, d Reg, s KReg) {
	a.vexReg(maskGeneral[w]|m0F|0x93, L128, uint8(d), 0, uint8(s))
}

// KAnd is d = s1 & s2.
func (a *Asm) KAnd(w Width, d, s1, s2 KReg) { a.maskOp(w, 0x41, d, s1, s2) }

// KAndN is d = ^s1 & s2.
func (a *Asm) KAndN(w Width, d, s1, s2 KReg) { a.maskOp(w, 0x42, d, s1, s2) }

// KOr is d = s1 | s2.
func (a *Asm) KOr(w Width, d, s1, s2 KReg) { a.maskOp(w, 0x45, d, s1, s2) }

// KXnor is d = ^(s1 ^ s2).
func (a *Asm) KXnor(w Width, d, s1, s2 KReg) { a.maskOp(w, 0x46, d, s1, s2) }

// KXor is d = s1 ^ s2.
func (a *Asm) KXor(w Width, d, s1, s2 KReg) { a.maskOp(w, 0x47, d, s1, s2) }

func (a *Asm) maskOp(w Width, op code, d, s1, s2 KReg) {
	a.vexReg(maskWidth[w]|m0F|op, L256, uint8(d), uint8(s1), uint8(s2))
}

// KUnpck is d = s2 in its low half and s1 in its high one; w is the width of d: W16, W32 or W64.
func (a *Asm) KUnpck(w Width, d, s1, s2 KReg) {
	c := [4]code{W16: p66, W32: 0, W64: w1v}[w]
	a.vexReg(c|m0F|0x4B, L256, uint8(d), uint8(s1), uint8(s2))
}

// KNot is d = ^s.
func (a *Asm) KNot(w Width, d, s KReg) {
	a.vexReg(maskWidth[w]|m0F|0x44, L128, uint8(d), 0, uint8(s))
}

// Kortest sets the zero flag if s1 | s2 is 0, the carry flag if it is all ones.
func (a *Asm) Kortest(w Width, s1, s2 KReg) {
	a.vexReg(maskWidth[w]|m0F|0x98, L128, uint8(s1), 0, uint8(s2))
}

// Ktest sets the zero flag if s1 & s2 is 0, the carry flag if ^s1 & s2 is.
func (a *Asm) Ktest(w Width, s1, s2 KReg) {
	a.vexReg(maskWidth[w]|m0F|0x99, L128, uint8(s1), 0, uint8(s2))
}

// KShiftL is d = s << n.
func (a *Asm) KShiftL(w Width, d, s KReg, n uint8) { a.maskShift(w, 0x32, d, s, n) }

// KShiftR is d = s >> n.
func (a *Asm) KShiftR(w Width, d, s KReg, n uint8) { a.maskShift(w, 0x30, d, s, n) }

func (a *Asm) maskShift(w Width, op code, d, s KReg, n uint8) {
	c := [4]code{W8: 0, W16: w1v, W32: 1, W64: 1 | w1v}[w]
	a.vexReg(p66|m3A|(op+c), L128, uint8(d), 0, uint8(s))
	a.code = append(a.code, n)
}
