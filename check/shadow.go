package check

import (
	"unsafe"

	"github.com/simtrun/simtrun/lanes"
)

// record is accesses to a place by lanes of one warp in one instruction, at one
// time of the warp.
type record struct {
	who   thread
	lanes lanes.Mask
	at    clock
	site  uint32
	class class
	marks marks
}

// marks are what else there is to say of a record.
type marks uint8

const (
	// unsure: of a strong write, accesses that may have observed it are forgotten.
	unsure marks = 1 << iota
	// stale: of a write, what is at the place is no longer what it wrote.
	stale
	// observer: a later record races with all that this one does; it is kept for
	// what it has observed.
	observer
	// diverged: not all lanes of the warp that were left ran together.
	diverged
)

// thread is a warp among all of the grid: the number of its CTA, times the most
// warps that a CTA can have, and its number there.
type thread uint64

const mostWarps = 32

func threadOf(w *warp) thread       { return thread(w.cta.number)*mostWarps + thread(w.number) }
func (t thread) cta() int64         { return int64(t / mostWarps) }
func (t thread) warp() int          { return int(t % mostWarps) }
func (t thread) near(o thread) bool { return t.cta() == o.cta() }

// A place, which is a word or a byte of one, remembers this many accesses: the
// first in its cell, others beside.
const mostRecords = 4

// cell is a word, or a byte of a word that narrower accesses have split.
type cell struct {
	first  record
	n      uint8  // records
	split  bool   // it is four cells, and has no records of its own
	told   bool   // somebody may have released something here
	beside uint32 // 1 + index in the page's spills, or splits; 0: none yet
}

// page is the shadow of pageBytes of memory.
type page struct {
	cells  [pageBytes / wordBytes]cell
	spills [][mostRecords - 1]record
	splits [][wordBytes]cell
}

const (
	wordBytes = 4
	pageBytes = 1024
)

// shadow is what is remembered of a region of memory, in pages that come into
// being when they are touched.
type shadow struct {
	pages    []*page
	used     []uint32 // numbers of the pages that were touched since clear
	channels map[uint64]*channel
	mem      []byte
}

// of makes s the shadow of mem, unless it is already.
func (s *shadow) of(mem []byte) {
	if s.pages == nil || unsafe.SliceData(s.mem) != unsafe.SliceData(mem) {
		*s = shadow{pages: make([]*page, (len(mem)+pageBytes-1)/pageBytes), mem: mem}
	}
}

// clear forgets all accesses, and keeps the pages for those to come.
func (s *shadow) clear() {
	for _, n := range s.used {
		p := s.pages[n]
		clear(p.cells[:])
		p.spills, p.splits = p.spills[:0], p.splits[:0]
	}
	clear(s.channels)
}

// page is the page of a byte.
func (s *shadow) page(off uint64) *page {
	n := off / pageBytes
	if s.pages[n] == nil {
		s.pages[n] = &page{}
		s.used = append(s.used, uint32(n))
	}
	return s.pages[n]
}

// bytes are the cells of the bytes of a word, which is split if it was not.
func (p *page) bytes(c *cell) *[wordBytes]cell {
	if !c.split {
		var four [wordBytes]cell
		for i := range four {
			four[i] = *c
			if c.beside != 0 {
				p.spills = append(p.spills, p.spills[c.beside-1])
				four[i].beside = uint32(len(p.spills))
			}
		}
		if p.splits == nil { // who splits one word splits many
			p.splits = make([][wordBytes]cell, 0, len(p.cells)/2)
		}
		p.splits = append(p.splits, four)
		*c = cell{split: true, told: c.told, beside: uint32(len(p.splits))}
	}
	return &p.splits[c.beside-1]
}

// records are those of a cell, oldest first.
func (p *page) records(c *cell, to *[mostRecords + 1]record) []record {
	if c.n == 0 {
		return to[:0]
	}
	to[0] = c.first
	if c.n > 1 {
		copy(to[1:], p.spills[c.beside-1][:c.n-1])
	}
	return to[:c.n]
}

// keep makes rs the records of a cell. Of too many one goes.
func (p *page) keep(c *cell, rs []record) {
	if len(rs) > mostRecords {
		rs = dropOne(rs)
	}
	c.n = uint8(len(rs))
	c.first = rs[0]
	if len(rs) == 1 {
		return
	}
	if c.beside == 0 {
		p.spills = append(p.spills, [mostRecords - 1]record{})
		c.beside = uint32(len(p.spills))
	}
	copy(p.spills[c.beside-1][:], rs[1:])
}

// dropOne leaves out one record, but not the last: a mere observer, or an older
// read of the same warp, or one of the same CTA, or the oldest read, so that
// different CTAs are remembered; where there is none of these the oldest write.
func dropOne(rs []record) []record {
	last := &rs[len(rs)-1]
	victim, best := 0, 0
	for i := range rs[:len(rs)-1] {
		worth := 0
		switch r := &rs[i]; {
		case r.marks&observer != 0:
			worth = 4
		case r.class&writes != 0:
		case r.who == last.who:
			worth = 3
		case r.who.near(last.who):
			worth = 2
		default:
			worth = 1
		}
		if worth > best {
			victim, best = i, worth
		}
	}
	forget(&rs[victim], rs[:victim])
	return append(rs[:victim], rs[victim+1:]...)
}

// forget notes in earlier records that r, which observed them, is no longer
// remembered.
func forget(r *record, earlier []record) {
	for i := range earlier {
		if observes(r, &earlier[i], earlier[i+1:]) {
			earlier[i].marks |= unsure
		}
	}
}

// observesAny reports whether r has observed one of the earlier records.
func observesAny(r *record, earlier []record) bool {
	for i := range earlier {
		if observes(r, &earlier[i], earlier[i+1:]) {
			return true
		}
	}
	return false
}
