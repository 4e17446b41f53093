package texture

import (
	"math"
	"sync"
)

// Reader is a texture and a sampler that a Warp can read: what does not depend on coordinates is found once.
type Reader struct {
	N       int // texels of a lane: 1, or 2 in each filtered dimension
	texture Texture
	sampler Sampler
	integer bool       // coordinates are texels
	axes    [3]along   // x, y and z; after the dimensions the layer
	used    int        // axes
	dims    int        // of coordinates
	tables  [4]*values // of channels of 8 bits that are floating-point numbers, by channel; else nil
	missing [4]words   // results of the channels that the format does not have
}

// along is one dimension of the texture of a Reader, or its layers. It has n texels, in memory step elements of the
// type of its channels apart.
type along struct {
	find        func(a *along, to *places, coords *words) // finds the lanes inside; the rest is place's
	mode        Address
	linear      bool
	repeats     bool // the sampler's mode is Wrap or Mirror: infinite coordinates count as 0
	n, step     int
	size, scale float64 // n, and what coordinates are multiplied by
}

// values are the bits of the .f32 that bytes stand for.
type values [256]uint32

// NewReader returns the Reader of a texture and a sampler, for coordinates of dims dimensions that are integers or
// floating-point numbers. It is nil for cube maps, and for textures with samples or levels. A texture of one row may be
// read in one dimension.
func NewReader(t *Texture, s *Sampler, dims int, integer bool) *Reader {
	if t.Kind == Cube || t.Levels != 1 || t.Samples != 0 || dims != t.Kind.dims() && (dims != 1 || t.Kind != D2 || t.Height != 1 || t.Array) {
		return nil
	}
	r := &Reader{N: 1, texture: *t, sampler: *s, integer: integer, used: dims, dims: dims}
	if s.Linear && !integer {
		r.N <<= dims
	}
	size := t.Size(0)
	_, row, slice := t.Shape.level(0)
	steps := [3]int{t.Format.Channels, int(row) / t.Format.Channel.Bytes(), int(slice) / t.Format.Channel.Bytes()}
	for i := range dims {
		r.axes[i].set(r, i, size[i], steps[i])
	}
	if t.Array {
		r.axes[dims] = along{find: (*along).layers, n: t.Layers, step: steps[2]}
		r.used++
	}
	r.setMissing()
	for c := range r.tables {
		r.tables[c] = tableOf(t.Format.Channel, t.SRGB && c < 3)
	}
	return r
}

// setMissing sets the results of the channels that the format does not have: alpha is 1, and others are 0.
func (r *Reader) setMissing() {
	one := uint32(1)
	if r.texture.Format.Channel.IsFloat() {
		one = math.Float32bits(1)
	}
	for lane := range r.missing[3] {
		r.missing[3][lane] = one
	}
}

// set describes dimension i of a Reader.
func (a *along) set(r *Reader, i, n, step int) {
	s := &r.sampler
	*a = along{mode: s.Address[i], repeats: s.Address[i] <= Mirror, n: n, step: step, size: float64(n), scale: 1}
	if (r.integer || !s.Normalized) && a.mode <= Mirror {
		a.mode = ClampEdge
	}
	switch {
	case r.integer:
		if a.find = (*along).integers; r.texture.Kind == D1 && !r.texture.Array { // linear memory has no address modes
			a.mode = Border
		}
	case s.Linear:
		a.linear, a.find = true, (*along).adjacent
	case s.Normalized || n > mostExact:
		a.find = (*along).nearest
	default:
		a.find = (*along).nearestUnscaled
	}
	if s.Normalized && !r.integer {
		a.scale = a.size
	}
}

// tableOf returns the values of bytes in a type of channels; nil for other types.
func tableOf(c Channel, srgb bool) *values {
	switch {
	case c == Unorm8 && srgb:
		return srgb8()
	case c == Unorm8:
		return unorm8()
	case c == Snorm8:
		return snorm8()
	}
	return nil
}

// The tables of tableOf.
var (
	srgb8  = sync.OnceValue(func() *values { return decoded(Unorm8, true) })
	unorm8 = sync.OnceValue(func() *values { return decoded(Unorm8, false) })
	snorm8 = sync.OnceValue(func() *values { return decoded(Snorm8, false) })
)

// decoded returns the value to which Decode decodes each byte.
func decoded(c Channel, srgb bool) *values {
	var all values
	var t Texel
	for b := range all {
		Format{c, 1}.Decode(&t, []byte{byte(b)}, srgb)
		all[b] = math.Float32bits(t.Float[0])
	}
	return &all
}
