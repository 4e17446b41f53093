package evaluate

import "github.com/simtrun/simtrun/internal/lanes/jit"

// parts are the instructions that access a part of a vector.
var parts = map[string]evaluation{
	"vinserti128": insertPart(8), "vinserti32x4": insertPart(4), "vinserti64x4": insertPart(8),
	"vextracti128": extractPart(8), "vextracti32x4": extractPart(4), "vextracti64x4": extractPart(8),
	"vpinsrb": insertElement[uint8], "vpinsrw": insertElement[uint16], "vpinsrd": insertElement[uint32], "vpinsrq": insertElement[uint64],
	"vpextrb": extractElement[uint8], "vpextrw": extractElement[uint16], "vpextrd": extractElement[uint32], "vpextrq": extractElement[uint64],
}

// insertPart replaces a part of the first source by the second.
func insertPart(size int) evaluation {
	return func(c *CPU, s *step) {
		a, b := c.source(s, 1, 1), c.whole(s, 2)
		n := s.bytes(2) / 8
		at := n * (int(s.imm) & (s.bytes(0)/s.bytes(2) - 1))
		c.result = *a
		copy(c.result[at:at+n], b[:n])
		c.put(s, size)
	}
}

// extractPart takes a part of the source.
func extractPart(size int) evaluation {
	return func(c *CPU, s *step) {
		a := c.source(s, 1, 1)
		n := s.bytes(0) / 8
		at := n * (int(s.imm) & (s.bytes(1)/s.bytes(0) - 1))
		c.result = vec{}
		copy(c.result[:n], a[at:])
		c.put(s, size)
	}
}

// insertElement replaces an element of the first source by a general register or memory.
func insertElement[T element](c *CPU, s *step) {
	v := c.value(s, 2)
	c.result = *c.source(s, 1, 1)
	view[T](&c.result)[int(s.imm)&(block/sizeOf[T]()-1)] = T(v)
	c.put(s, sizeOf[T]())
}

// extractElement is an element in a general register, with zeros above, or in memory.
func extractElement[T element](c *CPU, s *step) {
	c.set(s, 0, uint64(view[T](c.source(s, 1, 1))[int(s.imm)&(block/sizeOf[T]()-1)]))
}

// moves are the moves of vectors, and gathers and scatters.
var moves = map[string]evaluation{
	"vmovdqu": copyElements[uint32], "vmovdqu8": copyElements[uint8], "vmovdqu16": copyElements[uint16],
	"vmovdqu32": copyElements[uint32], "vmovdqu64": copyElements[uint64], "vmovups": copyElements[uint32], "vmovupd": copyElements[uint64],
	"vmovdqa": copyAligned[uint32], "vmovdqa32": copyAligned[uint32], "vmovdqa64": copyAligned[uint64],
	"vmovaps": copyAligned[uint32], "vmovapd": copyAligned[uint64],
	"vmovd": moveScalar[uint32], "vmovq": moveScalar[uint64], "vmovss": moveScalar[uint32], "vmovsd": moveScalar[uint64],
	"vmovsldup": blocks(func(d, a, _ []uint32, _ uint8) { pick(d, a, a, 2<<6|2<<4) }),
	"vmovshdup": blocks(func(d, a, _ []uint32, _ uint8) { pick(d, a, a, 3<<6|3<<4|1<<2|1) }),
	"vzeroupper": func(c *CPU, _ *step) {
		for i := range 16 {
			clearFrom(&c.vectors[i], block)
		}
		c.wide = false
	},

	"vpgatherdd": gather[uint32, int32], "vpgatherdq": gather[uint64, int32], "vpgatherqd": gather[uint32, int64], "vpgatherqq": gather[uint64, int64],
	"vpscatterdd": scatter[uint32, int32], "vpscatterdq": scatter[uint64, int32], "vpscatterqd": scatter[uint32, int64], "vpscatterqq": scatter[uint64, int64],
}

func copyElements[T element](c *CPU, s *step) {
	c.result = *c.source(s, 1, sizeOf[T]())
	c.put(s, sizeOf[T]())
}

// copyAligned is for vectors in memory at multiples of their size.
func copyAligned[T element](c *CPU, s *step) {
	for i := range s.Args {
		if a := &s.Args[i]; a.Kind == jit.Memory && c.address(a)%(1<<a.Log) != 0 {
			fail("%d bytes at %#x, which is not a multiple of that", s.bytes(i), c.address(a))
		}
	}
	copyElements[T](c, s)
}

// moveScalar moves the first element: to or from memory, a general register, or a vector. The other elements of a
// vector become zero, or with three operands those of the first source.
func moveScalar[T uint32 | uint64](c *CPU, s *step) {
	from := len(s.Args) - 1
	v := view[T](c.source(s, from, sizeOf[T]()))[0]
	if s.Args[0].Kind != jit.Vector {
		if c.selects(s, 0) {
			c.set(s, 0, uint64(v))
		}
		return
	}
	if !c.selects(s, 0) {
		v = 0
		if !s.Zero {
			v = view[T](c.old(s))[0]
		}
	}
	c.result = vec{}
	if from == 2 {
		c.result = *c.source(s, 1, 1)
	}
	view[T](&c.result)[0] = v
	c.putAll(s)
}

// gather reads the elements that the mask selects at a vector of indices. The mask is a mask register, or a vector by
// the highest bits of its elements; it becomes zero.
func gather[T uint32 | uint64, I int32 | int64](c *CPU, s *step) {
	at := &s.Args[1]
	addr, size := c.address(at), sizeOf[T]()
	index := view[I](&c.vectors[at.Number])
	selected := c.masks[s.Mask]
	byVector := len(s.Args) == 3
	if byVector {
		selected = 0
		by := view[T](&c.vectors[s.Args[2].Number])
		for i := range s.bytes(0) / size {
			selected |= uint64(by[i]>>(8*size-1)) << i
		}
	}
	n := min(s.bytes(0)/size, s.bytes(1)/sizeOf[I]())
	c.result = *c.old(s)
	for i := range n {
		if selected>>i&1 != 0 {
			c.loadElement(&c.result, i, addr+uint64(int64(index[i])*int64(at.Mem.Scale))-uint64(i*size), size)
		}
	}
	clearFrom(&c.result, n*size)
	if byVector {
		c.vectors[s.Args[2].Number] = vec{}
	} else {
		c.masks[s.Mask] = 0
	}
	c.putAll(s)
}

// scatter writes the elements that the mask selects at a vector of indices, the lowest first. The mask becomes zero.
func scatter[T uint32 | uint64, I int32 | int64](c *CPU, s *step) {
	at := &s.Args[0]
	addr, size := c.address(at), sizeOf[T]()
	index, from := view[I](&c.vectors[at.Number]), &c.vectors[s.Args[1].Number]
	for i := range min(s.bytes(1)/size, s.bytes(0)/sizeOf[I]()) {
		if c.selects(s, i) {
			c.storeElement(from, i, addr+uint64(int64(index[i])*int64(at.Mem.Scale))-uint64(i*size), size)
		}
	}
	c.masks[s.Mask] = 0
}
