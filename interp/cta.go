package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// numBarriers is the number of barriers that a CTA has (PTX ISA 9.7.13.1).
const numBarriers = 16

// cta is a resident CTA: its warps, shared memory and barriers. When it is
// done the next CTA takes it over.
type cta struct {
	at      isa.Dim
	shared  memory.Region
	warps   []*warp.State
	live    int // warps with threads left
	arrived [numBarriers]int
}

// newCTA makes room for one CTA of the launch.
func (x *executor) newCTA(s *warp.Shape) *cta {
	c := &cta{shared: memory.Region{Name: "shared memory", Space: isa.Shared, Data: make([]byte, s.TotalShared)}}
	for id := range s.WarpsPerCTA {
		w := warp.New(id, x.p.layout, s, divergence.NewStack(x.p.flow, x.m.cfg.PathOrder))
		for _, slot := range x.p.params {
			w.SetUniform(slot.off, slot.value(x.params.Data), slot.bits > 32)
		}
		c.warps = append(c.warps, w)
	}
	return c
}

// start makes c the CTA at the given coordinates.
func (x *executor) start(c *cta, at isa.Dim) {
	c.at, c.live = at, len(c.warps)
	c.arrived = [numBarriers]int{}
	clear(c.shared.Data)
	for _, w := range c.warps {
		w.Start(at, x.p.unset, x.p.fn.Regs)
	}
}

// turn gives c its turn among the resident CTAs, and reports whether it is
// done.
func (x *executor) turn(c *cta) (done bool, err error) {
	end := x.stats.WarpInstrs + turnLength*uint64(len(c.warps))
	for x.stats.WarpInstrs < end {
		ran := false
		for _, w := range c.warps {
			if w.Waiting || w.Control.Live() == 0 {
				continue
			}
			ran = true
			if err := x.run(c, w); err != nil {
				return false, err
			}
		}
		if c.live == 0 {
			return true, nil
		}
		if !ran {
			return false, x.deadlock(c)
		}
	}
	return false, nil
}

// arrive has w, whose lanes m are at the barrier instruction at pc, wait there
// until the others come.
func (x *executor) arrive(c *cta, w *warp.State, pc int, m lanes.Mask) error {
	op := &x.p.ops[pc]
	lane := first(m)
	id := lanes.Reg[uint32](w.File, op.A)[lane]
	if id >= numBarriers {
		return x.fault(c, w, pc, m, fmt.Errorf("barrier %d: a CTA has barriers 0 to %d", id, numBarriers-1))
	}
	if missing := w.Control.Live() &^ m; missing != 0 {
		return x.neverMet(c, w, pc, m, missing, "barrier inside divergent code [sync-diverged]")
	}
	need := 0 // threads; 0: all of the CTA
	if len(x.p.fn.Code[pc].Args) > 1 {
		count := lanes.Reg[uint32](w.File, op.B)[lane]
		if count == 0 || count%lanes.Width != 0 || count > uint32(len(c.warps)*lanes.Width) {
			return x.fault(c, w, pc, m, fmt.Errorf("barrier for %d threads: the count must be a multiple of 32, up to the CTA's %d", count, len(c.warps)*lanes.Width))
		}
		need = int(count)
	}
	w.Waiting, w.Barrier = true, id
	c.arrived[id]++
	if need > 0 && c.arrived[id]*lanes.Width >= need || need == 0 && c.arrived[id] >= c.live {
		c.release(id)
	}
	return nil
}

// release lets the warps at barrier id go on.
func (c *cta) release(id uint32) {
	for _, w := range c.warps {
		if w.Waiting && w.Barrier == id {
			w.Waiting = false
		}
	}
	c.arrived[id] = 0
}

// done notes that a warp has ended. Barriers do not wait for it any more (PTX
// ISA 9.7.13.1).
func (x *executor) done(c *cta) error {
	c.live--
	for id, n := range c.arrived {
		if n > 0 && n >= c.live {
			c.release(uint32(id))
		}
	}
	return nil
}

// deadlock reports that every warp of c waits.
func (x *executor) deadlock(c *cta) error {
	h := &Hang{Msg: "no warp of the block can go on [sync-deadlock]"}
	for _, w := range c.warps {
		if !w.Waiting {
			continue
		}
		split, _ := w.Control.Next()
		pos := x.p.fn.Code[split.PC-1].Pos
		if len(h.Details) == 0 {
			h.Pos = pos
		}
		h.Details = append(h.Details, fmt.Sprintf("waits   %s at %s, barrier %d", Where{c.at, w.ID, split.Mask}, pos, w.Barrier))
	}
	return h
}

// neverMet reports that lanes wait at pc for others that cannot come.
func (x *executor) neverMet(c *cta, w *warp.State, pc int, here, missing lanes.Mask, msg string) error {
	in := &x.p.fn.Code[pc]
	h := &Hang{Pos: in.Pos, Msg: msg, Details: []string{x.p.fn.Text(pc), "arrived " + Where{c.at, w.ID, here}.String()}}
	absent := "absent  " + Where{c.at, w.ID, missing}.String()
	h.Details = append(h.Details, absent+x.whereabouts(w, missing))
	return h
}

// whereabouts says where the first lanes of missing stand.
func (x *executor) whereabouts(w *warp.State, missing lanes.Mask) string {
	for s := range w.Control.Splits() {
		if s.Mask&missing != 0 && s.PC < len(x.p.fn.Code) {
			return fmt.Sprintf(", to go on at %s", x.p.fn.Code[s.PC].Pos)
		}
	}
	return ""
}

// tooLong reports that w has used up its steps.
func (x *executor) tooLong(c *cta, w *warp.State) error {
	split, _ := w.Control.Next()
	pc := min(split.PC, len(x.p.fn.Code)-1)
	return &Hang{Pos: x.p.fn.Code[pc].Pos,
		Msg: fmt.Sprintf("step limit: a warp executed %d instructions and is not done; --max-steps sets the limit [sync-steps]", w.Steps),
		Details: []string{"next    " + x.p.fn.Text(pc),
			"who     " + Where{c.at, w.ID, split.Mask}.String()}}
}
