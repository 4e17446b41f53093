package cost

import (
	"cmp"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// unrolledBy is how many iterations of a loop an assembler makes one, if their number is not known.
const unrolledBy = 4

// wholeUpTo is the largest number of machine instructions that an assembler makes of a loop without a branch, if it
// knows the number of iterations. largestUnrolled is how many an iteration has at most of a loop that is unrolled
// otherwise. (ptxas 12.4 for sm_86 and sm_90 was asked about loops of 2 to 512 products and loads of shared memory. It
// unrolls all loops of up to 256 wholly, and some of up to 1024, and unrolls none with iterations of 96 or more.)
const (
	wholeUpTo       = 256
	largestUnrolled = 95
)

// unroll sets how many iterations of its loop a region has, if it is one.
func (s *scheduling) unroll(r *Region) {
	if !s.loops(r) || len(s.costs[r.End].Slots) != 1 {
		return
	}
	br := &s.f.Code[r.End]
	if !s.counts(r, br.Guard) {
		return
	}
	n, exact := s.iterations(r, br)
	if n > 1 && n*s.slots(r) <= wholeUpTo && (exact || n <= unrolledBy) {
		r.Copies, r.Whole = n, true
		return
	}
	if s.slots(r) > largestUnrolled {
		return
	}
	r.Copies = unrolledBy
	if !exact || n%unrolledBy != 0 {
		s.setRemainder(r, br)
	}
}

// loops reports whether a region and a branch behind it are a loop.
func (s *scheduling) loops(r *Region) bool {
	if r.End >= len(s.f.Code) {
		return false
	}
	block := &s.g.Blocks()[s.g.BlockOf(r.First)]
	br := &s.f.Code[r.End]
	return block.Start == r.First && block.End == r.End+1 && br.Is(isa.Branch) && br.Guard != isa.NoReg && br.Args[0].Kind == isa.LabelOperand &&
		s.f.Labels[br.Args[0].Label()].PC == r.First && len(s.costs[r.End].Slots) > 0
}

// Machine instructions around a loop that is unrolled by four: the number of iterations and the comparison that guards
// the first one before them, and comparisons with 4, 2 and 1 iterations to go, each with a convergence barrier of its
// own where lanes may leave the loop at different times (they wait at the last one after the loop anyway). The
// sequences are those of the code for programs/matmul_tiled.s (internal/gpu/testdata/h100-sxm/ncu_lines.csv).
var (
	beforeFirst   = parseSlots("2 integer > integer")
	afterFirst    = guardBranches(parseSlots("integer > integer > branch, 2 integer"))
	leftOver      = guardBranches(parseSlots("integer > integer > branch > integer > branch"))
	leftOverApart = guardBranches(parseSlots("warp_sync > integer, warp_sync, integer > branch > warp_sync > integer > branch, warp_sync"))
)

// guardBranches makes the branches of a sequence wait until the comparisons in front of them can guard.
func guardBranches(slots []Slot) []Slot {
	for i := range slots {
		if slots[i].Class == isa.CostBranch {
			slots[i-1].More += guardLatency - comparisonLatency
		}
	}
	return slots
}

// comparisonLatency is how many cycles a comparison of integers takes until another instruction can use its result as
// a value (internal/gpu/testdata/h100-sxm/instructions.csv, setp.lt.s32 + selp).
const comparisonLatency = 4

// setRemainder sets what is issued around the loop of a region. The assembler guards one iteration before the loop, so
// that a number of iterations that is divisible by four need not be.
func (s *scheduling) setRemainder(r *Region, br *isa.Instr) {
	r.Entry = slices.Clone(beforeFirst)
	var before []isa.RegID // results of the instruction before
	for pc := r.First; pc < r.End; pc++ {
		if slots := s.costs[pc].Slots; len(slots) > 0 && !isOne(&s.f.Code[pc], comparisons) {
			first := len(r.Entry)
			r.Entry = append(r.Entry, slots...)
			r.Entry[first].Waits = slices.ContainsFunc(s.costs[pc].Sources, func(r isa.RegID) bool { return slices.Contains(before, r) })
			before = s.costs[pc].Results
		}
	}
	r.Entry = append(r.Entry, afterFirst...)
	r.Exit = leftOver
	if u := flow.Uniformities(s.f)[r.End]; u != flow.Uniform {
		r.Exit = leftOverApart
	}
}

// slots returns how many machine instructions an iteration of a region has, without what a known number of iterations
// makes constant: sums of constants and comparisons.
func (s *scheduling) slots(r *Region) (n int) {
	for pc := r.First; pc < r.End; pc++ {
		if in := &s.f.Code[pc]; !isOne(in, constantSums) && !isOne(in, comparisons) {
			n += len(s.costs[pc].Slots)
		}
	}
	return n
}

// iterations returns how often the loop of a region is executed if its limit is a constant and its counter begins with
// one, or with a thread's index in a block of known size; 0 if that is not known, or not the same for all threads.
// Exact says that the counter begins with a constant.
func (s *scheduling) iterations(r *Region, br *isa.Instr) (n int, exact bool) {
	compare := s.writer(r, br.Guard)
	c, limit := &compare.Args[2], &compare.Args[3]
	holds := comparison(compare)
	if c.Kind != isa.RegOperand || limit.Kind != isa.ImmOperand || holds == nil {
		return 0, false
	}
	first, values := s.startOf(r, c.Reg)
	step := s.writer(r, c.Reg).Args[2].Bits
	from := func(first uint64) int {
		for n := 1; n <= wholeUpTo; n++ {
			if holds(first+uint64(n)*step, limit.Bits) == br.GuardNot {
				return n
			}
		}
		return 0
	}
	if n = from(first); values == 0 || from(first+values-1) != n {
		return 0, false
	}
	return n, values == 1
}

// writer returns the instruction of a region that alone writes a register there.
func (s *scheduling) writer(r *Region, id isa.RegID) *isa.Instr {
	for _, pc := range s.writesOf(id) {
		if pc >= r.First && pc < r.End {
			return &s.f.Code[pc]
		}
	}
	return nil
}

// startOf returns the least value that a counter of a region has before the loop, and how many values it may have; 0 if
// that is not known.
func (s *scheduling) startOf(r *Region, id isa.RegID) (least, values uint64) {
	outside := slices.DeleteFunc(slices.Clone(s.writesOf(id)), func(pc int) bool { return pc >= r.First && pc < r.End })
	for range 2 { // a move, or the move of a move's result
		if len(outside) != 1 {
			return 0, 0
		}
		in := &s.f.Code[outside[0]]
		if !in.Spec.Takes(isa.AnyMove) || in.Guard != isa.NoReg {
			return 0, 0
		}
		switch from := &in.Args[1]; from.Kind {
		case isa.ImmOperand:
			return from.Bits, 1
		case isa.SpecialOperand:
			return 0, uint64(s.extent(from.Special))
		case isa.RegOperand:
			outside = s.writesOf(from.Reg)
		default:
			return 0, 0
		}
	}
	return 0, 0
}

// extent returns the number of values that a thread's index in its block may have; 0 if the kernel does not say.
func (s *scheduling) extent(index isa.Special) uint32 {
	switch n := s.f.ReqNTID; index {
	case isa.TidX:
		return n.X
	case isa.TidY:
		return n.Y
	case isa.TidZ:
		return n.Z
	}
	return 0
}

// comparison returns the comparison of two 32-bit integers that an instruction makes; nil for others.
func comparison(in *isa.Instr) func(a, b uint64) bool {
	signed := in.Types[0] == isa.S32
	if !signed && in.Types[0] != isa.U32 && in.Types[0] != isa.B32 {
		return nil
	}
	order := func(a, b uint64) int {
		if signed {
			return cmp.Compare(int32(a), int32(b))
		}
		return cmp.Compare(uint32(a), uint32(b))
	}
	switch in.Mods[isa.Cmp] {
	case isa.CmpEq:
		return func(a, b uint64) bool { return order(a, b) == 0 }
	case isa.CmpNe:
		return func(a, b uint64) bool { return order(a, b) != 0 }
	case isa.CmpLt, isa.CmpLo:
		return func(a, b uint64) bool { return order(a, b) < 0 }
	case isa.CmpLe, isa.CmpLs:
		return func(a, b uint64) bool { return order(a, b) <= 0 }
	case isa.CmpGt, isa.CmpHi:
		return func(a, b uint64) bool { return order(a, b) > 0 }
	case isa.CmpGe, isa.CmpHs:
		return func(a, b uint64) bool { return order(a, b) >= 0 }
	}
	return nil
}

// counts reports whether the loop of a region ends when a counter, to which each iteration adds a constant, reaches a
// limit that the loop does not change. A guarded or atomic instruction keeps the assembler from unrolling it.
func (s *scheduling) counts(r *Region, guard isa.RegID) bool {
	written := make(map[isa.RegID][]int)
	for pc := r.First; pc < r.End; pc++ {
		in := &s.f.Code[pc]
		if in.Guard != isa.NoReg || in.Is(isa.Atomic) {
			return false
		}
		for ref := range in.Refs {
			if ref.Role.Writes() {
				written[ref.Reg] = append(written[ref.Reg], pc)
			}
		}
	}
	if len(written[guard]) != 1 {
		return false
	}
	compare := &s.f.Code[written[guard][0]]
	if !isOne(compare, comparisons) {
		return false
	}
	counters := 0
	for i := range compare.Args[2:] { // after the result, and the second one that it does not have
		a := &compare.Args[2+i]
		switch {
		case a.Kind == isa.ImmOperand:
		case a.Kind != isa.RegOperand:
			return false
		case len(written[a.Reg]) == 0: // a limit
		case len(written[a.Reg]) == 1:
			step := &s.f.Code[written[a.Reg][0]]
			if !isOne(step, constantSums) || step.Args[1].Kind != isa.RegOperand || step.Args[1].Reg != a.Reg {
				return false
			}
			counters++
		default:
			return false
		}
	}
	return counters == 1
}

var comparisons = formsOf(is(isa.OpComparison, isa.OfType(isa.U32, isa.S32, isa.B32, isa.U64, isa.S64, isa.B64), isa.Only(isa.Cmp)))

// writesOf returns the PCs that write a register.
func (s *scheduling) writesOf(r isa.RegID) []int {
	if s.writes == nil {
		s.writes = make([][]int, len(s.f.Regs))
		for pc := range s.f.Code {
			for ref := range s.f.Code[pc].Refs {
				if ref.Role.Writes() {
					s.writes[ref.Reg] = append(s.writes[ref.Reg], pc)
				}
			}
		}
	}
	return s.writes[r]
}
