package sm

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// kept has the memory effects of a region's instructions, from their execution until their machine instructions are
// issued. Many warps keep something at once, so it is as small as it can be.
type kept struct {
	effects  []keptEffect
	accesses []keptAccess
	offsets  [][lanes.Width]uint64
}

// keptEffect is the part that its issue needs of an interp.Effect.
type keptEffect struct {
	first, n int32 // its accesses in kept
	changed  bool
}

// keptAccess is an interp.Moved. Most accesses are strided, and need no offsets for each lane.
type keptAccess struct {
	mem     []byte
	base    uint64
	off     [2]uint64 // by half of the warp, if strided
	region  int32
	lanes   lanes.Mask
	offsets int32 // index in kept of the offsets of all lanes; -1 if strided
	size    uint16
	space   uint8
	strides uint8 // bit set of the halves whose stride is size, and not 0
}

// half is the number of lanes in half a warp.
const half = lanes.Width / 2

// reuse returns an empty kept that uses the memory of k.
func (k *kept) reuse() kept {
	return kept{k.effects[:0], k.accesses[:0], k.offsets[:0]}
}

// reserve makes room for the effects of an iteration of a region at once.
func (k *kept) reserve(r *region) {
	if r.perCopy > 0 {
		k.effects, k.accesses = slices.Grow(k.effects, r.perCopy), slices.Grow(k.accesses, r.perCopy)
	}
}

// keep appends an effect that has deferred nothing and used no mbarrier, as those of regions.
func (k *kept) keep(e *interp.Effect) {
	if e.Deferred >= 0 || len(e.Mbarriers) > 0 {
		panic("simtrun bug: a region defers an access or signals an mbarrier")
	}
	k.effects = append(k.effects, keptEffect{int32(len(k.accesses)), int32(len(e.Access)), e.Changed})
	for i := range e.Access {
		k.keepAccess(&e.Access[i])
	}
}

// keepLoad appends the effect of a load.
func (k *kept) keepLoad(a *interp.Moved) {
	k.effects = append(k.effects, keptEffect{first: int32(len(k.accesses)), n: 1})
	k.keepAccess(a)
}

// keepAccess appends an access of the latest effect.
func (k *kept) keepAccess(a *interp.Moved) {
	n := len(k.accesses)
	if n == cap(k.accesses) {
		k.accesses = append(k.accesses, keptAccess{})
	}
	k.accesses = k.accesses[:n+1]
	to := &k.accesses[n]
	to.mem, to.base, to.region, to.space, to.size, to.lanes = a.Mem, a.Base, a.Region, a.Space, uint16(a.Size), a.Lanes
	if a.Strided && isStride(a.Stride[0], a.Size) && isStride(a.Stride[1], a.Size) {
		to.off[0], to.off[1], to.offsets, to.strides = a.Off[0], a.Off[half], -1, 0
		if a.Stride[0] != 0 {
			to.strides = 1
		}
		if a.Stride[1] != 0 {
			to.strides |= 2
		}
		return
	}
	to.offsets = int32(len(k.offsets))
	if !a.Strided {
		k.offsets = append(k.offsets, a.Off)
		return
	}
	k.offsets = append(k.offsets, [lanes.Width]uint64{})
	off := &k.offsets[to.offsets]
	for lane := range off {
		off[lane] = a.At(lane)
	}
}

func isStride(stride, size uint64) bool { return stride == 0 || stride == size }

// restore sets the accesses of e, and whether it has changed memory, to those of effect i.
func (k *kept) restore(i int, e *interp.Effect) {
	from := &k.effects[i]
	e.Deferred, e.Changed, e.Mbarriers = -1, from.changed, e.Mbarriers[:0]
	if e.Access = e.Access[:0]; cap(e.Access) < int(from.n) {
		e.Access = make([]interp.Moved, 0, from.n)
	}
	e.Access = e.Access[:from.n]
	for j := range e.Access {
		k.accesses[from.first+int32(j)].expand(&e.Access[j], k)
	}
}

// expand sets to to the access.
func (a *keptAccess) expand(to *interp.Moved, k *kept) {
	to.Mem, to.Base, to.Region, to.Space, to.Size, to.Lanes = a.mem, a.base, a.region, a.space, uint64(a.size), a.lanes
	if to.Strided = a.offsets < 0; !to.Strided {
		to.Off = k.offsets[a.offsets]
		return
	}
	to.Off[0], to.Off[half] = a.off[0], a.off[1]
	to.Stride[0], to.Stride[1] = uint64(a.strides&1)*to.Size, uint64(a.strides>>1)*to.Size
}
