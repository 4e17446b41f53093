package texture_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/texture"
)

// specialCoords are coordinates at edges, infinities, the largest numbers, and NaN; specialTexels are texels for which
// weights of 0 matter.
var (
	specialCoords = []float32{0, float32(math.Copysign(0, -1)), -0.5, 0.5, 1, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
		math.MaxFloat32, -math.MaxFloat32, -1e-30, 1e-40, 16, 15.5, -3, 0.998046875, 1.001953125}
	specialTexels = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, float32(math.Copysign(0, -1))}
)

// randomTexture makes up texture number n, its sampler and its memory. The number decides on the type of its channels.
func randomTexture(r *rand.Rand, n int) (x texture.Texture, s texture.Sampler, memory []byte) {
	x.Shape = texture.Shape{Kind: texture.Kind(r.IntN(3)), Width: 1 + r.IntN(16), Height: 1, Depth: 1, Layers: 1, Levels: 1}
	if x.Kind >= texture.D2 {
		x.Height = 1 + r.IntN(9)
	}
	if x.Kind == texture.D3 {
		x.Depth = 1 + r.IntN(5)
	} else if r.IntN(3) == 0 {
		x.Array, x.Layers = true, 1+r.IntN(4)
	}
	x.Format = texture.Format{Channel: texture.Channel(n % 16), Channels: []int{1, 2, 4}[r.IntN(3)]}
	if n%16 > int(texture.Snorm16) {
		x.Format.Channel = texture.F32
	}
	x.SRGB = x.Format.Channel == texture.Unorm8 && r.IntN(2) == 0
	if r.IntN(3) == 0 {
		x.Pitch = (x.Width + r.IntN(3)) * x.Format.Bytes()
	}
	s = texture.Sampler{Linear: x.Format.Channel.IsFloat() && r.IntN(2) == 1, Normalized: r.IntN(2) == 1, Border: [4]float32{1, 2, 3, 4}}
	for i := range s.Address {
		s.Address[i] = texture.Address(r.IntN(5))
	}
	memory = make([]byte, x.Bytes())
	for i := range memory {
		memory[i] = byte(r.Uint32())
	}
	for i := 0; x.Format.Channel == texture.F32 && i < len(memory); i += 4 {
		v := float32(r.NormFloat64())
		if n/16%3 == 0 && r.IntN(8) == 0 {
			v = specialTexels[r.IntN(len(specialTexels))]
		}
		binary.LittleEndian.PutUint32(memory[i:], math.Float32bits(v))
	}
	return x, s, memory
}

// randomPlace makes up a coordinate in a dimension of n texels.
func randomPlace(r *rand.Rand, n int, s *texture.Sampler, integer, inside bool) uint32 {
	if integer {
		return uint32(r.IntN(2*n+2) - n/2)
	}
	c := float32(r.NormFloat64()) * float32(n)
	if inside {
		c = float32(r.Float64() * float64(n))
	}
	if s.Normalized {
		c /= float32(n)
	}
	if !inside && r.IntN(4) == 0 {
		c = specialCoords[r.IntN(len(specialCoords))]
	}
	return math.Float32bits(c)
}

// TestWarpIsFootprintAndValue: the results for whole warps, the texels and whether the border is read are those for
// each lane, for all formats, shapes, filters and address modes.
func TestWarpIsFootprintAndValue(t *testing.T) {
	r := rand.New(rand.NewPCG(39, 1))
	var w texture.Warp
	for n := range 3000 {
		x, s, memory := randomTexture(r, n)
		dims := 1 + int(x.Kind)
		if x.Kind == texture.D2 && x.Height == 1 && !x.Array && r.IntN(2) == 0 {
			dims = 1
		}
		integer := r.IntN(4) == 0
		reader := texture.NewReader(&x, &s, dims, integer)
		var regs [4][lanes.Width]uint32
		coords := [3]*[lanes.Width]uint32{&regs[0], &regs[1], &regs[2]}
		size := x.Size(0)
		for i := range dims {
			for lane := range coords[i] {
				coords[i][lane] = randomPlace(r, size[i], &s, integer, n/16%4 != 0 && lane%4 != 0)
			}
		}
		if x.Array {
			for lane := range coords[dims] {
				coords[dims][lane] = []uint32{0, 1, 2, 3, 4, math.MaxUint32}[r.IntN(6)]
			}
		}
		mask := lanes.Mask(r.Uint32() | r.Uint32())
		border := w.Find(reader, &coords, mask)
		var got [4][lanes.Width]uint32
		to := [4]*[lanes.Width]uint32{&got[0], &got[1], &got[2], &got[3]}
		w.Values(reader, memory, &to)
		w.Border(reader, memory, &coords, &to)
		for ; mask != 0; mask &= mask - 1 {
			lane := mask.First()
			want, reads := value(t, &x, &s, memory, &w, reader, query(&x, coords, dims, integer, lane), border>>lane&1 == 0, lane)
			if reads != (border>>lane&1 != 0) {
				t.Fatalf("%d: %+v %+v, lane %d: the border is read: %t, want %t", n, x.Shape, s, lane, !reads, reads)
			}
			if have := [4]uint32{got[0][lane], got[1][lane], got[2][lane], got[3][lane]}; have != want {
				t.Fatalf("%d: %+v %+v, lane %d at %v: %x, want %x", n, x.Shape, s, lane, coords, have, want)
			}
		}
	}
}

// query returns the query of a lane.
func query(x *texture.Texture, coords [3]*[lanes.Width]uint32, dims int, integer bool, lane int) *texture.Query {
	q := texture.Query{Integer: integer, Coords: [3]float32{1: 0.5}}
	for i := range dims {
		q.Ints[i], q.Coords[i] = int32(coords[i][lane]), math.Float32frombits(coords[i][lane])
	}
	if x.Array {
		q.Layer = coords[dims][lane]
	}
	return &q
}

// value returns the words of a query by the general code, and whether it reads the border. With places it compares the
// texels of w with those of the query; of a row that is read in one dimension w has fewer.
func value(t *testing.T, x *texture.Texture, s *texture.Sampler, memory []byte, w *texture.Warp, reader *texture.Reader, q *texture.Query, places bool, lane int) (words [4]uint32, border bool) {
	t.Helper()
	var f texture.Footprint
	var texels [texture.MostTaps]texture.Texel
	x.Footprint(s, q, &f)
	for k, tap := range f.Taps[:f.N] {
		if tap.Off == texture.BorderColour {
			border = border || k < reader.N
			texels[k] = x.BorderTexel(s)
			continue
		}
		x.Format.Decode(&texels[k], memory[tap.Off:], x.SRGB)
		var off [lanes.Width]uint64
		if places && k < reader.N {
			if w.Offsets(reader, k, 0, &off); off[lane] != uint64(tap.Off) {
				t.Fatalf("%+v %+v, lane %d at %v: texel %d is at %d, want %d", x.Shape, s, lane, *q, k, off[lane], tap.Off)
			}
		}
	}
	var v texture.Texel
	if x.Value(&v, s, &f, &texels, texture.Reference{}); x.Format.Channel.IsFloat() {
		return v.Words(false), border
	}
	return v.Int, border
}
