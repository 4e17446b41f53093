package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// Most rows of global memory are accessed once, by half a warp, as a whole, or are read in that way once by each of
// several CTAs. Of such an access a packedRow is kept, and what it has written is in memory. Of reads those of two CTAs
// are kept, as visit.replaces does: the first one, and the latest. At the first access of another kind to their page
// its rows are unpacked.

// packedRow is an access to a row; none if the epoch is 0.
type packedRow struct {
	cta       uint32
	epoch     epoch
	site      uint16
	iteration uint8
	by        uint8 // warp in the CTA, and the flags below
}

const (
	byLowHalf  = 1 << (5 + iota) // of the warp
	byHighHalf                   // both if two lanes read each word
	byDiverged                   // as in marks
	byWarp     = byLowHalf - 1
)

// packedBytes is how many bytes of memory have their packed rows in one piece.
const packedBytes = 16 << 10

// packs keeps the access to a whole row as a packed one, if it is the first. Its lanes are those of the first word.
func (v *visit) packs(first lanes.Mask, off uint64) bool {
	if v.space != isa.Global || v.size != wordBytes || !v.r.packs(v.site) || v.site.class&writes != 0 && v.stored == nil {
		return false
	}
	r := v.r.packedRow(v.shadow, v.w, v.site, off)
	if r == nil {
		return false
	}
	by := uint8(0)
	if first&1 != 0 {
		by |= byLowHalf
	}
	if first>>rowWords != 0 {
		by |= byHighHalf
	}
	r.set(v.w, v.site, by, v.now.marks)
	return true
}

// packs reports whether accesses of an instruction may be packed.
func (r *Races) packs(s *site) bool { return !r.syncs && s.index < 1<<16 }

// packsWarp is visit.packs for both halves of a full warp: it does what visit.all would do, without what that needs for
// other accesses.
func (r *Races) packsWarp(w *warp, s *site, a *interp.Access, split lanes.Mask, to *shadow) bool {
	low, high := a.Off[0], a.Off[rowWords]
	if a.Lanes != lanes.AllLanes || a.Size != wordBytes || !a.Strided || a.Stride != [2]uint64{wordBytes, wordBytes} || (low|high)%rowBytes != 0 ||
		s.class&strong != 0 || a.Kind == isa.Atomic || r.byLane || len(w.groups) != 1 || w.iterations.used || !r.packs(s) {
		return false
	}
	if low == high {
		return false
	}
	one, two := r.packedRow(to, w, s, low), r.packedRow(to, w, s, high)
	if one == nil || two == nil {
		return false
	}
	of := marks(0)
	if split != w.live {
		of = diverged
	}
	one.set(w, s, byLowHalf, of)
	two.set(w, s, byHighHalf, of)
	return true
}

// set sets r to an access by a warp.
func (r *packedRow) set(w *warp, s *site, by uint8, of marks) {
	if of&diverged != 0 {
		by |= byDiverged
	}
	r.cta, r.epoch, r.site, r.iteration, r.by = uint32(w.cta.number), w.epoch, uint16(s.index), w.iterations.all, by|uint8(w.number)
}

// packedRow returns where an access to the row at an offset is packed; nil if it cannot be.
func (r *Races) packedRow(to *shadow, w *warp, s *site, off uint64) *packedRow {
	if to.pages[off/pageBytes] != nil {
		return nil
	}
	first := rowsAt(&to.packed, len(to.pages), off)
	if first.epoch == 0 {
		return first
	}
	cta := uint32(w.cta.number)
	if (s.class|r.byIndex[first.site].class)&writes != 0 || first.cta == cta || w.groups[0].clock.grid != nil || r.byLane {
		return nil
	}
	second := rowsAt(&to.packedToo, len(to.pages), off)
	if second.epoch != 0 && (second.cta == cta || uint32(first.site) != s.index || second.site != first.site) {
		return nil
	}
	return second
}

// rowsAt returns the packed row of the bytes at an offset. It allocates rows as they are needed; packed has room for a
// number of pages.
func rowsAt(packed *[][]packedRow, pages int, off uint64) *packedRow {
	if *packed == nil {
		*packed = make([][]packedRow, (pages*pageBytes+packedBytes-1)/packedBytes)
	}
	rows := &(*packed)[off/packedBytes]
	if *rows == nil {
		*rows = make([]packedRow, packedBytes/rowBytes)
	}
	return &(*rows)[off%packedBytes/rowBytes]
}

// page returns the page of a byte, with its rows unpacked.
func (v *visit) page(off uint64) *page {
	s := v.shadow
	if p := s.pages[off/pageBytes]; p != nil {
		return p
	}
	p := s.page(off)
	for _, packed := range [][][]packedRow{s.packed, s.packedToo} {
		if packed != nil && packed[off/packedBytes] != nil {
			from := off / pageBytes * pageBytes
			v.unpack(p, packed[off/packedBytes][from%packedBytes/rowBytes:][:pageBytes/rowBytes], from)
		}
	}
	return p
}

// unpack adds records of packed rows, given the offset of the first.
func (v *visit) unpack(p *page, rows []packedRow, from uint64) {
	for i := range rows {
		r := &rows[i]
		if r.epoch == 0 {
			continue
		}
		of := record{cta: r.cta, epoch: r.epoch, sites: siteSet(r.site), class: v.r.byIndex[r.site].class, warp: r.by & byWarp, iteration: r.iteration}
		if r.by&byLowHalf != 0 {
			of.lanes |= 1
		}
		if r.by&byHighHalf != 0 {
			of.lanes |= 1 << rowWords
		}
		if r.by&byDiverged != 0 {
			of.marks = diverged
		}
		if of.class&writes == 0 {
			of.extra = 1 << of.warp
		} else {
			if p.values == nil {
				p.values = new([pageBytes / rowBytes]rowValues)
			}
			p.values[i].set(v.memory()[from+uint64(i)*rowBytes:])
		}
		p.rows[i].records[p.rows[i].n] = of
		p.rows[i].n++
	}
}
