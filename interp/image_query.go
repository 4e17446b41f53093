package interp

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/texture"
)

// query executes txq, suq and istypep for the lanes of m.
func (e *Engine) query(pc int, m lanes.Mask) error {
	op, src, in := &e.fn.Ops[pc], &e.fn.Src.Code[pc], e.fn.Info[pc].Image
	if in == nil { // istypep
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := firstLane(rest)
			im := e.m.imageAt(lanes.Reg[uint64](e.path.File, op.A)[lane])
			is := lanes.Mask(0)
			if im != nil && im.Type == src.Types[0] {
				is = 1 << lane
			}
			p := lanes.Pred(e.path.File, op.D)
			*p = *p&^(1<<lane) | is
		}
		return nil
	}
	var results [lanes.Width]uint32
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		level := 0
		if in.LOD != 0 {
			level = int(lanes.Reg[uint32](e.path.File, in.LOD)[lane] & 31)
		}
		v, err := e.attribute(src, e.handle(in.Handle, in.Wide, lane), level)
		if err != nil {
			return e.fault(pc, 1<<lane, err)
		}
		results[lane] = v
	}
	lanes.Select(lanes.Reg[uint32](e.path.File, op.D), &results, m)
	return nil
}

// attribute returns the attribute of the texture, sampler or surface with a handle that an instruction queries.
func (e *Engine) attribute(src *isa.Instr, handle uint64, level int) (uint32, error) {
	want := src.ImageType()
	of := src.Mods[isa.Query]
	if im := e.m.imageAt(handle); im != nil && im.Type == isa.SamplerRef && of >= isa.QueryUnnormalized {
		want = isa.SamplerRef
	}
	im, err := e.m.found(handle, want)
	if err != nil {
		return 0, err
	}
	t, s := &im.Texture, im.Texture.Sampler
	if want == isa.SamplerRef {
		s = im.Sampler
	}
	yes := func(b bool) uint32 {
		if b {
			return 1
		}
		return 0
	}
	ifMany := func(is bool, n int) uint32 { return yes(is) * uint32(n) }
	size := t.Size(min(level, max(t.Levels, 1)-1))
	switch of {
	case isa.QueryWidth:
		return uint32(size[0]), nil
	case isa.QueryHeight:
		return ifMany(t.Kind != texture.D1, size[1]), nil
	case isa.QueryDepth:
		return ifMany(t.Kind == texture.D3, size[2]), nil
	case isa.QueryChannelType:
		return t.Format.Channel.Number(), nil
	case isa.QueryChannelOrder:
		return t.Format.Order(), nil
	case isa.QueryNormalized:
		return yes(s.Normalized), nil
	case isa.QueryArraySize:
		return ifMany(t.Array, t.Layers), nil
	case isa.QueryLevels:
		return ifMany(t.Levels > 1, t.Levels), nil
	case isa.QuerySamples:
		return uint32(t.Samples), nil
	case isa.QueryUnnormalized:
		return yes(!s.Normalized), nil
	case isa.QueryFilter:
		return yes(s.Linear), nil
	case isa.QueryLayout:
		return 1, nil
	}
	return uint32(s.Address[of-isa.QueryAddress0]), nil
}
