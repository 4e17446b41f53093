package jit

import (
	"fmt"
	"strings"
)

// Instr is an instruction that Asm encodes, decoded: an operation with its operands in the order of Intel's syntax, the
// destination first.
type Instr struct {
	Name string // of the operation, in Intel's syntax and without "lock"
	Args []Arg
	// Mask is the mask register that selects the elements of the destination that change, 0 for all of them. With Zero
	// the others become zero.
	Mask     uint8
	Zero     bool
	Lock     bool  // it is atomic
	Rounded  bool  // it has a rounding mode of its own
	Rounding uint8 // that mode, as the field RC of MXCSR has it
	Size     int   // bytes of code
}

// ArgKind is the kind of an operand.
type ArgKind uint8

// The kinds of operands.
const (
	General   ArgKind = iota // a general register
	Vector                   // the low part of a vector register
	Masks                    // a mask register
	Memory                   // memory
	Address                  // the address of memory, which is not accessed
	Elements                 // memory at a vector of indices, for gathers and scatters
	Immediate                // a number
	Distance                 // the distance of a target from the end of the instruction
)

// Arg is an operand of an instruction.
type Arg struct {
	Kind ArgKind
	// Log is the logarithm of the bytes that the instruction accesses; for Elements, of the vector of indices.
	Log    uint8
	Number uint8 // of a register; for Elements, of the vector of indices
	Mem    Mem   // Label is not used: if Base is NoReg, Disp counts from the end of the instruction
	Value  int64 // of an Immediate or a Distance
}

// String is in in Intel's syntax.
func (in *Instr) String() string {
	var b strings.Builder
	if in.Lock {
		b.WriteString("lock ")
	}
	b.WriteString(in.Name)
	for i := range in.Args {
		b.WriteString([2]string{" ", ", "}[min(i, 1)])
		b.WriteString(in.Args[i].text())
		if i == 0 && in.Mask != 0 {
			fmt.Fprintf(&b, " {k%d}", in.Mask)
			if in.Zero {
				b.WriteString(" {z}")
			}
		}
	}
	if in.Rounded {
		b.WriteString(", " + roundings[in.Rounding])
	}
	return b.String()
}

func (a *Arg) text() string {
	switch a.Kind {
	case General:
		return Reg(a.Number).text(Width(a.Log))
	case Vector:
		return Vec(a.Number).text(int(a.Log))
	case Masks:
		return fmt.Sprintf("k%d", a.Number)
	case Memory:
		return a.Mem.text(int(a.Log))
	case Address:
		return a.Mem.address()
	case Elements:
		return a.Mem.indexed(Vec(a.Number).text(int(a.Log)))
	case Distance:
		return fmt.Sprintf("%+d", a.Value)
	}
	return fmt.Sprint(a.Value)
}
