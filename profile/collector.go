package profile

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// Collector counts what one launch does; it is the launch's interp.Observer.
// What it keeps grows with the kernel and the resident CTAs, not with the grid.
type Collector struct {
	funcs []funcCounts
	// lost is lane slots by the instruction that cost them: that of PC pc in
	// function f is at f.site(pc). At noSite are those that never had a thread.
	lost []uint64
	told uint8 // spaces that the lanes of one request were in so far
	ctas map[isa.Dim]*ctaState
	free []*ctaState // for reuse
	at   isa.Dim     // of current
	cta  *ctaState   // the one that ran last, or nil
}

var _ interp.Observer = (*Collector)(nil)

// funcCounts is what is counted of one function.
type funcCounts struct {
	fn        *isa.Func
	firstSite int
	counts    []Counts // by PC: all but Runs and Lanes
	mayPart   []bool   // by PC: lanes may part there without a branch
	// By PC, what is to be added to Runs and Lanes of that and all later PCs:
	// instructions run in rows, and a row costs two additions.
	runs, lanes []uint64
}

const noSite = 0

func (f *funcCounts) site(pc int) int { return f.firstSite + pc }

// ctaState is the warps of a resident CTA.
type ctaState struct {
	warps []*warpState
	live  int // warps with threads left
}

// NewCollector makes a collector for a launch of the kernel whose functions are
// fns, as interp.Machine.Functions lists them.
func NewCollector(fns []*isa.Func) *Collector {
	c := &Collector{ctas: make(map[isa.Dim]*ctaState)}
	sites := noSite + 1
	for _, fn := range fns {
		n := len(fn.Code)
		f := funcCounts{fn: fn, firstSite: sites, counts: make([]Counts, n), mayPart: make([]bool, n+1),
			runs: make([]uint64, n+2), lanes: make([]uint64, n+2)}
		for pc := range fn.Code {
			f.mayPart[pc] = mayPart(fn, pc)
		}
		c.funcs = append(c.funcs, f)
		sites += n + 1 // the end of the code counts as an instruction
	}
	c.lost = make([]uint64, sites)
	return c
}

// mayPart reports whether only some of the lanes may go on from an instruction,
// or not all to the same place, without being told to Diverged or Exited.
func mayPart(fn *isa.Func, pc int) bool {
	switch in := &fn.Code[pc]; in.Spec.Kind {
	case isa.CallKind:
		return in.Guard != isa.NoReg || in.Args[0].Kind == isa.RegOperand
	case isa.Return:
		return in.Guard != isa.NoReg && !ends(fn, pc)
	case isa.Barrier, isa.Shuffle, isa.Vote: // may leave lanes waiting for others
		return true
	}
	return false
}

// ends reports whether an instruction ends lanes: a kernel's return does.
func ends(fn *isa.Func, pc int) bool {
	kind := fn.Code[pc].Spec.Kind
	return kind == isa.Exit || kind == isa.Return && fn.Entry
}

// Started implements interp.Observer.
func (c *Collector) Started(at *interp.Place, m lanes.Mask) {
	cta := c.ctas[at.CTA]
	if cta == nil {
		if n := len(c.free); n > 0 {
			cta, c.free = c.free[n-1], c.free[:n-1]
		} else {
			cta = &ctaState{}
		}
		c.ctas[at.CTA] = cta
	}
	for len(cta.warps) <= at.Warp {
		cta.warps = append(cta.warps, &warpState{})
	}
	cta.warps[at.Warp].start(m)
	cta.live++
}

// warp is the state of the warp at a place.
func (c *Collector) warp(at *interp.Place) *warpState {
	if c.cta == nil || c.at != at.CTA {
		c.at, c.cta = at.CTA, c.ctas[at.CTA]
	}
	return c.cta.warps[at.Warp]
}

// Ran implements interp.Observer.
func (c *Collector) Ran(at *interp.Place, first, end int, m lanes.Mask) {
	f := &c.funcs[at.Func]
	n := uint64(m.Count())
	f.runs[first]++
	f.runs[end]--
	f.lanes[first] += n
	f.lanes[end] -= n
	w := c.warp(at)
	if len(w.open) > 0 {
		c.resolve(w, m)
	}
	if w.mask != m {
		w.settle(c.lost)
		w.mask = m
	}
	w.steps += uint64(end - first)
	if f.mayPart[end-1] {
		w.open = append(w.open, parting{m, m, f.site(end - 1)})
	}
}

// resolve notes that the lanes of m run, and not with them those that were with
// them at an instruction where lanes may part.
func (c *Collector) resolve(w *warpState, m lanes.Mask) {
	w.settle(c.lost)
	open := w.open[:0]
	for _, p := range w.open {
		run, rest := p.a&m, p.a&^m
		if run != 0 && rest != 0 {
			if p.a == p.b { // the first to go on
				c.countsAt(p.site).split(run, rest)
			}
			w.part(run, rest, p.site)
		}
		if p.a = rest; rest != 0 {
			open = append(open, p)
		}
	}
	w.open = open
}

// countsAt is the counters of the instruction with that site.
func (c *Collector) countsAt(site int) *Counts {
	i := len(c.funcs) - 1
	for c.funcs[i].firstSite > site {
		i--
	}
	return &c.funcs[i].counts[site-c.funcs[i].firstSite]
}

// split counts that lanes parted into some and others.
func (c *Counts) split(some, others lanes.Mask) {
	n, k := uint64(some.Count()), uint64(others.Count())
	c.Splits++
	c.SplitLarger += max(n, k)
	c.SplitOthers += min(n, k)
}

// Diverged implements interp.Observer.
func (c *Collector) Diverged(at *interp.Place, pc int, to []divergence.Group) {
	f, w := &c.funcs[at.Func], c.warp(at)
	w.settle(c.lost)
	var all, largest lanes.Mask
	for _, g := range to {
		all |= g.Mask
		if g.Mask.Count() > largest.Count() {
			largest = g.Mask
		}
	}
	f.counts[pc].BranchSplits++
	f.counts[pc].split(largest, all&^largest)
	w.drop(all)
	for _, g := range to[:len(to)-1] {
		all &^= g.Mask
		w.add(parting{g.Mask, all, f.site(pc)})
	}
}

// Exited implements interp.Observer.
func (c *Collector) Exited(at *interp.Place, pc int, m lanes.Mask) {
	f, w := &c.funcs[at.Func], c.warp(at)
	w.settle(c.lost)
	if rest := w.live() &^ m; rest != 0 {
		f.counts[pc].split(m, rest)
	}
	w.end(m, f.site(pc))
	if w.live() != 0 {
		return
	}
	if c.cta.live--; c.cta.live == 0 {
		delete(c.ctas, at.CTA)
		c.free = append(c.free, c.cta)
		c.cta = nil
	}
}

// Arrived implements interp.Observer.
func (c *Collector) Arrived(at *interp.Place, pc int, _ int, m lanes.Mask) {
	counts := &c.funcs[at.Func].counts[pc]
	counts.Arrivals++
	counts.ArrivedLanes += uint64(m.Count())
}

// Released implements interp.Observer: what waiting costs shows in time alone.
func (c *Collector) Released(*interp.Place, int) {}

// Met implements interp.Observer.
func (c *Collector) Met(*interp.Place, lanes.Mask) {}

// Fenced implements interp.Observer.
func (c *Collector) Fenced(*interp.Place, int, lanes.Mask) {}
