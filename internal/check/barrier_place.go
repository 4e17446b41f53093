package check

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// code is the analysis of a function for the advice on races: its flow graph, and the blocks that all threads of a
// CTA, or all lanes of a warp, execute. Only there a barrier can be inserted; in other blocks it would wait forever.
type code struct {
	fn     *isa.Func
	blocks []flow.Block
	fl     *flow.Graph
	// By block.
	dominators, postdominators []blockSet
	allOfCTA, allOfWarp        []bool // executed by all threads of the CTA, or lanes of the warp
	liveOfCTA, liveOfWarp      []bool // executed by all that have not exited, which are all that barriers wait for
	big                        bool   // the function is not analysed: see mostBlocks
}

// mostBlocks is the maximum number of blocks of a function that is analysed. The analysis takes time cubic in their
// number.
const mostBlocks = 500

// blockSet is a set of blocks by number.
type blockSet []uint64

func (s blockSet) has(b int) bool { return s[b/64]>>(b%64)&1 != 0 }

// codeOf analyses a function. Diverged has, by PC, the branches at which warps diverged.
func codeOf(fn *isa.Func, diverged []bool) *code {
	fl := flow.New(fn)
	c := &code{fn: fn, fl: fl, blocks: fl.Blocks()}
	if c.big = len(c.blocks) > mostBlocks; c.big {
		return c
	}
	c.dominators = c.onAllPaths(func(b int) []int { return c.blocks[b].Pred }, func(b int) bool { return b == 0 })
	c.postdominators = c.onAllPaths(func(b int) []int { return c.blocks[b].Succ }, func(b int) bool { return len(c.blocks[b].Succ) == 0 })
	if !fn.Entry { // its callers are not analysed
		c.allOfCTA = make([]bool, len(c.blocks))
		c.allOfWarp, c.liveOfCTA, c.liveOfWarp = c.allOfCTA, c.allOfCTA, c.allOfCTA
		return c
	}
	diverges := func(b int) bool { return len(c.blocks[b].Succ) > 1 && diverged[c.blocks[b].End-1] }
	c.allOfWarp, c.liveOfWarp = c.unconditional(diverges), c.unconditional(c.exceptExits(diverges))
	c.findAllOfCTA()
	return c
}

// exceptExits is diverges without the blocks at which one side exits at once, at a place that the other side does not
// reach.
func (c *code) exceptExits(diverges func(b int) bool) func(b int) bool {
	return func(b int) bool {
		return diverges(b) && !slices.ContainsFunc(c.blocks[b].Succ, func(s int) bool {
			start := c.blocks[s].Start
			if start == len(c.fn.Code) || c.postdominators[b].has(s) {
				return false
			}
			in := &c.fn.Code[start]
			return in.Guard == isa.NoReg && in.Spec != nil && (in.Spec.Kind == isa.Exit || in.Spec.Kind == isa.Return)
		})
	}
}

// onAllPaths returns by block the blocks on all paths from the roots to it, including itself: its dominators. With
// successors as preds and exits as roots these are its postdominators.
func (c *code) onAllPaths(preds func(int) []int, isRoot func(int) bool) []blockSet {
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
				for _, p := range preds(b) {
					word &= sets[p][i]
				}
				if isRoot(b) {
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

// unconditional returns the blocks that are not control dependent, directly or indirectly, on a block at the end of
// which threads diverge.
func (c *code) unconditional(diverges func(b int) bool) []bool {
	all := make([]bool, len(c.blocks))
	for b := range all {
		all[b] = true
	}
	for changed := true; changed; {
		changed = false
		for x := range c.blocks {
			if all[x] && !diverges(x) {
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

// findAllOfCTA finds the blocks that all threads of a CTA execute. A register may vary between threads if it is
// computed from their indices or from memory, or in a block that not all of them execute.
func (c *code) findAllOfCTA() {
	varying := make([]bool, len(c.fn.Regs))
	c.allOfCTA = slices.Repeat([]bool{true}, len(c.blocks))
	for changed := true; changed; {
		changed = false
		for pc := range c.fn.Code {
			in := &c.fn.Code[pc]
			if in.Spec == nil || in.Later != "" || c.allOfCTA[c.fl.BlockOf(pc)] && !varies(varying, in) {
				continue
			}
			for ref := range in.Refs {
				if ref.Role.Writes() {
					changed = changed || !varying[ref.Reg]
					varying[ref.Reg] = true
				}
			}
		}
		diverges := func(b int) bool {
			last := c.blocks[b].End - 1
			return last >= 0 && len(c.blocks[b].Succ) > 1 && varies(varying, &c.fn.Code[last])
		}
		now := c.unconditional(diverges)
		changed = changed || !slices.Equal(now, c.allOfCTA)
		c.allOfCTA, c.liveOfCTA = now, c.unconditional(c.exceptExits(diverges))
	}
}

// varies reports whether an instruction may have different results in threads of a CTA, given the registers that
// vary.
func varies(varying []bool, in *isa.Instr) bool {
	if in.Guard != isa.NoReg && varying[in.Guard] {
		return true
	}
	switch in.Spec.Kind {
	case isa.Load:
		return in.Mods.MemSpace() != isa.Param && in.Mods.MemSpace() != isa.Const
	case isa.Barrier: // a reduction has the same result in all threads
		return false
	case isa.Atomic, isa.CallKind, isa.Shuffle, isa.Vote, isa.Matrix, isa.TensorMemory:
		return true
	}
	for special := range in.Specials {
		if !sameInCTA(special) {
			return true
		}
	}
	for ref := range in.Refs {
		if ref.Role == isa.ReadSource && varying[ref.Reg] {
			return true
		}
	}
	return false
}

// sameInCTA reports whether all threads of a CTA read the same value from a special register.
func sameInCTA(s isa.Special) bool {
	return s >= isa.NtidX && s <= isa.NtidZ || s >= isa.NctaidX && s <= isa.NctaidZ || s >= isa.CtaidX && s <= isa.CtaidZ
}

// between returns the latest instruction, up to the one at PC b and after the one at a, before which a barrier can be
// inserted: it is on all paths from a to b, in one iteration of the loops that both are in, and all threads execute
// it. The second choice is an instruction that all live threads execute, if no thread that executed a has exited. ok
// is false if there is none.
func (c *code) between(a, b int, all, live []bool) (pc int, ok bool) {
	if pc, ok = c.latest(a, b, func(pc int) bool { return all[c.fl.BlockOf(pc)] }); ok {
		return pc, true
	}
	return c.latest(a, b, func(pc int) bool { return live[c.fl.BlockOf(pc)] && !c.endsWithout(a, pc) })
}

// latest is between, restricted to instructions for which good holds.
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

// endsWithout reports whether threads may exit after the instruction at a without having executed the one at pc.
func (c *code) endsWithout(a, pc int) bool {
	for at := range c.fn.Code {
		in := &c.fn.Code[at]
		if in.Spec != nil && (in.Spec.Kind == isa.Exit || in.Spec.Kind == isa.Return) && c.reaches(a, at, func(p int) bool { return p == pc }) {
			return true
		}
	}
	return false
}

// last returns the last instruction of a block.
func (c *code) last(block int) int { return max(c.blocks[block].End-1, c.blocks[block].Start) }

// above and below return the immediate dominator and the immediate postdominator of a block; -1 if it has none.
func (c *code) above(block int) int { return immediate(c.dominators, block) }
func (c *code) below(block int) int { return immediate(c.postdominators, block) }

// immediate returns the member of a block's set, other than the block, that has the largest set.
func immediate(sets []blockSet, block int) int {
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

// separates reports whether there are paths from the instruction at a to the one at b, in one iteration of the loops
// that both are in, and pc is on all of them.
func (c *code) separates(pc, a, b int) bool {
	return c.reaches(a, b, nowhere) && !c.reaches(a, b, func(at int) bool { return at == pc })
}

func nowhere(int) bool { return false }

// hasBarrier reports whether there is a barrier for all threads of the CTA on all paths from the instruction at a to
// the one at b.
func (c *code) hasBarrier(a, b int) bool {
	return !c.reaches(a, b, c.isBarrier)
}

// isBarrier reports whether an instruction is a barrier for all threads of the CTA.
func (c *code) isBarrier(pc int) bool {
	in := &c.fn.Code[pc]
	return in.Spec != nil && in.Spec.Kind == isa.Barrier && in.Guard == isa.NoReg && in.Mods[isa.BarOp] == isa.BarSync && len(in.Args) == 1
}

// reaches reports whether there is a path from the instruction after a to the one at b, in one iteration of the loops
// that both are in, that avoids certain instructions.
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

// reachesNext reports whether no barrier for all threads of the CTA has to come between the instruction at a, in one
// iteration of the loop at header, and the one at b in a later iteration. A thread that leaves the loop after a without
// a barrier does not arrive at those of later iterations.
func (c *code) reachesNext(a, b, header int) bool {
	loop := c.fl.BlockOf(header)
	return c.meets(a+1, c.fl.BlockOf(a), func(pc int) bool { return pc == header || !c.inLoop(loop, pc) }) &&
		c.meets(header, loop, func(pc int) bool { return pc == b })
}

// meets reports whether a path without a barrier for all threads of the CTA leads from an instruction, or the end, of a
// block to an instruction that is sought, or to the end of the code if that is.
func (c *code) meets(pc, block int, sought func(pc int) bool) bool {
	seen := make([]bool, len(c.blocks))
	var from func(at, block int) bool
	from = func(at, block int) bool {
		if at == len(c.fn.Code) {
			return sought(at)
		}
		for ; at < c.blocks[block].End; at++ {
			if sought(at) {
				return true
			}
			if c.isBarrier(at) {
				return false
			}
		}
		return slices.ContainsFunc(c.blocks[block].Succ, func(s int) bool {
			was := seen[s]
			seen[s] = true
			return !was && from(c.blocks[s].Start, s)
		})
	}
	return from(pc, block)
}

// inLoop reports whether an instruction is in the natural loop of a header block: the header dominates the
// instruction's block, and a path leads from that block back to the header.
func (c *code) inLoop(header, pc int) bool {
	block := c.fl.BlockOf(pc)
	if !c.dominators[block].has(header) {
		return false
	}
	seen := make([]bool, len(c.blocks))
	var back func(b int) bool
	back = func(b int) bool {
		for _, s := range c.blocks[b].Succ {
			if s == header {
				return true
			}
			if !seen[s] && c.dominators[s].has(header) {
				if seen[s] = true; back(s) {
					return true
				}
			}
		}
		return false
	}
	return back(block)
}

// loopHeader returns the first instruction of the innermost loop that both instructions are in; ok is false if there
// is none.
func (c *code) loopHeader(a, b int) (pc int, ok bool) {
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
