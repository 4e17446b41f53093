package simtrun_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNamesInPagesExist: names of Go in spans of code of ARCHITECTURE.md and CONTRIBUTING.md, such as `Engine.Run` and
// `TestImportsMatchArchitecture`, are declared somewhere, and files without a folder, such as `lsu.go`, are in the
// repository. Package docs checks paths with one.
func TestNamesInPagesExist(t *testing.T) {
	declared, files := declarations(t)
	name := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9]*)*$`)
	found := 0
	for _, page := range []string{"ARCHITECTURE.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(string(text), -1) {
			span, _, _ := strings.Cut(m[1], "(")
			switch {
			case strings.HasSuffix(span, ".go"):
				found++
				if !anyMatches(path.Base(span), files) {
					t.Errorf("%s: no file %s", page, m[1])
				}
			case name.MatchString(span) && isName(span):
				found++
				if last := span[strings.LastIndexByte(span, '.')+1:]; !declared[last] {
					t.Errorf("%s: nothing is called %s", page, m[1])
				}
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d names", found)
	}
}

// isName reports whether a word is a name of Go and not one of a command, a package or a variable of the environment:
// it has capital and small letters.
func isName(word string) bool {
	return word != strings.ToLower(word) && word != strings.ToUpper(word) && !strings.HasPrefix(word, "SIMTRUN") && word != "Unreleased"
}

func anyMatches(pattern string, names map[string]bool) bool {
	for name := range names {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

// declarations returns the names of functions, methods, types, fields, constants and variables of all Go files, and the
// names of these files.
func declarations(t *testing.T) (declared, files map[string]bool) {
	t.Helper()
	declared, files = make(map[string]bool), make(map[string]bool)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		files[d.Name()] = true
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for n := range ast.Preorder(f) {
			switch n := n.(type) {
			case *ast.FuncDecl:
				declared[n.Name.Name] = true
			case *ast.TypeSpec:
				declared[n.Name.Name] = true
			case *ast.Field:
				declareAll(declared, n.Names)
			case *ast.ValueSpec:
				declareAll(declared, n.Names)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return declared, files
}

func declareAll(declared map[string]bool, names []*ast.Ident) {
	for _, n := range names {
		declared[n.Name] = true
	}
}

// TestArchitectureSaysWhere: the section "Where is ...?" has a line for what newcomers look for first, and the line
// names a file.
func TestArchitectureSaysWhere(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Where is ...?\n")
	section, _, _ = strings.Cut(section, "\n## ")
	items := strings.Split(section, "\n- **")
	for _, what := range []string{"an opcode", "an opcode's machine code", "the reconvergence stack",
		"which warp runs next", "L1", "a GPU preset", "a driver call", "a counter of the report"} {
		ok := false
		for _, item := range items {
			ok = ok || strings.HasPrefix(item, what+"**: ") && regexp.MustCompile("`[^`]*[/*\\w]+\\.(go|toml|txt)").MatchString(item)
		}
		if !ok {
			t.Errorf("ARCHITECTURE.md does not say in which file %s is", what)
		}
	}
}
