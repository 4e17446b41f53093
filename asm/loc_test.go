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
		mod, err := asm.Parse("t.ptx", []byte(".file 1 \"a.cu\"\n.entry k() {\n"+directive+"\nret; }\n"))
		got := fmt.Sprint(err)
		if err == nil {
			in := mod.Funcs[0].Code[0]
			got = fmt.Sprintf("%s:%d:%d from <nil>", in.Loc.File, in.Loc.Line, in.Loc.Col)
			if in.Inlined != nil {
				got = fmt.Sprintf("%s:%d:%d from %v", in.Loc.File, in.Loc.Line, in.Loc.Col, in.Inlined.At)
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", directive, got, want)
		}
	}
}
