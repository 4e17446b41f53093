package profile

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// Collector observes and counts one launch. Its memory grows with the kernel and the resident CTAs, not with the
// grid.
type Collector struct {
	funcs []funcCounts
	// lost is lost lane slots by the instruction that caused them: PC pc of function f is at f.site(pc). noSite
	// counts the slots that never had a thread.
	lost      []uint64
	requested uint8         // spaces that the lanes of the current instruction have accessed
	warps     [][]warpState // by the slot of the CTA and the number in it
	arrays    []Array       // all in shared memory
	array     *Array        // of the last request; nil before the first
	buffers   buffers
}

// Interfaces that a Collector implements.
var (
	_ interp.StartObserver      = (*Collector)(nil)
	_ interp.RunObserver        = (*Collector)(nil)
	_ interp.AccessObserver     = (*Collector)(nil)
	_ interp.DivergenceObserver = (*Collector)(nil)
	_ interp.ExitObserver       = (*Collector)(nil)
	_ interp.ArrivalObserver    = (*Collector)(nil)
	_ interp.Summer             = (*Collector)(nil)
)

// funcCounts is the counts of one function.
type funcCounts struct {
	fn         *isa.Func
	firstSite  int
	counts     []Counts // by PC, without Runs and Lanes
	mayDiverge []bool   // by PC: lanes may diverge there without a branch
	// By PC, the change of Runs and Lanes from the previous PC, so that a run of straight-line code takes two
	// additions.
	runs, lanes []uint64
}

const noSite = 0

func (f *funcCounts) site(pc int) int { return f.firstSite + pc }

// Attach makes l, a launch on m, count into a new Collector. Errors are those of interp.Machine.Functions.
func Attach(m *interp.Machine, l *interp.Launch) (*Collector, error) {
	fns, err := m.Functions(l.Kernel)
	if err != nil {
		return nil, err
	}
	c := newCollector(fns)
	c.arrays, c.buffers = arraysOf(m, l), buffersOf(m)
	l.Observe(c)
	return c, nil
}

// Another implements interp.Summer.
func (c *Collector) Another() interp.Observer {
	var fns []*isa.Func
	for i := range c.funcs {
		fns = append(fns, c.funcs[i].fn)
	}
	d := newCollector(fns)
	for _, a := range c.arrays {
		d.arrays = append(d.arrays, Array{Name: a.Name, from: a.from, to: a.to})
	}
	d.buffers = c.buffers.another()
	return d
}

// Add implements interp.Summer.
func (c *Collector) Add(another interp.Observer) {
	d := another.(*Collector)
	d.chargeAll()
	for i := range c.funcs {
		to, from := &c.funcs[i], &d.funcs[i]
		for pc := range from.counts {
			to.counts[pc].Add(&from.counts[pc])
			from.counts[pc] = Counts{Traffic: from.counts[pc].Traffic[:0]}
		}
		move(to.runs, from.runs)
		move(to.lanes, from.lanes)
	}
	move(c.lost, d.lost)
	c.takeArrays(d)
	c.buffers.take(&d.buffers)
}

// move adds from to to, and clears from.
func move(to, from []uint64) {
	for i, n := range from {
		to[i] += n
	}
	clear(from)
}

func newCollector(fns []*isa.Func) *Collector {
	c := &Collector{}
	sites := noSite + 1
	for _, fn := range fns {
		n := len(fn.Code)
		f := funcCounts{fn: fn, firstSite: sites, counts: make([]Counts, n), mayDiverge: make([]bool, n+1),
			runs: make([]uint64, n+2), lanes: make([]uint64, n+2)}
		for pc := range fn.Code {
			f.mayDiverge[pc] = mayDiverge(fn, pc)
		}
		c.funcs = append(c.funcs, f)
		sites += n + 1 // the end of the code counts as an instruction
	}
	c.lost = make([]uint64, sites)
	return c
}

// mayDiverge reports whether lanes may diverge at an instruction without a call of Diverged or Exited: only some of
// them continue, or they continue at different places.
func mayDiverge(fn *isa.Func, pc int) bool {
	switch in := &fn.Code[pc]; in.Spec.Kind {
	case isa.CallKind:
		return in.Guard != isa.NoReg || in.Indirect()
	case isa.Return:
		return in.Guard != isa.NoReg && !exits(fn, pc)
	case isa.Barrier, isa.ClusterBarrier, isa.Shuffle, isa.Vote: // may make lanes wait for others
		return true
	default:
		return in.Spec.WholeWarp
	}
}

// exits reports whether lanes exit at an instruction, also by a kernel's return.
func exits(fn *isa.Func, pc int) bool {
	kind := fn.Code[pc].Spec.Kind
	return kind == isa.Exit || kind == isa.Return && fn.Entry
}

// Started implements interp.StartObserver.
func (c *Collector) Started(at *interp.Place, m lanes.Mask) {
	for len(c.warps) <= at.Slot {
		c.warps = append(c.warps, nil)
	}
	of := &c.warps[at.Slot]
	for len(*of) <= at.Warp {
		*of = append(*of, warpState{})
	}
	(*of)[at.Warp].start(m)
}

// warp returns the state of the warp at a place.
func (c *Collector) warp(at *interp.Place) *warpState { return &c.warps[at.Slot][at.Warp] }

// Ran implements interp.RunObserver.
func (c *Collector) Ran(at *interp.Place, first, end int, m lanes.Mask) {
	f := &c.funcs[at.Func]
	n := uint64(m.Count())
	f.runs[first]++
	f.runs[end]--
	f.lanes[first] += n
	f.lanes[end] -= n
	w := c.warp(at)
	if len(w.pending) > 0 {
		c.resolve(w, m)
	}
	if w.mask != m {
		w.charge(c.lost)
		w.mask = m
	}
	w.steps += uint64(end - first)
	if f.mayDiverge[end-1] {
		w.pending = append(w.pending, diverged{m, m, f.site(end - 1)})
	}
}

// resolve records that the lanes of m run. Lanes that were with them at a pending instruction and do not run now have
// diverged.
func (c *Collector) resolve(w *warpState, m lanes.Mask) {
	w.charge(c.lost)
	open := w.pending[:0]
	for _, p := range w.pending {
		run, rest := p.a&m, p.a&^m
		if run != 0 && rest != 0 {
			if p.a == p.b { // the first to continue
				c.countsAt(p.site).addDivergence(run, rest)
			}
			w.diverge(run, rest, p.site)
		}
		if p.a = rest; rest != 0 {
			open = append(open, p)
		}
	}
	w.pending = open
}

// countsAt returns the counters of the instruction at a site.
func (c *Collector) countsAt(site int) *Counts {
	i := len(c.funcs) - 1
	for c.funcs[i].firstSite > site {
		i--
	}
	return &c.funcs[i].counts[site-c.funcs[i].firstSite]
}

// addDivergence counts a divergence into some and others.
func (c *Counts) addDivergence(some, others lanes.Mask) {
	n, k := uint64(some.Count()), uint64(others.Count())
	c.Divergences++
	c.LargerSides += max(n, k)
	c.OtherSides += min(n, k)
}

// Diverged implements interp.DivergenceObserver.
func (c *Collector) Diverged(at *interp.Place, pc int, to []divergence.Group) {
	f, w := &c.funcs[at.Func], c.warp(at)
	w.charge(c.lost)
	var all, largest lanes.Mask
	for _, g := range to {
		all |= g.Mask
		if g.Mask.Count() > largest.Count() {
			largest = g.Mask
		}
	}
	f.counts[pc].DivergentBranches++
	f.counts[pc].addDivergence(largest, all&^largest)
	w.drop(all)
	for _, g := range to[:len(to)-1] {
		all &^= g.Mask
		w.add(diverged{g.Mask, all, f.site(pc)})
	}
}

// Exited implements interp.ExitObserver.
func (c *Collector) Exited(at *interp.Place, pc int, m lanes.Mask) {
	f, w := &c.funcs[at.Func], c.warp(at)
	w.charge(c.lost)
	if rest := w.live() &^ m; rest != 0 {
		f.counts[pc].addDivergence(m, rest)
	}
	w.exit(m, f.site(pc))
}

// Arrived implements interp.ArrivalObserver.
func (c *Collector) Arrived(at *interp.Place, pc int, _ int, m lanes.Mask) {
	counts := &c.funcs[at.Func].counts[pc]
	counts.Arrivals++
	counts.ArrivedLanes += uint64(m.Count())
}
