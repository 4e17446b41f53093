package conformance

import "fmt"

// numWide is the number of registers of 128 bits, %q0 and so on.
const numWide = 4

// wideInstr is an instruction on registers of 128 bits.
type wideInstr struct {
	kind    wideKind
	q, from int    // registers of 128 bits
	halves  [2]int // registers of 64 bits, or sink; packed constants are negative
	space   int
	generic bool
	at      int // in scratch memory, 0 or 16, unless register index chooses
	index   int // -1: none
}

type wideKind int

const (
	packWide wideKind = iota
	unpackWide
	copyWide
	loadWide
	storeWide
	exchangeWide
	compareWide // atom.cas by from, with the value of q
	numWideKinds
)

// wideInstr makes a step on registers of 128 bits, if the function may.
func (g *structuredGrower) wideInstr(s *step) bool {
	x := &wideInstr{kind: wideKind(g.IntN(int(numWideKinds))), q: g.IntN(numWide), from: g.IntN(numWide), space: g.IntN(numScratches), generic: g.IntN(3) == 0, at: 16 * g.IntN(2), index: -1}
	if x.kind >= loadWide && g.f != nil && !g.f.memory {
		return false
	}
	if x.kind >= exchangeWide {
		x.space = g.IntN(localScratch)
	}
	of := pools[64]
	for i := range x.halves {
		x.halves[i] = of[g.IntN(len(of))]
		if x.kind == packWide && g.IntN(4) == 0 {
			x.halves[i] = -1 - g.IntN(100)
		}
	}
	if x.kind == unpackWide {
		for x.halves[0] == x.halves[1] {
			x.halves[0] = of[g.IntN(len(of))]
		}
		if g.IntN(4) == 0 {
			x.halves[g.IntN(2)] = sink
		}
	}
	if g.IntN(2) == 0 {
		x.index = pools[32][g.IntN(len(pools[32]))]
	}
	if g.IntN(3) == 0 {
		s.pred, s.complement = g.pred(), g.IntN(2) == 0
	}
	s.kind, s.wide, g.p.wide = wideStep, x, true
	return true
}

// execute executes the instruction in a lane.
func (x *wideInstr) execute(l *laneState) {
	at := x.at
	if x.index >= 0 {
		at = int(l.regs[x.index]&1) * 16
	}
	memory := l.memory[x.space][at:][:16]
	store := func(v long) { copy(memory, v.appendTo(nil)) }
	switch q := &l.wide[x.q]; x.kind {
	case packWide:
		var v long
		for i, reg := range x.halves {
			if v[i] = uint64(-1 - reg); reg >= 0 {
				v[i] = l.regs[reg]
			}
		}
		*q = v
	case unpackWide:
		for i, reg := range x.halves {
			if reg != sink {
				l.regs[reg] = q[i]
			}
		}
	case copyWide:
		*q = l.wide[x.from]
	case loadWide:
		*q = longOf(memory)
	case storeWide:
		store(*q)
	case exchangeWide:
		old := longOf(memory)
		store(l.wide[x.from])
		*q = old
	case compareWide:
		old := longOf(memory)
		if old == l.wide[x.from] {
			store(*q)
		}
		*q = old
	}
}

// write writes the instruction with a guard.
func (x *wideInstr) write(w *structuredText, guard string) {
	half := func(i int) string {
		switch reg := x.halves[i]; {
		case reg >= 0:
			return registers[reg].name
		case x.kind == packWide:
			return fmt.Sprint(-1 - reg)
		}
		return "_"
	}
	space := "." + scratchSpaces[x.space]
	address := "%" + scratchSpaces[x.space]
	if x.generic {
		space, address = "", "%generic_"+scratchSpaces[x.space]
	}
	at := x.at
	if x.kind >= loadWide && x.index >= 0 {
		w.line("and.b32 %%v, %s, 1;", registers[x.index].name)
		w.line("mad.wide.u32 %%y, %%v, 16, %s;", address)
		address, at = "%y", 0
	}
	place := fmt.Sprintf("[%s+%d]", address, at)
	switch x.kind {
	case packWide:
		w.line("%smov.b128 %%q%d, {%s, %s};", guard, x.q, half(0), half(1))
	case unpackWide:
		w.line("%smov.b128 {%s, %s}, %%q%d;", guard, half(0), half(1), x.q)
	case copyWide:
		w.line("%smov.b128 %%q%d, %%q%d;", guard, x.q, x.from)
	case loadWide:
		w.line("%sld%s.b128 %%q%d, %s;", guard, space, x.q, place)
	case storeWide:
		w.line("%sst%s.b128 %s, %%q%d;", guard, space, place, x.q)
	case exchangeWide:
		w.line("%satom%s.exch.b128 %%q%d, %s, %%q%d;", guard, space, x.q, place, x.from)
	case compareWide:
		w.line("%satom%s.cas.b128 %%q%d, %s, %%q%d, %%q%[3]d;", guard, space, x.q, place, x.from)
	}
}

// A lane of a program with cells or registers of 128 bits has more room in the second buffer, after all lanes and the
// cells of the grid: for those registers, and for the cells of its block.
const extraBytes = numWide*16 + cellsBytes

// startExtra writes what sets %extra to the lane's room, and %cells to the cells of the grid.
func (w *structuredText) startExtra() {
	if !w.p.usesExtra() {
		return
	}
	number := w.numberInGrid(&w.p.shape)
	w.line("ld.param.u64 %%cells, [out];")
	w.line("add.u64 %%cells, %%cells, %d;", len(w.p.lanes)*laneBytes())
	w.line("mad.wide.u32 %%extra, %s, %d, %%cells;", number, extraBytes)
	w.line("add.u64 %%extra, %%extra, %d;", cellsBytes)
}

// showExtra stores the registers of 128 bits and, at the end of the program, the cells of the block.
func (w *structuredText) showExtra(last bool) {
	if w.p.wide {
		for i := range numWide {
			w.line("mov.b128 {%%x, %%y}, %%q%d;", i)
			w.line("st.global.v2.b64 [%%extra+%d], {%%x, %%y};", 16*i)
		}
	}
	if !last || !w.p.contends[sharedScratch] {
		return
	}
	w.line("bar.sync 0;")
	for at := 0; at < cellsBytes; at += 16 {
		w.line("ld.shared.v2.b64 {%%x, %%y}, [of_block+%d];", at)
		w.line("st.global.v2.b64 [%%extra+%d], {%%x, %%y};", numWide*16+at)
	}
}

// extra are the bytes that a lane stores there.
func (p *Structured) extra(l *laneState, cells []uint64) (data []byte) {
	for _, q := range l.wide {
		if !p.wide {
			q = long{}
		}
		data = q.appendTo(data)
	}
	if cells == nil || !p.contends[sharedScratch] {
		return append(data, make([]byte, cellsBytes)...)
	}
	return append(data, cellData(cells)...)
}
