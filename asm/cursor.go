package asm

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// cursor reads the tokens of a statement or constant that the grammar has delimited. The last token ends it, and the
// cursor never moves past it.
type cursor struct {
	tokens []lexer.Token
	at     int
	depth  int // number of open brackets

	constants map[string]constant // of the file, by name
	scope     *scope              // of names that hide them; nil outside of functions
}

func (c *cursor) peek() *lexer.Token { return &c.tokens[c.at] }

// peekAfter returns the token after the next one.
func (c *cursor) peekAfter() *lexer.Token { return &c.tokens[min(c.at+1, len(c.tokens)-1)] }

func (c *cursor) next() *lexer.Token {
	t := &c.tokens[c.at]
	if c.at < len(c.tokens)-1 {
		c.at++
	}
	return t
}

func (c *cursor) accept(t lexer.TokenType) bool {
	if c.peek().Type != t {
		return false
	}
	c.next()
	return true
}

// isBehind reports whether t is the last token that was read.
func (c *cursor) isBehind(t *lexer.Token) bool { return c.at > 0 && &c.tokens[c.at-1] == t }

func (c *cursor) atEnd() bool { return c.at == len(c.tokens)-1 }

// operand returns an empty operand at this position.
func (c *cursor) operand() isa.Operand {
	p := c.peek().Pos
	return isa.Operand{Reg: isa.NoReg, Line: int32(p.Line), Col: int32(p.Column)}
}

func (c *cursor) pos() isa.Pos { return position(c.peek().Pos) }

func (c *cursor) expect(t lexer.TokenType, what string) *isa.Error {
	if c.accept(t) {
		return nil
	}
	return c.unexpected(what)
}

// word reads a name.
func (c *cursor) word(what string) (*lexer.Token, *isa.Error) {
	t := c.peek()
	return t, c.expect(wordToken, what)
}

// list reads items with commas between them, to the end of the statement.
func (c *cursor) list(item func() *isa.Error) *isa.Error {
	for {
		if err := item(); err != nil || c.atEnd() {
			return err
		}
		if err := c.expect(',', "a comma or ;"); err != nil {
			return err
		}
	}
}

// unexpected returns an error with the token found and what was expected. If the next token is on a later line,
// something is missing at the end of the previous line.
func (c *cursor) unexpected(want string) *isa.Error {
	found := c.peek()
	if c.at > 0 {
		before := &c.tokens[c.at-1]
		if after(before).Line < int32(found.Pos.Line) {
			return isa.Errorf(after(before), "found the end of the line; expected %s", want)
		}
	}
	return isa.Errorf(position(found.Pos), "found %s; expected %s", describe(found), want)
}

// after returns the position directly after a token, which may be a block of several lines.
func after(t *lexer.Token) isa.Pos {
	p := position(t.Pos)
	if n := strings.LastIndexByte(t.Value, '\n'); n >= 0 {
		p.Line += int32(strings.Count(t.Value, "\n"))
		p.Col = int32(len(t.Value) - n)
	} else {
		p.Col += int32(len(t.Value))
	}
	return p
}

// enter goes into a bracket.
func (c *cursor) enter() *isa.Error {
	c.depth++
	if c.depth > maxNesting {
		return isa.Errorf(c.pos(), "nested more than %d deep", maxNesting)
	}
	return nil
}

func (c *cursor) leave() { c.depth-- }
