package flow

import "github.com/simtrun/simtrun/internal/isa"

// WaitingLoops returns by block the number of instructions of a loop there in which a lane may wait for others; 0 for
// blocks in which it cannot. That is a part of a loop as in Loops, from which cut has cut all edges that it can, with
// an instruction for which polls holds. No lane waits on a path through an instruction for which moves holds: it
// changes memory each time. A lane that counts its tries may wait nevertheless.
func (g *Graph) WaitingLoops(f *isa.Func, polls, moves func(pc int) bool) []int {
	c := newCounting(g, f)
	sizes := make([]int, len(g.blocks))
	for _, loop := range c.parts(g.allBlocks()) {
		c.enter(loop)
		for _, b := range loop {
			if g.has(b, moves) {
				c.succ[b] = nil
			}
		}
		for work := c.parts(loop); len(work) > 0; {
			part := work[len(work)-1]
			work = work[:len(work)-1]
			switch {
			case !g.anyHas(part, polls):
			case c.cut(part):
				work = append(work, c.parts(part)...)
			default:
				size := 0
				for _, b := range part {
					size += g.blocks[b].End - g.blocks[b].Start
				}
				for _, b := range part {
					sizes[b] = size
				}
			}
		}
	}
	return sizes
}

// anyHas reports whether one of several blocks has an instruction for which a condition holds.
func (g *Graph) anyHas(blocks []int32, condition func(pc int) bool) bool {
	for _, b := range blocks {
		if g.has(b, condition) {
			return true
		}
	}
	return false
}

// allBlocks returns the numbers of all blocks.
func (g *Graph) allBlocks() []int32 {
	all := make([]int32, len(g.blocks))
	for b := range all {
		all[b] = int32(b)
	}
	return all
}
