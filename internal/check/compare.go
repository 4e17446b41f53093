package check

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// compare compares the present access with the records of a cell, and adds it to them.
func (v *visit) compare(p *page, c *cell, at, size uint64) {
	rs := p.records(c, &v.records)
	now := v.now
	v.observedFrom = v.firstObserved(&v.now, rs)
	v.keptWrite = nil
	kept := v.kept[:0]
	for i := range rs {
		r := rs[i]
		v.observeWrite(&r)
		if (r.class|v.now.class)&writes != 0 {
			v.race(rs[i:], at, size)
		}
		if !v.outlives(&r, rs, i) || v.merge(&now, &r, i == len(rs)-1) {
			continue
		}
		kept = append(kept, r)
		if r.class&writes != 0 {
			v.keptWrite = &kept[len(kept)-1]
		}
	}
	if v.now.class&writes != 0 && len(kept) > 0 && !v.leaves(at, size) {
		for i := range kept {
			kept[i].marks |= stale
		}
	}
	if now.sites != v.now.sites || now.lanes != v.now.lanes { // it may merge with other records now
		kept = slices.DeleteFunc(kept, func(r record) bool { return !v.inOrder(&r) && v.mergeThreads(&now, &r) })
	}
	p.keep(c, v.trim(append(kept, now)))
}

// race looks for races of the present access with the first of rs.
func (v *visit) race(rs []record, at, size uint64) {
	r := rs[0]
	if r.sites == v.now.sites && !v.conflicts(r.class, &r) {
		return
	}
	for left := r.warps(); left != 0; left &= left - 1 {
		warp := int(lowest(left))
		un := v.unordered(&r, warp)
		if un == 0 {
			continue
		}
		later := v.now.lanes
		if r.class&strong != 0 && v.r.syncs {
			later &^= v.observed(rs)
		}
		for _, site := range v.r.sets.sets[r.sites].sites {
			class := v.r.byIndex[site].class
			if !v.conflicts(class, &r) {
				continue
			}
			one := r.of(warp)
			one.sites, one.class = siteSet(site), class
			if !conflicting(class, v.now.class, r.cta == v.now.cta) {
				if warp == int(v.now.warp) {
					v.addLockstep(&one, un, later, at, size)
				}
				continue
			}
			own := v.sameInstruction(&one, at) & un
			v.addConflict(&one, own, later, true, at, size)
			v.addConflict(&one, un&^own, later, false, at, size)
		}
	}
}

// outlives reports whether an earlier record, that at place i of rs, or the rest of it must be kept in addition to the
// present access. It need not be if every access that races with it also races with the present access, which is of
// the same instruction, or if no later access can race with it.
func (v *visit) outlives(r *record, rs []record, i int) bool {
	last := i == len(rs)-1
	switch {
	case r.cta == v.now.cta && v.space == isa.Shared && v.beforeBarrier(r):
	case !v.r.sets.contains(r.sites, v.site.index):
		return true
	case r.cta == v.now.cta && r.warps()>>v.now.warp&1 != 0 && r.lanes&^v.now.lanes == 0: // the same threads
		return v.removeSite(r, 1<<v.now.warp) || v.keptAsObserver(r, last)
	case v.inOrder(r) && v.supersedes(r, i):
	case !alike(&v.now, r) || !v.happensBefore(r):
		return true
	case r.cta == v.now.cta && r.warps() != 1<<v.now.warp && !v.beforeBarrier(r):
		return true // it may race with warps that the present access does not race with
	default:
		return v.removeSite(r, r.warps()) || v.keptAsObserver(r, last)
	}
	return v.keptAsObserver(r, last)
}

// removeSite removes the present instruction from a record, for some of its warps,
// and reports whether anything is left.
func (v *visit) removeSite(r *record, warps uint32) bool {
	single := uint32(r.sites) == v.site.index
	switch {
	case r.warps() != warps && single:
		r.extra &^= warps
		r.warp = lowest(r.extra)
		return true
	case single:
		return false
	case r.warps() != warps:
		return true
	}
	sites, ok := v.r.sets.without(r.sites, v.site)
	if !ok {
		return true
	}
	r.sites = sites
	if class := v.r.sets.sets[sites].class; class&writes != r.class&writes {
		r.extra = 1 << r.warp
		r.marks &^= mixed
	}
	r.class = v.r.sets.sets[sites].class
	return true
}

// keptAsObserver reports whether an earlier record must be kept because it has observed a write of the kept records,
// and the present access has not. last says that it is the latest record.
func (v *visit) keptAsObserver(r *record, last bool) bool {
	if !v.inOrder(r) || last && uint32(r.sites) == v.site.index && v.repeats(r) || v.keptWrite == nil || !v.readsFrom(r, v.keptWrite) {
		return false
	}
	r.marks |= observer
	return true
}

// merge makes an earlier record part of that of the present access, if they can be combined, and reports whether it
// did. Strong accesses with a relevant order can only be combined if they are consecutive reads of one instruction.
func (v *visit) merge(now, r *record, last bool) bool {
	if v.inOrder(r) {
		if !last || r.class&writes != 0 || r.sites != now.sites || r.warp != now.warp || !r.sameIteration(now) {
			return false
		}
		now.lanes |= r.lanes
		return true
	}
	return v.mergeThreads(now, r) || v.mergeSites(now, r)
}

// mergeThreads makes r part of now if they are of the same instructions, and of other lanes of the warp, or of the
// same lanes of other warps.
func (v *visit) mergeThreads(now, r *record) bool {
	switch {
	case r.sites != now.sites || !r.sameEpoch(now):
		return false
	case r.warps() == now.warps() && r.warp == now.warp:
		if r.iteration != now.iteration {
			now.marks |= manyIterations
		}
		if now.class&writes != 0 && r.extra != now.extra {
			now.marks |= mixed
		}
		now.lanes |= r.lanes
	case r.class&writes == 0 && r.lanes == now.lanes && r.iteration == now.iteration:
		now.extra |= r.extra
		now.warp = lowest(now.extra)
	default:
		return false
	}
	now.marks |= r.marks & (mixed | stale | manyIterations)
	return true
}

// mergeSites makes r part of now if they are of the same threads, by other instructions, and did not store different
// values.
func (v *visit) mergeSites(now, r *record) bool {
	if !r.sameThreads(now) || !r.sameIteration(now) || v.r.syncs && (r.class|now.class)&strong != 0 {
		return false
	}
	bothWrite := r.class&now.class&writes != 0
	if bothWrite && (r.extra != now.extra || (r.marks|now.marks)&mixed != 0) {
		return false
	}
	sites, ok := v.r.sets.union(r.sites, now.sites, v.r.byIndex)
	if !ok {
		return false
	}
	if now.class&writes == 0 {
		now.extra = r.extra
	}
	now.sites, now.class = sites, v.r.sets.sets[sites].class
	now.marks |= r.marks & (mixed | stale | manyIterations)
	return true
}
