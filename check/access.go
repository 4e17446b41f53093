package check

import (
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
	mask   lanes.Mask // who accesses it
	// together is the lanes that run together, those of mask among them.
	together lanes.Mask
	size     uint64 // bytes of a lane

	done  lanes.Mask // lanes that were looked at
	view  view       // of the lanes that are looked at
	now   record     // their access
	off   uint64     // its place
	found []conflict

	records [mostRecords + 1]record // scratch
}

// conflict is an earlier access that the one looked at races with.
type conflict struct {
	earlier  record     // of the lanes that are not ordered
	later    lanes.Mask // those of the present access that are not
	from, to uint64     // bytes of the region, without to
	same     bool       // both write the same there
	together bool       // both are of one instruction
}

// Accessed implements interp.Observer.
func (r *Races) Accessed(at *interp.Place, pc int, space isa.Space, size int, m lanes.Mask, acc *lanes.Access, _ bool) {
	if space != isa.Shared && space != isa.Global {
		return
	}
	v := &r.visit
	w, s := r.warp(at), &r.sites[at.Func][pc]
	shadow, region := r.shadowOf(w, space, acc.Mem)
	v.r, v.w, v.site, v.space, v.acc, v.mask, v.size = r, w, s, space, acc, m, uint64(size)
	v.shadow, v.region, v.done = shadow, region, 0
	v.now = record{who: threadOf(w), at: w.now, site: s.index, class: s.class}
	if v.together = at.Split; at.Split != w.live {
		v.now.marks = diverged
	}
	if s.class&strong != 0 {
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
	for m != 0 {
		some := m & -m
		for at := v.acc.At(firstLane(m)); v.site.class&writes == 0; {
			next := m &^ some & -(m &^ some)
			if next == 0 || v.acc.At(firstLane(next)) != at {
				break
			}
			some |= next
		}
		v.access(some)
		m &^= some
	}
}

// access looks at the access of lanes that are all in one place.
func (v *visit) access(m lanes.Mask) {
	v.now.lanes = m
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
	now := v.now
	if c.n == 0 {
		c.first, c.n = now, 1
		return
	}
	if c.n == 1 && c.first.who == now.who && c.first.lanes == now.lanes && covers(&now, &c.first) {
		c.first = now
		return
	}
	rs := p.records(c, &v.records)
	kept := v.records[:0]
	for i := range rs {
		r := rs[i]
		un := v.unordered(&r)
		if un != 0 && v.conflicts(&r) {
			later := now.lanes &^ v.observed(rs[i:])
			own := v.sameInstruction(&r, at) & un
			v.clash(&r, own, later, true, at, size)
			v.clash(&r, un&^own, later, false, at, size)
		}
		if r.who == now.who {
			un &^= now.lanes
		}
		done := un == 0 && covers(&now, &r) || v.replaces(rs[i:])
		switch last := i == len(rs)-1; {
		case done && (last && v.repeats(&r) || !observesAny(&r, kept)):
		case v.merges(&r, last):
			now.lanes |= r.lanes
		default:
			if done {
				r.marks |= observer
			}
			kept = append(kept, r)
		}
	}
	if now.class&writes != 0 && len(kept) > 0 && !v.leaves(at, size) {
		for i := range kept {
			kept[i].marks |= stale
		}
	}
	p.keep(c, append(kept, now))
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
		if f := &v.found[i]; f.earlier == c.earlier && f.later == later && f.to == c.from && f.together == together {
			f.to, f.same = c.to, f.same && c.same
			return
		}
	}
	v.found = append(v.found, c)
}
