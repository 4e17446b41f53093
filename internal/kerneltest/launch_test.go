package kerneltest

import (
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
)

func TestFieldsBecomeWords(t *testing.T) {
	for text, want := range map[string][]uint32{
		"7": {7}, "-1": {0xffffffff}, "0x10": {16}, "3*5": {5, 5, 5}, "2*-1": {0xffffffff, 0xffffffff},
		"7..9": {7, 8, 9}, "7..14+3": {7, 10, 13}, "-1..1": {0xffffffff, 0, 1}, "4..3": nil,
	} {
		if got, err := wordsOf(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "3*", "*3", "1..", "1..4+", "..4"} {
		if got, err := wordsOf(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

// TestCasesAreLaunched: the extents and the words of a case are those of the launch and its buffer, and words defined
// in files are inserted.
func TestCasesAreLaunched(t *testing.T) {
	const text = `
-- $again --
add.u32 %r1, %r1, %r1;
-- twice the thread --
grid 2
block 4
words 9
want 0..6+2 0

$entry
	mov.u32 %r1, %tid.x;
	$again
	$store
`
	all, err := casesOf(txtar.Parse([]byte(text)), launchKeys)
	if err != nil {
		t.Fatal(err)
	}
	k := all[0].Kernel(t)
	if k.Grid != Dim(2, 1) || k.Block != Dim(4, 1) || !slices.Equal(k.Words, []int{9}) {
		t.Errorf("%+v", k)
	}
	out, _, err := k.Run(t)
	if err != nil || !slices.Equal(out[0], []uint32{0, 2, 4, 6, 0, 2, 4, 6, 0}) {
		t.Errorf("%v, %v", out, err)
	}
}
