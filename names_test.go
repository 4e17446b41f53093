package simtrun_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// TestOnlyTheTableKnowsOpcodes checks that only package isa has names of opcodes, and does not compare that of an
// instruction's row. A property that distinguishes opcodes is a field of their rows in the table. Exceptions:
// internal/conformance, the reference that tests compare with, shares nothing with isa; and functions of libdevice have
// the names of opcodes.
func TestOnlyTheTableKnowsOpcodes(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(filepath.ToSlash(path), "internal/conformance/") {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "internal/")
		if dir == "isa" {
			for _, found := range comparedNames(f) {
				t.Errorf("%s: the name of a row is compared", files.Position(found.Pos()))
			}
			return nil
		}
		for _, found := range opcodeTests(f, otherWords[dir]) {
			if _, mnemonic := found.Node.(*ast.BasicLit); !mnemonic || dir != "libdevice" {
				t.Errorf("%s: %s", files.Position(found.Pos()), found.what)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// otherWords are words that packages use in another sense than the opcode's: names of commands, events, rules,
// states, functions of CUDA, extensions of CPUs and a tolerance, and code that they write or look for.
var otherWords = map[string][]string{
	"bench":       {"min", "set"},
	"check":       {"barrier", "bar.sync", "bar.warp.sync", "ld.acquire.gpu", "st.release.gpu", "membar.gl", "membar.gl;", "barrier.cluster.arrive and barrier.cluster.wait"},
	"cmd/simtrun": {"barrier", "exit"},
	"debugger":    {"abs", "bar", "barrier", "call", "copysign", "exit", "max", "min", "set", "sqrt"}, // functions of CUDA
	"gpu":         {"barrier.per_warp", "barrier.release"},
	"interp":      {"trap"},
	"lanes/jit":   {"add", "and", "call", "div", "fma", "mov", "mul", "neg", "not", "or", "ret", "set", "shl", "shr", "sub", "xor"}, // of the host
	"native":      {"barrier", "exit", "vote"},
	"report/html": {"div"}, // an element
	"launch":      {"abs"},
	"lsp":         {"exit"},
	"sm":          {"barrier", "membar"},
	"trace":       {"barrier", "call", "exit", "fence"},
	"validate":    {"add.f32", "barrier", "ld.global"},
	"view":        {"barrier", "exit"},

	"lanes/evaluate": {"add", "and", "call", "div", "mov", "mul", "neg", "not", "or", "ret", "set", "shl", "shr", "sub", "xor"}, // of the host
}

type opcodeTest struct {
	ast.Node
	what string
}

// opcodeTests finds uses of opcodes by name: names of rows, and strings that are lists of mnemonics and not among
// words.
func opcodeTests(f *ast.File, words []string) (found []opcodeTest) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.SelectorExpr:
			owner, _ := n.X.(*ast.SelectorExpr)
			if owner != nil && owner.Sel.Name == "Spec" && slices.Contains([]string{"Name", "With", "Title"}, n.Sel.Name) {
				found = append(found, opcodeTest{n, "the name of a row"})
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if err != nil || n.Kind != token.STRING {
				return true
			}
			if onlyMnemonics(text) && !slices.Contains(words, text) {
				found = append(found, opcodeTest{n, "a mnemonic: " + text})
			}
		}
		return true
	})
	return found
}

// comparedNames finds names of an instruction's row that are compared with other texts.
func comparedNames(f *ast.File) (found []ast.Node) {
	isName := func(e ast.Expr) bool {
		name, _ := e.(*ast.SelectorExpr)
		if name == nil || name.Sel.Name != "Name" {
			return false
		}
		owner, _ := name.X.(*ast.SelectorExpr)
		return owner != nil && owner.Sel.Name == "Spec"
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (isName(n.X) || isName(n.Y)) {
				found = append(found, n)
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && isName(n.Tag) {
				found = append(found, n)
			}
		case *ast.CallExpr:
			if callee, _ := n.Fun.(*ast.SelectorExpr); callee != nil && slices.ContainsFunc(n.Args, isName) {
				if of, _ := callee.X.(*ast.Ident); of != nil && (of.Name == "strings" || of.Name == "slices") {
					found = append(found, n)
				}
			}
		}
		return true
	})
	return found
}

func TestComparedNamesAreFound(t *testing.T) {
	for text, want := range map[string]int{
		`in.Spec.Name == "txq"`: 1, `"txq" != in.Spec.Name`: 1, `strings.HasPrefix(in.Spec.Name, "su")`: 1, `slices.Contains(all, in.Spec.Name)`: 1,
		`fmt.Sprint(in.Spec.Name)`: 0, `in.Spec.Name + ".sync"`: 0, `reg.Name == "x"`: 0, `func() { switch in.Spec.Name { case "ld": } }`: 1,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n\nvar v = "+text+"\n", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(comparedNames(f)); n != want {
			t.Errorf("%s: %d comparisons, want %d", text, n, want)
		}
	}
}

// onlyMnemonics reports whether a text is a mnemonic, or several with blanks between them.
func onlyMnemonics(text string) bool {
	for word := range strings.SplitSeq(text, " ") {
		if base, _, _ := strings.Cut(word, "."); isa.Lookup(base) == nil {
			return false
		}
	}
	return true
}
