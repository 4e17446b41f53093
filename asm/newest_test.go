package asm

import (
	_ "embed"
	"strings"
	"testing"
)

// newestForms are forms that PTX has added since 8.0, one per line: what runs, then a line of dashes, then what does
// not yet.
//
//go:embed testdata/newest.txt
var newestForms string

// TestNewestFormsAssemble: forms above the dashes assemble and may be launched; those below assemble, and only the
// kernel that contains them cannot be launched, or they are refused.
func TestNewestFormsAssemble(t *testing.T) {
	runs, left, found := strings.Cut(newestForms, "---\n")
	if !found {
		t.Fatal("no dashes")
	}
	count := 0
	for i, part := range []string{runs, left} {
		for line := range strings.Lines(part) {
			count++
			m, err := Parse("k.s", []byte(".entry k() {\n.reg .b128 %rq<4>;\n"+line+"ret;\n}\n"))
			why := ""
			if err != nil {
				why = err.Error()
			} else {
				why = later(m)
			}
			if (why != "") != (i == 1) {
				t.Errorf("%s: %q", strings.TrimSpace(line), why)
			}
		}
	}
	if n := strings.Count(runs, "\n"); n < 100 || count != 107 {
		t.Errorf("%d of %d forms run", n, count)
	}
}
