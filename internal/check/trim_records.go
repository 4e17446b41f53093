package check

import "github.com/simtrun/simtrun/internal/isa"

// trim removes records of a cell that are not needed to find one race of each pair of racing instructions, and more
// if there are too many. The last record, that of the present access, stays.
func (v *visit) trim(rs []record) []record {
	if len(rs) > manyStores && !v.r.syncs {
		rs = v.mergeStores(rs)
	}
	most := mostRecords
	switch {
	case v.space != isa.Global:
	case v.r.syncs:
		most = mostSynchronised
	case len(rs) > 2:
		rs = trimCTAs(rs)
	}
	for len(rs) > most {
		rs = v.dropOne(rs)
	}
	return rs
}

// mergeStores merges the records of stores by the threads of the last record, except for that one, if there are more
// than manyStores: an unrolled loop may store to a word by hundreds of instructions. Their values are then unknown, and
// a race with one of them counts as a race of different values.
func (v *visit) mergeStores(rs []record) []record {
	last := len(rs) - 1
	own := func(r *record) bool {
		return r.class&writes != 0 && r.sameThreads(&rs[last]) && r.sameIteration(&rs[last])
	}
	n, first := 0, -1
	for i := range rs[:last] {
		if own(&rs[i]) {
			if n++; first < 0 {
				first = i
			}
		}
	}
	if n <= manyStores {
		return rs
	}
	o, kept := &rs[first], rs[:first+1]
	for i := first + 1; i <= last; i++ {
		r := rs[i]
		if i < last && own(&r) {
			if sites, ok := v.r.sets.union(o.sites, r.sites, v.r.byIndex); ok {
				o.sites, o.class = sites, v.r.sets.sets[sites].class
				o.marks |= r.marks&manyIterations | mixed | stale
				continue
			}
		}
		kept = append(kept, r)
	}
	return kept
}

// trimCTAs keeps two records, of two CTAs, of each set of instructions that several CTAs have executed. If nothing
// orders threads of different CTAs, every access that races with a removed record races with one of these. Whether
// the removed stores wrote different values stays recorded.
func trimCTAs(rs []record) []record {
	last := rs[len(rs)-1]
	kept := rs[:0]
	for i, r := range rs[:len(rs)-1] {
		if !superfluous(&r, rs[i+1:], kept) {
			kept = append(kept, r)
			continue
		}
		for j := range kept {
			if o := &kept[j]; o.sites == r.sites && r.class&writes != 0 && (o.extra != r.extra || r.marks&mixed != 0) {
				o.marks |= mixed
			}
		}
		if last.sites == r.sites && r.class&writes != 0 && (last.extra != r.extra || r.marks&mixed != 0) {
			last.marks |= mixed
		}
	}
	return append(kept, last)
}

// superfluous reports whether kept and the end of rest have enough other records of the same instructions as r: one
// of its CTA and one of another, or two of others.
func superfluous(r *record, rest, kept []record) bool {
	own, others, other := false, 0, uint32(0)
	note := func(o *record) {
		switch {
		case o.sites != r.sites:
		case o.cta == r.cta:
			own = true
		case others == 0 || o.cta != other:
			others, other = others+1, o.cta
		}
	}
	for i := range kept {
		note(&kept[i])
	}
	note(&rest[len(rest)-1])
	if own && others == 0 { // a record of another CTA may be in rest
		for i := range rest {
			note(&rest[i])
		}
	}
	return own && others > 0 || others > 1
}

// dropOne removes one record, but not the last. It prefers, in this order: a mere observer, an older read of the last
// record's warp, one of its CTA, the oldest read (so that different CTAs stay), the oldest write.
func (v *visit) dropOne(rs []record) []record {
	last := &rs[len(rs)-1]
	victim, best := 0, 0
	for i := range rs[:len(rs)-1] {
		worth := 0
		switch r := &rs[i]; {
		case r.marks&observer != 0:
			worth = 4
		case r.class&writes != 0:
		case r.cta == last.cta && r.warp == last.warp:
			worth = 3
		case r.cta == last.cta:
			worth = 2
		default:
			worth = 1
		}
		if worth > best {
			victim, best = i, worth
		}
	}
	v.forget(&rs[victim], rs[:victim])
	return append(rs[:victim], rs[victim+1:]...)
}

// forget marks the earlier records that r has observed, because r is removed.
func (v *visit) forget(r *record, earlier []record) {
	for i := v.firstObserved(r, earlier); i < len(earlier); i++ {
		if earlier[i].class&writes != 0 {
			earlier[i].marks |= unsure
		}
	}
}
