package cost

import (
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// Latencies are the cycles from the issue of a machine instruction until its result can be used, by class, as an
// assembler expects them.
type Latencies [isa.NumCostClasses]int

// Value identifies a value in a Body: that of a register before the body or after it, the carry, or a temporary.
type Value int32

// Values of a function with n registers: 0 to n-1 are those of the registers by isa.RegID, n is the carry, and
// temporaries follow.

// Carry returns the Value of the carry in f.
func Carry(f *isa.Func) Value { return Value(len(f.Regs)) }

// Region is PTX instructions without branches, fences or anything else that an assembler leaves in place, which it
// reorders. A region has at least two of them, and lies in one basic block.
//
// The GPU executes a region's machine instructions in the order of a Body. Their results are those of the PTX
// instructions in the order of the text, because the Body keeps every dependence.
type Region struct {
	First, End int // PCs of its instructions: First up to, but not including, End
	// Exchanges says that lanes exchange values in it, so that all lanes of the warp must be together.
	Exchanges bool
	// Copies is how many iterations of a loop that consists of the region and the branch at End the assembler makes one
	// Body of; 1 if it is not such a loop. Whole says that it then leaves out the branch, because the loop has exactly so
	// many iterations.
	Copies int
	Whole  bool
	// Entry and Exit are the machine instructions that a warp issues before the first iteration of the loop and after
	// the last one: the assembler's code that finds out how many iterations are left over.
	Entry, Exit []Slot

	bodies []*Body // by copies-1; nil if not made yet
	from   *scheduling
}

// Body is the machine instructions of a region, or of some iterations of its loop.
type Body struct {
	Copies int
	Steps  []Step
	// Temporaries is the number of temporaries.
	Temporaries int
}

// Step is a machine instruction or a sequence of them, for one PTX instruction.
type Step struct {
	PC, Copy int // of the PTX instruction, and of the iteration, from 0
	// Slots are the machine instructions; none for a copy of values, which takes no time.
	Slots            []Slot
	Sources, Results []Value
	// Guard is the predicate that guards the step, if Guarded: it is among the sources.
	Guarded bool
	Guard   Value
	// Joined is how many loads a machine instruction is made of, which together read more consecutive bytes; 0 if it is
	// not. Lowest is the one with the lowest address.
	Joined int
	Lowest Access
}

// Access is a PTX instruction that accesses memory, in an iteration.
type Access struct{ PC, Copy int }

// Regions returns the regions of f, which has graph g and costs, in the order of their PCs.
func Regions(f *isa.Func, g *flow.Graph, costs []Instr, latencies *Latencies) []*Region {
	return (*Assembled)(nil).Regions(f, g, costs, latencies)
}

// Regions returns the regions of a function, with the machine code that a gives them. A nil a gives them none.
func (a *Assembled) Regions(f *isa.Func, g *flow.Graph, costs []Instr, latencies *Latencies) []*Region {
	s := &scheduling{f: f, g: g, costs: costs, latencies: latencies, assembled: a}
	s.live = s.liveOut()
	var all []*Region
	for b := range g.Blocks() {
		all = s.appendRegions(all, b)
	}
	return all
}

// Body returns the body for some copies, from 1 to r.Copies.
func (r *Region) Body(copies int) *Body {
	if len(r.bodies) < r.Copies {
		r.bodies = make([]*Body, r.Copies)
	}
	if r.bodies[copies-1] == nil {
		r.bodies[copies-1] = r.from.body(r, copies)
	}
	return r.bodies[copies-1]
}

// scheduling makes the regions of a function.
type scheduling struct {
	f         *isa.Func
	g         *flow.Graph
	costs     []Instr
	latencies *Latencies
	assembled *Assembled // nil if the code is the lowering's
	live      []bool     // registers that may be read outside of the block that writes them
	// by register: the PCs that write it, and that read it; nil if not needed yet
	writes, readers [][]int
	pressures       []int // by PC; nil if not needed yet
	aligned         []int // by register, see alignments; nil if not needed yet
}

// longest is the largest number of PTX instructions in a region. It bounds the time that making a Body takes.
const longest = 1000

// appendRegions appends the regions of block b.
func (s *scheduling) appendRegions(all []*Region, b int) []*Region {
	block := &s.g.Blocks()[b]
	end := min(block.End, len(s.f.Code))
	if end > block.Start && !s.leaves(end-1) {
		end-- // lanes may wait for others at the next block: the last instruction is executed when it is issued
	}
	for first := block.Start; first < end; {
		if !s.movable(first) {
			first++
			continue
		}
		last := first + 1
		for last < end && last-first < longest && s.movable(last) {
			last++
		}
		if r := s.region(first, last); r != nil {
			all = append(all, r)
		}
		first = last
	}
	return all
}

// region returns a region of the instructions from first up to, but not including, end; nil if fewer than two of them
// take time.
func (s *scheduling) region(first, end int) *Region {
	r := &Region{First: first, End: end, Copies: 1, from: s}
	steps := 0
	for pc := first; pc < end; pc++ {
		if len(s.costs[pc].Slots) > 0 {
			steps++
		}
		r.Exchanges = r.Exchanges || exchanges(&s.f.Code[pc])
	}
	if steps < 2 {
		return nil
	}
	s.unroll(r)
	if code := s.codeOf(r); code != nil && !(r.Whole && code.copies == 1) {
		r.Copies, r.Whole, r.Entry, r.Exit = code.copies, false, code.entry, code.exit
	}
	return r
}

// codeOf returns an assembler's code for a region; nil if there is none.
func (s *scheduling) codeOf(r *Region) *assembledRegion {
	if s.assembled == nil {
		return nil
	}
	return s.assembled.regions[r.First]
}

// leaves reports whether the instruction at pc, the last of a block, is a branch or another one after which lanes do
// not simply continue with the next block.
func (s *scheduling) leaves(pc int) bool {
	in := &s.f.Code[pc]
	return in.Later != "" || in.Is(isa.Branch) || in.Is(isa.Return) || in.Is(isa.Exit) || in.Is(isa.Trap) || in.Is(isa.CallKind)
}

// movable reports whether an assembler may issue the instruction at pc before those in front of it.
func (s *scheduling) movable(pc int) bool {
	in, c := &s.f.Code[pc], &s.costs[pc]
	if in.Later != "" || in.Spec == nil || in.Call != nil || c.Syncs > 0 || in.Mods[isa.Sem] > isa.SemWeak || in.MbarrierOp() != 0 {
		return false
	}
	if in.Spec.Accumulates != nil && in.Spec.Accumulates(in) || reads(in, isa.Special.IsClock) {
		return false
	}
	for i := range in.Args {
		if k := in.Args[i].Kind; k == isa.ImageOperand || k == isa.LabelOperand {
			return false
		}
	}
	for _, slot := range c.Slots {
		if slot.Class == isa.CostWarpSync {
			return false
		}
	}
	switch space := in.Mods.MemSpace(); in.Spec.Kind {
	case isa.Compute:
		return true
	case isa.Shuffle, isa.Vote:
		return in.Mods[isa.Sync] == 0 || in.Guard == isa.NoReg && namesAll(in)
	case isa.Load:
		return space != isa.SharedCluster && (space != isa.Param || s.f.Entry)
	case isa.Store:
		return space != isa.SharedCluster && space != isa.Param
	case isa.Atomic:
		return space == isa.Shared
	}
	return false
}

// namesAll reports whether an exchange is one of all lanes of a warp, as far as is known: others may wait for lanes
// that do not execute it.
func namesAll(in *isa.Instr) bool {
	members := &in.Args[len(in.Args)-1]
	return members.Kind == isa.ImmOperand && uint32(members.Bits) == 1<<32-1
}

// exchanges reports whether lanes of a warp exchange values in an instruction.
func exchanges(in *isa.Instr) bool { return in.Is(isa.Shuffle) || in.Is(isa.Vote) }

// liveOut returns by register whether another block than the one that writes it may read its value, or a later
// iteration of the block, or a caller.
func (s *scheduling) liveOut() []bool {
	live := make([]bool, len(s.f.Regs))
	for _, r := range s.f.RegsOf(s.f.Returns) {
		live[r] = true
	}
	written := make([]int, len(s.f.Regs)) // number of the block, from 1
	for b, block := range s.g.Blocks() {
		for pc := block.Start; pc < min(block.End, len(s.f.Code)); pc++ {
			for r := range s.reads(pc) {
				live[r] = live[r] || written[r] != b+1
			}
			for ref := range s.f.Code[pc].Refs {
				if ref.Sure && ref.Role.Writes() {
					written[ref.Reg] = b + 1
				}
			}
		}
	}
	return live
}

// reads yields the registers that the instruction at pc reads, in the PTX or as it is lowered: instructions of a
// guarded arm wait for its predicate.
func (s *scheduling) reads(pc int) func(yield func(isa.RegID) bool) {
	return func(yield func(isa.RegID) bool) {
		for ref := range s.f.Code[pc].Refs {
			if !ref.Role.Writes() && !yield(ref.Reg) {
				return
			}
		}
		for _, r := range s.costs[pc].Sources {
			if !yield(r) {
				return
			}
		}
	}
}

// readOutside reports whether code outside the loop of a region reads a register.
func (s *scheduling) readOutside(r *Region, id isa.RegID) bool {
	if slices.Contains(s.f.RegsOf(s.f.Returns), id) {
		return true
	}
	if s.readers == nil {
		s.readers = make([][]int, len(s.f.Regs))
		for pc := range s.f.Code {
			for read := range s.reads(pc) {
				s.readers[read] = append(s.readers[read], pc)
			}
		}
	}
	return slices.ContainsFunc(s.readers[id], func(pc int) bool { return pc < r.First || pc > r.End })
}

// readForItself reports whether only instructions that write a register read it, and no other: as in chains that are
// there for their time. readOutside must have been called.
func (s *scheduling) readForItself(id isa.RegID) bool {
	return len(s.readers[id]) > 0 && !slices.ContainsFunc(s.readers[id], func(pc int) bool {
		return !slices.Equal(s.costs[pc].Results, []isa.RegID{id})
	})
}

// liveAfter returns by register whether code after some copies of a region may read its value.
func (s *scheduling) liveAfter(r *Region, copies int) []bool {
	live := slices.Clone(s.live)
	if r.Whole && copies == r.Copies {
		for id := range live {
			live[id] = live[id] && (s.readOutside(r, isa.RegID(id)) || s.readForItself(isa.RegID(id)))
		}
		return live
	}
	for pc := r.End; pc < min(s.g.Blocks()[s.g.BlockOf(r.First)].End, len(s.f.Code)); pc++ {
		for id := range s.reads(pc) {
			live[id] = true
		}
	}
	return live
}
