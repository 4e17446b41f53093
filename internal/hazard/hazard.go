// Package hazard finds the accesses of a kernel at which warps of one CTA may get in
// each other's way: a store, and a load or an atomic of another warp that may go to the
// same word between two barriers. What such a kernel computes depends on how its warps
// take turns, and one that is right on every GPU may rely on turns that are short.
//
// The answer is an estimate for schedulers, and no proof. Addresses are taken as affine
// functions of the thread's index that do not wrap, of pointers that lead to different
// arrays unless they are equal, and of arrays whose rows do not overlap. Where less is
// known of two addresses in one array, they may meet. Accesses of different functions
// are not compared.
package hazard

import (
	"math/big"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// Hazards are the accesses of one function that may meet.
type Hazards struct {
	c     *function
	pairs []pair
	// Pointers are the offsets of the parameters whose being equal or not decides which
	// accesses may meet.
	Pointers []int64
}

// pair is a store and a load or atomic in one interval, which go to one array; or to two
// that pointers lead to, which may be equal.
type pair struct{ store, other *access }

// function is what is known of a function's accesses.
type function struct {
	f        *isa.Func
	g        *flow.Graph
	v        *values
	iv       *intervals
	cyclic   []bool // by block: a path that does not synchronise leads back to it
	accesses []access
	varying  []bool // by symbol: it differs from thread to thread
	unstable []bool // by symbol: it changes within an interval
	apart    []bool // by symbol: it may be another one in another CTA
	instances
}

// mostPairs bounds how many pairs of accesses are compared.
const mostPairs = 1 << 18

// Find looks at a function. Syncs says which instructions synchronise the warps of a
// CTA. It is nil if no accesses can meet, or the function is too large to tell.
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

// findPairs finds the pairs of accesses that are looked at for each launch.
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

// offset is that of the parameter to which an address is relative.
func (c *function) offset(a *access) int64 { return c.v.symbols[a.pointer].param }

// In marks, by PC, the accesses that may meet in a CTA of an extent, and reports whether
// there are any. Equal says whether two pointers, parameters at these offsets, are equal.
// Repeats says that all of them go to the same places of shared memory in every CTA that
// takes the same branches.
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
