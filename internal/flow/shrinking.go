package flow

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// A register that is repeatedly shifted right, or divided by a constant, becomes 0, or -1 if it is negative, and
// stays so: the loop over s in a reduction by halves is of this kind. Such a loop need not count, but a closed walk
// that ends in the state in which it began shrinks nothing: all values on the walk of a family, defined as for
// counters but with other moves, are 0, or all are -1. With this as a fact, the walk would leave most such loops. The
// edges that shrink can then be cut.

// How a move shrinks a value.
const (
	keepsOnes = 0 // -1 stays -1
	shrinks   = 1
)

// shrinkingMove returns the move of an instruction that copies or shrinks; false for others.
func (h *handings) shrinkingMove(in *isa.Instr) (m move, ok bool) {
	m = move{or: isa.NoReg, sure: in.Guard == isa.NoReg, step: noStep}
	ones, does := in.Shrinks()
	s := in.Sum()
	switch {
	case does:
		s = isa.Sum{Bits: in.Types[0].Bits(), Of: [2]int{1}}
		if m.step = shrinks; ones {
			m.step = keepsOnes
		}
	case s.Bits == 0 || s.By[0] != 0:
		return m, false
	}
	whole := func(a *isa.Operand) bool { return isRegister(a) && h.c.f.Regs[a.Reg].Type.Bits() == s.Bits }
	if !whole(&in.Args[0]) || !whole(&in.Args[s.Of[0]]) || s.Of[1] != 0 && !whole(&in.Args[s.Of[1]]) {
		return m, false
	}
	m.to, m.from = in.Args[0].Reg, in.Args[s.Of[0]].Reg
	if s.Of[1] != 0 {
		m.or = in.Args[s.Of[1]].Reg
	}
	return m, true
}

// cutShrinking cuts the edges on which a family shrinks, if a lane that passes one with all values fully shrunk does
// not pass it again. It returns false if there are none.
func (h *handings) cutShrinking() (cut bool) {
	if len(h.part)*len(h.part) > mostTests {
		return false
	}
	for n := range h.families {
		if !h.families[n].usable {
			continue
		}
		use := func(f int32) bool { return f == int32(n) }
		for i, b := range h.part {
			h.c.succ[b] = slices.DeleteFunc(slices.Clone(h.c.succ[b]), func(s int32) bool {
				ends := h.growOn(i, s, use) && !h.comesBack(int32(n), b, s)
				cut = cut || ends
				return ends
			})
		}
	}
	return cut
}

// comesBack reports whether a lane may pass an edge again while all values of a family are 0, or all are -1.
func (h *handings) comesBack(family, from, to int32) bool {
	if h.c.comesBack(h.part, from, to, h.holding(family, 0)) {
		return true
	}
	return h.families[family].step == keepsOnes && h.c.comesBack(h.part, from, to, h.holding(family, ^uint64(0)))
}

// holding returns by index of a block the values of the family's registers at its start, if all are v.
func (h *handings) holding(family int32, v uint64) []map[isa.RegID]uint64 {
	given := make([]map[isa.RegID]uint64, len(h.part))
	for place, f := range h.family {
		if f == family {
			r := h.regs[place%len(h.regs)]
			given[place/len(h.regs)] = map[isa.RegID]uint64{r: lowest(v, h.c.f.Regs[r].Type.Bits())}
		}
	}
	return given
}

// shrunk returns the result of a shrinking instruction, if it is known.
func (f *facts) shrunk(fn *isa.Func, in *isa.Instr, keepsOnes bool) (v uint64, known bool) {
	d, t := &in.Args[0], in.Types[0]
	if d.Kind != isa.RegOperand || fn.Regs[d.Reg].Type.Bits() != t.Bits() {
		return 0, false
	}
	v, known = f.operand(&in.Args[1], t.Bits())
	return v, known && (v == 0 || keepsOnes && v == lowest(^uint64(0), t.Bits()))
}
