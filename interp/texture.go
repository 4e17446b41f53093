package interp

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/texture"
)

// sampling is an engine's state during a tex: by lane, the texels of the value.
type sampling struct {
	queries    [lanes.Width]texture.Query
	footprints [lanes.Width]texture.Footprint
	texels     [lanes.Width][texture.MostTaps]texture.Texel
	uses       [1]use // if all lanes use one texture
	fits       fit    // the latest
	fetching
}

// fit is an instruction with a texture or surface that matches its geometry and value type.
type fit struct {
	in    *isa.Instr
	typ   isa.Type
	shape texture.Shape
}

// sample executes a tex or tld4 for lanes that use one texture.
func (e *Engine) sample(pc int, u *use, more bool) {
	s, t := e.sampling, &u.image.Texture
	taps := 0
	for rest := u.lanes; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		e.ask(pc, lane, u, &s.queries[lane])
		t.Footprint(&u.sampler, &s.queries[lane], &s.footprints[lane])
		taps = max(taps, s.footprints[lane].N)
	}
	border := t.BorderTexel(&u.sampler)
	var reads [texture.MostTaps]lanes.Mask
	last := 0
	for k := range taps {
		for rest := u.lanes; rest != 0; rest &= rest - 1 {
			lane := firstLane(rest)
			switch f := &s.footprints[lane]; {
			case k >= f.N:
			case f.Taps[k].Off == texture.BorderColour:
				s.texels[lane][k] = border
			default:
				reads[k] |= 1 << lane
				last = k
			}
		}
	}
	for k := range taps {
		if reads[k] != 0 {
			e.readTexels(pc, u, k, reads[k], more || k < last)
		}
	}
	for rest := u.lanes; rest != 0; rest &= rest - 1 {
		e.writeTexel(pc, firstLane(rest), u)
	}
}

// ask sets q to the query of a lane.
func (e *Engine) ask(pc, lane int, u *use, q *texture.Query) {
	src, in := &e.fn.Src.Code[pc], e.fn.Info[pc].Image
	*q = texture.Query{Integer: src.Types[1] == isa.S32, Gather: src.Mods[isa.Component] != 0}
	word := func(slot uint32) uint32 { return lanes.Reg[uint32](e.path.File, slot)[lane] }
	float := func(slot uint32) float32 { return lanes.Reg[float32](e.path.File, slot)[lane] }
	floats := func(slots []uint32) (all [3]float32) {
		for i, slot := range slots {
			all[i] = float(slot)
		}
		return all
	}
	coords, g := in.Coords, in.Geometry
	if g.Array() {
		q.Layer, coords = word(coords[0]), coords[1:]
	}
	if g.Samples() {
		q.Sample, coords = word(coords[0]), coords[1:]
	}
	if g == isa.Geometry(isa.Geom1D) {
		q.Coords[1] = 0.5 // the middle of the row, unused in one dimension
	}
	for i, slot := range coords {
		if q.Integer {
			q.Ints[i] = int32(word(slot))
		} else {
			q.Coords[i] = float(slot)
		}
	}
	for i, slot := range in.Offset {
		q.Offset[i] = int32(word(slot))
	}
	switch {
	case in.DX != nil:
		q.LOD = u.image.Texture.GradientLOD(&u.sampler, q.Coords, floats(in.DX), floats(in.DY))
	case in.LOD != 0 && q.Integer:
		q.LOD = float64(int32(word(in.LOD)))
	case in.LOD != 0:
		q.LOD = float64(float(in.LOD))
	}
}

// readTexels reads texel k of the lanes of m.
func (e *Engine) readTexels(pc int, u *use, k int, m lanes.Mask, more bool) {
	s, t, a := e.sampling, &u.image.Texture, &e.acc
	e.placeImage(u.image)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		a.Off[lane] = uint64(u.image.At + s.footprints[lane].Taps[k].Off)
	}
	if e.watcher != nil {
		e.watch(pc, m)
	}
	e.notifyAccessed(isa.Load, pc, m, more)
	from := a
	if e.defers() && e.journal.Changes(a, m) {
		// Changes by atomics are not visible before the exchange: reads of textures are not ordered with them.
		if seen, ok := e.journal.View(a, m, false); ok {
			from = seen
		}
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		t.Format.Decode(&s.texels[lane][k], from.Mem[from.At(lane):][:a.Size], t.SRGB)
	}
	if len(e.observers.completion) > 0 {
		e.notifyCompleted()
	}
	if e.effect != nil {
		e.effect.Access = append(e.effect.Access, Moved{e.acc, m})
	}
}

// placeImage sets the memory of an access to texels.
func (e *Engine) placeImage(im *Image) {
	a, r := &e.acc, im.Region
	a.Mem, a.Base, a.Region, a.Space, a.Size, a.Strided = r.Data, r.Base, r.Number, uint8(r.Space), uint64(im.Texture.Format.Bytes()), false
}

// writeTexel writes the result of a lane.
func (e *Engine) writeTexel(pc, lane int, u *use) {
	op, src, in := &e.fn.Ops[pc], &e.fn.Src.Code[pc], e.fn.Info[pc].Image
	s, t := e.sampling, &u.image.Texture
	var ref texture.Reference
	if in.Compare != 0 {
		ref = texture.Reference{Value: lanes.Reg[float32](e.path.File, in.Compare)[lane], Given: true}
	}
	var v texture.Texel
	if c := src.Mods[isa.Component]; c != 0 {
		v = t.Gathered(&u.sampler, int(c-1), &s.texels[lane], ref)
	} else {
		t.Value(&v, &u.sampler, &s.footprints[lane], &s.texels[lane], ref)
	}
	words := v.Int
	switch src.Types[0] {
	case isa.F32:
		words = v.Words(false)
	case isa.F16:
		words = v.Words(true)
	case isa.F16x2:
		words = v.Words(true)
		words[0], words[1] = words[0]|words[1]<<16, words[2]|words[3]<<16
	}
	for i := range src.Mods.VecLen() {
		lanes.Reg[uint32](e.path.File, op.Vec[i])[lane] = words[i]
	}
	*lanes.Pred(e.path.File, op.D2) |= 1 << lane // all of it is resident
}
