package asm

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
)

var errorMark = regexp.MustCompile(`// ERROR "(.*)"`)

// TestErrorsAreOnMarkedLines wants, of each file, one error on every line marked with
// // ERROR "regexp" and none on the others. The regexp is for what follows the
// line number; a mark that begins with a column checks it.
func TestErrorsAreOnMarkedLines(t *testing.T) {
	files, err := filepath.Glob("testdata/*.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			checkMarks(t, string(src), parseErrors(t, src))
		})
	}
}

// parseErrors is the errors of a source; of more than ten the first.
func parseErrors(t *testing.T, src []byte) []*isa.Error {
	t.Helper()
	_, err := Parse("x.s", src)
	if err == nil {
		return nil
	}
	errs, ok := err.(Errors)
	if !ok {
		t.Fatalf("error is a %T", err)
	}
	return errs.List
}

func checkMarks(t *testing.T, src string, errs []*isa.Error) {
	byLine := make(map[int]*isa.Error)
	for i, e := range errs {
		if i > 0 && comparePos(errs[i-1].Pos, e.Pos) > 0 {
			t.Errorf("out of order: %v", e)
		}
		byLine[int(e.Pos.Line)] = e
	}
	for i, line := range strings.Split(src, "\n") {
		mark := errorMark.FindStringSubmatch(line)
		e := byLine[i+1]
		switch {
		case mark == nil && e != nil:
			t.Errorf("unexpected error: %v", e)
		case mark != nil && e == nil:
			t.Errorf("x.s:%d: no error, want %q", i+1, mark[1])
		case mark != nil:
			if text := strconv.Itoa(int(e.Pos.Col)) + ": " + e.Msg; !regexp.MustCompile(mark[1]).MatchString(text) {
				t.Errorf("x.s:%d: error %q, want %q", i+1, text, mark[1])
			}
		}
	}
}

// TestAtMostTenErrorsAreListed: ten errors are kept, and the others counted.
func TestAtMostTenErrorsAreListed(t *testing.T) {
	for n, last := range map[int]string{
		10: "x.s:11:2: addd: no such opcode; did you mean add?",
		11: "… and 1 more error",
		50: "… and 40 more errors",
	} {
		src := ".entry k() {\n" + strings.Repeat("\taddd.s32 %r1, %r2, %r3;\n", n) + "}\n"
		_, err := Parse("x.s", []byte(src))
		lines := strings.Split(err.Error(), "\n")
		if got, want := lines[0], "x.s:2:2: addd: no such opcode; did you mean add?"; got != want {
			t.Errorf("first error %q, want %q", got, want)
		}
		if len(lines) != min(n, 11) || lines[len(lines)-1] != last {
			t.Errorf("%d errors: %d lines, the last %q, want %q", n, len(lines), lines[len(lines)-1], last)
		}
	}
}

// TestManyErrorsTakeNoLonger: a file of nothing but errors takes no longer than one without.
func TestManyErrorsTakeNoLonger(t *testing.T) {
	n := short.Of(50_000)
	var src strings.Builder
	src.WriteString(".entry k() {\n")
	for i := range n {
		fmt.Fprintf(&src, "a%d: mov.u32 %%r1, b%d;\n", i, i)
	}
	src.WriteString("}\n")
	_, err := Parse("x.s", []byte(src.String()))
	if want := fmt.Sprintf("… and %d more errors", n-maxErrors); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

// TestSyntaxErrorsAreExplained has one source per error, since the first ends the parse.
func TestSyntaxErrorsAreExplained(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{".version", "1:9: found the end of the file; expected an integer or a number"},
		{".entry k() {", "1:13: found the end of the file; expected } for the { of line 1"},
		{".entry k( .param .u64 x, ) {}", "1:26: found \")\"; expected .param or .reg"},
		{".entry k(.u32 x){}", "1:10: found .u32; expected a comma, .param, .reg or ); a parameter begins with its state space, as in .param .u32"},
		{".entry k(.param .u32 x)\n add", "2:2: found add; expected a body in { } or ;"},
		{".version 3.0\n.func f()\n.func g();", "3:1: found .func; expected a body in { } or ;"},
		{".func f()", "1:10: found the end of the file; expected a body in { } or ;"},
		{".global .u32 ;", "1:14: found \";\"; expected a name"},
		{".glbal .u32 x;", "1:1: found .glbal; expected a module-level directive such as .entry, .func or .global; did you mean .global?"},
		{".include \"a.s\"", "1:1: found .include; expected a module-level directive such as .entry, .func or .global; .include is for GNU as: expand the file before, by cpp -P -C or a script"},
		{".set N, 3;", "1:1: found .set; expected a module-level directive such as .entry, .func or .global; did you mean .equ?"},
		{".equ M, 2 * COUNTS; .equ COUNT, 4;", "1:13: COUNTS is not a constant that is declared above"},
		{".equ COUNT, 4; .equ M, 2 * COUNTS;", "1:28: COUNTS is not a constant that is declared above; did you mean COUNT?"},
		{"add.s32 a, b, c;", "1:1: found add.s32; expected a module-level directive such as .entry, .func or .global"},
		{".entry k() {\n\tret\n}", "2:5: found the end of the line; expected ;"},
		{".entry k() { ret }", "1:18: found \"}\"; expected ;"},
		{".entry k() { ld.u32 %r1, [%rd1); }", "1:31: found \")\"; expected ] for the [ of line 1"},
		{".entry k() { .reg .b32 %r<x>; }", "1:27: found x; expected an integer"},
		{".entry k() { .regg .b32 %r; }", "1:14: found .regg; expected an instruction, a label or a declaration; did you mean .reg?"},
		{".entry k() { 7; }", "1:14: found 7; expected an instruction, a label, a declaration or }"},
		{".const .u32 x[3 = 4;", "1:20: found \";\"; expected ]"},
		{".visible 7", "1:10: found 7; expected .entry, .func or a declaration"},
		{".entry k() .maxntid 3, {}", "1:24: found \"{\"; expected an integer"},
		{".pragma 3;", "1:9: found 3; expected a string"},
		{".section .debug 3", "1:17: found 3; expected {"},
		{".global .u32 x = 0f12;", "1:18: found 0f12, 0f takes 8 hexadecimal digits; expected a constant"},
		{".entry k() { mov.u32 %r1, 12abc; }", "1:27: found 12abc, which is not a number; expected ;"},
		{".entry k() { mov.u32 %r1, 99999999999999999999; }", "1:27: found 99999999999999999999, which does not fit in 64 bits; expected ;"},
		{".entry k() { mov.u32 %r1, 0b12; }", "1:27: found 0b12, which is not a number of base 2; expected ;"},
		{".entry k() { mov.f64 %fd1, 1e999; }", "1:28: found 1e999, which is out of the range of a double; expected ;"},
		{".entry k() { mov.u32 %r1, #5; }", "1:27: found #, which is not in PTX; expected ;"},
		{".entry k() { /* no end", "1:14: found a comment that is not closed; expected an instruction, a label, a declaration or }"},
		{".pragma \"no end\n;", "1:9: found a string that is not closed; expected a string"},
		{"\x00\n", "1:1: found a character that is not in PTX; expected a module-level directive such as .entry, .func or .global"},
		{".entry k() { .loc 1 x; }", "1:21: found x; expected a file number, a line and a column"},
		{".entry k() { .loc 1 2 3, inlined 4; }", "1:26: found inlined; expected function_name or inlined_at"},
		{".entry k() { .loc 1 2 3, function_name }", "1:40: found \"}\"; expected a label"},
		{".entry k() { .file 1 \"a\", }", "1:27: found \"}\"; expected an integer"},
		{".global .u32 x[2] = {1,\n 2} 3;", "2:5: found 3; expected a comma or ;"},
		{".global .u32 x[2] = {1,\n 2}\n.global .u32 y;", "2:4: found the end of the line; expected a comma or ;"},
		{".global .u32 x[2] = {1, (2};", "1:27: found \"}\"; expected ) for the ( of line 1"},
		{".section .debug { .b8 1, ( }", "1:28: found \"}\"; expected ) for the ( of line 1"},
		{".entry k() { // }\n/* } */ .pragma \"}\"; ret; } }", "2:29: found \"}\"; expected a module-level directive such as .entry, .func or .global"},
		{".entry k() {" + strings.Repeat("{", 300), "1:212: scopes nested more than 200 deep"},
	} {
		errs := parseErrors(t, []byte(c.src))
		if len(errs) != 1 {
			t.Errorf("%q: %d errors, want 1: %v", c.src, len(errs), errs)
			continue
		}
		if got := strings.TrimPrefix(errs[0].Error(), "x.s:"); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}
