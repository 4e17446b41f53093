package texture_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/internal/texture"
)

// fetch is what a query of a texture gives.
func fetch(tx *texture.Texture, memory []byte, q texture.Query, ref texture.Reference) texture.Texel {
	var f texture.Footprint
	tx.Footprint(&tx.Sampler, &q, &f)
	var texels [texture.MostTaps]texture.Texel
	for k, tap := range f.Taps[:f.N] {
		if tap.Off == texture.BorderColour {
			texels[k] = tx.BorderTexel(&tx.Sampler)
		} else {
			tx.Format.Decode(&texels[k], memory[tap.Off:], tx.SRGB)
		}
	}
	if q.Gather {
		return tx.Gathered(&tx.Sampler, 0, &texels, ref)
	}
	var out texture.Texel
	tx.Value(&out, &tx.Sampler, &f, &texels, ref)
	return out
}

// floats are texels of f32x1.
func floats(values ...float32) (memory []byte) {
	for _, v := range values {
		memory = binary.LittleEndian.AppendUint32(memory, math.Float32bits(v))
	}
	return memory
}

// TestAddressModesMatchGuide fetches from the texels 1, 2, 4, 8 with a border of 16. The formulas are those of the CUDA
// C++ Programming Guide, Texture Fetching: nearest T[floor(x)], linear (1-a) T[i] + a T[i+1] where i is floor(x-0.5)
// and a is its fraction; wrap takes frac(x), mirror frac(x) or 1 - frac(x) where floor(x) is odd.
func TestAddressModesMatchGuide(t *testing.T) {
	memory := floats(1, 2, 4, 8)
	for _, c := range []struct {
		mode   string
		x      float32 // in texels
		point  float32
		linear float32
	}{
		{"clamp", 0.5, 1, 1}, {"clamp", 1, 2, 1.5}, {"clamp", 3.25, 8, 7}, {"clamp", -1, 1, 1}, {"clamp", 4, 8, 8}, {"clamp", 1e30, 8, 8},
		{"border", -0.25, 16, 16*0.75 + 0.25}, {"border", 4, 16, 12}, {"border", 2, 4, 3}, {"border", -1e30, 16, 16},
		{"clamp_ogl", -9, 1, 8.5}, {"clamp_ogl", 9, 8, 12}, {"clamp_ogl", 1.5, 2, 2}, // half of the border at the edge
		{"wrap normalized", 5.5, 2, 2}, {"wrap normalized", -1, 8, 6}, {"wrap normalized", 4, 1, 4.5}, {"wrap normalized", -3.75, 1, 0.75 + 0.25*8},
		{"mirror normalized", 5, 8, 6}, {"mirror normalized", -1.5, 2, 2}, {"mirror normalized", 8.5, 1, 1}, {"mirror normalized", 4, 8, 8},
	} {
		for _, filter := range []string{"point", "linear"} {
			tx := described(t, fmt.Sprintf("1d 4 format=f32x1 border=16,16,16,16 filter=%s address=%s", filter, c.mode))
			x, want := c.x, map[string]float32{"point": c.point, "linear": c.linear}[filter]
			if tx.Sampler.Normalized {
				x /= 4
			}
			if got := fetch(tx, memory, texture.Query{Coords: [3]float32{x}}, texture.Reference{}); got.Float[0] != want {
				t.Errorf("%s, %s at %v: %v, want %v", c.mode, filter, c.x, got.Float[0], want)
			}
		}
	}
}

// TestWeightsHaveEightBits: the weight a is stored with 8 bits of fraction, so that 1.0 can be represented (CUDA C++
// Programming Guide, Linear Filtering).
func TestWeightsHaveEightBits(t *testing.T) {
	tx, memory := described(t, "1d 2 format=f32x1 filter=linear"), floats(0, 1)
	for x := float32(0.5); x <= 1.5; x += 1. / 2048 {
		want := math.Floor(float64(x-0.5)*256+0.5) / 256
		got := fetch(tx, memory, texture.Query{Coords: [3]float32{x}}, texture.Reference{}).Float[0]
		if float64(got) != want {
			t.Fatalf("at %v: %v, want %v", x, got, want)
		}
	}
}

// guide is the value at coordinates in texels by the formulas of the programming guide, one dimension after the other.
// Coordinates outside are brought inside first, as the guide does for wrap and mirror.
func guide(tx *texture.Texture, memory []byte, x [3]float64, dims int, at [3]int) float64 {
	if dims == 0 {
		off := tx.Offset(0, at, 0)
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(memory[off:])))
	}
	i := dims - 1
	n := tx.Size(0)[i]
	low, alpha := math.Floor(x[i]), 0.0
	if whole := math.Floor(x[i] / float64(n)); tx.Sampler.Address[i] == texture.Mirror {
		frac := x[i]/float64(n) - whole
		if math.Mod(whole, 2) != 0 {
			frac = 1 - frac
		}
		x[i] = frac * float64(n)
		low = math.Floor(x[i])
	}
	if tx.Sampler.Linear {
		low = math.Floor(x[i] - 0.5)
		alpha = math.Floor((x[i]-0.5-low)*256+0.5) / 256
	}
	value := 0.0
	for k, weight := range []float64{1 - alpha, alpha} {
		if weight == 0 {
			continue
		}
		j := int(low) + k
		switch tx.Sampler.Address[i] {
		case texture.Wrap:
			j = ((j % n) + n) % n
		case texture.Border:
			if j < 0 || j >= n {
				value += weight * float64(tx.Sampler.Border[0])
				continue
			}
		}
		at[i] = min(max(j, 0), n-1)
		value += weight * guide(tx, memory, x, i, at)
	}
	return value
}

// TestFetchFollowsGuide in all dimensions, with modes drawn for each of them. Extents are powers of two and texels
// small integers, so that sums are exact in any order.
func TestFetchFollowsGuide(t *testing.T) {
	modes := []string{"clamp", "border", "wrap", "mirror"}
	r := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		kind, dims := "1d 8", 1
		switch r.IntN(3) {
		case 1:
			kind, dims = "2d 8x4", 2
		case 2:
			kind, dims = "3d 8x4x2", 3
		}
		words := fmt.Sprintf("%s format=f32x1 normalized border=3,0,0,0 filter=%s address=%s,%s,%s", kind, []string{"point", "linear"}[r.IntN(2)],
			modes[r.IntN(4)], modes[r.IntN(4)], modes[r.IntN(4)])
		tx := described(t, words)
		memory := make([]byte, tx.Bytes())
		for i := 0; i < len(memory); i += 4 {
			copy(memory[i:], floats(float32(r.IntN(64))))
		}
		for range 20 {
			var x [3]float64
			var q texture.Query
			for i, n := range tx.Size(0) {
				x[i] = float64(r.IntN(3*1024*n)-1024*n) / 1024
				q.Coords[i] = float32(x[i] / float64(n))
			}
			got, want := fetch(tx, memory, q, texture.Reference{}).Float[0], float32(guide(tx, memory, x, dims, [3]int{}))
			if got != want {
				t.Fatalf("%s at %v: %v, want %v", words, x, got, want)
			}
		}
	}
}

// TestCubeTexelLiesInItsDirection: the direction through the centre of each texel, by the table of the OpenGL
// specification (Cube Map Texture Selection), gives that texel.
func TestCubeTexelLiesInItsDirection(t *testing.T) {
	const n = 4
	tx := described(t, "acube 4x4 layers=2 format=u16x1")
	memory := make([]byte, tx.Bytes())
	for i := range len(memory) / 2 {
		binary.LittleEndian.PutUint16(memory[2*i:], uint16(i))
	}
	direction := []func(s, t float32) [3]float32{
		func(s, t float32) [3]float32 { return [3]float32{1, -t, -s} },
		func(s, t float32) [3]float32 { return [3]float32{-1, -t, s} },
		func(s, t float32) [3]float32 { return [3]float32{s, 1, t} },
		func(s, t float32) [3]float32 { return [3]float32{s, -1, -t} },
		func(s, t float32) [3]float32 { return [3]float32{s, -t, 1} },
		func(s, t float32) [3]float32 { return [3]float32{-s, -t, -1} },
	}
	for face, of := range direction {
		for k := range n * n {
			d := of((float32(k%n)+0.5)/n*2-1, (float32(k/n)+0.5)/n*2-1)
			for i := range d {
				d[i] *= 3 // only the direction counts
			}
			for _, layer := range []uint32{0, 1, 7} { // there are two
				want := uint32((int(min(layer, 1))*6+face)*n*n + k)
				if got := fetch(tx, memory, texture.Query{Coords: d, Layer: layer}, texture.Reference{}); got.Int[0] != want {
					t.Errorf("cube %d, direction %v: texel %d, want %d", layer, d, got.Int[0], want)
				}
			}
		}
	}
}

func TestCubeEdgePrefersZThenY(t *testing.T) {
	tx := described(t, "cube 1x1 format=u8x1")
	for d, want := range map[[3]float32]uint32{{1, 1, 1}: 4, {1, 1, -1}: 5, {-1, -1, 0}: 3, {1, 0, -1}: 5, {-2, 1, 1}: 1} {
		if got := fetch(tx, []byte{0, 1, 2, 3, 4, 5}, texture.Query{Coords: d}, texture.Reference{}); got.Int[0] != want {
			t.Errorf("%v: face %d, want %d", d, got.Int[0], want)
		}
	}
}

// TestLevelOfDetailSelectsLevel: each level's texels are its number, so that a fetch gives the level of detail that it
// has used.
func TestLevelOfDetailSelectsLevel(t *testing.T) {
	memory := floats(slices.Concat(slices.Repeat([]float32{0}, 32), slices.Repeat([]float32{1}, 8), []float32{2, 2, 3})...)
	for _, c := range []struct {
		lod, point, linear float64
		levels             *texture.Levels
	}{
		{lod: 0}, {lod: 0.25, linear: 0.25}, {lod: 0.5, point: 1, linear: 0.5}, {lod: 1.75, point: 2, linear: 1.75},
		{lod: 2 + 1./1024, point: 2, linear: 2}, {lod: -3}, {lod: 9, point: 3, linear: 3}, {lod: math.NaN()}, {lod: math.Inf(1), point: 3, linear: 3},
		{lod: 0.5, point: 2, linear: 1.5, levels: &texture.Levels{Bias: 1, Max: 9}},
		{lod: 3, point: 1, linear: 0.75, levels: &texture.Levels{Max: 0.75}},
		{lod: 0, point: 2, linear: 2.25, levels: &texture.Levels{Min: 2.25, Max: 3}},
	} {
		for filter, want := range map[string]float64{"point": c.point, "linear": c.linear} {
			tx := described(t, "2d 8x4 levels=4 format=f32x1 normalized mipfilter="+filter)
			tx.Sampler.Levels = c.levels
			got := fetch(tx, memory, texture.Query{Coords: [3]float32{0.4, 0.6}, LOD: c.lod}, texture.Reference{})
			if float64(got.Float[0]) != want {
				t.Errorf("%s, level of detail %v with %+v: %v, want %v", filter, c.lod, c.levels, got.Float[0], want)
			}
		}
	}
}

// grid is 4 x 4 texels of 10 y + x.
func grid() (memory []byte) {
	for i := range 16 {
		memory = append(memory, floats(float32(i/4*10+i%4))...)
	}
	return memory
}

// TestGatherIsCounterClockwise: tld4 gives the texels that tex would filter, counter-clockwise from the lower left.
func TestGatherIsCounterClockwise(t *testing.T) {
	tx := described(t, "2d 4x4 format=f32x1 address=border border=7,7,7,7")
	for at, want := range map[[2]float32][4]float32{
		{2, 1}: {11, 12, 2, 1},
		{4, 2}: {23, 7, 7, 13}, // half of them outside
	} {
		got := fetch(tx, grid(), texture.Query{Coords: [3]float32{at[0], at[1]}, Gather: true}, texture.Reference{})
		if got.Float != want {
			t.Errorf("at %v: %v, want %v", at, got.Float, want)
		}
	}
	got := fetch(tx, grid(), texture.Query{Coords: [3]float32{2, 1}, Gather: true}, texture.Reference{Value: 11, Given: true})
	if got.Float != [4]float32{1, 1, 0, 0} {
		t.Errorf("11 is at most each of 11, 12, 2, 1: %v", got.Float)
	}
}

func TestComparePassesByItsName(t *testing.T) {
	less, equal, greater, nan := float32(1), float32(2), float32(3), float32(math.NaN())
	for name, want := range map[string][4]float32{ // of a reference that is less, equal, greater, NaN
		"lt": {1, 0, 0, 0}, "le": {1, 1, 0, 0}, "gt": {0, 0, 1, 0}, "ge": {0, 1, 1, 0},
		"eq": {0, 1, 0, 0}, "ne": {1, 0, 1, 1}, "always": {1, 1, 1, 1}, "never": {},
	} {
		tx := described(t, "1d 1 format=f32x1 compare="+name)
		for i, ref := range []float32{less, equal, greater, nan} {
			got := fetch(tx, floats(equal), texture.Query{Coords: [3]float32{0.5}}, texture.Reference{Value: ref, Given: true})
			if got.Float != [4]float32{want[i], 0, 0, 1} || tx.Sampler.Compare.String() != name {
				t.Errorf("%v %v %v: %v", ref, tx.Sampler.Compare, equal, got.Float)
			}
		}
	}
}

// TestCompareIsFiltered: percentage closer filtering compares first, and filters what that gives.
func TestCompareIsFiltered(t *testing.T) {
	tx := described(t, "1d 2 format=f32x1 filter=linear")
	got := fetch(tx, floats(1, 3), texture.Query{Coords: [3]float32{1.25}}, texture.Reference{Value: 2, Given: true})
	if got.Float != [4]float32{0.75, 0, 0, 1} {
		t.Errorf("%v", got.Float)
	}
}

// TestIntegerCoordinatesAreTexels: they are not filtered; offsets are added; 1d has a border, and others clamp.
func TestIntegerCoordinatesAreTexels(t *testing.T) {
	square := described(t, "2d 4x4 format=f32x1 filter=linear normalized address=wrap")
	line := described(t, "1d 4 format=f32x1 border=9,0,0,0")
	for _, c := range []struct {
		of   *texture.Texture
		at   [3]int32
		off  [3]int32
		want float32
	}{
		{square, [3]int32{2, 3}, [3]int32{}, 32}, {square, [3]int32{2, 3}, [3]int32{-1, -2}, 11}, {square, [3]int32{7, -3}, [3]int32{}, 3},
		{line, [3]int32{3}, [3]int32{}, 3}, {line, [3]int32{3}, [3]int32{1}, 9}, {line, [3]int32{-1}, [3]int32{}, 9},
	} {
		got := fetch(c.of, grid(), texture.Query{Integer: true, Ints: c.at, Offset: c.off}, texture.Reference{})
		if got.Float[0] != c.want {
			t.Errorf("%v at %v + %v: %v, want %v", c.of.Kind, c.at, c.off, got.Float[0], c.want)
		}
	}
}

func TestSampleNumbersAreClamped(t *testing.T) {
	tx := described(t, "2dms 2x1 samples=4 format=u8x1")
	for sample, want := range map[uint32]uint32{0: 4, 3: 7, 9: 7} { // one past the last is the last
		got := fetch(tx, []byte{0, 1, 2, 3, 4, 5, 6, 7}, texture.Query{Integer: true, Ints: [3]int32{1, 0}, Sample: sample}, texture.Reference{})
		if got.Int[0] != want {
			t.Errorf("sample %d: %d, want %d", sample, got.Int[0], want)
		}
	}
}

// TestOffsetsMoveByTexels in each mode: a fetch with an offset is one from as many texels away.
func TestOffsetsMoveByTexels(t *testing.T) {
	memory := floats(1, 2, 4, 8)
	for _, words := range []string{"clamp", "border", "clamp_ogl", "wrap normalized", "mirror normalized"} {
		for _, filter := range []string{"point", "linear"} {
			tx := described(t, "1d 4 format=f32x1 filter="+filter+" address="+words)
			for i := range 60 {
				for offset := int32(-4); offset <= 3; offset++ {
					x, moved := float32(i-20)/4+0.125, float32(i-20)/4+0.125+float32(offset)
					if tx.Sampler.Normalized {
						x, moved = x/4, moved/4
					}
					got := fetch(tx, memory, texture.Query{Coords: [3]float32{x}, Offset: [3]int32{offset}}, texture.Reference{})
					want := fetch(tx, memory, texture.Query{Coords: [3]float32{moved}}, texture.Reference{})
					if got != want {
						t.Errorf("%s, %s at %v + %d: %v, want %v", words, filter, x, offset, got.Float[0], want.Float[0])
					}
				}
			}
		}
	}
}

// TestUndefinedCoordinatesCountAsZero, which PTX leaves open and docs/textures.md settles; a texel of weight 0 has no
// part in a value, and NaN of a filtered value is canonical.
func TestUndefinedCoordinatesCountAsZero(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	wrap := described(t, "1d 2 format=f32x1 normalized address=wrap")
	for _, x := range []float32{nan, inf, -inf} {
		if got := fetch(wrap, floats(5, 6), texture.Query{Coords: [3]float32{x}}, texture.Reference{}); got.Float[0] != 5 {
			t.Errorf("at %v: %v", x, got.Float[0])
		}
	}
	linear := described(t, "1d 2 format=f32x1 filter=linear")
	if got := fetch(linear, floats(5, inf), texture.Query{Coords: [3]float32{0.5}}, texture.Reference{}); got.Float[0] != 5 {
		t.Errorf("an infinite texel without weight: %v", got.Float[0])
	}
	if got := fetch(linear, floats(inf, -inf), texture.Query{Coords: [3]float32{1}}, texture.Reference{}); math.Float32bits(got.Float[0]) != 0x7fffffff {
		t.Errorf("the mean of both infinities: %#x", math.Float32bits(got.Float[0]))
	}
}

func TestBorderColourIsConvertedToIntegers(t *testing.T) {
	tx := described(t, "1d 2 format=s32x4 address=border border=1,-2,3.75,4")
	got := fetch(tx, make([]byte, 32), texture.Query{Coords: [3]float32{-1}}, texture.Reference{})
	if got.Int != [4]uint32{1, math.MaxUint32 - 1, 3, 4} {
		t.Errorf("%v", got.Int)
	}
}

// TestGradientLODIsLogOfLongerStep, in texels. On a cube map the step is that of the point on the face, from -1 to 1,
// of half a face's texels each.
func TestGradientLODIsLogOfLongerStep(t *testing.T) {
	flat, texels := described(t, "2d 64x32 format=f32 levels=6 normalized"), described(t, "1d 64 format=f32")
	cube := described(t, "cube 64x64 format=f32 levels=6")
	for _, c := range []struct {
		of         *texture.Texture
		at, dx, dy [3]float32
		want       float64
	}{
		{of: flat, dx: [3]float32{1. / 16}, dy: [3]float32{0, 1. / 4}, want: 3},            // 4 and 8 texels
		{of: flat, dx: [3]float32{3. / 64, 4. / 32}, dy: [3]float32{}, want: math.Log2(5)}, // 3, 4, 5
		{of: texels, dx: [3]float32{2}, dy: [3]float32{-4}, want: 2},
		{of: flat, want: math.Inf(-1)},
		{of: cube, at: [3]float32{0, 0, 1}, dx: [3]float32{1. / 8}, want: 2},
		{of: cube, at: [3]float32{0, 0, 2}, dx: [3]float32{1. / 8}, want: 1},        // twice as far away
		{of: cube, at: [3]float32{0.5, 0, 1}, dy: [3]float32{0, 0, 0.5}, want: 3},   // d(x/z) = -x dz / z^2 = -1/4
		{of: cube, at: [3]float32{-1, 0, 0}, dx: [3]float32{1}, want: math.Inf(-1)}, // straight towards the face
	} {
		if got := c.of.GradientLOD(&c.of.Sampler, c.at, c.dx, c.dy); got != c.want {
			t.Errorf("%v at %v, steps %v %v: %v, want %v", c.of.Kind, c.at, c.dx, c.dy, got, c.want)
		}
	}
}

func TestSamplerOfCubeNeedsNormalizedCoordinates(t *testing.T) {
	cube := described(t, "cube 4x4 format=f32")
	s := texture.Sampler{Address: [3]texture.Address{texture.ClampEdge, texture.ClampEdge}}
	if err := s.Check(&cube.Shape, false); err == nil {
		t.Error("texels are no coordinates of a cube map")
	}
}
