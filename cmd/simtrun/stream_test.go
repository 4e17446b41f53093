package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/simtrun/simtrun/internal/report"
)

// TestControlCharactersAreEscaped checks that printable text is unchanged, and that nothing else gets through.
func TestControlCharactersAreEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\n":                         "plain\ttext\n",
		"Grüße, 世界 … 🙂\u00a0!":                  "Grüße, 世界 … 🙂\u00a0!",
		"\x1b]0;PWN\x07":                        `\x1b]0;PWN\x07`,
		"a\rb\bc\x00\x7f":                       `a\x0db\x08c\x00\u007f`,
		"\u009b31m":                             `\u009b31m`, // CSI in one character
		"\x9b31m\xff":                           `\x9b31m\xff`,
		"\u202etxt.exe\u2066\u200b\ufeff":       `\u202etxt.exe\u2066\u200b\ufeff`,
		"\U000e0041":                            `\udb40\udc41`,
		"\xe4\xb8":                              `\xe4\xb8`,
		paintMark[:5]:                           `\x1b` + paintMark[1:5],
		report.Paint(paintMark).Red("\x1b[31m"): "\x1b[31m" + `\x1b[31m` + "\x1b[0m",
		"\x1b" + report.Paint(paintMark).Green("") + "!": `\x1b` + "\x1b[32m\x1b[0m!",
	} {
		if got := escaped(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzStream checks that text written in parts gives the same output as text written at once, and that no output
// moves the cursor.
func FuzzStream(f *testing.F) {
	f.Add("a\x1b[31m\xe4\xb8\x96\u009b", uint(3))
	f.Add(report.Paint(paintMark).Red("世界"), uint(7))
	f.Fuzz(func(t *testing.T, text string, size uint) {
		var whole, parts bytes.Buffer
		one, many := &stream{to: &whole}, &stream{to: &parts}
		fmt.Fprint(one, text)
		for rest := text; rest != ""; {
			n := min(int(size%9)+1, len(rest))
			fmt.Fprint(many, rest[:n])
			rest = rest[n:]
		}
		one.end()
		many.end()
		if whole.String() != parts.String() || whole.String() != escaped(text) {
			t.Errorf("%q in parts: %q, at once %q", text, &parts, &whole)
		}
		if bare := strings.ReplaceAll(text, paintMark, ""); !utf8.ValidString(whole.String()) || strings.Count(whole.String(), "\x1b") != strings.Count(text, paintMark) || strings.ContainsAny(whole.String(), "\r\b\x00\x7f") {
			t.Errorf("%q: %q", bare, &whole)
		}
	})
}

// TestNoControlCharacters checks that no control character of a source, a header, an array or a file name reaches the
// output.
func TestNoControlCharacters(t *testing.T) {
	const evil = "\x1b]0;PWN\x07\x1b[31m\u009b1m\x9b"
	npy := func(header string) string { return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header }
	files := map[string]string{
		"token.s":     ".entry \"k" + evil + "\"() { ret; }",
		"loc.s":       ".file 1 \"evil" + evil + ".cu\"\n.entry k() {\n.loc 1 3 1\ntrap; }",
		"directive.s": "//sim:" + evil + "\n.entry k() { ret; }",
		"header.s":    "//sim:arg o = @q" + evil + ".bin\n.entry k(.param .u64 o) { ret; }",
		"expect.s":    "//sim:arg o = zeros:1:u8\n//sim:expect o[0] == 1 #" + evil + "\n.entry k(.param .u64 o) { ret; }",
		"failed.s":    "//sim:arg o = zeros:1:u8\n//sim:expect o[0] == 1 \x0b\n.entry k(.param .u64 o) { ret; }",
		"shape.s":     "//sim:arg o = @shape.npy\n.entry k(.param .u64 o) { ret; }",
		"dtype.s":     "//sim:arg o = @dtype.npy\n.entry k(.param .u64 o) { ret; }",
		"source.s":    ".entry k() {\n/*" + evil + "*/ mov.u32 %r1, 1; // " + evil + "\n}",
		"n" + strings.TrimSuffix(evil, "\x9b") + ".s": ".entry k() { trap; }",
		"golden.s":       "//sim:grid 1\n.entry k() { ret; }",
		"golden.golden":  "-- " + evil + " --\n" + evil + "\n",
		"differs.s":      "//sim:grid 1\n.entry k() { ret; }",
		"differs.golden": evil + "\n",
		"dtype.npy":      npy("{'descr': '<" + evil + "', 'fortran_order': False, 'shape': (1,), }\n"),
		"shape.npy":      npy("{'descr': '<u4', 'fortran_order': " + evil + ", 'shape': (1,), }\n"),
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	check := func(args ...string) {
		var stdout, stderr bytes.Buffer
		run(t.Context(), args, &stdout, &stderr)
		for _, text := range []string{stdout.String(), stderr.String()} {
			if strings.ContainsAny(text, "\x1b\x07\x0b\u009b") || !utf8.ValidString(text) {
				t.Errorf("%q: %q", args, text)
			}
		}
	}
	for name := range files {
		path := filepath.Join(dir, name)
		if filepath.Ext(name) != ".s" {
			continue
		}
		for _, args := range [][]string{{path}, {path, "--json"}, {path, "--page", "source"}, {path, "--csv", "--page", "source"}, {path, "--trace", "instr"},
			{path, "--check", "race"}, {"asm", path}, {"asm", path, "--ptx"}, {"asm", path, "--cfg=dot"}, {"test", path}, {"test", "--json", path},
			{"debug", path, "--batch", "-e", "list", "-e", "continue"}} {
			check(args...)
		}
	}
	check("test", dir)
	check("run", "no\x1bsuch.s")
	check("run", filepath.Join(dir, "source.s"), "--arg", evil)
	check("run", filepath.Join(dir, "source.s"), "--script", evil)
}

// A kernel's printf is unchanged if the output is not a terminal.
func TestPrintfBytesAreUnchanged(t *testing.T) {
	source := strings.Replace(talk, "{99, 116, 97, 32,", "{27, 91, 255, 0,", 1)
	if got := simtrun(t, source, "-q", "FILE"); got.stdout != "\x1b[\xff" {
		t.Errorf("%+v", got)
	}
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

// TestStreamKeepsItsError checks that a stream writes nothing after its first error.
func TestStreamKeepsItsError(t *testing.T) {
	s := &stream{to: brokenWriter{}}
	fmt.Fprint(s, "a")
	s.to = &bytes.Buffer{}
	fmt.Fprint(s, "b")
	if err := s.end(); !errors.Is(err, errBroken) || s.to.(*bytes.Buffer).Len() > 0 {
		t.Errorf("%v, %q", err, s.to)
	}
}
