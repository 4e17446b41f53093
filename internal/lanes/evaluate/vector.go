package evaluate

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// vec is a vector register, the lowest bits first.
type vec [8]uint64

// element is the type of an element of a vector.
type element interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64
}

// sizeOf is the size of an element in bytes.
func sizeOf[T element]() int { return int(unsafe.Sizeof(T(0))) }

// view is v as elements.
func view[T element](v *vec) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(v)), int(unsafe.Sizeof(*v))/sizeOf[T]())
}

// bytes is the size of operand i.
func (s *step) bytes(i int) int { return 1 << s.Args[i].Log }

// source is operand i: a vector register, a general register in the first element, or memory. Of memory only the
// elements, of size bytes, that the mask selects are read, because others may not exist.
func (c *CPU) source(s *step, i, size int) *vec {
	a := &s.Args[i]
	v := &c.sources[i]
	switch a.Kind {
	case jit.Vector:
		return &c.vectors[a.Number]
	case jit.General:
		*v = vec{c.value(s, i)}
		return v
	}
	addr, n := c.address(a), s.bytes(i)
	if s.Mask == 0 {
		c.loadBytes(v, addr, n)
		return v
	}
	*v = vec{}
	for e := range n / size {
		if c.selects(s, e) {
			c.loadElement(v, e, addr, size)
		}
	}
	return v
}

// whole is source for memory that the instruction reads for all lanes of the vector, independent of the mask.
func (c *CPU) whole(s *step, i int) *vec {
	if s.Args[i].Kind != jit.Memory {
		return c.source(s, i, 1)
	}
	c.loadBytes(&c.sources[i], c.address(&s.Args[i]), s.bytes(i))
	return &c.sources[i]
}

// loadElement reads element e of an array at addr to element e of v.
func (c *CPU) loadElement(v *vec, e int, addr uint64, size int) {
	at := addr + uint64(e*size)
	switch size {
	case 1:
		view[uint8](v)[e] = uint8(c.load(at, 0))
	case 2:
		view[uint16](v)[e] = uint16(c.load(at, 1))
	case 4:
		view[uint32](v)[e] = uint32(c.load(at, 2))
	default:
		v[e] = c.load(at, 3)
	}
}

// storeElement writes element e of v to element e of an array at addr.
func (c *CPU) storeElement(v *vec, e int, addr uint64, size int) {
	at := addr + uint64(e*size)
	switch size {
	case 1:
		c.store(at, 0, uint64(view[uint8](v)[e]))
	case 2:
		c.store(at, 1, uint64(view[uint16](v)[e]))
	case 4:
		c.store(at, 2, uint64(view[uint32](v)[e]))
	default:
		c.store(at, 3, v[e])
	}
}

// old is the destination before the instruction.
func (c *CPU) old(s *step) *vec { return &c.vectors[s.Args[0].Number] }

// put writes c.result to the destination, a vector register or memory: the elements, of size bytes, that the mask
// selects. Bits of a register above the destination become zero.
func (c *CPU) put(s *step, size int) {
	a := &s.Args[0]
	n := s.bytes(0)
	if a.Kind == jit.Memory {
		c.putMemory(s, c.address(a), n, size)
		return
	}
	if s.Mask != 0 {
		c.merge(s, n/size, size)
	}
	clearFrom(&c.result, n)
	c.vectors[a.Number] = c.result
	if n > 16 && a.Number < 16 {
		c.wide = true
	}
}

func (c *CPU) putMemory(s *step, addr uint64, n, size int) {
	if s.Mask == 0 {
		c.storeBytes(&c.result, addr, n)
		return
	}
	for e := range n / size {
		if c.selects(s, e) {
			c.storeElement(&c.result, e, addr, size)
		}
	}
}

// merge replaces the elements of c.result that the mask does not select by those of the destination, or by zeros.
func (c *CPU) merge(s *step, n, size int) {
	old := c.old(s)
	if s.Zero {
		old = &vec{}
	}
	for e := range n {
		if c.selects(s, e) {
			continue
		}
		switch size {
		case 1:
			view[uint8](&c.result)[e] = view[uint8](old)[e]
		case 2:
			view[uint16](&c.result)[e] = view[uint16](old)[e]
		case 4:
			view[uint32](&c.result)[e] = view[uint32](old)[e]
		default:
			c.result[e] = old[e]
		}
	}
}

// clearFrom clears the bytes of v from n on.
func clearFrom(v *vec, n int) {
	if n < 8 {
		v[0] &= 1<<(8*n) - 1
		n = 8
	}
	clear(v[n/8:])
}

// each applies an operation to each element; the result may have another size.
func each[D, S element](f func(a S) D) evaluation {
	return func(c *CPU, s *step) {
		a := view[S](c.source(s, 1, sizeOf[S]()))
		d := view[D](&c.result)
		n := min(s.bytes(0)/sizeOf[D](), s.bytes(1)/sizeOf[S]())
		for i := range n {
			d[i] = f(a[i])
		}
		clearFrom(&c.result, n*sizeOf[D]())
		c.put(s, sizeOf[D]())
	}
}

// eachPair is an operation on the elements of two sources.
func eachPair[T element](f func(a, b T) T) evaluation {
	return func(c *CPU, s *step) {
		a, b := view[T](c.source(s, 1, sizeOf[T]())), view[T](c.source(s, 2, sizeOf[T]()))
		d := view[T](&c.result)
		for i := range s.bytes(0) / sizeOf[T]() {
			d[i] = f(a[i], b[i])
		}
		c.put(s, sizeOf[T]())
	}
}

// eachOfThree is an operation on the elements of the destination and two sources, with the immediate.
func eachOfThree[T element](f func(d, a, b T, imm uint8) T) evaluation {
	return func(c *CPU, s *step) {
		a, b, old := view[T](c.source(s, 1, sizeOf[T]())), view[T](c.source(s, 2, sizeOf[T]())), view[T](c.old(s))
		d := view[T](&c.result)
		for i := range s.bytes(0) / sizeOf[T]() {
			d[i] = f(old[i], a[i], b[i], s.imm)
		}
		c.put(s, sizeOf[T]())
	}
}

// compare compares the elements of two sources: to a mask register, or to a vector of ones and zeros.
func compare[T element](f func(a, b T, imm uint8) bool) evaluation {
	return func(c *CPU, s *step) {
		a, b := view[T](c.source(s, 1, sizeOf[T]())), view[T](c.source(s, 2, sizeOf[T]()))
		n := s.bytes(1) / sizeOf[T]()
		found := uint64(0)
		for i := range n {
			if f(a[i], b[i], s.imm) {
				found |= 1 << i
			}
		}
		if s.toMasks() {
			c.setMask(s, n, found)
			return
		}
		fill[T](&c.result, found)
		c.put(s, sizeOf[T]())
	}
}

// fill sets the elements of v to ones or zeros, by the bits of found.
func fill[T element](v *vec, found uint64) {
	d := view[T](v)
	for i := range d {
		d[i] = 0
		if found>>i&1 != 0 {
			d[i]--
		}
	}
}
