package check

import (
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// barrier is those who have arrived at one of a CTA's barriers since it was
// complete last.
type barrier struct {
	parts []part
}

// part is lanes of a warp that arrived together, with what they knew.
type part struct {
	warp  *warp
	lanes lanes.Mask
	at    clock
	view  view
	waits bool // they are released with the others; else they only arrived
}

// Arrived implements interp.ArrivalObserver.
func (r *Races) Arrived(at *interp.Place, pc int, id int, m lanes.Mask) {
	w := r.warp(at)
	b := w.cta.barriers[id]
	if b == nil {
		b = &barrier{}
		w.cta.barriers[id] = b
	}
	waits := r.sites[at.Func][pc].in().Mods[isa.BarOp] != isa.BarArrive
	for _, g := range w.groups {
		if some := g.lanes & m; some != 0 {
			v := g.view
			v.fenced = joinWorlds(v.fenced, w.fencedBy(some))
			b.parts = append(b.parts, part{w, some, w.now, v, waits})
		}
	}
	w.tick()
}

// Released implements interp.ReleaseObserver: who waited knows from now on what those
// who arrived had done, and what they knew. Threads that have exited did not
// arrive.
func (r *Races) Released(at *interp.Place, id int) {
	c := r.ctas[at.Slot]
	b := c.barriers[id]
	if b == nil || len(b.parts) == 0 {
		return
	}
	v := b.parts[0].view
	for i := range b.parts[1:] {
		v = joinViews(v, b.parts[i+1].view)
	}
	home := make(crew, len(c.warps))
	copy(home, v.home)
	for i := range b.parts {
		p := &b.parts[i]
		home[p.warp.number] = home[p.warp.number].with(p.lanes, p.at, p.warp.threads)
	}
	v.home = home
	for i := range b.parts {
		if p := &b.parts[i]; p.waits {
			p.warp.tell(p.lanes, v)
		}
	}
	c.meet(b.parts)
	clear(b.parts)
	b.parts = b.parts[:0]
}

// meet notes that those who arrived at a barrier have been released, if they are all
// threads of the CTA that are left, and all waited.
func (c *cta) meet(parts []part) {
	count := 0
	for i := range parts {
		if count += parts[i].lanes.Count(); !parts[i].waits {
			return
		}
	}
	for _, w := range c.warps {
		count -= w.live.Count()
	}
	if count != 0 {
		return
	}
	for _, w := range c.warps {
		w.metLanes = 0
	}
	for i := range parts {
		w := parts[i].warp
		w.met, w.metLanes = parts[i].at, w.metLanes|parts[i].lanes
		w.rounds.reset()
	}
}

// Met implements interp.SyncObserver.
func (r *Races) Met(at *interp.Place, m lanes.Mask) { r.warp(at).meet(m) }
