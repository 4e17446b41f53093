package interp

import (
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// cta is a resident CTA: its warps, shared memory and barriers. When it is
// done the next CTA takes it over.
type cta struct {
	at       isa.Dim
	slot     int   // among those that can reside: no two have one at once
	placed   Place // scratch
	shared   memory.Region
	warps    []*warp.State
	live     int // warps with threads left
	barriers [numBarriers]barrier
	warned   []uint64    // a bit for each of the launch's warnings that is about a warp of it
	inUse    uint16      // the barriers that were met
	waiting  uint32      // warps, by ID, of which all lanes wait at a barrier
	meetings [][]meeting // by warp
	turn     ctaTurn
	turns    []warpTurn // by warp
}

// ctaTurn is a CTA's turn among those that reside: its warps have turns, one
// after the other, until enough was executed. It may be left and taken up again.
type ctaTurn struct {
	on        bool
	end       uint64 // of the launch's instructions
	next      int    // warp
	ran, busy bool   // since warp 0: a warp could run; one got on
}

// newCTA makes a slot for one CTA of the launch.
func (x *executor) newCTA(s *warp.Shape, slot int) *cta {
	c := &cta{slot: slot, shared: memory.Region{Name: "shared memory", Space: isa.Shared, Number: x.m.sharedNumber(slot), Data: make([]byte, s.TotalShared)}}
	k := x.p.Kernel()
	c.meetings, c.turns = make([][]meeting, s.WarpsPerCTA), make([]warpTurn, s.WarpsPerCTA)
	for id := range c.barriers {
		c.barriers[id].came = make([]lanes.Mask, s.WarpsPerCTA)
	}
	for id := range s.WarpsPerCTA {
		w := warp.New(id, s, divergence.New(x.m.cfg.Divergence, k.Graph, x.m.cfg.PathOrder))
		root := w.Control.Root()
		root.File, root.Params, root.Local = w.NewFile(k.Layout), make([]byte, k.FrameBytes*lanes.Width), ^uint64(0)
		for _, slot := range k.ParamSlots {
			warp.SetUniform(root.File, slot.Off, slot.Value(x.params.Data), slot.Bits > 32)
		}
		c.warps = append(c.warps, w)
	}
	return c
}

// place is where c is. Nobody has to allocate one to say it.
func (c *cta) place() *Place {
	c.placed = Place{CTA: c.at, Slot: c.slot}
	return &c.placed
}

// start makes c the CTA at the given coordinates.
func (x *executor) start(c *cta, at isa.Dim) {
	c.at, c.live, c.turn.on, c.waiting, c.warned = at, len(c.warps), false, 0, c.warned[:0]
	for ; c.inUse != 0; c.inUse &= c.inUse - 1 {
		c.barriers[bits.TrailingZeros16(c.inUse)].reset()
	}
	for id := range c.meetings {
		c.meetings[id] = c.meetings[id][:0]
	}
	clear(c.shared.Data)
	for _, w := range c.warps {
		w.Start(at)
		c.turns[w.ID].on = false
		if len(x.observers.start) > 0 {
			x.notifyStarted(c, w.ID, w.Threads)
		}
		x.enter(x.p.Kernel(), w, w.Control.Root(), 0)
	}
}

// mostIdleTurns is how many turns a warp may spend waiting in loops, while other
// lanes of it wait for those at a join and other warps get on, before the
// former lanes have to go on without them.
const mostIdleTurns = 64

// turn gives c its turn, or goes on with it, and reports whether c is done.
func (x *executor) turn(c *cta) (done bool, err error) {
	t := &c.turn
	if !t.on {
		*t = ctaTurn{on: true, end: x.stats.WarpInstrs + turnLength*uint64(len(c.warps))}
	}
	for {
		for t.next < len(c.warps) {
			if err := x.turnOfWarp(c, c.warps[t.next]); err != nil {
				return false, err
			}
			t.next++
		}
		switch {
		case c.live == 0:
			return true, nil
		case !t.ran:
			return false, x.deadlock(c)
		case !t.busy || x.stats.WarpInstrs >= t.end:
			t.on = false
			return false, nil
		}
		t.next, t.ran, t.busy = 0, false, false
	}
}

// turnOfWarp gives a warp of c its turn, if it can run.
func (x *executor) turnOfWarp(c *cta, w *warp.State) error {
	ran, err := x.run(c, w)
	if !ran || err != nil {
		return err
	}
	c.turn.ran = true
	if c.waiting>>w.ID&1 != 0 {
		return nil
	}
	x.quiet = x.quiet && !(x.spin.on && x.spin.ever)
	if w.Control.Pace() == divergence.Busy {
		c.turn.busy = true
		w.IdleTurns = 0
	} else if w.IdleTurns++; w.IdleTurns%mostIdleTurns == 0 {
		w.Control.Relieve()
	}
	return nil
}
