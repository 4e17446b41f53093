package cost

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// values has, by PC, the uses of the first result of each instruction.
type values struct {
	uses    [][]use
	escapes []bool    // it may be read in other blocks, or by unknown instructions
	writes  [][]int32 // by register: the PCs that write it, ascending
}

// use is an operand that reads a value, by its index; -1 for the guard.
type use struct{ pc, at int }

// findValues finds the uses of values. A value lives only in its block, unless some block reads the register before
// it writes it.
func (l *lowering) findValues() *values {
	n := len(l.f.Code)
	v := &values{uses: make([][]use, n), escapes: make([]bool, n), writes: make([][]int32, len(l.f.Regs))}
	crosses := l.crossing()
	writer := make([]int32, len(l.f.Regs)) // PC of the writer of a register, from 1; 0 outside of the block
	var touched []isa.RegID
	for _, b := range l.g.Blocks() {
		for pc := b.Start; pc < b.End; pc++ {
			in := &l.f.Code[pc]
			v.read(in, pc, writer)
			results := 0
			for ref := range in.Refs {
				if !ref.Role.Writes() {
					continue
				}
				v.writes[ref.Reg] = append(v.writes[ref.Reg], int32(pc))
				if w := writer[ref.Reg]; w > 0 && !ref.Sure { // some lanes keep the old value
					v.escapes[w-1] = true
				}
				writer[ref.Reg] = int32(pc) + 1
				touched = append(touched, ref.Reg)
				results++
				v.escapes[pc] = v.escapes[pc] || crosses[ref.Reg] || !ref.Sure || results > 1
			}
		}
		for _, r := range touched {
			writer[r] = 0
		}
		touched = touched[:0]
	}
	return v
}

// read adds the operands of an instruction to the uses of their values.
func (v *values) read(in *isa.Instr, pc int, writer []int32) {
	if in.Guard != isa.NoReg {
		if w := writer[in.Guard]; w > 0 {
			v.uses[w-1] = append(v.uses[w-1], use{pc, -1})
		}
	}
	if in.Later != "" || in.Spec == nil { // the launch ends with an error here
		return
	}
	for i := range in.Args {
		a := &in.Args[i]
		reads := a.Kind == isa.AddrOperand && a.Reg != isa.NoReg || a.Kind == isa.RegOperand && !in.Spec.Formals()[i].Result
		if reads && writer[a.Reg] > 0 {
			v.uses[writer[a.Reg]-1] = append(v.uses[writer[a.Reg]-1], use{pc, i})
		}
		for j := range a.Elems {
			if e := &a.Elems[j]; e.Kind == isa.RegOperand && writer[e.Reg] > 0 {
				v.escapes[writer[e.Reg]-1] = true
			}
		}
	}
	if in.Call != nil {
		for _, a := range in.Call.Args {
			if a.Kind == isa.RegOperand && writer[a.Reg] > 0 {
				v.escapes[writer[a.Reg]-1] = true
			}
		}
	}
}

// crossing returns by register whether its value may be used in another block: a block reads it before it writes it
// in all lanes, or the function returns it.
func (l *lowering) crossing() []bool {
	crosses := make([]bool, len(l.f.Regs))
	for _, r := range l.f.RegsOf(l.f.Returns) {
		crosses[r] = true
	}
	written := make([]int32, len(l.f.Regs)) // number of the block, from 1
	for b, block := range l.g.Blocks() {
		for pc := block.Start; pc < block.End; pc++ {
			for ref := range l.f.Code[pc].Refs {
				switch {
				case !ref.Role.Writes():
					crosses[ref.Reg] = crosses[ref.Reg] || written[ref.Reg] != int32(b)+1
				case ref.Sure:
					written[ref.Reg] = int32(b) + 1
				}
			}
		}
	}
	return crosses
}

// changed reports whether one of the registers is written after first and before second.
func (v *values) changed(regs []isa.RegID, first, second int) bool {
	for _, r := range regs {
		writes := v.writes[r]
		i, _ := slices.BinarySearch(writes, int32(first)+1)
		if i < len(writes) && int(writes[i]) < second {
			return true
		}
	}
	return false
}
