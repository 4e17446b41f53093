package cost

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// Of the list scheduler.
const (
	// guardLatency is how many cycles after a comparison its result can guard an instruction (docs/cost.md, "Time").
	guardLatency = 12
	// memoryGap is how many cycles an assembler leaves between two accesses to memory (docs/hardware-measured.md, bursts).
	memoryGap = 4
	// registersAimedAt is how many registers for live values an assembler uses freely to issue loads sooner: with 32 of
	// them, an SM has room for as many warps as it can take.
	registersAimedAt = 32
)

// edge is a dependence: the step To may be issued Latency cycles after another one, or later.
type edge struct{ to, latency int }

// dependences is which steps of a body must come before which.
type dependences struct {
	after   [][]edge
	before  []int // how many steps each must come after
	heights []int // cycles from a step's issue to the end of the body, along its longest chain
}

// schedule returns the order in which an assembler issues the steps: a list schedule. In each cycle it takes the step
// with the longest chain after it of those with sources that are ready. While more registers are live than it aims
// at, it prefers steps that end the life of values.
func (b *assembly) schedule() []int {
	d := b.depend()
	p := newPressure(b)
	start := make([]int, len(b.steps))
	var ready, order []int
	waiting := 0
	for i := range b.steps {
		if b.steps[i].gone {
			continue
		}
		waiting++
		if d.before[i] == 0 {
			ready = append(ready, i)
		}
	}
	memory := 0
	for t := 0; waiting > 0; {
		best, next := -1, 1<<62
		for j, i := range ready {
			at := start[i]
			if b.steps[i].accesses() {
				at = max(at, memory)
			}
			if at > t {
				next = min(next, at)
				continue
			}
			if best < 0 || b.better(d, p, i, ready[best]) {
				best = j
			}
		}
		if best < 0 || p.full() && p.grows(ready[best]) && next < 1<<62 && b.soonShrinks(p, ready) {
			if next == 1<<62 {
				panic("simtrun bug: instructions of a region wait for each other")
			}
			t = max(t+1, next)
			continue
		}
		i := ready[best]
		ready[best] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		order = append(order, i)
		waiting--
		p.issue(i)
		if b.steps[i].accesses() {
			memory = t + memoryGap
		}
		for _, e := range d.after[i] {
			start[e.to] = max(start[e.to], t+e.latency)
			if d.before[e.to]--; d.before[e.to] == 0 {
				ready = append(ready, e.to)
			}
		}
		t += max(len(b.steps[i].Slots), 0)
	}
	return order
}

// soonShrinks reports whether a step that waits for its sources will end the life of values.
func (b *assembly) soonShrinks(p *pressure, ready []int) bool {
	for _, i := range ready {
		if !p.grows(i) {
			return true
		}
	}
	return false
}

// better reports whether an assembler takes step i before step j.
func (b *assembly) better(d *dependences, p *pressure, i, j int) bool {
	if p.full() {
		if gi, gj := p.growth(i), p.growth(j); gi != gj && (gi > 0 || gj > 0) {
			return gi < gj
		}
	}
	if d.heights[i] != d.heights[j] {
		return d.heights[i] > d.heights[j]
	}
	return i < j
}

// accesses reports whether a step accesses memory other than constants.
func (st *step) accesses() bool {
	if st.in == nil {
		return false
	}
	switch st.in.Spec.Kind {
	case isa.Load:
		space := st.in.Mods.MemSpace()
		return space != isa.Param && space != isa.Const
	case isa.Store, isa.Atomic:
		return true
	}
	return false
}

// latency returns the cycles from a step's issue until its results can be used.
func (b *assembly) latency(i int) int {
	st, cycles := &b.steps[i], 0
	for j := range st.Slots {
		if j > 0 {
			if cycles++; st.Slots[j].Waits {
				cycles += b.latencies[st.Slots[j-1].Class] - 1
			}
		}
	}
	if n := len(st.Slots); n > 0 {
		cycles += b.latencies[st.Slots[n-1].Class] + st.Slots[n-1].More
	}
	return cycles
}

// depend finds the dependences of the steps.
func (b *assembly) depend() *dependences {
	d := &dependences{after: make([][]edge, len(b.steps)), before: make([]int, len(b.steps)), heights: make([]int, len(b.steps))}
	add := func(from, to, latency int) {
		if from >= 0 && from != to {
			d.after[from] = append(d.after[from], edge{to, latency})
			d.before[to]++
		}
	}
	writer := make(map[isa.RegID]int) // of the last value
	for v, r := range b.rename {
		writer[r] = b.from[v]
	}
	carry, exchange := -1, -1
	var accesses []int
	for i := range b.steps {
		st := &b.steps[i]
		if st.gone {
			continue
		}
		for _, v := range st.Sources {
			if from, made := b.from[v]; made {
				latency := b.latency(from)
				if v == st.guard {
					latency = max(latency, guardLatency)
				}
				add(from, i, latency)
			} else if w, written := writer[isa.RegID(v)]; written && i < w { // the register has its old value until then
				add(i, w, 0)
			}
		}
		if st.in == nil {
			continue
		}
		if st.in.Spec.CarryIn || st.in.Mods[isa.CC] != 0 {
			add(carry, i, b.latencies[isa.CostInteger])
			carry = i
		}
		if exchanges(st.in) {
			add(exchange, i, 1)
			exchange = i
		}
		if st.accesses() {
			for _, j := range accesses {
				if b.mayMeet(&b.steps[j], st) {
					add(j, i, 1)
				}
			}
			accesses = append(accesses, i)
		}
	}
	b.measure(d)
	return d
}

// mayMeet reports whether the order of two accesses to memory matters: one of them writes, and they may be to the
// same place.
func (b *assembly) mayMeet(one, other *step) bool {
	if one.in.Is(isa.Load) && other.in.Is(isa.Load) {
		return false
	}
	for _, st := range [...]*step{one, other} {
		if st.in.Is(isa.Load) && st.in.Mods[isa.NC] != 0 {
			return false
		}
	}
	if x, y := one.in.Mods.MemSpace(), other.in.Mods.MemSpace(); x != y {
		return x == isa.Generic || y == isa.Generic
	}
	if one.bytes == 0 || other.bytes == 0 || one.base.root != other.base.root || one.in.Is(isa.Atomic) || other.in.Is(isa.Atomic) {
		return true
	}
	return one.base.at < other.base.at+other.bytes && other.base.at < one.base.at+one.bytes
}

// measure sets the heights. Every dependence leads to a later step, except those of a register's old value.
func (b *assembly) measure(d *dependences) {
	done := make([]bool, len(b.steps))
	var visit func(i int) int
	visit = func(i int) int {
		if !done[i] {
			done[i] = true
			h := b.endHeight(i)
			for _, e := range d.after[i] {
				h = max(h, e.latency+visit(e.to))
			}
			d.heights[i] = h
		}
		return d.heights[i]
	}
	for i := len(b.steps) - 1; i >= 0; i-- {
		visit(i)
	}
}

// endHeight returns the height of a step with results that only later code uses.
func (b *assembly) endHeight(i int) int {
	st := &b.steps[i]
	for _, v := range st.Results {
		r, last := b.rename[v]
		if !last {
			continue
		}
		if end := b.region.End; end < len(b.f.Code) && b.f.Code[end].Is(isa.Branch) && b.f.Code[end].Guard == r {
			return guardLatency
		}
	}
	if st.in == nil || st.in.Is(isa.Store) {
		return 0
	}
	return b.latency(i)
}

// pressure counts the 32-bit registers of live values while steps are issued.
type pressure struct {
	b    *assembly
	uses map[Value]int // steps that have yet to read a value
	live int
	most int // that the assembler uses freely
}

func newPressure(b *assembly) *pressure {
	p := &pressure{b: b, uses: make(map[Value]int), most: registersAimedAt}
	around := b.around(b.region.First)
	defer func() { p.live += max(0, around-p.live) }()
	p.most = max(p.most, occupancyStep(around))
	for i := range b.steps {
		st := &b.steps[i]
		if st.gone {
			continue
		}
		for _, v := range st.Sources {
			if _, made := b.from[v]; !made && p.uses[v] == 0 {
				p.live += b.words(v, st)
			}
			p.uses[v]++
		}
	}
	return p
}

// occupancySteps are the numbers of registers beyond which an SM has room for fewer warps.
var occupancySteps = []int{32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255}

// occupancyStep returns the first of occupancySteps above a number of live registers.
func occupancyStep(live int) int {
	for _, n := range occupancySteps {
		if n > live {
			return n
		}
	}
	return live
}

// words returns how many registers of 32 bits a value takes.
func (b *assembly) words(v Value, of *step) int {
	if r := isa.RegID(v); int(v) < len(b.f.Regs) {
		return (b.f.Regs[r].Type.Bits() + 31) / 32 * boolInt(b.f.Regs[r].Type != isa.Pred)
	}
	if v == Carry(b.f) {
		return 0
	}
	from := &b.steps[b.from[v]]
	if from.in == nil {
		return 0 // a copy
	}
	for i, r := range from.Results {
		if r == v && i < len(b.costs[from.PC].Results) {
			t := b.f.Regs[b.costs[from.PC].Results[i]].Type
			return (t.Bits() + 31) / 32 * boolInt(t != isa.Pred)
		}
	}
	return 1
}

func boolInt(is bool) int {
	if is {
		return 1
	}
	return 0
}

// around returns how many registers of 32 bits are live before the instruction at pc.
func (s *scheduling) around(pc int) int {
	if s.pressures == nil {
		s.pressures = s.g.Live(s.f, s.constants())
	}
	return s.pressures[pc]
}

// constants returns the registers that only ever hold constants, for which machine code needs no register: what loads
// of a kernel's parameters and moves that cost nothing make of each other.
func (s *scheduling) constants() []bool {
	free := make([]bool, len(s.f.Regs))
	for r := range free {
		free[r] = len(s.writesOf(isa.RegID(r))) > 0
	}
	for changed := true; changed; {
		changed = false
		for r := range free {
			for _, pc := range s.writesOf(isa.RegID(r)) {
				c := &s.costs[pc]
				if free[r] && (len(c.Slots) > 0 && c.Slots[0].Constant == 0 || slices.ContainsFunc(c.Sources, func(from isa.RegID) bool { return !free[from] })) {
					free[r], changed = false, true
				}
			}
		}
	}
	return free
}

// full reports whether as many registers are live as the assembler uses freely.
func (p *pressure) full() bool { return p.live >= p.most }

// growth returns how many more registers are live after a step.
func (p *pressure) growth(i int) (words int) {
	st := &p.b.steps[i]
	for _, v := range st.Results {
		words += p.b.words(v, st)
	}
	for _, v := range st.Sources {
		if p.ends(v) {
			words -= p.b.words(v, st)
		}
	}
	return words
}

func (p *pressure) grows(i int) bool { return p.growth(i) > 0 }

// ends reports whether the next step that reads a value is the last to do so.
func (p *pressure) ends(v Value) bool {
	if p.uses[v] != 1 {
		return false
	}
	if _, made := p.b.from[v]; made {
		_, last := p.b.rename[v]
		return !last
	}
	if int(v) >= len(p.b.f.Regs) {
		return true
	}
	_, changed := p.b.now[isa.RegID(v)]
	return changed || !p.b.live[v]
}

// issue counts a step as issued.
func (p *pressure) issue(i int) {
	p.live += p.growth(i)
	for _, v := range p.b.steps[i].Sources {
		p.uses[v]--
	}
}
