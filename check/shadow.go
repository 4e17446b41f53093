package check

import (
	"math/bits"

	"github.com/simtrun/simtrun/lanes"
)

// record is accesses to a place that order and races cannot tell apart: by the
// same lanes of one warp at one time of it, through one or several instructions;
// or, of plain reads, by the same lanes of several warps of a CTA.
type record struct {
	cta   uint32
	at    clock
	lanes lanes.Mask
	// extra is, of reads, the warps, one bit each; of stores, what they wrote to the
	// place; of atomics, nothing.
	extra uint32
	sites siteSet
	class class // of all sites together
	marks marks
	warp  uint8 // in the CTA; of several the lowest
	round uint8 // of the warp's loops, modulo 256; see warp.rounds
}

// marks are what else there is to say of a record.
type marks uint8

const (
	// unsure: of a strong write, accesses that may have observed it are forgotten.
	unsure marks = 1 << iota
	// stale: what is at the place is no longer what was read or written.
	stale
	// mixed: of stores, not all wrote the same.
	mixed
	// observer: a later record races with all that this one does; it is kept for
	// what it has observed.
	observer
	// manyRounds: they are of several rounds of a loop.
	manyRounds
	// diverged: not all lanes of the warp that were left ran together.
	diverged
)

// warps are the warps of a record, one bit each.
func (r *record) warps() uint32 {
	if r.class&writes == 0 {
		return r.extra
	}
	return 1 << r.warp
}

// of is the part of the record that is of one of its warps.
func (r record) of(warp int) record {
	if r.warp = uint8(warp); r.class&writes == 0 {
		r.extra = 1 << warp
	}
	return r
}

// sameThreads reports whether both are of the same lanes of the same one warp.
func (r *record) sameThreads(o *record) bool {
	return r.cta == o.cta && r.warp == o.warp && r.lanes == o.lanes && r.warps() == o.warps()
}

// sameClock reports whether nothing can be ordered between accesses of one warp that
// both are of, or of several warps that count alike.
func (r *record) sameClock(o *record) bool {
	return r.cta == o.cta && r.at == o.at && (r.marks^o.marks)&diverged == 0
}

// sameTime reports whether besides they are of one round of a loop.
func (r *record) sameTime(o *record) bool { return r.sameClock(o) && r.round == o.round }

// A place remembers as many records as tell races apart, and these many at most:
// where threads of several CTAs synchronise, and elsewhere. Where there are more,
// some are forgotten.
const (
	mostSynchronised = 16
	mostRecords      = 64
)

// cell is a word, or a byte of a word that narrower accesses have split.
type cell struct {
	first  record
	n      uint8  // records; further ones are beside
	split  bool   // it is four cells, and has no records of its own
	told   bool   // somebody may have released something here
	beside uint32 // 1 + index in the page's spills, or splits; 0: none yet
}

// spill is the records of a cell but for the first.
type spill struct {
	next [3]record
	more uint32 // 1 + index in the page's overflows: still further ones; 0: none yet
}

// page is the shadow of pageBytes of memory.
type page struct {
	cells     [pageBytes / wordBytes]cell
	spills    []spill
	overflows [][]record
	splits    [][wordBytes]cell
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
}

// of makes s the shadow of mem, unless it is one already: it is used for no
// other memory.
func (s *shadow) of(mem []byte) {
	if s.pages == nil {
		s.pages = make([]*page, (len(mem)+pageBytes-1)/pageBytes)
	}
}

// clear forgets all accesses, and keeps the pages for those to come.
func (s *shadow) clear() {
	for _, n := range s.used {
		p := s.pages[n]
		clear(p.cells[:])
		p.spills, p.splits, p.overflows = p.spills[:0], p.splits[:0], p.overflows[:0]
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
		if p.splits == nil { // who splits one word splits many
			p.splits = make([][wordBytes]cell, 0, len(p.cells)/2)
		}
		p.splits = append(p.splits, [wordBytes]cell{})
		if c.n > 0 {
			p.split(c, &p.splits[len(p.splits)-1])
		}
		*c = cell{split: true, told: c.told, beside: uint32(len(p.splits))}
	}
	return &p.splits[c.beside-1]
}

// split gives the bytes of a word its records: of what was written, each its byte.
func (p *page) split(c *cell, four *[wordBytes]cell) {
	var scratch [mostRecords + 1]record
	for i := range four {
		rs := p.records(c, &scratch)
		for j := range rs {
			if rs[j].class&writes != 0 {
				rs[j].extra = rs[j].extra >> (8 * i) & 0xff
			}
		}
		p.keep(&four[i], rs)
	}
}

// records are those of a cell, oldest first.
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

// keep makes rs the records of a cell.
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

// lowest is the number of the lowest warp of a set.
func lowest(warps uint32) uint8 { return uint8(bits.TrailingZeros32(warps)) }
