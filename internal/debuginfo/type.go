package debuginfo

import (
	"debug/dwarf"
	"fmt"
	"slices"
	"strings"
)

// Kind is what values of a type are.
type Kind uint8

// The kinds of types. Typedef, Const, Volatile and Restrict stand for another type.
const (
	Void Kind = iota
	Bool
	Char
	Signed
	Unsigned
	Float
	Pointer
	Reference
	Array
	Struct // with classes and unions
	Enum
	Function
	MemberPointer // to a member of a class: its offset, -1 for none; to a member function: a pair that begins with its address
	Typedef
	Const
	Volatile
	Restrict
)

// Type is a type of the source.
type Type struct {
	Kind   Kind
	Name   string // as in the source, with its namespaces and classes; "" if it has none, or is written by its parts
	Word   string // of a Struct: struct, class or union; of a Reference: & or &&; of an Enum: class or ""
	Size   int64  // bytes; 0 if it is not known
	To     *Type  // what is pointed to, an element, or the type that this one stands for; nil for void
	Count  int64  // elements of an array; -1 if not known
	Fields []Field
	Values []Enumerator
	Params []*Type // of a Function
	Of     *Type   // of a MemberPointer: the class
	Format Format  // of a Float
}

// Format is the encoding of a floating-point number, beyond its size.
type Format uint8

// IEEE stands for binary16, binary32 and binary64, BFloat for the upper half of a binary32; the others have 8, 6 and 4
// bits.
const (
	IEEE Format = iota
	BFloat
	E4M3
	E5M2
	E2M3
	E3M2
	E2M1
	E8M0
)

// Field is a member of a struct, or a base class, which has no name.
type Field struct {
	Name   string
	Type   *Type
	Offset int64 // bytes
	// For a bit-field: its bits, and its lowest bit in the bytes of its type. Bits is 0 for others.
	Bits, Shift int64
	Base        bool
}

// Enumerator is a name of an enumeration.
type Enumerator struct {
	Name  string // qualified, as it is written outside all namespaces and classes: Color::Red of an enum class
	Value int64
}

// Bare returns the type without typedefs and qualifiers. Inlined in its many callers it is 3 KB more.
//
//go:noinline
func (t *Type) Bare() *Type {
	for t.Kind >= Typedef && t.To != nil {
		t = t.To
	}
	return t
}

// IsScalar reports whether a value of the type is a number, an address or a name of an enumeration.
func (t *Type) IsScalar() bool {
	switch t.Bare().Kind {
	case Bool, Char, Signed, Unsigned, Float, Pointer, Enum, MemberPointer:
		return true
	}
	return false
}

// IsHandle reports whether values of the type are textures or surfaces.
//
//go:noinline
func (t *Type) IsHandle() bool {
	for ; t != nil && t.Kind >= Typedef; t = t.To {
		switch t.Name {
		case "cudaTextureObject_t", "cudaSurfaceObject_t", "CUtexObject", "CUsurfObject":
			return true
		}
	}
	return false
}

// IsSigned reports whether a value of the type is a signed integer.
func (t *Type) IsSigned() bool {
	b := t.Bare()
	switch b.Kind {
	case Signed, MemberPointer:
		return true
	case Char:
		return b.Name != "unsigned char"
	case Enum:
		return b.To == nil || b.To.IsSigned()
	}
	return false
}

// String returns the type as in the source, such as "const float *".
func (t *Type) String() string { return t.Declare("") }

// Declare returns the declaration of a variable of the type.
func (t *Type) Declare(name string) string { return strings.TrimSpace(t.declare(name, 0)) }

// deepestType is the largest number of pointers, qualifiers and the like in a type that is written.
const deepestType = 20

func (t *Type) declare(name string, depth int) string {
	if t == nil || depth > deepestType {
		return joined("void", name)
	}
	depth++
	switch t.Kind {
	case Pointer, Reference, MemberPointer:
		mark := "*"
		if t.Kind == Reference {
			mark = t.Word
		}
		if t.Kind == MemberPointer {
			mark = t.Of.Name + "::*"
		}
		if to := t.To; to != nil && (to.Kind == Array || to.Kind == Function) {
			return to.declare("("+mark+name+")", depth)
		}
		return t.To.declare(mark+name, depth)
	case Array:
		count := ""
		if t.Count >= 0 {
			count = fmt.Sprint(t.Count)
		}
		return t.To.declare(name+"["+count+"]", depth)
	case Function:
		var params []string
		for _, p := range t.Params {
			params = append(params, p.declare("", depth))
		}
		return t.To.declare(name+"("+strings.Join(params, ", ")+")", depth)
	case Const, Volatile, Restrict:
		word := map[Kind]string{Const: "const", Volatile: "volatile", Restrict: "__restrict__"}[t.Kind]
		if to := t.To; to != nil && (to.Kind == Pointer || to.Kind == Restrict) {
			return to.declare(strings.TrimSpace(" "+word+" "+name), depth) // after the *
		}
		return word + " " + t.To.declare(name, depth)
	case Void:
		return joined("void", name)
	}
	if t.Name == "" { // as gdb writes it
		return joined(map[bool]string{true: "enum", false: t.Word}[t.Kind == Enum]+" {...}", name)
	}
	return joined(t.Name, name)
}

// joined puts a name after a type: "int x", "int *x", "int [3]".
func joined(typ, name string) string { return strings.TrimRight(typ+" "+name, " ") }

// typeOf returns the type of an entry, or of what it completes.
func (i *Info) typeOf(e *dwarf.Entry) *Type {
	_, v := i.Attribute(e, dwarf.AttrType)
	at, _ := v.(dwarf.Offset)
	return i.typeAt(at)
}

// typeAt returns the type at an offset in .debug_info; void for 0. The lock is held. A type that contains itself is
// entered before its parts are read.
func (i *Info) typeAt(at dwarf.Offset) *Type {
	if t := i.types[at]; t != nil {
		return t
	}
	t := &Type{Kind: Void}
	i.types[at] = t
	if at == 0 {
		return t
	}
	e := i.Entry(at)
	if e == nil {
		return t
	}
	t.Name = i.qualified(at)
	t.Size = Number(e, dwarf.AttrByteSize)
	switch e.Tag {
	case dwarf.TagBaseType:
		t.Kind = baseKind(Number(e, dwarf.AttrEncoding))
	case dwarf.TagPointerType:
		t.Kind, t.Size = Pointer, 8
	case dwarf.TagPtrToMemberType:
		t.Kind, t.Size = MemberPointer, 8
	case dwarf.TagReferenceType:
		t.Kind, t.Size, t.Word = Reference, 8, "&"
	case dwarf.TagRvalueReferenceType:
		t.Kind, t.Size, t.Word = Reference, 8, "&&"
	case dwarf.TagStructType:
		t.Kind, t.Word = Struct, "struct"
	case dwarf.TagClassType:
		t.Kind, t.Word = Struct, "class"
	case dwarf.TagUnionType:
		t.Kind, t.Word = Struct, "union"
	case dwarf.TagEnumerationType:
		t.Kind = Enum
		if _, isClass := cutClass(i.nameAt(at)); isClass || e.Val(enumClass) != nil {
			t.Word = "class"
		}
	case dwarf.TagTypedef:
		t.Kind = Typedef
	case dwarf.TagConstType:
		t.Kind = Const
	case dwarf.TagVolatileType:
		t.Kind = Volatile
	case dwarf.TagRestrictType:
		t.Kind = Restrict
	case dwarf.TagSubroutineType:
		t.Kind = Function
	case dwarf.TagArrayType:
		t.Kind = Array
	}
	i.complete(t, e)
	return t
}

// complete reads the parts of a type.
func (i *Info) complete(t *Type, e *dwarf.Entry) {
	if _, ok := e.Val(dwarf.AttrType).(dwarf.Offset); ok {
		t.To = i.typeOf(e)
	}
	switch t.Kind {
	case Struct, Enum:
		i.members(t, e)
		t.asNumber()
	case Function:
		i.Below(e, func(c *dwarf.Entry) { t.Params = append(t.Params, i.typeOf(c)) }, dwarf.TagFormalParameter)
	case MemberPointer:
		at, _ := e.Val(dwarf.AttrContainingType).(dwarf.Offset)
		t.Of = i.typeAt(at)
		if t.To != nil && t.To.Kind == Function {
			t.Size = 16
		}
	case Array:
		i.dimensions(t, e)
	case Typedef, Const, Volatile, Restrict:
		if t.To != nil {
			t.Size = t.To.Size
		}
	}
}

// baseKind returns the kind of a type with an encoding of DWARF.
func baseKind(encoding int64) Kind {
	switch encoding {
	case 2: // DW_ATE_boolean
		return Bool
	case 4: // DW_ATE_float
		return Float
	case 5: // DW_ATE_signed
		return Signed
	case 6, 8, 0x10: // DW_ATE_signed_char, DW_ATE_unsigned_char, DW_ATE_UTF
		return Char
	}
	return Unsigned
}

func (i *Info) members(t *Type, e *dwarf.Entry) {
	outside := i.outside(e.Offset)
	if t.Word == "class" {
		outside = t.Name + "::"
	}
	i.Below(e, func(c *dwarf.Entry) {
		name, _ := c.Val(dwarf.AttrName).(string)
		switch c.Tag {
		case dwarf.TagEnumerator:
			t.Values = append(t.Values, Enumerator{outside + name, Number(c, dwarf.AttrConstValue)})
		case dwarf.TagMember, dwarf.TagInheritance:
			if c.Val(dwarf.AttrDataMemberLoc) == nil && t.Word != "union" {
				return // static
			}
			f := Field{Name: name, Type: i.typeOf(c), Offset: memberOffset(c), Base: c.Tag == dwarf.TagInheritance}
			f.bitField(c)
			t.Fields = append(t.Fields, f)
		}
	}, dwarf.TagEnumerator, dwarf.TagMember, dwarf.TagInheritance)
}

// memberOffset returns the offset of a member: a number, or in DWARF 2 an expression that adds one.
func memberOffset(e *dwarf.Entry) int64 {
	if block, ok := e.Val(dwarf.AttrDataMemberLoc).([]byte); ok && len(block) > 1 && block[0] == opPlusUconst {
		r := reader{block[1:]}
		return int64(r.uleb())
	}
	return Number(e, dwarf.AttrDataMemberLoc)
}

// bitField reads the bits of a member: DWARF 2 counts them from the most significant bit of the member's type, DWARF 4
// from the start of the struct.
func (f *Field) bitField(e *dwarf.Entry) {
	f.Bits = Number(e, dwarf.AttrBitSize)
	if f.Bits == 0 {
		return
	}
	if at, ok := e.Val(dwarf.AttrDataBitOffset).(int64); ok {
		unit := max(f.Type.Size, 1) * 8
		f.Offset, f.Shift = at/unit*(unit/8), at%unit
		return
	}
	size := Number(e, dwarf.AttrByteSize)
	if size == 0 {
		size = f.Type.Size
	}
	f.Shift = size*8 - Number(e, dwarf.AttrBitOffset) - f.Bits
}

// numbers are the classes of CUDA's headers that hold a floating-point number of 16 bits.
var numbers = map[string]Format{"__half": IEEE, "__nv_bfloat16": BFloat}

// asNumber makes a class that holds a floating-point number a type of numbers, which keeps its members.
func (t *Type) asNumber() {
	if f, ok := numbers[t.Name]; ok && t.Kind == Struct && t.Size == 2 && len(t.Fields) == 1 {
		t.Kind, t.Format = Float, f
	}
	t.asNarrow()
}

// dimensions makes an array of arrays of a type with several dimensions.
func (i *Info) dimensions(t *Type, e *dwarf.Entry) {
	var counts []int64
	i.Below(e, func(c *dwarf.Entry) {
		count, ok := c.Val(dwarf.AttrCount).(int64)
		if last, bounded := c.Val(dwarf.AttrUpperBound).(int64); !ok && bounded {
			count, ok = last+1, true
		}
		if !ok {
			count = -1
		}
		counts = append(counts, count)
	}, dwarf.TagSubrangeType)
	if len(counts) == 0 {
		counts = []int64{-1}
	}
	elem := t.To
	for _, count := range slices.Backward(counts[1:]) {
		elem = ArrayOf(elem, count)
	}
	*t = *ArrayOf(elem, counts[0])
}

// ArrayOf returns the type of an array; count is -1 if it is not known.
func ArrayOf(elem *Type, count int64) *Type {
	t := &Type{Kind: Array, To: elem, Count: count}
	if elem != nil && count > 0 {
		t.Size = count * elem.Size
	}
	return t
}

// PointerTo returns the type of a pointer.
func PointerTo(to *Type) *Type { return &Type{Kind: Pointer, Size: 8, To: to} }
