package jit

// This file has the additions of AVX-512: instructions under a mask register or with a rounding mode of their own,
// and instructions on mask registers.

// Rounding modes of single instructions.
const (
	roundNearest uint8 = iota // to nearest, ties to even
	roundDown
	roundUp
	roundZero
)

// masked returns the part of an EVEX prefix with the mask of the elements of the destination that change, and whether
// the others become zero.
func masked(op vOp, k kReg, zero bool) uint8 {
	if !zero {
		return uint8(k)
	}
	if k == k0 {
		op.noForm()
	}
	return uint8(k) | evexZero
}

// v3K is v3 where k has ones; the other elements of d become zero or stay.
func (a *Asm) v3K(op vOp, l length, d, s1, s2 Vec, k kReg, zero bool) {
	a.evexReg(op, op.form(formRVM, imm8|memOnly, 0), l, uint8(d), uint8(s1), uint8(s2), masked(op, k, zero))
}

// v3MK is v3M where k has ones.
func (a *Asm) v3MK(op vOp, l length, d, s1 Vec, m Mem, k kReg, zero bool) {
	a.evexMem(op, op.form(formRVM, imm8|regOnly, 0), l, uint8(d), uint8(s1), &m, masked(op, k, zero), 0)
}

// v3IK is v3I where k has ones.
func (a *Asm) v3IK(op vOp, l length, d, s1, s2 Vec, imm uint8, k kReg, zero bool) {
	a.evexReg(op, op.form(formRVM, imm8|memOnly, imm8), l, uint8(d), uint8(s1), uint8(s2), masked(op, k, zero))
	a.code = append(a.code, imm)
}

// v2K is v2 where k has ones.
func (a *Asm) v2K(op vOp, l length, d, s Vec, k kReg, zero bool) {
	c, mr := op.two(imm8|memOnly, 0)
	if mr {
		d, s = s, d
	}
	a.evexReg(op, c, l, uint8(d), 0, uint8(s), masked(op, k, zero))
}

// v2IK is v2I where k has ones.
func (a *Asm) v2IK(op vOp, l length, d, s Vec, imm uint8, k kReg, zero bool) {
	c, mr := op.two(imm8|memOnly, imm8)
	if mr {
		d, s = s, d
	}
	a.evexReg(op, c, l, uint8(d), 0, uint8(s), masked(op, k, zero))
	a.code = append(a.code, imm)
}

// v2MK is v2M where k has ones.
func (a *Asm) v2MK(op vOp, l length, d Vec, m Mem, k kReg, zero bool) {
	a.evexMem(op, op.form(formRM, imm8|regOnly, 0), l, uint8(d), 0, &m, masked(op, k, zero), 0)
}

// vStoreK is VStore where k has ones; the rest of the memory stays.
func (a *Asm) vStoreK(op vOp, l length, m Mem, s Vec, k kReg) {
	a.evexMem(op, op.form(formMR, imm8|regOnly, 0), l, uint8(s), 0, &m, uint8(k), 0)
}

// vShiftImmK is vShiftImm where k has ones.
func (a *Asm) vShiftImmK(op vOp, l length, d, s Vec, n uint8, k kReg, zero bool) {
	c := op.form(formShift, imm8, imm8)
	a.evexReg(op, c, l, uint8(c>>digitShift)&7, uint8(d), uint8(s), masked(op, k, zero))
	a.code = append(a.code, n)
}

// v3R is v3 of 512 bits with a rounding mode.
func (a *Asm) v3R(op vOp, d, s1, s2 Vec, rounding uint8) {
	a.evexReg(op, op.form(formRVM, imm8|memOnly, 0), length(rounding), uint8(d), uint8(s1), uint8(s2), evexBcast)
}

// v2R is v2 of 512 bits with a rounding mode.
func (a *Asm) v2R(op vOp, d, s Vec, rounding uint8) {
	a.evexReg(op, op.form(formRM, imm8|memOnly, 0), length(rounding), uint8(d), 0, uint8(s), evexBcast)
}

// vGatherK is d = memory at base + index*scale + disp, element by element where k has
// ones; it clears k, which cannot be k0. d and index must be two registers.
func (a *Asm) vGatherK(op vOp, l length, d Vec, base Reg, index Vec, scale uint8, disp int32, k kReg) {
	a.gatherMasked(op, formGather, l, d, base, index, scale, disp, k)
}

// vScatterK writes the elements of s at the ones of k, in their order, to base + index*scale + disp; it clears k,
// which cannot be k0.
func (a *Asm) vScatterK(op vOp, l length, base Reg, index Vec, scale uint8, disp int32, s Vec, k kReg) {
	a.gatherMasked(op, formScatter, l, s, base, index, scale, disp, k)
}

func (a *Asm) gatherMasked(op vOp, f form, l length, reg Vec, base Reg, index Vec, scale uint8, disp int32, k kReg) {
	c := op.form(f, imm8, 0)
	if k == k0 || index >= MaxVectors {
		op.noForm()
	}
	// VEX.vvvv has only bit 4 of the index.
	rex := uint8(index)>>3&1<<1 | uint8(base)>>3
	a.evexPrefix(op, c, l, uint8(reg), uint8(index)&16, rex, uint8(k))
	a.vsib(uint8(reg), base, index, scale, disp, c.unit(l))
}

// vCmpK is dk = comparison imm of s1 and s2.
func (a *Asm) vCmpK(op vOp, l length, dk kReg, s1, s2 Vec, imm uint8) {
	a.vCmpKK(op, l, dk, s1, s2, imm, k0)
}

// vCmpKK is vCmpK where k has ones, otherwise 0.
func (a *Asm) vCmpKK(op vOp, l length, dk kReg, s1, s2 Vec, imm uint8, k kReg) {
	a.evexReg(op, op.form(formToMask, imm8, imm8), l, uint8(dk), uint8(s1), uint8(s2), uint8(k))
	a.code = append(a.code, imm)
}

// vCmpKM is dk = comparison imm of s1 and m.
func (a *Asm) vCmpKM(op vOp, l length, dk kReg, s1 Vec, m Mem, imm uint8) {
	a.evexMem(op, op.form(formToMask, imm8|regOnly, imm8), l, uint8(dk), uint8(s1), &m, 0, 1)
	a.code = append(a.code, imm)
}

// vTestK is dk = s1 op s2 where k has ones, otherwise 0: for VPTESTM, VPCMPEQ, VPCMPGT and similar ones.
func (a *Asm) vTestK(op vOp, l length, dk kReg, s1, s2 Vec, k kReg) {
	a.evexReg(op, op.form(formToMask, imm8, 0), l, uint8(dk), uint8(s1), uint8(s2), uint8(k))
}

// vTestKM is vTestK with m as second source.
func (a *Asm) vTestKM(op vOp, l length, dk kReg, s1 Vec, m Mem) {
	a.evexMem(op, op.form(formToMask, imm8|regOnly, 0), l, uint8(dk), uint8(s1), &m, 0, 0)
}

// vToMask is dk = the highest bit of each element of s.
func (a *Asm) vToMask(op vOp, l length, dk kReg, s Vec) {
	a.evexReg(op, op.form(formSignsToMask, imm8, 0), l, uint8(dk), 0, uint8(s), 0)
}

// vFromMask is d = all ones in each element where k has a one, otherwise zero.
func (a *Asm) vFromMask(op vOp, l length, d Vec, k kReg) {
	a.evexReg(op, op.form(formFromMask, imm8, 0), l, uint8(d), 0, uint8(k), 0)
}

// Instructions on mask registers are VEX. Four widths share an opcode: bytes
// and 32 bits have prefix 66, 32 and 64 bits have W.
var maskWidth = [4]code{W8: p66, W16: 0, W32: p66 | w1v, W64: w1v}

// maskGeneral is the same for moves from and to general registers.
var maskGeneral = [4]code{W8: p66, W16: 0, W32: pF2, W64: pF2 | w1v}

// kMov is d = s.
func (a *Asm) kMov(w Width, d, s kReg) {
	a.vexReg(maskWidth[w]|m0F|0x90, l128, uint8(d), 0, uint8(s))
}

// kLoad is d = m.
func (a *Asm) kLoad(w Width, d kReg, m Mem) {
	a.vexMem(maskWidth[w]|m0F|0x90, l128, uint8(d), 0, &m, 0)
}

// kStore is m = s.
func (a *Asm) kStore(w Width, m Mem, s kReg) {
	a.vexMem(maskWidth[w]|m0F|0x91, l128, uint8(s), 0, &m, 0)
}

// kFromReg is d = the low w bits of s.
func (a *Asm) kFromReg(w Width, d kReg, s Reg) {
	a.vexReg(maskGeneral[w]|m0F|0x92, l128, uint8(d), 0, uint8(s))
}

// kToReg is d = the low w bits of s, with zeros above.
func (a *Asm) kToReg(w Width, d Reg, s kReg) {
	a.vexReg(maskGeneral[w]|m0F|0x93, l128, uint8(d), 0, uint8(s))
}

// kAnd is d = s1 & s2.
func (a *Asm) kAnd(w Width, d, s1, s2 kReg) { a.maskOp(w, 0x41, d, s1, s2) }

// kAndN is d = ^s1 & s2.
func (a *Asm) kAndN(w Width, d, s1, s2 kReg) { a.maskOp(w, 0x42, d, s1, s2) }

// kOr is d = s1 | s2.
func (a *Asm) kOr(w Width, d, s1, s2 kReg) { a.maskOp(w, 0x45, d, s1, s2) }

// kXnor is d = ^(s1 ^ s2).
func (a *Asm) kXnor(w Width, d, s1, s2 kReg) { a.maskOp(w, 0x46, d, s1, s2) }

// kXor is d = s1 ^ s2.
func (a *Asm) kXor(w Width, d, s1, s2 kReg) { a.maskOp(w, 0x47, d, s1, s2) }

func (a *Asm) maskOp(w Width, op code, d, s1, s2 kReg) {
	a.vexReg(maskWidth[w]|m0F|op, l256, uint8(d), uint8(s1), uint8(s2))
}

// kUnpck is d = s2 in its low half and s1 in its high one; w is the width of d: W16, W32 or W64.
func (a *Asm) kUnpck(w Width, d, s1, s2 kReg) {
	c := [4]code{W16: p66, W32: 0, W64: w1v}[w]
	a.vexReg(c|m0F|0x4B, l256, uint8(d), uint8(s1), uint8(s2))
}

// kNot is d = ^s.
func (a *Asm) kNot(w Width, d, s kReg) {
	a.vexReg(maskWidth[w]|m0F|0x44, l128, uint8(d), 0, uint8(s))
}

// kortest sets the zero flag if s1 | s2 is 0, the carry flag if it is all ones.
func (a *Asm) kortest(w Width, s1, s2 kReg) {
	a.vexReg(maskWidth[w]|m0F|0x98, l128, uint8(s1), 0, uint8(s2))
}

// ktest sets the zero flag if s1 & s2 is 0, the carry flag if ^s1 & s2 is.
func (a *Asm) ktest(w Width, s1, s2 kReg) {
	a.vexReg(maskWidth[w]|m0F|0x99, l128, uint8(s1), 0, uint8(s2))
}

// kShiftL is d = s << n.
func (a *Asm) kShiftL(w Width, d, s kReg, n uint8) { a.maskShift(w, 0x32, d, s, n) }

// kShiftR is d = s >> n.
func (a *Asm) kShiftR(w Width, d, s kReg, n uint8) { a.maskShift(w, 0x30, d, s, n) }

func (a *Asm) maskShift(w Width, op code, d, s kReg, n uint8) {
	c := [4]code{W8: 0, W16: w1v, W32: 1, W64: 1 | w1v}[w]
	a.vexReg(p66|m3A|(op+c), l128, uint8(d), 0, uint8(s))
	a.code = append(a.code, n)
}
