package isa

import (
	"strconv"
)

// Type is a PTX fundamental type (PTX ISA 5.2.1).
type Type uint8

const (
	NoType Type = iota
	Pred
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	U16x2
	S16x2
	U8x4
	S8x4
	F16
	F16x2
	BF16
	BF16x2
	F32
	F64
	TF32
	E4M3x2
	E5M2x2
	E2M1x2
	E2M3x2
	E3M2x2
	UE8M0x2
	S2F6x2
	E4M3
	E5M2
	E4M3x4
	E5M2x4
	E2M3x4
	E3M2x4
	E2M1x4
	F32x2
	TexRef     // handle of a texture
	SamplerRef // handle of a sampler
	SurfRef    // handle of a surface
	NumTypes
)

// Class is how the bits of a type are interpreted.
type Class uint8

const (
	Untyped Class = iota // .b8 .. .b128
	Unsigned
	Signed
	Float
	Predicate
	Opaque // a handle; registers cannot have this type
)

var typeInfo = [NumTypes]struct {
	name  string
	bits  int
	class Class
}{
	NoType: {"", 0, Untyped},
	Pred:   {"pred", 1, Predicate},
	B8:     {"b8", 8, Untyped}, B16: {"b16", 16, Untyped}, B32: {"b32", 32, Untyped},
	B64: {"b64", 64, Untyped}, B128: {"b128", 128, Untyped},
	U8: {"u8", 8, Unsigned}, U16: {"u16", 16, Unsigned}, U32: {"u32", 32, Unsigned}, U64: {"u64", 64, Unsigned},
	S8: {"s8", 8, Signed}, S16: {"s16", 16, Signed}, S32: {"s32", 32, Signed}, S64: {"s64", 64, Signed},
	U16x2: {"u16x2", 32, Unsigned}, S16x2: {"s16x2", 32, Signed}, U8x4: {"u8x4", 32, Unsigned}, S8x4: {"s8x4", 32, Signed},
	F16: {"f16", 16, Float}, F16x2: {"f16x2", 32, Float},
	BF16: {"bf16", 16, Float}, BF16x2: {"bf16x2", 32, Float}, F32: {"f32", 32, Float}, F64: {"f64", 64, Float},
	TF32: {"tf32", 32, Float}, E4M3x2: {"e4m3x2", 16, Float}, E5M2x2: {"e5m2x2", 16, Float},
	E2M1x2: {"e2m1x2", 8, Float}, E2M3x2: {"e2m3x2", 16, Float}, E3M2x2: {"e3m2x2", 16, Float}, UE8M0x2: {"ue8m0x2", 16, Float},
	S2F6x2: {"s2f6x2", 16, Float}, E4M3: {"e4m3", 8, Float}, E5M2: {"e5m2", 8, Float}, E4M3x4: {"e4m3x4", 32, Float}, E5M2x4: {"e5m2x4", 32, Float}, E2M3x4: {"e2m3x4", 32, Float}, E3M2x4: {"e3m2x4", 32, Float}, E2M1x4: {"e2m1x4", 16, Float},
	F32x2:  {"f32x2", 64, Float},
	TexRef: {"texref", 64, Opaque}, SamplerRef: {"samplerref", 64, Opaque}, SurfRef: {"surfref", 64, Opaque},
}

var typeByName = func() map[string]Type {
	m := make(map[string]Type)
	for t := Pred; t < NumTypes; t++ {
		m[typeInfo[t].name] = t
	}
	return m
}()

// TypeByName returns the type with a name ("u32", without a dot), or NoType.
func TypeByName(name string) Type { return typeByName[name] }

// String returns the type's name without a dot.
func (t Type) String() string { return typeInfo[t].name }

// Bits returns the width of a value; 1 for a predicate.
func (t Type) Bits() int { return typeInfo[t].bits }

// Holds reports whether a 64-bit constant keeps its value, as a signed or as an unsigned number, when it is converted
// to an integer type or to untyped bits. It is true for other types, which have no integer constants.
func (t Type) Holds(bits uint64) bool {
	width := t.Bits()
	if width < 8 || width >= 64 || t.Class() != Untyped && !t.IsInt() {
		return true
	}
	signed := int64(bits)
	return bits>>width == 0 || signed < 0 && signed >= -1<<(width-1)
}

// IntText returns the value of a constant after conversion to an integer type or to untyped bits.
func (t Type) IntText(bits uint64) string {
	unused := 64 - t.Bits()
	if t.Class() == Signed {
		return strconv.FormatInt(int64(bits<<unused)>>unused, 10)
	}
	return strconv.FormatUint(bits<<unused>>unused, 10)
}

// Bytes returns the size of a value in memory; 0 for a predicate, which cannot be in memory.
func (t Type) Bytes() int { return typeInfo[t].bits / 8 }

// Class returns how the bits of t are interpreted.
func (t Type) Class() Class { return typeInfo[t].class }

// Storage returns the type of registers that hold values of t: t itself, or an untyped one for the alternate
// floating-point formats (PTX ISA 5.2.3) and packed types (5.2.5), which registers and variables cannot have.
func (t Type) Storage() Type {
	switch t {
	case E2M1x2, E4M3, E5M2:
		return B8
	case BF16, E4M3x2, E5M2x2, E2M3x2, E3M2x2, UE8M0x2, S2F6x2, E2M1x4:
		return B16
	case BF16x2, TF32, E4M3x4, E5M2x4, E2M3x4, E3M2x4, U16x2, S16x2, U8x4, S8x4:
		return B32
	case F32x2:
		return B64
	}
	return t
}

// takesFtz reports whether instructions on values of t can flush subnormal numbers.
func (t Type) takesFtz() bool { return t == F32 || t == F16 || t == F16x2 }

// inHalves reports whether a value of t is two floating-point numbers of 16 bits.
func (t Type) inHalves() bool { return t == F16x2 || t == BF16x2 }

// inBytes reports whether a value of t is two floating-point numbers of at most 8 bits.
func (t Type) inBytes() bool { return t == E4M3x2 || t == E5M2x2 || t >= E2M1x2 && t <= E3M2x2 }

// isFour reports whether a value of t is four floating-point numbers.
func (t Type) isFour() bool { return t >= E4M3x4 && t <= E2M1x4 }

// isPacked reports whether a value of t is several integers.
func (t Type) isPacked() bool { return t >= U16x2 && t <= S8x4 }

// parts returns how many integers a value of a packed type has.
func (t Type) parts() int {
	if t == U16x2 || t == S16x2 {
		return 2
	}
	return 4
}

// IsInt reports whether t is a signed or unsigned integer.
func (t Type) IsInt() bool { return t.Class() == Signed || t.Class() == Unsigned }

// Element returns the untyped type of an n-th of a value of t: 8, 16, 32 or 64 bits wide.
func (t Type) Element(n int) Type {
	return [...]Type{8: B8, 16: B16, 32: B32, 64: B64}[t.Bits()/n]
}

// wide returns the integer type of twice the width, for .wide results; NoType if there is none.
func (t Type) wide() Type {
	switch t {
	case U16:
		return U32
	case S16:
		return S32
	case U32:
		return U64
	case S32:
		return S64
	}
	return NoType
}
