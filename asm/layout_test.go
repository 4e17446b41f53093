package asm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/simtrun/simtrun/internal/isa"
)

// layoutCases returns the sources of testdata/layout.txtar by name, and what FormatSource makes of them.
func layoutCases(t testing.TB) (before, after map[string]string) {
	t.Helper()
	file, err := txtar.ParseFile("testdata/layout.txtar")
	if err != nil {
		t.Fatal(err)
	}
	before, after = make(map[string]string), make(map[string]string)
	for _, f := range file.Files {
		name, kind, _ := strings.Cut(f.Name, "/")
		map[string]map[string]string{"before": before, "after": after}[kind][name] = string(f.Data)
	}
	return before, after
}

// TestFormatSourceMatchesHandLayout compares layouts with those written by hand.
func TestFormatSourceMatchesHandLayout(t *testing.T) {
	before, after := layoutCases(t)
	for name, src := range before {
		for _, src := range []string{src, after[name], strings.ReplaceAll(src, "\n", "\r\n")} {
			got, err := FormatSource(name, []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(after[name], string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

func TestFormatSourceReportsErrors(t *testing.T) {
	for src, want := range map[string]string{
		"#include":                      "x.s:1:1: #, which is not in PTX",
		".entry k() {\n{ ret; }":        `x.s:1:12: "{" is not closed`,
		".entry k() { ld.u32 [%r1; }":   `x.s:1:27: "}" closes nothing`,
		"}":                             `x.s:1:1: "}" closes nothing`,
		".global .u32 x[2] = {1, 2":     `x.s:1:21: "{" is not closed`,
		".entry k() { ret; } /* to end": "x.s:1:21: a comment that is not closed",
	} {
		if _, err := FormatSource("x.s", []byte(src)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}

// TestProgramsAreLaidOut: the programs of the course have fmt's layout.
func TestProgramsAreLaidOut(t *testing.T) {
	forEachFile(t, func(file string, src []byte) {
		if got, err := FormatSource(file, src); err != nil || string(got) != string(src) {
			t.Errorf("%s is not laid out (%v): run simtrun fmt -w %s", file, err, file)
		}
	}, "../programs/*.s", "../programs/advice/*.s")
}

// forEachFile calls do with the name and text of each file that a pattern matches. Every pattern must match a file.
func forEachFile(t *testing.T, do func(file string, src []byte), patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			do(file, src)
		}
	}
}

// FuzzFormatSource: the layout of any source is laid out already, and it is the same program. (FormatSource compares
// tokens and comments itself.)
func FuzzFormatSource(f *testing.F) {
	before, _ := layoutCases(f)
	for _, src := range before {
		f.Add([]byte(src))
		for line := range strings.Lines(src) { // small sources mutate better
			f.Add([]byte(line))
			f.Add([]byte(".entry k() { " + line + " }"))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		once, err := FormatSource("x.s", src)
		if err != nil {
			return
		}
		twice, err := FormatSource("x.s", once)
		if err != nil || string(twice) != string(once) {
			t.Fatalf("%v\n%s\n%s", err, cmp.Diff(string(once), string(twice)), once)
		}
		if m, err := Parse("x.s", src); err == nil && !slices.ContainsFunc(m.Vars, func(v *isa.Var) bool { return len(v.Init) > 1<<14 }) {
			laidOut, err := Parse("x.s", once)
			if err != nil {
				t.Fatalf("%v\n%s", err, once)
			}
			if diff := cmp.Diff(withoutSpace(Format(m)), withoutSpace(Format(laidOut))); diff != "" {
				t.Fatalf("another program (-before +after):\n%s\n%s", diff, once)
			}
		}
	})
}

// withoutSpace removes space, which the text of an instruction that is not supported yet has as in the source.
func withoutSpace(text string) string { return strings.NewReplacer(" ", "", "\t", "").Replace(text) }
