package asm

import (
	"io"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// Token types. The type of a single punctuation character is the character itself.
const (
	wordToken      lexer.TokenType = -(iota + 2) // add.s32 %r1 %tid.x $L__BB0_2 sm_70
	directiveToken                               // .reg .u32 .shared::cta
	intToken                                     // 7 0x1F 0b101 017 7U
	floatToken                                   // 1.5 1e10 0f3F800000 0d3FF0000000000000
	stringToken                                  // "nounroll", with its quotes
	operatorToken                                // operators of two characters: << >= &&
	blockToken                                   // text in braces, with the braces: a body, a section, an initialiser
	invalidToken                                 // text that is not PTX
)

// ptxLexer defines the tokens of PTX for participle. Text in braces is one token, which a reader splits later:
// participle keeps all tokens that it is given, and nearly all of a source is in braces.
type ptxLexer struct{}

// Symbols returns the token types that the grammar refers to.
func (ptxLexer) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF": lexer.EOF, "Word": wordToken, "Directive": directiveToken, "Int": intToken,
		"Float": floatToken, "String": stringToken, "Operator": operatorToken, "Block": blockToken, "Invalid": invalidToken,
	}
}

// Lex reads all of r.
func (d ptxLexer) Lex(file string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return d.LexString(file, string(src))
}

// LexString returns tokens that share the memory of src.
func (ptxLexer) LexString(file, src string) (lexer.Lexer, error) {
	s := newScanner(file, src)
	s.blocks = true
	return s, nil
}

// newScanner begins at the start of a source.
func newScanner(file, src string) *scanner {
	src = strings.TrimRight(src, "\x00") // images for a driver end with zeros
	s := &scanner{file: file, src: src, line: 1}
	if strings.HasPrefix(src, byteOrderMark) {
		s.at, s.lineStart = len(byteOrderMark), len(byteOrderMark)
	}
	return s
}

// byteOrderMark is at the start of files from some editors.
const byteOrderMark = "\ufeff"

// scanner splits a source into tokens. A dotted name is one token, because PTX has no space inside a mnemonic or
// special register and no dot in other names.
type scanner struct {
	file      string
	src       string
	base      int // offset of src in the file
	at        int // offset of the next byte in src
	line      int
	lineStart int // offset of the line's first byte, which may be before src
	last      lexer.TokenType
	blocks    bool // text in braces is one token, except in a .struct
	structure bool // the last directive is a .struct, and its brace is not closed
}

// inside returns a scanner of the tokens in a block, including its braces.
func inside(block *lexer.Token) scanner {
	p := block.Pos
	return scanner{file: p.Filename, src: block.Value, base: p.Offset, line: p.Line, lineStart: 1 - p.Column}
}

// moveTo continues at the position of a token in src.
func (s *scanner) moveTo(p lexer.Position) {
	s.at, s.line, s.last = p.Offset-s.base, p.Line, 0
	s.lineStart = s.at + 1 - p.Column
}

// Next returns the next token; at the end it always returns an EOF token.
func (s *scanner) Next() (lexer.Token, error) {
	if fault := s.skipBlank(); fault != nil {
		return *fault, nil
	}
	t := lexer.Token{Pos: s.pos()}
	if s.at == len(s.src) {
		t.Type = lexer.EOF
		return t, nil
	}
	start := s.at
	t.Type = s.scan()
	t.Value = s.src[start:s.at]
	s.last = t.Type
	switch t.Type {
	case directiveToken:
		s.structure = t.Value == ".struct" || s.structure && !itemDirectives[t.Value]
	case '}':
		s.structure = false
	}
	return t, nil
}

func (s *scanner) pos() lexer.Position {
	return lexer.Position{Filename: s.file, Offset: s.base + s.at, Line: s.line, Column: s.at - s.lineStart + 1}
}

// skipBlank skips space and comments. A comment without an end becomes an invalid token.
func (s *scanner) skipBlank() *lexer.Token {
	for s.at < len(s.src) {
		for s.src[s.at] == ' ' { // comments of compilers follow many
			if s.at++; s.at == len(s.src) {
				return nil
			}
		}
		rest := s.src[s.at:]
		switch c := rest[0]; {
		case c > '@': // no space, and no comment
			return nil
		case c == '\n':
			s.at++
			s.line++
			s.lineStart = s.at
		case c == '\t', c == '\r', c == '\f', c == '\v':
			s.at++
		case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "@@"): // "@@DWARF" of old compilers
			s.skipLine(rest)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				t := &lexer.Token{Type: invalidToken, Value: "/*", Pos: s.pos()}
				s.at = len(s.src)
				return t
			}
			s.skipComment(rest[:end+4])
		default:
			return nil
		}
	}
	return nil
}

func (s *scanner) skipLine(rest string) {
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		s.at += n
	} else {
		s.at = len(s.src)
	}
}

func (s *scanner) skipComment(text string) {
	if n := strings.LastIndexByte(text, '\n'); n >= 0 {
		s.line += strings.Count(text, "\n")
		s.lineStart = s.at + n + 1
	}
	s.at += len(text)
}

// scan skips one token and returns its type.
func (s *scanner) scan() lexer.TokenType {
	rest := s.src[s.at:]
	c := rest[0]
	switch {
	case c == '%' && !s.startsRegister(rest):
		s.at++
		return '%'
	case isNameStart(c):
		s.at += nameLen(rest)
		return wordToken
	case isDigit(c), c == '.' && len(rest) > 1 && isDigit(rest[1]):
		n, t := number(rest)
		s.at += n
		return t
	case c == '.' && len(rest) > 1 && isNamePart(rest[1]):
		s.at += 1 + partLen(rest[1:])
		return directiveToken
	case c == '"':
		return s.scanString(rest)
	case c == '{' && s.blocks && !s.structure:
		s.skipBlock()
		return blockToken
	case strings.IndexByte("{}[]()<>,;:@!|&^~+-*/?=", c) >= 0:
		if len(rest) > 1 && isOperator(rest[:2]) {
			s.at += 2
			return operatorToken
		}
		s.at++
		return lexer.TokenType(c)
	}
	s.at++
	return invalidToken
}

// inBlock is true for the characters that skipBlock must look at.
var inBlock = [256]bool{'"': true, '/': true, '@': true, '{': true, '}': true}

// skipBlock skips text in braces, or to the end of the source if there is no closing brace. Only strings and comments
// can hide a brace. Lines are counted at the end, since most of a block is nothing to look at.
func (s *scanner) skipBlock() {
	src, at := s.src, s.at
	for depth := 0; at < len(src); {
		for at < len(src) && !inBlock[src[at]] {
			at++
		}
		if at == len(src) {
			break
		}
		switch c := src[at]; c {
		case '"':
			at += stringLen(src[at:])
			continue
		case '/', '@':
			at += max(commentLen(src[at:]), 1)
			continue
		case '{':
			depth++
			at++
			if depth == 1 {
				at = plainEnd(src, at)
			}
			continue
		}
		at++ // a closing brace
		if depth--; depth == 0 {
			break
		}
	}
	s.skipComment(src[s.at:at])
}

// plainEnd returns the index of the brace that closes the block around an index of a text, if the block has no other
// characters to look at; otherwise the index itself. Sections of debug information are such blocks.
func plainEnd(src string, at int) int {
	n := strings.IndexByte(src[at:], '}')
	if n < 0 {
		return at
	}
	for _, c := range []byte(`/{@"`) { // the most frequent in code first
		if strings.IndexByte(src[at:at+n], c) >= 0 {
			return at
		}
	}
	return at + n
}

// commentLen returns the length of the comment that a text begins with, without the end of its line; 0 if it begins
// with none. A comment that is not closed continues to the end.
func commentLen(text string) int {
	switch {
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "@@"): // "@@DWARF" of old compilers
	case strings.HasPrefix(text, "/*"):
		if n := strings.Index(text[2:], "*/"); n >= 0 {
			return n + 4
		}
		return len(text)
	default:
		return 0
	}
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

// startsRegister reports whether a % begins a name: as an operator it follows a value.
func (s *scanner) startsRegister(rest string) bool {
	return len(rest) > 1 && isNamePart(rest[1]) && s.last != intToken && s.last != ')'
}

func (s *scanner) scanString(rest string) lexer.TokenType {
	n := stringLen(rest)
	s.at += n
	if n == 1 {
		return invalidToken
	}
	return stringToken
}

// stringLen returns the length of the string that a text begins with, with its quotes; 1 if the line ends before it.
func stringLen(text string) int {
	end := strings.IndexAny(text[1:], "\"\n")
	if end < 0 || text[1+end] == '\n' {
		return 1
	}
	return end + 2
}

func isOperator(two string) bool {
	switch two {
	case "<<", ">>", "<=", ">=", "==", "!=", "&&", "||":
		return true
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || c == '%'
}

func isNamePart(c byte) bool { return isNameStart(c) && c != '%' || isDigit(c) }

// nameLen returns the length of the dotted name that s begins with.
func nameLen(s string) int {
	n := 1
	for n < len(s) && isNamePart(s[n]) {
		n++
	}
	for n+1 < len(s) && s[n] == '.' && isNamePart(s[n+1]) {
		n += 1 + partLen(s[n+1:])
	}
	return n
}

// partLen returns the length of the name after a dot, which may be qualified as in L2::128B.
func partLen(s string) int {
	n := 0
	for {
		for n < len(s) && isNamePart(s[n]) {
			n++
		}
		if n+2 < len(s) && s[n] == ':' && s[n+1] == ':' && isNamePart(s[n+2]) {
			n += 2
			continue
		}
		return n
	}
}

// number returns the length and type of the number that s begins with (PTX ISA 4.5). A number directly followed by a
// name is invalid as a whole.
func number(s string) (int, lexer.TokenType) {
	n, t := 0, intToken
	switch radix := prefixByte(s); radix {
	case 'x', 'b':
		n = 2 + spanLen(s[2:], isHexDigit)
	case 'f', 'd':
		t = floatToken
		n = 2 + spanLen(s[2:], isHexDigit)
	default:
		n, t = decimal(s)
	}
	if t == intToken && n < len(s) && s[n] == 'U' {
		n++
	}
	if trail := spanLen(s[n:], isNamePart); trail > 0 {
		return n + trail, invalidToken
	}
	if _, fault := literal(s[:n], t); fault != "" {
		return n, invalidToken
	}
	return n, t
}

// prefixByte returns the letter after a leading 0, in lower case; 0 if there is none.
func prefixByte(s string) byte {
	if len(s) < 2 || s[0] != '0' {
		return 0
	}
	switch c := s[1] | 0x20; c {
	case 'x', 'b', 'f', 'd':
		return c
	}
	return 0
}

// isHex reports whether t is a hexadecimal integer.
func isHex(t *lexer.Token) bool { return t.Type == intToken && prefixByte(t.Value) == 'x' }

// decimal measures a decimal or octal integer, or a decimal float.
func decimal(s string) (int, lexer.TokenType) {
	t := intToken
	n := spanLen(s, isDigit)
	if n < len(s) && s[n] == '.' && (n+1 == len(s) || !isNameStart(s[n+1])) {
		t = floatToken
		n += 1 + spanLen(s[n+1:], isDigit)
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		e := n + 1
		if e < len(s) && (s[e] == '+' || s[e] == '-') {
			e++
		}
		if digits := spanLen(s[e:], isDigit); digits > 0 {
			return e + digits, floatToken
		}
	}
	return n, t
}

func spanLen(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

func isHexDigit(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// describe returns a token as it appears in messages.
func describe(t *lexer.Token) string {
	switch t.Type {
	case lexer.EOF:
		return "the end of the file"
	case blockToken:
		return `"{"`
	case invalidToken:
		return invalid(t.Value)
	case stringToken:
		return t.Value
	}
	if t.Type > 0 || t.Type == operatorToken {
		return strconv.Quote(t.Value)
	}
	if len(t.Value) > 40 {
		return t.Value[:40] + "…"
	}
	return t.Value
}

// invalid describes the text of an invalid token.
func invalid(text string) string {
	switch {
	case text == "/*":
		return "a comment that is not closed"
	case text == `"`:
		return "a string that is not closed"
	case text == ".":
		return "a dot without a name after it"
	case isDigit(text[0]) || text[0] == '.':
		return text + ", " + numberFault(text)
	case text[0] < ' ' || text[0] > '~':
		return "a character that is not in PTX"
	}
	return text + ", which is not in PTX"
}

// numberFault returns why the text of an invalid token is not a number.
func numberFault(text string) string {
	n, t := len(text), intToken
	switch prefixByte(text) {
	case 'x', 'b':
	case 'f', 'd':
		t = floatToken
	default:
		n, t = decimal(text)
	}
	_, fault := literal(text[:n], t)
	switch {
	case fault != "":
		return fault
	case t == floatToken && (text[n:] == "f" || text[n:] == "F"):
		return "which is " + text[:n] + " in PTX"
	}
	return "which is not a number"
}

// position returns the position of a token.
func position(p lexer.Position) isa.Pos {
	return isa.Pos{File: p.Filename, Line: int32(p.Line), Col: int32(p.Column)}
}
