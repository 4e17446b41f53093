package asm

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

type entityKind uint8

const (
	registerEntity entityKind = iota
	vectorEntity              // a register of type .v2 or .v4: its elements are registers
	variableEntity
	functionEntity
	labelEntity
	targetsEntity   // .branchtargets
	prototypeEntity // .callprototype, .calltargets
	constantEntity  // .equ, or an offset or size of a .struct
)

// entity is the meaning of a name.
type entity struct {
	kind      entityKind
	name      string    // unique in the function; for a register, from its first use on
	parameter bool      // a register that is a parameter
	reg       isa.RegID // NoReg until the first use
	typ       isa.Type
	elems     []*entity // elements of a vector
	label     int32
	targets   []isa.Operand // of .branchtargets: labels
	v         *isa.Var
	nested    bool // v was declared as an array of arrays
	f         *isa.Func
	alias     bool    // the name comes from .alias, and refers to f
	pos       isa.Pos // where the name is declared
}

// redeclared returns the error for a name that is declared twice.
func (e *entity) redeclared(name string, pos isa.Pos) *isa.Error {
	return isa.Errorf(pos, "%s is declared already, in line %d", name, e.pos.Line)
}

// registerRange is a declaration such as .reg .b32 %r<9>. Its registers become entities when they are used.
type registerRange struct {
	typ   isa.Type
	vec   int
	count uint64
	pos   isa.Pos
}

// scope holds the names declared between braces.
type scope struct {
	parent *scope
	names  map[string]*entity
	ranges map[string]*registerRange // by prefix
}

func (s *scope) put(name string, e *entity) {
	if s.names == nil {
		s.names = make(map[string]*entity)
	}
	s.names[name] = e
}

// declare enters a name, or returns an error if the name is already declared.
func (s *scope) declare(name string, e *entity) *isa.Error {
	if old := s.find(name); old != nil {
		return old.redeclared(name, e.pos)
	}
	s.put(name, e)
	return nil
}

// find returns the meaning of the name in this scope, or nil.
func (s *scope) find(name string) *entity {
	if e := s.names[name]; e != nil || s.ranges == nil {
		return e
	}
	prefix, n, ok := numbered(name)
	if !ok {
		return nil
	}
	r := s.ranges[prefix]
	if r == nil || n >= r.count {
		return nil
	}
	e := newRegister(name, r.typ, r.vec, r.pos)
	s.put(name, e)
	return e
}

// lookup returns the meaning of the name in this scope and those around it, or nil.
func (s *scope) lookup(name string) *entity {
	for ; s != nil; s = s.parent {
		if e := s.find(name); e != nil {
			return e
		}
	}
	return nil
}

// namesOf returns the visible names of the given kinds, or of any kind if none is given. Names of inner scopes come
// first.
func (s *scope) namesOf(kinds ...entityKind) []string {
	var names []string
	for ; s != nil; s = s.parent {
		for _, name := range slices.Sorted(maps.Keys(s.names)) {
			if len(kinds) == 0 || slices.Contains(kinds, s.names[name].kind) {
				names = append(names, name)
			}
		}
	}
	return names
}

// declareRange enters the registers prefix0 to prefix(count-1).
func (s *scope) declareRange(prefix string, r *registerRange) *isa.Error {
	if old := s.ranges[prefix]; old != nil {
		return isa.Errorf(r.pos, "%s<%d> is declared already, in line %d", prefix, old.count, old.pos.Line)
	}
	if name := s.firstOf(prefix, r.count); name != "" {
		return s.names[name].redeclared(name, r.pos)
	}
	if s.ranges == nil {
		s.ranges = make(map[string]*registerRange)
	}
	s.ranges[prefix] = r
	return nil
}

// firstOf returns the lowest of the names prefix0 to prefix(count-1) that are declared individually, or "".
func (s *scope) firstOf(prefix string, count uint64) string {
	first := ""
	for name := range s.names {
		if p, n, ok := numbered(name); ok && p == prefix && n < count {
			first, count = name, n
		}
	}
	return first
}

// numbered splits a name such as %r12, with a number as in ranges of registers: without leading zeros.
func numbered(name string) (prefix string, n uint64, ok bool) {
	i := len(name)
	for i > 0 && isDigit(name[i-1]) {
		i--
	}
	digits := name[i:]
	if i == 0 || digits == "" || len(digits) > 10 || digits[0] == '0' && len(digits) > 1 {
		return "", 0, false
	}
	n, _ = strconv.ParseUint(digits, 10, 64) // ten digits always fit
	return name[:i], n, true
}

// rangePrefix returns the part before the number of a name that can be in a range, or "". Names that Parse made
// unique with $1 are never declared as ranges.
func rangePrefix(name string) string {
	prefix, _, ok := numbered(name)
	if !ok || strings.HasSuffix(prefix, "$") {
		return ""
	}
	return prefix
}

// newRegister makes a register, or vec registers that are its elements.
func newRegister(name string, typ isa.Type, vec int, pos isa.Pos) *entity {
	e := &entity{kind: registerEntity, name: name, reg: isa.NoReg, typ: typ, pos: pos}
	if vec <= 1 {
		return e
	}
	e.kind = vectorEntity
	for i := range vec {
		e.elems = append(e.elems, newRegister(elementName(name, i), typ, 1, pos))
	}
	return e
}

// elementName returns the name of an element of a vector register, or of a parameter that is one. An unnamed
// parameter has unnamed elements.
func elementName(vector string, i int) string {
	if vector == "_" {
		return "_"
	}
	return vector + "$" + "xyzw"[i:i+1]
}

// element returns the element of a vector with a suffix x, r and so on, or nil.
func (e *entity) element(suffix string) *entity {
	i := strings.IndexAny("xyzwrgba", suffix) % 4
	if e.kind != vectorEntity || len(suffix) != 1 || i < 0 || i >= len(e.elems) {
		return nil
	}
	return e.elems[i]
}
