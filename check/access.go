package check

import (
	"slices"

	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
)

// visit is an access of one warp instruction to one region, while it is checked.
type visit struct {
	r      *Races
	w      *warp
	site   *site
	shadow *shadow
	region *memory.Region // of global memory
	space  isa.Space
	acc    *lanes.Access
	stored []byte     // see interp.Access.Stored
	mask   lanes.Mask // who accesses it
	// together is the lanes that run together, those of mask among them.
	together lanes.Mask
	size     uint64 // bytes of a lane

	done  lanes.Mask // lanes that were looked at
	view  view       // of the lanes that are looked at
	now   record     // their access
	off   uint64     // its place
	found []conflict

	records, kept [mostRecords + 1]record // scratch
}

// conflict is an earlier access that the one looked at races with.
type conflict struct {
	earlier  record     // of the lanes that are not ordered
	later    lanes.Mask // those of the present access that are not
	from, to uint64     // bytes of the region, without to
	same     bool       // both write the same there
	together bool       // both are of one instruction
}

// Accessed implements interp.AccessObserver.
func (r *Races) Accessed(at *interp.Place, a *interp.Access) {
	m, space := a.Lanes, isa.Space(a.Space)
	if space != isa.Shared && space != isa.Global {
		return
	}
	v := &r.visit
	w, s := r.warp(at), &r.sites[at.Func][a.PC]
	shadow, region := r.shadowOf(w, a.Access)
	v.r, v.w, v.site, v.space, v.acc, v.mask, v.size = r, w, s, space, a.Access, m, a.Size
	v.shadow, v.region, v.done = shadow, region, 0
	v.stored = a.Stored()
	v.now = record{cta: uint32(w.cta.number), warp: uint8(w.number), at: w.now, sites: siteSet(s.index), class: s.class}
	if v.together = at.Split; at.Split != w.live {
		v.now.marks = diverged
	}
	if s.class&strong != 0 && r.syncs {
		v.strongAccess()
		return
	}
	for i := 0; i < len(w.groups); i++ {
		if some := w.groups[i].lanes & m; some != 0 {
			v.view = w.groups[i].view
			v.lanes(some)
		}
	}
}

// lanes looks at the accesses of the lanes of m, which know the same. Lanes next
// to one another that read one place count as one.
func (v *visit) lanes(m lanes.Mask) {
	apart := v.acc.Runs && v.acc.Step[0] != 0 && v.acc.Step[1] != 0 && v.acc.Off[lanes.Width/2] >= v.acc.Off[0]+lanes.Width/2*v.acc.Step[0]
	for m != 0 {
		some := m & -m
		if v.site.class&writes == 0 && !apart {
			some = v.neighbours(m)
		}
		v.access(some)
		m &^= some
	}
}

// neighbours are the first lane of m, those next to it that are in the same place, and
// as many of the other half of the warp: 16 threads are a row of many a block.
func (v *visit) neighbours(m lanes.Mask) lanes.Mask {
	some := m & -m
	at := v.acc.At(firstLane(m))
	for {
		next := m &^ some & -(m &^ some)
		if next == 0 || v.acc.At(firstLane(next)) != at {
			break
		}
		some |= next
	}
	const half = lanes.Width / 2
	if other := some << half & m; some>>half == 0 && other == some<<half && v.acc.At(firstLane(other)) == at && v.acc.At(lastLane(other)) == at {
		some |= other
	}
	return some
}

// access looks at the access of lanes that are all in one place.
func (v *visit) access(m lanes.Mask) {
	v.now.lanes, v.now.round = m, v.w.rounds.of(firstLane(m))
	if v.site.class&writes == 0 {
		v.now.extra = 1 << v.now.warp
	}
	v.off = v.acc.At(firstLane(m))
	p, off := v.shadow.page(v.off), v.off%pageBytes
	c := &p.cells[off/wordBytes]
	if v.size < wordBytes {
		v.overwrite(c)
		four := p.bytes(c)
		for i := range v.size {
			v.touch(p, &four[off%wordBytes+i], v.off+i, 1)
		}
	} else {
		for i := uint64(0); i < v.size; i += wordBytes {
			v.word(p, &p.cells[(off+i)/wordBytes], v.off+i)
		}
	}
	v.done |= m
	if len(v.found) > 0 {
		v.report()
	}
}

// word looks at the access to a whole word.
func (v *visit) word(p *page, c *cell, at uint64) {
	v.overwrite(c)
	if !c.split {
		v.touch(p, c, at, wordBytes)
		return
	}
	four := p.bytes(c)
	for i := range four {
		v.touch(p, &four[i], at+uint64(i), 1)
	}
}

// overwrite forgets what was released by writes that a weak one overwrites now.
func (v *visit) overwrite(c *cell) {
	if c.told && v.now.class&(writes|strong) == writes {
		v.shadow.silence(v.off, v.size)
	}
}

// touch looks at the access to a cell, and records it there.
func (v *visit) touch(p *page, c *cell, at, size uint64) {
	if v.now.class&writes != 0 {
		v.now.extra = v.written(at, size)
	}
	if c.n == 0 {
		c.first, c.n = v.now, 1
		return
	}
	switch {
	case c.n > 1:
		if v.calm(p, c) {
			return
		}
	case v.again(&c.first):
		return
	case v.space == isa.Shared && v.knownToCTA(&c.first):
		c.first = v.now
		return
	}
	v.meet(p, c, at, size)
}

// calm brings the records of a cell up to date if none of them can race with the
// present access, and one of them is of the same threads, or of others that do the
// same; else it is false, and has done nothing.
func (v *visit) calm(p *page, c *cell) bool {
	var own *record
	var crowd uint32 // warps that went through the instruction since all met
	s := &p.spills[c.beside-1]
	for i := range int(c.n) {
		r := &c.first
		switch {
		case i > 3:
			r = &p.overflows[s.more-1][i-4]
		case i > 0:
			r = &s.next[i-1]
		}
		if conflicting(r.class, v.now.class, r.cta == v.now.cta) || v.inOrder(r) {
			return false
		}
		if r.cta != v.now.cta {
			continue
		}
		if own == nil && r.at == v.now.at && (r.marks^v.now.marks)&diverged == 0 && v.coversOrGrows(r) {
			own = r
		}
		if r.sites == v.now.sites && v.sinceMet(r) {
			crowd |= r.warps()
		}
	}
	switch {
	case own != nil:
		v.addTo(own)
	case !v.crowded(crowd):
		return false
	}
	return true
}

// addTo adds the threads of the present access to a record of the same accesses.
func (v *visit) addTo(r *record) {
	if r.round != v.now.round {
		r.marks |= manyRounds
	}
	r.lanes |= v.now.lanes
	if r.class&writes == 0 {
		r.extra |= v.now.extra
		r.warp = lowest(r.extra)
	}
}

// sinceMet reports whether a record of the present CTA is later than the latest barrier
// at which all of its threads met, and none of its warp has ended.
func (v *visit) sinceMet(r *record) bool {
	w := v.w.cta.warps[r.warp]
	return r.at > w.met && w.live == w.threads
}

// crowded reports whether one more warp that goes through the same instruction makes
// no difference: whatever races with it races with one of two others, too, as
// nothing but barriers that are for all orders warps.
func (v *visit) crowded(warps uint32) bool {
	return warps&(warps-1) != 0 && !v.r.syncs && !v.r.partial
}

// coversOrGrows reports whether the present access is one of those of a record, or
// can become one: by one more warp, or by more lanes of its only warp.
func (v *visit) coversOrGrows(r *record) bool {
	has, more := r.warps()>>v.now.warp&1 != 0, v.now.lanes&^r.lanes
	if has && more == 0 {
		return v.r.sets.contains(r.sites, v.site.index)
	}
	if r.sites != v.now.sites {
		return false
	}
	return has && r.warps() == 1<<v.now.warp || r.class&writes == 0 && r.lanes == v.now.lanes && r.round == v.now.round
}

// again brings the one record of a cell up to date if the present access is of the
// same threads, or of another warp that does the same; else it is false.
func (v *visit) again(r *record) bool {
	now := &v.now
	switch {
	case r.cta != now.cta || r.lanes != now.lanes || v.inOrder(r):
		return false
	case r.warps() == 1<<now.warp && v.r.sets.contains(r.sites, v.site.index):
		if r.at != now.at && uint32(r.sites) != v.site.index {
			return false
		}
		r.at, r.round, r.marks = now.at, now.round, r.marks&mixed|now.marks
		if now.class&writes != 0 {
			if r.extra != now.extra {
				r.marks |= mixed
			}
			r.extra = now.extra
		}
		return true
	case r.sites == now.sites && r.class&writes == 0 && r.sameTime(now):
		r.extra |= now.extra
		r.warp = min(r.warp, now.warp)
		return true
	}
	return false
}

// inOrder reports whether the order in which a record and the present access come
// counts: both are strong, and what was read of what was written orders threads.
func (v *visit) inOrder(r *record) bool { return v.r.syncs && r.class&v.now.class&strong != 0 }

// meet compares the present access with the records of a cell, and adds it to
// them.
func (v *visit) meet(p *page, c *cell, at, size uint64) {
	rs := p.records(c, &v.records)
	now := v.now
	kept := v.kept[:0]
	for i := range rs {
		r := rs[i]
		if (r.class|v.now.class)&writes != 0 {
			v.race(rs[i:], at, size)
		}
		if !v.outlives(&r, rs[i:], kept) || v.absorb(&now, &r, i == len(rs)-1) {
			continue
		}
		kept = append(kept, r)
	}
	if v.now.class&writes != 0 && len(kept) > 0 && !v.leaves(at, size) {
		for i := range kept {
			kept[i].marks |= stale
		}
	}
	if now.sites != v.now.sites || now.lanes != v.now.lanes { // it may be the same as another by now
		kept = slices.DeleteFunc(kept, func(r record) bool { return !v.inOrder(&r) && v.joins(&now, &r) })
	}
	p.keep(c, v.trim(append(kept, now)))
}

// race looks for races of the present access with the first of rs.
func (v *visit) race(rs []record, at, size uint64) {
	r := rs[0]
	if r.sites == v.now.sites && !conflicting(r.class, v.now.class, r.cta == v.now.cta) {
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
			if !conflicting(class, v.now.class, r.cta == v.now.cta) {
				continue
			}
			one := r.of(warp)
			one.sites, one.class = siteSet(site), class
			own := v.sameInstruction(&one, at) & un
			v.clash(&one, own, later, true, at, size)
			v.clash(&one, un&^own, later, false, at, size)
		}
	}
}

// outlives reports whether an earlier record, the first of rs, is still to be
// remembered beside the present access. What is left of it may be less. It is not
// if whatever races with it races with the present access too, and is of the same
// instruction; or if nothing that is to come can race with it. Kept are the records
// before it.
func (v *visit) outlives(r *record, rs, kept []record) bool {
	switch {
	case r.cta == v.now.cta && v.space == isa.Shared && v.knownToCTA(r):
	case !v.r.sets.contains(r.sites, v.site.index):
		return true
	case r.cta == v.now.cta && r.warps()>>v.now.warp&1 != 0 && r.lanes&^v.now.lanes == 0: // the same threads
		return v.leaveOut(r, 1<<v.now.warp) || v.watched(r, rs, kept)
	case v.inOrder(r) && v.takesOver(rs):
	case !alike(&v.now, r) || !v.happened(r):
		return true
	case r.cta == v.now.cta && r.warps() != 1<<v.now.warp && !v.knownToCTA(r):
		return true // other warps may race with it that do not with the present one
	default:
		return v.leaveOut(r, r.warps()) || v.watched(r, rs, kept)
	}
	return v.watched(r, rs, kept)
}

// leaveOut removes the present instruction from a record, for some of its warps.
// It reports whether anything is left.
func (v *visit) leaveOut(r *record, warps uint32) bool {
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

// watched reports whether an earlier record, the first of rs, has observed one of
// those before it: it is kept for that, unless the present access has, too.
func (v *visit) watched(r *record, rs, kept []record) bool {
	if !v.inOrder(r) || len(rs) == 1 && uint32(r.sites) == v.site.index && v.repeats(r) || !v.observesAny(r, kept) {
		return false
	}
	r.marks |= observer
	return true
}

// absorb makes an earlier record part of that of the present access, if they can
// be one. The order of strong ones is kept where it counts: of reads of one place
// that follow each other there is nothing to keep.
func (v *visit) absorb(now, r *record, last bool) bool {
	if v.inOrder(r) {
		if !last || r.class&writes != 0 || r.sites != now.sites || r.warp != now.warp || !r.sameTime(now) {
			return false
		}
		now.lanes |= r.lanes
		return true
	}
	return v.joins(now, r) || v.unites(now, r)
}

// joins makes r part of now if they are of one set of instructions: of other lanes
// of the warp, or of the same lanes of other warps that do the same.
func (v *visit) joins(now, r *record) bool {
	switch {
	case r.sites != now.sites || !r.sameClock(now):
		return false
	case r.warps() == now.warps() && r.warp == now.warp:
		if r.round != now.round {
			now.marks |= manyRounds
		}
		if now.class&writes != 0 && r.extra != now.extra {
			now.marks |= mixed
		}
		now.lanes |= r.lanes
	case r.class&writes == 0 && r.lanes == now.lanes && r.round == now.round:
		now.extra |= r.extra
		now.warp = lowest(now.extra)
	default:
		return false
	}
	now.marks |= r.marks & (mixed | stale | manyRounds)
	return true
}

// unites makes r part of now if they are of the same threads: through other
// instructions, of which not two stored different values.
func (v *visit) unites(now, r *record) bool {
	if !r.sameThreads(now) || !r.sameTime(now) || v.r.syncs && (r.class|now.class)&strong != 0 {
		return false
	}
	bothWrite := r.class&now.class&writes != 0
	if bothWrite && (r.extra != now.extra || (r.marks|now.marks)&mixed != 0) {
		return false
	}
	sites, ok := r.sites, true
	for _, site := range v.r.sets.sets[now.sites].sites {
		if sites, ok = v.r.sets.with(sites, v.r.byIndex[site]); !ok {
			return false
		}
	}
	if now.class&writes == 0 {
		now.extra = r.extra
	}
	now.sites, now.class = sites, v.r.sets.sets[sites].class
	now.marks |= r.marks & (mixed | stale | manyRounds)
	return true
}

// clash notes a race of the lanes later with an earlier access of the lanes of m,
// if any. Bytes may be beside those of a clash that was noted before: then it is
// the same. An atomic does not write the same if its result differs.
func (v *visit) clash(r *record, m, later lanes.Mask, together bool, at, size uint64) {
	if m == 0 || later == 0 {
		return
	}
	c := conflict{earlier: *r, later: later, from: at, to: at + size, together: together}
	c.earlier.lanes = m
	c.same = r.class&v.now.class&writes != 0 && (r.class|v.now.class)&reads == 0 && v.sameValue(&c)
	for i := range v.found {
		f := &v.found[i]
		if f.to == c.from && f.later == later && f.together == together && sameBut(f.earlier, c.earlier) {
			f.to, f.same = c.to, f.same && c.same
			return
		}
	}
	v.found = append(v.found, c)
}

// sameBut reports whether two records are the same but for what they wrote.
func sameBut(a, b record) bool {
	if a.class&writes != 0 {
		a.extra, b.extra = 0, 0
		a.marks, b.marks = a.marks&^mixed, b.marks&^mixed
	}
	return a == b
}
