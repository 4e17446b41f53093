package texture_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/texture"
)

// TestPlainIsFootprintAndValue: the results for whole warps are those for each lane, for all formats, filters and
// address modes, and false where a lane reads the border.
func TestPlainIsFootprintAndValue(t *testing.T) {
	r := rand.New(rand.NewPCG(39, 1))
	special := []float32{0, -0.5, 0.5, 1, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -1e-30, 16, 15.5, -3}
	var p texture.Plain
	for n := range 600 {
		x := texture.Texture{Shape: texture.Shape{Kind: texture.Kind(n % 2), Width: 1 + r.IntN(16), Height: 1, Depth: 1, Layers: 1, Levels: 1}, SRGB: n%7 == 0}
		if x.Kind == texture.D2 {
			x.Height = 1 + r.IntN(9)
		}
		x.Format = texture.Format{Channel: []texture.Channel{texture.F32, texture.F16, texture.Unorm8, texture.F32}[n/2%4], Channels: []int{1, 1, 2, 4}[r.IntN(4)]}
		s := texture.Sampler{Linear: r.IntN(2) == 1, Normalized: r.IntN(2) == 1, Border: [4]float32{1, 2, 3, 4}}
		for i := range s.Address {
			s.Address[i] = texture.Address(r.IntN(5))
		}
		memory := make([]byte, x.Bytes()+16)
		for i := 0; i+4 <= len(memory); i += 4 {
			binary.LittleEndian.PutUint32(memory[i:], math.Float32bits(float32(r.NormFloat64())))
		}
		if n%5 == 0 {
			binary.LittleEndian.PutUint32(memory, math.Float32bits(special[4+n/5%3]))
		}
		var coords [2][lanes.Width]float32
		for i := range coords {
			for lane := range coords[i] {
				coords[i][lane] = float32(r.NormFloat64()) * 12
				if s.Normalized {
					coords[i][lane] /= 10
				}
				if n%3 != 0 && lane%4 != 0 {
					coords[i][lane] = float32(math.Abs(float64(coords[i][lane])))
				} else if r.IntN(8) == 0 {
					coords[i][lane] = special[r.IntN(len(special))]
				}
			}
		}
		dims := []*[lanes.Width]float32{&coords[0], &coords[1]}[:1+n%2]
		mask := lanes.Mask(r.Uint32())
		inside := p.Footprints(&x, &s, dims, mask)
		border := false
		for lane := range lanes.Width {
			if mask>>lane&1 == 0 {
				continue
			}
			q := texture.Query{}
			for i := range dims {
				q.Coords[i] = coords[i][lane]
			}
			var f texture.Footprint
			x.Footprint(&s, &q, &f)
			var texels [texture.MostTaps]texture.Texel
			for k, tap := range f.Taps[:f.N] {
				if border = border || tap.Off == texture.BorderColour; tap.Off != texture.BorderColour {
					x.Format.Decode(&texels[k], memory[tap.Off:], x.SRGB)
				}
				if inside && (k >= p.N || tap.Off != p.Off[k][lane]) {
					t.Fatalf("%+v %+v, lane %d at %v: texel %d at %d of %d, want %d", x.Shape, s, lane, q.Coords, k, p.Off[k][lane], p.N, tap.Off)
				}
			}
			if !inside {
				continue
			}
			var want, got texture.Texel
			x.Value(&want, &s, &f, &texels, texture.Reference{})
			for c, v := range p.Values(&x, memory, mask) {
				got.Float[c] = v[lane]
			}
			if got.Words(false) != want.Words(false) {
				t.Fatalf("%+v %+v, lane %d at %v: %v, want %v", x.Shape, s, lane, q.Coords, got.Float, want.Float)
			}
		}
		if border == inside {
			t.Fatalf("%+v %+v at %v: inside %t, and the border is read: %t", x.Shape, s, coords, inside, border)
		}
	}
}
