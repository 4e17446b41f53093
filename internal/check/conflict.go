package check

import "github.com/simtrun/simtrun/internal/lanes"

// conflict is an earlier access that the present one races with.
type conflict struct {
	earlier   record     // for the lanes that are not ordered before later
	later     lanes.Mask // lanes of the present access
	from, to  uint64     // bytes of the region, excluding to
	same      bool       // both write the same value there
	sameInstr bool       // both are of one instruction
}

// addConflict records a race of the lanes later with an earlier access of the lanes of m, if there are any. Bytes
// next to those of an earlier conflict are added to it. The value of an atomic never counts as the same.
func (v *visit) addConflict(r *record, m, later lanes.Mask, together bool, at, size uint64) {
	if m == 0 || later == 0 {
		return
	}
	c := conflict{earlier: *r, later: later, from: at, to: at + size, sameInstr: together}
	c.earlier.lanes = m
	c.same = r.class&v.now.class&writes != 0 && (r.class|v.now.class)&reads == 0 && v.sameValue(&c)
	for i := range v.found {
		f := &v.found[i]
		if f.to == c.from && f.later == later && f.sameInstr == together && sameBut(f.earlier, c.earlier) {
			f.to, f.same = c.to, f.same && c.same
			return
		}
	}
	v.found = append(v.found, c)
}

// sameBut reports whether two records are the same except for the values that they wrote.
func sameBut(a, b record) bool {
	if a.class&writes != 0 {
		a.extra, b.extra = 0, 0
		a.marks, b.marks = a.marks&^mixed, b.marks&^mixed
	}
	return a == b
}
