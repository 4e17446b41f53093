package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/memory"
)

// accessSurfaces executes suld, sust or sured.
func (e *Engine) accessSurfaces(pc int, uses []use) error {
	var places [lanes.Width]int64
	var zero lanes.Mask
	for i := range uses {
		outside, at, err := e.findSurface(pc, &uses[i], &places)
		if err != nil {
			return e.fault(pc, at, err)
		}
		zero |= outside
		uses[i].lanes &^= outside
	}
	if zero != 0 && isa.Kind(e.fn.Ops[pc].Kind) == isa.Load {
		e.loadZero(pc, zero)
	}
	last := -1
	for i := range uses {
		if uses[i].lanes != 0 {
			last = i
		}
	}
	for i := range uses {
		if u := &uses[i]; u.lanes != 0 {
			e.moveSurface(pc, u, &places, i < last)
		}
	}
	return nil
}

// findSurface finds the places that lanes access in a surface. The lanes outside access nothing, by .zero. An error
// is that of the lanes at.
func (e *Engine) findSurface(pc int, u *use, places *[lanes.Width]int64) (outside, at lanes.Mask, err error) {
	src, in := &e.fn.Src.Code[pc], e.fn.Info[pc].Image
	t := &u.image.Texture
	size, unit := e.surfaceBytes(pc, u), int64(1)
	if src.Mods[isa.SurfaceForm] == isa.SurfaceSamples {
		unit = size
	}
	extent := t.Size(0)
	limit := [3]int64{int64(extent[0]) * int64(t.Format.Bytes()), int64(extent[1]), int64(extent[2])}
	if e.placeInside(in, u, size, unit, &limit, places) {
		return 0, 0, nil
	}
	for rest := u.lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		word := func(slot uint32) uint32 { return lanes.Reg[uint32](e.path.File, slot)[lane] }
		coords, layer := in.Coords, int64(0)
		if in.Geometry.Array() {
			layer, coords = int64(word(coords[0])), coords[1:]
		}
		var c [3]int64
		for i, slot := range coords {
			c[i] = int64(int32(word(slot)))
		}
		asked := c
		c[0] *= unit
		inside := layer < int64(t.Layers) && c[0] >= 0 && c[0] <= limit[0]-size
		for i := 1; i < 3; i++ {
			inside = inside && c[i] >= 0 && c[i] < limit[i]
		}
		if !inside {
			switch {
			case src.Mods[isa.Clamp] == isa.ClampTrap || limit[0] < size:
				v := &violation{RuleOutOfBounds, fmt.Sprintf("%s outside of surface %s: %s; it is %s, %d bytes wide",
					isa.Kind(e.fn.Ops[pc].Kind), u.image.Name, placeText(in.Geometry, layer, asked, unit == 1), extentText(t), limit[0]), memory.ErrBounds}
				return 0, 1 << lane, v
			case src.Mods[isa.Clamp] == isa.ClampZero:
				outside |= 1 << lane
				continue
			}
			layer = min(layer, int64(t.Layers-1))
			c[0] = min(max(c[0], 0), limit[0]-size)
			for i := 1; i < 3; i++ {
				c[i] = min(max(c[i], 0), limit[i]-1)
			}
			c[0] -= c[0] % size
		}
		if c[0]%size != 0 {
			v := &violation{RuleMisaligned, fmt.Sprintf("misaligned %s of surface %s: x = %d, which counts bytes, is not a multiple of %d", isa.Kind(e.fn.Ops[pc].Kind), u.image.Name, c[0], size), memory.ErrMisaligned}
			return 0, 1 << lane, v
		}
		places[lane] = u.image.At + t.Offset(0, [3]int{0, int(c[1]), int(c[2] + layer)}, 0) + c[0]
	}
	return outside, 0, nil
}

// placeInside finds the places of findSurface if no lane is outside or misaligned; else it returns false. A lane moves
// a number of bytes, a power of two, and x counts units of bytes. limit has the bytes of a row, and the numbers of rows
// and slices.
func (e *Engine) placeInside(in *program.Image, u *use, size, unit int64, limit *[3]int64, places *[lanes.Width]int64) bool {
	if limit[0] < size {
		return false
	}
	t, coords := &u.image.Texture, in.Coords
	var at [lanes.Width]int64
	outside := lanes.Mask(0)
	add := func(slot uint32, n, step int64) {
		for lane, c := range lanes.Reg[uint32](e.path.File, slot) {
			if at[lane] += int64(c) * step; int64(c) >= n {
				outside |= 1 << lane
			}
		}
	}
	row, slice := t.Offset(0, [3]int{1: 1}, 0), t.Offset(0, [3]int{2: 1}, 0)
	if in.Geometry.Array() {
		add(coords[0], int64(t.Layers), slice)
		coords = coords[1:]
	}
	for i, slot := range coords[1:] {
		add(slot, limit[i+1], [2]int64{row, slice}[i])
	}
	last := uint64(limit[0] - size)
	for lane, c := range lanes.Reg[int32](e.path.File, coords[0]) {
		x := int64(c) * unit
		if at[lane] += x + u.image.At; uint64(x) > last || x&(size-1) != 0 {
			outside |= 1 << lane
		}
	}
	if outside&u.lanes != 0 {
		return false
	}
	if u.lanes == lanes.AllLanes {
		*places = at
		return true
	}
	for rest := u.lanes; rest != 0; rest &= rest - 1 {
		places[rest.First()] = at[rest.First()]
	}
	return true
}

func extentText(t *texture.Texture) string { return extent(&t.Shape) + " of " + t.Format.String() }

// placeText describes a place in a surface for messages.
func placeText(g isa.Geometry, layer int64, c [3]int64, bytes bool) string {
	text := fmt.Sprintf("x = %d", c[0])
	if bytes {
		text += " bytes"
	}
	for i := 1; i < g.Dims(); i++ {
		text += fmt.Sprintf(", %c = %d", 'x'+i, c[i])
	}
	if g.Array() {
		text += fmt.Sprintf(", layer %d", layer)
	}
	return text
}

// Rules of accesses to surfaces, the same as for memory.
var (
	RuleOutOfBounds = Rule(memory.ErrBounds.Error())
	RuleMisaligned  = Rule(memory.ErrMisaligned.Error())
	ruleFreed       = Rule(memory.ErrFreed.Error())
)

// surfaceBytes is how many bytes a lane moves.
func (e *Engine) surfaceBytes(pc int, u *use) int64 {
	src := &e.fn.Src.Code[pc]
	if src.Mods[isa.SurfaceForm] == isa.SurfaceSamples && src.Spec.Kind == isa.Store {
		return int64(u.image.Texture.Format.Bytes())
	}
	return int64(src.Types[0].Bytes() * src.Mods.VecLen())
}

// loadZero makes a load return 0 in the lanes of m.
func (e *Engine) loadZero(pc int, m lanes.Mask) {
	op, in := &e.fn.Ops[pc], e.fn.Info[pc].Image
	for i := range in.Results {
		slot := op.D
		if in.Results > 1 {
			slot = op.Vec[i]
		}
		for rest := m; rest != 0; rest &= rest - 1 {
			if in.ResultWide {
				lanes.Reg[uint64](e.path.File, slot)[firstLane(rest)] = 0
			} else {
				lanes.Reg[uint32](e.path.File, slot)[firstLane(rest)] = 0
			}
		}
	}
}

// moveSurface moves the data of lanes that access one surface.
func (e *Engine) moveSurface(pc int, u *use, places *[lanes.Width]int64, more bool) {
	src, in := &e.fn.Src.Code[pc], e.fn.Info[pc].Image
	t, r, a := &u.image.Texture, u.image.Region, &e.acc
	a.Mem, a.Base, a.Region, a.Space, a.Size, a.Strided = r.Data, r.Base, r.Number, uint8(r.Space), uint64(e.surfaceBytes(pc, u)), false
	for rest := u.lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		a.Off[lane] = uint64(places[lane])
	}
	switch {
	case src.Mods[isa.SurfaceForm] != isa.SurfaceSamples:
	case src.Spec.Kind == isa.Store:
		e.format(pc, u)
		e.variant = in.StoreOf(t.Format.Bytes())
	case in.Signed != nil && t.Format.Channel.IsSigned():
		e.variant = in.Signed
	}
	e.moveObserved(pc, u.lanes, more)
	e.variant = nil
}

// format converts values that lanes store to the format of a surface.
func (e *Engine) format(pc int, u *use) {
	op, n, in := &e.fn.Ops[pc], e.fn.Src.Code[pc].Mods.VecLen(), e.fn.Info[pc].Image
	for rest := u.lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		var values [4]uint32
		for i := range n {
			slot := op.B
			if n > 1 {
				slot = op.Vec[i]
			}
			values[i] = lanes.Reg[uint32](e.path.File, slot)[lane]
		}
		for i, w := range u.image.Texture.Format.EncodeWords(values) {
			lanes.Reg[uint32](e.path.File, in.Texel[i])[lane] = w
		}
	}
}
