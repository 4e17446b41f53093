package check

import (
	"encoding/binary"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// A half warp mostly accesses neighbouring words, each lane its own, and other warps access the same words in the same
// way. A row is as many words. While all accesses are of that kind, it has the records of its first word, and those of
// the others differ only in lanes and values.

// rowWords and rowBytes are the size of a row.
const (
	rowWords = lanes.Width / 2
	rowBytes = rowWords * wordBytes
)

// firstHalf is the lower half of a warp.
const firstHalf lanes.Mask = 1<<rowWords - 1

// row is the shadow of the words of a row. What their only record has written is in the page's values, if it has.
type row struct {
	records [2]record       // of the first word: the lanes of those of word i are shifted by i
	cells   *[rowWords]cell // of the words, if they are apart; else out of date
	n       uint8           // number of records, of which two only read
	part    uint8           // of the words, as in a cell; valid if there are records
	apart   bool            // each word has a cell
}

// cell returns the cell of the word at an offset in the page. Its row is then in cells.
func (p *page) cell(off uint64) *cell {
	r := &p.rows[off/rowBytes]
	if !r.apart {
		r.separate(p, int(off/rowBytes))
	}
	return &r.cells[off%rowBytes/wordBytes]
}

// separate makes a cell of each word of a row, given its number in the page.
func (r *row) separate(p *page, n int) {
	if r.cells == nil {
		r.cells = new([rowWords]cell)
	} else {
		*r.cells = [rowWords]cell{}
	}
	for i := range r.cells {
		c := &r.cells[i]
		if r.n > 0 {
			c.part = r.part
		}
		for _, of := range r.records[:r.n] {
			if of.lanes <<= i; of.class&writes != 0 {
				of.extra = p.values[n][i]
			}
			if c.n == 0 {
				c.first, c.n = of, 1
			} else {
				p.keep(c, []record{c.first, of})
			}
		}
	}
	r.n, r.apart = 0, true
}

// rows checks accesses to whole rows by half warps among the lanes of m, and returns the other lanes. A row is whole if
// each of its words is accessed, or loads read the same byte of each.
func (v *visit) rows(m lanes.Mask) lanes.Mask {
	a := v.acc
	if v.size == 1 {
		return v.byteRows(m)
	}
	low, high := v.isRow(m, 0), v.isRow(m, rowWords)
	if low && high && a.Off[0] == a.Off[rowWords] {
		if v.site.class&writes == 0 && v.row(1|1<<rowWords, a.Off[0]) { // two lanes read each word
			return m &^ lanes.AllLanes
		}
		return m
	}
	if low && v.row(1, a.Off[0]) {
		m &^= firstHalf
		v.done |= firstHalf
	} else if low {
		return m // in order
	}
	if high && m&firstHalf == 0 && v.row(1<<rowWords, a.Off[rowWords]) {
		m &^= firstHalf << rowWords
	}
	return m
}

// byteRows is rows for loads of bytes.
func (v *visit) byteRows(m lanes.Mask) lanes.Mask {
	for first := 0; first < lanes.Width && v.readsByteRow(m, first); first += rowWords {
		half := firstHalf << first
		if !v.row(1<<first, v.acc.Off[first]) {
			break // in order
		}
		m &^= half
		v.done |= half
	}
	return m
}

// readsByteRow reports whether a half of the warp, from a lane on, reads the same byte of each word of a row.
func (v *visit) readsByteRow(m lanes.Mask, first int) bool {
	off := v.acc.Off[first:][:rowWords]
	if v.acc.Strided || m>>first&firstHalf != firstHalf || off[0]%rowBytes >= wordBytes {
		return false
	}
	for i := range off {
		if off[i] != off[0]+uint64(i)*wordBytes {
			return false
		}
	}
	return true
}

// isRow reports whether a half of the warp, from a lane on, accesses a whole row.
func (v *visit) isRow(m lanes.Mask, first int) bool {
	return m>>first&firstHalf == firstHalf && v.acc.Stride[first/rowWords] == wordBytes && v.acc.Off[first]%rowBytes == 0
}

// row checks the access to a whole row, of which the first word is accessed by some lanes. It returns false, and has
// changed nothing, if words would have different records.
func (v *visit) row(first lanes.Mask, off uint64) bool {
	if v.packs(first, off) {
		return true
	}
	p, n := v.page(off), off%pageBytes/rowBytes
	r := &p.rows[n]
	v.now.lanes, v.now.iteration, v.now.extra = first, v.w.iterations.all, 1<<v.now.warp
	var stored []byte
	if v.now.class&writes != 0 {
		if v.stored == nil {
			return false
		}
		stored, v.now.extra = v.stored[firstLane(first)*wordBytes:][:rowBytes], 0
		if p.values == nil {
			p.values = new([pageBytes / rowBytes]rowValues)
		}
	}
	part := uint8(0)
	if v.size == 1 {
		part = uint8(off%wordBytes) + 1
	}
	if r.apart && (part != 0 || !v.outdated(r)) || r.n > 0 && r.part != part {
		return false
	}
	if r.n == 2 {
		return stored == nil && (v.updateTwo(r) || v.replaces(&r.records[0], &r.records[1]))
	}
	mixes := false
	if r.n == 1 {
		of := &r.records[0]
		differing := 0
		if stored != nil {
			differing = p.values[n].differing(stored)
		}
		switch overwrites := stored != nil && of.class&writes != 0; {
		case overwrites && differing != 0 && differing != rowWords:
			return false
		case v.updateOnly(of):
			mixes = overwrites && differing != 0
		case of.cta == v.now.cta && v.space == isa.Shared && v.beforeBarrierAll(of):
			of.become(&v.now)
		case v.joins(of):
		case v.readsToo(of):
			r.records[1].become(&v.now)
			r.n = 2
		default:
			return false
		}
	} else {
		r.records[0].become(&v.now)
		r.n, r.part, r.apart = 1, part, false
	}
	if mixes {
		r.records[0].marks |= mixed
	}
	if stored != nil {
		p.values[n].set(stored)
	}
	return true
}

// rowValues are the values written to the words of a row.
type rowValues [rowWords]uint32

// set sets the values to those of a store.
func (vs *rowValues) set(stored []byte) {
	for i := range vs {
		vs[i] = binary.LittleEndian.Uint32(stored[i*wordBytes:])
	}
}

// differing returns in how many words a store would write another value than the latest.
func (vs *rowValues) differing(stored []byte) (n int) {
	for i, value := range vs {
		if binary.LittleEndian.Uint32(stored[i*wordBytes:]) != value {
			n++
		}
	}
	return n
}

// outdated reports whether the present access, to shared memory, replaces all that the cells of a row have, because
// that was before a barrier.
func (v *visit) outdated(r *row) bool {
	if v.space != isa.Shared {
		return false
	}
	for i := range r.cells {
		c := &r.cells[i]
		if c.n > 1 || c.beside != 0 || c.split || c.released || c.part != 0 {
			return false
		}
		if of := &c.first; c.n == 1 && (of.cta != v.now.cta || v.r.sets.contains(of.sites, v.site.index) || !v.beforeBarrier(of)) {
			return false
		}
	}
	return true
}

// beforeBarrierAll is beforeBarrier for all words of a row.
func (v *visit) beforeBarrierAll(of *record) bool {
	all := *of
	all.lanes *= firstHalf
	return v.beforeBarrier(&all)
}

// updateTwo is updateOneOf for a row.
func (v *visit) updateTwo(r *row) bool {
	var own *record
	var passed uint32
	for i := range r.records {
		of := &r.records[i]
		if of.cta != v.now.cta {
			continue
		}
		if own == nil && v.takes(of) {
			own = of
		}
		if of.sites == v.now.sites && v.sinceBarrier(of) {
			passed |= of.warps()
		}
	}
	if own != nil {
		v.addTo(own)
	}
	return own != nil || v.redundant(passed)
}

// joins merges the current access into the only record of a cell, if the record is of the same threads by other
// instructions and can be shared. It has the effect of compare in this case, with less work.
func (v *visit) joins(r *record) bool {
	now := &v.now
	if v.r.byLane || now.class&strong != 0 || r.class&strong != 0 || r.class&now.class&writes != 0 || v.r.sets.contains(r.sites, v.site.index) {
		return false
	}
	if (r.class|now.class)&writes != 0 && now.lanes&(now.lanes-1) != 0 || v.space == isa.Shared && v.beforeBarrier(r) {
		return false
	}
	merged := *now
	if !v.mergeSites(&merged, r) {
		return false
	}
	*r = merged
	return true
}

// readsToo reports whether a cell with one record, which reads, keeps it beside that of the present access, which reads
// in another CTA.
func (v *visit) readsToo(r *record) bool {
	return v.space == isa.Global && !v.r.syncs && v.clock.grid == nil && (r.class|v.now.class)&writes == 0 && r.cta != v.now.cta
}

// replaces makes the present access the second record of a cell with two if both are reads of other CTAs by the same
// instruction: of three CTAs two are enough (see trimCTAs).
func (v *visit) replaces(first, second *record) bool {
	cta, sites := v.now.cta, v.now.sites
	if v.r.byLane || !v.readsToo(first) || !v.readsToo(second) || first.sites != sites || second.sites != sites || first.cta == second.cta || first.cta == cta {
		return false
	}
	second.become(&v.now)
	return true
}

// replacesLast is replaces for a cell with up to four records. Others than the two must be of different instructions:
// trimCTAs keeps them.
func (v *visit) replacesLast(p *page, c *cell) bool {
	next := &p.spills[c.beside-1].next
	if int(c.n) > 1+len(next) {
		return false
	}
	last := &next[c.n-2]
	if c.n == 2 || v.r.byLane {
		return v.replaces(&c.first, last)
	}
	rs := [3]*record{&c.first, &next[0], &next[1]}
	first := -1
	for i, r := range rs[:c.n-1] {
		for _, o := range rs[:i] {
			if o.sites == r.sites {
				return false
			}
		}
		if !v.readsToo(r) {
			return false
		}
		if r.sites == v.now.sites {
			first = i
		}
	}
	return first >= 0 && v.replaces(rs[first], last)
}
