package asm

import (
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
	"github.com/google/go-cmp/cmp"
)

func tokens(t *testing.T, src string) []lexer.Token {
	t.Helper()
	all, err := lexer.ConsumeAll(newScanner("x.s", src))
	if err != nil {
		t.Fatal(err)
	}
	return all[:len(all)-1] // without the end of the file
}

func TestLexerSplitsTokens(t *testing.T) {
	names := map[lexer.TokenType]string{
		wordToken: "word", directiveToken: "directive", intToken: "int", floatToken: "float",
		stringToken: "string", operatorToken: "operator", invalidToken: "invalid",
	}
	for _, c := range []struct{ src, want string }{
		{"ld.global.L2::128B.u32 %r1", "word:ld.global.L2::128B.u32 word:%r1"},
		{"mov .u32 %tid.x", "word:mov directive:.u32 word:%tid.x"},
		{".shared::cta .param.u32", "directive:.shared::cta directive:.param directive:.u32"},
		{"$L__BB0_2: _Z3fooPi", "word:$L__BB0_2 : word:_Z3fooPi"},
		{"7 0x1F 0b101 017 7U 0XffU", "int:7 int:0x1F int:0b101 int:017 int:7U int:0XffU"},
		{"1.5 1e10 1. .5 2.5e-3 0f3F800000 0D3FF0000000000000", "float:1.5 float:1e10 float:1. float:.5 float:2.5e-3 float:0f3F800000 float:0D3FF0000000000000"},
		{"12abc 0x 0f12 09 1.5f", "invalid:12abc invalid:0x invalid:0f12 invalid:09 invalid:1.5f"},
		{"17%5 17 % 5 %r5", "int:17 % int:5 int:17 % int:5 % word:r5"},
		{"(1)%3,%r5", "( int:1 ) % int:3 , word:%r5"},
		{"%r<9>;a<<2>=3", "word:%r < int:9 > ; word:a operator:<< int:2 operator:>= int:3"},
		{"@!%p1 bra", "@ ! word:%p1 word:bra"},
		{"{a,_}|[b+-4]", "{ word:a , word:_ } | [ word:b + - int:4 ]"},
		{`.pragma "no unroll";`, `directive:.pragma string:"no unroll" ;`},
		{"a//b\nc/*d\n*/e", "word:a word:c word:e"},
		{"\"open\n#", "invalid:\" word:open invalid:#"},
	} {
		var got []string
		for _, tok := range tokens(t, c.src) {
			if name := names[tok.Type]; name != "" {
				got = append(got, name+":"+tok.Value)
			} else {
				got = append(got, tok.Value)
			}
		}
		if diff := cmp.Diff(strings.Fields(strings.ReplaceAll(c.want, "no unroll", "no_unroll")),
			strings.Fields(strings.ReplaceAll(strings.Join(got, " "), "no unroll", "no_unroll"))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.src, diff)
		}
	}
}

func TestTokensHavePositions(t *testing.T) {
	src := "\ta /* x\ny */ b\r\n\n// c\n  d"
	want := []lexer.Position{
		{Filename: "x.s", Offset: 1, Line: 1, Column: 2},
		{Filename: "x.s", Offset: 13, Line: 2, Column: 6},
		{Filename: "x.s", Offset: 24, Line: 5, Column: 3},
	}
	var got []lexer.Position
	for _, tok := range tokens(t, src) {
		got = append(got, tok.Pos)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
