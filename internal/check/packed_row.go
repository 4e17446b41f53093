package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Most rows of global memory are accessed once: by half a warp, as a whole. Of such an access a packedRow is kept, and
// what it has written is in memory. At the first access of another kind to their page its rows are unpacked.

// packedRow is the only access to a row; none if the epoch is 0.
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
	s := v.shadow
	if v.space != isa.Global || v.size != wordBytes || v.r.syncs || v.site.index >= 1<<16 || s.pages[off/pageBytes] != nil {
		return false
	}
	if s.packed == nil {
		s.packed = make([][]packedRow, (len(s.pages)*pageBytes+packedBytes-1)/packedBytes)
	}
	rows := &s.packed[off/packedBytes]
	if *rows == nil {
		*rows = make([]packedRow, packedBytes/rowBytes)
	}
	r, now := &(*rows)[off%packedBytes/rowBytes], &v.now
	if r.epoch != 0 || now.class&writes != 0 && v.stored == nil {
		return false
	}
	by := now.warp
	if first&1 != 0 {
		by |= byLowHalf
	}
	if first>>rowWords != 0 {
		by |= byHighHalf
	}
	if now.marks&diverged != 0 {
		by |= byDiverged
	}
	r.cta, r.epoch, r.site, r.iteration, r.by = now.cta, now.epoch, uint16(v.site.index), v.w.iterations.all, by
	return true
}

// page returns the page of a byte, with its rows unpacked.
func (v *visit) page(off uint64) *page {
	s := v.shadow
	if p := s.pages[off/pageBytes]; p != nil {
		return p
	}
	p := s.page(off)
	if s.packed != nil && s.packed[off/packedBytes] != nil {
		from := off / pageBytes * pageBytes
		v.unpack(p, s.packed[off/packedBytes][from%packedBytes/rowBytes:][:pageBytes/rowBytes], from)
	}
	return p
}

// unpack makes records of packed rows, given the offset of the first.
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
		p.rows[i].records[0], p.rows[i].n = of, 1
	}
}
