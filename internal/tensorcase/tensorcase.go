// Package tensorcase says which bytes a copy of a tensor moves, one element after the other, as the text of
// PTX and of the driver's interface has it (PTX ISA, tensors; CUDA Driver API, cuTensorMapEncodeTiled and
// cuTensorMapEncodeIm2col). It is for tests, and shares nothing with what it tests.
package tensorcase

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Case is a tensor, and a copy of a part of it.
type Case struct {
	Type       string
	Size       int   // bytes of an element; of a slice with an interleave
	Sizes      []int // by dimension, the innermost first
	Strides    []int // bytes, of dimension 1 and on
	Box, Steps []int
	Interleave int    // 0, 16, 32
	Swizzle    int    // 0, 32, 64, 128
	Atom       string // 16, 32, 32flip, 64
	NaN        bool   // the fill

	Im2col           bool
	Pixels, Channels int
	Lower, Upper     []int // of W, H, D

	Four    bool  // the rows with the numbers in the last four of Coords
	Coords  []int // where it begins
	Offsets []int // of im2col: W, H, D
}

// element is an element that is copied.
type element struct {
	Global int // offset in the tensor; -1 outside of it
	Shared int // offset from the destination, without a swizzle
}

// elements are those of the copy.
func (c *Case) elements() []element {
	switch {
	case c.Im2col:
		return c.pixels()
	case c.Four:
		return c.fourRows()
	}
	var all []element
	n := make([]int, len(c.Sizes)) // the place in the box
	for done := false; !done; {
		at := slices.Clone(c.Coords)
		shared, pitch := 0, c.Size
		for d := range n {
			at[d] += n[d]
			shared += n[d] / c.step(d) * pitch
			if pitch *= (c.Box[d] + c.step(d) - 1) / c.step(d); d == 0 {
				pitch = c.padded(pitch)
			}
		}
		all = append(all, element{c.global(at), shared})
		done = true
		for d := range n {
			if n[d] += c.step(d); n[d] < c.Box[d] {
				done = false
				break
			}
			n[d] = 0
		}
	}
	return all
}

// step is the distance, in elements, between two copied elements: 1 in dimension 0, unless it is interleaved.
func (c *Case) step(d int) int {
	if d == 0 && c.Interleave == 0 {
		return 1
	}
	return c.Steps[d]
}

// padded is the distance between rows of a number of bytes.
func (c *Case) padded(row int) int {
	if c.Interleave == 0 {
		return max(row, c.Swizzle)
	}
	return row
}

// global is where an element is in the tensor, or -1.
func (c *Case) global(at []int) int {
	offset := at[0] * c.Size
	for d := range at {
		if at[d] < 0 || at[d] >= c.Sizes[d] {
			return -1
		}
		if d > 0 {
			offset += at[d] * c.Strides[d-1]
		}
	}
	return offset
}

// fourRows are rows of a tensor of two dimensions.
func (c *Case) fourRows() (all []element) {
	for i, row := range c.Coords[1:] {
		for x := range c.Box[0] {
			all = append(all, element{c.global([]int{c.Coords[0] + x, row}), i*c.padded(c.Box[0]*c.Size) + x*c.Size})
		}
	}
	return all
}

// pixels are those of an im2col copy: from a place in an image on, by steps, in a box; then those of
// the next image. Coordinates are C, W, H, D, N.
func (c *Case) pixels() (all []element) {
	at := slices.Clone(c.Coords)
	spatial := len(at) - 2
	for i := range c.Pixels {
		pixel := slices.Clone(at)
		for d := range spatial {
			pixel[1+d] += c.Offsets[d]
		}
		for x := range c.Channels {
			pixel[0] = at[0] + x
			all = append(all, element{c.global(pixel), i*c.padded(c.Channels*c.Size) + x*c.Size})
		}
		next := false
		for d := range spatial {
			if at[1+d] += c.Steps[1+d]; at[1+d] <= c.Sizes[1+d]-1+c.Upper[d] {
				next = true
				break
			}
			at[1+d] = c.Lower[d]
		}
		if !next {
			at[len(at)-1]++
		}
	}
	return all
}

// cells are the tables of PTX: by swizzle and atom which 16 bytes stand where in 128, line by line.
var cells = map[string][][8]int{
	"0":       {{0, 1, 2, 3, 4, 5, 6, 7}},
	"32 16":   {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}},
	"64 16":   {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4}},
	"128 16":  {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4}, {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2}, {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}},
	"128 32":  {{0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5}, {4, 5, 6, 7, 0, 1, 2, 3}, {6, 7, 4, 5, 2, 3, 0, 1}},
	"128 64":  {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}},
	"128 32f": {{0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5}, {4, 5, 6, 7, 0, 1, 2, 3}, {6, 7, 4, 5, 2, 3, 0, 1}},
}

// place is the address in shared memory of a byte that were at another one without a swizzle.
func (c *Case) place(address int) int {
	atom := strings.TrimSuffix(c.Atom, "lip")
	table := cells[strings.TrimSuffix(fmt.Sprintf("%d %s", c.Swizzle, atom), " 16")]
	if c.Swizzle > 0 {
		table = cells[fmt.Sprintf("%d %s", c.Swizzle, atom)]
	}
	line, cell, byte := address/128, address%128/16, address%16
	if atom == "32f" && line%2 == 1 {
		byte ^= 8
	}
	row := table[line%len(table)]
	return line*128 + slices.Index(row[:], cell)*16 + byte
}

// Load returns the contents of shared memory after a copy of a tensor to a destination there.
func (c *Case) Load(shared, tensor []byte, destination int) {
	for _, e := range c.elements() {
		element := make([]byte, c.Size)
		switch {
		case e.Global >= 0:
			copy(element, tensor[e.Global:])
			if strings.HasPrefix(c.Type, "tf32") {
				for i := 0; i < c.Size; i += 4 {
					round(element[i:][:4])
				}
			}
		case c.NaN:
			for i := range element {
				element[i] = [2]byte{0xf7, 0x7f}[i%2]
			}
		}
		for i, b := range element {
			shared[c.place(destination+e.Shared+i)] = b
		}
	}
}

// Store returns the contents of a tensor after a copy from a source in shared memory.
func (c *Case) Store(tensor, shared []byte, source int) {
	c.Reduce(tensor, shared, source, func(old, by []byte) { copy(old, by) })
}

// Reduce returns the contents of a tensor after a reduction by a source in shared memory, with op as the operation on
// an element, or on a slice of them.
func (c *Case) Reduce(tensor, shared []byte, source int, op func(old, by []byte)) {
	for _, e := range c.elements() {
		if e.Global < 0 {
			continue
		}
		by := make([]byte, c.Size)
		for i := range by {
			by[i] = shared[c.place(source+e.Shared+i)]
		}
		op(tensor[e.Global:][:c.Size], by)
	}
}

// round rounds an .f32 to 10 bits of fraction, ties away from zero.
func round(element []byte) {
	bits := uint32(element[0]) | uint32(element[1])<<8 | uint32(element[2])<<16 | uint32(element[3])<<24
	exponent, fraction := bits>>23&255, bits&0x7fffff
	switch low := fraction % 8192; {
	case exponent == 255 && fraction != 0:
		bits = 0x7fffe000
	case exponent == 255:
	case low >= 4096:
		bits += 8192 - low // a carry goes to the exponent
	default:
		bits -= low
	}
	for i := range element {
		element[i] = byte(bits >> (8 * i))
	}
}

// Bytes is the number of bytes that an mbarrier counts.
func (c *Case) Bytes() int { return len(c.elements()) * c.Size }

// Span is how many bytes the tensor takes.
func (c *Case) Span() int {
	n := c.Sizes[0] * c.Size
	for d, stride := range c.Strides {
		n += (c.Sizes[d+1] - 1) * stride
	}
	return n
}

// Words describe the tensor map of the case.
func (c *Case) Words() string {
	text := join(c.Sizes, "x") + " type=" + c.Type
	if len(c.Strides) > 0 {
		text += " strides=" + join(c.Strides, ",")
	}
	if c.Im2col {
		text += fmt.Sprintf(" pixels=%d channels=%d lower=%s upper=%s", c.Pixels, c.Channels, join(c.Lower, ","), join(c.Upper, ","))
	} else {
		text += " box=" + join(c.Box, "x")
	}
	text += " steps=" + join(c.Steps, ",")
	text += fmt.Sprintf(" interleave=%d swizzle=%d atomicity=%s", c.Interleave, c.Swizzle, c.Atom)
	if c.NaN {
		text += " fill=nan"
	}
	return text
}

func join(numbers []int, separator string) string {
	var words []string
	for _, n := range numbers {
		words = append(words, fmt.Sprint(n))
	}
	return strings.Join(words, separator)
}

// Types are those of elements, with their sizes.
var types = []struct {
	name  string
	size  int
	float bool
}{
	{"u8", 1, false}, {"u16", 2, false}, {"u32", 4, false}, {"s32", 4, false}, {"u64", 8, false}, {"s64", 8, false},
	{"f16", 2, true}, {"f32", 4, true}, {"f32.ftz", 4, true}, {"f64", 8, true}, {"bf16", 2, true}, {"tf32", 4, true}, {"tf32.ftz", 4, true},
}

// Random is a random case: of at most so many bytes of shared memory, of a load or of a store.
func Random(r *rand.Rand, most int, store bool) *Case {
	for {
		if c := random(r, store); c.extent() <= most {
			return c
		}
	}
}

// extent is how many bytes of shared memory the copy spans.
func (c *Case) extent() int {
	n := 0
	for _, e := range c.elements() {
		n = max(n, e.Shared+c.Size)
	}
	return n
}

func random(r *rand.Rand, store bool) *Case {
	c, rank := randomKind(r)
	c.randomSwizzle(r, store)
	stride := 0
	for d := range rank {
		stride = c.addDimension(r, d, rank, stride, store)
	}
	if c.Four {
		for range 3 {
			c.Coords = append(c.Coords, r.IntN(c.Sizes[1]+1))
		}
		c.Steps = []int{1, 1}
	}
	if c.Im2col {
		c.window(r, store)
	}
	return c
}

// randomKind is a case of some type and kind, so far without dimensions, and how many it is to have.
func randomKind(r *rand.Rand) (c *Case, rank int) {
	t := types[r.IntN(len(types))]
	c = &Case{Type: t.name, Size: t.size, Atom: "16", NaN: t.float && r.IntN(2) == 0}
	rank = 1 + r.IntN(5)
	switch r.IntN(6) {
	case 0:
		rank, c.Im2col = 3+r.IntN(3), true
	case 1:
		rank, c.Interleave = 3+r.IntN(3), 16+16*r.IntN(2)
	case 2:
		rank, c.Four = 2, true
	}
	return c, rank
}

// randomSwizzle sets the swizzle. An interleave has one of its own, and elements that are slices.
func (c *Case) randomSwizzle(r *rand.Rand, store bool) {
	c.Swizzle = []int{0, 32, 64, 128}[r.IntN(4)]
	if c.Swizzle == 128 {
		c.Atom = []string{"16", "16", "32", "32flip", "64"}[r.IntN(5)]
	}
	if store && c.Atom == "32flip" {
		c.Atom = "32"
	}
	if c.Interleave > 0 {
		c.Size = c.Interleave
		c.Swizzle, c.Atom = map[int]int{16: 0, 32: 32}[c.Interleave], "16"
	}
}

// addDimension adds dimension d of rank. Its stride is stride bytes or a little more; dimension 0 has none. It returns
// the bytes that the dimensions so far take.
func (c *Case) addDimension(r *rand.Rand, d, rank, stride int, store bool) int {
	unit := max(1, 16/c.Size) // elements of 16 bytes
	size := 1 + r.IntN(6)
	if d == 0 {
		size = 1 + r.IntN(3*unit+2)
		stride = size * c.Size
	}
	c.Sizes = append(c.Sizes, size)
	c.Steps = append(c.Steps, 1+r.IntN(2)*r.IntN(3))
	box := 1 + r.IntN(5)
	if d == 0 {
		box = unit * (1 + r.IntN(max(c.Swizzle, 48)/16))
		if c.Swizzle > 0 && c.Interleave == 0 {
			box = min(box, c.Swizzle/c.Size)
		}
	}
	if c.Four && d == 1 || c.Interleave > 0 && d == rank-2 {
		box = 1
	}
	c.Box = append(c.Box, box)
	if d > 0 {
		align := max(16, c.Interleave)
		stride = (stride + align - 1 + align*r.IntN(2)) / align * align
		c.Strides = append(c.Strides, stride)
		stride *= size
	}
	first := r.IntN(size)
	if !store {
		first = r.IntN(size+6) - 3
	}
	c.Coords = append(c.Coords, first)
	return stride
}

// window makes the case one of pixels.
func (c *Case) window(r *rand.Rand, store bool) {
	rank := len(c.Sizes)
	c.Channels, c.Pixels = c.Box[0], 1+r.IntN(40)
	for d := 1; d < rank-1; d++ {
		low, high := r.IntN(4)-2, r.IntN(4)-2
		if store {
			low, high = r.IntN(2), -r.IntN(2)
		}
		if low > c.Sizes[d]-1+high {
			low, high = 0, 0
		}
		c.Lower, c.Upper = append(c.Lower, low), append(c.Upper, high)
		c.Coords[d] = low + r.IntN(c.Sizes[d]-1+high-low+1)
		offset := r.IntN(3)
		if store {
			offset = 0
		}
		c.Offsets = append(c.Offsets, offset)
	}
}
