package cost

import (
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sass"
)

// Assembled is a function's machine code as an assembler made it, assigned to the PTX instructions that it does the
// work of. It gives the order and number of machine instructions; registers, and what waits for what, remain those of
// the PTX.
type Assembled struct {
	Function string
	// Entry has the machine instructions before those of the first PTX instruction.
	Entry []Slot
	// Machine is the number of machine instructions, of which Matched stand for one of the lowering, and Unused are in
	// blocks for which the PTX has none: slow paths, and remainders of loops. The others are issued in addition.
	Machine, Matched, Unused int
	// Absent is how many machine instructions of the lowering the assembler has left out.
	Absent int

	regions map[int]*assembledRegion // by the first PC of a Region
}

// assembledRegion is the machine code of a Region.
type assembledRegion struct {
	code        []*sass.Instr // of all copies
	copies      int
	entry, exit []Slot
}

// assembling assigns machine code to the PTX of a function.
type assembling struct {
	*Assembled
	f        *isa.Func
	g        *flow.Graph
	costs    []Instr
	code     *sass.Function
	blocks   []sass.Block
	regions  []*Region
	regionAt []*Region     // by PC; nil outside of regions
	units    [][]unit      // by block of the PTX
	left     []*sass.Instr // instructions at the end of the latest match that stand for nothing
}

// unit is a machine instruction of the lowering.
type unit struct {
	pc, slot int // PC -1 is the kernel's entry
	class    isa.CostClass
}

// syncSlot is the slot of a unit that is a wait at a convergence barrier (Instr.Syncs).
const syncSlot = -1

// Assemble assigns the machine instructions of code to the PTX of f, and gives the costs that are not those of a
// Region, and the entry, their numbers.
func Assemble(f *isa.Func, g *flow.Graph, costs []Instr, entry []Slot, latencies *Latencies, code *sass.Function) *Assembled {
	a := &assembling{Assembled: &Assembled{Function: f.Name, Entry: entry, Machine: len(code.Instrs), regions: make(map[int]*assembledRegion)},
		f: f, g: g, costs: costs, code: code, blocks: code.Blocks(), regions: Regions(f, g, costs, latencies), regionAt: make([]*Region, len(costs))}
	for _, r := range a.regions {
		for pc := r.First; pc < r.End; pc++ {
			a.regionAt[pc] = r
		}
	}
	if len(f.Code) == 0 {
		a.Unused = a.Machine
		return a.Assembled
	}
	a.units = a.unitsOf(entry)
	for _, m := range a.align() {
		if r := a.loopOf(m); r != nil {
			a.assignLoop(r, m)
		} else {
			a.assign(m)
		}
	}
	a.Unused += len(a.left)
	return a.Assembled
}

// unitsOf returns the units of each block, in the order of the PTX.
func (a *assembling) unitsOf(entry []Slot) [][]unit {
	all := make([][]unit, len(a.g.Blocks()))
	for i, slot := range entry {
		all[0] = append(all[0], unit{-1, i, slot.Class})
	}
	s := scheduling{f: a.f}
	for pc := range a.costs {
		b := len(all) - 1
		if pc < len(a.f.Code) {
			b = a.g.BlockOf(pc)
		} else if pc > 0 && a.f.Code[pc-1].Guard == isa.NoReg && s.leaves(pc-1) {
			break // nothing leads to the end
		}
		if a.costs[pc].Syncs > 0 {
			all[b] = append(all[b], unit{pc, syncSlot, isa.CostWarpSync})
		}
		for i, slot := range a.costs[pc].Slots {
			all[b] = append(all[b], unit{pc, i, slot.Class})
		}
	}
	return all
}

// loopOf returns the region of the loop that blocks of the PTX are, if there is one of it and the machine code also
// has a loop; otherwise nil.
func (a *assembling) loopOf(m match) *Region {
	if m.ptxEnd-m.ptx != 1 || m.loop < 0 {
		return nil
	}
	return a.loopAt(m.ptx)
}

func (a *assembling) loopAt(b int) *Region {
	block := a.g.Blocks()[b]
	r := a.regionAt[block.Start]
	if r == nil || r.First != block.Start || !r.from.loops(r) {
		return nil
	}
	return r
}

// assignLoop assigns machine code to the region of a loop: the loop of the machine code, of some copies, and what is
// executed once before it and after it. Loops for what remains of the iterations are those of the lowering.
func (a *assembling) assignLoop(r *Region, m match) {
	to := &assembledRegion{copies: m.copies}
	a.Assembled.regions[r.First] = to
	before, after := a.left, []*sass.Instr(nil)
	a.left = nil
	for b := m.code; b < m.codeEnd; b++ {
		block := a.blocks[b]
		code := a.code.Instrs[block.Start:block.End]
		switch {
		case b == m.loop:
			branches := a.costs[r.End].Slots
			for i := range code {
				if in := &code[i]; in.Class != isa.CostBranch {
					to.code = append(to.code, in)
				}
			}
			branch := branches[len(branches)-1]
			branch.Stall = uint8(code[len(code)-1].Stall)
			a.costs[r.End].Slots = []Slot{branch}
			a.Matched++
		case a.isRemainder(code):
			a.Unused += len(code)
		case b < m.loop:
			before = append(before, pointers(code)...)
		default:
			after = append(after, pointers(code)...)
		}
	}
	to.entry, to.exit = extras(before), extras(after)
}

// pointers returns pointers to instructions.
func pointers(code []sass.Instr) (all []*sass.Instr) {
	for i := range code {
		all = append(all, &code[i])
	}
	return all
}

// isRemainder reports whether instructions are of another copy of a loop: they do what only the loop does.
func (a *assembling) isRemainder(code []sass.Instr) bool {
	return slices.ContainsFunc(code, func(in sass.Instr) bool { return weightOf(in.Work) > weightOf(isa.CostInteger) })
}

// assign assigns machine code to PTX instructions of blocks.
func (a *assembling) assign(m match) {
	var units []unit
	for b := m.ptx; b < m.ptxEnd; b++ {
		units = append(units, a.units[b]...)
	}
	code := a.left
	for b := m.code; b < m.codeEnd; b++ {
		code = append(code, pointers(a.code.Instrs[a.blocks[b].Start:a.blocks[b].End])...)
	}
	if len(units) == 0 { // slow paths
		a.Unused += len(code) - len(a.left)
		return
	}
	of := a.pair(units, code)
	a.left = nil
	owned := make(map[int][]int) // by PC: indices of its instructions in code
	owner := -2
	for i := len(code) - 1; i >= 0; i-- { // what stands for nothing belongs to the next that does
		if of[i] >= 0 {
			owner = units[of[i]].pc
		}
		if owner == -2 {
			a.left = append(a.left, code[i])
			continue
		}
		owned[owner] = append(owned[owner], i)
	}
	slices.Reverse(a.left)
	a.distribute(units, code, of, owned)
}

// distribute gives each region of a match its instructions, and each other PTX instruction its slots.
func (a *assembling) distribute(units []unit, code []*sass.Instr, of []int, owned map[int][]int) {
	regions := make(map[*Region][]int)
	for pc, indices := range owned {
		slices.Sort(indices)
		if pc >= 0 && a.regionAt[pc] != nil {
			regions[a.regionAt[pc]] = append(regions[a.regionAt[pc]], indices...)
		}
	}
	for r, indices := range regions {
		slices.Sort(indices)
		to := &assembledRegion{copies: 1}
		for _, i := range indices {
			to.code = append(to.code, code[i])
		}
		a.Assembled.regions[r.First] = to
	}
	done := make(map[int]bool)
	for _, u := range units {
		if u.pc >= 0 && a.regionAt[u.pc] != nil || done[u.pc] {
			continue
		}
		done[u.pc] = true
		matched, others := make(map[int]*sass.Instr), []*sass.Instr(nil)
		for _, i := range owned[u.pc] {
			if of[i] >= 0 {
				matched[units[of[i]].slot] = code[i]
			} else {
				others = append(others, code[i])
			}
		}
		a.setSlots(u.pc, matched, extras(others))
	}
}

// setSlots gives a PTX instruction that is in no region the slots that were matched, by index, behind others.
func (a *assembling) setSlots(pc int, matched map[int]*sass.Instr, others []Slot) {
	slots := &a.Entry
	if pc >= 0 {
		c := &a.costs[pc]
		slots = &c.Slots
		if c.Syncs > 0 && matched[syncSlot] == nil {
			c.Syncs = 0
			a.Absent++
		}
	}
	*slots = a.replace(*slots, matched, others, pc < 0 || pc < len(a.f.Code) && a.f.Code[pc].Is(isa.Compute))
	a.Matched += len(matched)
}

// replace returns others and those of the slots that are matched, by index. Unless they only compute, the last one is
// kept in any case, as are those before it if it is not matched.
func (a *Assembled) replace(slots []Slot, matched map[int]*sass.Instr, others []Slot, computes bool) []Slot {
	all, last := others, len(slots)-1
	for i, s := range slots {
		in := matched[i]
		switch {
		case in != nil:
			s.Stall = uint8(in.Stall)
			if arithmetic(s.Class) {
				s.Class = in.Class
			}
		case computes || matched[last] != nil:
			a.Absent++
			continue
		}
		all = append(all, s)
	}
	return all
}

// pair returns, for each instruction, the index of the unit that it stands for; -1 if it is none. They have the same
// class, the same line of the PTX if that is known, and the same order in each class. Copies and comparisons come first
// from such; of what remains, arithmetic of one class can stand for that of another.
func (a *assembling) pair(units []unit, code []*sass.Instr) []int {
	of := make([]int, len(code))
	for i := range of {
		of[i] = -1
	}
	taken := make([]bool, len(units))
	for _, fits := range fitting {
		for i, in := range code {
			for j, u := range units {
				if of[i] < 0 && !taken[j] && fits(a.f, in, u.pc, u.class) && mayComeFrom(a.f, in, u.pc) {
					of[i], taken[j] = j, true
				}
			}
		}
	}
	return of
}

// fitting are conditions, the strictest first, under which an instruction can stand for one of a class that the PTX
// instruction at pc of f has.
var fitting = [...]func(f *isa.Func, in *sass.Instr, pc int, of isa.CostClass) bool{
	func(f *isa.Func, in *sass.Instr, pc int, of isa.CostClass) bool {
		of = workOf(f, pc, of)
		return of == in.Work && (pc < 0 || pc >= len(f.Code) || of != isa.CostInteger || movesIn(f, pc) == in.Moves && comparesIn(f, pc) == in.Compares())
	},
	func(f *isa.Func, in *sass.Instr, pc int, of isa.CostClass) bool { return workOf(f, pc, of) == in.Work },
	func(_ *isa.Func, in *sass.Instr, _ int, of isa.CostClass) bool {
		return arithmetic(of) && arithmetic(in.Class)
	},
}

// workOf returns the class of what a slot of the PTX instruction at pc of f computes: the lowering may have given a sum
// the class of a product.
func workOf(f *isa.Func, pc int, of isa.CostClass) isa.CostClass {
	if of == isa.CostProduct && pc >= 0 && pc < len(f.Code) && f.Code[pc].Spec != nil && classOf(f, &f.Code[pc]) == isa.CostInteger {
		return isa.CostInteger
	}
	return of
}

func movesIn(f *isa.Func, pc int) bool {
	return f.Code[pc].Spec != nil && f.Code[pc].Spec.Takes(isa.AnyMove)
}

// comparesIn reports whether the result of the PTX instruction at pc of f is a predicate.
func comparesIn(f *isa.Func, pc int) bool {
	for ref := range f.Code[pc].Refs {
		if ref.Role.Writes() {
			return f.Regs[ref.Reg].Type == isa.Pred
		}
	}
	return false
}

// mayComeFrom reports whether line information allows that an instruction stands for the PTX instruction at pc of f.
func mayComeFrom(f *isa.Func, in *sass.Instr, pc int) bool {
	if pc < 0 || pc >= len(f.Code) {
		return true
	}
	ptx := &f.Code[pc]
	for _, l := range in.Lines {
		if l.File == "" {
			return l.Number == int(ptx.Pos.Line)
		}
	}
	return len(in.Lines) == 0 || ptx.Loc.Line == 0 || slices.ContainsFunc(in.Lines, func(l sass.Line) bool { return l.Number == int(ptx.Loc.Line) })
}
