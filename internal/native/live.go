package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
)

// liveness says which slots are live: some path reads them before it writes them.
type liveness struct {
	f       *program.Func
	s       *slots
	in      []set      // by block: live at its start
	out     []set      // by block: live at its end
	use     [][]slotID // by PC
	def     [][]slotID
	slab    set // memory of in and out
	part    Part
	inside  []bool   // plan.inside
	carries bool     // an instruction of the function writes the carry flag, which is then live everywhere
	visits  int      // of blocks, by find
	all     set      // every slot: all are live outside of the part
	ids     []slotID // of use and def
}

// find computes which slots are live at the start and the end of each block of f that is inside the part.
func (l *liveness) find(f *program.Func, s *slots, part Part, inside []bool) {
	if l.f != f {
		l.carries = slices.ContainsFunc(f.Src.Code, func(in isa.Instr) bool { return in.Mods != nil && in.Mods[isa.CC] != 0 })
	}
	l.f, l.s, l.part, l.inside = f, s, part, inside
	blocks := f.Graph.Blocks()
	now := newSet(len(s.all))
	words := len(now)
	l.all = l.all[:0]
	for id := range s.all {
		if id%64 == 0 {
			l.all = append(l.all, 0)
		}
		if !s.all[id].fixed {
			l.all.add(slotID(id))
		}
	}
	count := 0
	for _, in := range inside {
		if in {
			count++
		}
	}
	l.in, l.out, l.slab = l.in[:0], l.out[:0], zeroed(l.slab, 2*words*count)
	rest := l.slab
	for b := range blocks {
		if !inside[b] {
			l.in, l.out = append(l.in, l.all), append(l.out, l.all)
			continue
		}
		l.in, l.out, rest = append(l.in, rest[:words]), append(l.out, rest[words:2*words]), rest[2*words:]
	}
	l.refs()
	l.solve(now)
}

// solve finds in and out, with now as scratch memory.
func (l *liveness) solve(now set) {
	blocks := l.f.Graph.Blocks()
	l.visits = 0
	for changed := true; changed; {
		changed = false
		for b := len(blocks) - 1; b >= 0; b-- {
			if !l.inside[b] {
				continue
			}
			l.visits++
			clear(now)
			if l.carries {
				now.add(l.carry())
			}
			for _, next := range blocks[b].Succ {
				for i, w := range l.in[next] {
					now[i] |= w
				}
			}
			if blocks[b].Start == len(l.f.Src.Code) { // the implicit end of the code has no instruction text
				l.before(now, len(l.f.Src.Code))
			}
			copy(l.out[b], now)
			start, end := l.part.within(&blocks[b])
			if end < blocks[b].End {
				copy(now, l.all)
			}
			for pc := end - 1; pc >= start; pc-- {
				l.before(now, pc)
			}
			if start > blocks[b].Start {
				copy(now, l.all)
			}
			if !slices.Equal(now, l.in[b]) {
				copy(l.in[b], now)
				changed = true
			}
		}
	}
}

// isEntered reports whether code may be entered at the start of block b, which the part has, or in it, because the
// instruction before is outside of the part.
func (l *liveness) isEntered(b int) bool {
	block := &l.f.Graph.Blocks()[b]
	start, _ := l.part.within(block)
	outside := func(pred int) bool {
		_, end := l.part.within(&l.f.Graph.Blocks()[pred])
		return !l.inside[pred] || end < l.f.Graph.Blocks()[pred].End
	}
	return l.part != Part{} && (start > block.Start || len(block.Pred) == 0 || slices.ContainsFunc(block.Pred, outside))
}

// refs finds the slots that each instruction reads, and those that it always writes.
func (l *liveness) refs() {
	code := l.f.Src.Code
	l.use, l.def = sized(l.use, len(code)+1), sized(l.def, len(code)+1) // those of other parts are not read
	all := l.ids[:0]
	first, end := l.part.of(l.f)
	for pc := first; pc < end; pc++ {
		start := len(all)
		reads := 0
		for _, ref := range l.f.Graph.Refs(pc) {
			id := l.s.lookup(l.f.Layout.Reg(ref.Reg))
			if id == noSlot || l.s.all[id].fixed {
				continue
			}
			if !ref.Role.Writes() {
				reads++
			} else if !ref.Sure {
				continue
			}
			all = append(all, id)
		}
		l.use[pc], l.def[pc] = all[start:start+reads:start+reads], all[start+reads:len(all):len(all)]
		if isa.Kind(l.f.Ops[pc].Kind) == isa.Return {
			l.use[pc] = append(l.use[pc], l.results()...)
		}
	}
	l.ids = all
	l.use[len(code)], l.def[len(code)] = l.results(), nil
	l.s.all[l.carry()].fixed = !l.carries
}

// carry returns the slot of the carry flag.
func (l *liveness) carry() slotID { return l.s.lookup(l.f.Layout.Carry) }

// results returns the slots of the function's return values.
func (l *liveness) results() (ids []slotID) {
	for _, r := range l.f.Src.RegsOf(l.f.Src.Returns) {
		if id := l.s.lookup(l.f.Layout.Reg(r)); id != noSlot {
			ids = append(ids, id)
		}
	}
	return ids
}

// before transforms now from the slots that are live after the instruction at pc to those live before it.
func (l *liveness) before(now set, pc int) {
	for _, id := range l.def[pc] {
		now.remove(id)
	}
	for _, id := range l.use[pc] {
		now.add(id)
	}
}
