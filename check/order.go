package check

import "github.com/simtrun/simtrun/lanes"

// unordered are the lanes of one of a record's warps whose accesses have not
// happened before the present one.
func (v *visit) unordered(r *record, warp int) lanes.Mask {
	if r.cta != v.now.cta {
		return v.view.away.of(int64(r.cta)).warp(warp).unordered(r.lanes, r.at)
	}
	un := v.view.home.warp(warp).unordered(r.lanes, r.at)
	if warp == int(v.now.warp) && v.now.lanes&(v.now.lanes-1) == 0 {
		un &^= v.now.lanes // program order
	}
	return un
}

// happened reports whether all of a record has happened before the present
// access.
func (v *visit) happened(r *record) bool {
	for left := r.warps(); left != 0; left &= left - 1 {
		if v.unordered(r, int(lowest(left))) != 0 {
			return false
		}
	}
	return true
}

// knownToCTA reports whether a record of the present CTA has happened before
// whatever its threads will do: they have met at a barrier since.
func (v *visit) knownToCTA(r *record) bool {
	for left := r.warps(); left != 0; left &= left - 1 {
		if w := v.w.cta.warps[lowest(left)]; r.at > w.met || r.lanes&^w.metLanes != 0 {
			return false
		}
	}
	return true
}

// conflicting reports whether one of two accesses writes, and they are not morally
// strong.
func conflicting(a, b class, sameCTA bool) bool {
	return (a|b)&writes != 0 && !morallyStrong(a, b, sameCTA)
}

// morallyStrong reports whether two accesses to one place are both strong, of one
// size, and of scopes that include each other (PTX ISA 8.7).
func morallyStrong(a, b class, sameCTA bool) bool {
	return a&b&strong != 0 && a>>sizeShift == b>>sizeShift && (a&b&wide != 0 || sameCTA)
}

// alike reports whether the same accesses are morally strong with both records,
// which are of one site.
func alike(a, b *record) bool {
	return a.class&strong == 0 || a.class&wide != 0 || a.cta == b.cta
}

// takesOver reports whether the present access of the same site is an atomic that
// has observed what the first of rs wrote and decides by it: who comes after it comes
// after both.
func (v *visit) takesOver(rs []record) bool {
	return v.site.decides && v.now.class&writes != 0 && alike(&v.now, &rs[0]) && v.observes(&v.now, &rs[0], rs[1:])
}

// repeats reports whether the present access observes whatever the earlier one of
// the same site has, if nothing came between, and is known to the same.
func (v *visit) repeats(r *record) bool {
	return v.now.class&reads != 0 && r.sameThreads(&v.now) && r.at == v.now.at
}

// observes reports whether the strong access z reads what the strong write w
// wrote, or what atomics between them made of it (PTX ISA 8.9.2, observation
// order), and decides by it.
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

// observed is the lanes of the present access before which something happens that
// has observed the first of rs; or may have, but that is forgotten.
func (v *visit) observed(rs []record) (m lanes.Mask) {
	if rs[0].marks&unsure != 0 {
		return v.now.lanes
	}
	for i := range rs[1:] {
		z := &rs[1+i]
		if z.class&strong == 0 {
			continue
		}
		happened := v.unordered(z, int(z.warp)) != z.lanes
		own := z.cta == v.now.cta && z.warp == v.now.warp && z.lanes&v.now.lanes != 0
		if !happened && !own || !v.observes(z, &rs[0], rs[1:1+i]) {
			continue
		}
		if happened {
			return v.now.lanes
		}
		m |= z.lanes & v.now.lanes
	}
	return m
}
