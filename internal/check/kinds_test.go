package check

import (
	"strings"
	"testing"
)

// TestKindsParseByAnyName checks names, the names of compute-sanitizer's tools, and that launches do not have the
// checks of programs.
func TestKindsParseByAnyName(t *testing.T) {
	for _, c := range []struct {
		list  string
		names []string
		want  Kinds
		err   string
	}{
		{"race", LaunchKinds(), Kinds{Race: true}, ""},
		{"memcheck,racecheck,synccheck,initcheck", ProgramKinds(), Kinds{Race: true, Sync: true, Init: true}, ""},
		{"mem, leak", ProgramKinds(), Kinds{Leak: true}, ""},
		{"memory,api,stream", ProgramKinds(), Kinds{API: true, Stream: true}, ""},
		{"all", ProgramKinds(), Kinds{true, true, true, true, true, true}, ""},
		{"leak", LaunchKinds(), Kinds{}, `no check "leak"; there are mem, init, race, sync, all`},
		{"memchek", ProgramKinds(), Kinds{}, `no check "memchek"; did you mean memcheck?`},
		{"stram", ProgramKinds(), Kinds{}, `no check "stram"; did you mean stream?`},
		{"race,", ProgramKinds(), Kinds{Race: true}, ""},
		{"", ProgramKinds(), Kinds{}, `no check ""`},
		{"none", ProgramKinds(), Kinds{}, "always checked"},
	} {
		got, err := ParseKinds(c.list, c.names)
		if c.err == "" && (err != nil || got != c.want) {
			t.Errorf("%q: %+v, %v", c.list, got, err)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: %v, want %q", c.list, err, c.err)
		}
	}
}
