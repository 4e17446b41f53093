package asm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
)

// mostListed is how many names a message lists.
const mostListed = 6

// instead suggests one of the candidates, or lists them if they are few.
func instead(word string, candidates []string) string {
	near := isa.DidYouMean(word, candidates)
	switch n := len(candidates); {
	case near != "" || n == 0 || n > mostListed:
		return near
	case n == 1:
		return "; there is " + candidates[0]
	}
	return "; there are " + strings.Join(candidates, ", ")
}

// cudaNames maps names in CUDA C++ and other languages, in lower case and without underscores, to special registers.
var cudaNames = map[string]string{
	"threadidx": "%tid", "threadid": "%tid", "blockidx": "%ctaid", "blockid": "%ctaid", "bid": "%ctaid", "blockdim": "%ntid", "blocksize": "%ntid",
	"griddim": "%nctaid", "gridsize": "%nctaid", "clusteridx": "%clusterid",
	"warpsize": "WARP_SZ", "laneid": "%laneid", "lane": "%laneid", "warpid": "%warpid", "clock64": "%clock64",
}

// undeclared returns the error for a name without a meaning, with suggestions.
func (b *bodyAssembler) undeclared(t *lexer.Token) *isa.Error {
	pos := position(t.Pos)
	if b.errs.full() {
		return isa.Errorf(pos, "%s is not declared", t.Value) // it is only counted
	}
	prefix, _, ok := numbered(t.Value)
	for s := b.scope; ok && s != nil; s = s.parent {
		if r := s.ranges[prefix]; r != nil {
			return isa.Errorf(pos, "%s is not declared; .reg .%s %s<%d> declares %s0 to %s%d",
				t.Value, r.typ, prefix, r.count, prefix, prefix, r.count-1)
		}
	}
	near := b.otherSpelling(t.Value)
	switch {
	case near != "":
		near = "; did you mean " + near + "?"
	case ok && b.declared[prefix] && habits[prefix] != isa.NoType:
		near = fmt.Sprintf("; where a function declares one of the registers %s, it declares all of them", prefix)
	default:
		near = isa.DidYouMean(t.Value, b.visibleNames())
		if near == "" && ok && strings.HasPrefix(prefix, "%") && habits[prefix] == isa.NoType {
			near = "; .reg declares a register, and those called %p, %rs, %r, %rd, %f and %fd need no declaration"
		}
	}
	return isa.Errorf(pos, "%s is not declared%s", t.Value, near)
}

// otherSpelling returns the name meant by a spelling without the percent sign, in capitals, or of CUDA C++; "" for
// other names.
func (b *bodyAssembler) otherSpelling(name string) string {
	vector, axis, _ := strings.Cut(strings.TrimPrefix(name, "%"), ".")
	if ptx := cudaNames[strings.ToLower(strings.ReplaceAll(vector, "_", ""))]; ptx != "" {
		if spelled := strings.TrimSuffix(ptx+"."+axis, "."); spelled != name {
			return spelled
		}
		return ptx // a scalar, without elements
	}
	for _, other := range []string{"%" + name, strings.ToLower(name), "%" + strings.ToLower(name)} {
		if _, special := isa.SpecialByName(other); special || b.lookup(other) != nil {
			return other
		}
	}
	return ""
}

// ownerOf returns another function that has a label; "" if none has.
func (b *bodyAssembler) ownerOf(label string) string {
	for _, f := range b.mod.Funcs {
		if f != b.f && slices.ContainsFunc(f.Labels, func(l isa.Label) bool { return l.Name == label }) {
			return f.Name
		}
	}
	for _, p := range b.defs {
		if p.src == nil || p.src.End.body == nil || p.f == b.f {
			continue // a variable, or assembled already
		}
		for i := range p.src.End.body.statements {
			if st := &p.src.End.body.statements[i]; st.kind == labelStatement && st.tokens[0].Value == label {
				return p.f.Name
			}
		}
	}
	return ""
}

// badMnemonic returns the error for an opcode that does not resolve, with its probable meaning: a directive without
// its dot, a register, or a suffix without its dot, which is then the next token.
func (b *bodyAssembler) badMnemonic(t, next *lexer.Token, name, msg string) *isa.Error {
	pos := position(t.Pos)
	base, _, _ := strings.Cut(t.Value, ".")
	opcode := isa.Lookup(base) != nil
	switch {
	case opcode && next.Type == wordToken && isa.IsSuffix(next.Value):
		if r := b.resolve(name + "." + next.Value); r.msg == "" {
			return isa.Errorf(position(next.Pos), "%s is a suffix of %s; did you mean %s.%s?", next.Value, base, name, next.Value)
		}
	case !opcode && base == name && next.Pos.Line > t.Pos.Line:
		return isa.Errorf(pos, "%s: no such opcode; a label ends with a colon, as in %s:", base, base)
	case !opcode && slices.Contains(directives, "."+strings.ToLower(base)):
		return isa.Errorf(pos, "%s is not an opcode; did you mean .%s?", base, strings.ToLower(base))
	case strings.HasPrefix(base, "%"):
		what := "an instruction begins with an opcode, as in mov.u32 " + base + ", 1;"
		if next.Type == wordToken {
			what = "a guard is written @" + base
		}
		return isa.Errorf(pos, "%s is a register; %s", base, what)
	}
	return isa.Errorf(pos, "%s", msg)
}

// unendedStatement finds a missing semicolon in a statement that does not assemble. Its tokens continue into the next
// statement: a later line begins with an opcode, a guard or a label, after a token that can end a statement. The
// error is nil if there is no such position.
func unendedStatement(tokens []lexer.Token) *isa.Error {
	for i := 1; i < len(tokens)-1; i++ {
		before, t := &tokens[i-1], &tokens[i]
		if t.Pos.Line == before.Pos.Line || !endsStatement(before) {
			continue
		}
		if t.Type == '@' || t.Type == directiveToken && slices.Contains(directives, t.Value) || t.Type == wordToken && (tokens[i+1].Type == ':' || isOpcode(t.Value)) {
			return isa.Errorf(after(before), "found the end of the line; expected ;")
		}
	}
	return nil
}

// endsStatement reports whether a statement can end with t.
func endsStatement(t *lexer.Token) bool {
	switch t.Type {
	case wordToken, directiveToken, intToken, floatToken, ')', ']', '}':
		return true
	}
	return false
}

func isOpcode(word string) bool {
	base, _, _ := strings.Cut(word, ".")
	return isa.Lookup(base) != nil
}

// afterDeclaration corrects an error of the grammar about the token after a declaration: the cause is a missing
// semicolon at the end of the line before it, or a word without its dot.
func afterDeclaration(name, src string, found *lexer.Token, err *isa.Error) *isa.Error {
	last, lastButOne := tokensBefore(name, src, found.Pos.Offset)
	switch {
	case last.Type == lexer.EOF:
	case last.Pos.Line < found.Pos.Line && endsStatement(&last) && strings.HasSuffix(err.Msg, "expected a comma or ;"):
		return isa.Errorf(after(&last), "found the end of the line; expected ;")
	case found.Type == wordToken && last.Type == wordToken && lastButOne.Type == directiveToken && isa.IsSuffix(strings.ToLower(last.Value)):
		return isa.Errorf(position(last.Pos), "%s stands where a name should; did you mean .%s?", last.Value, strings.ToLower(last.Value))
	}
	return err
}

// tokensBefore returns the last two tokens of a source that begin before an offset.
func tokensBefore(name, src string, offset int) (last, lastButOne lexer.Token) {
	last.Type, lastButOne.Type = lexer.EOF, lexer.EOF
	s := newScanner(name, src)
	for {
		t, _ := s.Next() // it never fails
		if t.Type == lexer.EOF || t.Pos.Offset >= offset {
			return last, lastButOne
		}
		last, lastButOne = t, last
	}
}
