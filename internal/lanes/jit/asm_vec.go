package jit

import "fmt"

// code is how one form of a vector instruction is encoded, under VEX, EVEX or
// both. The two share opcode, prefix and map.
type code uint32

const (
	// Bits 0 to 7 are the opcode, 8 and 9 the prefix that it implies, 10 and 11 the map.
	p66 code = 1 << 8
	pF3 code = 2 << 8
	pF2 code = 3 << 8
	m0F code = 1 << 10
	m38 code = 2 << 10
	m3A code = 3 << 10

	w1v code = 1 << 12 // VEX.W
	w1e code = 1 << 13 // EVEX.W
	w1  code = w1v | w1e

	// Bits 14 to 17 have the size of the memory operand, the unit of EVEX displacements: a vector or a part of one, or a
	// number of bytes.
	half    code = 1 << 14
	quarter code = 2 << 14
	eighth  code = 3 << 14
	n1      code = 4 << 14
	n2      code = 5 << 14
	n4      code = 6 << 14
	n8      code = 7 << 14
	n16     code = 8 << 14
	n32     code = 9 << 14

	// The vector lengths for which the form exists.
	vx   code = 1 << 18
	vy   code = 1 << 19
	ex   code = 1 << 20
	ey   code = 1 << 21
	ez   code = 1 << 22
	vxy  code = vx | vy
	exyz code = ex | ey | ez
	all  code = vxy | exyz

	imm8    code = 1 << 23 // an immediate follows
	memOnly code = 1 << 24
	regOnly code = 1 << 25
	gprReg  code = 1 << 26 // the general register is in ModRM.reg, not in ModRM.rm

	digitShift = 27 // bits 27 to 29: the digit in ModRM.reg
)

func (c code) mapBits() uint8 { return uint8(c>>10) & 3 }
func (c code) prefix() uint8  { return uint8(c>>8) & 3 }
func (c code) vexW() uint8    { return uint8(c>>12) & 1 << 7 }
func (c code) evexW() uint8   { return uint8(c>>13) & 1 << 7 }

// hasVEX reports whether there is a VEX form of length l.
func (c code) hasVEX(l length) bool { return c&(vx<<l) != 0 && l < l512 }

// hasEVEX reports whether there is an EVEX form of length l.
func (c code) hasEVEX(l length) bool { return c&(ex<<l) != 0 }

// unit is the logarithm of the unit of EVEX displacements of one byte at length l.
func (c code) unit(l length) uint8 {
	n := uint8(c>>14) & 15
	if n < 4 {
		return 4 + uint8(l) - n
	}
	return n - 4
}

// form is the encoding of the operands of an instruction.
type form uint8

const (
	formRVM         form = iota // d in ModRM.reg, s1 in VEX.vvvv, s2 in ModRM.rm
	formRM                      // d in ModRM.reg, s in ModRM.rm
	formMR                      // d in ModRM.rm, s in ModRM.reg
	formShift                   // d in VEX.vvvv, s in ModRM.rm, a number of bits
	formBlend                   // RVM, and a mask in an immediate
	formGather                  // d in ModRM.reg, addresses from a vector of indices
	formScatter                 // s in ModRM.reg, addresses from a vector of indices
	formToReg                   // d is a general register
	formFromReg                 // the last source is a general register
	formToMask                  // RVM, d is a mask register
	formSignsToMask             // RM, d is a mask register
	formFromMask                // RM, s is a mask register
	numForms
)

// vop is an instruction: its name and its forms; 0 for a form that does not exist.
type vop struct {
	name  string
	forms [numForms]code
}

// String is the Intel name of op.
func (op vOp) String() string { return vops[op].name }

// form returns the code of a form of op with the bits of mask as in want: with or without an immediate, with the
// caller's kind of operand. If op does not have the form, the returned code has no lengths, so that the check of
// lengths fails.
func (op vOp) form(f form, mask, want code) code {
	c := vops[op].forms[f]
	if c&mask != want {
		op.noForm()
	}
	return c
}

// noForm must not be inlined, so that form can be.
//
//go:noinline
func (op vOp) noForm() { panic(fmt.Sprintf("simtrun bug: %v has no such form", op)) }

// vreg appends an instruction with register operands, given by their fields. It uses the EVEX form if there is no VEX
// form for them.
func (a *Asm) vreg(op vOp, c code, l length, reg, v, rm uint8) {
	if reg|v|rm < 16 && c.hasVEX(l) {
		a.vexReg(c, l, reg, v, rm)
		return
	}
	a.evexReg(op, c, l, reg, v, rm, 0)
}

// vmem is vreg for a memory operand; tail bytes of immediate will follow.
func (a *Asm) vmem(op vOp, c code, l length, reg, v uint8, m *Mem, tail int) {
	if reg|v < 16 && c.hasVEX(l) {
		a.vexMem(c, l, reg, v, m, tail)
		return
	}
	a.evexMem(op, c, l, reg, v, m, 0, tail)
}

// vexReg appends a VEX instruction, with a prefix of two bytes if they suffice.
func (a *Asm) vexReg(c code, l length, reg, v, rm uint8) {
	last := ^v&15<<3 | uint8(l)<<2 | c.prefix()
	modrm := 0xC0 | reg&7<<3 | rm&7
	if rm < 8 && c&(m3A|w1v) == m0F {
		a.code = append(a.code, 0xC5, ^reg&8<<4|last, byte(c), modrm)
		return
	}
	a.code = append(a.code, 0xC4, ^reg&8<<4|0x40|^rm&8<<2|c.mapBits(), c.vexW()|last, byte(c), modrm)
}

func (a *Asm) vexMem(c code, l length, reg, v uint8, m *Mem, tail int) {
	a.vexPrefix(c, l, reg, v, m.rex())
	a.mem(reg, m, 0, tail)
}

// vexPrefix appends prefix and opcode before a memory operand with bits rex.
func (a *Asm) vexPrefix(c code, l length, reg, v, rex uint8) {
	last := ^v&15<<3 | uint8(l)<<2 | c.prefix()
	if rex == 0 && c&(m3A|w1v) == m0F {
		a.code = append(a.code, 0xC5, ^reg&8<<4|last, byte(c))
		return
	}
	a.code = append(a.code, 0xC4, ^reg&8<<4|^rex&3<<5|c.mapBits(), c.vexW()|last, byte(c))
}

// Bits of the last byte of an EVEX prefix. Its bits 0 to 2 are the number of the mask register.
const (
	evexZero  = 0x80
	evexBcast = 0x10 // for registers: the length field is a rounding mode
)

// evexReg appends an EVEX instruction. If extra has evexBcast, a rounding mode replaces l.
func (a *Asm) evexReg(op vOp, c code, l length, reg, v, rm, extra uint8) {
	if extra&evexBcast == 0 && !c.hasEVEX(l) || !c.hasEVEX(l512) && extra&evexBcast != 0 || reg|v|rm >= MaxVectors || a.noEVEX {
		op.noForm()
	}
	a.code = append(a.code, 0x62,
		^reg&8<<4|^rm&16<<2|^rm&8<<2|^reg&16|c.mapBits(),
		c.evexW()|^v&15<<3|4|c.prefix(),
		extra|uint8(l)<<5|^v&16>>1,
		byte(c), 0xC0|reg&7<<3|rm&7)
}

func (a *Asm) evexMem(op vOp, c code, l length, reg, v uint8, m *Mem, extra uint8, tail int) {
	a.evexPrefix(op, c, l, reg, v, m.rex(), extra)
	a.mem(reg, m, c.unit(l), tail)
}

// evexPrefix appends prefix and opcode before a memory operand with bits rex. v is a source, or a vector of indices
// that has its bit 3 in rex.
func (a *Asm) evexPrefix(op vOp, c code, l length, reg, v, rex, extra uint8) {
	if !c.hasEVEX(l) || reg|v >= MaxVectors || a.noEVEX {
		op.noForm()
	}
	a.code = append(a.code, 0x62,
		^reg&8<<4|^rex&3<<5|^reg&16|c.mapBits(),
		c.evexW()|^v&15<<3|4|c.prefix(),
		extra|uint8(l)<<5|^v&16>>1,
		byte(c))
}

// v3 is d = s1 op s2.
func (a *Asm) v3(op vOp, l length, d, s1, s2 Vec) {
	a.vreg(op, op.form(formRVM, imm8|memOnly, 0), l, uint8(d), uint8(s1), uint8(s2))
}

// v3M is d = s1 op m.
func (a *Asm) v3M(op vOp, l length, d, s1 Vec, m Mem) {
	a.vmem(op, op.form(formRVM, imm8|regOnly, 0), l, uint8(d), uint8(s1), &m, 0)
}

// v3I is v3 with an immediate.
func (a *Asm) v3I(op vOp, l length, d, s1, s2 Vec, imm uint8) {
	a.vreg(op, op.form(formRVM, imm8|memOnly, imm8), l, uint8(d), uint8(s1), uint8(s2))
	a.code = append(a.code, imm)
}

// v3MI is v3M with an immediate.
func (a *Asm) v3MI(op vOp, l length, d, s1 Vec, m Mem, imm uint8) {
	a.vmem(op, op.form(formRVM, imm8|regOnly, imm8), l, uint8(d), uint8(s1), &m, 1)
	a.code = append(a.code, imm)
}

// two is the form of an instruction of two operands: most have d in ModRM.reg,
// narrowing ones and extracts in ModRM.rm.
func (op vOp) two(mask, want code) (c code, mr bool) {
	if vops[op].forms[formRM] != 0 {
		return op.form(formRM, mask, want), false
	}
	return op.form(formMR, mask, want), true
}

// v2 is d = op s.
func (a *Asm) v2(op vOp, l length, d, s Vec) {
	c, mr := op.two(imm8|memOnly, 0)
	if mr {
		d, s = s, d
	}
	a.vreg(op, c, l, uint8(d), 0, uint8(s))
}

// v2M is d = op m.
func (a *Asm) v2M(op vOp, l length, d Vec, m Mem) {
	a.vmem(op, op.form(formRM, imm8|regOnly, 0), l, uint8(d), 0, &m, 0)
}

// v2I is v2 with an immediate.
func (a *Asm) v2I(op vOp, l length, d, s Vec, imm uint8) {
	c, mr := op.two(imm8|memOnly, imm8)
	if mr {
		d, s = s, d
	}
	a.vreg(op, c, l, uint8(d), 0, uint8(s))
	a.code = append(a.code, imm)
}

// v2MI is v2M with an immediate.
func (a *Asm) v2MI(op vOp, l length, d Vec, m Mem, imm uint8) {
	a.vmem(op, op.form(formRM, imm8|regOnly, imm8), l, uint8(d), 0, &m, 1)
	a.code = append(a.code, imm)
}

// vStore is m = op s.
func (a *Asm) vStore(op vOp, l length, m Mem, s Vec) {
	a.vmem(op, op.form(formMR, imm8|regOnly, 0), l, uint8(s), 0, &m, 0)
}

// vStoreI is VStore with an immediate.
func (a *Asm) vStoreI(op vOp, l length, m Mem, s Vec, imm uint8) {
	a.vmem(op, op.form(formMR, imm8|regOnly, imm8), l, uint8(s), 0, &m, 1)
	a.code = append(a.code, imm)
}

// vShiftImm is d = s shifted by n bits in each element, for VPSLLDQ and VPSRLDQ by n bytes.
func (a *Asm) vShiftImm(op vOp, l length, d, s Vec, n uint8) {
	c := op.form(formShift, imm8, imm8)
	a.vreg(op, c, l, uint8(c>>digitShift)&7, uint8(d), uint8(s))
	a.code = append(a.code, n)
}

// v4 is d = s2 where the highest bit of mask's element is set, otherwise s1. VEX only.
func (a *Asm) v4(op vOp, l length, d, s1, s2, mask Vec) {
	c := op.form(formBlend, imm8, imm8)
	if d|s1|s2|mask >= 16 {
		op.noForm()
	}
	a.vreg(op, c, l, uint8(d), uint8(s1), uint8(s2))
	a.code = append(a.code, uint8(mask)<<4)
}

// vGather is d = memory at base + index*scale + disp, for the elements for which the highest bit of mask is set; it
// clears mask. d, index and mask must be three different registers. VEX only.
func (a *Asm) vGather(op vOp, l length, d Vec, base Reg, index Vec, scale uint8, disp int32, mask Vec) {
	c := op.form(formGather, imm8, 0)
	if d|index|mask >= 16 || !c.hasVEX(l) {
		op.noForm()
	}
	a.vexPrefix(c, l, uint8(d), uint8(mask), uint8(index)>>3<<1|uint8(base)>>3)
	a.vsib(uint8(d), base, index, scale, disp, 0)
}

// vsib appends ModRM, SIB and displacement for a vector of addresses.
func (a *Asm) vsib(reg uint8, base Reg, index Vec, scale uint8, disp int32, unit uint8) {
	a.sib(reg&7<<3, scaleBits[scale]|uint8(index)&7<<3|uint8(base)&7, disp, unit)
}

// vToReg is d = op s, where d is a general register: element 0, or a bit from each element.
func (a *Asm) vToReg(op vOp, l length, d Reg, s Vec) {
	a.toReg(op, op.form(formToReg, imm8, 0), l, d, s)
}

// vToRegI is d = element imm of s.
func (a *Asm) vToRegI(op vOp, l length, d Reg, s Vec, imm uint8) {
	a.toReg(op, op.form(formToReg, imm8, imm8), l, d, s)
	a.code = append(a.code, imm)
}

func (a *Asm) toReg(op vOp, c code, l length, d Reg, s Vec) {
	reg, rm := uint8(s), uint8(d)
	if c&gprReg != 0 {
		reg, rm = rm, reg
	}
	a.vreg(op, c, l, reg, 0, rm)
}

// vFromReg is d = s in element 0 and zeros above.
func (a *Asm) vFromReg(op vOp, d Vec, s Reg) { a.vBroadcastReg(op, l128, d, s) }

// vFromRegI is d = s1 with r in element imm.
func (a *Asm) vFromRegI(op vOp, d, s1 Vec, r Reg, imm uint8) {
	a.vreg(op, op.form(formFromReg, imm8, imm8), l128, uint8(d), uint8(s1), uint8(r))
	a.code = append(a.code, imm)
}

// vBroadcastReg is d = s in all elements. EVEX only.
func (a *Asm) vBroadcastReg(op vOp, l length, d Vec, s Reg) {
	a.vreg(op, op.form(formFromReg, imm8, 0), l, uint8(d), 0, uint8(s))
}
