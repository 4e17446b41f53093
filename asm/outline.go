package asm

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
)

// WordKind is the kind of a word of a source, for an editor's colours.
type WordKind uint8

const (
	CommentWord WordKind = iota
	OpcodeWord
	DirectiveWord // .entry, .reg, .u32 in a declaration
	NumberWord
	StringWord
	SpecialWord // a special register
	NameWord    // Word.Name is the name's entity; nil for a name that is not declared
)

// Word is a word, number or comment of a source.
type Word struct {
	Kind WordKind
	Text string
	Pos  isa.Pos // of the first byte; lines and columns from 1, columns in bytes
	Name *Name   // of a NameWord
}

// NameKind is the kind of entity that a name refers to.
type NameKind uint8

const (
	RegisterName NameKind = iota
	VariableName
	ParameterName
	FunctionName
	LabelName
	ConstantName // of .equ
	StructureName
	FieldName // of the structure Name.Of
)

// Name is a name of a source, with all its places.
type Name struct {
	Kind        NameKind
	Text        string
	Declared    isa.Pos // of the word that declares it; of line 0 for a register that need not be declared
	Declaration string  // the statement that declares it, on one line; "" for a label
	Uses        []isa.Pos
	From, To    isa.Pos // where it is visible; To is of line 0 up to the end of the file
	Of          *Name   // the structure of a field; elsewhere nil
	fields      []*Name // of a structure
	kernel      bool
}

// IsKernel reports whether the name is that of a kernel.
func (n *Name) IsKernel() bool { return n.kernel }

// Outline is the part of a source that editors use: its words and its names, both in source order.
type Outline struct {
	Words []Word
	Names []*Name
}

// OutlineOf reads a source, which may have mistakes. Names are resolved by the rules of Parse, but nothing else is
// checked.
func OutlineOf(name string, src []byte) *Outline {
	all, _ := pieces(name, string(src))
	o := &outliner{file: &place{}, out: &Outline{}}
	o.scope = o.file
	for i := range all {
		o.add(&all[i], all[min(i+1, len(all)-1):])
	}
	o.resolve()
	sorted.Stable(o.out.Names, func(a, b *Name) int { return comparePos(a.first(), b.first()) })
	return o.out
}

// first returns the first place of a name.
func (n *Name) first() isa.Pos {
	if n.Declared.Line > 0 || len(n.Uses) == 0 {
		return n.Declared
	}
	return n.Uses[0]
}

// place is a scope: a file, a function or a block.
type place struct {
	parent   *place
	function *place // the function's; nil for a file
	names    map[string]*Name
	ranges   map[string]*Name // by prefix; a register of the range becomes a name of its own when it is used
	from, to isa.Pos
}

// use is a word that refers to a name, to be resolved when all are declared.
type use struct {
	word  int
	scope *place
}

// outliner collects an Outline from a source's tokens.
type outliner struct {
	out   *Outline
	file  *place
	scope *place
	uses  []use
	stmt  statementLayout
	text  strings.Builder // the statement's tokens
	names []*Name         // declared by the statement
	value bool            // the statement is a declaration, after its =
}

// reservedWords are words of the language among operands and in initialisers.
var reservedWords = []string{"_", "WARP_SZ", "generic", "mask"}

// add adds a token; rest are those after it.
func (o *outliner) add(p *piece, rest []piece) {
	if p.Type == commentPiece {
		o.word(CommentWord, p)
		return
	}
	if o.stmt.endsAt(p) {
		o.end()
	}
	if o.scope != o.file && p.Pos.Column == 1 && slices.Contains([]string{".entry", ".func", ".visible"}, p.Value) {
		o.end() // the function before it lacks a brace
		o.scope = o.file
	}
	st := &o.stmt
	switch {
	case p.Type == lexer.EOF:
		return
	case p.Type == '{' && (len(st.tokens) == 0 || len(st.open) == 0 && st.isFunction()):
		o.enter(p)
		return
	case p.Type == '}' && len(st.tokens) == 0:
		o.leave(p)
		return
	case st.closedBy(&p.Token):
		if st.isFunction() {
			o.leave(p) // a declaration without a body
		}
		o.end()
		return
	}
	label := p.Type == wordToken && len(st.tokens) == 0 && next(rest).Type == ':'
	_ = st.close(&p.Token)
	o.classify(p, rest, label)
	if len(st.tokens) > 0 && st.spaced(p, false) {
		o.text.WriteByte(' ')
	}
	o.text.WriteString(p.Value)
	st.add(&p.Token, false, false)
	if p.Type == ':' && len(st.tokens) == 2 && st.tokens[0].Type == wordToken || p.Type == '}' && len(st.open) == 0 && st.isStructure() {
		o.end()
	}
}

// next returns the first token.
func next(rest []piece) *piece {
	for i := range rest {
		if rest[i].Type != commentPiece {
			return &rest[i]
		}
	}
	return &piece{Token: lexer.EOFToken(lexer.Position{})}
}

// classify records a token of a statement as a word.
func (o *outliner) classify(p *piece, rest []piece, label bool) {
	st := &o.stmt
	switch p.Type {
	case directiveToken:
		o.word(DirectiveWord, p)
		if (p.Value == ".entry" || p.Value == ".func") && len(st.open) == 0 && !st.isFunction() {
			o.push(p)
			o.scope.function = o.scope
		}
	case intToken, floatToken:
		o.word(NumberWord, p)
	case stringToken:
		o.word(StringWord, p)
	case '=':
		o.value = true
	case ',':
		if len(st.open) == 0 {
			o.value = false
		}
	case wordToken:
		o.name(p, rest, label)
	}
}

// name records a word: an opcode, the declaration of a name, or its use.
func (o *outliner) name(p *piece, rest []piece, label bool) {
	st := &o.stmt
	switch {
	case label:
		o.declare(o.scope, LabelName, p)
	case st.isFunction():
		o.ofHeader(p)
	case len(st.tokens) > 0 && (st.tokens[0].Value == ".equ" || st.isStructure()):
		o.constant(p)
	case len(st.tokens) > 0 && slices.Contains(stateSpaces, o.space()):
		if o.value || len(st.open) > 0 {
			o.refer(p)
			return
		}
		kind := VariableName
		if o.space() == ".reg" {
			kind = RegisterName
		}
		n := o.declare(o.scope, kind, p)
		if next(rest).Type == '<' {
			o.toRange(n)
		}
	case len(st.tokens) > 0 && slices.Contains(lineDirectives, st.tokens[0].Value), len(st.tokens) > 0 && st.tokens[0].Value == ".pragma":
		o.word(DirectiveWord, p)
	case st.mnemonic < 0 && st.isInstruction() && (len(st.tokens) == 0 || !st.guards()):
		o.word(OpcodeWord, p)
	default:
		o.refer(p)
	}
}

// stateSpaces begin declarations.
var stateSpaces = []string{".reg", ".shared", ".global", ".const", ".local", ".param", ".tex"}

// space returns the first directive of the statement that is not a linkage; "" if it begins with none.
func (o *outliner) space() string {
	for _, t := range o.stmt.tokens {
		if t.Type != directiveToken {
			return ""
		}
		if _, ok := linkages[t.Value]; !ok {
			return t.Value
		}
	}
	return ""
}

// ofHeader records a word in the head of a function: its name, or that of a parameter.
func (o *outliner) ofHeader(p *piece) {
	st := &o.stmt
	last := st.tokens[len(st.tokens)-1]
	switch {
	case len(st.open) > 0 && last.Type != '[':
		if p.Value == "_" {
			return
		}
		kind := ParameterName
		if i := len(st.tokens) - 2; i >= 0 && st.tokens[i].Value == ".reg" {
			kind = RegisterName
		}
		o.declare(o.scope, kind, p)
	case len(st.open) == 0 && (last.Value == ".entry" || last.Value == ".func" || last.Type == ')'):
		kernel := slices.ContainsFunc(st.tokens, func(t *lexer.Token) bool { return t.Value == ".entry" })
		o.declare(o.file, FunctionName, p).kernel = kernel
	default:
		o.refer(p)
	}
}

// declare records a word that declares a name. A function may be declared several times.
func (o *outliner) declare(s *place, kind NameKind, p *piece) *Name {
	n := s.names[p.Value]
	if n == nil {
		n = &Name{Kind: kind, Text: p.Value, Declared: position(p.Pos), From: s.from}
		o.enterName(s, n)
		o.names = append(o.names, n)
	}
	if n.Kind == FunctionName {
		n.Declared = position(p.Pos) // the definition is the last
	}
	o.declares(n, p)
	return n
}

// declares records the word that declares a name.
func (o *outliner) declares(n *Name, p *piece) {
	n.Uses = append(n.Uses, position(p.Pos))
	o.word(NameWord, p)
	o.out.Words[len(o.out.Words)-1].Name = n
}

func (o *outliner) enterName(s *place, n *Name) {
	if s.names == nil {
		s.names = make(map[string]*Name)
	}
	s.names[n.Text] = n
	n.To = s.to
	o.out.Names = append(o.out.Names, n)
}

// toRange makes a name that was declared as name<count> a range of registers.
func (o *outliner) toRange(n *Name) {
	s := o.scope
	if s.ranges == nil {
		s.ranges = make(map[string]*Name)
	}
	s.ranges[n.Text] = n
	delete(s.names, n.Text)
}

// refer records a word that refers to a name.
func (o *outliner) refer(p *piece) {
	o.uses = append(o.uses, use{len(o.out.Words), o.scope})
	o.word(NameWord, p)
}

func (o *outliner) word(kind WordKind, p *piece) {
	o.out.Words = append(o.out.Words, Word{Kind: kind, Text: p.Value, Pos: position(p.Pos)})
}

func (o *outliner) push(p *piece) {
	s := &place{parent: o.scope, from: position(p.Pos)}
	s.function = o.scope.function
	o.scope = s
}

// enter enters a block: the body of the function in the statement's head, or a scope.
func (o *outliner) enter(p *piece) {
	if !o.stmt.isFunction() {
		o.push(p)
	}
	o.end()
}

// leave leaves the innermost block.
func (o *outliner) leave(p *piece) {
	if o.scope.parent == nil {
		return
	}
	o.scope.to = position(p.Pos)
	for _, n := range o.scope.names {
		n.To = o.scope.to
	}
	o.scope = o.scope.parent
}

// end ends the statement.
func (o *outliner) end() {
	text, _, _ := strings.Cut(o.text.String(), " =") // without the value of a variable
	for _, n := range o.names {
		if n.Kind != LabelName {
			n.Declaration = text
		}
	}
	o.stmt = statementLayout{tokens: o.stmt.tokens[:0], open: o.stmt.open[:0], mnemonic: -1}
	o.text.Reset()
	o.names, o.value = nil, false
}

// resolve finds the names that words refer to.
func (o *outliner) resolve() {
	for _, u := range o.uses {
		w := &o.out.Words[u.word]
		n := o.lookup(u.scope, w.Text)
		base, suffix, dotted := strings.Cut(w.Text, ".")
		if n == nil && dotted {
			n = o.lookup(u.scope, base)
			n = n.field(suffix, w.Pos)
		}
		if n == nil {
			if slices.Contains(reservedWords, w.Text) {
				w.Kind = DirectiveWord
				continue
			}
			if _, known := isa.SpecialByName(w.Text); known || isVectorSpecial(base) {
				w.Kind = SpecialWord
				continue
			}
			if n = o.implied(u.scope, base); n == nil || suffix != "" {
				continue
			}
		}
		w.Name = n
		if n.Kind != FieldName {
			n.Uses = append(n.Uses, w.Pos)
		}
	}
	for _, n := range o.out.Names {
		sorted.By(n.Uses, comparePos)
		n.Uses = slices.Compact(n.Uses)
	}
}

func isVectorSpecial(name string) bool {
	_, ok := isa.SpecialVector(name)
	return ok
}

// constant records a word of an .equ or .struct: the name, a field, or a constant of a value.
func (o *outliner) constant(p *piece) {
	st := &o.stmt
	last := st.tokens[len(st.tokens)-1]
	switch {
	case len(st.tokens) == 1 && st.isStructure():
		o.declare(o.file, StructureName, p)
	case len(st.tokens) == 1:
		o.declare(o.file, ConstantName, p)
	case st.isStructure() && len(o.names) > 0 && len(st.open) == 1 && (last.Type == directiveToken && last.Value != ".align" || last.Type == ','):
		of := o.names[0]
		n := &Name{Kind: FieldName, Text: p.Value, Declared: position(p.Pos), Of: of}
		of.fields = append(of.fields, n)
		o.out.Names, o.names = append(o.out.Names, n), append(o.names, n)
		o.declares(n, p)
	default:
		o.refer(p)
	}
}

// field returns the field of a structure that is used as NAME.field at a position, and records both uses; other names
// themselves.
func (n *Name) field(name string, at isa.Pos) *Name {
	if n == nil || n.Kind != StructureName {
		return n
	}
	for _, f := range n.fields {
		if f.Text == name {
			n.Uses = append(n.Uses, at)
			at.Col += int32(len(n.Text)) + 1
			f.Uses = append(f.Uses, at)
			return f
		}
	}
	return n
}

// lookup returns the meaning of a name in a scope, or nil.
func (o *outliner) lookup(s *place, name string) *Name {
	prefix := rangePrefix(name)
	for ; s != nil; s = s.parent {
		if n := s.names[name]; n != nil {
			return n
		}
		if r := s.ranges[prefix]; r != nil && prefix != "" {
			n := &Name{Kind: RegisterName, Text: name, Declared: r.Declared, Declaration: r.Declaration, From: s.from}
			o.enterName(s, n)
			return n
		}
	}
	return nil
}

// implied returns a register of a function that need not be declared, or nil.
func (o *outliner) implied(s *place, name string) *Name {
	if s.function == nil || !strings.HasPrefix(name, "%") || rangePrefix(name) == "" {
		return nil
	}
	n := &Name{Kind: RegisterName, Text: name, From: s.function.from}
	o.enterName(s.function, n)
	return n
}
