package interp

import (
	"fmt"
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
	shared   memory.Region
	warps    []*warp.State
	live     int // warps with threads left
	barriers [numBarriers]barrier
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

// newCTA makes room for one CTA of the launch.
func (x *executor) newCTA(s *warp.Shape) *cta {
	c := &cta{shared: memory.Region{Name: "shared memory", Space: isa.Shared, Data: make([]byte, s.TotalShared)}}
	k := x.p.kernel()
	c.meetings, c.turns = make([][]meeting, s.WarpsPerCTA), make([]warpTurn, s.WarpsPerCTA)
	for id := range c.barriers {
		c.barriers[id].came = make([]lanes.Mask, s.WarpsPerCTA)
	}
	for id := range s.WarpsPerCTA {
		w := warp.New(id, s, divergence.New(x.m.cfg.Divergence, k.flow, x.m.cfg.PathOrder))
		root := w.Control.Root()
		root.File, root.Params, root.Local = w.NewFile(k.layout), make([]byte, k.frameBytes*lanes.Width), ^uint64(0)
		for _, slot := range k.params {
			warp.SetUniform(root.File, slot.off, slot.value(x.params.Data), slot.bits > 32)
		}
		c.warps = append(c.warps, w)
	}
	return c
}

// start makes c the CTA at the given coordinates.
func (x *executor) start(c *cta, at isa.Dim) {
	c.at, c.live, c.turn.on, c.waiting = at, len(c.warps), false, 0
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
		if x.observer != nil {
			x.observer.Started(&Place{CTA: at, Warp: w.ID}, w.Threads)
		}
		x.enter(x.p.kernel(), w, w.Control.Root(), 0)
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

// deadlock reports that all lanes of c wait.
func (x *executor) deadlock(c *cta) error {
	h := &Hang{Rule: RuleDeadlock, Msg: "no warp of the block can go on"}
	add := func(p *party, what string) {
		if len(h.Details) == 0 {
			h.Pos, h.Where = p.in().Pos, Where{c.at, p.w.ID, p.mask}
		}
		h.Details = append(h.Details, fmt.Sprintf("waits   %s at %s, %s", Where{c.at, p.w.ID, p.mask}, p.in().Pos, what))
	}
	for _, w := range c.warps {
		for id := range c.barriers {
			for _, p := range c.barriers[id].at(x, w) {
				add(&p, fmt.Sprintf("barrier %d", id))
			}
		}
		for _, mt := range c.meetings[w.ID] {
			missing := mt.members & w.Live &^ mt.came
			for i := range mt.parts {
				add(&mt.parts[i], fmt.Sprintf("%s with mask %08x, for lanes %s", mt.what, uint32(mt.members), missing.Ranges()))
			}
		}
	}
	return h
}

// warnDiverged notes that only lanes here of w came to the barrier at pc, which
// is for whole warps.
func (x *executor) warnDiverged(c *cta, w *warp.State, pc int, here, missing lanes.Mask) {
	x.warn(pc, Where{c.at, w.ID, here}, RuleDiverged, "barrier inside divergent code; it counts lanes as they come, as since Volta", func() []string {
		return []string{"arrived " + Where{c.at, w.ID, here}.String(),
			"absent  " + Where{c.at, w.ID, missing}.String() + x.whereabouts(w, missing)}
	})
}

// warn notes something that the instruction at pc got away with: of the first
// time also the details.
func (x *executor) warn(pc int, who Where, rule Rule, msg string, details func() []string) {
	in := &x.fn.fn.Code[pc]
	if i, again := x.warned[in.Pos]; again {
		x.stats.Warnings[i].Count++
		return
	}
	if x.warned == nil {
		x.warned = make(map[isa.Pos]int)
	}
	x.warned[in.Pos] = len(x.stats.Warnings)
	x.stats.Warnings = append(x.stats.Warnings, Warning{Pos: in.Pos, Where: who, Rule: rule, Text: x.fn.fn.Text(pc), Count: 1, Msg: msg, Details: details()})
}

// neverMet reports that lanes wait at pc for others that cannot come.
func (x *executor) neverMet(c *cta, w *warp.State, pc int, here, missing lanes.Mask, rule Rule, msg string) error {
	in := &x.fn.fn.Code[pc]
	h := &Hang{Pos: in.Pos, Where: Where{c.at, w.ID, here}, Rule: rule, Msg: msg, Details: []string{x.fn.fn.Text(pc), "arrived " + Where{c.at, w.ID, here}.String()}}
	absent := "absent  " + Where{c.at, w.ID, missing}.String()
	h.Details = append(h.Details, absent+x.whereabouts(w, missing), otherModel(x.m.cfg.Divergence))
	return h
}

// otherModel says that lanes which wait for each other across a branch need not.
func otherModel(m divergence.Model) string {
	return fmt.Sprintf("fix     under --divergence %s lanes that wait keep the others of their warp from running; --divergence %s gives each its turn", m, divergence.IndependentThreads)
}

// whereabouts says where the first lanes of missing stand.
func (x *executor) whereabouts(w *warp.State, missing lanes.Mask) string {
	for s := range w.Control.Splits() {
		if code := x.codeOf(&s); s.Mask&missing != 0 && s.PC < len(code) {
			return fmt.Sprintf(", to go on at %s", code[s.PC].Pos)
		}
	}
	return ""
}

// codeOf is the code that a split runs.
func (x *executor) codeOf(s *divergence.Split) []isa.Instr { return x.p.funcs[s.Frame.Func].fn.Code }

// endless reports that no warp of the launch will ever get on: all wait, or do
// the same over and over.
func (x *executor) endless(resident []*cta, waiting int64) error {
	h := &Hang{Rule: RuleLivelock, Msg: "no warp can get on: what spins has seen the same memory and registers again"}
	const most = 8 // lines
	more, parted := 0, false
	for _, c := range resident {
		for _, w := range c.warps {
			for s := range w.Control.Splits() {
				fn := x.p.funcs[s.Frame.Func].fn
				if s.PC >= len(fn.Code) || s.Pace != divergence.Spinning {
					continue
				}
				if len(h.Details) == most {
					more++
					continue
				}
				if len(h.Details) == 0 {
					h.Pos, h.Where = fn.Code[s.PC].Pos, Where{c.at, w.ID, s.Mask}
				}
				h.Details = append(h.Details, fmt.Sprintf("spins   %s at %s: %s", Where{c.at, w.ID, s.Mask}, fn.Code[s.PC].Pos, fn.Text(s.PC)))
				if others := w.Live &^ s.Mask; others != 0 {
					parted = true
					h.Details = append(h.Details, "beside  "+Where{c.at, w.ID, others}.String()+x.whereabouts(w, others))
				}
			}
		}
	}
	if more > 0 {
		h.Details = append(h.Details, fmt.Sprintf("and     %d more", more))
	}
	if parted && x.m.cfg.Divergence != divergence.IndependentThreads {
		h.Details = append(h.Details, otherModel(x.m.cfg.Divergence))
	}
	if waiting > 0 {
		h.Details = append(h.Details, fmt.Sprintf("waiting %d blocks have not started: the GPU holds %d of these at once", waiting, len(resident)))
	}
	return h
}

// tooLong reports that w has used up its steps.
func (x *executor) tooLong(c *cta, w *warp.State) error {
	var split divergence.Split
	w.Control.Next(&split)
	pc := min(split.PC, len(x.fn.fn.Code)-1)
	return &Hang{Pos: x.fn.fn.Code[pc].Pos, Where: Where{c.at, w.ID, split.Mask},
		Rule: RuleSteps, Msg: fmt.Sprintf("step limit: a warp executed %d instructions and is not done; --max-steps sets the limit", w.Steps),
		Details: []string{"next    " + x.fn.fn.Text(pc),
			"who     " + Where{c.at, w.ID, split.Mask}.String()}}
}
