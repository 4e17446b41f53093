package native

// blockLiveness says which slots are live before each instruction of a block, or of an arm. It has the set for one PC,
// and what instructions change: a set for each PC would take a time that grows with the number of slots.
type blockLiveness struct {
	start   int
	at      int // PC of now
	now     set
	changes []liveChange // from the last instruction to the first
	first   []int32      // by PC from start on: index of the instruction's first change
	end     []int32      // and the one after its last change
}

// liveChange is that a slot is live before an instruction and not after it, or the other way round.
type liveChange struct {
	slot slotID
	live bool // before it
}

// begin begins with the slots that are live at end, for instructions from start on.
func (a *blockLiveness) begin(start, end int, live set) {
	a.start, a.at, a.now, a.changes = start, end, append(a.now[:0], live...), a.changes[:0]
	a.first, a.end = sized(a.first, end-start), sized(a.end, end-start)
}

// add adds the instruction before those that it has: it writes the slots def in any case, and reads the slots use.
func (a *blockLiveness) add(def, use []slotID) {
	a.at--
	a.first[a.at-a.start] = int32(len(a.changes))
	for _, id := range def {
		if a.now.has(id) {
			a.now.remove(id)
			a.changes = append(a.changes, liveChange{id, false})
		}
	}
	for _, id := range use {
		if !a.now.has(id) {
			a.now.add(id)
			a.changes = append(a.changes, liveChange{id, true})
		}
	}
	a.end[a.at-a.start] = int32(len(a.changes))
}

// find finds the live slots of block b.
func (a *blockLiveness) find(l *liveness, b int) {
	block := &l.f.Graph.Blocks()[b]
	start, end := l.part.within(block)
	live := l.out[b]
	if end < block.End {
		live = l.all
	}
	a.begin(start, end, live)
	for pc := end - 1; pc >= start; pc-- {
		a.add(l.defs(pc), l.uses(pc))
	}
}

// findArm finds the live slots of an arm before block join.
func (a *blockLiveness) findArm(l *liveness, s *arm, join int) {
	a.begin(s.start, s.end, l.in[join])
	for pc := s.end - 1; pc >= s.start; pc-- {
		def := l.defs(pc)
		if s.guarded(pc) {
			def = nil
		}
		a.add(def, l.uses(pc))
	}
}

// before returns the slots that are live before the instruction at pc. They are valid until the next call.
func (a *blockLiveness) before(pc int) set {
	for ; a.at < pc; a.at++ {
		first, end := a.first[a.at-a.start], a.end[a.at-a.start]
		for i := end - 1; i >= first; i-- {
			a.set(a.changes[i].slot, !a.changes[i].live)
		}
	}
	for a.at > pc {
		a.at--
		for _, c := range a.changes[a.first[a.at-a.start]:a.end[a.at-a.start]] {
			a.set(c.slot, c.live)
		}
	}
	return a.now
}

func (a *blockLiveness) set(id slotID, live bool) {
	if live {
		a.now.add(id)
	} else {
		a.now.remove(id)
	}
}
