package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// Lanes that diverge in code for full warps have code of their own up to their reconvergence PC. Values that were
// scalar and are not written on the way stay scalar. In code for any mask there are almost no scalars, because it
// computes vectors from the first instruction on.

// apart is a divergent region: the blocks between a divergent branch in code for full warps and its reconvergence PC.
type apart struct {
	join    int    // the block at the reconvergence PC
	blocks  []bool // by block; without join
	written set    // slots that code writes in the region
}

// between returns the divergent region from some blocks to another.
func (c *compiler) between(join int, from ...int) *apart {
	a := &apart{join, make([]bool, len(c.f.Graph.Blocks())), newSet(len(c.s.all))}
	for len(from) > 0 {
		b := from[len(from)-1]
		from = from[:len(from)-1]
		if b == join || a.blocks[b] {
			continue
		}
		a.blocks[b] = true
		block := &c.f.Graph.Blocks()[b]
		for pc := block.Start; pc < block.End; pc++ {
			for _, d := range c.steps[pc].results() {
				a.written.add(d.slot)
			}
		}
		from = append(from, block.Succ...)
	}
	return a
}

// mayDiverge reports whether lanes may diverge in code at the end of block b.
func (c *compiler) mayDiverge(b int) bool {
	block := &c.f.Graph.Blocks()[b]
	pc := min(block.End, len(c.f.Src.Code)) - 1
	if c.f.Graph.Region(b) == flow.None || pc < block.Start || c.steps[pc].kind != stepJump || !c.steps[pc].guarded || c.steps[pc].info.Leaves {
		return false
	}
	return c.f.Graph.Reconvergence(pc) != flow.None && int(c.steps[pc].info.Target) != pc+1
}

// findApart finds the blocks that have code for diverged lanes, and the classes in them: slots that this code does
// not write keep their class at the divergence.
func (c *compiler) findApart() {
	blocks := c.f.Graph.Blocks()
	c.apart.classes.clear(&c.live, c.steps)
	c.inApart, c.apartAt = zeroed(c.inApart, len(blocks)), zeroed(c.apartAt, len(blocks))
	var work []int
	now := make([]class, len(c.s.all))
	for b := range blocks {
		if !c.mayDiverge(b) {
			continue
		}
		pc := blocks[b].End - 1
		sides := [...]int{c.f.Graph.BlockOf(int(c.steps[pc].info.Target)), c.f.Graph.BlockOf(pc + 1)}
		a := c.between(c.f.Graph.BlockOf(c.f.Graph.Reconvergence(pc)), sides[0], sides[1])
		c.apartAt[b] = a
		if c.full.sides[b] {
			continue
		}
		copy(now, c.full.classes.in[b])
		c.full.classes.block(now, &c.live, b, false)
		for _, side := range sides {
			if a.blocks[side] {
				c.inApart[side] = true
				c.apart.classes.meet(&c.live, side, now)
				work = append(work, side)
			}
		}
	}
	together := func(b, next int) bool {
		return slices.ContainsFunc(c.apartAt, func(a *apart) bool { return a != nil && a.blocks[b] && a.blocks[next] })
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		copy(now, c.apart.classes.in[b])
		c.apart.classes.block(now, &c.live, b, true)
		for _, next := range blocks[b].Succ {
			if together(b, next) && (c.apart.classes.meet(&c.live, next, now) || !c.inApart[next]) {
				c.inApart[next] = true
				work = append(work, next)
			}
		}
	}
}

// deferring divides the scalars at a divergence into those that code writes to their slots at once, and those that
// are deferred: they stay only in their spill slots (homes), because nothing writes their slots before the
// reconvergence and all code up to there and after it takes them as scalars. If code exits earlier, they are written
// to their slots then.
func (c *compiler) deferring(all []jit.Scalar, diverged []class, apart *apart) (now, deferred []jit.Scalar) {
	for _, s := range all {
		id := c.s.lookup(s.Slot)
		stays := !apart.written.has(id)
		if c.live.in[apart.join].has(id) {
			stays = stays && c.full.classes.in[apart.join][id] == diverged[id]
		}
		for b, in := range apart.blocks {
			if in && c.live.in[b].has(id) {
				stays = stays && c.apart.classes.in[b][id] == diverged[id]
			}
		}
		if stays {
			deferred = append(deferred, s)
		} else {
			now = append(now, s)
		}
	}
	return now, deferred
}

// behindApart writes block b of the code for diverged lanes when it is their reconvergence PC, where they wait for
// the others.
func (c *compiler) behindApart(b int) {
	block := &c.f.Graph.Blocks()[b]
	pc := block.Start
	c.e.Bind(c.blocks[b])
	c.e.ExitAtStop(pc, c.later(func() { c.e.Arrive(c.arrive, c.arrivedAt(pc, &c.apart)) }))
	c.e.Bind(c.bodies[b])
	n := len(c.out.exits)
	c.out.exits = append(c.out.exits, Exit{Why: AtOp, PC: pc, First: pc, Until: pc})
	c.e.Exit(c.exit, c.none, n)
}
