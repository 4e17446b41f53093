package check

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// site is an instruction that accesses memory or orders accesses.
type site struct {
	fn    *isa.Func
	pc    int
	index uint32 // among all sites of the launch
	class class
	// For an access or a fence: whether it acquires and releases.
	acquires, releases bool
	sc                 bool // a sequentially consistent fence
	mbarrier           bool // a strong operation on mbarriers
	// decides is true for a strong read if the thread's behaviour may depend on the value: see decisions.
	decides bool
	// polls is true for a strong read if its loop ends depending on the value read.
	polls bool
	// calm is true for an atomic that does not race with others of its class and CTA, if no access orders threads.
	calm bool
	// repeated is true in a loop without a barrier.
	repeated bool
	// beforeStores is true if the latest accesses that were deferred from this one on had stores among them.
	beforeStores bool
	// unlogged says that one of several loads by the instruction was not logged; it is then not tried again for several.
	unlogged bool
	// into is, for a copy, the site of its destination; this site is that of its source. What cancels a launch has no
	// source.
	into *site
	// signalled is, for such a copy, the site of the mbarrier that it signals; nil if it signals none.
	signalled *site
}

func (s *site) in() *isa.Instr { return &s.fn.Code[s.pc] }

// Watches implements interp.SelectiveObserver: Races sees accesses to memory that threads share, what orders them, and
// the ends of loops with accesses.
func (r *Races) Watches(fn, pc int) bool {
	s := &r.sites[fn][pc]
	in := s.in()
	if in.Spec == nil {
		return false
	}
	switch in.Spec.Kind {
	case isa.Load, isa.Store, isa.Atomic:
		space := in.Mods.MemSpace()
		return space == isa.Shared || space == isa.SharedCluster || space == isa.Global || space == isa.Generic
	case isa.Fence, isa.Barrier:
		return true
	}
	ends := r.loopEnds[fn]
	return s.class&(reads|writes) != 0 || ends != nil && ends[pc] || r.lockstep && in.Mods[isa.Sync] != 0
}

// MayBeLate implements interp.LateObserver: of accesses Races asks for memory and for what they store, and of nothing
// for registers.
func (r *Races) MayBeLate(fn, pc int) bool {
	switch r.sites[fn][pc].in().Spec.Kind {
	case isa.Load, isa.Store, isa.Atomic, isa.Branch:
		return true
	case isa.Barrier:
		return r.sites[fn][pc].in().Mods[isa.BarOp] == isa.BarSync
	}
	return false
}

// isCopy reports whether the instruction copies memory.
func (s *site) isCopy() bool { in := s.in(); return in.Spec != nil && in.Spec.Kind == isa.Copy }

// cancels reports whether the instruction cancels a launch: like a copy, it writes its answer and signals an mbarrier.
func (s *site) cancels() bool {
	in := s.in()
	return in.Spec != nil && in.Spec.Kind == isa.CancelLaunch
}

// isGrouped reports whether the instruction is a non-bulk copy, which cp.async.wait_group and similar instructions
// wait for.
func (s *site) isGrouped() bool { return s.isCopy() && s.in().Mods[isa.CopyCache] != 0 }

// isBulkGrouped reports whether the instruction is a bulk copy to global memory, which cp.async.bulk.wait_group waits
// for.
func (s *site) isBulkGrouped() bool {
	return s.isCopy() && s.in().Mods[isa.Completion] == isa.BulkGroup
}

// isProduct reports whether the instruction is a wgmma.mma_async.
func (s *site) isProduct() bool {
	in := s.in()
	return in.Spec != nil && in.Mods[isa.WarpgroupG] == isa.WarpgroupMMA
}

// element returns the type of the elements that the instruction accesses. A copy has no type; it accesses words.
func (s *site) element() isa.Type {
	if s.isCopy() && s.in().Types[0] == isa.NoType {
		return isa.B32
	}
	return s.in().Element()
}

// signals reports whether a copy, or what cancels a launch, signals an mbarrier.
func (s *site) signals() bool {
	return slices.ContainsFunc(s.in().Spec.Formals(), func(p isa.Formal) bool { return p.Mbar })
}

// intoClass returns the class of a copy's access to its destination: reductions are atomics.
func (s *site) intoClass() class {
	in := s.in()
	if !in.Reduces() {
		return writes
	}
	c := reads | writes | strong | class(bits.Len(uint(s.element().Bytes()))-1)<<sizeShift
	if isWide(in) {
		c |= wide
	}
	return c
}

// exchanges reports whether the instruction is an atomic of the kind that locks use.
func (s *site) exchanges() bool {
	in := s.in()
	return in.Spec != nil && in.Spec.Kind == isa.Atomic && (in.Mods[isa.AtomOp] == isa.AtomCas || in.Mods[isa.AtomOp] == isa.AtomExch)
}

// isPartial reports whether the instruction is a barrier that may be for only some threads of a CTA.
func (s *site) isPartial() bool {
	in := s.in()
	if in.Later != "" || in.Spec == nil || in.Spec.Kind != isa.Barrier || in.Mods[isa.BarOp] == isa.BarWarp {
		return false
	}
	counted := false
	for i, formal := range in.Spec.Formals() {
		counted = counted || formal.Name == 'b' && i < len(in.Args) && in.Args[i].Kind != isa.NoOperand
	}
	return counted || in.Mods[isa.BarOp] == isa.BarArrive
}

// class is the properties of an access that determine what it may race with.
type class uint8

const (
	writes    class  = 1 << iota
	reads            // atomics read and write
	strong           // atomic, volatile, or of a memory order other than weak
	wide             // its scope is the GPU or the system; otherwise it is the CTA
	bare             // strong, but not synchronisation by itself: volatile or relaxed
	sizeShift = iota // log2 of the size of an element
)

// mbarrierSize is the size of an mbarrier, as in a class.
const mbarrierSize = 3

// strength returns a class without reads and writes.
func (c class) strength() class { return c &^ (writes | reads) }

// and returns the common class of accesses of two classes.
func (c class) and(o class) class {
	if c.strength() == o.strength() {
		return c | o
	}
	return (c | o) & (writes | reads)
}

// setDecides sets whether the value of a strong read may decide the thread's behaviour, given the registers that do.
func (s *site) setDecides(regs []bool, d *decisions) {
	if in := s.in(); s.class&(strong|reads) == strong|reads {
		s.decides = d.result(regs, in)
	}
}

// setCalm sets whether the instruction is a calm atomic, given whether it polls.
func (s *site) setCalm() {
	const atomic = reads | writes | strong
	in := s.in()
	s.calm = s.class&(atomic|bare) == atomic && !s.polls && in.Spec.Kind == isa.Atomic && in.MbarrierOp() == 0
}

// newSite returns the site of the instruction at pc.
func newSite(fn *isa.Func, pc int, index uint32) site {
	s := site{fn: fn, pc: pc, index: index}
	in := s.in()
	if in.Spec == nil {
		return s
	}
	sem, kind := in.Mods[isa.Sem], in.Spec.Kind
	switch kind {
	case isa.Load, isa.Store, isa.Atomic:
		if kind != isa.Store {
			s.class |= reads
		}
		if kind != isa.Load {
			s.class |= writes
		}
		if kind == isa.Atomic || sem > isa.SemWeak {
			s.class |= strong
		}
		if isBare(in) {
			s.class |= bare
		}
		bytes := in.Element().Bytes()
		if t := in.Types[0]; t == isa.F16x2 || t == isa.BF16x2 { // an access to each half (PTX ISA 8.2.2)
			bytes /= 2
		}
		if bytes > 1 {
			s.class |= class(bits.Len(uint(bytes))-1) << sizeShift
		}
		s.acquires, s.releases = orders(sem)
		if op := in.MbarrierOp(); op != 0 {
			s.setMbarrier(op, sem)
		}
	case isa.Copy, isa.TensorMemory, isa.CancelLaunch, isa.Clear:
		s.class = reads
	case isa.Warpgroup: // matrices in shared memory
		s.class = reads
	case isa.Fence:
		if s.acquires, s.releases = orders(sem); sem == 0 { // membar, or a plain fence
			s.acquires, s.releases = true, true
		}
		s.sc = sem == isa.SemSC || in.Mods[isa.Level] != 0 // membar is fence.sc (PTX ISA 9.7.13.4)
	}
	if isWide(in) {
		s.class |= wide
	}
	return s
}

// setMbarrier sets the order of an operation on an mbarrier without an explicit one: arrivals release, and waits
// acquire, at CTA scope (PTX ISA, mbarrier).
func (s *site) setMbarrier(op, sem isa.Mod) {
	switch op {
	case isa.MbarInit, isa.MbarInval:
		return
	case isa.MbarArrive, isa.MbarArriveDrop:
		s.releases = sem == 0 || s.releases
	case isa.MbarTestWait, isa.MbarTryWait:
		s.acquires = sem == 0 || s.acquires
	}
	s.class |= strong
	s.mbarrier = true
}

// orders reports whether a memory order acquires and releases.
func orders(sem isa.Mod) (acquires, releases bool) {
	both := sem == isa.SemAcqRel || sem == isa.SemSC
	return both || sem == isa.SemAcquire, both || sem == isa.SemRelease
}

// isWide reports whether the scope of a strong access or a fence includes other CTAs. Cluster scope counts as
// CTA scope. Volatile accesses have system scope, atomics without a scope have GPU scope (PTX ISA 9.7.9, ld and atom).
func isWide(in *isa.Instr) bool {
	switch {
	case in.MbarrierOp() != 0: // of the CTA, or of a cluster
		return false
	case in.Mods[isa.Scope] != 0:
		return in.Mods[isa.Scope] >= isa.ScopeGPU
	case in.Mods[isa.Level] != 0:
		return in.Mods[isa.Level] > isa.LevelCTA
	}
	return true
}
