package cost

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
)

// unlimited is the alignment of 0, as the number of its trailing zero bits.
const unlimited = 64

// sharedAlign is the alignment of a CTA's shared memory, as a number of trailing zero bits.
const sharedAlign = 10

// alignments returns by register how many low bits of all its values are 0, as far as the operations that make them
// say.
func (s *scheduling) alignments() []int {
	if s.aligned != nil {
		return s.aligned
	}
	s.aligned = make([]int, len(s.f.Regs))
	for r := range s.aligned {
		if len(s.writesOf(isa.RegID(r))) > 0 {
			s.aligned[r] = unlimited
		}
	}
	for changed := true; changed; {
		changed = false
		for pc := range s.f.Code {
			in := &s.f.Code[pc]
			zeros := s.zerosOf(in)
			for ref := range in.Refs {
				if ref.Role.Writes() && zeros < s.aligned[ref.Reg] {
					s.aligned[ref.Reg], changed = zeros, true
				}
			}
		}
	}
	return s.aligned
}

// zerosOf returns how many low bits of an instruction's result are 0.
func (s *scheduling) zerosOf(in *isa.Instr) int {
	if in.Later != "" || in.Spec == nil || len(in.Args) < 2 || in.Args[0].Kind != isa.RegOperand {
		return 0
	}
	zeros := func(i int) int { return s.zeros(&in.Args[i]) }
	if sum := in.Sum(); sum.Bits > 0 {
		least, product := unlimited, 0
		for _, i := range sum.Of {
			if i > 0 {
				least = min(least, zeros(i))
			}
		}
		for _, i := range sum.By {
			if i > 0 {
				product += zeros(i)
			}
		}
		if sum.By != [2]int{} {
			least = min(least, product)
		}
		return least
	}
	switch in.Arith() {
	case isa.ArithCopy, isa.ArithNegative:
		return zeros(1)
	case isa.ArithProduct:
		n := zeros(1) + zeros(2)
		if len(in.Args) > 3 {
			n = min(n, zeros(3))
		}
		return min(n, unlimited)
	case isa.ArithShiftLeft:
		if in.Args[2].Kind == isa.ImmOperand {
			return min(zeros(1)+int(min(in.Args[2].Bits, unlimited)), unlimited)
		}
		return zeros(1)
	case isa.ArithAnd:
		return max(zeros(1), zeros(2))
	case isa.ArithOr:
		return min(zeros(1), zeros(2))
	}
	if in.Spec.Takes(isa.AnyMove) && len(in.Args[0].Elems) == 0 {
		return zeros(1)
	}
	return 0
}

// zeros returns how many low bits of an operand are 0.
func (s *scheduling) zeros(a *isa.Operand) int {
	switch a.Kind {
	case isa.ImmOperand:
		return min(bits.TrailingZeros64(a.Bits), unlimited)
	case isa.RegOperand:
		if a.Neg || a.Not {
			return 0
		}
		return s.aligned[a.Reg]
	case isa.SymOperand:
		return min(s.symbolAlign(a.Sym), bits.TrailingZeros64(a.Bits))
	}
	return 0
}

// symbolAlign returns the alignment of the place that an assembler gives a shared variable of the function: variables
// follow each other.
func (s *scheduling) symbolAlign(name string) int {
	at := int64(0)
	for _, v := range s.f.Vars {
		if v.Space != isa.Shared {
			continue
		}
		align := int64(max(v.Align, 1))
		at = (at + align - 1) &^ (align - 1)
		if v.Name == name {
			return min(bits.TrailingZeros64(uint64(at)), sharedAlign)
		}
		at += v.Size()
	}
	return 0
}

// widestLoad is the largest number of bytes that a lane loads with one machine instruction.
const widestLoad = 16

// joinLoads makes one machine instruction of adjacent loads of shared memory, if its address is a multiple of what a
// lane then loads. Loads of global memory are left as the PTX has them.
func (b *assembly) joinLoads() {
	type place struct {
		root  Value
		bytes int64
	}
	var groups [][]int
	of := make(map[place]int)
	for i := range b.steps {
		st := &b.steps[i]
		if st.gone || st.in == nil {
			continue
		}
		if !st.in.Is(isa.Load) {
			if st.accesses() { // no load moves beyond it
				clear(of)
			}
			continue
		}
		if st.in.Mods.MemSpace() != isa.Shared || st.in.Guard != isa.NoReg || st.bytes < 4 || st.bytes >= widestLoad || st.base.root < 0 || len(st.Results) == 0 {
			continue
		}
		at := place{st.base.root, st.bytes}
		if _, known := of[at]; !known {
			of[at] = len(groups)
			groups = append(groups, nil)
		}
		groups[of[at]] = append(groups[of[at]], i)
	}
	for _, g := range groups {
		b.join(g)
	}
}

// join joins loads of as many bytes each and with the same register in their addresses.
func (b *assembly) join(loads []int) {
	sorted.Stable(loads, func(i, j int) int { return int(b.steps[i].base.at - b.steps[j].base.at) })
	for len(loads) > 1 {
		n := b.joinable(loads)
		if n > 1 {
			first := slices.Min(loads[:n])
			into := &b.steps[first]
			lowest := b.steps[loads[0]]
			into.base = lowest.base
			into.bytes *= int64(n)
			into.Lowest = Access{lowest.PC, lowest.Copy}
			into.Joined = n
			for _, i := range loads[:n] {
				if i != first {
					st := &b.steps[i]
					st.gone = true
					into.Results = append(slices.Clip(into.Results), st.Results...)
					for _, v := range st.Results {
						b.from[v] = first
					}
				}
			}
		}
		loads = loads[max(n, 1):]
	}
}

// joinable returns how many of the loads, which are sorted by address, one machine instruction can do.
func (b *assembly) joinable(loads []int) int {
	first := &b.steps[loads[0]]
	aligned := min(b.alignOf(first.base.root), bits.TrailingZeros64(uint64(first.base.at)))
	for n := int(widestLoad / first.bytes); n > 1; n /= 2 {
		if len(loads) < n || aligned < bits.TrailingZeros64(uint64(first.bytes)*uint64(n)) {
			continue
		}
		together := true
		for k, i := range loads[:n] {
			st := &b.steps[i]
			together = together && st.base.at == first.base.at+int64(k)*first.bytes && st.Copy == first.Copy
		}
		if together {
			return n
		}
	}
	return 1
}

// alignOf returns how many low bits of a value are 0.
func (b *assembly) alignOf(v Value) int {
	if int(v) < len(b.f.Regs) {
		return b.alignments()[v]
	}
	st := &b.steps[b.from[v]]
	if st.in == nil {
		return 0
	}
	for i, r := range st.Results {
		if results := b.costs[st.PC].Results; r == v && i < len(results) {
			return b.alignments()[results[i]]
		}
	}
	return 0
}
