package lanes

import (
	"math"
	"math/bits"
	"unsafe"
)

// Access is the places of a memory instruction: lane i reads or writes at Mem[Off[i]:]. All of them have been
// checked.
type Access struct {
	Mem []byte
	// Base is the address of Mem[0] in the access's state space; 0 for local memory, in which each lane has addresses
	// from 0.
	Base uint64
	// Region is the number of Mem's region of memory, unique in the machine; NoRegion if Mem has an equal part for each
	// lane.
	Region int32
	Space  uint8         // the state space of Mem, in the numbering of package isa
	Off    [Width]uint64 // by lane, unless Strided
	// Strided says that in each half of the warp lane i is Stride bytes after lane i-1, including inactive lanes, and
	// that all of them are in Mem. Off is then set for the first lane of each half only. It is per half because blocks
	// of CUDA code are 16 threads wide as often as 32. Inactive lanes may hold any value, so results must not depend on
	// Strided.
	Strided bool
	Stride  [2]uint64 // by half of the warp: 0 or Size
	Size    uint64    // bytes that a lane moves
}

// NoRegion is the Access.Region of memory of which each lane owns a part.
const NoRegion = -1

// SharedSpace is the Access.Space of shared memory, where atomics treat floats differently from global memory.
const SharedSpace uint8 = 2

const half = Width / 2

// PerLane is how many bytes of Mem each lane owns, 0 if all lanes share it.
func (a *Access) PerLane() uint64 {
	if a.Region != NoRegion {
		return 0
	}
	return uint64(len(a.Mem) / Width)
}

// At is the offset in Mem at which a lane reads or writes.
func (a *Access) At(lane int) uint64 {
	if a.Strided {
		return a.Off[lane&half] + uint64(lane%half)*a.Stride[lane/half]
	}
	return a.Off[lane]
}

// AppendTo appends to b the memory at the places of the lanes of m.
func (a *Access) AppendTo(b []byte, m Mask) []byte {
	for ; m != 0; m &= m - 1 {
		b = append(b, a.Mem[a.At(bits.TrailingZeros32(uint32(m))):][:a.Size]...)
	}
	return b
}

// expand makes a an access with the Off of every lane, and not Strided.
func (a *Access) expand() *Access {
	if a.Strided {
		for i := range a.Off {
			a.Off[i] = a.At(i)
		}
		a.Strided = false
	}
	return a
}

// expandFor is expand for lanes m. The Off of others is undefined after it.
func (a *Access) expandFor(m Mask) *Access {
	if a.Strided {
		for ; m != 0; m &= m - 1 {
			a.Off[m.First()&(Width-1)] = a.At(m.First())
		}
		a.Strided = false
	}
	return a
}

// place is a pointer to the place of lane i of an access, plus disp bytes.
func place[E Int](a *Access, i int, disp uint64) *E {
	return (*E)(unsafe.Pointer(&a.Mem[a.Off[i]+disp]))
}

// readStrided reads a strided access of elements that fill their slots.
func readStrided[S Bits](d *[Width]S, a *Access) {
	for h := 0; h < Width; h += half {
		to, from := (*[half]S)(d[h:]), unsafe.Pointer(&a.Mem[a.Off[h]])
		if a.Stride[h/half] != 0 {
			*to = *(*[half]S)(from)
			continue
		}
		v := *(*S)(from)
		for i := range to {
			to[i] = v
		}
	}
}

// writeStrided writes a strided access of elements that fill their slots. If all lanes of a half have one place, the
// highest lane wins.
func writeStrided[S Bits](a *Access, b *[Width]S) {
	for h := 0; h < Width; h += half {
		from, to := (*[half]S)(b[h:]), unsafe.Pointer(&a.Mem[a.Off[h]])
		if a.Stride[h/half] != 0 {
			*(*[half]S)(to) = *from
		} else {
			*(*S)(to) = from[half-1]
		}
	}
}

// First is the lowest lane of m, which must not be empty.
func (m Mask) First() int { return bits.TrailingZeros32(uint32(m)) }

// Count is the number of lanes in m.
func (m Mask) Count() int { return bits.OnesCount32(uint32(m)) }

// Load reads an E from memory into D, extended to R: an integer of the register's width, signed if E is.
func Load[E, R Int, S Bits](f *File, in *Op, m Mask, a *Access) {
	d := Reg[S](f, in.D)
	if a.Strided && unsafe.Sizeof(E(0)) == unsafe.Sizeof(S(0)) {
		readStrided(Out[S](f, in.D, m), a)
		Merge[S](f, in.D, m)
		return
	}
	gather[E, R](d, m, a.expand(), 0)
}

// LoadVec reads n contiguous elements into the registers of in.Vec.
func LoadVec[E, R Int, S Bits](n int) MemFunc {
	return func(f *File, in *Op, m Mask, a *Access) {
		if m == AllLanes && a.Strided && a.Stride == [2]uint64{} {
			for k := range n {
				gatherOne[E, R](Reg[S](f, in.Vec[k]), a, uint64(k)*uint64(unsafe.Sizeof(E(0))))
			}
			return
		}
		for k := range n {
			gather[E, R](Reg[S](f, in.Vec[k]), m, a.expand(), uint64(k)*uint64(unsafe.Sizeof(E(0))))
		}
	}
}

// gatherOne is gather for an access by all lanes in which the lanes of each half have one address.
func gatherOne[E, R Int, S Bits](d *[Width]S, a *Access, disp uint64) {
	for h := 0; h < Width; h += half {
		to, v := (*[half]S)(d[h:]), fit[S](R(*place[E](a, h, disp)))
		for i := range to {
			to[i] = v
		}
	}
}

func gather[E, R Int, S Bits](d *[Width]S, m Mask, a *Access, disp uint64) {
	if m == AllLanes {
		for i := range d {
			d[i] = fit[S](R(*place[E](a, i, disp)))
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		i := m.First()
		d[i] = fit[S](R(*place[E](a, i, disp)))
	}
}

// Store writes the low bits of B to memory as an E. If lanes have the same place, the highest wins.
func Store[E Int, S Bits](f *File, in *Op, m Mask, a *Access) {
	b := Reg[S](f, in.B)
	switch {
	case !a.Strided || unsafe.Sizeof(E(0)) != unsafe.Sizeof(S(0)):
	case m == AllLanes:
		writeStrided(a, b)
		return
	case a.Contiguous():
		writeSome((*[Width]S)(unsafe.Pointer(&a.Mem[a.Off[0]])), b, m)
		return
	}
	scatter[E](b, m, a.expand(), 0)
}

// writeSome writes the lanes of m to contiguous places, and nothing at the places of the others, which another host
// thread may be writing. It goes by groups of eight lanes, because partial masks are rarely ragged.
func writeSome[S Bits](to, from *[Width]S, m Mask) {
	const block = 8
	for i := 0; i < Width; i += block {
		to, from := (*[block]S)(to[i:]), (*[block]S)(from[i:])
		switch some := m >> i & (1<<block - 1); some {
		case 0:
		case 1<<block - 1:
			*to = *from
		default:
			for ; some != 0; some &= some - 1 {
				lane := some.First() % block
				to[lane] = from[lane]
			}
		}
	}
}

// Contiguous reports whether the lanes of a strided access have contiguous places.
func (a *Access) Contiguous() bool {
	return a.Stride[0] == a.Size && a.Stride[1] == a.Size && a.Off[half] == a.Off[0]+half*a.Size
}

// StoreVec writes n registers of in.Vec as contiguous elements.
func StoreVec[E Int, S Bits](n int) MemFunc {
	return func(f *File, in *Op, m Mask, a *Access) {
		for k := range n {
			scatter[E](Reg[S](f, in.Vec[k]), m, a.expand(), uint64(k)*uint64(unsafe.Sizeof(E(0))))
		}
	}
}

func scatter[E Int, S Bits](b *[Width]S, m Mask, a *Access, disp uint64) {
	for ; m != 0; m &= m - 1 {
		i := m.First()
		*place[E](a, i, disp) = E(b[i])
	}
}

// update replaces the memory of each lane of m by op of the old value and b, one lane after the other, and keeps the
// old value in d. V has the width of a slot. Like map1, it is small enough to be inlined.
func update[V Int, S Bits](d, b *[Width]S, m Mask, a *Access, op func(old, b V) V) {
	for ; m != 0; m &= m - 1 {
		i := m.First() & (Width - 1)
		p := place[V](a, i, 0)
		d[i], *p = S(*p), op(*p, V(b[i]))
	}
}

// AtomAdd adds B.
func AtomAdd[V Int, S Bits](f *File, in *Op, m Mask, a *Access) {
	if a.Strided && m == AllLanes {
		addStrided[V](Reg[S](f, in.D), Reg[S](f, in.B), a)
		return
	}
	update(Reg[S](f, in.D), Reg[S](f, in.B), m, a.expandFor(m), func(old, b V) V { return old + b })
}

// addStrided is AtomAdd by all lanes for a strided access.
func addStrided[V Int, S Bits](d, b *[Width]S, a *Access) {
	for h := 0; h < Width; h += half {
		first, stride := unsafe.Pointer(&a.Mem[a.Off[h]]), uintptr(a.Stride[h/half])
		to, by := (*[half]S)(d[h:]), (*[half]S)(b[h:])
		if stride == 0 {
			sum := *(*V)(first)
			for i := range to {
				to[i], sum = S(sum), sum+V(by[i])
			}
			*(*V)(first) = sum
			continue
		}
		for i := range to {
			p := (*V)(unsafe.Add(first, uintptr(i)*stride))
			to[i], *p = S(*p), *p+V(by[i])
		}
	}
}

// AtomMin keeps the smaller.
func AtomMin[V Int, S Bits](f *File, in *Op, m Mask, a *Access) {
	update(Reg[S](f, in.D), Reg[S](f, in.B), m, a.expandFor(m), func(old, b V) V { return min(old, b) })
}

// AtomMax keeps the larger.
func AtomMax[V Int, S Bits](f *File, in *Op, m Mask, a *Access) {
	update(Reg[S](f, in.D), Reg[S](f, in.B), m, a.expandFor(m), func(old, b V) V { return max(old, b) })
}

// AtomExch stores B.
func AtomExch[V Int, S Bits](f *File, in *Op, m Mask, a *Access) {
	update(Reg[S](f, in.D), Reg[S](f, in.B), m, a.expandFor(m), func(_, b V) V { return b })
}

// AtomAnd keeps the bits that are also set in B.
func AtomAnd[V Int, S Bits](f *File, in *Op, m Mask, a *Access) {
	update(Reg[S](f, in.D), Reg[S](f, in.B), m, a.expandFor(m), func(old, b V) V { return old & b })
}

// AtomOr sets the bits of B.
func AtomOr[V Int, S Bits](f *File, in *Op, m Mask, a *Access) {
	update(Reg[S](f, in.D), Reg[S](f, in.B), m, a.expandFor(m), func(old, b V) V { return old | b })
}

// AtomXor flips the bits of B.
func AtomXor[V Int, S Bits](f *File, in *Op, m Mask, a *Access) {
	update(Reg[S](f, in.D), Reg[S](f, in.B), m, a.expandFor(m), func(old, b V) V { return old ^ b })
}

// AtomInc counts up to B, then starts again at 0.
func AtomInc(f *File, in *Op, m Mask, a *Access) {
	update(Reg[uint32](f, in.D), Reg[uint32](f, in.B), m, a.expandFor(m), CountedUp)
}

// AtomDec counts down from B to 0, then starts again at B.
func AtomDec(f *File, in *Op, m Mask, a *Access) {
	update(Reg[uint32](f, in.D), Reg[uint32](f, in.B), m, a.expandFor(m), CountedDown)
}

// AtomCas stores C if the old value is B.
func AtomCas[V Int, S Bits](f *File, in *Op, m Mask, a *Access) {
	d, b, c := Reg[S](f, in.D), Reg[S](f, in.B), Reg[S](f, in.C)
	a.expand()
	for ; m != 0; m &= m - 1 {
		i := m.First()
		p := place[V](a, i, 0)
		old := *p
		if old == V(b[i]) {
			*p = V(c[i])
		}
		d[i] = fit[S](old)
	}
}

// AtomAddF32 adds floats, rounding to nearest. In global memory subnormal operands and sums are flushed to zero, as
// the PTX ISA says of current GPUs; in shared memory they are not.
func AtomAddF32(f *File, in *Op, m Mask, a *Access) {
	mode := FTZ
	if a.Space == SharedSpace {
		mode = RoundNearest
	}
	update(Reg[uint32](f, in.D), Reg[uint32](f, in.B), m, a.expandFor(m), func(old, b uint32) uint32 {
		sum := mode.operandF32(math.Float32frombits(old)) + mode.operandF32(math.Float32frombits(b))
		return math.Float32bits(mode.resultF32(sum))
	})
}

// AtomAddF64 adds floats, rounding to nearest. In shared memory a GPU's arithmetic unit adds, with the old value as its
// second source; in global memory a NaN is unchanged, and b takes precedence, as on an H100.
func AtomAddF64(f *File, in *Op, m Mask, a *Access) {
	inShared := a.Space == SharedSpace
	update(Reg[uint64](f, in.D), Reg[uint64](f, in.B), m, a.expandFor(m), func(old, b uint64) uint64 {
		if inShared {
			x, y := math.Float64frombits(old), math.Float64frombits(b)
			return math.Float64bits(binaryResultF64(x+y, x, y))
		}
		return AddedF64(old, b)
	})
}

// AtomAddF16 adds halves, rounding to nearest.
func AtomAddF16(f *File, in *Op, m Mask, a *Access) {
	update(Reg[uint32](f, in.D), Reg[uint32](f, in.B), m, a.expandFor(m), func(old, b uint16) uint16 {
		return uint16(addF16(uint32(old), uint32(b), RoundNearest))
	})
}

// AtomAddF16x2 is AtomAddF16 for each half of a word.
func AtomAddF16x2(f *File, in *Op, m Mask, a *Access) {
	update(Reg[uint32](f, in.D), Reg[uint32](f, in.B), m, a.expandFor(m), func(old, b uint32) uint32 {
		return addF16(old&lowHalf, b&lowHalf, RoundNearest) | addF16(old>>16, b>>16, RoundNearest)<<16
	})
}

// AtomAddBF16 adds bfloat16 numbers, rounding to nearest.
func AtomAddBF16(f *File, in *Op, m Mask, a *Access) {
	update(Reg[uint32](f, in.D), Reg[uint32](f, in.B), m, a.expandFor(m), func(old, b uint16) uint16 {
		return uint16(addBF16(uint32(old), uint32(b), RoundNearest))
	})
}

// AtomAddBF16x2 is AtomAddBF16 for each half of a word.
func AtomAddBF16x2(f *File, in *Op, m Mask, a *Access) {
	update(Reg[uint32](f, in.D), Reg[uint32](f, in.B), m, a.expandFor(m), func(old, b uint32) uint32 {
		return addBF16(old&lowHalf, b&lowHalf, RoundNearest) | addBF16(old>>16, b>>16, RoundNearest)<<16
	})
}
