package report

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// TestExcerptsAreSafeForTerminals checks that an error shows its line in a form that is safe for terminals.
func TestExcerptsAreSafeForTerminals(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		line, col  int32
	}{
		{"a\n\tadd.x %r1;\n", "    2 |  add.x %r1;\n      |  ^^^^^\n", 2, 2},
		{"ab\r\n", "    1 | ab\n      |   ^\n", 1, 3},
		{"\ufeffab", "    1 | ab\n      | ^^\n", 1, 1},
		{"é x", "    1 | é x\n      |   ^\n", 1, 4},
		{"a\x1b[31m b", "    1 | a·[31m b\n      |        ^\n", 1, 8},
		{"\xff b\u202e", "    1 | · b·\n      |   ^\n", 1, 3},
		{strings.Repeat("a ", 100) + "b" + strings.Repeat(" c", 100),
			"    1 | …" + strings.Repeat("a ", 30) + "b" + strings.Repeat(" c", 19) + "…\n      | " + strings.Repeat(" ", 61) + "^\n", 1, 201},
		{"a", "", 2, 1},
		{"a", "", 1, 9},
		{"", "", 1, 1},
		{"a", "", 1, 0},
	} {
		pos := isa.Pos{File: "k.s", Line: tt.line, Col: tt.col}
		sources := Sources{"k.s": Lines([]byte(tt.text))}
		if got := excerpt(sources.line(pos.File, int(pos.Line)), pos); got != tt.want {
			t.Errorf("%q at %d:%d:\n%s\nwant\n%s", tt.text, tt.line, tt.col, got, tt.want)
		}
	}
}
