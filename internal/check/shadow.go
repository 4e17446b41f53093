package check

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/lanes"
)

// record is accesses to a location that are equivalent for happens-before and for races: accesses of lanes of one
// warp in one epoch, by one or several instructions, or weak reads of the same lanes of several warps of a CTA.
type record struct {
	cta   uint32
	epoch epoch
	lanes lanes.Mask
	// extra is, for reads, the warps, one bit each; for stores, the value; for atomics, unused.
	extra     uint32
	sites     siteSet
	class     class // of all sites together
	marks     marks
	warp      uint8 // index in the CTA; for several warps the lowest
	iteration uint8 // of the warp's loops, modulo 256; see iterations
}

// marks are further properties of a record.
type marks uint8

const (
	// unsure: a strong write, some observers of which may have been forgotten.
	unsure marks = 1 << iota
	// stale: the location no longer holds the value read or written.
	stale
	// mixed: stores that did not all write the same value.
	mixed
	// observer: every access that races with the record also races with a later one; the record is kept for what it has
	// observed.
	observer
	// manyIterations: accesses of several iterations of a loop.
	manyIterations
	// diverged: not all live lanes of the warp were in the split.
	diverged
)

// become sets r to another record, field by field: a copy of the whole would wait for the stores of its parts.
func (r *record) become(o *record) {
	r.cta, r.epoch, r.lanes, r.extra, r.sites = o.cta, o.epoch, o.lanes, o.extra, o.sites
	r.class, r.marks, r.warp, r.iteration = o.class, o.marks, o.warp, o.iteration
}

// warps returns the warps of a record, one bit each.
func (r *record) warps() uint32 {
	if r.class&writes == 0 {
		return r.extra
	}
	return 1 << r.warp
}

// of returns the part of the record for one of its warps.
func (r record) of(warp int) record {
	if r.warp = uint8(warp); r.class&writes == 0 {
		r.extra = 1 << warp
	}
	return r
}

// sameThreads reports whether both records are of the same lanes of one warp.
func (r *record) sameThreads(o *record) bool {
	return r.cta == o.cta && r.warp == o.warp && r.lanes == o.lanes && r.warps() == o.warps()
}

// sameEpoch reports whether both records are of one epoch: of one warp, or of warps of a CTA with the same number of
// releases, and both diverged or both not.
func (r *record) sameEpoch(o *record) bool {
	return r.cta == o.cta && r.epoch == o.epoch && (r.marks^o.marks)&diverged == 0
}

// sameIteration reports whether both records are of one epoch and one iteration of a loop.
func (r *record) sameIteration(o *record) bool { return r.sameEpoch(o) && r.iteration == o.iteration }

// The maximum number of records of a cell: in global memory of launches in which memory accesses order threads, and
// elsewhere. Further records are dropped.
const (
	mostSynchronised = 16
	mostRecords      = 64
)

// manyStores is the number of records of stores by the same threads, in the same epoch and iteration, that a cell has
// before they are merged.
const manyStores = 12

// cell is the shadow of a word, or of a byte of a word that narrower accesses have split.
type cell struct {
	first    record
	n        uint8  // number of records; those after the first are in a spill
	split    bool   // the word has four cells, and no records of its own
	released bool   // the word or a byte of it may have a release clock
	part     uint8  // 0, or 1 + the number of the only byte of the word that was accessed
	beside   uint32 // 1 + index in the page's spills or splits; 0: none yet
}

// spill is the records of a cell after the first.
type spill struct {
	next [3]record
	more uint32 // 1 + index in the page's overflows, for still more records; 0: none yet
}

// page is the shadow of pageBytes of memory.
type page struct {
	rows      [pageBytes / rowBytes]row
	values    *[pageBytes / rowBytes]rowValues // nil before the first store to a whole row
	spills    []spill
	overflows [][]record
	splits    [][wordBytes]cell
}

const (
	wordBytes = 4
	pageBytes = 1024
)

// shadow is the shadow memory of a region. Pages are made at their first access.
type shadow struct {
	pages         []*page
	packed        [][]packedRow // of rows of pages that do not exist; nil before the first
	packedToo     [][]packedRow // the same, of second reads
	used          []uint32      // numbers of existing pages
	releaseClocks map[uint64]*releaseClock
}

// of makes s the shadow of mem on its first call.
func (s *shadow) of(mem []byte) {
	if s.pages == nil {
		s.pages = make([]*page, (len(mem)+pageBytes-1)/pageBytes)
	}
}

// clear removes all accesses, and keeps the pages for later ones.
func (s *shadow) clear() {
	for _, n := range s.used {
		p := s.pages[n]
		for i := range p.rows {
			p.rows[i].n, p.rows[i].apart = 0, false
		}
		p.spills, p.splits, p.overflows = p.spills[:0], p.splits[:0], p.overflows[:0]
	}
	clear(s.releaseClocks)
}

// page returns the page of a byte.
func (s *shadow) page(off uint64) *page {
	n := off / pageBytes
	if s.pages[n] == nil {
		s.pages[n] = &page{}
		s.used = append(s.used, uint32(n))
	}
	return s.pages[n]
}

// bytes returns the cells of the bytes of a word, which is split if necessary.
func (p *page) bytes(c *cell) *[wordBytes]cell {
	if !c.split {
		if p.splits == nil { // if there is one narrow access there are usually many
			p.splits = make([][wordBytes]cell, 0, pageBytes/wordBytes)
		}
		p.splits = append(p.splits, [wordBytes]cell{})
		if c.n > 0 {
			p.split(c, &p.splits[len(p.splits)-1])
		}
		*c = cell{split: true, released: c.released, beside: uint32(len(p.splits))}
	}
	return &p.splits[c.beside-1]
}

// split copies the records of a word to its bytes, or to the only one that was accessed; each byte gets its part of a
// written value.
func (p *page) split(c *cell, four *[wordBytes]cell) {
	var scratch [mostRecords + 1]record
	for i := range four {
		if c.part != 0 && int(c.part) != i+1 {
			continue
		}
		rs := p.records(c, &scratch)
		for j := range rs {
			if c.part == 0 && rs[j].class&writes != 0 {
				rs[j].extra = rs[j].extra >> (8 * i) & 0xff
			}
		}
		p.keep(&four[i], rs)
	}
}

// records returns the records of a cell, oldest first.
func (p *page) records(c *cell, to *[mostRecords + 1]record) []record {
	if c.n == 0 {
		return to[:0]
	}
	to[0] = c.first
	if c.n > 1 {
		s := &p.spills[c.beside-1]
		copy(to[1:c.n], s.next[:])
		if c.n > 4 {
			copy(to[4:c.n], p.overflows[s.more-1])
		}
	}
	return to[:c.n]
}

// keep sets the records of a cell.
func (p *page) keep(c *cell, rs []record) {
	c.n = uint8(len(rs))
	c.first = rs[0]
	if len(rs) == 1 {
		return
	}
	if c.beside == 0 {
		p.spills = append(p.spills, spill{})
		c.beside = uint32(len(p.spills))
	}
	s := &p.spills[c.beside-1]
	copy(s.next[:], rs[1:])
	if len(rs) <= 4 {
		return
	}
	if s.more == 0 {
		p.overflows = append(p.overflows, nil)
		s.more = uint32(len(p.overflows))
	}
	o := &p.overflows[s.more-1]
	*o = append((*o)[:0], rs[4:]...)
}

// lowest returns the lowest warp of a set.
func lowest(warps uint32) uint8 { return uint8(bits.TrailingZeros32(warps)) }
