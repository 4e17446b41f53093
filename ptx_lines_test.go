package simtrun_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mostPTX is how many lines of PTX the string literals in the tests of a folder may have: as many as they had when the
// limit was set. New cases are text in testdata, as CONTRIBUTING.md says, and a limit falls as cases move there.
var mostPTX = map[string]int{
	".":                    374,
	"asm":                  493,
	"cmd/simtrun":          390,
	"internal/check":       413,
	"internal/cost":        131,
	"internal/debugger":    246,
	"internal/explore":     207,
	"internal/flow":        170,
	"internal/flowgraph":   108,
	"internal/functional":  327,
	"internal/gpu/measure": 39,
	"internal/hazard":      31,
	"internal/isa":         159,
	"internal/launch":      44,
	"internal/native":      544,
	"internal/program":     309,
	"internal/silicon":     198,
	"internal/sm":          255,
	"internal/timeline":    31,
	"internal/trace":       150,
	"interp":               532,
}

const (
	fewPTX   = 30 // the limit for the folders that mostPTX does not name
	slackPTX = 20 // how far a limit may be from the number of lines
)

// TestProgramsAreText checks that the tests of no folder have more lines of PTX in Go than mostPTX allows, and that
// limits follow when lines have become text.
func TestProgramsAreText(t *testing.T) {
	found := make(map[string]int)
	eachGoFile(t, func(path string) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.ToSlash(filepath.Dir(path))] += linesOfPTX(f)
	})
	for dir, n := range found {
		most, named := mostPTX[dir]
		if !named {
			most = fewPTX
		}
		if n > most {
			t.Errorf("%s: tests have %d lines of PTX in Go, at most %d are allowed: hold cases in testdata, which kerneltest.Cases reads", dir, n, most)
		}
		if named && n < most-slackPTX {
			t.Errorf("%s: tests have only %d lines of PTX in Go: lower the limit of %d", dir, n, most)
		}
	}
}

// instruction matches a line that begins with an instruction, which may have a label before it. What tells it from a
// statement of another language is a guard, or a modifier and then a space, or a name that only PTX has. Directives and
// declarations begin with a dot, and do not count.
var instruction = regexp.MustCompile(`^\s*([\w$]+:\s*)?(@!?%{0,2}\w+\s+[a-z][^;]*|[a-z]\w*([.:]+\w+)+(\s+[^\s=;][^;]*)?|(ret|exit|trap)|(bra|call)\s[^;]*);`)

// linesOfPTX returns how many lines of string literals look like instructions.
func linesOfPTX(f *ast.File) (n int) {
	for node := range ast.Preorder(f) {
		literal, ok := node.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			continue
		}
		for line := range strings.Lines(text) {
			if instruction.MatchString(line) {
				n++
			}
		}
	}
	return n
}

func TestLinesOfPTXAreCounted(t *testing.T) {
	for _, c := range []struct {
		name, literal string
		want          int
	}{
		{"instructions", "`\n\tmov.u32 %r1, %tid.x;\nL:\tadd.u32 %r1, %r1, 1;\n\t@!%p1 bra L; // again\n\tmembar.gl;\n\tret;\n`", 5},
		{"separators", `"st.shared::cta.u32 [x], 1;"`, 1},
		{"interpreted", `"call (%r1), f, (2);\n@%p1 exit;\n"`, 2},
		{"formats", `"@%s%%p2 bra %s;"` + "+" + `"mov.u32 %%r%d, %d;"`, 1},
		{"several in a line", `"\tmov.u32 %r1, 1; ret;"`, 1},
		{"directives", "`.entry k(.param .u64 out)\n{\n\t.reg .u32 %r<3>;\n.version 9.0\nL:\n}`", 0},
		{"C", "`int a = b.c + 1;\nf(a);\nreturn a;\na.b = 3;\nx->y(1);\nexit(1);\nstd::move(x);\n`", 0},
		{"text", `"see a.b for this; then that"`, 0},
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n\nvar s = "+c.literal+"\n", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if n := linesOfPTX(f); n != c.want {
			t.Errorf("%s: %d lines, want %d", c.name, n, c.want)
		}
	}
}
