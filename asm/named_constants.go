package asm

import (
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// equate gives a constant a name.
type equate struct {
	Name  lexer.Token    `parser:"'.equ' @Word ','"`
	Value *constantValue `parser:"@@ ';'"`
}

// structure gives names to the offsets of data in memory, and to its size.
type structure struct {
	Name   lexer.Token `parser:"'.struct' @Word '{'"`
	Fields []*field    `parser:"@@* '}'"`
}

type field struct {
	Quals []*qualifier  `parser:"@@+"`
	Decls []*declarator `parser:"@@ (',' @@)* ';'"`
}

// nameConstants evaluates the named constants of a file before everything else, so that all of the file can use them.
func (a *assembler) nameConstants(file *sourceFile) {
	for _, it := range file.Items {
		switch {
		case it.Equate != nil:
			a.equate(it.Equate)
		case it.Structure != nil:
			a.structure(it.Structure)
		}
	}
}

func (a *assembler) equate(e *equate) {
	c := &cursor{tokens: e.Value.tokens, constants: a.constants}
	v, err := c.constant()
	switch {
	case err != nil && c.atName():
		err = isa.Errorf(position(c.peek().Pos), "%s is not a constant that is declared above%s", c.peek().Value, isa.DidYouMean(c.peek().Value, slices.Sorted(maps.Keys(a.constants))))
	case err == nil && !c.atEnd():
		err = c.unexpected("an operator or ;")
	}
	a.errs.add(err)
	a.nameConstant(&e.Name, e.Name.Value, v)
}

// nameConstant enters a constant that is declared at a token.
func (a *assembler) nameConstant(t *lexer.Token, name string, v constant) {
	pos := position(t.Pos)
	switch old := a.symbols[name]; {
	case old != nil:
		a.errs.add(old.redeclared(name, pos))
		return
	case strings.ContainsAny(t.Value, ".%"), t.Value == "_", slices.Contains(reservedWords, t.Value):
		a.errs.addf(pos, "%s cannot be the name of a constant: expected letters, digits, $ and _", t.Value)
	}
	if a.constants == nil {
		a.constants = make(map[string]constant)
	}
	a.constants[name] = v
	a.symbols[name] = &entity{kind: constantEntity, pos: pos}
}

// structure lays out the fields as C does: each at the next multiple of its alignment, and the size is a multiple of
// the largest.
func (a *assembler) structure(s *structure) {
	offset, align := int64(0), int64(1)
	for _, f := range s.Fields {
		q := a.qualifiers(f.Quals)
		for _, d := range f.Decls {
			v, _ := a.variable(".local", isa.Internal, q, d)
			if v == nil || v.Type.IsOpaque() {
				continue
			}
			align = max(align, int64(v.Align))
			offset = roundUp(offset, int64(v.Align))
			a.nameConstant(&d.Name, s.Name.Value+"."+d.Name.Value, signed(offset))
			offset += v.Size()
		}
	}
	a.nameConstant(&s.Name, s.Name.Value+".size", signed(roundUp(offset, align)))
}

// roundUp returns the next multiple of a power of two.
func roundUp(n, to int64) int64 { return (n + to - 1) &^ (to - 1) }

// atName reports whether the next token is a name other than that of a constant.
func (c *cursor) atName() bool { return c.isName(c.peek()) }

func (c *cursor) isName(t *lexer.Token) bool {
	if t.Type != wordToken {
		return false
	}
	_, known := c.named(t)
	return !known
}

// named returns the constant with a name: WARP_SZ, or one of the file that no name of the function hides.
func (c *cursor) named(t *lexer.Token) (constant, bool) {
	if t.Value == "WARP_SZ" {
		return signed(warpSize), true
	}
	v, ok := c.constants[t.Value]
	if ok && c.scope.lookup(t.Value) != nil {
		return v, false
	}
	return v, ok
}

// integer returns the value of an integer or of a named constant, and an error in place of other values.
func (a *assembler) integer(t *lexer.Token) (uint64, *isa.Error) {
	if t.Type != wordToken {
		v, _ := literal(t.Value, t.Type) // the lexer has checked it
		return v.bits, nil
	}
	v, ok := a.constants[t.Value]
	switch {
	case !ok:
		return 0, isa.Errorf(position(t.Pos), "found %s; expected an integer%s", t.Value, isa.DidYouMean(t.Value, slices.Sorted(maps.Keys(a.symbols))))
	case v.lit != isa.IntLit:
		return 0, isa.Errorf(position(t.Pos), "%s is a float; expected an integer", t.Value)
	}
	return v.bits, nil
}
