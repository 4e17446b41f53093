package asm

import (
	"slices"
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
)

// maxBytes is the maximum size of a variable, so that sizes and offsets never overflow.
const maxBytes = 1 << 40

var spaces = map[string]isa.Space{
	".global": isa.Global, ".const": isa.Const, ".shared": isa.Shared, ".local": isa.Local, ".param": isa.Param, ".reg": isa.RegSpace,
	".tex": isa.Global, // the space of textures in PTX 1.x, for variables that are .texref today
}

// qualified is the declaration between the state space and the names.
type qualified struct {
	typ   isa.Type
	vec   int
	align int // bytes; 0 if not given
	ptr   *isa.Ptr
}

func (a *assembler) qualifiers(quals []*qualifier) *qualified {
	q := &qualified{vec: 1}
	for _, s := range quals {
		switch {
		case s.Align != nil:
			q.align = a.alignment(s.Align)
		case s.Ptr != nil:
			q.ptr = &isa.Ptr{Space: spaces[s.Ptr.Space], Align: 1}
			if s.Ptr.Align != nil {
				q.ptr.Align = a.alignment(s.Ptr.Align)
			}
		case s.Type.Value == ".v2":
			q.vec = 2
		case s.Type.Value == ".v4":
			q.vec = 4
		case q.ptr != nil && opaqueTypes[s.Type.Value] != isa.NoType:
			q.ptr.To = opaqueTypes[s.Type.Value]
		case s.Type.Value != "":
			a.typeSuffix(q, &s.Type)
		}
	}
	return q
}

func (a *assembler) typeSuffix(q *qualified, t *lexer.Token) {
	typ := isa.TypeByName(t.Value[1:])
	if typ == isa.NoType {
		a.errs.addf(position(t.Pos), "%s: no such type; %s", t.Value, isa.InsteadOfType(t.Value[1:]))
		typ = isa.B32
	}
	if s := typ.Storage(); s != typ {
		a.errs.addf(position(t.Pos), "%s: registers and variables have no such type; .%s holds it", t.Value, s)
	}
	q.typ = typ
}

func (a *assembler) alignment(s *alignment) int {
	n := a.number(&s.Bytes, 1, 1<<20)
	if n&(n-1) != 0 {
		a.errs.addf(position(s.Bytes.Pos), "alignment %d is not a power of two", n)
		return 1
	}
	return int(n)
}

// mostInRange is how many variables, other than registers, a single name can declare.
const mostInRange = 1 << 12

// spread replaces a range such as .param .b32 %p<4> by a declarator for each variable (PTX ISA 5.4.5). Ranges of
// registers, which can be large, are kept and searched by name, and invalid ones are kept for the error.
func (v *variables) spread() {
	if v == nil || v.Space.Value == ".reg" || !slices.ContainsFunc(v.Decls, func(d *declarator) bool { return d.Count.Value != "" }) {
		return
	}
	var all []*declarator
	for _, d := range v.Decls {
		n, err := strconv.ParseUint(d.Count.Value, 0, 64)
		if err != nil || n == 0 || n > mostInRange || len(d.Dims) > 0 || d.Init != nil {
			all = append(all, d)
			continue
		}
		for i := range n {
			one := &declarator{Name: d.Name}
			one.Name.Value += strconv.FormatUint(i, 10)
			all = append(all, one)
		}
	}
	v.Decls = all
}

// variable makes the variable of one declarator, nil if it is invalid, and its initialiser if it has one.
func (a *assembler) variable(space string, linkage isa.Linkage, q *qualified, d *declarator) (*isa.Var, *initialiser) {
	pos := position(d.Name.Pos)
	switch {
	case q.typ == isa.NoType:
		a.errs.addf(pos, "%s has no type; one such as .u32 stands before the name", d.Name.Value)
		return nil, nil
	case q.typ == isa.Pred && space != ".reg":
		a.errs.addf(pos, "%s is .pred; a predicate can only be a register", d.Name.Value)
		return nil, nil
	case d.Count.Value != "":
		a.errs.addf(position(d.Count.Pos), "%s<%s>: a range has 1 to %d variables, without arrays and initialisers", d.Name.Value, d.Count.Value, mostInRange)
		return nil, nil
	}
	v := &isa.Var{
		Name: d.Name.Value, Space: spaces[space], Linkage: linkage, Type: q.typ, Vec: q.vec, Count: 1,
		Array: len(d.Dims) > 0, Align: max(q.align, q.typ.Bytes()*q.vec, 1), Ptr: q.ptr, Pos: pos,
	}
	shape := a.dimensions(v, d)
	if v.Type.IsOpaque() {
		if msg := checkOpaque(v, space); msg != "" {
			a.errs.addf(pos, "%s is .%s, which %s", v.Name, v.Type, msg)
		} else if d.Init != nil {
			a.fields(v, d.Init)
		}
		return v, nil
	}
	if d.Init == nil {
		if shape.unsized && linkage != isa.Extern && v.Space != isa.Param {
			a.errs.addf(pos, "%s[] needs a size or an initialiser", v.Name)
		}
		return v, nil
	}
	if v.Space != isa.Global && v.Space != isa.Const {
		a.errs.addf(pos, "%s cannot be initialised: only .global and .const variables can", v.Name)
		return v, nil
	}
	return v, &initialiser{tokens: d.Init.tokens, shape: shape}
}

// shape is the nesting of an initialiser: the array's dimensions and, last, the number of elements of its vector
// type.
type shape struct {
	dims    []int64 // sizes of the array; the first is 0 for an unsized one
	unsized bool
}

// dimensions sets the element count of v.
func (a *assembler) dimensions(v *isa.Var, d *declarator) shape {
	var s shape
	inner := int64(1)
	for i, dim := range slices.Backward(d.Dims) {
		n := a.dimension(dim)
		switch {
		case n == 0 && i == 0:
			s.unsized = true
		case n == 0:
			a.errs.addf(position(dim.Open.Pos), "only the first dimension of %s can be without a size", v.Name)
			n = 1
		case n > maxBytes/inner:
			a.errs.addf(v.Pos, "%s is larger than 1 TiB", v.Name)
			n = 1
		}
		s.dims = sorted.Insert(s.dims, 0, n)
		v.Count *= n
		inner *= max(n, 1)
	}
	if v.Vec > 1 {
		s.dims = append(s.dims, int64(v.Vec))
	}
	return s
}

// dimension returns the size in brackets; 0 if there is none.
func (a *assembler) dimension(d *dimension) int64 {
	if d.Size == nil {
		return 0
	}
	c := &cursor{tokens: d.Size.tokens, constants: a.constants}
	v, err := c.constant()
	switch {
	case err != nil:
		a.errs.add(err)
		return 1
	case !c.atEnd():
		a.errs.add(c.unexpected("]"))
		return 1
	case v.lit != isa.IntLit || v.bits > maxBytes:
		a.errs.addf(position(d.Open.Pos), "an array's size is an integer from 0 to %d", int64(maxBytes))
		return 1
	}
	return int64(v.bits)
}
