package asm

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// With debug information, a third of the statements are .loc. Most have three decimal numbers and nothing else, and are
// read without making tokens of them.

// locNumbers are the numbers of a .loc directive.
type locNumbers struct {
	file      string
	line, col int32
}

// passLocNumbers passes .loc and its three numbers if they are decimal and on one line. It passes nothing otherwise.
func (r *reader) passLocNumbers() (n locNumbers, ok bool) {
	s := &r.scanner
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
	s.at, s.last = at, intToken
	r.scan()
	return n, true
}

// loc passes a .loc directive: file, line and column, and where the line was inlined.
func loc(lex *reader) error {
	if _, ok := lex.passLocNumbers(); ok {
		return inlining(lex)
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
	start := text.Peek().Pos
	if n, ok := text.passLocNumbers(); ok && text.Peek().Type != ',' {
		b.setLocation(isa.Pos{File: b.sourceFile(n.file), Line: n.line, Col: n.col}, nil)
		return
	}
	text.startAt(start)
	locTokens(text)
	b.location(text.read())
}

// location records the position that the tokens of a .loc directive give to the code after it. The position where that
// was inlined may have a .loc of its own, and so have been inlined in turn (PTX ISA 11.6).
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
