package texture

import (
	"fmt"
	"math/bits"
)

// Kind is the number of dimensions of a texture, or a cube map.
type Kind uint8

const (
	D1 Kind = iota
	D2
	D3
	Cube
	numKinds
)

var kindNames = [numKinds]string{"1d", "2d", "3d", "cube"}

// String is the name of the kind.
func (k Kind) String() string { return kindNames[k] }

// dims returns how many coordinates a place in a texture, or on a face of a cube map, has.
func (k Kind) dims() int { return [numKinds]int{D1: 1, D2: 2, D3: 3, Cube: 2}[k] }

// mostTexels is the largest number of texels in one direction, or of layers. mostLinear is that of the width of 1d
// textures in linear memory (CUDA C++ Programming Guide, Technical Specifications per Compute Capability: 2^28 texels
// from 8.0 on).
const (
	mostTexels = 1 << 17
	mostLinear = 1 << 28
)

// mostWide returns the largest number of texels in x for a texture of the kind.
func (k Kind) mostWide() int {
	if k == D1 {
		return mostLinear
	}
	return mostTexels
}

// Shape is the layout of a texture or surface in memory: rows from low to high x, consecutive rows, consecutive
// slices, faces of a cube map or layers of an array, and consecutive levels of detail. The samples of a texel of a
// multi-sample texture are adjacent.
type Shape struct {
	Kind                 Kind
	Array                bool // of Layers textures, or cubes for cube maps
	Width, Height, Depth int  // texels of level 0; 1 in missing dimensions
	Layers               int  // 1 unless Array
	Samples              int  // 0 unless it is a multi-sample texture
	Levels               int  // of detail: 1 without mipmaps
	Format               Format
	Pitch                int // bytes between rows of level 0; 0: rows are adjacent
	RowAlign             int // without Pitch, alignment in bytes of rows of all levels; 0: that of a texel
}

// String returns the kind in PTX's syntax: a2d, cube, 2dms.
func (s *Shape) String() string {
	text := s.Kind.String()
	if s.Array {
		text = "a" + text
	}
	if s.Samples > 0 {
		text += "ms"
	}
	return text
}

// Check returns the error in a shape, or nil.
func (s *Shape) Check() error {
	for i, n := range []int{s.Width, s.Height, s.Depth, s.Layers} {
		most := mostTexels
		if i == 0 {
			most = s.Kind.mostWide()
		}
		if n < 1 || n > most {
			return fmt.Errorf("%d texels or layers in a direction; there are 1 to %d", n, most)
		}
	}
	row, texel := s.Width*max(s.Samples, 1)*s.Format.Bytes(), s.Format.Bytes()
	switch {
	case s.Kind == Cube && s.Width != s.Height:
		return fmt.Errorf("a cube map of %dx%d texels; its faces are squares", s.Width, s.Height)
	case s.Kind == D3 && s.Array:
		return fmt.Errorf("an array of 3d textures; there are arrays of 1d, 2d and cube")
	case s.Samples > 0 && s.Kind != D2:
		return fmt.Errorf("samples in a %s texture; 2d textures have them", s.Kind)
	case s.Samples != 0 && (s.Samples > 16 || bits.OnesCount(uint(s.Samples)) != 1):
		return fmt.Errorf("%d samples; there are 1, 2, 4, 8 or 16", s.Samples)
	case s.Levels < 1 || s.Levels > s.mostLevels():
		return fmt.Errorf("%d levels; %d texels have 1 to %d", s.Levels, max(s.Width, s.Height, s.Depth), s.mostLevels())
	case s.Samples > 0 && s.Levels > 1:
		return fmt.Errorf("a multi-sample texture with %d levels; it can have only one", s.Levels)
	case s.Pitch != 0 && s.Pitch < row:
		return fmt.Errorf("pitch %d; a row has %d bytes", s.Pitch, row)
	case s.Pitch%texel != 0:
		return fmt.Errorf("pitch %d is not a multiple of a texel's %d bytes", s.Pitch, texel)
	case s.Pitch != 0 && s.Levels > 1:
		return fmt.Errorf("a pitch and levels; rows of a texture with levels are side by side")
	case s.RowAlign < 0 || s.RowAlign&(s.RowAlign-1) != 0:
		return fmt.Errorf("rows at multiples of %d bytes; it is a power of two", s.RowAlign)
	}
	return nil
}

// mostLevels returns the number of levels down to a single texel.
func (s *Shape) mostLevels() int { return bits.Len(uint(max(s.Width, s.Height, s.Depth))) }

// faces returns how many two-dimensional slices a layer has.
func (s *Shape) faces() int {
	if s.Kind == Cube {
		return 6
	}
	return 1
}

// Size returns the texels of a level in each dimension.
func (s *Shape) Size(level int) [3]int {
	return [3]int{max(s.Width>>level, 1), max(s.Height>>level, 1), max(s.Depth>>level, 1)}
}

// level returns the place of a level of detail: its first byte, and the bytes of a row and of a slice.
func (s *Shape) level(level int) (start, row, slice int64) {
	for i := 0; ; i++ {
		size := s.Size(i)
		row = int64(size[0]) * int64(max(s.Samples, 1)) * int64(s.Format.Bytes())
		if align := int64(s.RowAlign); align != 0 {
			row = (row + align - 1) &^ (align - 1)
		}
		if s.Pitch != 0 {
			row = int64(s.Pitch)
		}
		slice = row * int64(size[1])
		if i == level {
			return start, row, slice
		}
		start += slice * int64(size[2]) * int64(s.Layers*s.faces())
	}
}

// Level returns the shape of a level of detail and those after it, and its offset in the memory of all.
func (s *Shape) Level(level int) (rest Shape, start int64) {
	rest = *s
	size := s.Size(level)
	rest.Width, rest.Height, rest.Depth, rest.Levels = size[0], size[1], size[2], s.Levels-level
	start, _, _ = s.level(level)
	return rest, start
}

// Bytes returns the memory that the texture takes. If rows have a pitch, the last row ends with its last texel.
func (s *Shape) Bytes() int64 {
	start, row, slice := s.level(s.Levels - 1)
	size := s.Size(s.Levels - 1)
	used := int64(size[0]) * int64(max(s.Samples, 1)) * int64(s.Format.Bytes())
	return start + slice*int64(size[2])*int64(s.Layers*s.faces()) - row + used
}

// Offset returns the offset of a texel in a level at x, y and z, where z counts the slices of a 3d texture, the faces
// of a cube map, 6 to a layer, or the layers of an array.
func (s *Shape) Offset(level int, at [3]int, sample int) int64 {
	start, row, slice := s.level(level)
	return start + int64(at[2])*slice + int64(at[1])*row + int64(at[0]*max(s.Samples, 1)+sample)*int64(s.Format.Bytes())
}
