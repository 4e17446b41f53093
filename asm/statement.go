package asm

import (
	"slices"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

type statementKind uint8

const (
	codeStatement statementKind = iota
	labelStatement
	declarationStatement
	openScope
	closeScope
	fileStatement
	targetsStatement
	prototypeStatement
)

// statement is one item of a body.
type statement struct {
	kind statementKind
	// tokens of a label: its name; of a list of targets or a prototype: its label, the colon and everything up to the
	// semicolon.
	tokens []lexer.Token
	code   *code
	decl   *definition
	proto  *prototype
	file   *fileEntry
}

// code is consecutive instructions and .loc directives. They are read again when all names are known, because keeping
// their tokens would take more memory than everything else.
type code struct {
	start        lexer.Position
	end          int // offset of the end
	lines        int // instructions, and directives that no instruction or directive of the code is right before
	instructions int
}

// body of a function: its statements in order. Scopes are not nested; statements mark their start and end.
type body struct {
	text         lexer.Token
	statements   []statement
	instructions int
	end          isa.Pos // of the closing brace
	mistakes     []error // syntax errors: statements that were skipped
	// undeclared is true if a declaration or a label was skipped, so that its names are missing, or if the end is.
	undeclared bool
}

// parse reads {…}.
func (b *body) parse() error {
	lex := newReader(&b.text)
	lex.Next()
	for depth := 1; ; {
		lex.begin()
		t := lex.Peek()
		switch t.Type {
		case '{':
			depth++
			if depth > maxNesting {
				return participle.Errorf(t.Pos, "scopes nested more than %d deep", maxNesting)
			}
			lex.Next()
			b.add(statement{kind: openScope})
		case '}':
			depth--
			if depth == 0 {
				b.end = position(t.Pos)
				return nil
			}
			lex.Next()
			b.add(statement{kind: closeScope})
		case ';':
			lex.Next() // inline assembly leaves empty statements
		case lexer.EOF:
			b.mistakes = append(b.mistakes, unexpected(t, "} for the { of line %d", b.text.Pos.Line))
			b.undeclared = true
			return nil
		default:
			first, before := *t, len(b.statements)
			err := b.statement(lex, t)
			if err == nil {
				continue
			}
			b.statements = b.statements[:before]
			b.undeclared = b.undeclared || hasNames(&first)
			if !b.passOver(lex, err) {
				b.undeclared = true
				return nil
			}
		}
	}
}

func (b *body) add(st statement) { b.statements = append(b.statements, st) }

func (b *body) statement(lex *reader, t *lexer.Token) error {
	switch t.Type {
	case directiveToken:
		return b.directive(lex, t)
	case wordToken, '@':
		first := lex.Next()
		if first.Type == wordToken && lex.Peek().Type == ':' {
			return b.label(lex)
		}
		if err := beforeSemicolon(lex, first); err != nil {
			return err
		}
		lex.nextStatement()
		b.instructions++
		b.code(lex).instructions++
		return nil
	}
	if t.Type == '!' {
		lex.Next()
		if lex.Peek().Type == '@' {
			return participle.Errorf(t.Pos, "found !@; a guard that is negated is written @!, as in @!%%p1")
		}
	}
	if t.Value == "#" {
		return participle.Errorf(t.Pos, "found #; a comment begins with //")
	}
	return unexpected(t, "an instruction, a label, a declaration or }")
}

// passOver records a syntax error and skips to the next statement: after the next semicolon, or on a later line that
// begins like a statement. It returns false at the end of the source, for instance after a brace that is never closed.
func (b *body) passOver(lex *reader, mistake error) bool {
	b.mistakes = append(b.mistakes, mistake)
	for depth, moved := 0, len(lex.tokens) > 1; ; moved = true {
		t := lex.Peek()
		switch {
		case t.Type == lexer.EOF:
			return len(b.mistakes) > 1
		case t.Type == '}' && depth == 0:
			return true
		case moved && depth == 0 && b.beginsStatement(lex):
			return true
		case t.Type == '{':
			depth++
		case t.Type == '}':
			depth--
		case t.Type == ';' && depth == 0:
			lex.Next()
			return true
		}
		lex.Next()
	}
}

// beginsStatement reports whether the next token is the first of its line and can begin a statement.
func (b *body) beginsStatement(lex *reader) bool {
	t := *lex.Peek()
	if n := len(lex.tokens); n < 2 || lex.tokens[n-2].Pos.Line == t.Pos.Line {
		return false
	}
	return t.Type == '@' || t.Type == directiveToken && slices.Contains(directives, t.Value) || t.Type == wordToken && isOpcode(t.Value)
}

// code returns the code to which the statement just read belongs.
func (b *body) code(lex *reader) *code {
	start := lex.read()[0].Pos
	if n := len(b.statements); n == 0 || b.statements[n-1].code == nil || b.statements[n-1].code.end != start.Offset {
		b.add(statement{kind: codeStatement, code: &code{start: start}})
	}
	c := b.statements[len(b.statements)-1].code
	c.end = lex.Peek().Pos.Offset
	c.lines++
	return c
}

// label reads name: and, if it is not a label of code, the list of targets or the prototype after it.
func (b *body) label(lex *reader) (err error) {
	st := statement{kind: labelStatement, tokens: slices.Clone(lex.read())}
	lex.Next()
	switch lex.Peek().Value {
	case ".branchtargets":
		st.kind = targetsStatement
		err = toSemicolon(lex, lex.Next())
		st.tokens = slices.Clone(lex.read())
	case ".calltargets":
		st.kind = prototypeStatement
		err = toSemicolon(lex, lex.Next())
		st.tokens = slices.Clone(lex.read())
	case ".callprototype":
		st.kind = prototypeStatement
		st.proto, err = parseWithin(lex, prototypeParser())
	}
	b.add(st)
	b.undeclared = b.undeclared || err != nil
	return err
}

// toSemicolon skips the rest of a statement, including its semicolon. Last is the last token read.
func toSemicolon(lex tokenReader, last *lexer.Token) error {
	if err := beforeSemicolon(lex, last); err != nil {
		return err
	}
	lex.Next()
	return nil
}

// beforeSemicolon skips the rest of a statement, up to its semicolon. Last is the last token read.
func beforeSemicolon(lex tokenReader, last *lexer.Token) (err error) {
	for {
		t := lex.Peek()
		switch t.Type {
		case ';':
			return nil
		case '(', '[', '{':
			if last, err = balanced(lex); err != nil {
				return err
			}
		case ')', ']', '}', lexer.EOF, invalidToken:
			return unended(last, t)
		default:
			last = lex.Next()
		}
	}
}

// unended returns the error for a missing semicolon: after the last token on the line at which the statement becomes
// invalid.
func unended(last, found *lexer.Token) error {
	if end := after(last); end.Line < int32(found.Pos.Line) {
		pos := lexer.Position{Filename: end.File, Line: int(end.Line), Column: int(end.Col)}
		return participle.Errorf(pos, "found the end of the line; expected ;")
	}
	return unexpected(found, ";")
}

func (b *body) directive(lex *reader, t *lexer.Token) error {
	switch t.Value {
	case ".loc":
		if err := loc(lex); err != nil {
			return err
		}
		b.code(lex)
		return nil
	case ".file":
		return b.fileEntry(lex)
	case ".pragma":
		return toSemicolon(lex, lex.Next())
	case ".section":
		lex.Next()
		if lex.Peek().Type != '{' {
			lex.Next()
		}
		if t := lex.Peek(); t.Type != '{' {
			return unexpected(t, "{")
		}
		_, err := balanced(lex)
		return err
	case ".reg", ".shared", ".local", ".param", ".global", ".const", ".extern", ".visible", ".weak", ".common", ".hidden", ".func", ".entry":
		return b.declaration(lex)
	}
	name := *lex.Next()
	if name.Value == ".equ" || name.Value == ".struct" {
		return unexpected(&name, "an instruction, a label or a declaration; %s stands outside of functions", name.Value)
	}
	if lex.Peek().Type != ':' {
		return unexpected(&name, "an instruction, a label or a declaration%s", misspelt(&name))
	}
	lex.Next()
	b.mistakes = append(b.mistakes, unexpected(&name, "a label, which has no dot, as in %s:", name.Value[1:]))
	return nil
}

// hasNames reports whether a statement with a syntax error that begins with t may have declared names.
func hasNames(t *lexer.Token) bool {
	if t.Type != directiveToken || t.Value == ".loc" || t.Value == ".pragma" {
		return false
	}
	return slices.Contains(directives, t.Value) || isa.Nearest(t.Value, directives) != ""
}

func (b *body) declaration(lex *reader) error {
	def, err := parseWithin(lex, definitionParser())
	if err == nil {
		def.Variables.spread()
	}
	b.add(statement{kind: declarationStatement, decl: def})
	return err
}

func (b *body) fileEntry(lex *reader) error {
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
		if t := lex.Next(); t.Type != intToken {
			return unexpected(t, "an integer")
		}
	}
	b.add(statement{kind: fileStatement, file: entry})
	return nil
}
