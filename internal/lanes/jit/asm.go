// Package jit writes machine code: an encoder for x86-64, executable memory, and the emitter with which rows of the
// instruction table write their vector bodies. It is for x86-64 under Linux, macOS and Windows; elsewhere, and if the
// system refuses executable memory, Best is None and the lane functions in Go execute everything.
//
// # Tests
//
// The tests of this package compare the encoder's bytes with those of LLVM's assembler, and test entry to code under
// Go's runtime. templates*_test.go compares each template of the instruction table with its lane function on edges and
// random values, at every level, with -evaluate also at those that the host lacks. Together they execute 83 % of the
// statements here. Control flow, accesses and turns are tested in package native, with which it is 97 %.
package jit

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Reg is a general register by its hardware number, 0 to 15, or NoReg.
type Reg uint8

// The general registers.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	NoReg // bit 3 is 0, so that it adds no bit to a prefix
)

// Vec is a vector register, 0 to 31; those from 16 on need EVEX forms.
type Vec uint8

// kReg is a mask register, 0 to 7. As the mask of an instruction k0 means all lanes.
type kReg uint8

// The mask registers.
const (
	k0 kReg = iota
	k1
	k2
	k3
	k4
	k5
	k6
	k7
)

// Label is a place in the code of one Asm, bound to an offset or not yet.
type Label int32

// length is the vector length of an instruction in its prefix; if operands have several lengths, the longest.
type length uint8

// The vector lengths.
const (
	l128 length = iota
	l256
	l512
)

// Width is the operand width of a general instruction.
type Width uint8

// The operand widths.
const (
	W8 Width = iota
	W16
	W32
	W64
)

// Mem is a memory operand: Base + Index*Scale + Disp or, if Base is NoReg,
// Label + Disp, which is encoded relative to the next instruction.
type Mem struct {
	Base, Index Reg
	Scale       uint8 // 1, 2, 4, 8; 0 means no index
	Disp        int32
	Label       Label
}

// memAt is the memory at base + disp.
func memAt(base Reg, disp int32) Mem { return Mem{Base: base, Index: NoReg, Disp: disp} }

// atIndex is the memory at base + index*scale + disp.
func atIndex(base, index Reg, scale uint8, disp int32) Mem {
	return Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}

// atLabel is the memory at l + disp.
func atLabel(l Label, disp int32) Mem {
	return Mem{Base: NoReg, Index: NoReg, Disp: disp, Label: l}
}

// Asm assembles x86-64 machine code, one instruction with each method. The zero value is ready to use. Offsets have
// 32 bits: code ends below 2 GB.
//
// A method panics for an instruction that does not exist, because that is a bug of the caller.
type Asm struct {
	code   []byte
	labels []int32 // by Label: the offset, negative before the code; unbound until it is known
	fixups []fixup
	noEVEX bool // the instruction set has no EVEX prefixes: an instruction that needs one is a bug
	// Offsets after the last Jmp, and of the last label that was bound.
	jumped, bound int
}

const unbound = math.MinInt32

// fixup is a 4-byte displacement that depends on the offset of a label. Until that is known, the code holds the
// addend.
type fixup struct {
	at    int32 // offset of the displacement
	label Label
	tail  uint8 // bytes between the displacement and the next instruction, to which it is relative
}

// reset empties a and keeps its memory. Labels and slices returned by Bytes are no longer valid.
func (a *Asm) reset() {
	a.code, a.labels, a.fixups = a.code[:0], a.labels[:0], a.fixups[:0]
	a.jumped, a.bound = 0, 0
}

// Grow reserves memory for n bytes of code; there must be no code yet.
func (a *Asm) Grow(n int) {
	if cap(a.code) < n {
		a.code = make([]byte, 0, max(n, 2*cap(a.code)))
	}
	if n /= bytesPerFixup; cap(a.fixups) < n {
		a.fixups = make([]fixup, 0, max(n, 2*cap(a.fixups)))
	}
}

// bytesPerFixup is the usual number of bytes of code for each displacement that depends on a label.
const bytesPerFixup = 20

// Len is the number of bytes so far: the offset of the next instruction.
func (a *Asm) Len() int { return len(a.code) }

// Bytes returns the code so far with all displacements filled in. It is valid until the next instruction or Reset. It
// returns an error if a label is not bound, or a displacement does not fit in 32 bits.
func (a *Asm) Bytes() ([]byte, error) {
	for _, f := range a.fixups {
		target := a.labels[f.label]
		if target == unbound {
			return nil, fmt.Errorf("label %d is not bound", f.label)
		}
		at := a.code[f.at:]
		disp := int32(binary.LittleEndian.Uint32(at))
		d := int64(target) + int64(disp) - int64(f.at+4+int32(f.tail))
		if d != int64(int32(d)) {
			return nil, fmt.Errorf("label %d%+d is %d bytes away, which does not fit in 32 bits", f.label, disp, d)
		}
		binary.LittleEndian.PutUint32(at, uint32(d))
	}
	a.fixups = a.fixups[:0]
	if len(a.code) > math.MaxInt32 {
		return nil, fmt.Errorf("%d bytes of code are more than 32 bits count", len(a.code))
	}
	return a.code, nil
}

// truncate removes the instructions from offset n on. They must not refer to labels, and no label may be bound after
// them.
func (a *Asm) truncate(n int) { a.code = a.code[:n] }

// NewLabel makes a label that is not bound yet. It is not inlined: the copies would make the command 45 kB larger.
//
//go:noinline
func (a *Asm) NewLabel() Label {
	a.labels = append(a.labels, unbound)
	return Label(len(a.labels) - 1)
}

// NewLabelAt makes a label that is bound to an offset in bytes from the beginning of this code; negative offsets are
// before it. It is for code that is placed after other code.
func (a *Asm) NewLabelAt(offset int) Label {
	a.labels = append(a.labels, int32(offset))
	return Label(len(a.labels) - 1)
}

// bind places l before the next instruction. A label is bound once.
func (a *Asm) bind(l Label) {
	if a.labels[l] != unbound {
		panic(fmt.Sprintf("simtrun bug: label %d is bound twice", l))
	}
	if len(a.code) == a.jumped {
		a.fallInto(l)
	}
	a.labels[l], a.bound = int32(len(a.code)), len(a.code)
}

// fallInto removes a Jmp right before l if it goes to l and no label is bound between.
func (a *Asm) fallInto(l Label) {
	if n := len(a.fixups); n > 0 && a.bound < a.jumped && a.fixups[n-1].label == l {
		a.code, a.fixups = a.code[:len(a.code)-jmpBytes], a.fixups[:n-1]
	}
}

// Offset returns the offset of l, which must be bound.
func (a *Asm) Offset(l Label) int {
	if a.labels[l] == unbound {
		panic(fmt.Sprintf("simtrun bug: label %d is not bound", l))
	}
	return int(a.labels[l])
}

// nops are the instructions of 1 to 9 bytes without effect that Intel's manual recommends (volume 2B, NOP).
var nops = [9]string{
	"\x90",
	"\x66\x90",
	"\x0F\x1F\x00",
	"\x0F\x1F\x40\x00",
	"\x0F\x1F\x44\x00\x00",
	"\x66\x0F\x1F\x44\x00\x00",
	"\x0F\x1F\x80\x00\x00\x00\x00",
	"\x0F\x1F\x84\x00\x00\x00\x00\x00",
	"\x66\x0F\x1F\x84\x00\x00\x00\x00\x00",
}

// Align pads the code with nops to a multiple of n bytes, a power of two.
func (a *Asm) Align(n int) {
	for pad := -len(a.code) & (n - 1); pad > 0; {
		k := min(pad, len(nops))
		a.code = append(a.code, nops[k-1]...)
		pad -= k
	}
}

// literal appends bytes that are not instructions: constants.
func (a *Asm) literal(b []byte) { a.code = append(a.code, b...) }

// imm appends an immediate of width w, at most 32 bits.
func (a *Asm) imm(w Width, v int32) {
	switch w {
	case W8:
		a.code = append(a.code, byte(v))
	case W16:
		a.code = append(a.code, byte(v), byte(v>>8))
	default:
		a.imm32(v)
	}
}

// imm32 appends a number of 32 bits. It and toLabel are called at over 200 places: inlined they would make the command
// 70 kB larger.
//
//go:noinline
func (a *Asm) imm32(v int32) { a.code = binary.LittleEndian.AppendUint32(a.code, uint32(v)) }

// toLabel appends the 32-bit displacement of l + disp from the end of the instruction, tail bytes further on.
//
//go:noinline
func (a *Asm) toLabel(l Label, disp int32, tail int) {
	a.fixups = append(a.fixups, fixup{int32(len(a.code)), l, uint8(tail)})
	a.imm32(disp)
}

// rex returns the bits of a REX prefix that m needs: X for its index, B for its base.
func (m *Mem) rex() uint8 {
	b := uint8(m.Base) >> 3 & 1
	if m.Scale != 0 {
		b |= uint8(m.Index) >> 3 & 1 << 1
	}
	return b
}

// scaleBits is the SS field of a SIB byte by scale.
var scaleBits = [9]uint8{1: 0 << 6, 2: 1 << 6, 4: 2 << 6, 8: 3 << 6}

// mem appends ModRM, SIB and displacement of m. A displacement of one byte
// counts in units of 1<<unit bytes; tail is the size of the immediate that follows.
func (a *Asm) mem(reg uint8, m *Mem, unit uint8, tail int) {
	reg = reg & 7 << 3
	base := uint8(m.Base) & 7
	switch {
	case m.Base >= NoReg:
		a.code = append(a.code, reg|5)
		a.toLabel(m.Label, m.Disp, tail)
	case m.Scale != 0:
		a.sib(reg, scaleBits[m.Scale]|m.index()<<3|base, m.Disp, unit)
	case base == 4: // RSP and R12 as a base need a SIB byte
		a.sib(reg, 0x24, m.Disp, unit)
	case m.Disp == 0 && base != 5: // RBP and R13 as a base have another meaning here
		a.code = append(a.code, reg|base)
	case isSmall(m.Disp, unit):
		a.code = append(a.code, modDisp8|reg|base, byte(m.Disp>>unit))
	default:
		d := uint32(m.Disp)
		a.code = append(a.code, modDisp32|reg|base, byte(d), byte(d>>8), byte(d>>16), byte(d>>24))
	}
}

// The displacement is one byte or four, by the highest bits of ModRM.
const (
	modDisp8  = 0x40
	modDisp32 = 0x80
)

// isSmall reports whether one byte can encode disp in units of 1<<unit.
func isSmall(disp int32, unit uint8) bool {
	n := disp >> unit
	return n == int32(int8(n)) && n<<unit == disp
}

// sib appends a ModRM byte with field reg, a SIB byte, and a displacement.
func (a *Asm) sib(reg, sib uint8, disp int32, unit uint8) {
	switch {
	case disp == 0 && sib&7 != 5:
		a.code = append(a.code, reg|4, sib)
	case isSmall(disp, unit):
		a.code = append(a.code, modDisp8|reg|4, sib, byte(disp>>unit))
	default:
		d := uint32(disp)
		a.code = append(a.code, modDisp32|reg|4, sib, byte(d), byte(d>>8), byte(d>>16), byte(d>>24))
	}
}

// index returns the three low bits of m's index, which cannot be RSP.
func (m *Mem) index() uint8 {
	if m.Index == RSP || m.Index >= NoReg {
		panic(fmt.Sprintf("simtrun bug: register %d is no index", m.Index))
	}
	return uint8(m.Index) & 7
}
