// Package hazard finds the accesses of a kernel with which warps of one CTA may race: a store, and a load or an
// atomic of another warp that may access the same word between two barriers. The results of such a kernel depend on
// how its warps are scheduled. A kernel that is correct on every GPU may still rely on short time slices.
//
// The answer is an estimate for schedulers, not a proof. The analysis assumes that addresses are affine functions of
// the thread's index that do not wrap, that pointers lead to different arrays unless they are equal, and that rows of
// an array do not overlap. If less is known of two addresses in one array, they may be equal. Accesses of different
// functions are not compared.
package hazard

import (
	"math/big"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// Hazards are the accesses of one function that may collide.
type Hazards struct {
	c     *function
	pairs []pair
	// Pointers are the offsets of parameters that may be equal pointers, which decides whether some accesses collide.
	Pointers []int64
}

// pair is a store and a load or atomic in one interval, which access one array, or two arrays through pointers that
// may be equal.
type pair struct{ store, other *access }

// function has the facts about a function's accesses.
type function struct {
	f        *isa.Func
	g        *flow.Graph
	v        *values
	iv       *intervals
	cyclic   []bool // by block: a path without synchronisation leads back to it
	accesses []access
	varying  []bool // by symbol: it differs from thread to thread
	unstable []bool // by symbol: it may change within an interval
	apart    []bool // by symbol: it may differ between CTAs
	instances
}

// mostPairs limits the number of pairs of accesses that are compared.
const mostPairs = 1 << 18

// Find analyses a function. Syncs reports whether an instruction synchronises the warps of a CTA. The result is nil
// if no accesses can collide, or if the function is too large to analyse.
func Find(f *isa.Func, g *flow.Graph, syncs func(pc int) bool) *Hazards {
	stores, others := 0, 0
	for pc := range f.Code {
		switch in := &f.Code[pc]; {
		case in.Is(isa.Store):
			stores++
		case in.Is(isa.Load) && in.Mods.MemSpace() != isa.Param, in.Is(isa.Atomic):
			others++
		}
	}
	if stores == 0 || others == 0 || stores*others > mostPairs {
		return nil
	}
	c := &function{f: f, g: g, v: newValues(f, g), iv: findIntervals(g, f.Entry, syncs),
		instances: instances{born: make(map[symbol][]int32), without: make(map[avoided]*big.Int)}}
	if c.iv == nil {
		return nil
	}
	c.cyclic = g.InCycle(func(b int) bool { return len(c.iv.syncs[b]) > 0 })
	c.findAccesses()
	h := &Hazards{c: c}
	if h.findPairs(); len(h.pairs) == 0 {
		return nil
	}
	return h
}

// findPairs finds the pairs of accesses to compare for each launch.
func (h *Hazards) findPairs() {
	all := h.c.accesses
	for i := range all {
		if !all[i].stores {
			continue
		}
		for k := range all {
			w, r := &all[i], &all[k]
			if r.stores || !together(w, r) || w.base != r.base && (w.pointer == one || r.pointer == one) {
				continue
			}
			h.pairs = append(h.pairs, pair{w, r})
			if w.base != r.base {
				h.Pointers = append(h.Pointers, h.c.offset(w), h.c.offset(r))
			}
		}
	}
	slices.Sort(h.Pointers)
	h.Pointers = slices.Compact(h.Pointers)
}

// offset returns the offset of the parameter that an address is relative to.
func (c *function) offset(a *access) int64 { return c.v.symbols[a.pointer].param }

// In marks, by PC, the accesses that may collide in a CTA of an extent, and reports whether there are any. Equal
// reports whether two pointers, the parameters at these offsets, are equal. Repeats is true if all these accesses are
// to the same places of shared memory in every CTA that takes the same branches.
func (h *Hazards) In(block isa.Dim, equal func(p, q int64) bool, mark []bool) (any, repeats bool) {
	e := extentsOf(block)
	repeats = true
	for _, p := range h.pairs {
		w, r := p.store, p.other
		switch {
		case mark[w.pc] && mark[r.pc]:
		case w.base != r.base && !equal(h.c.offset(w), h.c.offset(r)):
		case h.c.meet(w, r, &e):
			mark[w.pc], mark[r.pc], any = true, true, true
			repeats = repeats && h.c.repeats(w) && h.c.repeats(r)
		}
	}
	return any, repeats
}

// together reports whether both accesses are made in one interval.
func together(w, r *access) bool {
	bits := r.intervals.Bits()
	for i, word := range w.intervals.Bits() {
		if i < len(bits) && bits[i]&word != 0 {
			return true
		}
	}
	return false
}
