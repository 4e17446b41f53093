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
	in      []set    // by block: live at its start
	out     []set    // by block: live at its end
	refsAt  []refsAt // by PC of the part, from its first one, and for the end of the code
	slab    set      // memory of in and out
	part    Part
	inside  []bool   // plan.inside
	carries bool     // an instruction of the function writes the carry flag, which is then live everywhere
	visits  int      // of blocks, by find
	all     set      // every slot: all are live outside of the part
	ids     []slotID // see refsAt
}

// refsAt says where the slots that an instruction reads are in ids, and behind them those that it always writes.
type refsAt struct{ uses, defs, end int32 }

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
	l.findRefs()
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

// findRefs finds the slots that each instruction reads, and those that it always writes.
func (l *liveness) findRefs() {
	first, end := l.part.of(l.f)
	l.refsAt, l.ids = sized(l.refsAt, end-first+1), l.ids[:0]
	for pc := first; pc < end; pc++ {
		at := refsAt{uses: int32(len(l.ids))}
		refs := l.f.Graph.Refs(pc)
		for _, ref := range refs {
			if !ref.Role.Writes() {
				l.addRef(ref.Reg)
			}
		}
		if isa.Kind(l.f.Ops[pc].Kind) == isa.Return {
			l.ids = append(l.ids, l.results()...)
		}
		at.defs = int32(len(l.ids))
		for _, ref := range refs {
			if ref.Role.Writes() && ref.Sure {
				l.addRef(ref.Reg)
			}
		}
		at.end = int32(len(l.ids))
		l.refsAt[pc-first] = at
	}
	at := refsAt{uses: int32(len(l.ids))}
	l.ids = append(l.ids, l.results()...)
	at.defs, at.end = int32(len(l.ids)), int32(len(l.ids))
	l.refsAt[end-first] = at
	l.s.all[l.carry()].fixed = !l.carries
}

func (l *liveness) addRef(r isa.RegID) {
	if id := l.s.lookup(l.f.Layout.Reg(r)); id != noSlot && !l.s.all[id].fixed {
		l.ids = append(l.ids, id)
	}
}

// at returns the index in refsAt of an instruction of the part, or of the end of the code.
func (l *liveness) at(pc int) int {
	if pc == len(l.f.Src.Code) {
		return len(l.refsAt) - 1
	}
	return pc - l.part.First
}

// uses returns the slots that the instruction at pc reads, and at the end of the code the function's results.
func (l *liveness) uses(pc int) []slotID {
	at := &l.refsAt[l.at(pc)]
	return l.ids[at.uses:at.defs]
}

// defs returns the slots that the instruction at pc always writes.
func (l *liveness) defs(pc int) []slotID {
	at := &l.refsAt[l.at(pc)]
	return l.ids[at.defs:at.end]
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
	for _, id := range l.defs(pc) {
		now.remove(id)
	}
	for _, id := range l.uses(pc) {
		now.add(id)
	}
}
