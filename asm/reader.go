package asm

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// reader gives the tokens of a block one after the other, and keeps those of the
// statement that is being read.
type reader struct {
	scanner scanner
	tokens  []lexer.Token // those of the statement that were read and, last, the next one
}

// newReader begins with the opening brace.
func newReader(block *lexer.Token) *reader {
	r := &reader{scanner: inside(block)}
	r.scan()
	return r
}

// startAt goes on at a place in the block, where a statement begins.
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
}

// read is the tokens from begin on that have been passed.
func (r *reader) read() []lexer.Token { return r.tokens[:len(r.tokens)-1] }

// Peek is the next token, again and again.
func (r *reader) Peek() *lexer.Token { return &r.tokens[len(r.tokens)-1] }

// Next passes over the next token; never over the end of the block.
func (r *reader) Next() *lexer.Token {
	last := len(r.tokens) - 1
	if r.tokens[last].Type != lexer.EOF {
		r.scan()
	}
	return &r.tokens[last]
}

// skimmer gives the tokens of a block one after the other and keeps only two.
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

// Peek is the next token, again and again.
func (s *skimmer) Peek() *lexer.Token { return &s.tokens[s.next] }

// Next passes over the next token.
func (s *skimmer) Next() *lexer.Token {
	t := s.Peek()
	s.next = 1 - s.next
	s.tokens[s.next], _ = s.scanner.Next()
	return t
}

// parseWithin reads what a rule of the grammar describes, and goes on behind it.
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

// declarationLexer gives participle the tokens of one declaration: up to a
// semicolon, or the body of a function.
type declarationLexer struct {
	scanner scanner
	ended   bool
}

// Next is the next token; an EOF token behind the declaration.
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
