// Package lanes is arithmetic on 32 lanes under a mask: the register file of a warp, the resolved operation, and the
// functions that apply operations to register files.
//
// A register has 32 lanes in consecutive memory. A lane function executes a whole warp instruction: it is called
// once, not once per lane, and allocates nothing. Registers are named by byte offsets from the start of the file, so
// that immediates, kernel parameters and special registers, which are in read-only slots of the same file, are
// operands like any other.
//
// Slots hold the host's byte order; simtrun runs on little-endian hosts only, because it copies memory images to and
// from registers as they are.
package lanes

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unsafe"
)

// Width is the number of lanes of a warp.
const Width = 32

// Mask is a set of lanes: bit i is lane i.
type Mask uint32

// AllLanes is the mask of a full warp.
const AllLanes Mask = 1<<Width - 1

// Ranges lists the lanes of m in order: "0-3,7"; "none" if it is empty.
func (m Mask) Ranges() string {
	if m == 0 {
		return "none"
	}
	var ranges []string
	for m != 0 {
		first := m.First()
		end := first + bits.TrailingZeros32(^uint32(m>>first))
		text := strconv.Itoa(first)
		if end > first+1 {
			text += "-" + strconv.Itoa(end-1)
		}
		ranges = append(ranges, text)
		m = m >> end << end
	}
	return strings.Join(ranges, ",")
}

// A File is the register file of one warp; the type is its first byte. Its slots are, by the width of their values:
//
//	1 bit          4 bytes: one Mask, for predicates and the carry flag
//	8, 16, 32 bits 128 bytes: [32]uint32; bits above the value's width are 0
//	64 bits        256 bytes: [32]uint64
//	128 bits       512 bytes: [32]uint64 of the low halves, [32]uint64 of the high ones
//
// The first 256 bytes are scratch for results under a partial mask.
type File struct {
	scratch [Slot64]byte
}

// Bytes of a slot, by the width of the value it holds.
const (
	SlotPred = 4
	Slot32   = 4 * Width
	Slot64   = 8 * Width
	Slot128  = 16 * Width
)

// ScratchBytes is the offset at which the first slot of a file may begin.
const ScratchBytes = Slot64

// NewFile returns a zeroed register file of the given size in bytes, including the scratch space, aligned to 64
// bytes.
func NewFile(bytes int) *File {
	const align = 64
	slab := make([]uint64, (bytes+align)/8)
	p := unsafe.Pointer(unsafe.SliceData(slab))
	return (*File)(unsafe.Add(p, -uintptr(p)&(align-1)))
}

// FileIn returns a register file in mem, which must be zeroed, aligned to 64 bytes, and as large as the file.
func FileIn(mem []byte) *File { return (*File)(unsafe.Pointer(unsafe.SliceData(mem))) }

// Bytes is the memory of a file; size is that of NewFile.
func (f *File) Bytes(size int) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(f)), size) }

// A Func executes in for the lanes of m, and changes no other lane.
type Func func(f *File, in *Op, m Mask)

// A MemFunc moves data of the lanes of m between registers and the places of a, which have been checked for bounds
// and alignment.
type MemFunc func(f *File, in *Op, m Mask, a *Access)

// MaxVec is the largest number of elements of a vector operand.
const MaxVec = 8

// Op is one resolved instruction: everything a lane function needs to know.
// Operands are byte offsets from the start of the File. An Op fills one cache
// line.
type Op struct {
	Fn    Func    // nil unless the instruction uses nothing but registers
	Mem   MemFunc // of a load, store or atomic, else nil
	D, D2 uint32  // results
	A, B  uint32  // sources
	C, E  uint32
	Guard uint32 // slot of the guard predicate; odd means complemented
	Kind  uint8  // what Exec, or its caller, does with it
	Mode  Mode   // rounding and flushing of floating-point operations
	From  Elem   // element types of a conversion
	To    Elem
	Imm   uint64              // displacement of an address, target of a Jump, or a small constant
	Vec   *[2 * MaxVec]uint32 // the registers of a vector operand, in order; of a result, then of a source; of an atomic, sources from MaxVec on
}

// Active is the set of lanes of m in which the guard of in holds.
func (in *Op) Active(f *File, m Mask) Mask {
	return m & Predicate(f, in.Guard)
}

// word is the type of a slot in each lane. The integer types serve every instruction; the floating-point ones are
// views of the same bits.
type word interface {
	uint32 | uint64 | int32 | int64 | float32 | float64
}

// Reg is the 32 lanes of the register at off.
func Reg[T word](f *File, off uint32) *[Width]T {
	return (*[Width]T)(unsafe.Add(unsafe.Pointer(f), off))
}

// Pred is the predicate at off.
func Pred(f *File, off uint32) *Mask {
	return (*Mask)(unsafe.Add(unsafe.Pointer(f), off))
}

// Out is the buffer in which an operation may write all 32 lanes of the result at off: the register itself under a
// full mask, else scratch memory, which Merge then copies.
func Out[T word](f *File, off uint32, m Mask) *[Width]T {
	if m == AllLanes {
		return Reg[T](f, off)
	}
	return Reg[T](f, 0)
}

// Merge completes Out: it copies the lanes of m from scratch to off.
func Merge[T word](f *File, off uint32, m Mask) {
	if m != AllLanes {
		merge[T](f, off, m)
	}
}

// merge is separate so that Merge, which rarely has to copy, is inlined.
//
//go:noinline
func merge[T word](f *File, off uint32, m Mask) { Select(Reg[T](f, off), Reg[T](f, 0), m) }

// Select copies the lanes of m from s to d.
func Select[T word](d, s *[Width]T, m Mask) { blend(d, s, d, m) }

// blend is a in the lanes of m, and b in the others. It does not branch on the mask, which is practically random in
// divergent code.
func blend[T word](d, a, b *[Width]T, m Mask) {
	if unsafe.Sizeof(d[0]) == 4 {
		blendPairs((*[half]uint64)(unsafe.Pointer(d)), (*[half]uint64)(unsafe.Pointer(a)), (*[half]uint64)(unsafe.Pointer(b)), m)
		return
	}
	x, y, z := (*[Width]uint64)(unsafe.Pointer(d)), (*[Width]uint64)(unsafe.Pointer(a)), (*[Width]uint64)(unsafe.Pointer(b))
	for i := range x {
		x[i] = z[i] ^ (y[i]^z[i])&-uint64(m&1)
		m >>= 1
	}
}

// blendPairs is blend for two adjacent 32-bit lanes at a time.
func blendPairs(d, a, b *[half]uint64, m Mask) {
	for i := 0; i < half; i += 2 {
		d, a, b := (*[2]uint64)(d[i:]), (*[2]uint64)(a[i:]), (*[2]uint64)(b[i:])
		bits := &maskBits[m%16]
		d[0] = b[0] ^ (a[0]^b[0])&bits[0]
		d[1] = b[1] ^ (a[1]^b[1])&bits[1]
		m >>= 4
	}
}

// maskBits is a mask of the bits of four lanes, as two pairs.
var maskBits = func() (bits [16][2]uint64) {
	for m := range bits {
		for lane := range 4 {
			if m>>lane&1 != 0 {
				bits[m][lane/2] |= math.MaxUint32 << (lane % 2 * 32)
			}
		}
	}
	return bits
}()

// map1, map2 and map3 apply op to every lane. They are small enough to be inlined with op into the calling lane
// function, so that only a loop remains; TestMapIsInlined checks that.
func map1[D, T word](d *[Width]D, a *[Width]T, op func(T) D) {
	eachLane(func(i int) { d[i] = op(a[i]) })
}

// map2 is map1 for two sources.
func map2[D, T, U word](d *[Width]D, a *[Width]T, b *[Width]U, op func(T, U) D) {
	eachLane(func(i int) { d[i] = op(a[i], b[i]) })
}

// map3 is map1 for three sources.
func map3[D, T, U, V word](d *[Width]D, a *[Width]T, b *[Width]U, c *[Width]V, op func(T, U, V) D) {
	eachLane(func(i int) { d[i] = op(a[i], b[i], c[i]) })
}

// some1, some2 and some3 apply op to the lanes of m only. They are for operations that take much longer than finding
// the next lane: in divergent code they compute nothing for inactive lanes.
func some1[D, T word](d *[Width]D, a *[Width]T, m Mask, op func(T) D) {
	for ; m != 0; m &= m - 1 {
		i := m.First() % Width
		d[i] = op(a[i])
	}
}

// some2 is some1 for two sources.
func some2[D, T, U word](d *[Width]D, a *[Width]T, b *[Width]U, m Mask, op func(T, U) D) {
	for ; m != 0; m &= m - 1 {
		i := m.First() % Width
		d[i] = op(a[i], b[i])
	}
}

// some3 is some1 for three sources.
func some3[D, T, U, V word](d *[Width]D, a *[Width]T, b *[Width]U, c *[Width]V, m Mask, op func(T, U, V) D) {
	for ; m != 0; m &= m - 1 {
		i := m.First() % Width
		d[i] = op(a[i], b[i], c[i])
	}
}

// eachLane calls op for every lane, two in an iteration: more would prevent inlining.
func eachLane(op func(lane int)) {
	for i := range half {
		op(i)
		op(i + half)
	}
}
