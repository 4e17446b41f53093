package check

import "github.com/simtrun/simtrun/internal/lanes"

// unordered returns the lanes of one of a record's warps with accesses that do not happen before the present one.
func (v *visit) unordered(r *record, warp int) lanes.Mask {
	if r.cta != v.now.cta {
		return v.clock.grid.of(int64(r.cta)).warp(warp).unordered(r.lanes, r.epoch)
	}
	clock := v.clock.cta.warp(warp)
	if c := v.w.cta; c.unsettled {
		clock = warpClock{all: c.warps[warp].barrierEpoch}
	}
	un := clock.unordered(r.lanes, r.epoch)
	if warp == int(v.now.warp) && v.now.lanes&(v.now.lanes-1) == 0 {
		un &^= v.now.lanes // program order
	}
	return un
}

// happensBefore reports whether all accesses of a record happen before the present one.
func (v *visit) happensBefore(r *record) bool {
	for left := r.warps(); left != 0; left &= left - 1 {
		if v.unordered(r, int(lowest(left))) != 0 {
			return false
		}
	}
	return true
}

// beforeBarrier reports whether a record of the present CTA happens before everything that threads of the CTA do now,
// because a barrier for all of them has completed since.
func (v *visit) beforeBarrier(r *record) bool {
	for left := r.warps(); left != 0; left &= left - 1 {
		if w := v.w.cta.warps[lowest(left)]; r.epoch > w.barrierEpoch || r.lanes&^w.barrierLanes != 0 {
			return false
		}
	}
	return true
}

// conflicting reports whether one of two accesses writes, and they are not morally strong.
func conflicting(a, b class, sameCTA bool) bool {
	return (a|b)&writes != 0 && !morallyStrong(a, b, sameCTA)
}

// morallyStrong reports whether two accesses to one location are both strong, of one
// size, and of scopes that include each other (PTX ISA 8.7).
func morallyStrong(a, b class, sameCTA bool) bool {
	return a&b&strong != 0 && a>>sizeShift == b>>sizeShift && (a&b&wide != 0 || sameCTA)
}

// alike reports whether the same accesses of other CTAs are morally strong with both of two records, which are of one
// site.
func alike(a, b *record) bool {
	return a.class&strong == 0 || a.class&wide != 0 || a.cta == b.cta
}

// supersedes reports whether the present access of the same site is an atomic that has observed the write of a record
// and decides by it: everything ordered after it is ordered after both. at is the place of the record among those of
// the cell.
func (v *visit) supersedes(r *record, at int) bool {
	return v.site.decides && v.now.class&writes != 0 && alike(&v.now, r) && r.class&writes != 0 && at >= v.observedFrom
}

// repeats reports whether the present access observes everything that the earlier one of the same site has observed,
// if there was no other access between, and happens before the same accesses.
func (v *visit) repeats(r *record) bool {
	return v.now.class&reads != 0 && r.sameThreads(&v.now) && r.epoch == v.now.epoch
}

// readsFrom reports whether the strong access z reads the value of the strong write w, if no write was between, and
// decides by it.
func (v *visit) readsFrom(z, w *record) bool {
	return v.r.syncs && w.class&(writes|strong) == writes|strong && z.class&(reads|strong) == reads|strong && v.r.byIndex[z.sites].decides &&
		morallyStrong(w.class, z.class, w.cta == z.cta)
}

// passesOn reports whether a write passes on what it observes of w, if no write was between: it is an atomic.
func passesOn(next, w *record) bool {
	return next.class&reads != 0 && morallyStrong(w.class, next.class, w.cta == next.cta)
}

// firstObserved returns the place of the first of rs whose write the access z, which comes after them, has observed: z
// reads its value, or one that atomics between the two derived from it (PTX ISA 8.9.2, observation order), and decides
// by it. It has observed all writes from there on. The place is len(rs) if it has observed none.
func (v *visit) firstObserved(z *record, rs []record) int {
	first, next := len(rs), z
	for i := len(rs) - 1; i >= 0; i-- {
		w := &rs[i]
		if w.class&writes == 0 {
			continue
		}
		if next == z && !v.readsFrom(z, w) || next != z && !passesOn(next, w) {
			break
		}
		first, next = i, w
	}
	return first
}

// observed returns the lanes of the present access that are ordered after an access that has observed the first of
// rs. It returns all lanes if such an access may have been forgotten.
func (v *visit) observed(rs []record) (m lanes.Mask) {
	if rs[0].marks&unsure != 0 {
		return v.now.lanes
	}
	w := &rs[0] // the last of the writes by which its value was passed on
	for i := range rs[1:] {
		z := &rs[1+i]
		if v.readsFrom(z, w) {
			if v.unordered(z, int(z.warp)) != z.lanes {
				return v.now.lanes
			}
			if z.cta == v.now.cta && z.warp == v.now.warp {
				m |= z.lanes & v.now.lanes
			}
		}
		if z.class&writes != 0 {
			if !passesOn(z, w) {
				break
			}
			w = z
		}
	}
	return m
}
