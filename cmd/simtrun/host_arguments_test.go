package main

import (
	"strings"
	"testing"
)

func TestFlagsAfterTheProgramAreNoted(t *testing.T) {
	for _, c := range []struct{ arguments, noted string }{
		{"", ""},
		{"1000 -v", ""},
		{"--check all", "--check"},
		{"1000 --check=race,init", "--check"},
		{"--junit out.xml", "--junit"},
		{"--require-launch", "--require-launch"},
		{"--check", ""},          // the program's own flag
		{"--check sum", ""},      // as here
		{"--check=race,sum", ""}, // and here
		{"--debug --gpu 1", ""},  // names that programs use
		{"-- --check all", ""},   // said to be the program's
		{"check all", ""},        // not a flag
		{"--sarif a --junit b", "--sarif"},
	} {
		var b strings.Builder
		noteMisplaced(&b, append([]string{"./prog"}, strings.Fields(c.arguments)...))
		got := b.String()
		if c.noted == "" {
			if got != "" {
				t.Errorf("%q: %s", c.arguments, got)
			}
			continue
		}
		if strings.Count(got, "\n") != 1 || !strings.Contains(got, "note: "+c.noted+" stands after ./prog,") {
			t.Errorf("%q: got %q, want one note about %s", c.arguments, got, c.noted)
		}
	}
}
