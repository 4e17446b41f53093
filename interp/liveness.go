package interp

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
)

// unsetRegs are the registers that are live where fn starts: those that some
// path reads before it writes them. They must start with a known value, or a
// run would depend on the CTA that used the warp's registers before.
//
// Only a register that some block reads before it writes it can be among them.
// These are handled 64 at a time, so that memory is linear in the code.
func unsetRegs(fn *isa.Func, flow *divergence.Flow) []isa.RegID {
	blocks := flow.Blocks()
	reads, writes := make([][]isa.RegID, len(blocks)), make([][]isa.RegID, len(blocks))
	number := make([]int, len(fn.Regs)) // from 1, of those that a block reads first
	var candidates []isa.RegID
	for b := range blocks {
		reads[b], writes[b] = exposed(fn, &blocks[b])
		for _, r := range reads[b] {
			if number[r] == 0 {
				candidates = append(candidates, r)
				number[r] = len(candidates)
			}
		}
	}
	var unset []isa.RegID
	gen, kill, live := make([]uint64, len(blocks)), make([]uint64, len(blocks)), make([]uint64, len(blocks))
	for first := 0; first < len(candidates); first += 64 {
		bit := func(r isa.RegID) uint64 {
			if n := number[r] - 1; n >= first && n < first+64 {
				return 1 << (n - first)
			}
			return 0
		}
		for b := range blocks {
			gen[b], kill[b], live[b] = union(reads[b], bit), union(writes[b], bit), 0
		}
		solve(blocks, gen, kill, live)
		for in := live[0]; in != 0; in &= in - 1 {
			unset = append(unset, candidates[first+bits.TrailingZeros64(in)])
		}
	}
	slices.Sort(unset)
	return unset
}

func union(regs []isa.RegID, bit func(isa.RegID) uint64) (set uint64) {
	for _, r := range regs {
		set |= bit(r)
	}
	return set
}

// solve fills live with what is live where each block starts: what it reads
// first (gen), and what its successors need and it does not write (kill).
func solve(blocks []divergence.Block, gen, kill, live []uint64) {
	for changed := true; changed; {
		changed = false
		for b := len(blocks) - 1; b >= 0; b-- {
			in := uint64(0)
			for _, s := range blocks[b].Succ {
				in |= live[s]
			}
			in = in&^kill[b] | gen[b]
			changed = changed || in != live[b]
			live[b] = in
		}
	}
}

// exposed are the registers that a block reads before it writes them, and those
// that it writes whatever happens: a guarded instruction may leave its results
// as they were.
func exposed(fn *isa.Func, block *divergence.Block) (reads, writes []isa.RegID) {
	written, seen := make(map[isa.RegID]bool), make(map[isa.RegID]bool)
	read := func(r isa.RegID) {
		if !written[r] && !seen[r] {
			seen[r] = true
			reads = append(reads, r)
		}
	}
	for pc := block.Start; pc < block.End; pc++ {
		in := &fn.Code[pc]
		if in.Spec == nil {
			continue
		}
		formals := in.Spec.Formals()
		result := func(i int, address bool) bool { return i < len(formals) && formals[i].Result && !address }
		if in.Guard != isa.NoReg {
			read(in.Guard)
		}
		eachReg(in, func(i int, r isa.RegID, address bool) {
			if !result(i, address) {
				read(r)
			}
		})
		eachReg(in, func(i int, r isa.RegID, address bool) {
			if result(i, address) && in.Guard == isa.NoReg && !written[r] {
				written[r] = true
				writes = append(writes, r)
			}
		})
		if in.Call != nil {
			for _, a := range in.Call.Args {
				if a.Kind == isa.RegOperand {
					read(a.Reg)
				}
			}
		}
	}
	return reads, writes
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
