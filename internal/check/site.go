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
	index uint32 // among all of the launch
	class class
	// Of an access or a fence: whether it acquires and releases.
	acquires, releases bool
	sc                 bool // a sequentially consistent fence
	// decides says, of a strong read, that what the thread does may depend on the
	// value: see decisions.
	decides bool
	// polls says of a strong read that its loop ends by the value read.
	polls bool
	// into is, of a copy, what stands for its destination: this one is for its source.
	into *site
	// told is, of such a copy, what stands for its mbarrier; nil if none is told of it.
	told *site
}

func (s *site) in() *isa.Instr { return &s.fn.Code[s.pc] }

// isCopy reports whether the instruction copies memory.
func (s *site) isCopy() bool { in := s.in(); return in.Spec != nil && in.Spec.Kind == isa.Copy }

// isGrouped reports whether the instruction is a copy of lanes, which cp.async.wait_group and its kin wait for.
func (s *site) isGrouped() bool { return s.isCopy() && s.in().Mods[isa.CopyCache] != 0 }

// isBulkGrouped reports whether the instruction is a bulk copy to global memory, which cp.async.bulk.wait_group waits for.
func (s *site) isBulkGrouped() bool {
	return s.isCopy() && s.in().Mods[isa.Completion] == isa.BulkGroup
}

// isProduct reports whether the instruction is a wgmma.mma_async.
func (s *site) isProduct() bool {
	in := s.in()
	return in.Spec != nil && in.Mods[isa.WarpgroupG] == isa.WarpgroupMMA
}

// element is the type of what the instruction accesses; a copy has none, and words stand for it.
func (s *site) element() isa.Type {
	if s.isCopy() && s.in().Types[0] == isa.NoType {
		return isa.B32
	}
	return s.in().Element()
}

// tells reports whether the instruction is a copy of which an mbarrier is told.
func (s *site) tells() bool {
	return slices.ContainsFunc(s.in().Spec.Formals(), func(p isa.Formal) bool { return p.Mbar })
}

// intoClass is the properties of what a copy does to its destination: reductions are atomics.
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

// exchanges reports whether the instruction is an atomic such as locks are made
// of.
func (s *site) exchanges() bool {
	in := s.in()
	return in.Spec != nil && in.Spec.Kind == isa.Atomic && (in.Mods[isa.AtomOp] == isa.AtomCas || in.Mods[isa.AtomOp] == isa.AtomExch)
}

// isPartial reports whether the instruction is a barrier that may be for some threads
// of a CTA only.
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

// class is the properties of an access on which it depends what it may race with.
type class uint8

const (
	writes    class  = 1 << iota
	reads            // atomics do both
	strong           // atomic, volatile, or of a memory order other than weak
	wide             // its scope is the GPU or the system; else the CTA
	bare             // strong, but does not synchronise by itself: volatile or relaxed
	sizeShift = iota // the size of an element: its logarithm
)

// mbarrierSize is the size of an mbarrier in a class.
const mbarrierSize = 3

// strength is all of a class but what it does.
func (c class) strength() class { return c &^ (writes | reads) }

// and is the class of accesses of two classes together.
func (c class) and(o class) class {
	if c.strength() == o.strength() {
		return c | o
	}
	return (c | o) & (writes | reads)
}

// setDecides finds out whether the value of a strong read may decide what the
// thread does, whose deciding registers are given.
func (s *site) setDecides(regs []bool, d *decisions) {
	if in := s.in(); s.class&(strong|reads) == strong|reads {
		s.decides = d.result(regs, in)
	}
}

// newSite looks at the instruction at pc.
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
		if t := in.Types[0]; t == isa.F16x2 || t == isa.BF16x2 { // as an access to each half (PTX ISA 8.2.2)
			bytes /= 2
		}
		if bytes > 1 {
			s.class |= class(bits.Len(uint(bytes))-1) << sizeShift
		}
		s.acquires, s.releases = orders(sem)
		if op := in.MbarrierOp(); op != 0 {
			s.mbarrier(op, sem)
		}
	case isa.Copy, isa.TensorMemory, isa.CancelLaunch:
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

// mbarrier sets what an operation on an mbarrier does where the text says nothing of it: arrivals
// release, and waits acquire, for the CTA (PTX ISA, mbarrier).
func (s *site) mbarrier(op, sem isa.Mod) {
	switch op {
	case isa.MbarInit, isa.MbarInval:
		return
	case isa.MbarArrive, isa.MbarArriveDrop:
		s.releases = sem == 0 || s.releases
	case isa.MbarTestWait, isa.MbarTryWait:
		s.acquires = sem == 0 || s.acquires
	}
	s.class |= strong
}

// orders reports what a memory order does.
func orders(sem isa.Mod) (acquires, releases bool) {
	both := sem == isa.SemAcqRel || sem == isa.SemSC
	return both || sem == isa.SemAcquire, both || sem == isa.SemRelease
}

// isWide reports whether the scope of a strong access or a fence includes other
// CTAs. Clusters are single CTAs. Volatile accesses have the system's scope,
// atomics without one the GPU's (PTX ISA 9.7.9, ld and atom).
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
