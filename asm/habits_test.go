package asm

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestOutputOfOldAndNewCompilersParses: output of old and new compilers, each with its canonical PTX.
func TestOutputOfOldAndNewCompilersParses(t *testing.T) {
	files, err := filepath.Glob("testdata/habits/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m := parseFile(t, file)
			checkIdentity(t, m)
			got, golden := Format(m), strings.TrimSuffix(file, ".ptx")+".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLayoutDoesNotMatter: line endings, blanks and comments change nothing.
func TestLayoutDoesNotMatter(t *testing.T) {
	short.Alternates(t, 1, 3)
	src, err := os.ReadFile("testdata/odd.ptx")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(src), "@@DWARF .byte 0x02, 0x00\n", "", 1) // it needs a line of its own
	want := parse(t, text)
	for name, layout := range map[string]string{
		"carriage returns":  strings.ReplaceAll(text, "\n", "\r\n"),
		"byte order mark":   "\ufeff" + text,
		"no final newline":  strings.TrimRight(text, "\n"),
		"form feeds":        strings.ReplaceAll(text, "\n", "\n\f"),
		"a comment a line":  strings.ReplaceAll(text, "\n", " // \"{ /* ; é\n"),
		"comments all over": spread(t, text, " /* } \" // */ "),
		"a token a line":    spread(t, text, "\n"),
		"one line":          spread(t, text, " "),
	} {
		got, err := Parse("x.s", []byte(layout))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		// Instructions kept as text keep some of their blanks.
		for _, m := range []*isa.Module{want, got} {
			for _, f := range m.Funcs {
				for pc := range f.Code {
					f.Code[pc].Raw = strings.ReplaceAll(f.Code[pc].Raw, " ", "")
				}
			}
		}
		if diff := cmp.Diff(want, got, sameModule); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// spread returns the tokens of a text with something between all of them.
func spread(t *testing.T, text, between string) string {
	var b strings.Builder
	s := &scanner{src: text, line: 1}
	for {
		tok, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if tok.EOF() {
			return b.String()
		}
		b.WriteString(tok.Value + between)
	}
}

func TestByteOrderMarkKeepsPositions(t *testing.T) {
	errs := parseErrors(t, []byte("\ufeff.entry k() {\n addd.s32 %r1, %r2, %r3; }"))
	if len(errs) != 1 || errs[0].Pos.Line != 2 || errs[0].Pos.Col != 2 {
		t.Errorf("%v", errs)
	}
	errs = parseErrors(t, []byte("\ufeff.entri k() { }"))
	if len(errs) != 1 || errs[0].Pos.Line != 1 || errs[0].Pos.Col != 1 {
		t.Errorf("%v, want it at 1:1", errs)
	}
}

func TestLongLinesAreParsed(t *testing.T) {
	const n = 200_000
	m := parse(t, fmt.Sprintf(".global .u32 x[%d] = {%s1};", n, strings.Repeat("1, ", n-1)))
	if len(m.Vars[0].Init) != n {
		t.Errorf("%d elements, want %d", len(m.Vars[0].Init), n)
	}
}

// TestModuleRegistersAreForKernels: registers declared outside the functions are for kernels, and errors in them are
// reported once.
func TestModuleRegistersAreForKernels(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{".reg .b32 a<4>, %r<2>; .entry k() { mov.u32 a3, %r1; } .entry j() { .reg .b64 a3; mov.u64 a3, 1; }", ""},
		{".reg .u32 a<4>, a1; .entry k() { ret; } .entry j() { ret; }", "1:17: a1 is declared already, in line 1"},
		{".reg .b32 %r<2>; .entry k() { mov.u32 %r2, 1; }", "1:39: %r2 is not declared; .reg .b32 %r<2> declares %r0 to %r1"},
		{".reg .b32 a<4>; .func f() { mov.u32 a2, 1; }", "1:11: register a2 outside the functions is used by function f; only kernels can use one"},
	} {
		errs := parseErrors(t, []byte(c.src))
		switch {
		case c.want == "" && len(errs) > 0:
			t.Errorf("%s: %v", c.src, errs)
		case c.want != "" && (len(errs) != 1 || errs[0].Error() != "x.s:"+c.want):
			t.Errorf("%s: %v, want %s", c.src, errs, c.want)
		}
	}
}
