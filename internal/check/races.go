package check

import (
	"fmt"
	"math"
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Races finds the data races of one launch by observing it. Its memory is proportional to the accessed memory, plus
// the locations of strong accesses and the CTAs that release there.
type Races struct {
	machine *interp.Machine
	grid    isa.Dim
	sites   [][]site // by function and PC
	byIndex []*site
	sets    *siteSets
	locks   bool // there are atomics of the kind that locks and flags use
	// syncs is true if some strong read decides something. Otherwise no access orders others.
	syncs    bool
	lockstep bool     // there are bare stores: see lockstep.go
	byLane   bool     // each access is checked lane by lane, as defined; in tests
	clusters bool     // the launch has clusters of several CTAs
	polling  bool     // threads poll in loops
	partial  bool     // there are barriers for only some threads of a CTA
	loopEnds [][]bool // by function and PC
	diverged [][]bool // by function and PC: branches at which a warp diverged
	// For advice.
	fns       []*isa.Func
	codes     map[*isa.Func]*code
	decisions *decisions

	ctas    []*cta // by slot
	shared  sharedVariables
	regions []*region // of global memory, by number; nil before the first access
	log     readLog
	loaded  lanes.Access // scratch
	ofWords interp.Loads // for which loadsWords has last returned true
	visit   visit
	// direct is true if reads are never deferred: something else than barriers for all threads of a CTA may order
	// threads, or reads of shared memory matter beyond the CTA.
	direct bool
	groups groups
	copies map[pair]*unwaitedCopy
	// lifetimes are the findings about accesses before the start or after the end of another CTA of the cluster.
	lifetimes map[lifetimeKey]*unwaitedCopy
	grouped   bool // there are copies in groups, or products

	found  int // races between different instructions that may change a result
	latest Finding
}

// Latest returns how many races were found so far, counted once for the same two instructions, and the first instance
// of the latest one: Earlier and Later are here in the order in which they were executed.
func (r *Races) Latest() (n int, f *Finding) {
	latest := r.latest
	return r.found, &latest
}

// Interfaces of observers that Races implements.
var (
	_ interp.StartObserver      = (*Races)(nil)
	_ interp.EndObserver        = (*Races)(nil)
	_ interp.RunObserver        = (*Races)(nil)
	_ interp.LoadsObserver      = (*Races)(nil)
	_ interp.TogetherObserver   = (*Races)(nil)
	_ interp.AccessObserver     = (*Races)(nil)
	_ interp.DivergenceObserver = (*Races)(nil)
	_ interp.ExitObserver       = (*Races)(nil)
	_ interp.ArrivalObserver    = (*Races)(nil)
	_ interp.ReleaseObserver    = (*Races)(nil)
	_ interp.SyncObserver       = (*Races)(nil)
	_ interp.CopyObserver       = (*Races)(nil)
	_ interp.ClusterObserver    = (*Races)(nil)
)

// region is a region of global memory.
type region struct {
	shadow  shadow
	of      *memory.Region
	logged  bool // reads of it are or were in the log
	checked bool // accesses are checked at once
}

// Attach makes Races check l, a launch on m. It returns the errors of interp.Machine.Functions, and an error for
// grids of more than 2^32 CTAs.
func Attach(m *interp.Machine, l *interp.Launch) (*Races, error) {
	fns, err := m.Functions(l.Kernel)
	if err != nil {
		return nil, err
	}
	if n := l.Grid.Count(); n > math.MaxUint32 {
		return nil, fmt.Errorf("the race check tells apart up to 2^32 blocks; the grid has %d", n)
	}
	clusters := interp.ClusterOf(fns[0], l.Cluster)
	r := &Races{machine: m, grid: l.Grid, clusters: clusters.Count() > 1, partial: clusters.Count() > 1, groups: make(groups),
		copies: make(map[pair]*unwaitedCopy), lifetimes: make(map[lifetimeKey]*unwaitedCopy), fns: fns}
	if r.shared, err = sharedOf(m, l); err != nil {
		return nil, err
	}
	for _, fn := range fns {
		sites := make([]site, len(fn.Code))
		for pc := range sites {
			sites[pc] = newSite(fn, pc, uint32(len(r.byIndex)))
			clusterWide := class(0)
			if clusters.Count() > 1 {
				clusterWide = wide
			}
			if in := sites[pc].in(); in.Mods != nil && (in.Mods[isa.Scope] == isa.ScopeCluster || in.Mods[isa.Scope] == 0 && in.MbarrierOp() != 0) {
				sites[pc].class |= clusterWide
			}
			r.partial = r.partial || sites[pc].isPartial()
			r.locks = r.locks || sites[pc].exchanges()
			r.byIndex = append(r.byIndex, &sites[pc])
			r.grouped = r.grouped || sites[pc].isProduct()
			if s := &sites[pc]; s.isCopy() || s.cancels() {
				r.grouped = r.grouped || s.isGrouped() || s.isBulkGrouped()
				s.into = &site{fn: fn, pc: pc, index: uint32(len(r.byIndex)), class: s.intoClass()}
				r.byIndex = append(r.byIndex, s.into)
				if s.signals() { // the copy releases (PTX ISA, cp.async.bulk)
					s.signalled = &site{fn: fn, pc: pc, index: uint32(len(r.byIndex)), class: reads | writes | strong | mbarrierSize<<sizeShift | clusterWide, releases: true, mbarrier: true}
					r.byIndex = append(r.byIndex, s.signalled)
					s.into.signalled = s.signalled
					r.grouped = r.grouped || s.signalsOwn()
				}
			}
		}
		r.polling = findPolls(fn, sites) || r.polling
		r.lockstep = r.lockstep || slices.ContainsFunc(sites, func(s site) bool { return s.class&(bare|writes) == bare|writes })
		r.sites = append(r.sites, sites)
		r.diverged = append(r.diverged, make([]bool, len(fn.Code)))
		r.loopEnds = append(r.loopEnds, loopEnds(fn, sites))
	}
	r.sets = newSiteSets(r.byIndex)
	d := findDecisions(fns)
	r.decisions = d
	for i, sites := range r.sites {
		for pc := range sites {
			sites[pc].setDecides(d.regs[i], d)
			sites[pc].setCalm()
			r.syncs = r.syncs || sites[pc].decides
		}
	}
	r.direct = r.syncs || r.clusters || r.partial || r.grouped
	l.Observe(r)
	return r, nil
}

// Started implements interp.StartObserver.
func (r *Races) Started(at *interp.Place, m lanes.Mask) {
	for len(r.ctas) <= at.Slot {
		r.ctas = append(r.ctas, &cta{})
	}
	c := r.ctas[at.Slot]
	if at.Warp == 0 {
		clear(c.clusterArrivals)
		c.clusterArrivals = c.clusterArrivals[:0]
	}
	if c.number = r.grid.Number(at.CTA); at.Warp == 0 {
		c.reads.begin()
		c.whole, c.barrier, c.equal, c.unsettled = 0, nil, true, false
	}
	c.whole |= 1 << at.Warp
	for len(c.warps) <= at.Warp {
		c.warps = append(c.warps, &warp{cta: c, number: len(c.warps)})
	}
	c.warps[at.Warp].start(m)
}

func (r *Races) warp(at *interp.Place) *warp { return r.ctas[at.Slot].warps[at.Warp] }

// Exited implements interp.ExitObserver. The exit of a thread is not a release: a barrier waits for threads that have
// not exited (PTX ISA 9.7.13.1), and the waiting threads acquire nothing from the others.
func (r *Races) Exited(at *interp.Place, pc int, m lanes.Mask) {
	w := r.warp(at)
	w.cta.whole &^= 1 << w.number
	if w.live &^= m; r.clusters || r.grouped { // findings name the exit
		fn := r.fns[at.Func]
		w.cta.exit = Access{Func: fn, PC: min(pc, len(fn.Code)-1), CTA: at.CTA, Warp: w.number, Lanes: m, Event: "end"}
	}
	if r.clusters {
		w.exited(m)
	}
}

// Ended implements interp.EndObserver.
func (r *Races) Ended(at *interp.Place) {
	c := r.ctas[at.Slot]
	r.endCopies(c)
	r.endLifetime(c)
	c.number = noCTA
	c.shared.clear()
	for i := range c.barriers {
		c.barriers[i].clear()
	}
}

// Diverged implements interp.DivergenceObserver.
func (r *Races) Diverged(at *interp.Place, pc int, _ []divergence.Group) {
	r.diverged[at.Func][pc] = true
}

// shadowOf returns the shadow of the memory that an access goes to, shared or global, and the region if it is global.
// Shared memory is that of the owner.
func (r *Races) shadowOf(owner *cta, acc *lanes.Access) (*shadow, *memory.Region) {
	if isa.Space(acc.Space) == isa.Shared {
		owner.shared.of(acc.Mem)
		return &owner.shared, nil
	}
	for int(acc.Region) >= len(r.regions) {
		r.regions = append(r.regions, nil)
	}
	g := r.regions[acc.Region]
	if g == nil {
		g = &region{of: r.machine.Region(acc.Base)}
		g.shadow.of(acc.Mem)
		r.regions[acc.Region] = g
	}
	return &g.shadow, g.of
}
