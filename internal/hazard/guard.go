package hazard

import (
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// guard has the facts about the threads that execute an access: bounds on their indices, and values that they share.
type guard struct {
	low, high [numDimensions][]*affine // inclusive
	equal     []equality
}

// equality is a value of each thread that equals a value that is the same for all threads.
type equality struct{ own, same *affine }

// condition is a predicate and its value if the condition holds.
type condition struct {
	pred  *affine
	holds bool
}

// conditions returns the conditions under which the instruction at pc is executed.
func (v *values) conditions(pc int, idom []int) (all []condition) {
	in := &v.f.Code[pc]
	if in.Guard != isa.NoReg {
		all = append(all, condition{v.before(pc, in.Guard), !in.GuardNot})
	}
	blocks := v.g.Blocks()
	for b := v.g.BlockOf(pc); idom[b] != flow.None; b = idom[b] {
		d := idom[b]
		last := blocks[d].End - 1
		branch := &v.f.Code[last]
		if len(blocks[b].Pred) != 1 || len(blocks[d].Succ) != 2 || branch.Guard == isa.NoReg || !branch.Is(isa.Branch) {
			continue
		}
		taken := b != d+1
		all = append(all, condition{v.before(last, branch.Guard), taken != branch.GuardNot})
	}
	return all
}

// comparisons returns the comparisons of integers that hold under conditions.
func (v *values) comparisons(conditions []condition) (all []comparison) {
	for _, c := range conditions {
		s, ok := v.resolved(c.pred).only()
		if !ok || v.symbols[s].cmp == nil {
			continue
		}
		holds := *v.symbols[s].cmp
		if !c.holds {
			holds.op = isa.Comparison{Op: holds.op, Type: isa.S32}.Not().Op
		}
		holds.a, holds.b = v.resolved(holds.a), v.resolved(holds.b)
		all = append(all, holds)
	}
	return all
}

// guardOf returns the facts about indices of threads that comparisons imply.
func (c *function) guardOf(all []comparison) guard {
	var g guard
	for _, k := range all {
		c.learn(&g, k.op, k.a, k.b)
	}
	return g
}

// learn adds the facts that a true comparison implies.
func (c *function) learn(g *guard, op isa.Mod, a, b *affine) {
	diff := a.plus(b, -1) // diff op 0
	var dim dimension
	factor, rest := int64(0), &affine{c: diff.c}
	for _, t := range diff.terms {
		switch {
		case t.dim == none:
			rest.terms = append(rest.terms, t)
		case t.sym != one || dim != none:
			return
		default:
			dim, factor = t.dim, t.factor
		}
	}
	if dim == none {
		c.learnEqual(g, op, a, b)
		return
	}
	if factor != 1 && factor != -1 || !c.comparable(rest) {
		return
	}
	bound := rest.times(-factor) // where diff is 0
	less, more := op == isa.CmpLt || op == isa.CmpLo, op == isa.CmpGt || op == isa.CmpHi
	lessEqual, moreEqual := op == isa.CmpLe || op == isa.CmpLs, op == isa.CmpGe || op == isa.CmpHs
	if factor < 0 {
		less, more, lessEqual, moreEqual = more, less, moreEqual, lessEqual
	}
	equal := op == isa.CmpEq
	switch {
	case less:
		g.high[dim] = append(g.high[dim], bound.plus(constant(1), -1))
	case more:
		g.low[dim] = append(g.low[dim], bound.plus(constant(1), 1))
	}
	if lessEqual || equal {
		g.high[dim] = append(g.high[dim], bound)
	}
	if moreEqual || equal {
		g.low[dim] = append(g.low[dim], bound)
	}
}

// learnEqual adds the equality of a value of each thread and one that is the same for all.
func (c *function) learnEqual(g *guard, op isa.Mod, a, b *affine) {
	switch {
	case op != isa.CmpEq:
	case c.comparable(b):
		g.equal = append(g.equal, equality{a, b})
	case c.comparable(a):
		g.equal = append(g.equal, equality{b, a})
	}
}

// isWarp reports whether a value is the index of a thread's warp in a one-dimensional CTA: %tid.x / 32.
func (c *function) isWarp(a *affine) bool {
	s, ok := a.only()
	if !ok {
		return false
	}
	info := &c.v.symbols[s]
	if len(info.parts) != 2 || !c.v.resolved(info.parts[0]).equal(&affine{terms: []term{{1, one, tidX}}}) {
		return false
	}
	by := info.parts[1]
	return info.op == isa.ArithShiftRight && by.equal(constant(5)) || info.op == isa.ArithQuotient && by.equal(constant(32))
}
