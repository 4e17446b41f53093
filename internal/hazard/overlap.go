package hazard

import (
	"cmp"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
)

// extents are the extents of a CTA, by dimension.
type extents [numDimensions]int64

func extentsOf(block isa.Dim) extents {
	return extents{1, int64(block.X), int64(block.Y), int64(block.Z)}
}

// flat reports whether threads have an index only in dimension x.
func (e *extents) flat() bool { return e[tidY] == 1 && e[tidZ] == 1 }

// meet reports whether threads of different warps of a CTA may access a common byte by two accesses with the same
// base. It returns true if not enough is known of the addresses.
func (c *function) meet(w, r *access, block *extents) bool {
	gw, gr := c.common(&w.guard, w, r), c.common(&r.guard, w, r)
	if c.sameWarp(&gw, &gr, block) {
		return false
	}
	d := difference{c: c, w: w, r: r, guards: [2]*guard{&gw, &gr}, store: w.addr, load: r.addr, block: block}
	if w.base != r.base { // two pointers that are equal
		d.store, d.load = w.addr.plus(of(w.pointer), -1), r.addr.plus(of(r.pointer), -1)
	}
	return d.mayBeSmall()
}

// common returns the part of a guard in values that are the same for both accesses.
func (c *function) common(g *guard, w, r *access) (all guard) {
	same := func(bounds []*affine) (kept []*affine) {
		for _, a := range bounds {
			if c.same(a, w, r) {
				kept = append(kept, a)
			}
		}
		return kept
	}
	for dim := range g.low {
		all.low[dim], all.high[dim] = same(g.low[dim]), same(g.high[dim])
	}
	for _, e := range g.equal {
		if c.same(e.same, w, r) && c.same(e.own, w, r) {
			all.equal = append(all.equal, e)
		}
	}
	return all
}

// sameWarp reports whether accesses under two guards are made by threads of one warp.
func (c *function) sameWarp(w, r *guard, block *extents) bool {
	if !block.flat() {
		return sameThread(w, r, block)
	}
	for _, a := range w.equal {
		for _, b := range r.equal {
			if a.own.equal(b.own) && a.same.equal(b.same) && c.isWarp(a.own) {
				return true
			}
		}
	}
	lowW, highW := w.between(tidX, block)
	lowR, highR := r.between(tidX, block)
	if low, high := min(lowW, lowR)/32, max(highW, highR)/32; low == high {
		return true
	}
	return sameThread(w, r, block)
}

// sameThread reports whether both accesses are made by one thread.
func sameThread(w, r *guard, block *extents) bool {
	for dim := tidX; dim < numDimensions; dim++ {
		if block[dim] > 1 && !pinned(w, r, dim) {
			return false
		}
	}
	return true
}

// pinned reports whether an index has one value under both guards.
func pinned(a, b *guard, dim dimension) bool {
	for _, low := range a.low[dim] {
		for _, high := range a.high[dim] {
			if low.equal(high) && contains(b.low[dim], low) && contains(b.high[dim], low) {
				return true
			}
		}
	}
	return false
}

func contains(all []*affine, a *affine) bool { return slices.ContainsFunc(all, a.equal) }

// between returns the constant bounds of an index.
func (g *guard) between(dim dimension, block *extents) (low, high int64) {
	high = block[dim] - 1
	for _, a := range g.low[dim] {
		if a.isConstant() {
			low = max(low, a.c)
		}
	}
	for _, a := range g.high[dim] {
		if a.isConstant() {
			high = min(high, a.c)
		}
	}
	return low, high
}

// difference is the address of a store minus that of a load, each by its own thread. The accesses overlap if it is
// greater than minus the size of the store and less than the size of the load.
type difference struct {
	c           *function
	w, r        *access
	guards      [2]*guard // of both accesses, in values that are the same for both
	store, load *affine   // the addresses, relative to the same base
	block       *extents
}

// mayBeSmall reports whether the accesses may overlap.
func (d *difference) mayBeSmall() bool {
	own, rest, covered, shared := d.split()
	span, injective := d.span(own)
	injective = injective && covered
	switch {
	case d.apart(own, rest, shared), injective && d.inColumns(span, rest, shared):
		return false
	case len(shared) > 0 && !(d.inRows(own, shared, injective) && rest.isConstant()):
		return true
	case injective && rest.isConstant() && rest.c == 0:
		return false // threads have different elements
	}
	// Rows of an array do not overlap: accesses can only be close to each other within one row.
	return !d.apart(own, rest, nil) && !d.beyond(own, rest)
}

// side is a term of one of the two addresses.
type side struct {
	term
	store bool
}

// split divides the terms. Own are the terms of values with constant bounds and factors, such as thread indices; shared
// are the terms of values that differ from thread to thread, or with unknown factors; rest is the difference of the
// terms that are the same for all threads. Covered is true if both addresses depend on every index.
func (d *difference) split() (own []side, rest *affine, covered bool, shared []side) {
	rest = constant(d.store.c - d.load.c)
	var seen [2][numDimensions]bool
	for i, a := range []*affine{d.store, d.load} {
		for _, t := range a.terms {
			seen[i][t.dim] = true
			s := side{t, i == 0}
			switch {
			case t.dim != none && d.block[t.dim] == 1: // the index is 0
			case t.sym == one, t.dim == none && d.c.isBounded(t.sym, d.block):
				own = append(own, s)
			case t.dim != none || d.c.varies(t.sym) || !d.c.sameSymbol(t.sym, d.w, d.r):
				shared = append(shared, s)
			case i == 0:
				rest = rest.plus(&affine{terms: []term{t}}, 1)
			default:
				rest = rest.plus(&affine{terms: []term{t}}, -1)
			}
		}
	}
	covered = true
	for dim := tidX; dim < numDimensions; dim++ {
		covered = covered && (d.block[dim] == 1 || seen[0][dim] && seen[1][dim])
	}
	return own, rest, covered, shared
}

// inRows reports whether the terms that are not own select a row of an array, or a position in a row: both addresses
// have the same such terms, with an unknown factor, like the pitch of an array, or the terms count the passes of a
// loop within each thread's own part.
func (d *difference) inRows(own, shared []side, injective bool) bool {
	counts := make(map[term]int)
	for _, s := range shared {
		kind := d.c.v.symbols[s.sym].kind
		switch {
		case d.c.differs(s.sym):
			return false
		case s.dim != none && d.c.sameSymbol(s.sym, d.w, d.r), s.dim == none && kind == product && d.isPitch(s.sym):
		case kind != iterations || !injective || !isBelow(s.factor, own):
			return false
		}
		if s.store {
			counts[s.term]++
		} else {
			counts[s.term]--
		}
	}
	for _, n := range counts {
		if n != 0 {
			return false
		}
	}
	return true
}

// isPitch reports whether a symbol is the product of a number of loop passes and factors that are the same for both
// accesses.
func (d *difference) isPitch(s symbol) bool {
	return !slices.ContainsFunc(d.c.v.factors(s), func(f symbol) bool {
		return d.c.v.symbols[f].kind != iterations && !d.c.sameSymbol(f, d.w, d.r)
	})
}

// isBelow reports whether a factor is less than those of all own terms; false if there are none.
func isBelow(factor int64, own []side) bool {
	return len(own) > 0 && !slices.ContainsFunc(own, func(s side) bool { return magnitude(s.factor) <= magnitude(factor) })
}

// span returns how far apart accesses of two threads may be by their own terms, plus the size of one. It returns
// false unless both addresses have the same sum of thread indices, which differs between any two threads by at least
// that size.
func (d *difference) span(own []side) (span int64, injective bool) {
	var columns []term
	for _, s := range own {
		switch {
		case s.dim == none:
			return 0, false
		case s.store:
			columns = append(columns, s.term)
		case !slices.ContainsFunc(own, func(o side) bool { return o.store && o.term == s.term }):
			return 0, false
		}
	}
	sorted.By(columns, func(a, b term) int { return cmp.Compare(magnitude(a.factor), magnitude(b.factor)) })
	span = max(d.w.size, d.r.size)
	for _, t := range columns {
		if magnitude(t.factor) < span {
			return 0, false
		}
		span += magnitude(t.factor) * (d.block[t.dim] - 1)
	}
	return span, 2*len(columns) == len(own)
}

// apart reports whether all terms are multiples of such a large number that the remainder keeps the accesses apart,
// like elements 2i and 2i+1.
func (d *difference) apart(own []side, rest *affine, shared []side) bool {
	g := int64(0)
	for _, s := range own {
		g = gcd(g, s.factor)
	}
	for _, s := range shared {
		g = gcd(g, s.factor)
	}
	for _, t := range rest.terms {
		g = gcd(g, t.factor)
	}
	if g == 0 {
		return rest.c <= -d.w.size || rest.c >= d.r.size
	}
	offset := ((rest.c % g) + g) % g
	return offset >= d.r.size && offset-g <= -d.w.size
}

// inColumns reports whether each thread stays in a column of its own: all other terms of both addresses than the same
// sum of thread indices are multiples of such a large number that no other thread's column is reached.
func (d *difference) inColumns(span int64, rest *affine, shared []side) bool {
	width := rest.c
	for _, s := range shared {
		width = gcd(width, s.factor)
	}
	for _, t := range rest.terms {
		width = gcd(width, t.factor)
	}
	return width != 0 && span <= magnitude(width)
}

func magnitude(a int64) int64 { return max(a, -a) }

// rangeOf returns the bounds of a term without its factor: of a thread index, or of a bounded symbol.
func (c *function) rangeOf(t term, block *extents) (low, high int64) {
	if t.dim != none {
		return 0, block[t.dim] - 1
	}
	high, _ = c.most(of(t.sym), block)
	return 0, high
}

// isBounded reports whether a symbol is between 0 and a constant.
func (c *function) isBounded(s symbol, block *extents) bool {
	_, ok := c.most(of(s), block)
	return ok
}

// most returns an upper bound of a value that is not negative: of the low bits of a value, or of a thread index
// shifted right.
func (c *function) most(a *affine, block *extents) (most int64, ok bool) {
	if a.c == 0 && len(a.terms) == 1 && a.terms[0].factor == 1 && a.terms[0].sym == one {
		return block[a.terms[0].dim] - 1, true
	}
	s, only := a.only()
	if !only {
		return a.c, a.isConstant() && a.c >= 0
	}
	info := &c.v.symbols[s]
	if len(info.parts) != 2 || !info.parts[1].isConstant() || info.parts[1].c < 0 {
		return 0, false
	}
	by := info.parts[1].c
	switch info.op {
	case isa.ArithAnd:
		return by, true
	case isa.ArithRemainder:
		return max(by-1, 0), true
	case isa.ArithShiftRight, isa.ArithQuotient:
		of, ok := c.most(info.parts[0], block)
		if !ok || by > 62 || info.op == isa.ArithQuotient && by == 0 {
			return 0, false
		}
		if info.op == isa.ArithQuotient {
			return of / by, true
		}
		return of >> by, true
	}
	return 0, false
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	if a < 0 {
		return -a
	}
	return a
}

// beyond reports whether the difference is always so large, or so far below 0, that the accesses do not overlap.
func (d *difference) beyond(own []side, rest *affine) bool {
	least, most := d.bound(own, rest, -1), d.bound(own, rest, 1)
	return most != nil && *most <= -d.w.size || least != nil && *least >= d.r.size
}

// bound returns the least (sign -1) or greatest (sign 1) value of the difference; nil if it is not known.
func (d *difference) bound(own []side, rest *affine, sign int64) *int64 {
	if len(own) == 0 {
		if !rest.isConstant() {
			return nil
		}
		return &rest.c
	}
	s, g, factor := own[0], d.guards[1], -own[0].factor
	if s.store {
		g, factor = d.guards[0], s.factor
	}
	low, high := d.c.rangeOf(s.term, d.block)
	limits := append([]*affine{constant(low)}, g.low[s.dim]...)
	if factor*sign > 0 {
		limits = append([]*affine{constant(high)}, g.high[s.dim]...)
	}
	var best *int64
	for _, limit := range limits[:min(len(limits), mostLimits)] {
		if b := d.bound(own[1:], rest.plus(limit, factor), sign); b != nil && (best == nil || *b*sign < *best*sign) {
			best = b
		}
	}
	return best
}

// mostLimits limits the number of bounds of one index that are tried.
const mostLimits = 4
