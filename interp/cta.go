package interp

import (
	"fmt"

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
}

// newCTA makes room for one CTA of the launch.
func (x *executor) newCTA(s *warp.Shape) *cta {
	c := &cta{shared: memory.Region{Name: "shared memory", Space: isa.Shared, Data: make([]byte, s.TotalShared)}}
	k := x.p.kernel()
	for id := range s.WarpsPerCTA {
		w := warp.New(id, s, divergence.NewStack(k.flow, x.m.cfg.PathOrder))
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
	c.at, c.live = at, len(c.warps)
	for id := range c.barriers {
		c.barriers[id].reset()
	}
	clear(c.shared.Data)
	for _, w := range c.warps {
		w.Start(at)
		x.p.kernel().enter(w, w.Control.Root(), 0)
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

// deadlock reports that every warp of c waits.
func (x *executor) deadlock(c *cta) error {
	h := &Hang{Msg: "no warp of the block can go on [sync-deadlock]"}
	for _, w := range c.warps {
		if !w.Waiting {
			continue
		}
		split, _ := w.Control.Next()
		pos := x.codeOf(&split)[split.PC-1].Pos
		if len(h.Details) == 0 {
			h.Pos = pos
		}
		h.Details = append(h.Details, fmt.Sprintf("waits   %s at %s, barrier %d", Where{c.at, w.ID, split.Mask}, pos, w.Barrier))
	}
	return h
}

// neverMet reports that lanes wait at pc for others that cannot come.
func (x *executor) neverMet(c *cta, w *warp.State, pc int, here, missing lanes.Mask, msg string) error {
	in := &x.fn.fn.Code[pc]
	h := &Hang{Pos: in.Pos, Msg: msg, Details: []string{x.fn.fn.Text(pc), "arrived " + Where{c.at, w.ID, here}.String()}}
	absent := "absent  " + Where{c.at, w.ID, missing}.String()
	h.Details = append(h.Details, absent+x.whereabouts(w, missing))
	return h
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

// tooLong reports that w has used up its steps.
func (x *executor) tooLong(c *cta, w *warp.State) error {
	split, _ := w.Control.Next()
	pc := min(split.PC, len(x.fn.fn.Code)-1)
	return &Hang{Pos: x.fn.fn.Code[pc].Pos,
		Msg: fmt.Sprintf("step limit: a warp executed %d instructions and is not done; --max-steps sets the limit [sync-steps]", w.Steps),
		Details: []string{"next    " + x.fn.fn.Text(pc),
			"who     " + Where{c.at, w.ID, split.Mask}.String()}}
}
