package cost

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sass"
)

// follow gives the steps the machine instructions of an assembler's code, and returns the code's order of them, as far
// as dependences allow.
func (b *assembly) follow(code []*sass.Instr) []int {
	d := b.depend()
	at := b.take(code)
	for i := len(b.steps) - 1; i >= 0; i-- { // arithmetic, and what the code does not have, goes before what needs it
		st := &b.steps[i]
		if at[i] >= 0 && !arithmetic(st.Slots[len(st.Slots)-1].Class) {
			continue
		}
		if at[i] < 0 {
			at[i] = len(code)
		}
		for _, e := range d.after[i] {
			if e.latency > 0 && at[e.to] >= 0 {
				at[i] = min(at[i], at[e.to])
			}
		}
	}
	var ready, order []int
	for i := range b.steps {
		if !b.steps[i].gone && d.before[i] == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		best := 0
		for j, i := range ready {
			if k := ready[best]; at[i] < at[k] || at[i] == at[k] && i < k {
				best = j
			}
		}
		i := ready[best]
		ready = slices.Delete(ready, best, best+1)
		order = append(order, i)
		for _, e := range d.after[i] {
			if d.before[e.to]--; d.before[e.to] == 0 {
				ready = append(ready, e.to)
			}
		}
	}
	return order
}

// take gives the steps their slots, and returns for each step the index of its last instruction in code; -1 if it has
// none.
func (b *assembly) take(code []*sass.Instr) []int {
	at := make([]int, len(b.steps))
	for i := range at {
		at[i] = -1
	}
	matched, of := b.pair(code)
	others := make([][]Slot, len(b.steps))
	first, last := 0, -1 // of what stands for nothing, and the step of the instruction before it
	for k := range code {
		if i := of[k]; i >= 0 {
			others[i] = append(others[i], extras(code[first:k])...)
			at[i], last, first = k, i, k+1
		}
	}
	if last >= 0 {
		others[last] = append(others[last], extras(code[first:])...)
	}
	for i := range b.steps {
		st := &b.steps[i]
		if !st.gone && len(st.Slots) > 0 {
			st.Slots = b.assembled.replace(st.Slots, matched[i], others[i], st.in.Is(isa.Compute))
			b.assembled.Matched += len(matched[i])
		}
	}
	return at
}

// pair returns, as assembling.pair does, for each step the instructions that its slots stand for, by slot, and for each
// instruction the step; -1 if there is none.
func (b *assembly) pair(code []*sass.Instr) (matched []map[int]*sass.Instr, of []int) {
	matched, of = make([]map[int]*sass.Instr, len(b.steps)), make([]int, len(code))
	for k := range of {
		of[k] = -1
	}
	for _, fits := range fitting {
		for k, in := range code {
			if of[k] >= 0 {
				continue
			}
			i, slot := b.find(matched, in, fits)
			if i < 0 {
				continue
			}
			if matched[i] == nil {
				matched[i] = make(map[int]*sass.Instr)
			}
			matched[i][slot], of[k] = in, i
		}
	}
	return matched, of
}

// find returns the first step with a slot that an instruction can stand for, as no other does, and the index of the
// slot; -1 if there is none.
func (b *assembly) find(matched []map[int]*sass.Instr, in *sass.Instr, fits func(f *isa.Func, in *sass.Instr, pc int, of isa.CostClass) bool) (step, slot int) {
	for i := range b.steps {
		st := &b.steps[i]
		if st.gone {
			continue
		}
		for j := range st.Slots {
			if fits(b.f, in, st.PC, st.Slots[j].Class) && matched[i][j] == nil && mayComeFrom(b.f, in, st.PC) {
				return i, j
			}
		}
	}
	return -1, 0
}
