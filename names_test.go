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

// TestOnlyTheTableKnowsOpcodes: outside isa nothing asks which opcode an
// instruction is. What tells opcodes apart has a field in their rows. The
// evaluators of internal/conformance, which tests compare with, know opcodes by
// name and nothing of isa. Package cost has tables of its own, by mnemonic,
// and functions of libdevice are named as opcodes are.
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
			if _, mnemonic := found.Node.(*ast.BasicLit); !mnemonic || dir != "cost" && dir != "libdevice" {
				t.Errorf("%s: %s", files.Position(found.Pos()), found.what)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// otherWords are those that packages use in another sense than the opcode's, as
// names of commands, events, rules, states, extensions of CPUs and a tolerance, and code
// that they write or look for.
var otherWords = map[string][]string{
	"bench":       {"min", "set"},
	"check":       {"barrier", "ld.acquire.gpu", "st.release.gpu", "membar.gl;"},
	"cmd/simtrun": {"barrier", "exit"},
	"debugger":    {"bar", "barrier", "call", "exit", "set"},
	"gpu":         {"barrier.per_warp", "barrier.release"},
	"interp":      {"trap"},
	"lanes/jit":   {"add", "and", "call", "div", "fma", "mov", "mul", "neg", "not", "or", "ret", "set", "shl", "shr", "sub", "xor"}, // of the host
	"native":      {"barrier", "exit", "vote"},
	"launch":      {"abs"},
	"sm":          {"barrier", "membar"},
	"trace":       {"barrier", "call", "exit", "fence"},
	"validate":    {"add.f32", "barrier", "ld.global"},
}

type opcodeTest struct {
	ast.Node
	what string
}

// opcodeTests finds what asks for an opcode by its name: names of rows that are
// read, and texts that are mnemonics and not among the words.
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
			if base, _, _ := strings.Cut(text, "."); isa.Lookup(base) != nil && !strings.Contains(text, " ") && !slices.Contains(words, text) {
				found = append(found, opcodeTest{n, "a mnemonic: " + text})
			}
		}
		return true
	})
	return found
}
