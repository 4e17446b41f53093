package jit

import (
	"encoding/binary"
	"fmt"
)

// Disassemble decodes the instruction at the start of code, one that Asm encodes: its text in Intel's syntax, and its
// size in bytes. The text of a jump or call has the distance from the next instruction, as "jmp +16". ok is false for
// anything else, such as data.
func Disassemble(code []byte) (text string, size int, ok bool) {
	d := decoder{code: code}
	defer func() {
		if r := recover(); r != nil {
			if r != errUndecoded {
				panic(r)
			}
			text, size, ok = "", 0, false
		}
	}()
	text = d.instruction()
	return text, d.at, true
}

// errUndecoded is thrown where bytes are not an instruction of Asm's.
const errUndecoded = undecoded("not an instruction of the encoder's")

type undecoded string

// decoder reads one instruction.
type decoder struct {
	code []byte
	at   int
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
func (d *decoder) imm(w Width) int32 {
	switch w {
	case W8:
		return int32(int8(d.byte()))
	case W16:
		low := d.byte()
		return int32(int16(uint16(low) | uint16(d.byte())<<8))
	}
	return d.int32()
}

// modrm reads ModRM and what belongs to it. A displacement of one byte counts in units of 1<<unit bytes.
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

// instruction is the text of the instruction.
func (d *decoder) instruction() string {
	switch d.peek() {
	case 0xC4, 0xC5, 0x62:
		return d.vector()
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
			text := d.general()
			if d.word && !d.takesWord || d.lock && !d.takesLock || d.rep && !d.takesRep {
				panic(errUndecoded)
			}
			return text
		}
		d.at++
	}
}

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

// general is the text of an instruction on general registers, after its prefixes but REX.
func (d *decoder) general() string {
	if b := d.peek(); b&0xF0 == rexPrefix {
		d.at++
		d.rex, d.w, d.r, d.x, d.b = true, b>>3&1, b&4<<1, b&2<<2, b&1<<3
	}
	op := d.byte()
	if op == 0x0F {
		return d.twoByte(d.byte())
	}
	if op < 0x40 {
		return d.arithmetic(aluNames[op>>3], op&7)
	}
	return d.oneByte(op)
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
func (d *decoder) operand(w Width) string {
	if d.mod == 3 {
		return d.register(d.rm, w)
	}
	return d.mem.text(int(w))
}

// memory is the memory operand of an instruction that takes no register there.
func (d *decoder) memory(w Width) string {
	if d.mod == 3 {
		panic(errUndecoded)
	}
	return d.mem.text(int(w))
}

// register is the name of a general register. Without REX, numbers 4 to 7 are not those that Asm has as bytes.
func (d *decoder) register(r uint8, w Width) string {
	if w == W8 && !d.rex && r >= 4 {
		panic(errUndecoded)
	}
	return Reg(r).text(w)
}

// arithmetic is an instruction with an opcode below 40, whose low bits say which operands it has.
func (d *decoder) arithmetic(name string, low uint8) string {
	w := d.width(low)
	if low >= 6 {
		panic(errUndecoded)
	}
	if low >= 4 {
		return fmt.Sprintf("%s %s, %d", name, RAX.text(w), d.imm(w))
	}
	d.modrm(0)
	if low >= 2 {
		return fmt.Sprintf("%s %s, %s", name, d.register(d.reg, w), d.operand(w))
	}
	return fmt.Sprintf("%s %s, %s", name, d.operand(w), d.register(d.reg, w))
}

// plain are instructions of one byte.
var plain = map[uint8]string{0x90: "nop", 0xC3: "ret", 0xCC: "int3"}

// storing are instructions whose destination is in ModRM.rm, by their opcode for bytes.
var storing = map[uint8]string{0x84: "test", 0x86: "xchg", 0x88: "mov"}

// groups are instructions with one operand, by opcode and digit in ModRM.reg.
var groups = map[uint8][8]string{
	0xF6: {0: "test", 2: "not", 3: "neg", 4: "mul", 6: "div", 7: "idiv"},
	0xFE: {2: "call", 4: "jmp"},
}

// oneByte is an instruction with an opcode of one byte from 40 on.
func (d *decoder) oneByte(op uint8) string {
	if text, ok := plain[op]; ok {
		d.takesWord = op == 0x90
		return text
	}
	w := d.width(op)
	if name, ok := storing[op&^1]; ok {
		d.modrm(0)
		return fmt.Sprintf("%s %s, %s", name, d.operand(w), d.register(d.reg, w))
	}
	switch op {
	case 0x63:
		d.modrm(0)
		return fmt.Sprintf("movsxd %s, %s", Reg(d.reg).text(W64), d.operand(W32))
	case 0x69, 0x6B, 0x8B, 0x8D:
		return d.loading(op)
	case 0x80, 0x81, 0x83:
		d.modrm(0)
		text := fmt.Sprintf("%s %s, ", aluNames[d.reg&7], d.operand(w))
		if op == 0x83 {
			w = W8
		}
		return text + fmt.Sprint(d.imm(w))
	case 0x99:
		return [2]string{"cdq", "cqo"}[d.w]
	case 0xA8, 0xA9:
		return fmt.Sprintf("test %s, %d", RAX.text(w), d.imm(w))
	case 0xE8, 0xE9:
		return fmt.Sprintf("%s %+d", [2]string{"call", "jmp"}[op&1], d.int32())
	}
	return d.grouped(op, w)
}

// loading is an instruction whose destination is in ModRM.reg.
func (d *decoder) loading(op uint8) string {
	w := d.width(1)
	d.modrm(0)
	head := d.register(d.reg, w) + ", "
	switch op {
	case 0x69:
		return "imul " + head + d.operand(w) + fmt.Sprintf(", %d", d.imm(w))
	case 0x6B:
		return "imul " + head + d.operand(w) + fmt.Sprintf(", %d", d.imm(W8))
	case 0x8B:
		return "mov " + head + d.operand(w)
	}
	d.memory(w)
	return "lea " + head + d.mem.address()
}

// grouped is an instruction with a digit in ModRM.reg, or with a register in its opcode.
func (d *decoder) grouped(op uint8, w Width) string {
	if op&^7 == 0xB8 {
		r := Reg(op&7 | d.b)
		if d.w == 0 {
			return fmt.Sprintf("mov %s, %d", r.text(W32), uint32(d.int32()))
		}
		low := uint32(d.int32())
		return fmt.Sprintf("movabs %s, %d", r.text(W64), int64(d.int32())<<32|int64(low))
	}
	d.modrm(0)
	digit := d.reg & 7
	if op == 0xFE || op&^1 == 0xC6 && digit != 0 {
		panic(errUndecoded)
	}
	switch op &^ 1 {
	case 0xC0:
		return fmt.Sprintf("%s %s, %d", shiftName(digit), d.operand(w), d.byte())
	case 0xD0:
		return fmt.Sprintf("%s %s, 1", shiftName(digit), d.operand(w))
	case 0xD2:
		return fmt.Sprintf("%s %s, cl", shiftName(digit), d.operand(w))
	case 0xC6:
		return fmt.Sprintf("mov %s, %d", d.operand(w), d.imm(w))
	case 0xFE:
		w = W64
	}
	name := known(groups[op&^1][digit])
	if name == "test" {
		return fmt.Sprintf("test %s, %d", d.operand(w), d.imm(w))
	}
	return name + " " + d.operand(w)
}

func shiftName(digit uint8) string { return known(shiftNames[digit]) }

// extending are instructions that extend an operand of bytes or words, by opcode without its lowest bit.
var extending = map[uint8]struct {
	name string
	to   Width
}{0xB6: {"movzx", W32}, 0xBE: {"movsx", W64}}

// counting are instructions with the prefix F3.
var counting = map[uint8]string{0xB8: "popcnt", 0xBC: "tzcnt", 0xBD: "lzcnt"}

// twoByte is an instruction with an opcode of two bytes, the first of which is 0F.
func (d *decoder) twoByte(op uint8) string {
	if op&0xF0 == 0x80 {
		return fmt.Sprintf("j%s %+d", condNames[op&15], d.int32())
	}
	d.modrm(0)
	w := d.width(1)
	loads := func(name string) string {
		return fmt.Sprintf("%s %s, %s", name, d.register(d.reg, w), d.operand(w))
	}
	if name, ok := counting[op]; ok && d.rep {
		d.takesRep = true
		return loads(name)
	}
	if e, ok := extending[op&^1]; ok {
		return fmt.Sprintf("%s %s, %s", e.name, Reg(d.reg).text(e.to), d.operand(Width(op&1)))
	}
	switch op & 0xF0 {
	case 0x40:
		return loads("cmov" + condNames[op&15])
	case 0x90:
		return "set" + condNames[op&15] + " " + d.operand(W8)
	}
	switch op {
	case 0x1F:
		return "nop"
	case 0xAF:
		return loads("imul")
	case 0xAE:
		return known([8]string{2: "ldmxcsr", 3: "stmxcsr"}[d.reg&7]) + " " + d.memory(W32)
	case 0xB0, 0xB1:
		return d.exchanging("cmpxchg", d.width(op))
	case 0xC0, 0xC1:
		return d.exchanging("xadd", d.width(op))
	}
	panic(errUndecoded)
}

func (d *decoder) exchanging(name string, w Width) string {
	d.takesLock = true
	if d.lock {
		name = "lock " + name
	}
	return fmt.Sprintf("%s %s, %s", name, d.operand(w), d.register(d.reg, w))
}
