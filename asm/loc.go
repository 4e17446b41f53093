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

// passLoc passes a .loc directive with three decimal numbers and nothing else, and the space around it. It passes
// nothing but space otherwise.
func (s *scanner) passLoc() (n locNumbers, ok bool) {
	s.skipSpace()
	if !strings.HasPrefix(s.src[s.at:], ".loc") {
		return n, false
	}
	s.at += len(".loc")
	if n, ok = s.passLocNumbers(); !ok {
		s.at -= len(".loc")
	}
	return n, ok
}

// skipSpace skips blanks, tabs and ends of lines, which is all that there is between most lines.
func (s *scanner) skipSpace() {
	src, at := s.src, s.at
	for at < len(src) && src[at] <= ' ' {
		switch src[at] {
		case '\n':
			s.line++
			s.lineStart = at + 1
		case ' ', '\t':
		default:
			s.at = at
			return
		}
		at++
	}
	s.at = at
}

// passLocNumbers passes the three decimal numbers of .loc on its line, and the space after them. It passes nothing if
// they are others than most, or if more follows.
func (s *scanner) passLocNumbers() (n locNumbers, ok bool) {
	src, at := s.src, s.at
	var value [3]int32
	for i := range value {
		from := at
		for at < len(src) && (src[at] == ' ' || src[at] == '\t') {
			at++
		}
		word := at
		for at < len(src) && src[at]-'0' <= 9 {
			value[i] = value[i]*10 + int32(src[at]-'0')
			at++
		}
		if length := at - word; length == 0 || length > mostLocDigits || word == from || length > 1 && src[word] == '0' {
			return n, false
		}
		if i == 0 {
			n.file = src[word:at]
		}
	}
	if at == len(src) || isNamePart(src[at]) || src[at] == '.' {
		return n, false
	}
	n.line, n.col = value[1], value[2]
	start, line, lineStart := s.at, s.line, s.lineStart
	s.at = at
	if s.skipSpace(); s.at < len(src) && src[s.at] <= '@' && s.skipBlank() != nil || s.at == len(src) || src[s.at] == ',' {
		s.at, s.line, s.lineStart = start, line, lineStart
		return n, false
	}
	s.last = intToken
	return n, true
}

// mostLocDigits is how many digits every number that fits 31 bits may have.
const mostLocDigits = 9

// passLocs passes the .loc directive that the next token begins, and others after it. It passes nothing, and returns
// false, if the first has more than numbers.
func (r *reader) passLocs() bool {
	n, ok := r.scanner.passLocNumbers()
	if !ok {
		return false
	}
	r.passed = append(r.passed, n)
	r.nextStatement()
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
