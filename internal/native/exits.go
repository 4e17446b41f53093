package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// entry is a place where code can be entered.
type entry struct {
	pc     int
	masked bool
	at     jit.Label
}

// stub is rarely executed code, which is written after all other code.
type stub struct {
	at    jit.Label
	write func() // nil for entries and exits, the most frequent stubs
	exit  exitStub
	entry *jit.Entry // nil for an exit
}

// exitStub exits code with a number, after scalars have been written to their slots.
type exitStub struct {
	routine, scalars jit.Label
	number           int
}

// table is a table of scalars in the code.
type table struct {
	all []jit.Scalar
	at  jit.Label
}

// flush writes the stubs after the code of a version, and its tables.
func (c *compiler) flush() {
	for i := 0; i < len(c.stubs); i++ {
		s := c.stubs[i] // writing it may append others
		c.e.Bind(s.at)  // which may take back the jump before it
		c.markStub(&s)
		switch {
		case s.write != nil:
			s.write()
		case s.entry != nil:
			c.e.Enter(s.entry)
		default:
			c.e.Exit(s.exit.routine, s.exit.scalars, s.exit.number)
		}
	}
	c.stubs, c.keptClasses, c.enters = c.stubs[:0], c.keptClasses[:0], c.enters[:0]
	c.e.Align(16)
	c.markData("tables of scalars")
	for _, t := range c.tables {
		c.e.Scalars(t.at, t.all)
	}
	if len(c.fragments) > 0 {
		c.markData("tables of the registers of fragments")
	}
	for _, f := range c.fragments {
		c.e.Fragments(f.at, f.of)
	}
	if len(c.fetches) > 0 {
		c.markData("tables of the registers of fetches")
	}
	for i := range c.fetches {
		c.e.FetchTable(c.fetches[i].at, &c.fetches[i].of)
	}
	c.tables, c.fragments, c.fetches, c.listed = c.tables[:0], c.fragments[:0], c.fetches[:0], c.listed[:0]
}

// later makes a stub, which is written after the other code.
func (c *compiler) stub(write func()) jit.Label {
	l := c.e.NewLabel()
	c.stubs = append(c.stubs, stub{at: l, write: write})
	return l
}

// exitLater makes a stub that exits through a routine of a version.
func (c *compiler) exitStub(routine, scalars jit.Label, number int) jit.Label {
	l := c.e.NewLabel()
	c.stubs = append(c.stubs, stub{at: l, exit: exitStub{routine, scalars, number}})
	return l
}

// keep returns a copy of classes for a stub.
func (c *compiler) keep(now []class) []class {
	start := len(c.keptClasses)
	c.keptClasses = append(c.keptClasses, now...)
	return slices.Clip(c.keptClasses[start:])
}

// atStop returns an exit at pc, where a path ends.
func (c *compiler) atStop(pc int) jit.Label {
	return c.exitAt(Exit{Why: AtStop, PC: pc, First: pc}, pc, c.classes.in[c.f.Graph.BlockOf(pc)])
}

// exitAt returns an exit with the classes now of the slots that are live at pc.
func (c *compiler) exitAt(x Exit, pc int, now []class) jit.Label {
	n := len(c.out.exits)
	c.out.exits = append(c.out.exits, x)
	t := c.tableOf(c.toSlots(pc, now, nil))
	return c.exitStub(c.exit, t, n)
}

// scalars returns the scalars that are live at pc, without those that are also scalars in into, which may be nil.
func (c *compiler) scalars(pc int, now, into []class) []jit.Scalar {
	start := len(c.listed)
	for id := range c.liveAt(pc).each {
		if k := now[id]; k.kind == scalar && c.s.all[id].bits != 1 && (into == nil || into[id].kind != scalar) {
			c.listed = append(c.listed, c.scalarAt(id, k))
		}
	}
	return slices.Clip(c.listed[start:])
}

// toSlots returns the scalars at pc that are only in their spill slots, without those that are also scalars
// in into. In code for partial masks every scalar is also in its slot, unless it is deferred: it was written there at
// the divergence, or was there when code was entered, and results of such code are not scalars.
func (c *compiler) toSlots(pc int, now, into []class) []jit.Scalar {
	if c.masked {
		return nil
	}
	return c.scalars(pc, now, into)
}

// liveAt returns the slots that are live before the instruction at pc, which must be at the start of a block or in
// the present one.
func (c *compiler) liveAt(pc int) set {
	if b := c.f.Graph.BlockOf(pc); c.f.Graph.Blocks()[b].Start == pc {
		return c.live.in[b]
	}
	return c.blockLive.before(pc)
}

func (c *compiler) tableOf(all []jit.Scalar) jit.Label {
	if len(all) == 0 {
		return c.none
	}
	l := c.e.NewLabel()
	c.tables = append(c.tables, table{all, l})
	return l
}

// arrivedAt returns an exit at a reconvergence PC at which a path ends that began before the lanes diverged in code.
func (c *compiler) arrivedAt(rpc int, v *version) jit.Label {
	n := len(c.out.exits)
	c.out.exits = append(c.out.exits, Exit{Why: AtStop, PC: rpc, First: rpc})
	t := c.tableOf(nil)
	return c.exitStub(v.exit, t, n)
}
