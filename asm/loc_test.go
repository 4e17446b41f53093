package asm_test

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/asm"
)

// TestLocMeansTheSameInEveryNotation reads .loc directives that mean the same, written in different ways: the fast path
// reads some of them, and the lexer the others.
func TestLocMeansTheSameInEveryNotation(t *testing.T) {
	for directive, want := range map[string]string{
		".loc 1 10 3":                 "a.cu:10:3 from <nil>",
		".loc\t1  10\t3 // a.cu:10:3": "a.cu:10:3 from <nil>",
		".loc 1 012 0x3":              "a.cu:10:3 from <nil>",
		".loc 1 10U 3":                "a.cu:10:3 from <nil>",
		".loc 1 /* line */ 10\n3":     "a.cu:10:3 from <nil>",
		".loc 1 0 0":                  "a.cu:0:0 from <nil>",
		".loc 1 2000000000 3":         "a.cu:2000000000:3 from <nil>",
		".loc 1 10 3,function_name f,inlined_at 1 2 3":             "a.cu:10:3 from a.cu:2:3",
		".loc 1 10 3 // here\n, function_name f, inlined_at 1 2 3": "a.cu:10:3 from a.cu:2:3",
		".loc 1 10":           "t.ptx:4:1: found ret; expected a file number, a line and a column",
		".loc 1 10 3.0":       "t.ptx:3:11: found 3.0; expected a file number, a line and a column",
		".loc 1 10 3x":        "t.ptx:3:11: found 3x, which is not a number; expected a file number, a line and a column",
		".loc 1 3000000000 3": "t.ptx:3:8: 3000000000 is out of range; it may be 0 to 2147483647",
	} {
		for _, before := range []string{"", "bar.sync 0;", "here:", ".loc 1 5 5", "bar.sync 0; .loc 1 5 5", "{ bar.sync 0; }", ".loc 1 5 5 bar.sync 0; // }"} {
			if got := locatedText(directive, before); got != want {
				t.Errorf("%q after %q: %s, want %s", directive, before, got, want)
			}
		}
	}
}

// locatedText returns the place of an instruction after a directive, which follows other text, or the error.
func locatedText(directive, before string) string {
	mod, err := asm.Parse("t.ptx", []byte(".file 1 \"a.cu\"\n.entry k() { "+before+"\n"+directive+"\nret; }\n"))
	if err != nil {
		return err.Error()
	}
	code := mod.Funcs[0].Code
	in := code[len(code)-1]
	from := "<nil>"
	if in.Inlined != nil {
		from = in.Inlined.At.String()
	}
	return fmt.Sprintf("%s:%d:%d from %s", in.Loc.File, in.Loc.Line, in.Loc.Col, from)
}

// TestLocBeginsAfterItsDirective reads instructions between directives that stand before labels, braces and each other.
func TestLocBeginsAfterItsDirective(t *testing.T) {
	const src = `.file 1 "a.cu"
.file 2 "b.cu"
.entry k() {
bar.sync 0;
.loc 1 1 1
.loc 2 2 2 // b.cu:2:2
bar.sync 0; .loc 1 3 3 bar.sync 0;
.loc 1 4 4
here: bar.sync 0;
.loc 2 5 5
{
bar.sync 0;
.loc 1 6 6
}
ret;
}
`
	mod, err := asm.Parse("t.ptx", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, in := range mod.Funcs[0].Code {
		got = append(got, in.Loc.String())
	}
	if want := "[:0 b.cu:2:2 a.cu:3:3 a.cu:4:4 b.cu:5:5 a.cu:6:6]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
}
