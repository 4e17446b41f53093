package check

import (
	"fmt"
	"maps"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/interp"
)

// The engine makes cp.async copies at once, but on a GPU they may be made at any time until the end of the thread's
// wait for them. So an access to their destination before that, by any thread, may find bytes that have not arrived,
// or that will be overwritten. Whether other threads are ordered after the wait is a matter of races.

// wgmma products are also made at once, and may read their matrices as late as the end of the warp's wait for them.
// So overwriting a matrix before that may change the product.

// Bulk copies to global memory may read their sources until the end of the thread's wait for their group, which may
// be a wait for reading only (.read).

// pendingKind is the part of a copy or product that is pending.
type pendingKind uint8

const (
	destination          pendingKind = iota // of cp.async
	bulkSource                              // of a bulk copy of a bulk group
	productMatrix                           // read by a product of a warpgroup
	signalledDestination                    // of a copy that signals an mbarrier
)

// pendingCopy is the shared memory that a warp instruction reads or writes and that lanes have not waited for.
type pendingCopy struct {
	site      *site
	kind      pendingKind
	lanes     lanes.Mask
	off       [lanes.Width]uint64 // by lane
	group     [lanes.Width]int64  // of the lane's copy or product
	size      uint64
	low, high uint64        // bounds over all lanes
	phase     mbarrierPhase // that is complete when the copy is; of a signalledDestination
}

// pends records what lanes have just copied to shared memory, or what a copy or product reads there.
func (w *warp) pends(kind pendingKind, s *site, a *interp.Access) {
	if kind == bulkSource && w.continues(s, a) {
		return
	}
	p := pendingCopy{site: s, kind: kind, lanes: a.Lanes, size: a.Size, low: ^uint64(0)}
	for left := a.Lanes; left != 0; left &= left - 1 {
		lane := firstLane(left)
		p.off[lane] = a.At(lane)
		switch kind {
		case destination:
			p.group[lane] = w.copyGroup[lane]
		case bulkSource:
			p.group[lane] = w.bulkGroup[lane]
		case productMatrix:
			p.group[lane] = int64(w.products.groups)
		}
		p.low, p.high = min(p.low, p.off[lane]), max(p.high, p.off[lane]+a.Size)
	}
	w.pending = append(w.pending, p)
}

// continues adds a piece of a bulk copy to the previous record if it directly follows it.
func (w *warp) continues(s *site, a *interp.Access) bool {
	if len(w.pending) == 0 {
		return false
	}
	p, lane := &w.pending[len(w.pending)-1], firstLane(a.Lanes)
	if p.site != s || p.lanes != a.Lanes || p.group[lane] != w.bulkGroup[lane] || p.high != a.At(lane) {
		return false
	}
	p.size += a.Size
	p.high += a.Size
	return true
}

// Grouped implements interp.CopyObserver.
func (r *Races) Grouped(at *interp.Place, pc int, m lanes.Mask) {
	w, in := r.warp(at), r.sites[at.Func][pc].in()
	switch {
	case in.Is(isa.Warpgroup):
		w.orderProducts(in)
		return
	}
	kind, groups := destination, &w.copyGroup
	if in.Mods[isa.Bulk] != 0 {
		kind, groups = bulkSource, &w.bulkGroup
	}
	latest := int64(-1) // all copies, including those without a group
	switch in.Mods[isa.GroupOp] {
	case isa.CommitGroup:
		for left := m; left != 0; left &= left - 1 {
			groups[firstLane(left)]++
		}
		return
	case isa.WaitGroup:
		latest = int64(in.Args[0].Bits)
	}
	w.waited(kind, groups, m, latest)
}

// waited records that lanes have waited for all their groups of copies of a kind except for this many of the latest;
// for all copies if latest is -1. Groups are the present ones.
func (w *warp) waited(kind pendingKind, groups *[lanes.Width]int64, m lanes.Mask, latest int64) {
	kept := w.pending[:0]
	for _, p := range w.pending {
		for left := m & p.lanes; left != 0 && p.kind == kind; left &= left - 1 {
			if lane := firstLane(left); p.group[lane] < groups[lane]-latest {
				p.lanes &^= 1 << lane
			}
		}
		if p.lanes != 0 {
			kept = append(kept, p)
		}
	}
	w.pending = kept
}

// accessBesideCopies processes an access to shared memory, which may be a copy's own or an arrival for copies:
// threads that wait for that arrival know that the copies are done.
func (v *visit) accessBesideCopies(a *interp.Access) {
	v.touchesCopies()
	switch in := v.site.in(); {
	case a.Background:
		v.w.pends(productMatrix, v.site, a)
	case v.site.isWait():
		v.w.cta.waitsAt(a)
	case a.CompleteTx:
		v.w.signals(a)
	case a.Kind != isa.Load && v.site.signalsOwn():
		v.w.writesCopy(v.site, a)
	case v.site.isGrouped() && a.Kind == isa.Store:
		v.w.pends(destination, v.site, a)
	case v.site.isBulkGrouped() && a.Kind == isa.Load:
		v.w.pends(bulkSource, v.site, a)
	case in.Mods[isa.Async] != 0 && in.Mods[isa.Mbar] != 0:
		v.w.waited(destination, &v.w.copyGroup, a.Lanes, -1)
	}
}

// touchesCopies looks for pending copies with destinations that an access to shared memory touches, and for pending
// sources and matrices that it changes.
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
			if p := &w.pending[i]; p.low < high && low < p.high && v.disturbs(p) {
				v.touchesCopy(w, p)
			}
		}
	}
}

// disturbs reports whether the access comes too early if it touches what is pending.
func (v *visit) disturbs(p *pendingCopy) bool {
	switch p.kind {
	case destination:
		return true
	case signalledDestination: // copies may reduce the same words
		return v.site.class&strong == 0 || p.site.class&strong == 0
	}
	return v.site.class&writes != 0
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

// unwaited adds a finding: lanes of the present access touch bytes of a copy of another lane, or of their own.
func (r *Races) unwaited(v *visit, w *warp, p *pendingCopy, from, to uint64, later, earlier lanes.Mask) {
	key := pair{p.site.index, v.site.index}
	f := r.copies[key]
	if f == nil {
		first := v.now
		first.cta, first.warp, first.lanes, first.sites, first.class = uint32(w.cta.number), uint8(w.number), earlier, siteSet(p.site.index), writes
		if p.kind == bulkSource || p.kind == productMatrix {
			first.class = reads
		}
		first.marks |= stale // the copied value does not matter
		v.now.lanes = later
		one := v.finding(&conflict{earlier: first, later: later, from: from, to: to})
		names, line := v.site.words(), v.site.place().Pos().Line
		one.Rule, one.Between = CopyUnwaited, "no wait of the thread that copies"
		one.Advice = &Advice{Kind: Redesign, text: fmt.Sprintf("%s before line %d, and a barrier if other threads are to see it", names.copyWait, line)}
		switch p.kind {
		case bulkSource:
			one.Rule = SourceUnwaited
			one.Advice.text = fmt.Sprintf("%s before line %d, and a barrier if other threads write", names.bulkWait, line)
		case signalledDestination:
			one.Between = "no wait for the phase of the mbarrier that the copy signals"
			one.Advice.text = v.site.phaseWait(p.site)
		case productMatrix:
			one.Rule, one.Between = ProductUnwaited, "no wait of the warp that multiplies"
			one.Advice.text = fmt.Sprintf("%s before line %d, and a barrier if other warps write", names.mmas, line)
		}
		one.Fix = one.Advice.text
		f = &unwaitedCopy{finding: one, warps: make(map[int64]uint32)}
		r.copies[key] = f
	}
	f.finding.Instances++
	f.warps[v.w.cta.number] |= 1 << v.w.number
}

// endCopies is called when a CTA ends, and finds bulk copies from its shared memory that no thread has waited for: they
// may read it when another CTA has it.
func (r *Races) endCopies(c *cta) {
	for _, w := range c.warps {
		for i := range w.pending {
			if p := &w.pending[i]; p.kind == bulkSource {
				r.unread(c, w, p)
			}
		}
		w.pending = w.pending[:0]
	}
}

// unread adds a finding: lanes of a warp have not waited for a bulk copy when the CTA ends.
func (r *Races) unread(c *cta, w *warp, p *pendingCopy) {
	key := pair{p.site.index, p.site.index}
	f := r.copies[key]
	if f == nil {
		at := p.off[firstLane(p.lanes)]
		one := Finding{Rule: SourceExit, Space: isa.Shared, Offset: at, Address: at, Bytes: int(p.size), Earlier: c.exit}
		one.Later = Access{Func: p.site.fn, PC: p.site.pc, CTA: c.exit.CTA, Warp: w.number, Lanes: p.lanes}
		if s := r.shared.at(at); s != nil {
			one.Buffer, one.Offset = cxx.Variable(s.Name), at-s.Addr
		}
		one.Between = "the copying thread does not wait for its copy before the block ends"
		one.Fix = p.site.words().bulkWait + " before the thread exits"
		one.Advice = &Advice{Kind: Redesign, text: one.Fix}
		f = &unwaitedCopy{finding: one, warps: make(map[int64]uint32)}
		r.copies[key] = f
	}
	f.finding.Instances += int64(p.lanes.Count())
	f.warps[c.number] |= 1 << w.number
}

// unwaitedCopy collects accesses by one instruction to the destination of a copy, or to the shared memory of another
// CTA, that no thread has waited for.
type unwaitedCopy struct {
	finding Finding
	warps   map[int64]uint32 // by CTA: a bit for each warp
}

// unwaitedFindings returns the findings about copies, and about accesses to CTAs that may not have started or may have
// ended.
func (r *Races) unwaitedFindings() (fs []Finding) {
	var all []*unwaitedCopy
	for _, key := range sorted.Collect(maps.Keys(r.copies), pair.compare) {
		all = append(all, r.copies[key])
	}
	for _, key := range sorted.Collect(maps.Keys(r.lifetimes), lifetimeKey.compare) {
		all = append(all, r.lifetimes[key])
	}
	for _, c := range all {
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
