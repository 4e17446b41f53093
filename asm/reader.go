package asm

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// reader returns the tokens of a block one after the other, and keeps those of the statement being read.
type reader struct {
	scanner scanner
	tokens  []lexer.Token // tokens read of the statement and, last, the next one
	passed  []locNumbers  // of the .loc directives between the statement and the next token
}

// newReader begins at the opening brace.
func newReader(block *lexer.Token) *reader {
	r := &reader{scanner: inside(block)}
	r.scan()
	return r
}

// startAt continues at a position in the block at which a statement begins.
func (r *reader) startAt(p lexer.Position) {
	r.scanner.moveTo(p)
	r.tokens = r.tokens[:0]
	r.scan()
}

func (r *reader) scan() {
	t, _ := r.scanner.Next() // it never fails
	r.tokens = append(r.tokens, t)
}

// begin forgets the tokens before the next one.
func (r *reader) begin() {
	last := len(r.tokens) - 1
	r.tokens[0] = r.tokens[last]
	r.tokens = r.tokens[:1]
	r.passed = r.passed[:0]
}

// read returns the tokens passed since begin.
func (r *reader) read() []lexer.Token { return r.tokens[:len(r.tokens)-1] }

// Peek returns the next token without passing it.
func (r *reader) Peek() *lexer.Token { return &r.tokens[len(r.tokens)-1] }

// Next passes the next token, but never the end of the block.
func (r *reader) Next() *lexer.Token {
	last := len(r.tokens) - 1
	if r.tokens[last].Type != lexer.EOF {
		r.scan()
	}
	return &r.tokens[last]
}

// nextStatement passes the token that ends a statement, and .loc directives after it that have nothing but numbers.
func (r *reader) nextStatement() {
	for {
		n, ok := r.scanner.passLoc()
		if !ok {
			r.scan()
			return
		}
		r.passed = append(r.passed, n)
	}
}

// skimmer returns the tokens of a block one after the other and keeps only two.
type skimmer struct {
	scanner scanner
	tokens  [2]lexer.Token // the next token, at index next, and the one before it
	next    int
}

// skim checks the brackets in a block.
func skim(block *lexer.Token) error {
	s := &skimmer{scanner: inside(block)}
	s.tokens[0], _ = s.scanner.Next() // it never fails
	_, err := balanced(s)
	return err
}

// Peek returns the next token without passing it.
func (s *skimmer) Peek() *lexer.Token { return &s.tokens[s.next] }

// Next passes the next token.
func (s *skimmer) Next() *lexer.Token {
	t := s.Peek()
	s.next = 1 - s.next
	s.tokens[s.next], _ = s.scanner.Next()
	return t
}

// parseWithin reads the text of a rule of the grammar, and leaves the reader after it.
func parseWithin[G any](r *reader, rule *participle.Parser[G]) (*G, error) {
	d := declarationLexer{scanner: r.scanner}
	d.scanner.moveTo(r.Peek().Pos)
	d.scanner.blocks = true
	lex, err := lexer.Upgrade(&d)
	if err != nil {
		return nil, err
	}
	v, err := rule.ParseFromLexer(lex, participle.AllowTrailing(true))
	r.startAt(lex.Peek().Pos)
	return v, err
}

// declarationLexer gives participle the tokens of one declaration: up to a semicolon, or the body of a function.
type declarationLexer struct {
	scanner scanner
	ended   bool
}

// Next returns the next token; an EOF token after the declaration.
func (d *declarationLexer) Next() (lexer.Token, error) {
	if d.ended {
		d.scanner.skipBlank()
		return lexer.EOFToken(d.scanner.pos()), nil
	}
	initialiser := d.scanner.last == '='
	t, err := d.scanner.Next()
	d.ended = t.Type == ';' || t.Type == blockToken && !initialiser
	return t, err
}
