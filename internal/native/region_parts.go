package native

// part returns the index of the part of the region with step i.
func (r *region) part(i int) int {
	n := 0
	for n < len(r.cuts) && r.cuts[n] <= i {
		n++
	}
	return n
}

// findCrossing finds the vectors that one part of the region computes and a later one uses.
func (r *region) findCrossing() {
	if len(r.cuts) == 0 {
		return
	}
	for i := r.cuts[0]; i < len(r.steps); i++ {
		s := &r.steps[i]
		uses := func(id valueID) {
			if v := &r.values[id]; !v.liveIn && v.class.kind != scalar && r.part(v.def) < r.part(i) {
				v.crosses = true
			}
		}
		for k := range s.sources() {
			uses(s.src[k])
		}
		if s.guard == noValue {
			continue
		}
		uses(s.guard)
		for k := range s.results() {
			uses(s.old[k])
		}
	}
}

// loadBySubvector moves a load of scalars to the subvector phase, if only the subvectors of its part use the result:
// a vector of equal elements is loaded as fast.
func (c *compiler) loadBySubvector(r *region, s *regionStep) {
	if v := &r.values[s.dst[0]]; !v.byScalars && !v.liveOut && v.pred < 0 && r.part(v.def) == r.part(v.last) {
		s.scalar, v.class = false, class{kind: vector}
	}
}
