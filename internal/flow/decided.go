package flow

import "github.com/simtrun/simtrun/internal/isa"

// mostBefore is how many blocks before an edge are searched for what decides a branch after it.
const mostBefore = 4

// Decided returns for a guarded direct branch at the end of block b whether it is taken, by index of b's predecessor,
// if each of them decides that: by the branch through which lanes come from it. It returns nil otherwise.
func (g *Graph) Decided(f *isa.Func, b int) (taken []bool) {
	c := &counting{f: f, g: g}
	block := &g.blocks[b]
	if b == 0 || len(block.Pred) == 0 {
		return nil
	}
	branch := &f.Code[block.End-1]
	if !branch.Is(isa.Branch) || branch.Guard == isa.NoReg || branch.Args[0].Kind != isa.LabelOperand {
		return nil
	}
	for _, p := range block.Pred {
		after, possible := c.along(c.before(int32(p), mostBefore), int32(p), int32(b))
		if !possible {
			return nil
		}
		holds, known := c.pass(after, int32(b)).truth(branch.Guard)
		if !known {
			return nil
		}
		taken = append(taken, holds != branch.GuardNot)
	}
	return taken
}

// before returns what is known at the end of a block by way of up to most blocks that alone lead to it. To block 0
// callers lead, too.
func (c *counting) before(b int32, most int) *facts {
	known := &facts{}
	if from := c.g.blocks[b].Pred; b != 0 && len(from) == 1 && most > 0 && from[0] != int(b) {
		if f, possible := c.along(c.before(int32(from[0]), most-1), int32(from[0]), b); possible {
			known = f
		}
	}
	return c.pass(known.copied(), b)
}
