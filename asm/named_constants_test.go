package asm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// namedConstants returns sources with named constants, and the same with numbers, by name.
func namedConstants(t testing.TB) (named, plain map[string]string) {
	t.Helper()
	file, err := txtar.ParseFile("testdata/named_constants.txtar")
	if err != nil {
		t.Fatal(err)
	}
	named, plain = make(map[string]string), make(map[string]string)
	for _, f := range file.Files {
		map[string]map[string]string{"named": named, "plain": plain}[filepath.Dir(f.Name)][filepath.Base(f.Name)] = string(f.Data)
	}
	return named, plain
}

// TestNamedConstantsAreNumbers: a source with named constants is written as the same source with numbers, and its
// layout has the same meaning.
func TestNamedConstantsAreNumbers(t *testing.T) {
	named, plain := namedConstants(t)
	for name, src := range named {
		want, err := Parse(name, []byte(plain[name]))
		if err != nil {
			t.Fatal(err)
		}
		laidOut, err := FormatSource(name, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for _, src := range []string{src, string(laidOut)} {
			got, err := Parse(name, []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Format(want), Format(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

// TestOutlineOfNamedConstants: uses of constants, structures and fields belong to their declarations.
func TestOutlineOfNamedConstants(t *testing.T) {
	text, err := os.ReadFile("testdata/named_constants.ptx")
	if err != nil {
		t.Fatal(err)
	}
	src := string(text)
	uses := make(map[string][]string)
	for _, n := range OutlineOf("x.s", []byte(src)).Names {
		for _, at := range n.Uses {
			line := strings.Split(src, "\n")[at.Line-1]
			uses[n.Text] = append(uses[n.Text], line[at.Col-1:])
		}
	}
	want := map[string][]string{
		"N":   {"N, 4;", "N .u32 a[N], b;", "N], b;", "N; mov.u32 %r2, S.size; }"},
		"S":   {"S {", "S.b + N; mov.u32 %r2, S.size; }", "S.size; }"},
		"a":   {"a[N], b;"},
		"b":   {"b;", "b + N; mov.u32 %r2, S.size; }"},
		"k":   {"k() { mov.u32 %r1, S.b + N; mov.u32 %r2, S.size; }"},
		"%r1": {"%r1, S.b + N; mov.u32 %r2, S.size; }"},
		"%r2": {"%r2, S.size; }"},
	}
	if diff := cmp.Diff(want, uses); diff != "" {
		t.Error(diff)
	}
}
