package evaluate

import "github.com/simtrun/simtrun/internal/lanes/jit"

const immediate = jit.Immediate

// block is the part of vectors, in bytes, in which many permutations stay.
const block = 16

// permutations are the instructions that choose elements by their places.
var permutations = map[string]evaluation{
	"vpshufb":  blocks(shuffleBytes),
	"vpshufd":  blocks(func(d, a, _ []uint32, imm uint8) { pick(d, a, a, imm) }),
	"vpshuflw": blocks(func(d, a, _ []uint16, imm uint8) { copy(d, a); pick(d[:4], a, a, imm) }),
	"vpshufhw": blocks(func(d, a, _ []uint16, imm uint8) { copy(d, a); pick(d[4:], a[4:], a[4:], imm) }),
	"vshufps":  blocks(func(d, a, b []uint32, imm uint8) { pick(d, a, b, imm) }),
	"vshufpd":  shufflePairs,
	"vpermd":   permute[uint32], "vpermps": permute[uint32], "vpermq": permute[uint64], "vpermpd": permute[uint64],
	"vperm2i128": permuteHalves,
	"vpermi2d":   permuteTwo[uint32](true), "vpermi2q": permuteTwo[uint64](true),
	"vpermt2d": permuteTwo[uint32](false), "vpermt2q": permuteTwo[uint64](false),
	"vshufi32x4": shuffleBlocks(4), "vshufi64x2": shuffleBlocks(8),
	"vpalignr": blocks(alignBytes), "valignd": align[uint32], "valignq": align[uint64],
	"vpslldq": blocks(shiftBytesLeft), "vpsrldq": blocks(shiftBytesRight),
	"vpunpcklbw": blocks(interleave[uint8](0)), "vpunpckhbw": blocks(interleave[uint8](8)),
	"vpunpcklwd": blocks(interleave[uint16](0)), "vpunpckhwd": blocks(interleave[uint16](4)),
	"vpunpckldq": blocks(interleave[uint32](0)), "vpunpckhdq": blocks(interleave[uint32](2)),
	"vpunpcklqdq": blocks(interleave[uint64](0)), "vpunpckhqdq": blocks(interleave[uint64](1)),
	"vunpcklps": blocks(interleave[uint32](0)), "vunpckhps": blocks(interleave[uint32](2)),
	"vunpcklpd": blocks(interleave[uint64](0)), "vunpckhpd": blocks(interleave[uint64](1)),
	"vpacksswb": pack(saturate[int8, int16]), "vpackssdw": pack(saturate[int16, int32]),
	"vpackuswb": pack(saturateUnsigned[uint8, int16]), "vpackusdw": pack(saturateUnsigned[uint16, int32]),
	"vpcompressd": compress[uint32], "vpcompressq": compress[uint64],
	"vpexpandd": expand[uint32], "vpexpandq": expand[uint64],

	"vblendvps": blendBySign[int32], "vblendvpd": blendBySign[int64], "vpblendvb": blendBySign[int8],
	"vpblendw": blendByImmediate[uint16], "vpblendd": blendByImmediate[uint32], "vblendps": blendByImmediate[uint32], "vblendpd": blendByImmediate[uint64],
	"vpblendmb": blendByMask[uint8], "vpblendmw": blendByMask[uint16], "vpblendmd": blendByMask[uint32], "vpblendmq": blendByMask[uint64],
	"vblendmps": blendByMask[uint32], "vblendmpd": blendByMask[uint64],

	"vpbroadcastb": broadcast[uint8], "vpbroadcastw": broadcast[uint16], "vpbroadcastd": broadcast[uint32], "vpbroadcastq": broadcast[uint64],
	"vbroadcastss": broadcast[uint32], "vbroadcastsd": broadcast[uint64],
	"vbroadcasti128": broadcastBlock(4), "vbroadcasti32x4": broadcastBlock(4), "vbroadcasti64x4": broadcastBlock(8),
}

// blocks is an operation on each block of 16 bytes.
func blocks[T element](f func(d, a, b []T, imm uint8)) evaluation {
	return func(c *CPU, s *step) {
		a := view[T](c.whole(s, 1))
		b := a
		if len(s.Args) > 2 && s.Args[2].Kind != immediate {
			b = view[T](c.whole(s, 2))
		}
		d := view[T](&c.result)
		n := block / sizeOf[T]()
		for at := 0; at < s.bytes(0)/sizeOf[T](); at += n {
			f(d[at:at+n], a[at:at+n], b[at:at+n], s.imm)
		}
		c.put(s, sizeOf[T]())
	}
}

// pick takes two elements of a and two of b, each by two bits of imm.
func pick[T element](d, a, b []T, imm uint8) {
	d[0], d[1], d[2], d[3] = a[imm&3], a[imm>>2&3], b[imm>>4&3], b[imm>>6&3]
}

func shuffleBytes(d, a, b []uint8, _ uint8) {
	for i, index := range b {
		d[i] = a[index%block]
		if index >= 0x80 {
			d[i] = 0
		}
	}
}

// shufflePairs takes one element of each pair, each by one bit.
func shufflePairs(c *CPU, s *step) {
	a, b := c.source(s, 1, 8), c.source(s, 2, 8)
	for i := 0; i < s.bytes(0)/8; i += 2 {
		c.result[i] = a[i+int(s.imm>>i&1)]
		c.result[i+1] = b[i+int(s.imm>>(i+1)&1)]
	}
	c.put(s, 8)
}

// permute chooses elements of the last operand by those of the first source; with an immediate, elements of the source
// by two bits, within each four.
func permute[T element](c *CPU, s *step) {
	d := view[T](&c.result)
	n := s.bytes(0) / sizeOf[T]()
	if s.Args[2].Kind == immediate {
		a := view[T](c.source(s, 1, sizeOf[T]()))
		for at := 0; at < n; at += 4 {
			pick(d[at:at+4], a[at:at+4], a[at:at+4], s.imm)
		}
	} else {
		index, table := view[T](c.source(s, 1, 1)), view[T](c.whole(s, 2))
		for i := range n {
			d[i] = table[int(index[i])&(n-1)]
		}
	}
	c.put(s, sizeOf[T]())
}

// permuteTwo chooses elements of two tables by indices. With overIndices the destination has the indices, otherwise the
// first table.
func permuteTwo[T element](overIndices bool) evaluation {
	return func(c *CPU, s *step) {
		n := s.bytes(0) / sizeOf[T]()
		index, low, high := view[T](c.source(s, 1, 1)), view[T](c.old(s)), view[T](c.whole(s, 2))
		if overIndices {
			index, low = low, index
		}
		d := view[T](&c.result)
		for i := range n {
			k := int(index[i]) & (2*n - 1)
			if k < n {
				d[i] = low[k]
			} else {
				d[i] = high[k-n]
			}
		}
		c.put(s, sizeOf[T]())
	}
}

// permuteHalves chooses each half of the result among the four of two sources, or zero.
func permuteHalves(c *CPU, s *step) {
	a, b := c.source(s, 1, 8), c.source(s, 2, 8)
	for half := range 2 {
		choice := s.imm >> (4 * half)
		from := a
		if choice&2 != 0 {
			from = b
		}
		copy(c.result[2*half:][:2], from[2*(choice&1):])
		if choice&8 != 0 {
			clear(c.result[2*half:][:2])
		}
	}
	c.put(s, 8)
}

// shuffleBlocks chooses blocks of the first source for the lower half, and of the second for the upper one.
func shuffleBlocks(size int) evaluation {
	return func(c *CPU, s *step) {
		a, b := c.whole(s, 1), c.whole(s, 2)
		n := s.bytes(0) / block
		width := n / 2 // bits of a choice: one for two blocks, two for four
		for i := range n {
			from := a
			if i >= n/2 {
				from = b
			}
			at := int(s.imm>>(width*i)) & (n - 1)
			copy(c.result[2*i:][:2], from[2*at:])
		}
		c.put(s, size)
	}
}

// alignBytes takes 16 bytes of a above b.
func alignBytes(d, a, b []uint8, imm uint8) {
	for i := range d {
		switch at := i + int(imm); {
		case at < block:
			d[i] = b[at]
		case at < 2*block:
			d[i] = a[at-block]
		default:
			d[i] = 0
		}
	}
}

// align takes elements of the first source above the second, from an immediate on.
func align[T element](c *CPU, s *step) {
	a, b := view[T](c.whole(s, 1)), view[T](c.whole(s, 2))
	d := view[T](&c.result)
	n := s.bytes(0) / sizeOf[T]()
	for i := range n {
		at := i + int(s.imm)&(n-1)
		if at < n {
			d[i] = b[at]
		} else {
			d[i] = a[at-n]
		}
	}
	c.put(s, sizeOf[T]())
}

func shiftBytesLeft(d, a, _ []uint8, imm uint8) {
	for i := range d {
		d[i] = 0
		if at := i - int(imm); at >= 0 {
			d[i] = a[at]
		}
	}
}

func shiftBytesRight(d, a, _ []uint8, imm uint8) {
	for i := range d {
		d[i] = 0
		if at := i + int(imm); at < block {
			d[i] = a[at]
		}
	}
}

// interleave takes elements alternately from a and b, starting at a given index.
func interleave[T element](from int) func(d, a, b []T, imm uint8) {
	return func(d, a, b []T, _ uint8) {
		for i := range len(d) / 2 {
			d[2*i], d[2*i+1] = a[from+i], b[from+i]
		}
	}
}

// pack narrows the elements of each block of two sources.
func pack[D, S element](f func(S) D) evaluation {
	return func(c *CPU, s *step) {
		a, b := view[S](c.source(s, 1, 16)), view[S](c.whole(s, 2))
		d := view[D](&c.result)
		n := block / sizeOf[S]()
		for at := 0; at < s.bytes(0)/sizeOf[S](); at += n {
			for i := range n {
				d[2*at+i], d[2*at+n+i] = f(a[at+i]), f(b[at+i])
			}
		}
		c.put(s, sizeOf[D]())
	}
}

// saturateUnsigned is the nearest unsigned number.
func saturateUnsigned[D uint8 | uint16, S int16 | int32](a S) D {
	return D(min(max(a, 0), S(^D(0))))
}

// compress moves the elements that the mask selects to the lowest places of the destination.
func compress[T element](c *CPU, s *step) {
	a := view[T](&c.vectors[s.Args[1].Number])
	d := view[T](&c.result)
	n, size := s.bytes(1)/sizeOf[T](), sizeOf[T]()
	k := 0
	for i := range n {
		if c.selects(s, i) {
			d[k] = a[i]
			k++
		}
	}
	if to := &s.Args[0]; to.Kind == jit.Memory {
		addr := c.address(to)
		for i := range k {
			c.storeElement(&c.result, i, addr, size)
		}
		return
	}
	for old := view[T](c.old(s)); k < n; k++ {
		d[k] = 0
		if !s.Zero {
			d[k] = old[k]
		}
	}
	c.putAll(s)
}

// putAll is put for all elements.
func (c *CPU) putAll(s *step) {
	clearFrom(&c.result, s.bytes(0))
	c.vectors[s.Args[0].Number] = c.result
	c.wide = c.wide || s.bytes(0) > 16 && s.Args[0].Number < 16
}

// expand is the opposite of compress.
func expand[T element](c *CPU, s *step) {
	n, size := s.bytes(0)/sizeOf[T](), sizeOf[T]()
	from := &c.sources[1]
	if a := &s.Args[1]; a.Kind == jit.Memory {
		addr := c.address(a)
		for i, k := 0, 0; i < n; i++ {
			if c.selects(s, i) {
				c.loadElement(from, k, addr, size)
				k++
			}
		}
	} else {
		from = &c.vectors[a.Number]
	}
	d, k := view[T](&c.result), 0
	for i := range n {
		if c.selects(s, i) {
			d[i] = view[T](from)[k]
			k++
		}
	}
	c.put(s, size)
}

// blendBySign takes elements of the second source where those of the last operand have their highest bit set.
func blendBySign[T int8 | int32 | int64](c *CPU, s *step) {
	a, b, by := view[T](c.source(s, 1, 1)), view[T](c.source(s, 2, 1)), view[T](&c.vectors[s.Args[3].Number])
	d := view[T](&c.result)
	for i := range s.bytes(0) / sizeOf[T]() {
		d[i] = a[i]
		if by[i] < 0 {
			d[i] = b[i]
		}
	}
	c.put(s, sizeOf[T]())
}

// blendByImmediate takes elements of the second source at the ones of the immediate, which repeats after eight.
func blendByImmediate[T element](c *CPU, s *step) {
	a, b := view[T](c.source(s, 1, 1)), view[T](c.source(s, 2, 1))
	d := view[T](&c.result)
	for i := range s.bytes(0) / sizeOf[T]() {
		d[i] = a[i]
		if s.imm>>(i%8)&1 != 0 {
			d[i] = b[i]
		}
	}
	c.put(s, sizeOf[T]())
}

// blendByMask takes elements of the second source where the mask has ones; others are those of the first, or zero.
func blendByMask[T element](c *CPU, s *step) {
	a, b := view[T](c.source(s, 1, sizeOf[T]())), view[T](c.source(s, 2, sizeOf[T]()))
	d := view[T](&c.result)
	for i := range s.bytes(0) / sizeOf[T]() {
		switch {
		case c.selects(s, i):
			d[i] = b[i]
		case s.Zero:
			d[i] = 0
		default:
			d[i] = a[i]
		}
	}
	c.putAll(s)
}

// broadcast repeats the first element of the source.
func broadcast[T element](c *CPU, s *step) {
	v := view[T](c.whole(s, 1))[0]
	d := view[T](&c.result)
	for i := range s.bytes(0) / sizeOf[T]() {
		d[i] = v
	}
	c.put(s, sizeOf[T]())
}

// broadcastBlock repeats the source.
func broadcastBlock(size int) evaluation {
	return func(c *CPU, s *step) {
		a, n := c.whole(s, 1), s.bytes(1)/8
		for i := range s.bytes(0) / 8 {
			c.result[i] = a[i%n]
		}
		c.put(s, size)
	}
}
