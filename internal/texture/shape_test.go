package texture_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/texture"
)

// described is the texture that words describe.
func described(t *testing.T, words string) *texture.Texture {
	t.Helper()
	d, err := describe(texture.ATexture, words)
	if err != nil {
		t.Fatalf("%s: %v", words, err)
	}
	return &d.Texture
}

func describe(of texture.Thing, words string) (*texture.Description, error) {
	d := texture.NewDescription(of)
	for _, word := range strings.Fields(words) {
		if err := d.Set(word); err != nil {
			return nil, err
		}
	}
	return d, d.Finish()
}

// TestOffsetFollowsLayout on layouts calculated by hand.
func TestOffsetFollowsLayout(t *testing.T) {
	for _, c := range []struct {
		words  string
		level  int
		at     [3]int
		sample int
		want   int64
		bytes  int64
	}{
		{"1d 5 format=f32x2", 0, [3]int{3}, 0, 24, 40},
		{"2d 3x2 format=u8x1", 0, [3]int{2, 1}, 0, 5, 6},
		{"2d 3x2 format=u8x1 pitch=8", 0, [3]int{2, 1}, 0, 10, 11},             // the last row ends with its last texel
		{"3d 3x2x4 format=u16x1", 0, [3]int{2, 1, 3}, 0, 2 * (18 + 3 + 2), 48}, // 6 texels a slice
		{"a2d 3x2 layers=4 format=u8x4", 0, [3]int{0, 0, 3}, 0, 72, 96},
		{"2dms 3x2 samples=4 format=u8x1", 0, [3]int{1, 1}, 3, 12 + 4 + 3, 24},
		{"cube 2x2 format=u8x1 normalized", 0, [3]int{1, 1, 5}, 0, 23, 24},
		{"acube 2x2 layers=2 format=u8x1 normalized", 0, [3]int{0, 1, 6 + 2}, 0, 4*8 + 2, 48},
		{"2d 8x4 levels=4 format=u8x1 normalized", 3, [3]int{0, 0}, 0, 32 + 8 + 2, 43}, // 8x4, 4x2, 2x1, 1x1
		{"a1d 8 layers=3 levels=2 format=u8x1 normalized", 1, [3]int{1, 0, 2}, 0, 24 + 9, 36},
		{"cube 4x4 levels=3 format=u8x1 normalized", 2, [3]int{0, 0, 4}, 0, 96 + 24 + 4, 126},
		{"3d 4x4x4 levels=3 format=u8x1 normalized", 1, [3]int{1, 1, 1}, 0, 64 + 7, 73},
	} {
		shape := &described(t, c.words).Shape
		if got := shape.Offset(c.level, c.at, c.sample); got != c.want || shape.Bytes() != c.bytes {
			t.Errorf("%s, texel %v of level %d: at %d of %d bytes, want %d of %d", c.words, c.at, c.level, got, shape.Bytes(), c.want, c.bytes)
		}
	}
}

// TestRowsAreAligned: rows of 3 bytes begin at multiples of 16, in all levels.
func TestRowsAreAligned(t *testing.T) {
	shape := described(t, "2d 6x3 levels=2 format=u8x1 normalized").Shape
	shape.RowAlign = 16
	if got := shape.Offset(0, [3]int{5, 2}, 0); got != 37 {
		t.Errorf("texel (5, 2) is at %d, want 37", got)
	}
	if got := shape.Offset(1, [3]int{2, 0}, 0); got != 50 || shape.Bytes() != 51 {
		t.Errorf("texel (2, 0) of level 1 is at %d of %d bytes, want 50 of 51", got, shape.Bytes())
	}
}

// TestTexelsCoverMemory: offsets of all texels of random shapes are distinct, and fill the memory without a gap if rows
// are side by side.
func TestTexelsCoverMemory(t *testing.T) {
	kinds := []string{"1d", "2d", "3d", "cube"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := texture.Shape{Kind: texture.Kind(r.IntN(4)), Width: 1 + r.IntN(9), Height: 1, Depth: 1, Layers: 1, Levels: 1}
		s.Format = texture.Format{Channel: texture.Channel(r.IntN(12)), Channels: 1 << r.IntN(3)}
		slices := 1
		switch kinds[s.Kind] {
		case "2d":
			s.Height = 1 + r.IntN(9)
		case "3d":
			s.Height, s.Depth = 1+r.IntN(9), 1+r.IntN(5)
		case "cube":
			s.Height, slices = s.Width, 6
		}
		if kinds[s.Kind] != "3d" && r.IntN(2) == 0 {
			s.Array, s.Layers = true, 1+r.IntN(3)
			slices *= s.Layers
		}
		if s.Levels = 1 + r.IntN(3); s.Check() != nil {
			s.Levels = 1
		}
		if err := s.Check(); err != nil {
			t.Fatalf("%+v: %v", s, err)
		}
		seen, texel := make(map[int64]bool), int64(s.Format.Bytes())
		for level := range s.Levels {
			size := s.Size(level)
			rest, start := s.Level(level)
			for z := range size[2] * slices {
				for y := range size[1] {
					for x := range size[0] {
						off := s.Offset(level, [3]int{x, y, z}, 0)
						if seen[off] || off%texel != 0 || off+texel > s.Bytes() {
							t.Fatalf("%+v: texel %d %d %d of level %d is at %d", s, x, y, z, level, off)
						}
						if seen[off] = true; start+rest.Offset(0, [3]int{x, y, z}, 0) != off {
							t.Fatalf("%+v: level %d by itself has texel %d %d %d elsewhere", s, level, x, y, z)
						}
					}
				}
			}
		}
		if int64(len(seen))*texel != s.Bytes() {
			t.Fatalf("%+v: %d texels in %d bytes", s, len(seen), s.Bytes())
		}
	}
}

func TestCheckRefusesShapes(t *testing.T) {
	good := texture.Shape{Kind: texture.D2, Width: 8, Height: 8, Depth: 1, Layers: 1, Levels: 1, Format: texture.Format{Channel: texture.U16, Channels: 2}}
	for want, change := range map[string]func(s *texture.Shape){
		"0 texels or layers":                   func(s *texture.Shape) { s.Height = 0 },
		"131073 texels or layers":              func(s *texture.Shape) { s.Width = 1<<17 + 1 },
		"268435457 texels or layers":           func(s *texture.Shape) { s.Kind, s.Width, s.Height = texture.D1, 1<<28+1, 1 },
		"its faces are squares":                func(s *texture.Shape) { s.Kind, s.Height = texture.Cube, 4 },
		"an array of 3d textures":              func(s *texture.Shape) { s.Kind, s.Array = texture.D3, true },
		"samples in a 1d texture":              func(s *texture.Shape) { s.Kind, s.Height, s.Samples = texture.D1, 1, 2 },
		"3 samples":                            func(s *texture.Shape) { s.Samples = 3 },
		"5 levels; 8 texels have 1 to 4":       func(s *texture.Shape) { s.Levels = 5 },
		"a multi-sample texture with 2 levels": func(s *texture.Shape) { s.Samples, s.Levels = 4, 2 },
		"pitch 31; a row has 32":               func(s *texture.Shape) { s.Pitch = 31 },
		"pitch 34 is not a multiple of a":      func(s *texture.Shape) { s.Pitch = 34 },
		"a pitch and levels":                   func(s *texture.Shape) { s.Pitch, s.Levels = 64, 2 },
		"rows at multiples of 24 bytes":        func(s *texture.Shape) { s.RowAlign = 24 },
	} {
		s := good
		if change(&s); s.Check() == nil || !strings.Contains(s.Check().Error(), want) {
			t.Errorf("%+v: %v, want %q", s, s.Check(), want)
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}

func TestShapeHasItsGeometrysName(t *testing.T) {
	for _, words := range []string{"1d 4", "a1d 4", "2d 4x4", "a2d 4x4", "2dms 4x4", "a2dms 4x4", "3d 4x4x4", "cube 4x4", "acube 4x4"} {
		kind, _, _ := strings.Cut(words, " ")
		if got := described(t, words+" format=u8 normalized").Shape.String(); got != kind {
			t.Errorf("%s is %s", words, got)
		}
	}
}
