package isa

import (
	"fmt"
	"strings"
)

// FormalKind is the kind of an operand in a form.
type FormalKind uint8

const (
	Value FormalKind = iota // register, immediate or special register
	Address
	Pointer // Value that is an address of 32 or 64 bits
	Vector  // Value, or as many of them as the vector modifier says
	Immediate
	Target
	Table
	Callee
	AnyMove      // operand of mov: also symbols and vectors
	Fragment     // registers with a lane's part of matrices
	Multiplicand // Fragment, or a Value that is the descriptor of a matrix
	Image        // [t], [t, {x, y}] or [t, s, {x, y}]: a texture or surface, a sampler, coordinates
	Offset       // Value, or a vector: as many as the geometry has coordinates
	TensorAt     // [t, {x, y}]: a tensor map, coordinates
	Pixels       // a vector: as many as an image has dimensions
	TensorMatrix // an address in tensor memory, or Value
	Four         // Value or, for a result of four numbers, a vector of four
	LaneMask     // a vector of four, or of eight for two CTAs
)

// Formal is an operand of a form.
type Formal struct {
	Name     byte
	Kind     FormalKind
	Result   bool
	Optional bool
	Select   Selection
	Negates  bool // it may be negated: -%r1
	Half     bool // of the type given by the modifier half, if there is one
	Fixed    Type // a type of its own, or NoType
	Suffix   int  // otherwise the index of its type suffix: 0 or 1
	Wide     bool // twice as wide under .wide
	Mbar     bool // the address of an mbarrier
	Tensor   bool // an address in tensor memory
	From     bool // an address in the space given by the modifier From
	OrPred   bool // or a predicate
	OrLong   bool // of 32 or 64 bits

	fragment func(m *Mods, operand byte) (registers int, t Type) // the row's Syntax.fragment
}

// Type returns the operand type of p in an instruction with these types and modifiers.
func (p *Formal) Type(types [2]Type, mods *Mods) Type {
	t := p.Fixed
	if p.Kind == Fragment {
		_, t = p.fragment(mods, p.Name)
		return t
	}
	if t == NoType {
		t = types[p.Suffix]
	}
	if p.Half && mods[HalfG] != 0 {
		t = [...]Type{HalfF16: F16, HalfBF16: BF16}[mods[HalfG]]
	}
	if p.Half && mods[HalvesG] != 0 {
		t = [...]Type{HalfF16: F16x2, HalfBF16: BF16x2}[mods[HalvesG]]
	}
	if p.Wide && mods[Part] == WidePart {
		t = t.wide()
	}
	return t
}

// Registers returns the number of registers of p, which must be a Fragment.
func (p *Formal) Registers(mods *Mods) int {
	n, _ := p.fragment(mods, p.Name)
	return n
}

// formalKinds has the kinds of operands by their names in forms, with a type if they have a fixed one.
var formalKinds = map[string]struct {
	kind  FormalKind
	fixed Type
}{
	"ptr":    {Pointer, U64},
	"v":      {Vector, NoType},
	"four":   {Four, F32},
	"imm":    {Immediate, U32},
	"label":  {Target, NoType},
	"table":  {Table, NoType},
	"func":   {Callee, NoType},
	"mov":    {AnyMove, NoType},
	"frag":   {Fragment, NoType},
	"lanes":  {LaneMask, B32},
	"matrix": {Multiplicand, B64},
	"image":  {Image, NoType},
	"offset": {Offset, S32},
	"grad":   {Offset, F32},
	"map":    {TensorAt, NoType},
	"pixels": {Pixels, U16},
}

func (s *Spec) parseFormal(text string) Formal {
	p := Formal{}
	if strings.HasPrefix(text, "[") {
		p.Kind = Address
		text = strings.Trim(text, "[]")
	}
	name, what, _ := strings.Cut(text, ":")
	p.Name = name[0]
	p.Result = p.Name == 'd' || p.Name == 'q' || p.Name == 'z'
	switch what {
	case "":
	case "1":
		p.Suffix = 1
	case "w":
		p.Wide = true
	case "half":
		p.Half = true
	case "from":
		p.From = true
	case "mbar":
		p.Mbar = true
	case "tensor":
		p.Tensor = true
	case "factor":
		p.Kind, p.Fixed, p.Tensor = TensorMatrix, B64, true
	case "size":
		p.Fixed, p.OrPred = U32, true
	case "wide":
		p.Fixed, p.OrLong = U32, true
	default:
		if f, ok := formalKinds[what]; ok {
			p.Kind, p.Fixed = f.kind, f.fixed
		} else if p.Fixed = TypeByName(what); p.Fixed == NoType && !parseSelection(what, &p) {
			panic(fmt.Sprintf("simtrun bug: row %s: no type %q", s.Title(), what))
		}
	}
	return p
}
