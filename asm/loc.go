package asm

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// With debug information, a third of the statements are .loc. Nearly all have three decimal numbers and nothing else,
// and are read without making tokens of them.

// locNumbers are the numbers of a .loc directive.
type locNumbers struct {
	file      string
	line, col int32
}

// passLoc passes a .loc directive with three decimal numbers and nothing else. It passes nothing but space otherwise.
func (s *scanner) passLoc() (n locNumbers, ok bool) {
	at, line, lineStart := s.at, s.line, s.lineStart
	if s.skipBlank() != nil {
		s.at, s.line, s.lineStart = at, line, lineStart
		return n, false
	}
	if !strings.HasPrefix(s.src[s.at:], ".loc") {
		return n, false
	}
	s.at += len(".loc")
	if n, ok = s.passLocNumbers(); !ok {
		s.at -= len(".loc")
	}
	return n, ok
}

// passLocNumbers passes the three decimal numbers of .loc on its line, and the space after them. It passes nothing if
// they are others than most, or if more follows.
func (s *scanner) passLocNumbers() (n locNumbers, ok bool) {
	at := s.at
	for i := range 3 {
		from := at
		for at < len(s.src) && (s.src[at] == ' ' || s.src[at] == '\t') {
			at++
		}
		word, value := at, int32(0)
		for at < len(s.src) && isDigit(s.src[at]) && at-word < 9 {
			value = value*10 + int32(s.src[at]-'0')
			at++
		}
		if at == word || word == from || at-word > 1 && s.src[word] == '0' {
			return n, false
		}
		switch i {
		case 0:
			n.file = s.src[word:at]
		case 1:
			n.line = value
		case 2:
			n.col = value
		}
	}
	if at == len(s.src) || isNamePart(s.src[at]) || s.src[at] == '.' {
		return n, false
	}
	before := *s
	s.at = at
	if s.skipBlank() != nil || s.at == len(s.src) || s.src[s.at] == ',' {
		*s = before
		return n, false
	}
	s.last = intToken
	return n, true
}

// passLocs passes the .loc directive that the next token begins, and others after it. It passes nothing, and returns
// false, if the first has more than numbers.
func (r *reader) passLocs() bool {
	n, ok := r.scanner.passLocNumbers()
	if !ok {
		return false
	}
	r.passed = append(r.passed, n)
	r.NextStatement()
	return true
}

// loc passes a .loc directive: file, line and column, and where the line was inlined.
func loc(lex *reader) error {
	if lex.passLocs() {
		return nil
	}
	return locTokens(lex)
}

// locTokens is loc, and keeps the tokens.
func locTokens(lex *reader) error {
	lex.Next()
	if err := integers(lex, 3); err != nil {
		return err
	}
	return inlining(lex)
}

// inlining skips where the line was inlined.
func inlining(lex *reader) error {
	for lex.Peek().Type == ',' {
		lex.Next()
		switch t := lex.Next(); t.Value {
		case "function_name":
			if t := lex.Next(); t.Type != wordToken {
				return unexpected(t, "a label")
			}
			if lex.Peek().Type == '+' {
				lex.Next()
				if t := lex.Next(); t.Type != intToken {
					return unexpected(t, "an integer")
				}
			}
		case "inlined_at":
			if err := integers(lex, 3); err != nil {
				return err
			}
		default:
			return unexpected(t, "function_name or inlined_at")
		}
	}
	return nil
}

func integers(lex *reader, n int) error {
	for range n {
		if t := lex.Peek(); t.Type != intToken {
			return unexpected(t, "a file number, a line and a column")
		}
		lex.Next()
	}
	return nil
}

// readLoc assembles a .loc directive that the parser found well-formed.
func (b *bodyAssembler) readLoc(text *reader) {
	if !text.passLocs() {
		_ = locTokens(text) // it found no fault before
		b.location(text.read())
	}
}

// placeOf returns the position that numbers give.
func (b *bodyAssembler) placeOf(n locNumbers) isa.Pos {
	return isa.Pos{File: b.sourceFile(n.file), Line: n.line, Col: n.col}
}

// location records the position that the tokens of a .loc directive give to the code after it. The call at which that
// code was inlined may have a .loc of its own, and so may have been inlined itself (PTX ISA 11.6).
func (b *bodyAssembler) location(loc []lexer.Token) {
	var inlined *isa.Inlined
	function := ""
	for i, t := range loc {
		switch t.Value {
		case "function_name":
			if function = loc[i+1].Value; i+3 < len(loc) && loc[i+2].Type == '+' {
				function += "+" + loc[i+3].Value
			}
		case "inlined_at":
			at := b.place(loc[i+1:])
			inlined = &isa.Inlined{At: at, By: b.inlinedAt[at], Function: function}
		}
	}
	b.setLocation(b.place(loc[1:]), inlined)
}

func (b *bodyAssembler) setLocation(loc isa.Pos, inlined *isa.Inlined) {
	b.loc, b.inlined = loc, inlined
	if b.inlined != nil || b.inlinedAt[b.loc] != nil {
		if b.inlinedAt == nil {
			b.inlinedAt = make(map[isa.Pos]*isa.Inlined)
		}
		b.inlinedAt[b.loc] = b.inlined
	}
}

// place returns the position given by a file number, a line and a column.
func (b *bodyAssembler) place(loc []lexer.Token) isa.Pos {
	return isa.Pos{
		File: b.sourceFile(loc[0].Value),
		Line: int32(b.number(&loc[1], 0, 1<<31-1)),
		Col:  int32(b.number(&loc[2], 0, 1<<31-1)),
	}
}
