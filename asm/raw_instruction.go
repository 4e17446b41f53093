package asm

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// raw returns an instruction as in the source, except that white space becomes one blank, and names become the unique
// ones.
func (b *bodyAssembler) raw(tokens []lexer.Token) (string, *isa.Error) {
	var text strings.Builder
	for i := range tokens[:len(tokens)-1] {
		t := &tokens[i]
		if i > 0 && t.Pos.Offset > tokens[i-1].Pos.Offset+len(tokens[i-1].Value) {
			text.WriteByte(' ')
		}
		if t.Type != wordToken || i == 0 {
			text.WriteString(t.Value)
			continue
		}
		name, err := b.rawName(t)
		if err != nil {
			return "", err
		}
		text.WriteString(name)
	}
	return text.String(), nil
}

// rawName returns the unique name for a word in an instruction that is kept as text. The word may be a name with a
// suffix, such as %r1.b0, or not be a name.
func (b *bodyAssembler) rawName(t *lexer.Token) (string, *isa.Error) {
	name, suffix := t.Value, ""
	e := b.lookup(name)
	if base, rest, dotted := strings.Cut(name, "."); e == nil && dotted {
		e, name, suffix = b.lookup(base), base, "."+rest
	}
	switch {
	case e == nil:
		if _, used := b.taken[name]; used && !b.unknownWords[name] || b.declared[rangePrefix(name)] {
			return "", b.undeclared(t)
		}
		b.taken[name], b.unknownWords[name] = 0, true // later declarations must not use this name
		return t.Value, nil
	case e.kind == registerEntity:
		b.use(e)
	case e.kind == vectorEntity:
		return b.rawVector(e), nil
	case e.kind == targetsEntity:
		return "", isa.Errorf(position(t.Pos), "%s is a list of branch targets, which only brx.idx takes", t.Value)
	case e.name == "":
		return t.Value, nil
	}
	return e.name + suffix, nil
}

// rawVector returns a vector register as the vector of its elements.
func (b *bodyAssembler) rawVector(e *entity) string {
	var names []string
	for _, elem := range e.elems {
		b.use(elem)
		names = append(names, elem.name)
	}
	return "{" + strings.Join(names, ", ") + "}"
}
