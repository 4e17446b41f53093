package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
)

// liveness says which slots are live: some path reads them before it writes them.
type liveness struct {
	f    *program.Func
	s    *slots
	in   []set      // by block: live at its start
	out  []set      // by block: live at its end
	use  [][]slotID // by PC
	def  [][]slotID
	slab set      // memory of in and out
	ids  []slotID // of use and def
}

// find finds which slots are live at the borders of the blocks of f.
func (l *liveness) find(f *program.Func, s *slots) {
	l.f, l.s = f, s
	blocks := f.Graph.Blocks()
	now := newSet(len(s.all))
	words := len(now)
	l.in, l.out, l.slab = l.in[:0], l.out[:0], zeroed(l.slab, 2*words*len(blocks))
	for b := range blocks {
		both := l.slab[2*words*b:]
		l.in, l.out = append(l.in, both[:words]), append(l.out, both[words:2*words])
	}
	l.refs()
	carries := l.carries()
	for changed := true; changed; {
		changed = false
		for b := len(blocks) - 1; b >= 0; b-- {
			clear(now)
			if carries {
				now.add(l.carry())
			}
			for _, next := range blocks[b].Succ {
				for i, w := range l.in[next] {
					now[i] |= w
				}
			}
			if blocks[b].Start == len(f.Src.Code) { // the implicit end of the code has no instruction text
				l.before(now, len(f.Src.Code))
			}
			copy(l.out[b], now)
			for pc := blocks[b].End - 1; pc >= blocks[b].Start; pc-- {
				l.before(now, pc)
			}
			if !slices.Equal(now, l.in[b]) {
				copy(l.in[b], now)
				changed = true
			}
		}
	}
}

// refs finds the slots that each instruction reads, and those that it always writes.
func (l *liveness) refs() {
	code := l.f.Src.Code
	l.use, l.def = zeroed(l.use, len(code)+1), zeroed(l.def, len(code)+1)
	all := l.ids[:0]
	for pc := range code {
		start := len(all)
		reads := 0
		for ref := range code[pc].Refs {
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
	l.use[len(code)] = l.results()
	l.s.all[l.carry()].fixed = !l.carries()
}

// carry returns the slot of the carry flag.
func (l *liveness) carry() slotID { return l.s.lookup(l.f.Layout.Carry) }

// carries reports whether an instruction writes the carry flag. The flag is then live everywhere.
func (l *liveness) carries() bool {
	return slices.ContainsFunc(l.f.Src.Code, func(in isa.Instr) bool { return in.Mods != nil && in.Mods[isa.CC] != 0 })
}

// results returns the slots of the function's return values.
func (l *liveness) results() (ids []slotID) {
	for _, r := range l.f.Src.RegsOf(l.f.Src.Returns) {
		if id := l.s.lookup(l.f.Layout.Reg(r)); id != noSlot {
			ids = append(ids, id)
		}
	}
	return ids
}

// alive has the slots that are live in one block.
type blockLiveness struct {
	start int // of the block
	words int // of a set
	all   set // sets by PC, the last one for the end of the block
}

// find finds the live slots of block b.
func (a *blockLiveness) find(l *liveness, b int) {
	block := &l.f.Graph.Blocks()[b]
	a.start, a.words = block.Start, len(l.out[b])
	n := (block.End - block.Start) * a.words
	a.all = append(slices.Grow(a.all[:0], n+a.words)[:n], l.out[b]...)
	for pc := block.End - 1; pc >= block.Start; pc-- {
		copy(a.before(pc), a.before(pc+1))
		l.before(a.before(pc), pc)
	}
}

// before returns the slots that are live before the instruction at pc.
func (a *blockLiveness) before(pc int) set { return a.all[(pc-a.start)*a.words:][:a.words] }

// before transforms now from the slots that are live after the instruction at pc to those live before it.
func (l *liveness) before(now set, pc int) {
	for _, id := range l.def[pc] {
		now.remove(id)
	}
	for _, id := range l.use[pc] {
		now.add(id)
	}
}
