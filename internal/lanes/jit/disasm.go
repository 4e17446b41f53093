package jit

import "encoding/binary"

// Disassemble decodes the instruction at the start of code, one that Asm encodes: its text in Intel's syntax, and its
// size in bytes. The text of a jump or call has the distance from the next instruction, as "jmp +16". ok is false for
// anything else, such as data.
func Disassemble(code []byte) (text string, size int, ok bool) {
	in, ok := Decode(code)
	if !ok {
		return "", 0, false
	}
	return in.String(), in.Size, true
}

// Decode decodes the instruction at the start of code, one that Asm encodes; ok is false for anything else. It reads
// no bytes after the instruction.
func Decode(code []byte) (in Instr, ok bool) {
	d := decoder{code: code}
	defer func() {
		if r := recover(); r != nil {
			if r != errUndecoded {
				panic(r)
			}
			in, ok = Instr{}, false
		}
	}()
	d.instruction()
	d.in.Size = d.at
	return d.in, true
}

// errUndecoded is thrown where bytes are not an instruction of Asm's.
const errUndecoded = undecoded("not an instruction of the encoder's")

type undecoded string

// decoder reads one instruction.
type decoder struct {
	code []byte
	at   int
	in   Instr
	// Prefixes.
	word, lock, rep, rex bool  // 66, F0, F3 and any REX
	w, r, x, b           uint8 // bits of REX: W as 0 or 1, the others as 0 or 8
	// Which of the prefixes the instruction takes; one with another is not Asm's.
	takesWord, takesLock, takesRep bool
	// ModRM, SIB and displacement.
	mod, reg, rm uint8
	hasSIB       bool
	sib          uint8
	mem          Mem // if mod is not 3; Label is not used
}

func (d *decoder) byte() uint8 {
	if d.at >= len(d.code) {
		panic(errUndecoded)
	}
	d.at++
	return d.code[d.at-1]
}

func (d *decoder) int32() int32 {
	if d.at+4 > len(d.code) {
		panic(errUndecoded)
	}
	d.at += 4
	return int32(binary.LittleEndian.Uint32(d.code[d.at-4:]))
}

// imm reads an immediate of an operand width, 32 bits at most.
func (d *decoder) imm(w Width) Arg {
	switch w {
	case W8:
		return immediate(int64(int8(d.byte())))
	case W16:
		low := d.byte()
		return immediate(int64(int16(uint16(low) | uint16(d.byte())<<8)))
	}
	return immediate(int64(d.int32()))
}

// immByte reads a byte that is a number from 0 to 255.
func (d *decoder) immByte() Arg { return immediate(int64(d.byte())) }

func immediate(v int64) Arg { return Arg{Kind: Immediate, Value: v} }

// modrm reads ModRM and the bytes that belong to it. A displacement of one byte counts in units of 1<<unit bytes.
func (d *decoder) modrm(unit uint8) {
	b := d.byte()
	d.mod, d.reg, d.rm = b>>6, b>>3&7|d.r, b&7|d.b
	if d.mod == 3 {
		return
	}
	m := Mem{Base: Reg(d.rm), Index: NoReg}
	if b&7 == 4 {
		sib := d.byte()
		d.hasSIB, d.sib = true, sib
		if d.mod == 0 && sib&7 == 5 { // no base, which Asm does not have
			panic(errUndecoded)
		}
		m.Base = Reg(sib&7 | d.b)
		if index := sib>>3&7 | d.x; index != 4 {
			m.Index, m.Scale = Reg(index), 1<<(sib>>6)
		}
	}
	switch {
	case d.mod == 0 && b&7 == 5:
		m.Base, m.Disp = NoReg, d.int32()
	case d.mod == 1:
		m.Disp = int32(int8(d.byte())) << unit
	case d.mod == 2:
		m.Disp = d.int32()
	}
	d.mem = m
}

// instruction reads the instruction.
func (d *decoder) instruction() {
	switch d.peek() {
	case 0xC4, 0xC5, 0x62:
		d.vector()
		return
	}
	for {
		switch d.peek() {
		case 0x66:
			d.word = true
		case 0xF0:
			d.lock = true
		case 0xF3:
			d.rep = true
		default:
			d.general()
			if d.word && !d.takesWord || d.lock && !d.takesLock || d.rep && !d.takesRep {
				panic(errUndecoded)
			}
			return
		}
		d.at++
	}
}

// is sets the operation and its operands.
func (d *decoder) is(name string, args ...Arg) { d.in.Name, d.in.Args = name, args }

// known is the name of an instruction; there is none for opcodes that Asm does not have.
func known(name string) string {
	if name == "" {
		panic(errUndecoded)
	}
	return name
}

func (d *decoder) peek() uint8 {
	b := d.byte()
	d.at--
	return b
}

// general reads an instruction on general registers, after its prefixes but REX.
func (d *decoder) general() {
	if b := d.peek(); b&0xF0 == rexPrefix {
		d.at++
		d.rex, d.w, d.r, d.x, d.b = true, b>>3&1, b&4<<1, b&2<<2, b&1<<3
	}
	op := d.byte()
	switch {
	case op == 0x0F:
		d.twoByte(d.byte())
	case op < 0x40:
		d.arithmetic(aluNames[op>>3], op&7)
	default:
		d.oneByte(op)
	}
}

// width is that of operands of an opcode: bytes if it is even.
func (d *decoder) width(op uint8) Width {
	if op&1 == 0 {
		return W8
	}
	d.takesWord = true
	switch {
	case d.w != 0:
		return W64
	case d.word:
		return W16
	}
	return W32
}

// operand is the register or memory in ModRM.rm.
func (d *decoder) operand(w Width) Arg {
	if d.mod == 3 {
		return d.register(d.rm, w)
	}
	return d.memory(Memory, uint8(w))
}

// memory is the memory operand of an instruction that takes no register there.
func (d *decoder) memory(kind ArgKind, log uint8) Arg {
	if d.mod == 3 {
		panic(errUndecoded)
	}
	return Arg{Kind: kind, Log: log, Mem: d.mem}
}

// register is a general register. Without REX, numbers 4 to 7 are not those that Asm has as bytes.
func (d *decoder) register(r uint8, w Width) Arg {
	if w == W8 && !d.rex && r >= 4 {
		panic(errUndecoded)
	}
	return general(Reg(r), w)
}

func general(r Reg, w Width) Arg { return Arg{Kind: General, Number: uint8(r), Log: uint8(w)} }

// arithmetic reads an instruction with an opcode below 40; the low bits of the opcode determine the operands.
func (d *decoder) arithmetic(name string, low uint8) {
	w := d.width(low)
	if low >= 6 {
		panic(errUndecoded)
	}
	if low >= 4 {
		d.is(name, general(RAX, w), d.imm(w))
		return
	}
	d.modrm(0)
	if low >= 2 {
		d.is(name, d.register(d.reg, w), d.operand(w))
		return
	}
	d.is(name, d.operand(w), d.register(d.reg, w))
}

// plain are instructions of one byte.
var plain = map[uint8]string{0x90: "nop", 0xC3: "ret", 0xCC: "int3"}

// storing are instructions with their destination in ModRM.rm, by their opcode for bytes.
var storing = map[uint8]string{0x84: "test", 0x86: "xchg", 0x88: "mov"}

// groups are instructions with one operand, by opcode and digit in ModRM.reg.
var groups = map[uint8][8]string{
	0xF6: {0: "test", 2: "not", 3: "neg", 4: "mul", 6: "div", 7: "idiv"},
	0xFE: {2: "call", 4: "jmp"},
}

// oneByte reads an instruction with an opcode of one byte from 40 on.
func (d *decoder) oneByte(op uint8) {
	if name, ok := plain[op]; ok {
		d.takesWord = op == 0x90
		d.is(name)
		return
	}
	w := d.width(op)
	if name, ok := storing[op&^1]; ok {
		d.modrm(0)
		d.is(name, d.operand(w), d.register(d.reg, w))
		return
	}
	switch op {
	case 0x63:
		d.modrm(0)
		d.is("movsxd", general(Reg(d.reg), W64), d.operand(W32))
	case 0x69, 0x6B, 0x8B, 0x8D:
		d.loading(op)
	case 0x80, 0x81, 0x83:
		d.modrm(0)
		to := d.operand(w)
		if op == 0x83 {
			w = W8
		}
		d.is(aluNames[d.reg&7], to, d.imm(w))
	case 0x99:
		d.is([2]string{"cdq", "cqo"}[d.w])
	case 0xA8, 0xA9:
		d.is("test", general(RAX, w), d.imm(w))
	case 0xE8, 0xE9:
		d.is([2]string{"call", "jmp"}[op&1], Arg{Kind: Distance, Value: int64(d.int32())})
	default:
		d.grouped(op, w)
	}
}

// loading reads an instruction with its destination in ModRM.reg.
func (d *decoder) loading(op uint8) {
	w := d.width(1)
	d.modrm(0)
	to := d.register(d.reg, w)
	switch op {
	case 0x69:
		d.is("imul", to, d.operand(w), d.imm(w))
	case 0x6B:
		d.is("imul", to, d.operand(w), d.imm(W8))
	case 0x8B:
		d.is("mov", to, d.operand(w))
	default:
		d.is("lea", to, d.memory(Address, uint8(w)))
	}
}

// grouped reads an instruction with a digit in ModRM.reg, or with a register in its opcode.
func (d *decoder) grouped(op uint8, w Width) {
	if op&^7 == 0xB8 {
		d.wholeImmediate(Reg(op&7 | d.b))
		return
	}
	d.modrm(0)
	digit := d.reg & 7
	if op == 0xFE || op&^1 == 0xC6 && digit != 0 {
		panic(errUndecoded)
	}
	if op&^1 == 0xFE {
		w = W64
	}
	to := d.operand(w)
	switch op &^ 1 {
	case 0xC0:
		d.is(known(shiftNames[digit]), to, d.immByte())
	case 0xD0:
		d.is(known(shiftNames[digit]), to, immediate(1))
	case 0xD2:
		d.is(known(shiftNames[digit]), to, general(RCX, W8))
	case 0xC6:
		d.is("mov", to, d.imm(w))
	default:
		name := known(groups[op&^1][digit])
		if name == "test" {
			d.is(name, to, d.imm(w))
			return
		}
		d.is(name, to)
	}
}

// wholeImmediate reads a move of a number of 32 bits, with zeros above, or of 64 bits to a register.
func (d *decoder) wholeImmediate(r Reg) {
	low := int64(uint32(d.int32()))
	if d.w == 0 {
		d.is("mov", general(r, W32), immediate(low))
		return
	}
	d.is("movabs", general(r, W64), immediate(int64(d.int32())<<32|low))
}

// extending are instructions that extend an operand of bytes or words, by opcode without its lowest bit.
var extending = map[uint8]struct {
	name string
	to   Width
}{0xB6: {"movzx", W32}, 0xBE: {"movsx", W64}}

// counting are instructions with the prefix F3.
var counting = map[uint8]string{0xB8: "popcnt", 0xBC: "tzcnt", 0xBD: "lzcnt"}

// twoByte reads an instruction with an opcode of two bytes, the first of which is 0F.
func (d *decoder) twoByte(op uint8) {
	if op&0xF0 == 0x80 {
		d.is("j"+condNames[op&15], Arg{Kind: Distance, Value: int64(d.int32())})
		return
	}
	d.modrm(0)
	w := d.width(1)
	loads := func(name string) { d.is(name, d.register(d.reg, w), d.operand(w)) }
	if name, ok := counting[op]; ok && d.rep {
		d.takesRep = true
		loads(name)
		return
	}
	if e, ok := extending[op&^1]; ok {
		d.is(e.name, general(Reg(d.reg), e.to), d.operand(Width(op&1)))
		return
	}
	switch op & 0xF0 {
	case 0x40:
		loads("cmov" + condNames[op&15])
		return
	case 0x90:
		d.is("set"+condNames[op&15], d.operand(W8))
		return
	}
	switch op {
	case 0x1F:
		d.is("nop")
	case 0xAF:
		loads("imul")
	case 0xAE:
		d.is(known([8]string{2: "ldmxcsr", 3: "stmxcsr"}[d.reg&7]), d.memory(Memory, uint8(W32)))
	case 0xB0, 0xB1:
		d.exchanging("cmpxchg", d.width(op))
	case 0xC0, 0xC1:
		d.exchanging("xadd", d.width(op))
	default:
		panic(errUndecoded)
	}
}

func (d *decoder) exchanging(name string, w Width) {
	d.takesLock, d.in.Lock = true, d.lock
	d.is(name, d.operand(w), d.register(d.reg, w))
}
