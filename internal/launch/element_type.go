package launch

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/simtrun/simtrun/internal/isa"
)

// Elem is the type of a buffer's elements. The zero Elem means that there is no type.
type Elem uint8

// The element types, named as in directives.
const (
	U8 Elem = iota + 1
	S8
	U16
	S16
	U32
	S32
	U64
	S64
	F16
	BF16
	F32
	F64
	numElems
)

var elemNames = [numElems]string{"", "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"}

var elemBytes = [numElems]int{U8: 1, S8: 1, U16: 2, S16: 2, U32: 4, S32: 4, U64: 8, S64: 8, F16: 2, BF16: 2, F32: 4, F64: 8}

// String returns the type's name, such as "u32"; "" for the zero Elem.
func (e Elem) String() string { return elemNames[e] }

// Bytes returns the size of one element; 0 for the zero Elem.
func (e Elem) Bytes() int { return elemBytes[e] }

// isFloat reports whether e is a floating-point type.
func (e Elem) isFloat() bool { return e >= F16 }

func (e Elem) isSigned() bool { return e == S8 || e == S16 || e == S32 || e == S64 }

func (e Elem) bits() int { return 8 * e.Bytes() }

// format16 returns the format of a 16-bit floating-point type.
func (e Elem) format16() format16 {
	if e == BF16 {
		return bfloat16
	}
	return binary16
}

// significand returns the precision of a floating-point type in bits.
func (e Elem) significand() int {
	return [numElems]int{F16: 11, BF16: 8, F32: 24, F64: 53}[e]
}

func elemByName(name string) (Elem, error) {
	for e := U8; e < numElems; e++ {
		if elemNames[e] == name {
			return e, nil
		}
	}
	if near := isa.Meant(name, elemNames[1:]); near != "" {
		return 0, fmt.Errorf("no element type %q; did you mean %s?", name, near)
	}
	return 0, fmt.Errorf("no element type %q; %s", name, isa.Instead(name, elemNames[1:]))
}

// ElemOf returns the element type for values of a PTX type. Untyped bits are unsigned numbers. It returns the zero
// Elem for types without scalar values, such as b128.
func ElemOf(t isa.Type) Elem {
	switch t.Class() {
	case isa.Unsigned, isa.Untyped:
		return map[int]Elem{8: U8, 16: U16, 32: U32, 64: U64}[t.Bits()]
	case isa.Signed:
		return map[int]Elem{8: S8, 16: S16, 32: S32, 64: S64}[t.Bits()]
	case isa.Float:
		return map[isa.Type]Elem{isa.F16: F16, isa.F16x2: U32, isa.F32: F32, isa.F64: F64}[t]
	}
	return 0
}

// Type returns the PTX type of such elements. A bfloat16 number is 16 untyped bits in PTX.
func (e Elem) Type() isa.Type {
	return [numElems]isa.Type{U8: isa.U8, S8: isa.S8, U16: isa.U16, S16: isa.S16, U32: isa.U32, S32: isa.S32,
		U64: isa.U64, S64: isa.S64, F16: isa.F16, BF16: isa.B16, F32: isa.F32, F64: isa.F64}[e]
}

// TextAt returns the element at the start of memory as text.
func (e Elem) TextAt(mem []byte) string { return e.Text(e.load(mem)) }

// load and store convert one element between its bits and little-endian memory.
func (e Elem) load(mem []byte) uint64 {
	switch e.Bytes() {
	case 1:
		return uint64(mem[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(mem))
	case 4:
		return uint64(binary.LittleEndian.Uint32(mem))
	}
	return binary.LittleEndian.Uint64(mem)
}

func (e Elem) store(mem []byte, bits uint64) {
	switch e.Bytes() {
	case 1:
		mem[0] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(mem, uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(mem, uint32(bits))
	default:
		binary.LittleEndian.PutUint64(mem, bits)
	}
}

// fill stores elements from number first on; at returns the bits of an element by its number.
func (e Elem) fill(mem []byte, first int64, at func(i int64) uint64) {
	if e.Bytes() == 4 { // the most common size
		for i := 0; i+4 <= len(mem); i += 4 {
			binary.LittleEndian.PutUint32(mem[i:i+4], uint32(at(first)))
			first++
		}
		return
	}
	for ; len(mem) > 0; mem = mem[e.Bytes():] {
		e.store(mem, at(first))
		first++
	}
}

// float returns the exact value of a floating-point element.
func (e Elem) float(bits uint64) float64 {
	switch e {
	case F32:
		return float64(math.Float32frombits(uint32(bits)))
	case F64:
		return math.Float64frombits(bits)
	}
	return e.format16().widen(bits)
}

// round returns the element nearest to v, ties to even; NaN becomes the canonical NaN of PTX.
func (e Elem) round(v float64) uint64 {
	switch {
	case e == F64 && math.IsNaN(v):
		return 0x7ff8000000000000
	case e == F64:
		return math.Float64bits(v)
	case e == F32:
		return round32(v)
	}
	return e.format16().narrow(v)
}

// round32 is round for F32.
func round32(v float64) uint64 {
	if v != v {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(float32(v)))
}

// signed sign-extends an integer element to 64 bits.
func (e Elem) signed(bits uint64) int64 {
	shift := 64 - e.bits()
	return int64(bits<<shift) >> shift
}

// truncate keeps the low bits, as many as an element has.
func (e Elem) truncate(bits uint64) uint64 { return bits << (64 - e.bits()) >> (64 - e.bits()) }

// Text returns an element as dumps show it: a decimal number, for floating-point types the shortest that parses to
// the same value, or nan, inf, -inf.
func (e Elem) Text(bits uint64) string {
	switch {
	case e.isSigned():
		return strconv.FormatInt(e.signed(bits), 10)
	case !e.isFloat():
		return strconv.FormatUint(bits, 10)
	case e == F32:
		return floatText(e.float(bits), 32)
	case e == F64:
		return floatText(e.float(bits), 64)
	}
	return floatText(e.shortest(bits), 64)
}

// shortest returns the float64 with the fewest decimal digits that rounds to the 16-bit element bits.
func (e Elem) shortest(bits uint64) float64 {
	v := e.float(bits)
	for digits := 0; digits < 17; digits++ {
		short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits, 64), 64)
		if err == nil && e.round(short) == bits {
			return short
		}
	}
	return v
}

func floatText(v float64, bitSize int) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case a != 0 && (a < 1e-5 || a >= 1e15):
		return strconv.FormatFloat(v, 'e', -1, bitSize)
	}
	return strconv.FormatFloat(v, 'f', -1, bitSize)
}
