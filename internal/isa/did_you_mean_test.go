package isa

import (
	"strings"
	"testing"
)

// TestInsteadSuggestsWhatIsMeant: typing errors, parts and beginnings of names, and words of other tools lead to
// suggestions. A name with a different number, a word that many names contain, and single letters do not.
func TestInsteadSuggestsWhatIsMeant(t *testing.T) {
	rules := []string{"mem-oob", "mem-misaligned", "mem-space", "race-raw", "race-war", "race-waw", "sync-deadlock", "sync-diverged", "assert"}
	inits := []string{"zeros", "fill", "iota", "rand", "list"}
	gpus := []string{"a100", "h100", "h100-pcie", "h200"}
	for _, tt := range []struct {
		word  string
		names []string
		want  string
	}{
		{"oob", rules, "did you mean mem-oob?"},
		{"raw", rules, "did you mean race-raw?"},
		{"memoob", rules, "did you mean mem-oob?"},
		{"MEM-OOB", rules, "did you mean mem-oob?"},
		{"deadlocks", rules, "did you mean sync-deadlock?"},
		{"out-of-bounds", rules, "did you mean mem-oob?"},
		{"race", rules, "did you mean race-raw, race-war or race-waw?"},
		{"sync-d", rules, "did you mean sync-deadlock or sync-diverged?"},
		{"zero", inits, "did you mean zeros?"},
		{"arange", inits, "did you mean iota?"},
		{"random", inits, "did you mean rand?"},
		{"races", []string{"mem", "race"}, "did you mean race?"},
		{"racecheck", []string{"mem", "race"}, "did you mean race?"},
		{"rr", []string{"gto", "lrr"}, "did you mean lrr?"},
		{"round-robin", []string{"most-room", "round"}, "there are most-room, round"},
		{"a10", gpus, "there are a100, h100, h100-pcie, h200"},
		{"pcie", gpus, "did you mean h100-pcie?"},
		{"x", []string{"y"}, "there is y"},
		{"x", nil, "there are none"},
		{"", inits, "there are zeros, fill, iota, rand, list"},
	} {
		if got := Instead(tt.word, tt.names); got != tt.want {
			t.Errorf("Instead(%q, %q) is %q, want %q", tt.word, tt.names, got, tt.want)
		}
	}
	if got, want := Instead("sync", []string{"sync-a", "sync-b", "sync-c", "sync-d", "sync-e", "sync-f", "sync-g"}), "there are "; !strings.HasPrefix(got, want) {
		t.Errorf("a word in seven names: %q", got)
	}
	long := make([]string, 2*mostListed)
	for i := range long {
		long[i] = string(rune('a' + i))
	}
	if got, want := Instead("??", long), "there are a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t and 20 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
