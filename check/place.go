package check

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/isa"
)

// code is what the advice for races has to know of a function: its flow graph, and
// where all threads of a CTA come by, or all lanes of a warp. Elsewhere a barrier
// would wait for ever.
type code struct {
	fn     *isa.Func
	blocks []flow.Block
	fl     *flow.Graph
	// By block: those that are on all ways to it, and on all ways from it to an end.
	dominators, postdominators []blockSet
	forCTA, forWarp            []bool // by block
	// Where those threads of a CTA, or lanes of a warp, come by that have not ended
	// before: barriers do not wait for others.
	leftOfCTA, leftOfWarp []bool
	big                   bool // nothing is known: see mostBlocks
}

// mostBlocks is the most blocks of a function in which places are looked for: it takes
// the cube of their number.
const mostBlocks = 500

// blockSet is a set of blocks by number.
type blockSet []uint64

func (s blockSet) has(b int) bool { return s[b/64]>>(b%64)&1 != 0 }

// codeOf looks at a function, of which the branches are known that lanes of a warp
// parted at.
func codeOf(fn *isa.Func, parted []bool) *code {
	fl := flow.New(fn)
	c := &code{fn: fn, fl: fl, blocks: fl.Blocks()}
	if c.big = len(c.blocks) > mostBlocks; c.big {
		return c
	}
	c.dominators = c.onAllWays(func(b int) []int { return c.blocks[b].Pred }, func(b int) bool { return b == 0 })
	c.postdominators = c.onAllWays(func(b int) []int { return c.blocks[b].Succ }, func(b int) bool { return len(c.blocks[b].Succ) == 0 })
	if !fn.Entry { // who calls it is not looked at
		c.forCTA = make([]bool, len(c.blocks))
		c.forWarp, c.leftOfCTA, c.leftOfWarp = c.forCTA, c.forCTA, c.forCTA
		return c
	}
	parts := func(b int) bool { return len(c.blocks[b].Succ) > 1 && parted[c.blocks[b].End-1] }
	c.forWarp, c.leftOfWarp = c.passedByAll(parts), c.passedByAll(c.butEnds(parts))
	c.findForCTA()
	return c
}

// butEnds is which blocks part threads, but for those of which one side only ends: and
// does not wait for the other to do so together.
func (c *code) butEnds(parts func(b int) bool) func(b int) bool {
	return func(b int) bool {
		return parts(b) && !slices.ContainsFunc(c.blocks[b].Succ, func(s int) bool {
			start := c.blocks[s].Start
			if start == len(c.fn.Code) || c.postdominators[b].has(s) {
				return false
			}
			in := &c.fn.Code[start]
			return in.Guard == isa.NoReg && in.Spec != nil && (in.Spec.Kind == isa.Exit || in.Spec.Kind == isa.Return)
		})
	}
}

// onAllWays is, by block, itself and what is on all ways to it from the ends where
// they start.
func (c *code) onAllWays(before func(int) []int, isEnd func(int) bool) []blockSet {
	n := len(c.blocks)
	sets := make([]blockSet, n)
	for b := range sets {
		sets[b] = make(blockSet, (n+63)/64)
		for i := range sets[b] {
			sets[b][i] = ^uint64(0)
		}
	}
	for changed := true; changed; {
		changed = false
		for b := range sets {
			for i := range sets[b] {
				word := ^uint64(0)
				for _, p := range before(b) {
					word &= sets[p][i]
				}
				if isEnd(b) {
					word = 0
				}
				if b/64 == i {
					word |= 1 << (b % 64)
				}
				changed = changed || word != sets[b][i]
				sets[b][i] = word
			}
		}
	}
	return sets
}

// passedByAll are the blocks that do not depend on branches, at the ends of blocks,
// at which threads part: nor on blocks that do.
func (c *code) passedByAll(parts func(b int) bool) []bool {
	all := make([]bool, len(c.blocks))
	for b := range all {
		all[b] = true
	}
	for changed := true; changed; {
		changed = false
		for x := range c.blocks {
			if all[x] && !parts(x) {
				continue
			}
			for _, s := range c.blocks[x].Succ {
				for b := range all {
					if all[b] && c.postdominators[s].has(b) && (b == x || !c.postdominators[x].has(b)) {
						all[b], changed = false, true
					}
				}
			}
		}
	}
	return all
}

// findForCTA finds the blocks that all threads of a CTA come by. A register differs
// between threads if it is computed from their numbers or from memory, or where not
// all of them come by.
func (c *code) findForCTA() {
	differs := make([]bool, len(c.fn.Regs))
	c.forCTA = slices.Repeat([]bool{true}, len(c.blocks))
	for changed := true; changed; {
		changed = false
		for pc := range c.fn.Code {
			in := &c.fn.Code[pc]
			if in.Spec == nil || in.Later != "" || c.forCTA[c.fl.BlockOf(pc)] && !differently(differs, in) {
				continue
			}
			for ref := range in.Refs {
				if ref.Role.Writes() {
					changed = changed || !differs[ref.Reg]
					differs[ref.Reg] = true
				}
			}
		}
		parts := func(b int) bool {
			last := c.blocks[b].End - 1
			return last >= 0 && len(c.blocks[b].Succ) > 1 && differently(differs, &c.fn.Code[last])
		}
		now := c.passedByAll(parts)
		changed = changed || !slices.Equal(now, c.forCTA)
		c.forCTA, c.leftOfCTA = now, c.passedByAll(c.butEnds(parts))
	}
}

// differently reports whether an instruction may have different results in the
// threads of a CTA, some of whose registers differ.
func differently(differs []bool, in *isa.Instr) bool {
	if in.Guard != isa.NoReg && differs[in.Guard] {
		return true
	}
	switch in.Spec.Kind {
	case isa.Load:
		return in.Mods.MemSpace() != isa.Param && in.Mods.MemSpace() != isa.Const
	case isa.Barrier: // a reduction gives all the same
		return false
	case isa.Atomic, isa.CallKind, isa.Shuffle, isa.Vote:
		return true
	}
	for special := range in.Specials {
		if !sameInCTA(special) {
			return true
		}
	}
	for ref := range in.Refs {
		if ref.Role == isa.ReadSource && differs[ref.Reg] {
			return true
		}
	}
	return false
}

// sameInCTA reports whether all threads of a CTA read the same in a special register.
func sameInCTA(s isa.Special) bool {
	return s >= isa.NtidX && s <= isa.NtidZ || s >= isa.NctaidX && s <= isa.NctaidZ || s >= isa.CtaidX && s <= isa.CtaidZ
}

// between is the latest place before the instruction at PC b, but behind that at a,
// that all come by on the way, in one round of the loops that both are in: an
// instruction that a barrier may stand before. ok is false if there is none. Second
// best is where all that are left come by, of whom none has ended that was at a.
func (c *code) between(a, b int, all, left []bool) (pc int, ok bool) {
	if pc, ok = c.latest(a, b, func(pc int) bool { return all[c.fl.BlockOf(pc)] }); ok {
		return pc, true
	}
	return c.latest(a, b, func(pc int) bool { return left[c.fl.BlockOf(pc)] && !c.endsWithout(a, pc) })
}

// latest is between where good says which places will do.
func (c *code) latest(a, b int, good func(pc int) bool) (pc int, ok bool) {
	for block := c.fl.BlockOf(b); block >= 0; block = c.above(block) {
		pc := b
		if block != c.fl.BlockOf(b) {
			pc = c.last(block)
		}
		if good(pc) && c.separates(pc, a, b) {
			return pc, true
		}
	}
	for block := c.fl.BlockOf(a); block >= 0; block = c.below(block) {
		pc := c.blocks[block].Start
		if block == c.fl.BlockOf(a) {
			pc = a + 1
		}
		if pc < len(c.fn.Code) && c.fl.BlockOf(pc) == block && good(pc) && c.separates(pc, a, b) {
			return pc, true
		}
	}
	return 0, false
}

// endsWithout reports whether threads that were at the instruction at a may end without
// having come by pc.
func (c *code) endsWithout(a, pc int) bool {
	for at := range c.fn.Code {
		in := &c.fn.Code[at]
		if in.Spec != nil && (in.Spec.Kind == isa.Exit || in.Spec.Kind == isa.Return) && c.reaches(a, at, func(p int) bool { return p == pc }) {
			return true
		}
	}
	return false
}

// last is the last instruction of a block.
func (c *code) last(block int) int { return max(c.blocks[block].End-1, c.blocks[block].Start) }

// above and below are the nearest blocks that are on all ways to one, and from one;
// or -1.
func (c *code) above(block int) int { return nearest(c.dominators, block) }
func (c *code) below(block int) int { return nearest(c.postdominators, block) }

func nearest(sets []blockSet, block int) int {
	most, at := 0, -1
	for b := range sets {
		if b == block || !sets[block].has(b) {
			continue
		}
		n := 0
		for _, word := range sets[b] {
			n += bits.OnesCount64(word)
		}
		if n > most {
			most, at = n, b
		}
	}
	return at
}

// separates reports whether all ways from the instruction at a to that at b, in one
// round of the loops that both are in, come by pc, and there are such ways.
func (c *code) separates(pc, a, b int) bool {
	return c.reaches(a, b, nowhere) && !c.reaches(a, b, func(at int) bool { return at == pc })
}

func nowhere(int) bool { return false }

// hasBarrier reports whether there is a barrier for all threads of the CTA on all ways
// from one instruction to another.
func (c *code) hasBarrier(a, b int) bool {
	return !c.reaches(a, b, func(pc int) bool {
		in := &c.fn.Code[pc]
		return in.Spec != nil && in.Spec.Kind == isa.Barrier && in.Guard == isa.NoReg && in.Mods[isa.BarOp] == isa.BarSync && len(in.Args) == 1
	})
}

// reaches reports whether there is a way from behind the instruction at a to that at b,
// in one round of the loops that both are in, that does not come by a place to avoid.
func (c *code) reaches(a, b int, avoid func(pc int) bool) bool {
	seen := make([]bool, len(c.blocks))
	var from func(at int) bool
	from = func(at int) bool {
		block := c.fl.BlockOf(at)
		for ; at < c.blocks[block].End; at++ {
			if avoid(at) {
				return false
			}
			if at == b {
				return true
			}
		}
		for _, s := range c.blocks[block].Succ {
			again := c.dominators[block].has(s) && c.inLoop(s, a) && c.inLoop(s, b)
			if !seen[s] && !again {
				if seen[s] = true; c.blocks[s].Start < len(c.fn.Code) && from(c.blocks[s].Start) {
					return true
				}
			}
		}
		return false
	}
	if next := a + 1; next < len(c.fn.Code) && c.fl.BlockOf(next) == c.fl.BlockOf(a) {
		return from(next)
	}
	for _, s := range c.blocks[c.fl.BlockOf(a)].Succ {
		again := c.dominators[c.fl.BlockOf(a)].has(s) && c.inLoop(s, a) && c.inLoop(s, b)
		if seen[s] = true; !again && c.blocks[s].Start < len(c.fn.Code) && from(c.blocks[s].Start) {
			return true
		}
	}
	return false
}

// inLoop reports whether an instruction is in a loop that a block is the head of: a
// block that leads back to it.
func (c *code) inLoop(head, pc int) bool {
	block := c.fl.BlockOf(pc)
	if !c.dominators[block].has(head) {
		return false
	}
	seen := make([]bool, len(c.blocks))
	var back func(b int) bool
	back = func(b int) bool {
		for _, s := range c.blocks[b].Succ {
			if s == head {
				return true
			}
			if !seen[s] && c.dominators[s].has(head) {
				if seen[s] = true; back(s) {
					return true
				}
			}
		}
		return false
	}
	return back(block)
}

// head is the first instruction of the innermost loop that both instructions are in; ok
// is false if there is none.
func (c *code) head(a, b int) (pc int, ok bool) {
	if c.big {
		return 0, false
	}
	for block := c.fl.BlockOf(a); block >= 0; block = c.above(block) {
		if c.inLoop(block, a) && c.inLoop(block, b) {
			return c.blocks[block].Start, true
		}
	}
	return 0, false
}
