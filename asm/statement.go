package asm

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/isa"
)

type statementKind uint8

const (
	instructionStatement statementKind = iota
	labelStatement
	declarationStatement
	openScope
	closeScope
	locStatement
	fileStatement
	targetsStatement
	prototypeStatement
)

// statement is one item of a body. Its tokens are a window of the lexer's,
// nothing is copied.
type statement struct {
	kind statementKind
	// tokens of an instruction with its semicolon; of a label, its name; of a
	// list of targets or a prototype, its label, the colon and all up to the
	// semicolon; of .loc, its three numbers.
	tokens []lexer.Token
	decl   *definition
	proto  *prototype
	file   *fileEntry
}

// body of a function: its statements in order, scopes not nested but marked.
type body struct {
	statements   []statement
	instructions int
	end          isa.Pos // of the closing brace
}

// Parse reads {…}.
func (b *body) Parse(lex *lexer.PeekingLexer) error {
	open := lex.Peek()
	if open.Type != '{' {
		return participle.NextMatch
	}
	lex.Next()
	for depth := 1; ; {
		t := lex.Peek()
		switch t.Type {
		case '{':
			depth++
			if depth > maxNesting {
				return participle.Errorf(t.Pos, "scopes nested more than %d deep", maxNesting)
			}
			b.add(openScope, lex)
		case '}':
			depth--
			if depth == 0 {
				lex.Next()
				b.end = position(t.Pos)
				return nil
			}
			b.add(closeScope, lex)
		case ';':
			lex.Next() // inline assembly leaves empty statements
		case lexer.EOF:
			return unexpected(t, "} for the { of line %d", open.Pos.Line)
		default:
			if err := b.statement(lex, t); err != nil {
				return err
			}
		}
	}
}

func (b *body) add(kind statementKind, lex *lexer.PeekingLexer) {
	start := lex.RawCursor()
	lex.Next()
	b.statements = append(b.statements, statement{kind: kind, tokens: lex.Range(start, lex.RawCursor())})
}

func (b *body) statement(lex *lexer.PeekingLexer, t *lexer.Token) error {
	switch t.Type {
	case directiveToken:
		return b.directive(lex, t)
	case '@':
		return b.instruction(lex)
	case wordToken:
		start := lex.MakeCheckpoint()
		lex.Next()
		if lex.Peek().Type == ':' {
			return b.label(lex, start)
		}
		lex.LoadCheckpoint(start)
		return b.instruction(lex)
	}
	return unexpected(t, "an instruction, a label, a declaration or }")
}

// label reads name: and what the name stands for, if that is no place in the
// code but a list of targets or a prototype.
func (b *body) label(lex *lexer.PeekingLexer, start lexer.Checkpoint) (err error) {
	st := statement{kind: labelStatement}
	name := lex.Range(start.RawCursor(), lex.RawCursor())
	lex.Next()
	switch lex.Peek().Value {
	case ".branchtargets":
		st.kind = targetsStatement
		_, err = toSemicolon(lex)
	case ".calltargets":
		st.kind = prototypeStatement
		_, err = toSemicolon(lex)
	case ".callprototype":
		st.kind = prototypeStatement
		st.proto, err = prototypeParser.ParseFromLexer(lex, participle.AllowTrailing(true))
	default:
		st.tokens = name
	}
	if err != nil {
		return err
	}
	if st.tokens == nil {
		st.tokens = lex.Range(start.RawCursor(), lex.RawCursor())
	}
	b.statements = append(b.statements, st)
	return nil
}

func (b *body) instruction(lex *lexer.PeekingLexer) error {
	tokens, err := toSemicolon(lex)
	b.statements = append(b.statements, statement{kind: instructionStatement, tokens: tokens})
	b.instructions++
	return err
}

// toSemicolon cuts out a statement with the semicolon that ends it.
func toSemicolon(lex *lexer.PeekingLexer) ([]lexer.Token, error) {
	start := lex.RawCursor()
	for {
		t := lex.Peek()
		switch t.Type {
		case ';':
			lex.Next()
			return lex.Range(start, lex.RawCursor()), nil
		case '(', '[', '{':
			if err := balanced(lex); err != nil {
				return nil, err
			}
		case ')', ']', '}', lexer.EOF, invalidToken:
			return nil, unended(lex, start, t)
		default:
			lex.Next()
		}
	}
}

// unended says where the semicolon of a statement is missing: behind the last
// token on the line where the statement begins to go wrong.
func unended(lex *lexer.PeekingLexer, start lexer.RawCursor, found *lexer.Token) error {
	before := lex.Range(start, lex.RawCursor())
	if last := before[len(before)-1]; last.Pos.Line < found.Pos.Line {
		pos := last.Pos
		pos.Column += len(last.Value)
		return participle.Errorf(pos, "found the end of the line; expected ;")
	}
	return unexpected(found, ";")
}

func (b *body) directive(lex *lexer.PeekingLexer, t *lexer.Token) error {
	switch t.Value {
	case ".loc":
		return b.loc(lex)
	case ".file":
		return b.fileEntry(lex)
	case ".pragma":
		_, err := toSemicolon(lex)
		return err
	case ".section":
		lex.Next()
		if lex.Peek().Type != '{' {
			lex.Next()
		}
		return new(section).Parse(lex)
	case ".reg", ".shared", ".local", ".param", ".global", ".const", ".extern", ".visible", ".weak", ".common", ".hidden", ".func", ".entry":
		return b.declaration(lex)
	}
	return unexpected(t, "an instruction, a label or a declaration%s", misspelt(t))
}

func (b *body) declaration(lex *lexer.PeekingLexer) error {
	def, err := definitionParser.ParseFromLexer(lex, participle.AllowTrailing(true))
	if err != nil {
		return err
	}
	b.statements = append(b.statements, statement{kind: declarationStatement, decl: def})
	return nil
}

// loc reads file, line and column, and passes over where the line was inlined.
func (b *body) loc(lex *lexer.PeekingLexer) error {
	lex.Next()
	start := lex.RawCursor()
	if err := integers(lex, 3); err != nil {
		return err
	}
	b.statements = append(b.statements, statement{kind: locStatement, tokens: lex.Range(start, lex.RawCursor())})
	for lex.Peek().Type == ',' {
		lex.Next()
		switch t := lex.Next(); t.Value {
		case "function_name":
			lex.Next()
			if lex.Peek().Type == '+' {
				lex.Next()
				lex.Next()
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

func integers(lex *lexer.PeekingLexer, n int) error {
	for range n {
		if t := lex.Peek(); t.Type != intToken {
			return unexpected(t, "a file number, a line and a column")
		}
		lex.Next()
	}
	return nil
}

func (b *body) fileEntry(lex *lexer.PeekingLexer) error {
	entry := new(fileEntry)
	lex.Next()
	number := lex.Next()
	if number.Type != intToken {
		return unexpected(number, "a file number")
	}
	name := lex.Next()
	if name.Type != stringToken {
		return unexpected(name, "a file name")
	}
	entry.Number, entry.Name = *number, *name
	for lex.Peek().Type == ',' {
		lex.Next()
		lex.Next()
	}
	b.statements = append(b.statements, statement{kind: fileStatement, file: entry})
	return nil
}
