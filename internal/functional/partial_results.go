package functional

import (
	"encoding/binary"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// partial is the combined result of the reductions of a worker's CTAs on a region, separate from the region itself:
// at the end the region is combined with the partials of all workers. It is valid for regions on which a launch does
// only reductions of one kind.
type partial struct {
	of     *program.Reduction
	region *memory.Region
	data   []byte // replaces the region's data
}

// mostPartial is the largest region, in bytes, that has partials: each takes as much memory, and must be combined.
const mostPartial = 4 << 20

// reduce makes an access that is a reduction in the worker's partial. It returns false if the region cannot have one.
func (w *worker) reduce(r *program.Reduction, a *lanes.Access) bool {
	if w.s.detector.accesses && !r.Invertible() {
		return false // the detector must see whether memory changes
	}
	p := w.partialFor(r, a.Region)
	if p == nil {
		return false
	}
	a.Mem = p.data
	return true
}

// partialFor returns the worker's partial for reductions of that kind on a region, or nil if it cannot have one.
func (w *worker) partialFor(r *program.Reduction, region int32) *partial {
	p := w.partialOf(region)
	if p == nil {
		if len(w.t.backup.Region(region).Data) > mostPartial {
			return nil
		}
		p = newPartial(r, w.t.backup, region)
		w.partials = append(w.partials, p)
	}
	if !p.of.Is(r) {
		return nil
	}
	return p
}

// partialOf returns the worker's partial for a region, or nil.
func (w *worker) partialOf(region int32) *partial {
	for _, p := range w.partials {
		if p.region.Number == region {
			return p
		}
	}
	return nil
}

func newPartial(r *program.Reduction, b *memory.Backup, region int32) *partial {
	p := &partial{of: r, region: b.Region(region)}
	p.data = b.Alloc(p.region)
	p.clear()
	return p
}

// clear resets the partial.
func (p *partial) clear() {
	if p.of.Identity == 0 {
		clear(p.data)
		return
	}
	size := p.of.Type.Bytes()
	for at := 0; at+size <= len(p.data); at += size {
		if size == 8 {
			binary.LittleEndian.PutUint64(p.data[at:], p.of.Identity)
		} else {
			binary.LittleEndian.PutUint32(p.data[at:], uint32(p.of.Identity))
		}
	}
}

// combine combines the region with the partial, and resets that. It executes the atomic on one element after the
// other.
func (p *partial) combine() {
	const b, d = lanes.ScratchBytes, lanes.ScratchBytes + lanes.Slot64 // slots
	file := lanes.NewFile(d + lanes.Slot64)
	size := p.of.Type.Bytes()
	a := &lanes.Access{Mem: p.region.Data, Base: p.region.Base, Region: p.region.Number, Space: uint8(p.region.Space), Size: uint64(size)}
	from := file.Bytes(d)[b:]
	for at := 0; at+size <= len(p.data); {
		n := min(lanes.Width, (len(p.data)-at)/size)
		copy(from, p.data[at:at+n*size])
		for lane := range n {
			a.Off[lane] = uint64(at + lane*size)
		}
		p.of.Mem(file, &lanes.Op{B: b, D: d}, lanes.AllLanes>>(lanes.Width-n), a)
		at += n * size
	}
	p.clear()
}

// reducesAlone reports whether regions with partials have only reductions of one kind, and no other accesses.
func (t *team) reducesAlone() bool {
	for i, w := range t.workers {
		for _, p := range w.partials {
			if t.all.Touches(p.region.Number) {
				return false
			}
			for _, other := range t.workers[:i] {
				if o := other.partialOf(p.region.Number); o != nil && !o.of.Is(p.of) {
					return false
				}
			}
		}
	}
	return true
}
