package flow

import (
	"maps"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// Compilers often route the exit of a loop through a block that repeats an earlier test, or that tests a predicate set
// on the way. So a loop can have cycles that no lane can take: the facts known on such a cycle exclude one of its
// edges.
//
// A walk along a cycle that ends in the state in which it began could be repeated, with the same values at the same
// places. So a walk that passes an edge passes it again. After the edge, its conditions are known, independent of
// earlier facts; elsewhere, the facts that hold on every path from the edge are known. If no path that agrees with
// these facts leads to the edge again, no such walk passes it.

// facts are the facts known of a lane at a place.
type facts struct {
	value map[isa.RegID]uint64         // of predicates, 0 or 1, and of integers
	means map[isa.RegID]isa.Comparison // of predicates: the comparison of present register values that makes them true
	holds map[isa.Comparison]bool
}

// mostVisits limits the average number of visits to a block in the search for a path.
const mostVisits = 16

// mostTests limits the work on a part: blocks times edges.
const mostTests = 1 << 14

// cutImpossible cuts the edges of a part that no closed walk passes if it ends in the state in which it began. It
// returns false if there are none.
func (c *counting) cutImpossible(part []int32) (cut bool) {
	if len(part)*len(part) > mostTests {
		return false
	}
	for _, b := range part {
		c.succ[b] = slices.DeleteFunc(slices.Clone(c.succ[b]), func(s int32) bool {
			_, _, tells := c.test(b, s)
			never := tells && !c.comesBack(part, b, s, nil)
			cut = cut || never
			return never
		})
	}
	return cut
}

// comesBack reports whether a path may lead from an edge of a part to that edge again. Given has the known values of
// registers at the starts of blocks, by index; nil if none are known.
func (c *counting) comesBack(part []int32, from, to int32, given []map[isa.RegID]uint64) bool {
	at := make([]*facts, len(part)) // at the starts of blocks; nil for blocks that no path has reached yet
	pass := func(b int32, f *facts) *facts {
		f = f.copied()
		if given != nil {
			maps.Copy(f.value, given[c.index[b]])
		}
		return c.pass(f, b)
	}
	behind, possible := c.along(pass(from, &facts{}), from, to)
	if !possible {
		return false
	}
	at[c.index[to]] = behind
	work := []int32{to}
	for visits := 0; len(work) > 0; visits++ {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		end := pass(b, at[c.index[b]])
		for _, s := range c.succ[b] {
			f, possible := c.along(end, b, s)
			if !possible {
				continue
			}
			if b == from && s == to || visits > mostVisits*len(part) {
				return true
			}
			known := at[c.index[s]]
			if known == nil {
				at[c.index[s]] = f
				work = append(work, s)
			} else if before := known.count(); known.meet(f).count() < before {
				work = append(work, s)
			}
		}
	}
	return false
}

func (f *facts) count() int { return len(f.value) + len(f.means) + len(f.holds) }

// meet keeps those facts in f that are also in o.
func (f *facts) meet(o *facts) *facts {
	maps.DeleteFunc(f.value, func(r isa.RegID, v uint64) bool { known, ok := o.value[r]; return !ok || known != v })
	maps.DeleteFunc(f.means, func(r isa.RegID, e isa.Comparison) bool { known, ok := o.means[r]; return !ok || known != e })
	maps.DeleteFunc(f.holds, func(e isa.Comparison, v bool) bool { known, ok := o.holds[e]; return !ok || known != v })
	return f
}

// copied returns a copy to modify.
func (f *facts) copied() *facts {
	n := &facts{make(map[isa.RegID]uint64), make(map[isa.RegID]isa.Comparison), make(map[isa.Comparison]bool)}
	maps.Copy(n.value, f.value)
	maps.Copy(n.means, f.means)
	maps.Copy(n.holds, f.holds)
	return n
}

// truth returns the value of a predicate, if it is known.
func (f *facts) truth(p isa.RegID) (holds, known bool) {
	if v, ok := f.value[p]; ok {
		return v != 0, true
	}
	e, ok := f.means[p]
	if !ok {
		return false, false
	}
	return f.compare(e)
}

// compare returns whether a comparison holds, if that is known.
func (f *facts) compare(e isa.Comparison) (holds, known bool) {
	if e.Op == 0 {
		return false, false // not a comparison
	}
	if v, ok := f.holds[e]; ok {
		return v, true
	}
	if v, ok := f.holds[e.Not()]; ok {
		return !v, true
	}
	a, okA := f.compared(e.A)
	b, okB := f.compared(e.B)
	if !okA || !okB {
		return false, false
	}
	return e.Holds(a, b)
}

func (f *facts) compared(a isa.Compared) (v uint64, known bool) {
	if a.Reg == isa.NoReg {
		return a.Bits, true
	}
	v, known = f.value[a.Reg]
	return v, known
}

// along returns the facts after an edge, given those at its start. It returns false if they exclude the edge.
func (c *counting) along(f *facts, from, to int32) (behind *facts, possible bool) {
	guard, taken, tells := c.test(from, to)
	if !tells {
		return f.copied(), true
	}
	if v, known := f.truth(guard); known && v != taken {
		return nil, false
	}
	n := f.copied()
	n.value[guard] = bit(taken)
	if e, ok := n.means[guard]; ok {
		n.holds[e] = taken
	}
	return n, true
}

// test returns the guard of the branch at the end of a block, and its value in lanes that continue at another block.
// It returns false if the edge does not determine the value.
func (c *counting) test(from, to int32) (guard isa.RegID, taken, tells bool) {
	pc := c.g.blocks[from].End - 1
	in := &c.f.Code[pc]
	if !in.Is(isa.Branch) || in.Guard == isa.NoReg {
		return 0, false, false
	}
	pcs := targets(c.f, in)
	if len(pcs) != 1 || pcs[0] == pc+1 {
		return 0, false, false
	}
	return in.Guard, (pcs[0] == c.g.blocks[to].Start) != in.GuardNot, true
}

// pass returns the facts at the end of a block, given those at its start, which it changes.
func (c *counting) pass(f *facts, b int32) *facts {
	for pc := c.g.blocks[b].Start; pc < c.g.blocks[b].End; pc++ {
		in := &c.f.Code[pc]
		sure := in.Guard == isa.NoReg
		if !sure {
			v, known := f.truth(in.Guard)
			if sure = known && v != in.GuardNot; known && !sure {
				continue
			}
		}
		f.execute(c.f, in, sure)
	}
	return f
}

// execute updates the facts for an instruction that the lane executes, or may execute if sure is false.
func (f *facts) execute(fn *isa.Func, in *isa.Instr, sure bool) {
	e, compares := in.Comparison()
	is, decided := f.compare(e)
	v, known := f.result(fn, in)
	means, says := isa.Comparison{}, false
	if r := copied(in); r != isa.NoReg {
		means, says = f.means[r]
	}
	for ref := range in.Refs {
		if ref.Role.Writes() {
			f.forget(ref.Reg)
		}
	}
	if !sure {
		return
	}
	switch {
	case compares:
		for i, e := range []isa.Comparison{e, e.Not()} {
			d := &in.Args[i]
			if d.Kind != isa.RegOperand {
				continue
			}
			if f.means[d.Reg] = e; decided {
				f.value[d.Reg] = bit(is == (i == 0))
			}
		}
	case known:
		f.value[in.Args[0].Reg] = v
	case says:
		f.means[in.Args[0].Reg] = means
	}
}

// bit returns the value of a predicate.
func bit(holds bool) uint64 {
	if holds {
		return 1
	}
	return 0
}

// copied returns the register that an instruction copies; NoReg if it copies none.
func copied(in *isa.Instr) isa.RegID {
	s := in.Sum()
	if s.Bits == 0 || s.Of[1] != 0 || s.By[0] != 0 || !isRegister(&in.Args[s.Of[0]]) {
		return isa.NoReg
	}
	return in.Args[s.Of[0]].Reg
}

// result returns the value of an instruction's only result, if it is known.
func (f *facts) result(fn *isa.Func, in *isa.Instr) (v uint64, known bool) {
	if keepsOnes, shrinks := in.Shrinks(); shrinks {
		return f.shrunk(fn, in, keepsOnes)
	}
	s := in.Sum()
	if s.Bits == 0 || s.Bits > 64 || s.Of[1] != 0 || in.Args[0].Kind != isa.RegOperand || fn.Regs[in.Args[0].Reg].Type.Bits() != s.Bits {
		return 0, false
	}
	if v, known = f.operand(&in.Args[s.Of[0]], s.Bits); !known {
		return 0, false
	}
	product, factors := uint64(1), 0
	for _, i := range s.By {
		if i == 0 {
			continue
		}
		x, ok := f.operand(&in.Args[i], s.Bits)
		if !ok {
			return 0, false
		}
		product, factors = product*x, factors+1
	}
	switch {
	case factors == 0:
	case s.Minus:
		v -= product
	default:
		v += product
	}
	return lowest(v, s.Bits), true
}

// operand returns the value of an operand with this number of bits, if it is known.
func (f *facts) operand(a *isa.Operand, bits int) (v uint64, known bool) {
	switch {
	case isRegister(a):
		v, known = f.value[a.Reg]
		return lowest(v, bits), known
	case a.Kind != isa.ImmOperand || a.Lit != isa.IntLit || a.Not:
		return 0, false
	case bits == 1 && a.Bits != 0:
		return 1, true
	}
	return lowest(a.Bits, bits), true
}

// lowest returns the lowest bits of a value.
func lowest(v uint64, bits int) uint64 { return v << (64 - bits) >> (64 - bits) }

// forget removes the facts about a register that is written.
func (f *facts) forget(r isa.RegID) {
	delete(f.value, r)
	delete(f.means, r)
	about := func(e isa.Comparison) bool { return e.A.Reg == r || e.B.Reg == r }
	maps.DeleteFunc(f.means, func(_ isa.RegID, e isa.Comparison) bool { return about(e) })
	maps.DeleteFunc(f.holds, func(e isa.Comparison, _ bool) bool { return about(e) })
}
