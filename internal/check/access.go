package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// access checks the access of lanes to one location.
func (v *visit) access(m lanes.Mask) {
	v.now.lanes, v.now.iteration = m, v.w.iterations.of(firstLane(m))
	if v.site.class&writes == 0 {
		v.now.extra = 1 << v.now.warp
	}
	v.off = v.acc.At(firstLane(m))
	p, off := v.page(v.off), v.off%pageBytes
	c := p.cell(off)
	if part := uint8(off%wordBytes) + 1; v.size == 1 && !c.split && (c.n == 0 || c.part == part) && !v.r.byLane {
		v.overwrite(c)
		c.part = part
		v.touch(p, c, v.off, 1)
	} else if v.size < wordBytes {
		v.overwrite(c)
		four := p.bytes(c)
		for i := range v.size {
			v.touch(p, &four[off%wordBytes+i], v.off+i, 1)
		}
	} else {
		v.word(p, c, v.off)
		for i := uint64(wordBytes); i < v.size; i += wordBytes {
			v.word(p, p.cell(off+i), v.off+i)
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
	if !c.split && (c.part == 0 || c.n == 0) {
		c.part = 0
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
		c.first.become(&v.now)
		c.n = 1
		return
	}
	switch {
	case c.n > 1:
		if v.updateOneOf(p, c) || v.replacesLast(p, c) {
			return
		}
	case v.updateOnly(&c.first):
		return
	case c.first.cta == v.now.cta && v.space == isa.Shared && v.beforeBarrier(&c.first):
		c.first.become(&v.now)
		return
	case v.joins(&c.first) || v.addsAtomic(p, c):
		return
	}
	v.compare(p, c, at, size)
}

// updateOneOf adds the present access to the records of a cell if none of them can race with it, and one of them is
// of the same threads, or of others that do the same. It reports whether it did.
func (v *visit) updateOneOf(p *page, c *cell) bool {
	var own *record
	s, now := &p.spills[c.beside-1], &v.now
	if v.updateAtomics(p, c, s) {
		return true
	}
	// Weak reads never conflict with reads, nor do atomics of one kind and CTA with each other.
	reading, atomics := now.class&(writes|strong) == 0, !v.r.syncs && now.class&(strong|bare) == strong
	for i := range int(c.n) {
		r := p.record(c, s, i)
		calm := reading && r.class&writes == 0 || atomics && r.class == now.class && r.cta == now.cta
		if !calm && (v.conflicts(r.class, r) || v.inOrder(r)) {
			return false
		}
		if own == nil && r.cta == now.cta && v.takes(r) {
			own = r
		}
	}
	if own != nil {
		v.addTo(own)
		return true
	}
	var passed uint32 // warps that have executed the instruction since the latest barrier
	for i := range int(c.n) {
		if r := p.record(c, s, i); r.cta == now.cta && r.sites == now.sites && v.sinceBarrier(r) {
			passed |= r.warps()
		}
	}
	return v.redundant(passed)
}

// record returns a record of a cell with several, given its spill.
func (p *page) record(c *cell, s *spill, i int) *record {
	switch {
	case i == 0:
		return &c.first
	case i <= len(s.next):
		return &s.next[i-1]
	}
	return &p.overflows[s.more-1][i-1-len(s.next)]
}

// takes reports whether the present access is one of those of a record of its CTA, or can be added to it.
func (v *visit) takes(r *record) bool {
	return r.epoch == v.now.epoch && (r.marks^v.now.marks)&diverged == 0 && v.coversOrGrows(r)
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
	c := v.w.cta
	return r.epoch > c.warps[r.warp].barrierEpoch && c.whole>>r.warp&1 != 0
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
