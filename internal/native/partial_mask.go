package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// Most functions are executed by full warps that do not diverge, and the code for other masks is the larger part. It
// is therefore compiled separately, when it is first needed: the code for diverged lanes, and that for any active
// mask.
//
// It is placed after the existing code, at a known distance. Existing code jumps there at only one kind of place,
// where lanes diverge, through addresses in the Context; so it need not be changed while other threads execute it.
// Before partial code exists, code exits at such places as if lanes were to diverge outside of code.

// links are the offsets of places in the code of a function to which partial code jumps.
type links struct {
	bodies                                                  []int32 // version.bodies
	enter, exit, expand, notEntered, turnOfSome, ask, lanes int32
}

// newLinks returns the links of the code that was just emitted: the offsets of labels to which the code for partial
// masks, compiled later, jumps.
func (c *compiler) newLinks() links {
	at := func(l jit.Label) int32 { return int32(c.e.Offset(l)) }
	k := links{bodies: make([]int32, len(c.full.bodies)), enter: at(c.full.enter), exit: at(c.full.exit), expand: at(c.expand), notEntered: at(c.notEntered), turnOfSome: at(c.turns.Some)}
	for b, l := range c.full.bodies {
		k.bodies[b] = at(l)
	}
	if c.notes {
		k.ask = at(c.ask)
	}
	if c.asksLanes {
		k.lanes = at(c.lanes)
	}
	return k
}

// link makes labels of these places, for code at an offset of the function's.
func (c *compiler) link(k *links, base int) {
	at := func(offset int32) jit.Label { return c.e.NewLabelAt(int(offset) - base) }
	c.full.bodies = c.full.bodies[:0]
	for _, offset := range k.bodies {
		c.full.bodies = append(c.full.bodies, at(offset))
	}
	c.full.enter, c.full.exit, c.expand, c.notEntered = at(k.enter), at(k.exit), at(k.expand), at(k.notEntered)
	c.turns, c.ask, c.lanes = &jit.TurnLabels{Some: at(k.turnOfSome)}, at(k.ask), at(k.lanes)
}

// writePartial adds partial code to a function, with loops that carry values in registers or not. If it is short of
// registers, there is no function.
func (c *compiler) writePartial(of *Func, carries bool) (with *Func, short bool, err error) {
	out := *of
	out.partial, out.some, out.exits = true, noEntries(c.entryCount()), append(c.exits[:0], of.exits...)
	out.trail = slices.Clone(of.trail)
	c.out, c.newExits = &out, len(of.exits)
	base := of.code.Next()
	c.begin(partialTimes * c.usualBytes(len(out.some)))
	c.carries = carries
	c.link(&of.links, base)
	c.newLabels(&c.divergent)
	c.newLabels(&c.some)
	c.divergent.exit, c.some.enter, c.some.exit = c.e.NewLabel(), c.e.NewLabel(), c.full.exit
	c.diverge, c.arrive, c.setMask = c.e.NewLabel(), c.e.NewLabel(), c.e.NewLabel()
	sides := c.writeContinuations()
	c.write(&c.divergent, true)
	c.write(&c.some, true)
	if c.g.short {
		return nil, true, nil
	}
	c.e.ExitRoutine(c.divergent.exit, true)
	c.e.EnterRoutine(c.some.enter, true)
	c.e.DivergeRoutine(c.diverge, c.setMask)
	c.e.ArriveRoutine(c.arrive, c.setMask)
	c.e.SetMaskRoutine(c.setMask)
	code, err := c.finishCode(base)
	if err != nil {
		return nil, false, err
	}
	if out.code, err = of.code.Append(code); err != nil {
		return nil, false, err
	}
	out.continuations = make([]uintptr, len(sides))
	for b, l := range sides {
		if c.divergentAt[b] != nil && !c.full.arms[b] {
			out.continuations[b] = out.code.Addr(base + c.e.Offset(l))
		}
	}
	return &out, false, nil
}

// writeContinuations writes, by block, the continuation of lanes that diverge at its end in code for full warps.
func (c *compiler) writeContinuations() []jit.Label {
	c.version, c.masked, c.loop = &c.full, false, nil
	at := make([]jit.Label, len(c.divergentAt))
	for b, a := range c.divergentAt {
		if a == nil || c.full.arms[b] {
			continue
		}
		copy(c.slotClass, c.classes.in[b])
		c.classes.block(c.slotClass, &c.live, b, false)
		at[b] = c.e.NewLabel()
		c.e.Bind(at[b])
		c.continuationAt(b, c.keep(c.slotClass))()
	}
	c.flush()
	return at
}

// continuationAt returns a function that writes the continuation of lanes that diverge at the end of block b. A
// scalar that is live on either side is written to its slot, unless it is deferred, because the results of a side are
// merged into slots under its mask.
func (c *compiler) continuationAt(b int, after []class) func() {
	graph, a := c.f.Graph, c.divergentAt[b]
	block := &graph.Blocks()[b]
	pc := block.End - 1
	target, rpc := int(c.steps[pc].info.Target), graph.Reconvergence(pc)
	var all, deferred []jit.Scalar
	if !c.masked {
		all = c.toSlots(target, after, nil)
		for _, s := range c.toSlots(pc+1, after, nil) {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
		all, deferred = c.deferring(all, after, a)
	}
	t, later := c.tableOf(all), c.tableOf(deferred)
	return func() {
		first := target
		if target == rpc {
			first = pc + 1
		}
		sides := &c.divergent
		if c.version == &c.some {
			sides = &c.some
		}
		s := jit.Sides{Taken: sides.blocks[graph.BlockOf(target)], Fall: sides.blocks[graph.BlockOf(pc+1)],
			TakenArrives: target == rpc, FallArrives: pc+1 == rpc, MayWait: c.p.MayPoll(c.f, first), Some: sides.bodies[a.join], RPC: c.origin(rpc), Branch: c.origin(pc)}
		s.Full, s.Stop = s.Some, c.arrivedAt(rpc, sides)
		if c.version != &c.divergent { // in a divergent region other lanes of the warp are elsewhere
			s.Full = c.rejoin(rpc, after, a.written, later)
		}
		c.e.Count(block.End - block.Start)
		if len(all) > 0 {
			c.e.ExpandAtBranch(c.expand, t)
		}
		if later != c.none {
			c.e.Defer(later)
		}
		c.e.Diverge(c.diverge, &s)
	}
}
