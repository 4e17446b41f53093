package asm

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// The columns of the layout, from 0.
const (
	indentation   = 4
	operandColumn = 24 // of an instruction's operands, unless the mnemonic is too long
	commentColumn = 48 // of comments after the code, unless the code is too long
)

// FormatSource lays out a source in the style of simtrun fmt. All tokens and comments stay, and the layout of its
// result is the same text. The source need not be a correct program, but its brackets must be closed and all of it must
// be tokens of PTX; otherwise FormatSource returns an Errors.
//
// Each statement and label has a line, indented by four columns for each open brace (labels by one level less).
// Operands begin in column 24 and comments after code in column 48, counted from 0, or after one space if the code
// before them is longer. Line breaks within a statement stay, and so do blank lines, one of each sequence.
func FormatSource(name string, src []byte) ([]byte, error) {
	text := string(src)
	all, fault := pieces(name, text)
	if fault != nil {
		return nil, Errors{List: []*isa.Error{fault}}
	}
	l := &layout{pieces: all}
	for i := range all {
		if fault := l.add(i); fault != nil {
			return nil, Errors{List: []*isa.Error{fault}}
		}
	}
	out := l.text()
	l.checkSame(name, out)
	return []byte(out), nil
}

// layout collects the lines of a source.
type layout struct {
	pieces []piece
	lines  []textLine
	blocks []*lexer.Token // the open braces of bodies and scopes
	stmt   statementLayout
	fresh  bool // the next token begins a line
	blank  bool // the next line has a blank one before it
}

// textLine is one line of the result, without the space at its end.
type textLine struct {
	code    string // with its indentation
	comment string // after the code
	blank   bool   // a blank line is before it
}

// statementLayout is the statement that is being laid out.
type statementLayout struct {
	tokens   []*lexer.Token
	open     []*lexer.Token // the brackets that are open in it
	mnemonic int            // index of the token after which operands begin; -1 if there is none
	operator bool           // its last token is a binary operator with space around it
	tight    bool           // nothing comes between its last token and the next one: an operator without space
}

// add adds the piece of index i.
func (l *layout) add(i int) *isa.Error {
	p := &l.pieces[i]
	if p.Type == commentPiece {
		l.comment(i)
		return nil
	}
	if l.stmt.endsAt(p) {
		l.end()
	}
	if p.Type == lexer.EOF {
		return l.unclosed()
	}
	if len(l.stmt.tokens) == 0 {
		return l.begin(i)
	}
	return l.continued(i)
}

// begin adds the first token of a statement, which may be a brace or a label.
func (l *layout) begin(i int) *isa.Error {
	p := &l.pieces[i]
	switch {
	case p.Type == '{':
		l.line(p, len(l.blocks))
		l.write("{")
		l.blocks = append(l.blocks, &p.Token)
		l.end()
		return nil
	case p.Type == '}':
		if len(l.blocks) == 0 {
			return unopened(&p.Token)
		}
		l.blocks = l.blocks[:len(l.blocks)-1]
		l.line(p, len(l.blocks))
		l.write("}")
		l.end()
		return nil
	case p.Type == wordToken && l.after(i).Type == ':':
		l.line(p, max(len(l.blocks)-1, 0))
	default:
		l.line(p, len(l.blocks))
	}
	l.stmt.mnemonic = -1
	l.token(i)
	if p.Type == ';' {
		l.end()
	}
	return nil
}

// continued adds a further token of a statement.
func (l *layout) continued(i int) *isa.Error {
	p := &l.pieces[i]
	st := &l.stmt
	if p.Type == ':' && len(st.tokens) == 1 {
		l.write(":")
		l.end()
		return nil
	}
	if p.Type == '{' && len(st.open) == 0 && st.hasBlock() {
		l.end()
		return l.begin(i)
	}
	if p.Type == blockToken {
		return l.section(p)
	}
	if fault := st.close(&p.Token); fault != nil {
		return fault
	}
	if l.fresh || p.breaks > 0 && !isCloser(p.Type) {
		l.line(p, len(l.blocks)+st.continuation())
	}
	ends := st.closedBy(&p.Token)
	l.token(i)
	if ends {
		l.end()
	}
	return nil
}

// token writes a token of a statement after the one before it.
func (l *layout) token(i int) {
	p, st := &l.pieces[i], &l.stmt
	line := &l.lines[len(l.lines)-1]
	if code := line.code; strings.TrimLeft(code, " ") != "" {
		switch n := len(st.tokens); {
		case st.mnemonic >= 0 && n == st.mnemonic+1 && p.Type != ';' && len(l.blocks) > 0:
			line.code += strings.Repeat(" ", max(operandColumn-len(code), 1))
		case st.spaced(p, l.gapAfter(i)):
			line.code += " "
		}
	}
	l.write(p.Value)
	st.add(&p.Token, p.gap, l.gapAfter(i))
}

// after returns the token after the piece of index i.
func (l *layout) after(i int) *piece {
	for i++; i < len(l.pieces)-1 && l.pieces[i].Type == commentPiece; i++ {
	}
	return &l.pieces[min(i, len(l.pieces)-1)]
}

// gapAfter reports whether the source has space between the piece of index i and the next token. Space before a token
// that always begins a line does not count.
func (l *layout) gapAfter(i int) bool {
	next := l.after(i)
	return next.gap && next.Type != lexer.EOF && !isOneOf(next.Type, "{}")
}

// line begins a line for a piece.
func (l *layout) line(p *piece, depth int) {
	blank := l.blank || p.breaks > 1
	if n := len(l.lines); n == 0 || strings.HasSuffix(l.lines[n-1].code, "{") && len(l.stmt.tokens) == 0 || p.Type == '}' {
		blank = false
	}
	l.lines = append(l.lines, textLine{code: strings.Repeat(" ", indentation*depth), blank: blank})
	l.fresh, l.blank = false, false
}

func (l *layout) write(s string) { l.lines[len(l.lines)-1].code += s }

// end ends the statement.
func (l *layout) end() { l.stmt = statementLayout{tokens: l.stmt.tokens[:0], open: l.stmt.open[:0]} }

// comment adds the comment of index i: after the code of its line, or on a line of its own.
func (l *layout) comment(i int) {
	p := &l.pieces[i]
	next := &l.pieces[i+1]
	long := strings.HasPrefix(p.Value, "/*") && strings.Contains(p.Value, "\n")
	if n := len(l.lines); n > 0 && p.breaks == 0 && !long && !l.lines[n-1].endsLine() {
		line := &l.lines[n-1]
		if strings.HasPrefix(p.Value, "/*") && line.comment == "" && l.stmt.goesOn(next) {
			l.write(" " + p.Value)
			return
		}
		line.comment = strings.TrimLeft(line.comment+" "+p.Value, " ")
		l.fresh = true
		return
	}
	depth := len(l.blocks)
	if len(l.stmt.tokens) > 0 {
		depth += l.stmt.continuation()
	}
	if strings.HasPrefix(p.Value, "@@") {
		depth = 0
	}
	l.line(p, depth)
	l.write(p.Value)
	l.fresh = true
}

// endsLine reports whether no comment may stand after the line: it is one, or several lines.
func (t *textLine) endsLine() bool {
	code := strings.TrimLeft(t.code, " ")
	return strings.HasPrefix(code, "//") || strings.HasPrefix(code, "@@") || strings.Contains(code, "\n")
}

// section adds the text of a debug section unchanged.
func (l *layout) section(p *piece) *isa.Error {
	if skim(&p.Token) != nil {
		return isa.Errorf(position(p.Pos), "this section's brackets do not match")
	}
	l.line(p, len(l.blocks))
	lines := strings.Split(strings.ReplaceAll(p.Value, "\r", ""), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\f\v")
	}
	l.write(strings.Join(lines, "\n"))
	l.end()
	return nil
}

// unclosed returns an error for a bracket that is not closed.
func (l *layout) unclosed() *isa.Error {
	if open := append(slices.Clone(l.blocks), l.stmt.open...); len(open) > 0 {
		t := open[len(open)-1]
		return isa.Errorf(position(t.Pos), "%q is not closed", t.Value)
	}
	return nil
}

func unopened(t *lexer.Token) *isa.Error {
	return isa.Errorf(position(t.Pos), "%q closes nothing", t.Value)
}

// text returns all lines, with the comments after code in their column.
func (l *layout) text() string {
	var b strings.Builder
	for _, line := range l.lines {
		if line.blank {
			b.WriteByte('\n')
		}
		code := strings.TrimRight(line.code, " ")
		b.WriteString(code)
		if line.comment != "" {
			b.WriteString(strings.Repeat(" ", max(commentColumn-len(code), 1)) + line.comment)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// checkSame panics unless the result has the tokens and comments of the source.
func (l *layout) checkSame(name, out string) {
	same := func(a, b piece) bool { return a.Type == b.Type && squeezed(a.Value) == squeezed(b.Value) }
	if got, fault := pieces(name, out); fault != nil || !slices.EqualFunc(got, l.pieces, same) {
		panic("simtrun bug: the layout of " + name + " changes its tokens or comments")
	}
}

// squeezed returns a text without space at the ends of its lines.
func squeezed(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\f\v")
	}
	return strings.Join(lines, "\n")
}
