package check

import "github.com/simtrun/simtrun/internal/lanes"

// unordered returns the lanes of one of a record's warps with accesses that do not happen before the present one.
func (v *visit) unordered(r *record, warp int) lanes.Mask {
	if r.cta != v.now.cta {
		return v.clock.grid.of(int64(r.cta)).warp(warp).unordered(r.lanes, r.epoch)
	}
	un := v.clock.cta.warp(warp).unordered(r.lanes, r.epoch)
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

// supersedes reports whether the present access of the same site is an atomic that has observed the write of the
// first of rs and decides by it: everything ordered after it is ordered after both.
func (v *visit) supersedes(rs []record) bool {
	return v.site.decides && v.now.class&writes != 0 && alike(&v.now, &rs[0]) && v.observes(&v.now, &rs[0], rs[1:])
}

// repeats reports whether the present access observes everything that the earlier one of the same site has observed,
// if there was no other access between, and happens before the same accesses.
func (v *visit) repeats(r *record) bool {
	return v.now.class&reads != 0 && r.sameThreads(&v.now) && r.epoch == v.now.epoch
}

// observes reports whether the strong access z reads the value of the strong write w, or a value that atomics between
// the two derived from it (PTX ISA 8.9.2, observation order), and decides by it. Between are the records from w to z.
func (v *visit) observes(z, w *record, between []record) bool {
	if !v.r.syncs || w.class&(writes|strong) != writes|strong || z.class&(reads|strong) != reads|strong || !v.r.byIndex[z.sites].decides {
		return false
	}
	for i := range between {
		if next := &between[i]; next.class&writes != 0 {
			if next.class&reads == 0 || !morallyStrong(w.class, next.class, w.cta == next.cta) {
				return false
			}
			w = next
		}
	}
	return morallyStrong(w.class, z.class, w.cta == z.cta)
}

// observed returns the lanes of the present access that are ordered after an access that has observed the first of
// rs. It returns all lanes if such an access may have been forgotten.
func (v *visit) observed(rs []record) (m lanes.Mask) {
	if rs[0].marks&unsure != 0 {
		return v.now.lanes
	}
	for i := range rs[1:] {
		z := &rs[1+i]
		if z.class&strong == 0 {
			continue
		}
		before := v.unordered(z, int(z.warp)) != z.lanes
		own := z.cta == v.now.cta && z.warp == v.now.warp && z.lanes&v.now.lanes != 0
		if !before && !own || !v.observes(z, &rs[0], rs[1:1+i]) {
			continue
		}
		if before {
			return v.now.lanes
		}
		m |= z.lanes & v.now.lanes
	}
	return m
}
