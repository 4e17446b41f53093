package flow

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// MostTrips is the number of retreating branches within which a counting loop must not repeat a state.
const MostTrips = 1 << 13

// Loop is an outermost loop of a function: a set of blocks in which each leads to all others.
type Loop struct {
	// Counts means that a lane that stays in the loop, in one frame, does not reach a state twice within MostTrips
	// retreating branches, if all Steps count. A state is the values of the live registers (see LiveAtLoops) at a target
	// of a retreating branch.
	Counts bool
	Steps  []Step
}

// Step is the step of a loop's counter if it is not a constant: the product of registers that the loop does not
// write. It counts if the product is not 0, and has at most Zeros trailing zero bits.
type Step struct {
	Factors []isa.RegID
	Zeros   int
}

// Loops returns by block the outermost loops of f, which has graph g; nil for blocks outside loops. Loops with an
// instruction for which never holds do not count.
//
// The proof that a loop counts is about its closed walks: paths of one lane from a place back to it. In a part of the
// loop, a set of blocks in which each leads to all others, cut finds edges on which no closed walk ends in the state
// in which it began. Without these edges the rest falls into smaller parts, which are examined in the same way: an
// inner loop has a counter of its own, which the outer loop resets. The loop counts if nothing is left. It may be
// irreducible.
func (g *Graph) Loops(f *isa.Func, never func(pc int) bool) []*Loop {
	c := newCounting(g, f)
	loops := make([]*Loop, len(g.blocks))
	for _, blocks := range c.parts(g.allBlocks()) {
		l := &Loop{}
		if !g.anyHas(blocks, never) {
			c.enter(blocks)
			l.Counts, l.Steps = c.counts(blocks), c.steps
		}
		for _, b := range blocks {
			loops[b] = l
		}
	}
	return loops
}

// has reports whether a block has an instruction for which a condition holds.
func (g *Graph) has(b int32, condition func(pc int) bool) bool {
	for pc := g.blocks[b].Start; pc < g.blocks[b].End; pc++ {
		if condition(pc) {
			return true
		}
	}
	return false
}

// LeadsToLoop reports, by block, whether it is in a loop with an instruction for which a condition holds, or leads to
// one.
func (g *Graph) LeadsToLoop(condition func(pc int) bool) []bool {
	succ := make([][]int32, len(g.blocks))
	for b := range g.blocks {
		for _, s := range g.blocks[b].Succ {
			succ[b] = append(succ[b], int32(s))
		}
	}
	of, count := components(len(succ), func(b int32) []int32 { return succ[b] })
	found, size, leads := make([]bool, count), make([]int, count), make([]bool, len(g.blocks))
	for b, n := range of {
		found[n] = found[n] || g.has(int32(b), condition)
		size[n]++
	}
	for b, n := range of {
		leads[b] = found[n] && (size[n] > 1 || slices.Contains(succ[b], int32(b)))
	}
	for changed := true; changed; {
		changed = false
		for b := len(succ) - 1; b >= 0; b-- {
			if !leads[b] && slices.ContainsFunc(succ[b], func(s int32) bool { return leads[s] }) {
				leads[b], changed = true, true
			}
		}
	}
	return leads
}

// counting determines whether a loop counts.
type counting struct {
	g       *Graph
	f       *isa.Func
	succ    [][]int32 // by block: the remaining edges
	index   []int32   // by block: its index in the part being examined
	written []bool    // by register: the loop writes it
	steps   []Step    // conditions for the cuts
}

func newCounting(g *Graph, f *isa.Func) *counting {
	c := &counting{g: g, f: f, succ: make([][]int32, len(g.blocks)), index: make([]int32, len(g.blocks)), written: make([]bool, len(f.Regs))}
	for b := range g.blocks {
		for _, s := range g.blocks[b].Succ {
			c.succ[b] = append(c.succ[b], int32(s))
		}
	}
	return c
}

// enter starts with a loop.
func (c *counting) enter(blocks []int32) {
	clear(c.written)
	c.steps = nil
	for _, b := range blocks {
		for pc := c.g.blocks[b].Start; pc < c.g.blocks[b].End; pc++ {
			for ref := range c.f.Code[pc].Refs {
				c.written[ref.Reg] = c.written[ref.Reg] || ref.Role.Writes()
			}
		}
	}
}

// counts reports whether the loop counts.
func (c *counting) counts(loop []int32) bool {
	for work := [][]int32{loop}; len(work) > 0; {
		part := work[len(work)-1]
		if work = work[:len(work)-1]; !c.cut(part) {
			return false
		}
		work = append(work, c.parts(part)...)
	}
	return true
}

// cut cuts edges of a part. It returns false if there are none to cut.
func (c *counting) cut(part []int32) bool {
	for i, b := range part {
		c.index[b] = int32(i)
	}
	for _, how := range []growth{byConstants, bySteps} {
		for _, bits := range []int{32, 16} {
			if c.cutCounters(part, bits, how) {
				return true
			}
		}
	}
	return c.cutImpossible(part) || c.cutCounters(part, 0, byShrinking)
}

// parts returns the strongly connected components of blocks by the remaining edges, and cuts the edges between them.
func (c *counting) parts(blocks []int32) [][]int32 {
	for i, b := range blocks {
		c.index[b] = int32(i)
	}
	edges := make([][]int32, len(blocks))
	for i, b := range blocks {
		for _, s := range c.succ[b] {
			edges[i] = append(edges[i], c.index[s])
		}
	}
	of, count := components(len(blocks), func(i int32) []int32 { return edges[i] })
	parts := make([][]int32, count)
	for i, b := range blocks {
		c.succ[b] = slices.DeleteFunc(c.succ[b], func(s int32) bool { return of[c.index[s]] != of[i] })
		parts[of[i]] = append(parts[of[i]], b)
	}
	return slices.DeleteFunc(parts, func(part []int32) bool { return len(part) == 1 && len(c.succ[part[0]]) == 0 })
}
