package check

import "github.com/simtrun/simtrun/lanes"

// unordered are the lanes of an earlier access that have not happened before the
// present one.
func (v *visit) unordered(r *record) lanes.Mask {
	if !r.who.near(v.now.who) {
		return v.view.away.of(r.who.cta()).warp(r.who.warp()).unordered(r.lanes, r.at)
	}
	un := v.view.home.warp(r.who.warp()).unordered(r.lanes, r.at)
	if r.who == v.now.who && v.now.lanes&(v.now.lanes-1) == 0 {
		un &^= v.now.lanes // program order
	}
	return un
}

// conflicts reports whether one of the two writes, and they are not morally
// strong.
func (v *visit) conflicts(r *record) bool {
	return (r.class|v.now.class)&writes != 0 && !morallyStrong(r, &v.now)
}

// morallyStrong reports whether both accesses are strong, of one size, and of
// scopes that include each other (PTX ISA 8.7).
func morallyStrong(a, b *record) bool {
	return a.class&b.class&strong != 0 && a.class>>sizeShift == b.class>>sizeShift &&
		(a.class&b.class&wide != 0 || a.who.near(b.who))
}

// covers reports whether whatever races with the earlier access will race with
// the later one too, if that happens after it.
func covers(later, earlier *record) bool {
	if earlier.class&writes > later.class&writes {
		return false
	}
	return later.class&strong == 0 || alike(later, earlier)
}

// alike reports whether the same accesses are morally strong with both.
func alike(a, b *record) bool {
	return a.class&b.class&strong != 0 && a.class.strength() == b.class.strength() && (a.class&wide != 0 || a.who.near(b.who))
}

// replaces reports whether the present access is an atomic that observes what
// the first of rs wrote, and is like it: who comes after it comes after both.
func (v *visit) replaces(rs []record) bool {
	return v.now.class&rs[0].class&writes != 0 && alike(&v.now, &rs[0]) && observes(&v.now, &rs[0], rs[1:])
}

// merges reports whether the earlier access is to be one record with the present
// one. The order of strong ones is kept, and that of strong writes among lanes:
// who is observed depends on it.
func (v *visit) merges(r *record, last bool) bool {
	if r.who != v.now.who || r.at != v.now.at || r.site != v.now.site || (r.marks^v.now.marks)&diverged != 0 {
		return false
	}
	return r.class&strong == 0 || last && r.class&writes == 0
}

// repeats reports whether the present access observes whatever the earlier one
// has, if nothing came between, and is known to the same.
func (v *visit) repeats(r *record) bool {
	return v.now.class&reads != 0 && r.who == v.now.who && r.lanes == v.now.lanes && r.at == v.now.at && alike(r, &v.now)
}

// observes reports whether z reads what the strong write w wrote, or what
// atomics between them made of it (PTX ISA 8.9.2, observation order).
func observes(z, w *record, between []record) bool {
	if w.class&(writes|strong) != writes|strong || z.class&reads == 0 {
		return false
	}
	for i := range between {
		if next := &between[i]; next.class&writes != 0 {
			if next.class&reads == 0 || !morallyStrong(w, next) {
				return false
			}
			w = next
		}
	}
	return morallyStrong(w, z)
}

// observed is the lanes of the present access before which something happens that
// has observed the first of rs; or may have, but that is forgotten.
func (v *visit) observed(rs []record) (m lanes.Mask) {
	if rs[0].marks&unsure != 0 {
		return v.now.lanes
	}
	for i := range rs[1:] {
		z := &rs[1+i]
		happened := v.unordered(z) != z.lanes
		if own := z.who == v.now.who && z.lanes&v.now.lanes != 0; !happened && !own || !observes(z, &rs[0], rs[1:1+i]) {
			continue
		}
		if happened {
			return v.now.lanes
		}
		m |= z.lanes & v.now.lanes
	}
	return m
}
