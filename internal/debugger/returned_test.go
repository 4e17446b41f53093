package debugger

import (
	"regexp"
	"testing"
)

// TestFinishShowsTheValueReturned: as gdb does, for functions of C++ with debug information, in the lanes that have
// returned. The values are worked out from testdata/returns.cu: p.low is 2t, in[t] is t, inlined(n) is 67.
func TestFinishShowsTheValueReturned(t *testing.T) {
	b := newCells(t, "returns-clang19.ptx")
	for _, c := range [][2]string{
		{"tbreak both", `^tbreak 1 at L5: `},
		{"run", `^tbreak 1 at L5 `},
		{"finish", `(?s)^=> 41   Pair p = both\(t\); [^\n]*\nValue returned is Pair\n  .low int   0-31: 2\*lane\n  .high float\n     0: 0.5  1.5 .* 31.5$`},
		{"p $", `^\$ was a struct or an array`},
		{"tbreak element", `^tbreak 2 `},
		{"continue", `^tbreak 2 `},
		{"finish", `^=> 42 [^\n]*\nValue returned is int   all: 0$`}, // through the reference
		{"tbreak after", `^tbreak 3 `},
		{"continue", `^tbreak 3 `},
		{"finish", `^=> 43 [^\n]*\nValue returned is int \*   0-31: &out\[lane\]$`},
		{"p *$", `int   0-31: lane\+5$`},
		{"tbreak put", `^tbreak 4 `},
		{"continue", `^tbreak 4 `},
		{"finish", `^=> 45 [^\n]*$`}, // void
		{"tbreak inlined", `^tbreak 5 `},
		{"run", `(?m)^tbreak 5 `},
		{"finish", `^=> 44 [^\n]*$`}, // inlined: its value has no place
		{"tbreak letter", `^tbreak 6 `},
		{"continue", `^tbreak 6 `},
		{"up", `^#1  outer `},
		{"finish", `^=> 46 [^\n]*\nValue returned is double   0: 97.25   1: 98.25   2: 99.25$`},
		{"p $ + 1", `double   0: 98.25   1: 99.25   2: 100.25 `},
	} {
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s\nwant %s", c[0], got, c[1])
		}
	}
}
