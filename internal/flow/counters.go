package flow

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// A register that counts is passed on by the blocks of a loop: unchanged, copied to another register, or with
// something added. Its value at the end of a block is then the value that one register, its origin, had at the
// block's start, plus a growth. (After a guarded instruction or selp there may be several origins.)
//
// A family is a set of places, each a register at the start of a block of the part, such that
// - all origins of a place are places of the family in the predecessor blocks,
// - the places are strongly connected by these origins,
// - all growths between them have one sign, or are multiples of one step.
//
// Consider a place of the family on a closed walk, and follow its value backwards, one round after the other. It
// stays in the family. If a block has at most m places, the value was at the same place at most m rounds before, and
// has grown since by a sum G of growths. If the walk ends in the state in which it began, so that each round begins
// like the previous one, G is 0 modulo 2^bits. Between two retreating branches a lane passes each edge at most once,
// because all other edges go forward in the text. So within MostTrips retreating branches |G| is at most m *
// MostTrips times the sum over all edges of their largest growth. If that is less than 2^bits, G itself is 0 and,
// because all growths have one sign, each growth is 0: the walk passes no edge on which every value of the family
// grows. Such edges can be cut.
//
// With a step s, G is k*s, and k is at most m * MostTrips times the sum over all edges of how often s is added there.
// G is 0 modulo 2^bits only if k is 0 or a multiple of 2^(bits-z), where s has z trailing zero bits.
//
// It follows that the registers of the family are live, and so are part of the state: on a path from a place to an
// edge with growth, an instruction reads the register before it is written.

// growth is how the values of registers grow when they are passed on.
type growth uint8

const (
	byConstants growth = iota
	bySteps
	byShrinking // see shrinkingMove
)

// cutCounters cuts the edges on which families grow in the given way. The low width bits of registers count. It
// returns false if there are no such edges.
func (c *counting) cutCounters(part []int32, width int, how growth) bool {
	h := handings{c: c, part: part, width: width, how: how, number: make(map[isa.RegID]int32)}
	if h.find(); len(h.regs) == 0 || len(h.regs)*len(part) > mostPlaces {
		return false
	}
	h.trace()
	h.findFamilies()
	return h.cut()
}

// mostPlaces limits the work on a part.
const mostPlaces = 1 << 20

// handings are the values that the registers of a part pass on.
type handings struct {
	c      *counting
	part   []int32
	width  int // number of bits that count
	how    growth
	regs   []isa.RegID         // registers that only get values of such registers
	number map[isa.RegID]int32 // index in regs
	moves  [][]move            // by index of a block: moves to regs
	// By step: its factors, and its constant factor, shifted up to the highest bits.
	products  [][]isa.RegID
	constants []uint64

	// by index of a block times len(regs), plus index of a register: the origins of its value at the block's end
	origins  [][]origin
	family   []int32 // by such an index, for the value at the block's start
	families []family
}

// move is an instruction that passes on the value of a register.
type move struct {
	to, from, or isa.RegID // or: an alternative source; NoReg if there is none
	sure         bool      // executed by all lanes
	plus         int64
	step         int32 // the step that is added in addition, or noStep; for byShrinking, how it shrinks
}

const (
	noStep = -1
	mixed  = -2 // several steps
)

// origin is a register from which a value may come, and the amount added since.
type origin struct {
	reg         int32 // index in regs
	least, most int64 // bounds of the sum of constants
	few, many   int64 // bounds on the number of times that step was added
	step        int32
}

// family is a strongly connected set of places.
type family struct {
	open      bool // some value comes from outside
	falls     bool // some growth is negative
	rises     bool
	step      int32
	places    int64 // maximum number in a block
	sum       int64 // sum over all edges of the largest growth
	times     int64 // sum over all edges of the largest number of steps
	usable    bool
	edge      int // the latest edge, from 1, that leads to places of the family
	edgeSum   int64
	edgeTimes int64
}

// find finds the registers that only get values of such registers, and their moves.
func (h *handings) find() {
	refused := make(map[isa.RegID]bool)
	h.moves = make([][]move, len(h.part))
	for i, b := range h.part {
		for pc := h.c.g.blocks[b].Start; pc < h.c.g.blocks[b].End; pc++ {
			in := &h.c.f.Code[pc]
			m, ok := h.moveOf(in)
			for ref := range in.Refs {
				if !ref.Role.Writes() {
					continue
				}
				if h.number[ref.Reg] = 0; !ok || ref.Reg != m.to {
					refused[ref.Reg] = true
				}
			}
			if ok {
				h.moves[i] = append(h.moves[i], m)
			}
		}
	}
	good := func(r isa.RegID) bool {
		_, written := h.number[r]
		return written && !refused[r]
	}
	for changed := true; changed; {
		changed = false
		for _, moves := range h.moves {
			for _, m := range moves {
				if !refused[m.to] && !(good(m.from) && (m.or == isa.NoReg || good(m.or))) {
					refused[m.to], changed = true, true
				}
			}
		}
	}
	for i := range h.moves {
		h.moves[i] = slices.DeleteFunc(h.moves[i], func(m move) bool { return refused[m.to] })
	}
	for r := range h.number {
		if !refused[r] {
			h.regs = append(h.regs, r)
		}
	}
	slices.Sort(h.regs)
	clear(h.number)
	for n, r := range h.regs {
		h.number[r] = int32(n)
	}
}

// moveOf returns the move that an instruction makes; false if it is not a move.
func (h *handings) moveOf(in *isa.Instr) (m move, ok bool) {
	if h.how == byShrinking {
		return h.shrinkingMove(in)
	}
	s := in.Sum()
	if s.Bits < h.width || !h.counts(&in.Args[0]) {
		return m, false
	}
	of, by := s.Of, s.By
	if by[0] != 0 && by[1] == 0 && !s.Minus && !h.c.changes(&in.Args[of[0]]) { // b + a is the same as a + b
		of[0], by[0] = by[0], of[0]
	}
	m = move{to: in.Args[0].Reg, from: in.Args[of[0]].Reg, or: isa.NoReg, sure: in.Guard == isa.NoReg, step: noStep}
	if !h.counts(&in.Args[of[0]]) {
		return m, false
	}
	if of[1] != 0 {
		m.or = in.Args[of[1]].Reg
		if !h.counts(&in.Args[of[1]]) {
			return m, false
		}
	}
	return m, by[0] == 0 || h.add(&m, in, by, s.Minus)
}

// counts reports whether an operand is a register with at least width bits.
func (h *handings) counts(a *isa.Operand) bool {
	return isRegister(a) && h.c.f.Regs[a.Reg].Type.Bits() >= h.width
}

// changes reports whether the value of an operand may change in the loop.
func (c *counting) changes(a *isa.Operand) bool {
	return a.Kind != isa.ImmOperand && !(isRegister(a) && !c.written[a.Reg])
}

// isRegister reports whether an operand is the unmodified value of a register.
func isRegister(a *isa.Operand) bool {
	return a.Kind == isa.RegOperand && a.Select == 0 && !a.Neg && !a.Not && a.Bits == 0
}

// add adds the product of operands to a move, or subtracts it. It returns false if the product is neither a constant
// nor a step.
func (h *handings) add(m *move, in *isa.Instr, by [2]int, minus bool) bool {
	constant, factors := uint64(1), []isa.RegID(nil)
	for _, i := range by {
		switch a := &in.Args[i]; {
		case i == 0:
		case h.c.changes(a):
			return false
		case a.Kind == isa.ImmOperand:
			constant *= a.Bits
		default:
			factors = append(factors, a.Reg)
		}
	}
	if minus {
		constant = -constant
	}
	constant <<= 64 - h.width
	if len(factors) > 0 && constant != 0 {
		m.step = h.stepOf(factors, constant)
		return h.how == bySteps
	}
	m.plus = int64(constant) >> (64 - h.width)
	return true
}

// stepOf returns the number of the step with these factors and a constant, which has its counting bits in the highest
// positions.
func (h *handings) stepOf(factors []isa.RegID, constant uint64) int32 {
	slices.Sort(factors)
	for n := range h.products {
		if h.constants[n] == constant && slices.Equal(h.products[n], factors) {
			return int32(n)
		}
	}
	h.products, h.constants = append(h.products, factors), append(h.constants, constant)
	return int32(len(h.products) - 1)
}

// trace finds the origins of all values.
func (h *handings) trace() {
	h.origins = make([][]origin, len(h.part)*len(h.regs))
	for i := range h.part {
		of := h.origins[i*len(h.regs):][:len(h.regs)]
		for n := range of {
			of[n] = []origin{{reg: int32(n), step: noStep}}
		}
		for _, m := range h.moves[i] {
			to := h.number[m.to]
			var all []origin
			for _, from := range []isa.RegID{m.from, m.or} {
				if from == isa.NoReg {
					continue
				}
				for _, o := range of[h.number[from]] {
					all = include(all, o.plus(&m))
				}
			}
			if !m.sure {
				for _, o := range of[to] {
					all = include(all, o)
				}
			}
			of[to] = all
		}
	}
}

// plus returns the origin of the value after a move.
func (o origin) plus(m *move) origin {
	o.least, o.most = o.least+m.plus, o.most+m.plus
	if m.step != noStep {
		o.few, o.many, o.step = o.few+1, o.many+1, same(o.step, m.step)
	}
	return o
}

// same returns the step of two origins: mixed if they differ.
func same(a, b int32) int32 {
	switch {
	case a == b || b == noStep:
		return a
	case a == noStep:
		return b
	}
	return mixed
}

// include adds an origin. There is at most one for each register.
func include(all []origin, o origin) []origin {
	for i := range all {
		if p := &all[i]; p.reg == o.reg {
			p.least, p.most, p.few, p.many = min(p.least, o.least), max(p.most, o.most), min(p.few, o.few), max(p.many, o.many)
			p.step = same(p.step, o.step)
			return all
		}
	}
	return append(all, o)
}

// each calls visit for every edge of the part, numbered from 1, and for every origin of a register's value at the
// edge's end.
func (h *handings) each(visit func(edge int, from, to int32, o *origin)) {
	edge, n := 0, len(h.regs)
	for i, b := range h.part {
		for _, s := range h.c.succ[b] {
			edge++
			for reg := range n {
				origins := h.origins[i*n+reg]
				for k := range origins {
					visit(edge, int32(i*n)+origins[k].reg, h.c.index[s]*int32(n)+int32(reg), &origins[k])
				}
			}
		}
	}
}

// findFamilies finds the families and their totals.
func (h *handings) findFamilies() {
	next := make([][]int32, len(h.origins)) // by place: places that have it as an origin
	h.each(func(_ int, from, to int32, _ *origin) { next[from] = append(next[from], to) })
	var count int32
	h.family, count = components(len(next), func(place int32) []int32 { return next[place] })
	h.families = make([]family, count)
	for i := range h.families {
		h.families[i].step = noStep
	}
	h.countPlaces()
	h.each(func(edge int, from, to int32, o *origin) {
		f := &h.families[h.family[to]]
		f.open = f.open || h.family[from] != h.family[to]
		f.falls, f.rises, f.step = f.falls || o.least < 0, f.rises || o.most > 0, same(f.step, o.step)
		if f.edge != edge {
			f.edge, f.edgeSum, f.edgeTimes = edge, 0, 0
		}
		sum, times := max(-o.least, o.most, f.edgeSum), max(o.many, f.edgeTimes)
		f.sum, f.times = f.sum+sum-f.edgeSum, f.times+times-f.edgeTimes
		f.edgeSum, f.edgeTimes = sum, times
	})
	for i := range h.families {
		f := &h.families[i]
		f.usable = !f.open && h.countsUp(f)
	}
}

// countPlaces counts the places of families in each block.
func (h *handings) countPlaces() {
	here := make([]int64, len(h.families))
	for first := 0; first < len(h.family); first += len(h.regs) {
		places := h.family[first:][:len(h.regs)]
		for _, f := range places {
			here[f]++
			h.families[f].places = max(h.families[f].places, here[f])
		}
		for _, f := range places {
			here[f] = 0
		}
	}
}

// mostGrowth is larger than any sum of growths or steps that can be used.
const mostGrowth = 1 << 32

// countsUp reports whether the growths of a family can only be 0 modulo 2^width if each of them is 0.
func (h *handings) countsUp(f *family) bool {
	if f.sum >= mostGrowth || f.times >= mostGrowth || f.places >= mostGrowth/MostTrips {
		return false
	}
	switch h.how {
	case bySteps:
		return !f.falls && !f.rises && f.step >= 0 && h.stepFor(f).Zeros >= 0
	case byShrinking:
		return f.times > 0 && f.places == 1
	}
	return f.falls != f.rises && f.sum*f.places*MostTrips>>h.width == 0
}

// stepFor returns the condition on a family's step.
func (h *handings) stepFor(f *family) Step {
	known := bits.TrailingZeros64(h.constants[f.step]) - (64 - h.width) // of its constant factor
	return Step{Factors: h.products[f.step], Zeros: h.width - bits.Len64(uint64(f.times*f.places*MostTrips)) - known}
}

// cut cuts the edges on which a family grows: those of all families without a step or, if there are none, those of
// the first family that has some. It returns false if there are none.
func (h *handings) cut() bool {
	switch h.how {
	case byConstants:
		return h.cutBy(func(f int32) bool { return h.families[f].usable })
	case byShrinking:
		return h.cutShrinking()
	}
	for n := range h.families {
		if f := &h.families[n]; f.usable && h.cutBy(func(of int32) bool { return of == int32(n) }) {
			h.c.steps = append(h.c.steps, h.stepFor(f))
			return true
		}
	}
	return false
}

// cutBy cuts the edges on which the selected families grow. It returns false if there are none.
func (h *handings) cutBy(use func(family int32) bool) (cut bool) {
	for i, b := range h.part {
		h.c.succ[b] = slices.DeleteFunc(h.c.succ[b], func(s int32) bool {
			grow := h.growOn(i, s, use)
			cut = cut || grow
			return grow
		})
	}
	return cut
}

// growOn reports whether some selected family has only growing values on the edge from the block with an index to
// another block.
func (h *handings) growOn(i int, to int32, use func(family int32) bool) bool {
	n := len(h.regs)
	places := h.family[int(h.c.index[to])*n:][:n]
	stays := func(o origin) bool {
		if h.how == byConstants {
			return o.least <= 0 && o.most >= 0
		}
		return o.few == 0
	}
	for first, f := range places {
		if !use(f) || slices.Index(places, f) != first {
			continue
		}
		grows := true
		for reg, g := range places {
			grows = grows && !(f == g && slices.ContainsFunc(h.origins[i*n+reg], stays))
		}
		if grows {
			return true
		}
	}
	return false
}
