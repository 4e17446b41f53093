package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// Lanes that diverge in code for full warps have code of their own up to their reconvergence PC. Values that were
// scalar and are not written on the way stay scalar. In code for any mask there are almost no scalars, because it
// computes vectors from the first instruction on.

// mostDivergent bounds the number of blocks of a divergent region. Lanes that diverge at the start of a longer one
// leave code, which takes a small part of the time that the region takes. Without a bound, each branch out of the
// middle of a long function would cost as much time to compile as all blocks after it.
const mostDivergent = 256

// divergentRegion is the blocks between a divergent branch in code for full warps and its reconvergence PC.
type divergentRegion struct {
	join    int   // the block at the reconvergence PC
	blocks  []int // without join
	written set   // slots that code writes in the region
	read    set   // slots that instructions in it read in memory
}

// findDiverging finds the branches at which lanes may diverge in code.
func (p *plan) findDiverging() {
	blocks := p.f.Graph.Blocks()
	p.diverging = zeroed(p.diverging, len(blocks))
	w := divergentWalk{plan: p, seen: make([]int, len(blocks))}
	for b := range blocks {
		if p.inside[b] && p.endsInBranch(b) {
			_, _, p.diverging[b] = w.from(b)
		}
	}
	p.walked = w.visits
}

// endsInBranch reports whether block b ends in a branch that has a reconvergence PC, and that no lane leaves its exit
// region by.
func (p *plan) endsInBranch(b int) bool {
	block := &p.f.Graph.Blocks()[b]
	pc := min(block.End, len(p.f.Src.Code)) - 1
	if p.f.Graph.Region(b) == flow.None || pc < block.Start || p.steps[pc].kind != stepJump || !p.steps[pc].guarded || p.steps[pc].trail || p.steps[pc].info.Leaves {
		return false
	}
	return p.f.Graph.Reconvergence(pc) != flow.None && int(p.steps[pc].info.Target) != pc+1
}

// mayDiverge reports whether lanes may diverge in code at the end of block b.
func (p *plan) mayDiverge(b int) bool { return p.diverging[b] }

// divergentWalk finds the blocks of divergent regions.
type divergentWalk struct {
	*plan
	seen   []int // by block: 1 more than the number of the latest block from which a walk met it
	all    []int // memory of from
	visits int   // of blocks
}

// from returns the blocks of the region that begins at the branch at the end of block b, without join, at which it
// ends. They are valid until the next call. It returns false if the region is too long, or partly outside of the part
// of the function.
func (w *divergentWalk) from(b int) (all []int, join int, ok bool) {
	blocks := w.f.Graph.Blocks()
	join = w.f.Graph.BlockOf(w.f.Graph.Reconvergence(blocks[b].Start))
	if !w.inside[join] || !w.part.has(blocks[join].Start) {
		return nil, join, false
	}
	w.all = w.all[:0]
	meet := func(next []int) {
		for _, at := range next {
			if at != join && w.seen[at] != b+1 {
				w.seen[at], w.all = b+1, append(w.all, at)
			}
		}
	}
	meet(blocks[b].Succ)
	for i := 0; i < len(w.all); i++ {
		w.visits++
		at := &blocks[w.all[i]]
		if start, end := w.part.within(at); len(w.all) > mostDivergent || start != at.Start || end != at.End || !w.inside[w.all[i]] {
			return nil, join, false
		}
		meet(at.Succ)
	}
	return w.all, join, true
}

// region returns the region that begins at the branch at the end of block b.
func (w *divergentWalk) region(b int) *divergentRegion {
	all, join, _ := w.from(b)
	a := &divergentRegion{join: join, blocks: slices.Clone(all), written: newSet(len(w.s.all)), read: newSet(len(w.s.all))}
	for _, in := range a.blocks {
		block := &w.f.Graph.Blocks()[in]
		for pc := block.Start; pc < block.End; pc++ {
			for _, d := range w.steps[pc].results() {
				a.written.add(d.slot)
			}
			w.steps[pc].eachInSlot(&w.s, a.read.add)
		}
	}
	return a
}

// findDivergent finds the blocks that have code for diverged lanes, and the classes in them: slots that this code does
// not write keep their class at the divergence.
func (p *plan) findDivergent() {
	blocks := p.f.Graph.Blocks()
	p.divergent.classes.clear(&p.live, p.steps)
	p.inDivergent, p.divergentAt = zeroed(p.inDivergent, len(blocks)), zeroed(p.divergentAt, len(blocks))
	p.arrivesAt = zeroed(p.arrivesAt, len(blocks))
	work, joins := &p.divergent.classes.work, make([]joinsOf, len(blocks))
	walk := divergentWalk{plan: p, seen: make([]int, len(blocks))}
	work.clear(p.f.Graph)
	now := make([]class, len(p.s.all))
	for b := range blocks {
		if !p.mayDiverge(b) {
			continue
		}
		a := walk.region(b)
		p.divergentAt[b] = a
		p.arrivesAt[a.join] = true
		for _, in := range a.blocks {
			joins[in].add(a.join)
		}
		if p.full.arms[b] {
			continue
		}
		copy(now, p.full.classes.in[b])
		p.full.classes.block(now, &p.live, b, false)
		for _, side := range blocks[b].Succ {
			if side != a.join {
				p.inDivergent[side] = true
				p.divergent.classes.meet(&p.live, side, now)
				work.add(side)
			}
		}
	}
	p.walked += walk.visits
	for p.divergent.classes.visits = 0; !work.isEmpty(); p.divergent.classes.visits++ {
		b := work.take()
		copy(now, p.divergent.classes.in[b])
		p.divergent.classes.block(now, &p.live, b, true)
		for _, next := range blocks[b].Succ {
			if joins[b].staysTogether(next) && (p.divergent.classes.meet(&p.live, next, now) || !p.inDivergent[next]) {
				p.inDivergent[next] = true
				work.add(next)
			}
		}
	}
}

// joinsOf says at which blocks the divergent regions that have a block end.
type joinsOf struct {
	first   int // 1 more than the number of the first such block; 0 if no region has the block
	several bool
}

func (j *joinsOf) add(join int) {
	if j.first == 0 {
		j.first = join + 1
	}
	j.several = j.several || j.first != join+1
}

// staysTogether reports whether one of the regions has next, too, to which the block leads: it does not end there.
func (j *joinsOf) staysTogether(next int) bool { return j.several || j.first != 0 && j.first != next+1 }

// deferring divides the scalars at a divergence into those that code writes to their slots at once, and those that
// are deferred: they stay only in their spill slots, because nothing reads or writes their slots before the
// reconvergence and all code up to there and after it takes them as scalars. If code exits earlier, they are written
// to their slots then.
func (p *plan) deferring(all []jit.Scalar, diverged []class, apart *divergentRegion) (now, deferred []jit.Scalar) {
	for _, s := range all {
		id := p.s.lookup(s.Slot)
		stays := !apart.written.has(id) && !apart.read.has(id)
		if p.live.in[apart.join].has(id) {
			stays = stays && p.full.classes.in[apart.join][id] == diverged[id]
		}
		for _, b := range apart.blocks {
			if !stays {
				break
			}
			if p.live.in[b].has(id) {
				stays = p.divergent.classes.in[b][id] == diverged[id]
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
