package cost

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// body makes the body of some iterations of a region.
func (s *scheduling) body(r *Region, copies int) *Body {
	b := &assembly{scheduling: s, region: r, copies: copies, now: make(map[isa.RegID][]Value), next: Carry(s.f) + 1,
		from: make(map[Value]int), place: make(map[Value]place), live: s.liveAfter(r, copies)}
	for c := range copies {
		for pc := r.First; pc < r.End; pc++ {
			b.add(pc, c)
		}
	}
	b.finish()
	if copies > 1 {
		b.removeUnused()
	}
	b.joinLoads()
	if code := s.codeOf(r); code != nil && code.copies == copies && r.Copies == copies {
		return b.emit(b.follow(code.code))
	}
	return b.emit(b.schedule())
}

// assembly makes a Body: machine instructions in the order of the PTX, with every value in a temporary of its own,
// which are then put in order.
type assembly struct {
	*scheduling
	region *Region
	copies int
	live   []bool // registers that code after the region may read

	steps  []step
	now    map[isa.RegID][]Value // the present values of registers, if they are not those before the body
	next   Value                 // temporary
	from   map[Value]int         // the step that makes a temporary
	place  map[Value]place       // values that are sums of another one and a constant
	rename map[Value]isa.RegID   // temporaries that are the last values of registers
}

// place is a value and a distance from it.
type place struct {
	root Value
	at   int64
}

// step is a Step with what its order depends on.
type step struct {
	Step
	in    *isa.Instr // nil for a copy of values
	guard Value      // of the sources, the one that guards it; -1 if none
	// root is the value in Sources that stands for folded, which is root and a constant; -1 if there is none.
	root, folded Value
	base         place // of its address in memory
	bytes        int64 // that a lane accesses there; 0 if that is not known
	gone         bool  // nothing needs it
}

// valuesOf returns the present values of registers, without duplicates.
func (b *assembly) valuesOf(regs []isa.RegID) (vs []Value) {
	for _, r := range regs {
		for _, v := range b.valueOf(r) {
			if !slices.Contains(vs, v) {
				vs = append(vs, v)
			}
		}
	}
	return vs
}

func (b *assembly) valueOf(r isa.RegID) []Value {
	if vs, known := b.now[r]; known {
		return vs
	}
	return []Value{Value(r)}
}

// add adds the machine instructions of the PTX instruction at pc in iteration c.
func (b *assembly) add(pc, c int) {
	in, cost := &b.f.Code[pc], &b.costs[pc]
	sources := b.valuesOf(cost.Sources)
	if in.Guard != isa.NoReg { // lanes for which the guard is false keep the old value
		for _, v := range b.valuesOf(cost.Results) {
			if !slices.Contains(sources, v) {
				sources = append(sources, v)
			}
		}
	}
	if len(cost.Slots) == 0 {
		for _, r := range cost.Results {
			b.now[r] = sources
		}
		return
	}
	st := step{Step: Step{PC: pc, Copy: c, Slots: cost.Slots, Sources: sources}, in: in, guard: -1, root: -1}
	if cost.Guard != isa.NoReg {
		if vs := b.valueOf(cost.Guard); len(vs) == 1 {
			st.guard = vs[0]
			st.Guarded, st.Guard = true, vs[0]
		}
	}
	b.locate(&st, cost)
	sum, isSum := b.sum(in, cost)
	if isSum {
		st.fold(sources[0], sum.root, b.copies)
	}
	for _, r := range cost.Results {
		v := b.next
		b.next++
		st.Results = append(st.Results, v)
		b.now[r] = []Value{v}
		b.from[v] = len(b.steps)
		if isSum {
			b.place[v] = sum
		}
	}
	b.steps = append(b.steps, st)
}

// sum returns the result of an addition of a constant to a register as a place.
func (b *assembly) sum(in *isa.Instr, cost *Instr) (place, bool) {
	if in.Guard != isa.NoReg || len(cost.Results) != 1 || len(cost.Sources) != 1 || !isOne(in, constantSums) || in.Args[1].Kind != isa.RegOperand || in.Args[1].Reg != cost.Sources[0] {
		return place{}, false
	}
	p, ok := b.placeOf(in.Args[1].Reg)
	p.at += int64(in.Args[2].Bits)
	return p, ok
}

var constantSums = formsOf(is(isa.OpSum, exactly(isa.U32, isa.S32, isa.U64, isa.S64, isa.B32, isa.B64), isa.Constant(2)))

// placeOf returns the value of a register as a place.
func (b *assembly) placeOf(r isa.RegID) (place, bool) {
	vs := b.valueOf(r)
	if len(vs) != 1 {
		return place{}, false
	}
	if p, known := b.place[vs[0]]; known {
		return p, true
	}
	return place{root: vs[0]}, true
}

// locate sets where a step accesses memory, and takes a sum in its address into its constant offset.
func (b *assembly) locate(st *step, cost *Instr) {
	in := st.in
	if !in.Is(isa.Load) && !in.Is(isa.Store) && !in.Is(isa.Atomic) {
		return
	}
	for i := range in.Args {
		a := &in.Args[i]
		if a.Kind != isa.AddrOperand {
			continue
		}
		st.bytes = int64(in.Types[0].Bytes() * in.Mods.VecLen())
		if a.Reg == isa.NoReg || a.Sym != "" || !slices.Contains(cost.Sources, a.Reg) {
			st.bytes, st.base.root = 0, -1
			return
		}
		p, ok := b.placeOf(a.Reg)
		if !ok {
			st.bytes, st.base.root = 0, -1
			return
		}
		st.base = place{p.root, p.at + int64(a.Bits)}
		st.fold(b.valueOf(a.Reg)[0], p.root, b.copies)
		return
	}
}

// fold makes a step read root in place of old, which is root and a constant, so that it does not wait for old. An
// assembler does so among the iterations of a loop.
func (st *step) fold(old, root Value, copies int) {
	if copies == 1 || old == root {
		return
	}
	st.Sources = slices.DeleteFunc(slices.Clone(st.Sources), func(v Value) bool { return v == old })
	if !slices.Contains(st.Sources, root) {
		st.Sources = append(st.Sources, root)
	}
	st.root, st.folded = root, old
}

// unfold makes a step read what its PTX reads.
func (st *step) unfold() {
	st.Sources = slices.DeleteFunc(st.Sources, func(v Value) bool { return v == st.root })
	st.Sources = append(st.Sources, st.folded)
	st.root = -1
}

// finish makes the last values of registers that are live after the body theirs.
func (b *assembly) finish() {
	b.rename = make(map[Value]isa.RegID)
	regs := make([]isa.RegID, 0, len(b.now))
	for r := range b.now {
		if b.live[r] {
			regs = append(regs, r)
		}
	}
	slices.Sort(regs)
	var copied []isa.RegID
	for _, r := range regs {
		vs := b.now[r]
		if len(vs) == 1 {
			if at, made := b.from[vs[0]]; made && slices.Contains(b.costs[b.steps[at].PC].Results, r) {
				b.rename[vs[0]] = r
				continue
			}
		}
		copied = append(copied, r)
	}
	b.addCopies(copied)
	for i := range b.steps { // the last value has the place of the first one
		if st := &b.steps[i]; st.root >= 0 {
			if _, last := b.rename[st.folded]; last {
				st.unfold()
			}
		}
	}
}

// addCopies adds steps that copy values to registers. Those of values that are there before the body come first, so
// that the registers with these may be written again.
func (b *assembly) addCopies(regs []isa.RegID) {
	var before, after []step
	for _, r := range regs {
		vs := b.now[r]
		if len(vs) == 1 && vs[0] == Value(r) {
			continue
		}
		v := b.next
		b.next++
		b.rename[v] = r
		st := step{Step: Step{PC: b.region.End - 1, Copy: b.copies - 1, Sources: vs, Results: []Value{v}}, guard: -1, root: -1}
		if slices.ContainsFunc(vs, func(v Value) bool { _, made := b.from[v]; return made }) {
			after = append(after, st)
		} else {
			before = append(before, st)
		}
	}
	b.steps = slices.Concat(before, b.steps, after)
	for i := range b.steps {
		for _, v := range b.steps[i].Results {
			b.from[v] = i
		}
	}
}

// removeUnused removes computations with results that nothing reads: comparisons that would leave the loop between
// two iterations of a body, and sums that are part of addresses.
func (b *assembly) removeUnused() {
	used := make(map[Value]bool)
	for i := len(b.steps) - 1; i >= 0; i-- {
		st := &b.steps[i]
		st.gone = st.in != nil && st.in.Is(isa.Compute) && !slices.ContainsFunc(st.Results, func(v Value) bool {
			_, last := b.rename[v]
			return last || used[v]
		})
		if st.gone {
			continue
		}
		for _, v := range st.Sources {
			used[v] = true
		}
	}
}

// emit returns the steps in an order, with the registers' own values in place of temporaries, and renumbers the
// others.
func (b *assembly) emit(order []int) *Body {
	body := &Body{Copies: b.copies}
	carry := Carry(b.f)
	numbers := make(map[Value]Value)
	number := func(v Value) Value {
		if r, last := b.rename[v]; last {
			return Value(r)
		}
		if v <= carry {
			return v
		}
		n, known := numbers[v]
		if !known {
			n = carry + 1 + Value(len(numbers))
			numbers[v] = n
		}
		return n
	}
	for _, i := range order {
		st := b.steps[i].Step
		st.Sources, st.Results = slices.Clone(st.Sources), slices.Clone(st.Results)
		for j, v := range st.Sources {
			st.Sources[j] = number(v)
		}
		for j, v := range st.Results {
			st.Results[j] = number(v)
		}
		if st.Guarded {
			st.Guard = number(st.Guard)
		}
		body.Steps = append(body.Steps, st)
	}
	body.Temporaries = len(numbers)
	return body
}
