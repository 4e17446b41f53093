package asm

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// The grammar of a module, its functions and declarations. A body, initialiser or section is a single token, which
// Parse methods read: these are the long parts, and participle is made for readable grammars, not for 100,000 lines.
// Every rule of the grammar needs only the next token, so that it never backtracks.
type (
	sourceFile struct {
		Items []*item `parser:"@@*"`
	}

	item struct {
		Pos         lexer.Position
		Version     string      `parser:"'.version' @(Int | Float)"`
		Target      string      `parser:"| '.target' @Word (@',' @Word)*"`
		AddressSize lexer.Token `parser:"| '.address_size' @Int"`
		File        *fileEntry  `parser:"| @@"`
		SectionName string      `parser:"| '.section' @(Word | Directive)?"`
		Section     *section    `parser:"  @@"`
		Pragma      string      `parser:"| '.pragma' @String (',' String)* ';'"`
		Alias       *alias      `parser:"| @@"`
		Equate      *equate     `parser:"| @@"`
		Structure   *structure  `parser:"| @@"`
		Definition  *definition `parser:"| @@"`
	}

	alias struct {
		Name   lexer.Token `parser:"'.alias' @Word ','"`
		Target lexer.Token `parser:"@Word ';'"`
	}

	// fileEntry assigns a number to a file of the original source. Old compilers add its time and size.
	fileEntry struct {
		Number lexer.Token `parser:"'.file' @Int"`
		Name   lexer.Token `parser:"@String (',' Int)*"`
	}

	definition struct {
		Linkage   []lexer.Token `parser:"@(('.visible' | '.extern' | '.weak' | '.common' | '.hidden')*)"`
		Function  *function     `parser:"( @@"`
		Variables *variables    `parser:"| @@ )"`
	}

	variables struct {
		Space lexer.Token   `parser:"@('.reg' | '.global' | '.const' | '.shared' | '.local' | '.param' | '.tex')"`
		Quals []*qualifier  `parser:"@@*"`
		Decls []*declarator `parser:"@@ (',' @@)* ';'"`
	}

	// qualifier is the declaration between a state space and the names.
	qualifier struct {
		Align     *alignment     `parser:"@@"`
		Ptr       *pointer       `parser:"| @@"`
		Attribute *parenthesised `parser:"| '.attribute' @@"`
		Type      lexer.Token    `parser:"| @Directive"`
	}

	alignment struct {
		Bytes lexer.Token `parser:"'.align' @(Int | Word)"`
	}

	pointer struct {
		Keyword lexer.Token `parser:"@'.ptr'"`
		Space   string      `parser:"@('.global' | '.const' | '.shared' | '.local' | '.param')?"`
		Align   *alignment  `parser:"@@?"`
	}

	declarator struct {
		Name  lexer.Token    `parser:"@Word"`
		Count lexer.Token    `parser:"('<' @(Int | Word) '>')?"`
		Dims  []*dimension   `parser:"@@*"`
		Init  *constantValue `parser:"('=' @@)?"`
	}

	dimension struct {
		Open lexer.Token    `parser:"@'['"`
		Size *constantValue `parser:"@@? ']'"`
	}

	function struct {
		Kind    lexer.Token    `parser:"@('.entry' | '.func')"`
		Attr    *parenthesised `parser:"('.attribute' @@)?"`
		Returns []*parameter   `parser:"('(' (@@ (',' @@)*)? ')')?"`
		Name    lexer.Token    `parser:"@Word"`
		Params  []*parameter   `parser:"('(' (@@ (',' @@)*)? ')')?"`
		Hints   []*hint        `parser:"@@*"`
		End     *ending        `parser:"@@"`
	}

	parameter struct {
		Hidden lexer.Token  `parser:"@'.hidden'?"`
		Space  lexer.Token  `parser:"@('.param' | '.reg')"`
		Quals  []*qualifier `parser:"@@*"`
		Decl   *declarator  `parser:"@@"`
	}

	// prototype is the part after its label: the function type of an indirect call.
	prototype struct {
		Returns []*parameter `parser:"'.callprototype' ('(' (@@ (',' @@)*)? ')')?"`
		Name    lexer.Token  `parser:"@Word"`
		Params  []*parameter `parser:"('(' (@@ (',' @@)*)? ')')?"`
		Hints   []*hint      `parser:"@@* ';'"`
	}
)

// Building a parser takes longer than parsing a short source, so each is built when it is needed.
var (
	fileParser = sync.OnceValue(func() *participle.Parser[sourceFile] {
		return participle.MustBuild[sourceFile](participle.Lexer(ptxLexer{}), participle.UseLookahead(0))
	})

	// definitionParser reads the declarations within function bodies.
	definitionParser = sync.OnceValue(func() *participle.Parser[definition] {
		p, err := participle.ParserForProduction[definition](fileParser())
		if err != nil {
			panic("simtrun bug: " + err.Error())
		}
		return p
	})

	// prototypeParser reads the prototypes there.
	prototypeParser = sync.OnceValue(func() *participle.Parser[prototype] {
		return participle.MustBuild[prototype](participle.Lexer(ptxLexer{}), participle.UseLookahead(0))
	})
)

// hint is a performance directive, or another one that may be between the header of a function and its body.
type hint struct {
	name   lexer.Token   // zero for a .pragma
	values []lexer.Token // integers and names of constants, without the commas between them
}

// itemDirectives are the directives that begin an item of a module, and so end a prototype.
var itemDirectives = map[string]bool{
	".entry": true, ".func": true, ".visible": true, ".extern": true, ".weak": true, ".common": true, ".hidden": true,
	".global": true, ".const": true, ".shared": true, ".local": true, ".reg": true, ".param": true, ".tex": true,
	".version": true, ".target": true, ".address_size": true, ".file": true, ".section": true, ".alias": true,
	".equ": true, ".struct": true,
}

// Parse reads a directive with its numbers.
func (h *hint) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	switch {
	case t.Type != directiveToken || itemDirectives[t.Value]:
		return participle.NextMatch
	case t.Value == ".pragma":
		return toSemicolon(lex, lex.Next())
	}
	h.name = *lex.Next()
	for isCount(lex.Peek()) {
		h.values = append(h.values, *lex.Next())
		if lex.Peek().Type != ',' {
			break
		}
		if lex.Next(); !isCount(lex.Peek()) {
			return unexpected(lex.Peek(), "an integer")
		}
	}
	return nil
}

// isCount reports whether a token can be an integer: it may be the name of a constant.
func isCount(t *lexer.Token) bool { return t.Type == intToken || t.Type == wordToken }

// ending is the end of a function: its body or a semicolon. Compilers for PTX 1.x and 2.x omitted the semicolon after
// prototypes.
type ending struct {
	body  *body
	found *lexer.Token // the token found in place of a semicolon
}

// Parse reads either.
func (e *ending) Parse(lex *lexer.PeekingLexer) error {
	switch t := lex.Peek(); {
	case t.Type == blockToken:
		e.body = &body{text: *lex.Next()}
		return e.body.parse()
	case t.Type == ';':
		lex.Next()
	case t.Type == lexer.EOF, t.Type == directiveToken && itemDirectives[t.Value]:
		e.found = t
	default:
		return unexpected(t, "a body in { } or ;")
	}
	return nil
}

// section is the text of a debug section, with its braces.
type section struct{ text string }

// Parse keeps {…}, which is read only if a position in the source is needed.
func (s *section) Parse(lex *lexer.PeekingLexer) error {
	if lex.Peek().Type != blockToken {
		return participle.NextMatch
	}
	block := lex.Next()
	s.text = block.Value
	if isData(s.text) {
		return nil
	}
	return skim(block)
}

// parenthesised is (…) with unused contents.
type parenthesised struct{}

// Parse skips (…).
func (*parenthesised) Parse(lex *lexer.PeekingLexer) error {
	if lex.Peek().Type != '(' {
		return participle.NextMatch
	}
	_, err := balanced(lex)
	return err
}

// constantValue is the tokens of a constant expression or an initialiser, and the token that ends it.
type constantValue struct {
	tokens []lexer.Token
}

// Parse takes the tokens before the next comma, semicolon or closing bracket.
func (v *constantValue) Parse(lex *lexer.PeekingLexer) error {
	start := lex.RawCursor()
	for {
		switch lex.Peek().Type {
		case ',', ';', ']', ')', '}', lexer.EOF:
			if lex.RawCursor() == start {
				return participle.NextMatch
			}
			v.tokens = lex.Range(start, lex.RawCursor()+1)
			return nil
		case '(', '[':
			if _, err := balanced(lex); err != nil {
				return err
			}
		case blockToken:
			if err := skim(lex.Next()); err != nil {
				return err
			}
		default:
			lex.Next()
		}
	}
}

// tokenReader returns tokens one after the other. The token from Next is valid until Next is called again.
type tokenReader interface {
	Peek() *lexer.Token
	Next() *lexer.Token
}

// balanced skips a bracket with its contents, and returns the closing bracket.
func balanced(lex tokenReader) (*lexer.Token, error) {
	var buffer [8]lexer.Token // enough for most nesting, and avoids a heap allocation
	open := buffer[:0]
	for {
		t := lex.Peek()
		switch t.Type {
		case '(', '[', '{':
			open = append(open, *t)
		case ';':
			if last := open[len(open)-1]; last.Type != '{' {
				return nil, unexpected(t, "%s for the %s of line %d", closing(last), last.Value, last.Pos.Line)
			}
		case ')', ']', '}', lexer.EOF, invalidToken:
			last := open[len(open)-1]
			if t.Value != closing(last) {
				return nil, unexpected(t, "%s for the %s of line %d", closing(last), last.Value, last.Pos.Line)
			}
			open = open[:len(open)-1]
		}
		lex.Next()
		if len(open) == 0 {
			return t, nil
		}
	}
}

func closing(open lexer.Token) string {
	switch open.Type {
	case '(':
		return ")"
	case '[':
		return "]"
	}
	return "}"
}

// unexpected returns the syntax error of a Parse method.
func unexpected(found *lexer.Token, want string, args ...any) error {
	return participle.Errorf(found.Pos, "found %s; expected %s", describe(found), fmt.Sprintf(want, args...))
}

// syntaxError translates an error of participle into the words of PTX.
func syntaxError(name, src string, err error) *isa.Error {
	var found *participle.UnexpectedTokenError
	if errors.As(err, &found) {
		return afterDeclaration(name, src, &found.Unexpected, isa.Errorf(position(found.Unexpected.Pos), "found %s; expected %s", describe(&found.Unexpected), expectation(found)))
	}
	var other participle.Error
	if errors.As(err, &other) {
		return isa.Errorf(position(other.Position()), "%s", other.Message())
	}
	return &isa.Error{Msg: err.Error()}
}

// plainly has the rules, tokens and brackets of the grammar in words.
var plainly = map[string]string{
	"Function": ".entry, .func", "Variables": "a declaration", "Declarator": "a name", "Parameter": ".param, .reg",
	"Body": "a body in { }", "Section": "{", "Parenthesised": "(", "ConstantValue": "a constant",
	"<word>": "a name", "<directive>": "a directive", "<int>": "an integer", "<float>": "a number", "<string>": "a string",
	`")"`: "a comma, .param, .reg, )", `";"`: "a comma, ;",
}

var expectedItem = regexp.MustCompile(`"[^"]+"|<?\w+>?`)

// expectation describes in words what the parser expected. Participle gives the rest of the rule in EBNF; only its
// first item matters, which is a choice if it is in parentheses.
func expectation(e *participle.UnexpectedTokenError) string {
	_, rule, ok := strings.Cut(e.Message(), "(expected ")
	if !ok {
		return "a module-level directive such as .entry, .func or .global" + misspelt(&e.Unexpected)
	}
	first := rule
	if strings.HasPrefix(rule, "(") {
		first, _, _ = strings.Cut(rule, ")")
	} else if loc := expectedItem.FindStringIndex(rule); loc != nil {
		first = rule[:loc[1]]
	}
	var words []string
	for _, w := range expectedItem.FindAllString(first, -1) {
		if plain := plainly[capital(w)]; plain != "" {
			words = append(words, strings.Split(plain, ", ")...)
		} else {
			words = append(words, strings.Trim(w, `"`))
		}
	}
	return alternatives(words) + misspelt(&e.Unexpected) + spaceless(&e.Unexpected, words)
}

// spaceless explains a type where a parameter should begin.
func spaceless(t *lexer.Token, words []string) string {
	if t.Type != directiveToken || isa.TypeByName(t.Value[1:]) == isa.NoType || !slices.Contains(words, ".param") {
		return ""
	}
	return "; a parameter begins with its state space, as in .param " + t.Value
}

// capital restores the first letter: participle writes the names of rules with a Parse method in lower case.
func capital(w string) string { return strings.ToUpper(w[:1]) + w[1:] }

func alternatives(words []string) string {
	last := len(words) - 1
	if last <= 0 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// directives are the directives of PTX that the parser knows, for suggestions.
var directives = strings.Fields(`.version .target .address_size .file .section .pragma .alias .equ .struct .loc .visible .extern .weak .common
	.hidden .entry .func .reg .global .const .shared .local .param .align .ptr .attribute .maxntid .reqntid .minnctapersm
	.maxnctapersm .maxnreg .noreturn .explicitcluster .reqnctapercluster .maxclusterrank .blocksareclusters
	.branchtargets .calltargets .callprototype`)

// ofGNU are directives of GNU as that PTX does not have.
var ofGNU = strings.Fields(".include .incbin .rept .irp .endr .macro .endm .if .ifdef .ifndef .else .endif")

// misspelt suggests the directive that an unknown one most likely means.
func misspelt(t *lexer.Token) string {
	if t.Type != directiveToken {
		return ""
	}
	if t.Value == ".set" {
		return "; did you mean .equ?"
	}
	if slices.Contains(ofGNU, t.Value) {
		return "; " + t.Value + " is for GNU as: expand the file before, by cpp -P -C or a script"
	}
	near := isa.Nearest(t.Value, directives)
	if near == "" || near == t.Value {
		return ""
	}
	return "; did you mean " + near + "?"
}

// Prepare builds the parser that all files need; otherwise the first Parse builds it.
func Prepare() { fileParser() }
