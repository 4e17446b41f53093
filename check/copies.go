package check

import (
	"fmt"

	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// Copies of cp.async are made at once, as the engine makes them, but may come later on a GPU: up to
// the end of the thread's wait for them. So what touches their destination before that, by whatever
// thread, finds bytes that may not be there yet, or may be overwritten. Whether other threads are
// in order behind the wait is a question of races.

// Products of wgmma are made at once, too, and may read their matrices later, up to the end of the
// warp's wait for them: so what overwrites a matrix before that may change the product.

// pendingCopy is the copies of a warp instruction that lanes have not waited for, or what a product
// of a warpgroup reads.
type pendingCopy struct {
	site      *site
	product   bool
	lanes     lanes.Mask
	off       [lanes.Width]uint64 // by lane, of the destination
	group     [lanes.Width]int64  // to which the lane's copy belongs, or the product
	size      uint64
	low, high uint64 // bounds of all destinations
}

// copied notes the copies that lanes have just made to shared memory, or what a product reads there.
func (w *warp) copied(s *site, a *interp.Access) {
	p := pendingCopy{site: s, product: a.Background, lanes: a.Lanes, size: a.Size, low: ^uint64(0)}
	for left := a.Lanes; left != 0; left &= left - 1 {
		lane := firstLane(left)
		if p.off[lane], p.group[lane] = a.At(lane), w.copyGroup[lane]; p.product {
			p.group[lane] = int64(w.products.groups)
		}
		p.low, p.high = min(p.low, p.off[lane]), max(p.high, p.off[lane]+a.Size)
	}
	w.pending = append(w.pending, p)
}

// Grouped implements interp.CopyObserver.
func (r *Races) Grouped(at *interp.Place, pc int, m lanes.Mask) {
	w, in := r.warp(at), r.sites[at.Func][pc].in()
	switch {
	case in.Is(isa.Warpgroup):
		w.orderProducts(in)
		return
	case in.Mods[isa.Bulk] != 0:
		return
	}
	latest := int64(-1) // all copies, those of no group too
	switch in.Mods[isa.GroupOp] {
	case isa.CommitGroup:
		for left := m; left != 0; left &= left - 1 {
			w.copyGroup[firstLane(left)]++
		}
		return
	case isa.WaitGroup:
		latest = int64(in.Args[0].Bits)
	}
	w.waited(m, latest)
}

// waited notes that lanes have waited for all their groups of copies but so many of the latest; for
// all copies, if latest is -1.
func (w *warp) waited(m lanes.Mask, latest int64) {
	kept := w.pending[:0]
	for _, p := range w.pending {
		for left := m & p.lanes; left != 0 && !p.product; left &= left - 1 {
			if lane := firstLane(left); p.group[lane] < w.copyGroup[lane]-latest {
				p.lanes &^= 1 << lane
			}
		}
		if p.lanes != 0 {
			kept = append(kept, p)
		}
	}
	w.pending = kept
}

// accessBesideCopies looks at an access to shared memory, which may be that of a copy, or an arrival
// for copies: who waits for that knows that they are done.
func (v *visit) accessBesideCopies(a *interp.Access) {
	v.touchesCopies()
	switch in := v.site.in(); {
	case v.site.isGrouped() && a.Kind == isa.Store, a.Background:
		v.w.copied(v.site, a)
	case in.Mods[isa.Async] != 0 && in.Mods[isa.Mbar] != 0:
		v.w.waited(a.Lanes, -1)
	}
}

// touchesCopies looks for copies, not waited for, whose destinations an access to shared memory
// touches.
func (v *visit) touchesCopies() {
	low, high := ^uint64(0), uint64(0)
	for _, w := range v.w.cta.warps {
		for i := range w.pending {
			if high == 0 {
				for left := v.mask; left != 0; left &= left - 1 {
					at := v.acc.At(firstLane(left))
					low, high = min(low, at), max(high, at+v.size)
				}
			}
			if p := &w.pending[i]; p.low < high && low < p.high && (!p.product || v.site.class&writes != 0) {
				v.touchesCopy(w, p)
			}
		}
	}
}

func (v *visit) touchesCopy(w *warp, p *pendingCopy) {
	for left := v.mask; left != 0; left &= left - 1 {
		at := v.acc.At(firstLane(left))
		for copies := p.lanes; copies != 0; copies &= copies - 1 {
			lane := firstLane(copies)
			if from, to := max(at, p.off[lane]), min(at+v.size, p.off[lane]+p.size); from < to {
				v.r.unwaited(v, w, p, from, to, left&-left, copies&-copies)
			}
		}
	}
}

// unwaited adds a finding: lanes of the present access touch bytes of a copy of another lane, or of
// their own.
func (r *Races) unwaited(v *visit, w *warp, p *pendingCopy, from, to uint64, later, earlier lanes.Mask) {
	key := pair{p.site.index, v.site.index}
	f := r.copies[key]
	if f == nil {
		first := v.now
		first.cta, first.warp, first.lanes, first.sites, first.class = uint32(w.cta.number), uint8(w.number), earlier, siteSet(p.site.index), writes
		if p.product {
			first.class = reads
		}
		first.marks |= stale // what was copied is of no interest
		v.now.lanes = later
		one := v.finding(&conflict{earlier: first, later: later, from: from, to: to})
		one.Rule, one.Between = CopyUnwaited, "no wait of the thread that copies"
		one.Advice = &Advice{Kind: Redesign, text: fmt.Sprintf("cp.async.wait_all, or cp.async.wait_group, before line %d, and a barrier if other threads are to see it", v.site.in().Pos.Line)}
		if p.product {
			one.Rule, one.Between = ProductUnwaited, "no wait of the warp that multiplies"
			one.Advice.text = fmt.Sprintf("wgmma.wait_group before line %d, and a barrier if other warps write", v.site.in().Pos.Line)
		}
		one.Fix = one.Advice.text
		f = &unwaitedCopy{finding: one, warps: make(map[int64]uint32)}
		r.copies[key] = f
	}
	f.finding.Instances++
	f.warps[v.w.cta.number] |= 1 << v.w.number
}

// unwaitedCopy is accesses by one instruction to what another has copied.
type unwaitedCopy struct {
	finding Finding
	warps   map[int64]uint32 // by CTA, a bit each
}

// unwaitedFindings are the findings about copies.
func (r *Races) unwaitedFindings() (fs []Finding) {
	for _, c := range r.copies {
		f := c.finding
		f.Blocks = int64(len(c.warps))
		for _, warps := range c.warps {
			for ; warps != 0; warps &= warps - 1 {
				f.Warps++
			}
		}
		fs = append(fs, f)
	}
	return fs
}
