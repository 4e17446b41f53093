package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
)

// bitset is a set of registers.
type bitset []uint64

func (b bitset) add(r isa.RegID)      { b[r/64] |= 1 << (r % 64) }
func (b bitset) del(r isa.RegID)      { b[r/64] &^= 1 << (r % 64) }
func (b bitset) has(r isa.RegID) bool { return b[r/64]>>(r%64)&1 != 0 }

// unsetRegs are the registers that are live where fn starts: those that some
// path reads before it writes them. They must start with a known value, or a
// run would depend on the CTA that used the warp's registers before.
func unsetRegs(fn *isa.Func, flow *divergence.Flow) []isa.RegID {
	blocks := flow.Blocks()
	words := (len(fn.Regs) + 63) / 64
	live := make([]bitset, len(blocks)) // at the start of each block
	for b := range live {
		live[b] = make(bitset, words)
	}
	cur := make(bitset, words)
	for changed := true; changed; {
		changed = false
		for b := len(blocks) - 1; b >= 0; b-- {
			clear(cur)
			for _, s := range blocks[b].Succ {
				for w := range cur {
					cur[w] |= live[s][w]
				}
			}
			for pc := blocks[b].End - 1; pc >= blocks[b].Start; pc-- {
				stepBack(&fn.Code[pc], cur)
			}
			for w := range cur {
				if cur[w]&^live[b][w] != 0 {
					live[b][w] |= cur[w]
					changed = true
				}
			}
		}
	}
	var unset []isa.RegID
	for r := range fn.Regs {
		if len(blocks) > 0 && live[0].has(isa.RegID(r)) {
			unset = append(unset, isa.RegID(r))
		}
	}
	return unset
}

// stepBack turns the registers live after in into those live before it. A
// guarded instruction may leave its results as they were.
func stepBack(in *isa.Instr, live bitset) {
	if in.Spec == nil {
		return
	}
	formals := in.Spec.Formals()
	if in.Guard == isa.NoReg {
		eachReg(in, func(i int, r isa.RegID, address bool) {
			if formals[i].Result && !address {
				live.del(r)
			}
		})
	} else {
		live.add(in.Guard)
	}
	eachReg(in, func(i int, r isa.RegID, address bool) {
		if !formals[i].Result || address {
			live.add(r)
		}
	})
}

// eachReg calls f for the registers among the operands of in: the operand's
// number, the register, and whether it is part of an address.
func eachReg(in *isa.Instr, f func(i int, r isa.RegID, address bool)) {
	for i := range in.Args {
		switch a := &in.Args[i]; a.Kind {
		case isa.RegOperand:
			f(i, a.Reg, false)
		case isa.AddrOperand:
			if a.Reg != isa.NoReg {
				f(i, a.Reg, true)
			}
		case isa.VecOperand:
			for k := range a.Elems {
				if a.Elems[k].Kind == isa.RegOperand {
					f(i, a.Elems[k].Reg, false)
				}
			}
		}
	}
}
