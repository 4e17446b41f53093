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
type divergentRegion struct {
	join    int    // the block at the reconvergence PC
	blocks  []bool // by block; without join
	written set    // slots that code writes in the region
}

// between returns the divergent region from some blocks to another.
func (p *plan) divergentBetween(join int, from ...int) *divergentRegion {
	a := &divergentRegion{join, make([]bool, len(p.f.Graph.Blocks())), newSet(len(p.s.all))}
	for len(from) > 0 {
		b := from[len(from)-1]
		from = from[:len(from)-1]
		if b == join || a.blocks[b] {
			continue
		}
		a.blocks[b] = true
		block := &p.f.Graph.Blocks()[b]
		for pc := block.Start; pc < block.End; pc++ {
			for _, d := range p.steps[pc].results() {
				a.written.add(d.slot)
			}
		}
		from = append(from, block.Succ...)
	}
	return a
}

// mayDiverge reports whether lanes may diverge in code at the end of block b.
func (p *plan) mayDiverge(b int) bool {
	block := &p.f.Graph.Blocks()[b]
	pc := min(block.End, len(p.f.Src.Code)) - 1
	if p.f.Graph.Region(b) == flow.None || pc < block.Start || p.steps[pc].kind != stepJump || !p.steps[pc].guarded || p.steps[pc].info.Leaves {
		return false
	}
	rpc := p.f.Graph.Reconvergence(pc)
	return rpc != flow.None && int(p.steps[pc].info.Target) != pc+1 && p.staysInside(b, p.f.Graph.BlockOf(rpc))
}

// findDivergent finds the blocks that have code for diverged lanes, and the classes in them: slots that this code does
// not write keep their class at the divergence.
func (p *plan) findDivergent() {
	blocks := p.f.Graph.Blocks()
	p.divergent.classes.clear(&p.live, p.steps)
	p.inDivergent, p.divergentAt = zeroed(p.inDivergent, len(blocks)), zeroed(p.divergentAt, len(blocks))
	var work []int
	now := make([]class, len(p.s.all))
	for b := range blocks {
		if !p.mayDiverge(b) {
			continue
		}
		pc := blocks[b].End - 1
		sides := [...]int{p.f.Graph.BlockOf(int(p.steps[pc].info.Target)), p.f.Graph.BlockOf(pc + 1)}
		a := p.divergentBetween(p.f.Graph.BlockOf(p.f.Graph.Reconvergence(pc)), sides[0], sides[1])
		p.divergentAt[b] = a
		if p.full.arms[b] {
			continue
		}
		copy(now, p.full.classes.in[b])
		p.full.classes.block(now, &p.live, b, false)
		for _, side := range sides {
			if a.blocks[side] {
				p.inDivergent[side] = true
				p.divergent.classes.meet(&p.live, side, now)
				work = append(work, side)
			}
		}
	}
	together := func(b, next int) bool {
		return slices.ContainsFunc(p.divergentAt, func(a *divergentRegion) bool { return a != nil && a.blocks[b] && a.blocks[next] })
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		copy(now, p.divergent.classes.in[b])
		p.divergent.classes.block(now, &p.live, b, true)
		for _, next := range blocks[b].Succ {
			if together(b, next) && (p.divergent.classes.meet(&p.live, next, now) || !p.inDivergent[next]) {
				p.inDivergent[next] = true
				work = append(work, next)
			}
		}
	}
}

// deferring divides the scalars at a divergence into those that code writes to their slots at once, and those that
// are deferred: they stay only in their spill slots, because nothing writes their slots before the
// reconvergence and all code up to there and after it takes them as scalars. If code exits earlier, they are written
// to their slots then.
func (p *plan) deferring(all []jit.Scalar, diverged []class, apart *divergentRegion) (now, deferred []jit.Scalar) {
	for _, s := range all {
		id := p.s.lookup(s.Slot)
		stays := !apart.written.has(id)
		if p.live.in[apart.join].has(id) {
			stays = stays && p.full.classes.in[apart.join][id] == diverged[id]
		}
		for b, in := range apart.blocks {
			if in && p.live.in[b].has(id) {
				stays = stays && p.divergent.classes.in[b][id] == diverged[id]
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

// reconvergenceBlock writes block b of the code for diverged lanes when it is their reconvergence PC, where they wait
// for the others.
func (c *compiler) reconvergenceBlock(b int) {
	block := &c.f.Graph.Blocks()[b]
	pc := block.Start
	c.e.Bind(c.blocks[b])
	c.e.ExitAtStop(c.origin(pc), c.stub(func() { c.e.Arrive(c.arrive, c.arrivedAt(pc, &c.divergent)) }))
	c.e.Bind(c.bodies[b])
	n := len(c.out.exits)
	c.out.exits = append(c.out.exits, Exit{Why: AtOp, PC: pc, First: pc, Until: pc})
	c.e.Exit(c.exit, c.none, n)
}
