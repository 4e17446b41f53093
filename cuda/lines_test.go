package cuda

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLinesWithWordAreFoundOnce checks that lines with a word are found once each, with their offsets.
func TestLinesWithWordAreFoundOnce(t *testing.T) {
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

// TestOnlyLinesWithWordChange checks that only the lines with the word are changed.
func TestOnlyLinesWithWordChange(t *testing.T) {
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

// TestLocalArraysAreAligned checks that arrays and structures with a smaller alignment are aligned to 16 bytes, and
// that scalars and larger alignments are unchanged.
func TestLocalArraysAreAligned(t *testing.T) {
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

// TestOnlyChosenLinesAreRemoved checks that chosen lines go with their line breaks, and other lines with the word stay.
func TestOnlyChosenLinesAreRemoved(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "",
		"a\nb\n":            "a\nb\n",
		"x\nb\nxkeep\nx\nx": "b\nxkeep\n",
		"b\nx\n":            "b\n",
	} {
		if got := removeLines([]byte(text), "x", func(line []byte) bool { return string(line) == "x" }); string(got) != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCodeKeepsLabelsThatDebugSectionsName checks that labels and comments that only describe variables go from code.
func TestCodeKeepsLabelsThatDebugSectionsName(t *testing.T) {
	const code = ".target sm_80, debug\n{\n$L__tmp1:\n\t.loc\t1 2 3                           // k.cu:2:3\n\t//DEBUG_VALUE: k:x <- %r1\n\tret;\n$L__tmp12:\n$L__tmp10: // here\n$L__func_end0:\n}\n"
	got := string(compactDebugInfo([]byte(code + "\t.section\t.debug_ranges\n\t{\n.b64 $L__tmp1-$L__tmp10\n\t}\n")))
	want := ".target sm_80\n{\n$L__tmp1:\n\t.loc\t1 2 3\n\tret;\n$L__tmp10: // here\n$L__func_end0:\n}\n"
	if code, _, _ := strings.Cut(got, "\n.section"); code != want {
		t.Errorf("%q, want %q", code, want)
	}
}
