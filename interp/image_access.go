package interp

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/texture"
)

// use is a group of lanes of an instruction that use the same texture or surface and the same sampler.
type use struct {
	lanes   lanes.Mask
	image   *Image
	sampler texture.Sampler
}

// uses groups the lanes of m by the textures and samplers they use. It returns an error, and the lanes at that have
// it, if one is not of the type that the instruction needs.
func (e *Engine) uses(pc int, m lanes.Mask, want isa.Type) (all []use, at lanes.Mask, err error) {
	in := e.fn.Info[pc].Image
	all = e.sampling.uses[:0]
	for m != 0 {
		first := firstLane(m)
		handle, sampler := e.handle(in.Handle, in.Wide, first), uint64(0)
		if in.Sampler != 0 {
			sampler = e.handle(in.Sampler, in.SamplerWide(), first)
		}
		group := e.having(m, in.Handle, in.Wide, handle)
		if in.Sampler != 0 {
			group = e.having(group, in.Sampler, in.SamplerWide(), sampler)
		}
		m &^= group
		im, err := e.m.found(handle, want)
		if err == nil {
			err = e.fits(pc, im)
		}
		if err != nil {
			return nil, group, err
		}
		u := use{lanes: group, image: im, sampler: im.Texture.Sampler}
		if in.Sampler != 0 {
			s, err := e.m.found(sampler, isa.SamplerRef)
			if err != nil {
				return nil, group, err
			}
			u.sampler = s.Sampler
			u.sampler.Normalized = u.sampler.Normalized && im.Texture.Sampler.Normalized
			u.sampler.Linear = u.sampler.Linear && im.Texture.Format.Channel.IsFloat()
		}
		all = append(all, u)
	}
	return all, 0, nil
}

// having returns the lanes of m that have a handle in a slot.
func (e *Engine) having(m lanes.Mask, slot uint32, wide bool, handle uint64) (group lanes.Mask) {
	if wide {
		all := lanes.Reg[uint64](e.path.File, slot)
		for lane := range all {
			if all[lane] == handle {
				group |= 1 << lane
			}
		}
		return group & m
	}
	for ; m != 0; m &= m - 1 {
		if e.handle(slot, false, firstLane(m)) == handle {
			group |= 1 << firstLane(m)
		}
	}
	return group
}

// handle returns the handle that a lane has in a slot.
func (e *Engine) handle(slot uint32, wide bool, lane int) uint64 {
	if wide {
		return lanes.Reg[uint64](e.path.File, slot)[lane]
	}
	return uint64(lanes.Reg[uint32](e.path.File, slot)[lane])
}

// fits returns an error if the geometry or the values of a texture or surface do not match the instruction at pc.
func (e *Engine) fits(pc int, im *Image) error {
	in := &e.fn.Src.Code[pc]
	g := in.Geometry()
	known := &e.sampling.fits
	if g == 0 || known.in == in && known.typ == im.Type && known.shape == im.Texture.Shape {
		return nil
	}
	t := &im.Texture
	if g.String() != t.String() && !(g == isa.Geometry(isa.Geom1D) && isLine(&t.Shape)) {
		return violated(RuleImageFormat, "%s of %s: it is %s", in.Mnemonic(), im.Name, extent(&t.Shape))
	}
	if im.Type == isa.SurfRef {
		*known = fit{in, im.Type, t.Shape}
		return nil
	}
	gives := "integers, .u32 or .s32"
	if t.Format.Channel.IsFloat() {
		gives = "floating-point numbers, .f32 or .f16"
	}
	if t.Format.Channel.IsFloat() != (in.Types[0].Class() == isa.Float) {
		return violated(RuleImageFormat, "%s of %s, whose format %s gives %s", in.Mnemonic(), im.Name, t.Format, gives)
	}
	if e.fn.Info[pc].Image.Compare != 0 && !t.Format.Channel.IsFloat() {
		return violated(RuleImageFormat, "depths of %s, whose format %s gives %s", im.Name, t.Format, gives)
	}
	*known = fit{in, im.Type, t.Shape}
	return nil
}

// isLine reports whether a two-dimensional texture may be used as one-dimensional: it has one row.
func isLine(s *texture.Shape) bool {
	return s.Kind == texture.D2 && s.Height == 1 && !s.Array && s.Samples == 0
}

// accessImage executes a texture or surface instruction for the lanes of m. It finds all faults before it moves data.
func (e *Engine) accessImage(pc int, m lanes.Mask) error {
	if e.fetch(pc, m) {
		return nil
	}
	want := e.fn.Src.Code[pc].ImageType()
	uses, at, err := e.uses(pc, m, want)
	if err != nil {
		return e.fault(pc, at, err)
	}
	if want == isa.SurfRef {
		return e.accessSurfaces(pc, uses)
	}
	for i := range uses {
		e.sample(pc, &uses[i], i+1 < len(uses))
	}
	return nil
}
