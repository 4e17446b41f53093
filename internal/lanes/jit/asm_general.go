package jit

// cond is a condition on the flags, by its number in opcodes.
type cond uint8

// The conditions: overflow, below (carry), equal, below or equal, sign, parity
// (unordered), less, less or equal, each with its opposite.
const (
	condO cond = iota
	condNO
	condB
	condAE
	condE
	condNE
	condBE
	condA
	condS
	condNS
	condP
	condNP
	condL
	condGE
	condLE
	condG
)

// alu is an operation of two operands, by its number in opcodes.
type alu uint8

// The operations.
const (
	add alu = iota
	or
	adc
	sbb
	and
	sub
	xor
	cmp
)

// shift is a shift or rotation, by its number in opcodes.
type shift uint8

// The shifts.
const (
	rol shift = 0
	ror shift = 1
	shl shift = 4
	shr shift = 5
	sar shift = 7
)

// Jmp jumps to l. If l is bound next, the instruction is removed again.
//
//go:noinline
func (a *Asm) Jmp(l Label) {
	a.code = append(a.code, 0xE9)
	a.toLabel(l, 0, 0)
	a.jumped = len(a.code)
}

// jmpBytes is the size of a Jmp.
const jmpBytes = 5

// jcc jumps to l if c holds.
//
//go:noinline
func (a *Asm) jcc(c cond, l Label) {
	a.code = append(a.code, 0x0F, 0x80|byte(c))
	a.toLabel(l, 0, 0)
}

// Call calls the code at l.
func (a *Asm) Call(l Label) {
	a.code = append(a.code, 0xE8)
	a.toLabel(l, 0, 0)
}

// jmpReg jumps to the address in r.
func (a *Asm) jmpReg(r Reg) { a.reg(W32, 0xFF, 0, 4, uint8(r)) }

// jmpMem jumps to the address at m.
func (a *Asm) jmpMem(m Mem) { a.regMem(W32, 0xFF, 0, 4, &m, 0) }

// callReg calls the code at the address in r.
func (a *Asm) callReg(r Reg) { a.reg(W32, 0xFF, 0, 2, uint8(r)) }

// Ret returns.
func (a *Asm) Ret() { a.code = append(a.code, 0xC3) }

// int3 traps.
func (a *Asm) int3() { a.code = append(a.code, 0xCC) }

// Opcodes of general instructions are one byte, two (0x0FB6), or two after a prefix (0xF30FB8). If there is one
// opcode for bytes and another for wider operands, the latter is the former + 1.

// sized returns opcode op, the form for bytes, for width w.
func sized(op uint32, w Width) uint32 {
	if w == W8 {
		return op
	}
	return op + 1
}

const (
	rexPrefix = 0x40
	rexW      = 0x08
)

// byteReg returns the prefix that r needs as a register of width w: without a prefix, bytes 4 to 7 are AH, CH, DH and
// BH.
func byteReg(w Width, r Reg) uint8 {
	if w == W8 && r >= 4 {
		return rexPrefix
	}
	return 0
}

// reg appends an instruction with ModRM fields reg and rm, both registers, or
// reg a digit of the opcode.
func (a *Asm) reg(w Width, op uint32, rex, reg, rm uint8) {
	modrm := 0xC0 | reg&7<<3 | rm&7
	rex |= reg>>3<<2 | rm>>3
	if w == W64 && op <= 0xFF { // most are
		a.code = append(a.code, rex|rexPrefix|rexW, byte(op), modrm)
		return
	}
	a.opcode(w, op, rex)
	a.code = append(a.code, modrm)
}

// regMem appends an instruction with ModRM field reg and a memory operand;
// tail bytes of immediate will follow.
func (a *Asm) regMem(w Width, op uint32, rex, reg uint8, m *Mem, tail int) {
	rex |= reg>>3<<2 | m.rex()
	if w == W64 && op <= 0xFF { // most are
		a.code = append(a.code, rex|rexPrefix|rexW, byte(op))
	} else {
		a.opcode(w, op, rex)
	}
	a.mem(reg, m, 0, tail)
}

// opcode appends the prefixes and op. The bits of rex, if any, are REX.RXB.
func (a *Asm) opcode(w Width, op uint32, rex uint8) {
	if w == W16 {
		a.code = append(a.code, 0x66)
	}
	if op > 0xFFFF {
		a.code = append(a.code, byte(op>>16))
	}
	if w == W64 {
		rex |= rexPrefix | rexW
	}
	if rex != 0 {
		a.code = append(a.code, rex|rexPrefix)
	}
	if op > 0xFF {
		a.code = append(a.code, byte(op>>8), byte(op))
		return
	}
	a.code = append(a.code, byte(op))
}

// mov copies s to d: W32 clears the bits above, W8 and W16 keep them.
func (a *Asm) mov(w Width, d, s Reg) {
	a.reg(w, sized(0x88, w), byteReg(w, d)|byteReg(w, s), uint8(s), uint8(d))
}

// movImm sets all 64 bits of d, in the shortest form that keeps the flags.
func (a *Asm) movImm(d Reg, v uint64) {
	switch {
	case v == uint64(uint32(v)):
		a.opcode(W32, 0xB8|uint32(d)&7, uint8(d)>>3)
		a.imm32(int32(v))
	case v == uint64(int64(int32(v))):
		a.reg(W64, 0xC7, 0, 0, uint8(d))
		a.imm32(int32(v))
	default:
		a.opcode(W64, 0xB8|uint32(d)&7, uint8(d)>>3)
		a.imm32(int32(v))
		a.imm32(int32(v >> 32))
	}
}

// Load reads w bits of m into d, with zeros above.
func (a *Asm) Load(w Width, d Reg, m Mem) {
	switch w {
	case W8:
		a.regMem(W32, 0x0FB6, 0, uint8(d), &m, 0)
	case W16:
		a.regMem(W32, 0x0FB7, 0, uint8(d), &m, 0)
	default:
		a.regMem(w, 0x8B, 0, uint8(d), &m, 0)
	}
}

// loadSigned reads w bits of m into all 64 of d, with copies of the sign above.
func (a *Asm) loadSigned(w Width, d Reg, m Mem) {
	a.regMem(W64, signed[w], 0, uint8(d), &m, 0)
}

// signed is the opcode that extends a signed operand to 64 bits, by the operand's width.
var signed = [4]uint32{W8: 0x0FBE, W16: 0x0FBF, W32: 0x63, W64: 0x8B}

// store writes the low w bits of s to m.
func (a *Asm) store(w Width, m Mem, s Reg) {
	a.regMem(w, sized(0x88, w), byteReg(w, s), uint8(s), &m, 0)
}

// storeImm writes v to m; for W64 v is extended as a signed number.
func (a *Asm) storeImm(w Width, m Mem, v int32) {
	a.regMem(w, sized(0xC6, w), 0, 0, &m, immSize[w])
	a.imm(w, v)
}

// immSize is the size in bytes of an immediate, by operand width.
var immSize = [4]int{W8: 1, W16: 2, W32: 4, W64: 4}

// lea sets d to the address of m.
func (a *Asm) lea(d Reg, m Mem) { a.regMem(W64, 0x8D, 0, uint8(d), &m, 0) }

// op is d = d op s; cmp only sets flags.
func (a *Asm) op(op alu, w Width, d, s Reg) {
	a.reg(w, sized(uint32(op)<<3, w), byteReg(w, d)|byteReg(w, s), uint8(s), uint8(d))
}

// opImm is d = d op v; for W64 v is extended as a signed number.
func (a *Asm) opImm(op alu, w Width, d Reg, v int32) {
	switch {
	case w != W8 && v == int32(int8(v)):
		a.reg(w, 0x83, 0, uint8(op), uint8(d))
		a.code = append(a.code, byte(v))
	case d == RAX: // has an opcode of its own, without ModRM
		a.opcode(w, sized(uint32(op)<<3|4, w), 0)
		a.imm(w, v)
	default:
		a.reg(w, sized(0x80, w), byteReg(w, d), uint8(op), uint8(d))
		a.imm(w, v)
	}
}

// opLoad is d = d op m.
func (a *Asm) opLoad(op alu, w Width, d Reg, m Mem) {
	a.regMem(w, sized(uint32(op)<<3|2, w), byteReg(w, d), uint8(d), &m, 0)
}

// opStore is m = m op s; cmp only sets flags.
func (a *Asm) opStore(op alu, w Width, m Mem, s Reg) {
	a.regMem(w, sized(uint32(op)<<3, w), byteReg(w, s), uint8(s), &m, 0)
}

// opStoreImm is m = m op v; for W64 v is extended as a signed number.
func (a *Asm) opStoreImm(op alu, w Width, m Mem, v int32) {
	if w != W8 && v == int32(int8(v)) {
		a.regMem(w, 0x83, 0, uint8(op), &m, 1)
		a.code = append(a.code, byte(v))
		return
	}
	a.regMem(w, sized(0x80, w), 0, uint8(op), &m, immSize[w])
	a.imm(w, v)
}

// test sets the flags of d & s.
func (a *Asm) test(w Width, d, s Reg) {
	a.reg(w, sized(0x84, w), byteReg(w, d)|byteReg(w, s), uint8(s), uint8(d))
}

// testImm sets the flags of d & v; for W64 v is extended as a signed number.
func (a *Asm) testImm(w Width, d Reg, v int32) {
	if d == RAX {
		a.opcode(w, sized(0xA8, w), 0)
	} else {
		a.reg(w, sized(0xF6, w), byteReg(w, d), 0, uint8(d))
	}
	a.imm(w, v)
}

// shiftImm shifts d by n.
func (a *Asm) shiftImm(op shift, w Width, d Reg, n uint8) {
	if n == 1 {
		a.reg(w, sized(0xD0, w), byteReg(w, d), uint8(op), uint8(d))
		return
	}
	a.reg(w, sized(0xC0, w), byteReg(w, d), uint8(op), uint8(d))
	a.code = append(a.code, n)
}

// shiftCL shifts d by CL modulo 32, for W64 modulo 64.
func (a *Asm) shiftCL(op shift, w Width, d Reg) {
	a.reg(w, sized(0xD2, w), byteReg(w, d), uint8(op), uint8(d))
}

// not is d = ^d.
func (a *Asm) not(w Width, d Reg) { a.unary(w, 2, d) }

// neg is d = -d.
func (a *Asm) neg(w Width, d Reg) { a.unary(w, 3, d) }

// mul is RDX:RAX = RAX * s, unsigned; AX = AL * s for W8.
func (a *Asm) mul(w Width, s Reg) { a.unary(w, 4, s) }

// div is RAX, RDX = quotient and remainder of RDX:RAX by s, unsigned.
func (a *Asm) div(w Width, s Reg) { a.unary(w, 6, s) }

// idiv is RAX, RDX = quotient and remainder of RDX:RAX by s, signed.
func (a *Asm) idiv(w Width, s Reg) { a.unary(w, 7, s) }

func (a *Asm) unary(w Width, digit uint8, d Reg) {
	a.reg(w, sized(0xF6, w), byteReg(w, d), digit, uint8(d))
}

// cdq fills EDX with the sign of EAX; for W64, RDX with that of RAX.
func (a *Asm) cdq(w Width) { a.opcode(w, 0x99, 0) }

// imul is d = d * s, the low half. Not for W8, nor are imulImm to Pdep.
func (a *Asm) imul(w Width, d, s Reg) { a.reg(w, 0x0FAF, 0, uint8(d), uint8(s)) }

// imulImm is d = s * v, the low half.
func (a *Asm) imulImm(w Width, d, s Reg, v int32) {
	if v == int32(int8(v)) {
		a.reg(w, 0x6B, 0, uint8(d), uint8(s))
		a.code = append(a.code, byte(v))
		return
	}
	a.reg(w, 0x69, 0, uint8(d), uint8(s))
	a.imm(w, v)
}

// popcnt counts the ones of s.
func (a *Asm) popcnt(w Width, d, s Reg) { a.reg(w, 0xF30FB8, 0, uint8(d), uint8(s)) }

// tzcnt counts the zeros below the lowest one of s.
func (a *Asm) tzcnt(w Width, d, s Reg) { a.reg(w, 0xF30FBC, 0, uint8(d), uint8(s)) }

// lzcnt counts the zeros above the highest one of s.
func (a *Asm) lzcnt(w Width, d, s Reg) { a.reg(w, 0xF30FBD, 0, uint8(d), uint8(s)) }

// pext packs the bits of s at the ones of mask into the low end of d. W32 or W64.
func (a *Asm) pext(w Width, d, s, mask Reg) {
	a.vexGeneral(w, pF3|m38|0xF5, uint8(d), uint8(s), uint8(mask))
}

// pdep distributes the low bits of s to the ones of mask. W32 or W64.
func (a *Asm) pdep(w Width, d, s, mask Reg) {
	a.vexGeneral(w, pF2|m38|0xF5, uint8(d), uint8(s), uint8(mask))
}

// blsr is d = s without its lowest one. W32 or W64.
func (a *Asm) blsr(w Width, d, s Reg) {
	a.vexGeneral(w, m38|0xF3, 1, uint8(d), uint8(s))
}

func (a *Asm) vexGeneral(w Width, c code, reg, v, rm uint8) {
	if w == W64 {
		c |= w1v
	}
	a.vexReg(c, l128, reg, v, rm)
}

// movzx is d = the low w bits of s with zeros above.
func (a *Asm) movzx(w Width, d, s Reg) {
	switch w {
	case W8:
		a.reg(W32, 0x0FB6, byteReg(w, s), uint8(d), uint8(s))
	case W16:
		a.reg(W32, 0x0FB7, 0, uint8(d), uint8(s))
	default:
		a.mov(w, d, s)
	}
}

// movsx is d = the low w bits of s with copies of the sign above, 64 bits.
func (a *Asm) movsx(w Width, d, s Reg) { a.reg(W64, signed[w], 0, uint8(d), uint8(s)) }

// setcc sets the low 8 bits of d to 1 if c holds, otherwise to 0.
func (a *Asm) setcc(c cond, d Reg) {
	a.reg(W8, 0x0F90|uint32(c), byteReg(W8, d), 0, uint8(d))
}

// cmov is d = s if c holds. Not for W8; for W32 d has zeros above in any case.
func (a *Asm) cmov(c cond, w Width, d, s Reg) {
	a.reg(w, 0x0F40|uint32(c), 0, uint8(d), uint8(s))
}

// xchg exchanges m and r, atomically.
func (a *Asm) xchg(w Width, m Mem, r Reg) {
	a.regMem(w, sized(0x86, w), byteReg(w, r), uint8(r), &m, 0)
}

// xadd is m, r = m + r, m; atomic if lock is set.
func (a *Asm) xadd(w Width, m Mem, r Reg, lock bool) {
	a.regMem(w, locked(lock, sized(0x0FC0, w)), byteReg(w, r), uint8(r), &m, 0)
}

// cmpxchg is m = r if m equals RAX, otherwise RAX = m; atomic if lock is set.
func (a *Asm) cmpxchg(w Width, m Mem, r Reg, lock bool) {
	a.regMem(w, locked(lock, sized(0x0FB0, w)), byteReg(w, r), uint8(r), &m, 0)
}

// locked is op with the prefix LOCK if lock is set.
func locked(lock bool, op uint32) uint32 {
	if lock {
		return op | 0xF0<<16
	}
	return op
}

// ldmxcsr loads the control and status register of vector arithmetic.
func (a *Asm) ldmxcsr(m Mem) { a.regMem(W32, 0x0FAE, 0, 2, &m, 0) }

// stmxcsr stores the control and status register of vector arithmetic.
func (a *Asm) stmxcsr(m Mem) { a.regMem(W32, 0x0FAE, 0, 3, &m, 0) }

// vzeroupper clears bits 128 and up of vector registers 0 to 15.
func (a *Asm) vzeroupper() { a.code = append(a.code, 0xC5, 0xF8, 0x77) }
