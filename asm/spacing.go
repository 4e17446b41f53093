package asm

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// lineDirectives end with their line; all other statements end with a semicolon or a block.
var lineDirectives = []string{".version", ".target", ".address_size", ".file", ".loc"}

// endsAt reports whether the statement is a directive that ended before a piece.
func (st *statementLayout) endsAt(p *piece) bool {
	if len(st.tokens) == 0 || p.breaks == 0 && p.Type != lexer.EOF {
		return false
	}
	last := st.tokens[len(st.tokens)-1]
	return slices.Contains(lineDirectives, st.tokens[0].Value) && p.Type != ',' && last.Type != ','
}

// goesOn reports whether the piece after a comment is a token of the statement on the same line.
func (st *statementLayout) goesOn(next *piece) bool {
	switch {
	case len(st.tokens) == 0, next.breaks > 0, next.Type == commentPiece, next.Type == lexer.EOF:
		return false
	}
	return next.Type != blockToken && (next.Type != '{' || len(st.open) > 0 || !st.hasBlock())
}

// closedBy reports whether a semicolon ends the statement. Behind a pragma in the head of a function it does not.
func (st *statementLayout) closedBy(t *lexer.Token) bool {
	if t.Type != ';' || len(st.open) > 0 {
		return false
	}
	return len(st.tokens) == 0 || st.tokens[len(st.tokens)-1].Type != stringToken || !st.isFunction()
}

// isFunction reports whether the statement is the head of a function.
func (st *statementLayout) isFunction() bool {
	return slices.ContainsFunc(st.tokens, func(t *lexer.Token) bool { return t.Value == ".entry" || t.Value == ".func" })
}

// hasBlock reports whether the statement is followed by a block of statements: the head of a function or structure.
func (st *statementLayout) hasBlock() bool { return st.isFunction() || st.isStructure() }

// isStructure reports whether the statement is the head of a .struct.
func (st *statementLayout) isStructure() bool {
	return len(st.tokens) > 0 && st.tokens[0].Value == ".struct"
}

// continuation returns how many levels the further lines of the statement are indented. Lines after the parameters of a
// function are not.
func (st *statementLayout) continuation() int {
	if st.isFunction() && len(st.open) == 0 {
		return 0
	}
	return 1
}

// close removes the bracket that a token closes, and fails if there is none.
func (st *statementLayout) close(t *lexer.Token) *isa.Error {
	opener := map[lexer.TokenType]lexer.TokenType{')': '(', ']': '[', '}': '{'}[t.Type]
	if opener == 0 {
		return nil
	}
	last := len(st.open) - 1
	if last < 0 || st.open[last].Type != opener {
		return unopened(t)
	}
	st.open = st.open[:last]
	return nil
}

// add records a token that has been written.
func (st *statementLayout) add(t *lexer.Token, before, after bool) {
	binary := st.isBinary(t)
	st.operator = binary && st.around(t, before, after)
	st.tight = !binary && isUnary(t.Type) || binary && !st.operator
	switch t.Type {
	case '(', '[', '{':
		st.open = append(st.open, t)
	case wordToken:
		if st.mnemonic < 0 && st.isInstruction() && (len(st.tokens) == 0 || !st.guards()) {
			st.mnemonic = len(st.tokens)
		}
	case directiveToken:
		if len(st.tokens) == 0 && (t.Value == ".branchtargets" || t.Value == ".calltargets" || t.Value == ".callprototype") {
			st.mnemonic = 0
		}
	}
	st.tokens = append(st.tokens, t)
}

// isInstruction reports whether the statement begins as an instruction does: with its guard or its mnemonic.
func (st *statementLayout) isInstruction() bool {
	return len(st.tokens) == 0 || st.tokens[0].Type == '@' || st.tokens[0].Type == wordToken
}

// guards reports whether the next word is the predicate of the guard: the tokens so far are "@" or "@!".
func (st *statementLayout) guards() bool {
	last := st.tokens[len(st.tokens)-1].Type
	return last == '@' || last == '!' && len(st.tokens) == 2
}

// isBinary reports whether a token is an operator between two values.
func (st *statementLayout) isBinary(t *lexer.Token) bool {
	if len(st.tokens) == 0 || st.mnemonic == len(st.tokens)-1 {
		return false
	}
	switch st.tokens[len(st.tokens)-1].Type {
	case wordToken, intToken, floatToken, ')', ']':
		return t.Type == operatorToken || isOneOf(t.Type, "+-*/%&|^?:") || isOneOf(t.Type, "<>") && st.tokens[0].Value != ".reg"
	}
	return false
}

// around reports whether there is space around a binary operator: never in an address, nor between the two predicates
// of a result; else where the author has some.
func (st *statementLayout) around(t *lexer.Token, before, after bool) bool {
	last := st.tokens[len(st.tokens)-1]
	if t.Type == '%' {
		return true // without space it would begin the name of a register
	}
	if n := len(st.open); n > 0 && st.open[n-1].Type == '[' || t.Type == '|' && strings.HasPrefix(last.Value, "%") {
		return false
	}
	return before || after
}

// spaced reports whether there is space between the last token and p on the same line; after says whether the source
// has space after p.
func (st *statementLayout) spaced(p *piece, after bool) bool {
	last := st.tokens[len(st.tokens)-1]
	switch {
	case join(last.Value, p.Value):
		return true
	case st.isBinary(&p.Token):
		return st.around(&p.Token, p.gap, after)
	case st.operator:
		return true
	case st.tight, isOneOf(last.Type, "([{@<"), isOneOf(p.Type, ")]},;:>"):
		return false
	case p.Type == '<':
		return false
	case p.Type == '[', p.Type == '(':
		// An array's index and a function's parameters directly follow the name, but "_" stands for no name.
		named := last.Type == wordToken && st.mnemonic != len(st.tokens)-1 && last.Value != "_"
		return !named && last.Value != ".attribute"
	}
	return true
}

// join reports whether two tokens without space between them would be read as an operator or as a comment.
func join(a, b string) bool {
	if len(a) != 1 {
		return false
	}
	two := a + b[:1]
	return isOperator(two) || two == "//" || two == "/*" || two == "@@"
}

func isUnary(t lexer.TokenType) bool { return isOneOf(t, "!~-+") }

// isCloser reports whether a token stays on the line of the token before it.
func isCloser(t lexer.TokenType) bool { return isOneOf(t, ")]},;") }

// isOneOf reports whether a token is one of the characters.
func isOneOf(t lexer.TokenType, characters string) bool {
	return t > 0 && strings.IndexByte(characters, byte(t)) >= 0
}
