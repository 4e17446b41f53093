package check

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// visit is an access of one warp instruction to one region, while it is checked.
type visit struct {
	r      *Races
	w      *warp
	site   *site
	shadow *shadow
	region *memory.Region // for global memory
	space  isa.Space
	acc    *lanes.Access
	stored []byte     // see interp.Access.Stored
	mask   lanes.Mask // lanes of the access
	split  lanes.Mask // lanes of the warp split, including those of mask
	size   uint64     // bytes per lane

	done  lanes.Mask  // lanes already checked
	clock vectorClock // of the lanes being checked
	now   record      // the present access: that of these lanes
	off   uint64      // offset in the region of its first byte
	found []conflict

	records, kept [mostRecords + 1]record // scratch
}

// conflict is an earlier access that the present one races with.
type conflict struct {
	earlier   record     // for the lanes that are not ordered before later
	later     lanes.Mask // lanes of the present access
	from, to  uint64     // bytes of the region, excluding to
	same      bool       // both write the same value there
	sameInstr bool       // both are of one instruction
}

// Accessed implements interp.AccessObserver.
func (r *Races) Accessed(at *interp.Place, a *interp.Access) {
	m, space := a.Lanes, isa.Space(a.Space)
	if space != isa.Shared && space != isa.Global {
		return
	}
	v := &r.visit
	w, s := r.warp(at), &r.sites[at.Func][a.PC]
	switch {
	case s.into == nil:
	case a.Told:
		s = s.told
	case a.Kind != isa.Load:
		s = s.into
	}
	shadow, region := r.shadowOf(r.ctas[a.Owner()], a.Access)
	v.r, v.w, v.site, v.space, v.acc, v.mask, v.size = r, w, s, space, a.Access, m, a.Size
	v.shadow, v.region, v.done = shadow, region, 0
	v.stored = a.Stored()
	v.now = record{cta: uint32(w.cta.number), warp: uint8(w.number), epoch: w.epoch, sites: siteSet(s.index), class: s.class}
	if v.split = at.Split; at.Split != w.live {
		v.now.marks = diverged
	}
	if owner := r.ctas[a.Owner()]; owner != w.cta && space == isa.Shared {
		v.accessPeer(owner)
	}
	if r.lockstep && s.class&bare != 0 && at.Split != w.live {
		v.noteSplit()
	}
	if r.grouped && shadow == &w.cta.shared {
		v.accessBesideCopies(a)
	}
	if s.class&strong != 0 && r.syncs {
		v.strongAccess()
		return
	}
	for i := 0; i < len(w.groups); i++ {
		if some := w.groups[i].lanes & m; some != 0 {
			v.clock = w.groups[i].clock
			v.lanes(some)
		}
	}
}

// lanes checks the accesses of the lanes of m, which have the same vector clock. Neighbouring lanes that read one
// location count as one.
func (v *visit) lanes(m lanes.Mask) {
	apart := v.acc.Strided && v.acc.Stride[0] != 0 && v.acc.Stride[1] != 0 && v.acc.Off[lanes.Width/2] >= v.acc.Off[0]+lanes.Width/2*v.acc.Stride[0]
	for m != 0 {
		some := m & -m
		if v.site.class&writes == 0 && !apart {
			some = v.neighbours(m)
		}
		v.access(some)
		m &^= some
	}
}

// neighbours returns the first lane of m and its neighbours that access the same location, and as many lanes of the
// other half of the warp if they access it, too: blocks are often 16 threads wide.
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

// access checks the access of lanes to one location.
func (v *visit) access(m lanes.Mask) {
	v.now.lanes, v.now.iteration = m, v.w.iterations.of(firstLane(m))
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

// word checks the access to a whole word.
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

// overwrite drops the release clocks of the location if the present access is a weak
// write.
func (v *visit) overwrite(c *cell) {
	if c.released && v.now.class&(writes|strong) == writes {
		v.shadow.dropReleaseClocks(v.off, v.size)
	}
}

// touch checks the access to a cell, and records it there.
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
		if v.updateOneOf(p, c) {
			return
		}
	case v.updateOnly(&c.first):
		return
	case c.first.cta == v.now.cta && v.space == isa.Shared && v.beforeBarrier(&c.first):
		c.first = v.now
		return
	}
	v.compare(p, c, at, size)
}

// updateOneOf adds the present access to the records of a cell if none of them can race with it, and one of them is
// of the same threads, or of others that do the same. It reports whether it did.
func (v *visit) updateOneOf(p *page, c *cell) bool {
	var own *record
	var passed uint32 // warps that have executed the instruction since the latest barrier
	s := &p.spills[c.beside-1]
	for i := range int(c.n) {
		r := &c.first
		switch {
		case i > 3:
			r = &p.overflows[s.more-1][i-4]
		case i > 0:
			r = &s.next[i-1]
		}
		if v.conflicts(r.class, r) || v.inOrder(r) {
			return false
		}
		if r.cta != v.now.cta {
			continue
		}
		if own == nil && r.epoch == v.now.epoch && (r.marks^v.now.marks)&diverged == 0 && v.coversOrGrows(r) {
			own = r
		}
		if r.sites == v.now.sites && v.sinceBarrier(r) {
			passed |= r.warps()
		}
	}
	switch {
	case own != nil:
		v.addTo(own)
	case !v.redundant(passed):
		return false
	}
	return true
}

// addTo adds the threads of the present access to a record of the same accesses.
func (v *visit) addTo(r *record) {
	if r.iteration != v.now.iteration {
		r.marks |= manyIterations
	}
	r.lanes |= v.now.lanes
	if r.class&writes == 0 {
		r.extra |= v.now.extra
		r.warp = lowest(r.extra)
	}
}

// sinceBarrier reports whether a record of the present CTA is later than the latest barrier for all of its threads,
// and no lane of the warp has exited.
func (v *visit) sinceBarrier(r *record) bool {
	w := v.w.cta.warps[r.warp]
	return r.epoch > w.barrierEpoch && w.live == w.threads
}

// redundant reports whether a record of one more warp at the same instruction is not needed: if only barriers for all
// threads order warps, every access that races with it also races with one of two others.
func (v *visit) redundant(warps uint32) bool {
	return warps&(warps-1) != 0 && !v.r.syncs && !v.r.partial
}

// coversOrGrows reports whether the present access is one of those of a record, or can be added to it: as one more
// warp, or as more lanes of its only warp.
func (v *visit) coversOrGrows(r *record) bool {
	has, more := r.warps()>>v.now.warp&1 != 0, v.now.lanes&^r.lanes
	if has && more == 0 {
		return v.r.sets.contains(r.sites, v.site.index)
	}
	if r.sites != v.now.sites {
		return false
	}
	return has && r.warps() == 1<<v.now.warp || r.class&writes == 0 && r.lanes == v.now.lanes && r.iteration == v.now.iteration
}

// updateOnly adds the present access to the only record of a cell if it is of the same
// threads, or of another warp that does the same. It reports whether it did.
func (v *visit) updateOnly(r *record) bool {
	now := &v.now
	switch {
	case r.cta != now.cta || r.lanes != now.lanes || v.inOrder(r):
		return false
	case r.warps() == 1<<now.warp && v.r.sets.contains(r.sites, v.site.index):
		if r.epoch != now.epoch && uint32(r.sites) != v.site.index {
			return false
		}
		r.epoch, r.iteration, r.marks = now.epoch, now.iteration, r.marks&mixed|now.marks
		if now.class&writes != 0 {
			if r.extra != now.extra {
				r.marks |= mixed
			}
			r.extra = now.extra
		}
		return true
	case r.sites == now.sites && r.class&writes == 0 && r.sameIteration(now):
		r.extra |= now.extra
		r.warp = min(r.warp, now.warp)
		return true
	}
	return false
}

// inOrder reports whether the order of a record and the present access matters: both are strong, and reads of strong
// writes order threads in this launch.
func (v *visit) inOrder(r *record) bool { return v.r.syncs && r.class&v.now.class&strong != 0 }

// compare compares the present access with the records of a cell, and adds it to them.
func (v *visit) compare(p *page, c *cell, at, size uint64) {
	rs := p.records(c, &v.records)
	now := v.now
	kept := v.kept[:0]
	for i := range rs {
		r := rs[i]
		v.observeWrite(&r)
		if (r.class|v.now.class)&writes != 0 {
			v.race(rs[i:], at, size)
		}
		if !v.outlives(&r, rs[i:], kept) || v.merge(&now, &r, i == len(rs)-1) {
			continue
		}
		kept = append(kept, r)
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

// outlives reports whether an earlier record, the first of rs, or the rest of it must be kept in addition to the
// present access. It need not be if every access that races with it also races with the present access, which is of
// the same instruction, or if no later access can race with it. In kept are the records before it.
func (v *visit) outlives(r *record, rs, kept []record) bool {
	switch {
	case r.cta == v.now.cta && v.space == isa.Shared && v.beforeBarrier(r):
	case !v.r.sets.contains(r.sites, v.site.index):
		return true
	case r.cta == v.now.cta && r.warps()>>v.now.warp&1 != 0 && r.lanes&^v.now.lanes == 0: // the same threads
		return v.removeSite(r, 1<<v.now.warp) || v.keptAsObserver(r, rs, kept)
	case v.inOrder(r) && v.supersedes(rs):
	case !alike(&v.now, r) || !v.happensBefore(r):
		return true
	case r.cta == v.now.cta && r.warps() != 1<<v.now.warp && !v.beforeBarrier(r):
		return true // it may race with warps that the present access does not race with
	default:
		return v.removeSite(r, r.warps()) || v.keptAsObserver(r, rs, kept)
	}
	return v.keptAsObserver(r, rs, kept)
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

// keptAsObserver reports whether an earlier record, the first of rs, must be kept because it has observed one of
// those before it, and the present access has not.
func (v *visit) keptAsObserver(r *record, rs, kept []record) bool {
	if !v.inOrder(r) || len(rs) == 1 && uint32(r.sites) == v.site.index && v.repeats(r) || !v.observesAny(r, kept) {
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
	now.marks |= r.marks & (mixed | stale | manyIterations)
	return true
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
