package cuda

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLinesWith checks that lines with a word are found once each, with their offsets.
func TestLinesWith(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"a b\nc", nil},
		{"x", []string{"0 x"}},
		{"ax\nb\nxcx\n\nx\n", []string{"0 ax", "5 xcx", "10 x"}},
		{"b\nxx", []string{"2 xx"}},
	} {
		var got []string
		for at, line := range linesWith([]byte(tt.text), "x") {
			got = append(got, fmt.Sprintf("%d %s", at, line))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestReplaceLines checks that only the lines with the word are changed.
func TestReplaceLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "",
		"a\nb\n":            "a\nb\n",
		"ax\nb\nxcx\n\nx\n": "[ax]\nb\n[xcx]\n\n[x]\n",
		"x\nb":              "[x]\nb",
		"b\nx":              "b\n[x]",
	} {
		got := replaceLines([]byte(text), "x", func(line []byte) []byte { return []byte("[" + string(line) + "]") })
		if string(got) != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestAlignLocals checks that arrays and structures with a smaller alignment are aligned to 16 bytes, and that
// scalars and larger alignments are unchanged.
func TestAlignLocals(t *testing.T) {
	text := strings.Join([]string{
		"  %1 = alloca [4 x i32], align 4",
		"  %2 = alloca i64, align 8",
		"  %3 = alloca %struct.S, align 8, !dbg !5",
		"  %4 = alloca { i8, i8 }, align 1",
		"  %5 = alloca [4 x float], align 128",
		"  store i32 1, ptr %1, align 4",
	}, "\n")
	want := strings.NewReplacer("[4 x i32], align 4", "[4 x i32], align 16", "%struct.S, align 8", "%struct.S, align 16", "{ i8, i8 }, align 1", "{ i8, i8 }, align 16").Replace(text)
	if got := string(alignLocals([]byte(text))); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
}
