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

// TestOnlyTheTableKnowsOpcodes checks that only package isa compares opcodes by name. A property that distinguishes
// opcodes is a field of their rows in the table. Exceptions: internal/conformance, the reference that tests compare
// with, shares nothing with isa; and functions of libdevice have the names of opcodes.
func TestOnlyTheTableKnowsOpcodes(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(filepath.ToSlash(path), "internal/isa/") || strings.HasPrefix(filepath.ToSlash(path), "internal/conformance/") {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "internal/")
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

// onlyMnemonics reports whether a text is a mnemonic, or several with blanks between them.
func onlyMnemonics(text string) bool {
	for word := range strings.SplitSeq(text, " ") {
		if base, _, _ := strings.Cut(word, "."); isa.Lookup(base) == nil {
			return false
		}
	}
	return true
}
