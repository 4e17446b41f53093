package asm

import (
	"errors"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// read parses a source and records its syntax errors. After one outside of a body it goes on without the item that
// contains it, so that mistakes in later items are found. It returns false if items are missing: other statements would
// then seem to use undeclared names.
func (a *assembler) read(name, src string) (file *sourceFile, whole bool) {
	src = a.withoutPreprocessor(name, src)
	for whole = true; ; whole = false {
		file, err := fileParser().ParseString(name, src)
		if err == nil {
			a.grammar(file, src)
			return file, whole
		}
		a.errs.add(syntaxError(name, src, err))
		var mistake participle.Error
		if !errors.As(err, &mistake) || a.errs.full() {
			return nil, false
		}
		rest := withoutItem(name, src, position(mistake.Position()))
		if rest == src {
			return nil, false
		}
		src = rest
	}
}

// grammar records the syntax errors in the bodies of functions.
func (a *assembler) grammar(file *sourceFile, src string) {
	for _, it := range file.Items {
		if it.Definition == nil || it.Definition.Function == nil || it.Definition.Function.End.body == nil {
			continue
		}
		for _, mistake := range it.Definition.Function.End.body.mistakes {
			a.errs.add(syntaxError(a.mod.Name, src, mistake))
		}
	}
}

// bodies checks the bodies of a file in which items are missing.
func (a *assembler) bodies(file *sourceFile) {
	for _, it := range file.Items {
		switch {
		case it.Version != "":
			a.version(it.Version)
		case it.Definition != nil && it.Definition.Function != nil && it.Definition.Function.End.body != nil:
			a.forms(it.Definition.Function.End.body)
		}
	}
}

// forms checks the instructions of a body in which declarations are missing: their mnemonics, and that each ends before
// the next begins.
func (a *assembler) forms(src *body) {
	b := &bodyAssembler{assembler: a}
	text := newReader(&src.text)
	for i := range src.statements {
		st := &src.statements[i]
		if st.kind != codeStatement {
			continue
		}
		text.startAt(st.code.start)
		for range st.code.lines {
			text.begin()
			if text.Peek().Value == ".loc" {
				loc(text)
				continue
			}
			toSemicolon(text, text.Next())
			b.errs.add(b.form(text.read()))
		}
	}
}

// form checks one instruction for forms.
func (b *bodyAssembler) form(tokens []lexer.Token) *isa.Error {
	c := &cursor{tokens: tokens}
	if c.accept('@') {
		c.accept('!')
		c.accept(wordToken)
	}
	if _, err := b.mnemonic(c); err != nil {
		return err
	}
	return unendedStatement(tokens)
}

// withoutItem replaces the item of a module that contains a mistake by blanks. Text that does not begin with a
// directive is replaced up to the next item, such as instructions after a superfluous brace.
func withoutItem(name, src string, mistake isa.Pos) string {
	s := newScanner(name, src)
	s.blocks = true
	w := itemWalk{ended: true}
	for found := false; ; {
		t, _ := s.Next() // it never fails
		directed, begins := w.directed(&t), w.begins(&t)
		if directed || begins || t.Type == lexer.EOF {
			unended := !begins && comparePos(mistake, position(t.Pos)) <= 0 // the item before is
			if t.Type == lexer.EOF || unended || found && (directed || w.first.Type == directiveToken) {
				text := []byte(src)
				blank(text[w.first.Pos.Offset:t.Pos.Offset])
				return string(text)
			}
			if !found {
				w.first, w.depth = t, 0
			}
		}
		found = found || comparePos(mistake, after(&t)) < 0
		w.pass(&t)
	}
}

// itemWalk is a position between tokens of a module.
type itemWalk struct {
	first lexer.Token // of the item
	last  lexer.Token // before the position
	depth int         // of parentheses and brackets
	ended bool        // the item ends before the position
	block bool        // a block is before the position: the end of a function, unless a comma or semicolon follows
}

// begins reports whether t begins an item because the item before it has ended.
func (w *itemWalk) begins(t *lexer.Token) bool {
	return w.ended || w.block && t.Type != ';' && t.Type != ','
}

// directed reports whether t begins an item by itself: a directive that is the first of its line.
func (w *itemWalk) directed(t *lexer.Token) bool {
	if t.Type != directiveToken || !itemDirectives[t.Value] || w.last.Pos.Line == t.Pos.Line {
		return false
	}
	_, linked := linkages[w.last.Value]
	return !linked && (w.depth == 0 || slices.Contains([]string{".entry", ".func", ".visible"}, t.Value))
}

// pass moves after t.
func (w *itemWalk) pass(t *lexer.Token) {
	w.last, w.ended, w.block = *t, t.Type == ';', t.Type == blockToken
	switch t.Type {
	case '(', '[':
		w.depth++
	case ')', ']':
		w.depth = max(w.depth-1, 0)
	case ';', blockToken:
		w.depth = 0
	}
}

// blank replaces a text by blanks, so that later text keeps its positions.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

// preprocessed are the directives of the C preprocessor besides #line.
var preprocessed = []string{"include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning", "pragma"}

// withoutPreprocessor replaces the lines of the C preprocessor by blanks. PTX has them (PTX ISA 4.1), and simtrun only
// takes those that the preprocessor itself leaves, with the number of a line and the name of a file; others are errors.
func (a *assembler) withoutPreprocessor(name, src string) string {
	if !hasDirective(src) {
		return src
	}
	text := []byte(src)
	s := newScanner(name, src)
	for line := 0; ; {
		t, _ := s.Next() // it never fails
		first := t.Pos.Line != line
		line = t.Pos.Line
		switch {
		case t.Type == lexer.EOF:
			return string(text)
		case t.Value != "#" || !first:
			continue
		}
		word, _ := s.Next()
		end := endOfLine(s.src, t.Pos.Offset)
		s.moveTo(t.Pos)
		s.line += strings.Count(s.src[s.at:end], "\n")
		s.at = end
		switch {
		case word.Type == intToken || word.Value == "line" || word.Pos.Offset >= end:
		case !slices.Contains(preprocessed, word.Value):
			a.errs.addf(position(t.Pos), "found #; a comment begins with //")
		default:
			a.errs.addf(position(t.Pos), "#%s is for the C preprocessor, which simtrun does not run; expand the file before, as with cpp -P -C", word.Value)
		}
		blank(text[t.Pos.Offset:end])
	}
}

// hasDirective reports whether a line of a source begins with #. It may be in a comment.
func hasDirective(src string) bool {
	for at := 0; ; at++ {
		n := strings.IndexByte(src[at:], '#')
		if n < 0 {
			return false
		}
		at += n
		if before := strings.TrimRight(src[:at], " \t"); before == "" || before[len(before)-1] == '\n' {
			return true
		}
	}
}

// endOfLine returns the offset of the end of a line of the preprocessor, which a backslash continues on the next.
func endOfLine(src string, from int) int {
	for {
		n := strings.IndexByte(src[from:], '\n')
		switch {
		case n < 0:
			return len(src)
		case !strings.HasSuffix(strings.TrimSuffix(src[from:from+n], "\r"), "\\"):
			return from + n
		}
		from += n + 1
	}
}
