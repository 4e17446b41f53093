package check

import "github.com/simtrun/simtrun/internal/isa"

// Atomics of many warps often hit one word between two barriers, as in histograms. Those of one class and CTA do not
// race with each other. Where no access orders threads, a cell that has only their records needs little of what
// updateOneOf and compare do.

// calmAtomic reports whether the present access is an atomic of a launch in which no access orders threads.
func (v *visit) calmAtomic() bool {
	const atomic = reads | writes | strong
	return !v.r.syncs && !v.r.byLane && !v.site.polls && v.now.class&(atomic|bare) == atomic
}

// updateAtomics is touch for an atomic at a cell with several records, if all are of atomics of one class and CTA and
// nothing else has to be done than to add to one of them, to leave them as they are, or to add another one. It reports
// whether it did that.
func (v *visit) updateAtomics(p *page, c *cell, s *spill) bool {
	if !v.calmAtomic() {
		return false
	}
	if c.n == 2 && v.replacesAtomic(&c.first, &s.next[0]) {
		return true
	}
	now, cta := &v.now, v.w.cta
	var own *record
	var passed uint32
	apart := v.space == isa.Shared && int(c.n) < mostRecords // each record stays if another one is added
	for i := range int(c.n) {
		r := p.record(c, s, i)
		if r.class != now.class || r.cta != now.cta {
			return false
		}
		since := r.epoch > cta.warps[r.warp].barrierEpoch
		apart = apart && since
		if r.warp == now.warp {
			covers := v.r.sets.contains(r.sites, v.site.index)
			apart = apart && !covers && r.lanes != now.lanes
			if own == nil && r.epoch == now.epoch && (r.marks^now.marks)&diverged == 0 && (r.sites == now.sites || covers && now.lanes&^r.lanes == 0) {
				own = r
			}
		}
		if since && r.sites == now.sites && cta.whole>>r.warp&1 != 0 {
			passed |= 1 << r.warp
		}
	}
	switch {
	case own != nil:
		v.addTo(own)
	case v.redundant(passed):
	case apart:
		v.addRecord(p, c)
	default:
		return false
	}
	return true
}

// replacesAtomic is replaces for calm atomics, as of CTAs that add up their results in global memory.
func (v *visit) replacesAtomic(first, second *record) bool {
	now := &v.now
	if v.space != isa.Global || v.stored != nil || v.clock.grid != nil || first.sites != now.sites || second.sites != now.sites ||
		first.cta == second.cta || first.cta == now.cta || second.cta == now.cta ||
		(first.marks|second.marks)&mixed != 0 || v.conflicts(first.class, first) || v.conflicts(second.class, second) {
		return false
	}
	first.marks |= stale
	second.become(now)
	return true
}

// addsAtomic is updateAtomics for a cell of shared memory with one record, which is of another warp and not before a
// barrier.
func (v *visit) addsAtomic(p *page, c *cell) bool {
	r := &c.first
	if v.space != isa.Shared || !v.calmAtomic() || r.class != v.now.class || r.cta != v.now.cta || r.warp == v.now.warp {
		return false
	}
	v.addRecord(p, c)
	return true
}

// addRecord adds the record of an atomic to a cell.
func (v *visit) addRecord(p *page, c *cell) {
	rs := p.records(c, &v.records)
	for i := range rs {
		rs[i].marks |= stale
	}
	p.keep(c, append(rs, v.now))
}
