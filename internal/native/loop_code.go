package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// writeLoop writes the code of the blocks of a loop.
func (c *compiler) writeLoop(l *loop) {
	var exits [maxLoopBlocks]jit.Label
	for i, b := range l.blocks {
		start, body := c.f.Graph.Blocks()[b].Start, l.bodies[i]
		stops := c.stops[start]
		if stops {
			exits[i] = c.stopExit(start)
		}
		leave := func() jit.Label {
			return c.exitAt(Exit{Why: AtOp, PC: start, First: start, Until: start + 1}, start, c.classes.in[b])
		}
		exit, load := exits[i], c.loads(l, start, leave)
		c.stubs = append(c.stubs, stub{at: c.blocks[b], write: func() {
			if stops {
				c.e.ExitAtStop(c.origin(start), exit)
			}
			c.e.Bind(c.bodies[b])
			load()
			c.e.Jmp(body)
		}})
	}
	c.enterLoop(l)
	for i, b := range l.blocks {
		c.e.Bind(l.inside[i])
		if start := c.f.Graph.Blocks()[b].Start; c.stops[start] {
			c.e.ExitAtStop(c.origin(start), c.storing(l, c.live.in[b], exits[i]))
		}
		c.e.Bind(l.bodies[i])
		c.blockBody(b)
	}
	c.enterLoop(nil)
}

// enterLoop makes the code that follows part of a loop, or of none.
func (c *compiler) enterLoop(l *loop) {
	c.loop, c.g.loop = l, l
	clear(c.carriedIn)
	if l == nil {
		return
	}
	for i := range l.carried {
		c.carriedIn[l.carried[i].slot] = &l.carried[i]
	}
}

// loads returns a function that writes code at pc to load what a loop holds. That code goes to an exit made by leave
// if a slot has a NaN that must not be treated as the canonical one.
func (c *compiler) loads(l *loop, pc int, leave func() jit.Label) func() {
	live := c.liveAt(pc)
	which, anyNaN := uint32(0), false
	for i := range l.carried {
		h := &l.carried[i]
		if live.has(h.slot) || c.s.all[h.slot].fixed {
			which |= 1 << i
			anyNaN = anyNaN || h.anyNaN
		}
	}
	var exit jit.Label
	if anyNaN {
		exit = leave()
	}
	return func() {
		for i := range l.carried {
			if which>>i&1 == 0 {
				continue
			}
			h := &l.carried[i]
			if h.class.kind == scalar {
				c.e.AsScalars()
				c.e.LoadScalars(h.regs[0], jit.ScalarPlace{File: true, At: c.spillSlot(h.slot)})
				continue
			}
			c.e.AsSubvectors()
			for p := range c.e.Passes() {
				c.e.InPass(p, func() { c.e.LoadSlot(h.regs[p], c.s.all[h.slot].off) })
				if h.anyNaN {
					c.e.UnlessCanonical(h.regs[p], exit)
				}
			}
		}
	}
}

// storing returns a label that stores everything live in slots and spill slots and continues at another
// label, for code of a loop that holds some of it, or of none.
func (c *compiler) storing(l *loop, live set, to jit.Label) jit.Label {
	if l == nil {
		return to
	}
	which := uint32(0)
	for i := range l.carried {
		if h := &l.carried[i]; h.written && live.has(h.slot) {
			which |= 1 << i
		}
	}
	if which == 0 {
		return to
	}
	k := slices.IndexFunc(l.stores, func(s carriedStores) bool { return s.which == which })
	if k < 0 {
		k = len(l.stores)
		l.stores = append(l.stores, carriedStores{which, c.stub(func() { c.storeCarried(l, which) })})
	}
	routine := l.stores[k].at
	return c.stub(func() {
		c.e.Call(routine)
		c.e.Jmp(to)
	})
}

// beginRegion resets the values of the loop's slots at the start of a region.
func (l *loop) beginRegion() {
	for i := range l.carried {
		l.carried[i].value = noValue
	}
}

// storeCarriedScalars stores scalars that the loop holds and that subvectors of a region read.
func (c *compiler) storeCarriedScalars(r *region) {
	c.e.AsScalars()
	for i := range c.loop.carried {
		h := &c.loop.carried[i]
		if h.value == noValue || h.class.kind != scalar {
			continue
		}
		if v := &r.values[h.value]; v.bySubvector {
			v.scalar = c.newScalarPlace(r)
			c.e.StoreScalars(v.scalar, h.regs[0])
		}
	}
}

// storeCarried writes a routine that stores the slots that a loop holds. It uses no general registers.
func (c *compiler) storeCarried(l *loop, which uint32) {
	c.g.loop = l // its registers are not free
	l.beginRegion()
	c.e.AsSubvectors()
	c.g.begin(&c.region, true)
	for i := range l.carried {
		h := &l.carried[i]
		switch {
		case which>>i&1 == 0:
		case h.class.kind == scalar:
			c.e.AsScalars()
			c.e.StoreScalars(jit.ScalarPlace{File: true, At: c.spillSlot(h.slot)}, h.regs[0])
		default:
			c.e.AsSubvectors()
			for p := range c.e.Passes() {
				c.e.InPass(p, func() { c.storeSubvector(h, h.regs[p]) })
			}
		}
	}
	c.g.loop = nil
	c.e.Ret()
}

// storeSubvector writes a subvector of a held slot to memory, in the executing lanes.
func (c *compiler) storeSubvector(h *carried, v jit.Val) {
	off := c.s.all[h.slot].off
	if h.anyNaN {
		c.e.Canonical(v)
	}
	if !c.masked {
		c.e.StoreSlot(off, v)
		return
	}
	c.e.MergeSlot(off, v)
	c.g.freeTemps()
}
