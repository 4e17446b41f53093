package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/memory"
)

// Fetched is the result of a tex: four words of Type, which is F32, S32 or U32. The texture has Channels channels.
type Fetched struct {
	Words    [4]uint32
	Type     isa.Type
	Channels int
}

// FetchTexel returns what a tex of a geometry, such as "2d", fetches from the texture with a handle; with q.Gather one
// channel of four texels, as tld4 does.
func (m *Memory) FetchTexel(handle uint64, geometry string, q *texture.Query, channel int) (Fetched, error) {
	im, err := m.imageOf(handle, isa.TexRef, geometry)
	if err != nil {
		return Fetched{}, err
	}
	var f texture.Footprint
	var texels [texture.MostTaps]texture.Texel
	t := &im.Texture
	if geometry == isa.Geometry(isa.Geom1D).String() {
		q.Coords[1] = 0.5 // the middle of the row
	}
	t.Footprint(&t.Sampler, q, &f)
	for k := range f.N {
		if off := f.Taps[k].Off; off == texture.BorderColour {
			texels[k] = t.BorderTexel(&t.Sampler)
		} else {
			t.Format.Decode(&texels[k], im.Region.Data[im.At+off:][:t.Format.Bytes()], t.SRGB)
		}
	}
	var v texture.Texel
	if q.Gather {
		v = t.Gathered(&t.Sampler, channel, &texels, texture.Reference{})
	} else {
		t.Value(&v, &t.Sampler, &f, &texels, texture.Reference{})
	}
	switch c := t.Format.Channel; {
	case c.IsFloat():
		return Fetched{v.Words(false), isa.F32, t.Format.Channels}, nil
	case c.IsSigned():
		return Fetched{v.Int, isa.S32, t.Format.Channels}, nil
	}
	return Fetched{v.Int, isa.U32, t.Format.Channels}, nil
}

// SurfaceAddr returns the address from which suld of a geometry loads some bytes of a surface, at byte at[0] of a row;
// the layer of an array follows its coordinates. inside is false for a place outside of the surface.
func (m *Memory) SurfaceAddr(handle uint64, geometry string, at [3]int64, bytes int64) (addr uint64, inside bool, err error) {
	im, err := m.imageOf(handle, isa.SurfRef, geometry)
	if err != nil {
		return 0, false, err
	}
	t := &im.Texture
	extent := t.Size(0)
	limit := [3]int64{int64(extent[0])*int64(t.Format.Bytes()) - bytes + 1, int64(extent[1]), int64(extent[2])}
	if t.Array { // in one dimension the layer is the second coordinate, but the third one of memory
		limit[2] = int64(t.Layers)
		if t.Kind == texture.D1 {
			at[1], at[2] = 0, at[1]
		}
	}
	for i := range at {
		if at[i] < 0 || at[i] >= limit[i] {
			return 0, false, nil
		}
	}
	off := im.At + t.Offset(0, [3]int{0, int(at[1]), int(at[2])}, 0) + at[0]
	return im.Region.Base + uint64(off), at[0]%bytes == 0, nil
}

// imageOf returns the texture or surface with a handle, if it has a geometry.
func (m *Memory) imageOf(handle uint64, want isa.Type, geometry string) (*Image, error) {
	im, err := m.found(handle, want)
	if err != nil {
		return nil, err
	}
	if t := &im.Texture; geometry != t.String() && (geometry != isa.Geometry(isa.Geom1D).String() || !isLine(&t.Shape)) {
		return nil, fmt.Errorf("%s is %s, not %s", cxx.Variable(im.Name), extent(&t.Shape), geometry)
	}
	return im, nil
}

// found returns the image with a handle, which must be of the type want.
func (m *Memory) found(handle uint64, want isa.Type) (*Image, error) {
	im := m.imageAt(handle)
	switch {
	case im == nil:
		return nil, violated(RuleImageHandle, "0x%x is not a handle of a .%s", handle, want)
	case im.Type != want:
		return nil, violated(RuleImageHandle, "%s is a .%s, but the instruction needs a .%s", cxx.Variable(im.Name), im.Type, want)
	case !im.bound:
		return nil, violated(RuleImageHandle, "the .%s %s is bound to nothing", im.Type, cxx.Variable(im.Name))
	case im.Region != nil && im.Region.Freed():
		return nil, &violation{ruleFreed, fmt.Sprintf("the texels of the .%s %s were in %s, which was freed", im.Type, cxx.Variable(im.Name), im.Region.Shown()), memory.ErrFreed}
	}
	return im, nil
}
