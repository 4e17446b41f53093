package simtrun_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Limits of CONTRIBUTING.md.
const (
	mostLines       = 70  // of a function
	mostLinesOfFile = 500 // without tables
	mostFields      = 20  // of the structs in smallStructs
)

// TestFunctionsAreShort checks that no function outside of tests is longer than mostLines, not counting tables.
func TestFunctionsAreShort(t *testing.T) {
	eachGoFile(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for n := range ast.Preorder(f) {
			if lines := linesOfFunction(files, n); lines > mostLines {
				t.Errorf("%s: a function of %d lines; split it by what its parts do, up to %d", files.Position(n.Pos()), lines, mostLines)
			}
		}
	})
}

// TestFilesAreShort checks that no file outside of tests is longer than mostLinesOfFile, not counting tables and
// generated files.
func TestFilesAreShort(t *testing.T) {
	eachGoFile(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(text, []byte("\n")) <= mostLinesOfFile {
			return
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if lines := linesOfFile(files, f); lines > mostLinesOfFile && !ast.IsGenerated(f) {
			t.Errorf("%s has %d lines without tables; split it by subject, up to %d", path, lines, mostLinesOfFile)
		}
	})
}

// linesOfFile returns the number of lines of a file. Each declaration of constants, and each composite literal of a
// variable, counts as one line.
func linesOfFile(files *token.FileSet, f *ast.File) int {
	lines := files.Position(f.FileEnd).Line
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		switch {
		case !ok:
		case g.Tok == token.CONST:
			lines -= span(files, g) - 1
		case g.Tok == token.VAR:
			ast.Inspect(g, func(n ast.Node) bool {
				literal, ok := n.(*ast.CompositeLit)
				if ok {
					lines -= span(files, literal) - 1
				}
				return !ok
			})
		}
	}
	return lines
}

// smallStructs are types that everything goes through, and which collected fields in the past.
var smallStructs = map[string][]string{
	"interp":          {"Engine"},
	"internal/isa":    {"Spec"},
	"internal/native": {"compiler", "plan", "region", "version", "writing", "routines", "place", "looping"},
	"internal/sm":     {"multiprocessor"},
}

func TestStructsAreSmall(t *testing.T) {
	for dir, names := range smallStructs {
		paths, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, f := range parsed(t, token.NewFileSet(), paths) {
			for n := range ast.Preorder(f) {
				s, ok := n.(*ast.TypeSpec)
				if !ok || !slices.Contains(names, s.Name.Name) {
					continue
				}
				found++
				if fields := s.Type.(*ast.StructType).Fields.NumFields(); fields > mostFields {
					t.Errorf("%s.%s has %d fields; group them by who uses them, up to %d", dir, s.Name.Name, fields, mostFields)
				}
			}
		}
		if found != len(names) {
			t.Errorf("%s has %d of the types %v", dir, found, names)
		}
	}
}

// TestPackagesAreDocumented checks that every package has a package comment; packages with tests alone have it there,
// except for docs/example, which is a file to copy.
func TestPackagesAreDocumented(t *testing.T) {
	documented := make(map[string]bool) // by folder
	eachGoFile(t, func(path string) {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(path)
		documented[dir] = documented[dir] || f.Doc != nil
	})
	for dir, ok := range documented {
		if !ok && dir != filepath.Join("docs", "example") {
			t.Errorf("%s has no package comment: say what the package answers", dir)
		}
	}
}

// eachGoFile calls f with the path of every Go file of both modules, except for test data.
func eachGoFile(t *testing.T, f func(path string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".go"):
			f(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// linesOfFunction returns the length of a function or a function literal, and 0 for other nodes. A table counts as
// one line: a composite literal, or a switch in which every case is one plain statement. Function literals in a table
// are counted separately, because each is a node of its own.
func linesOfFunction(files *token.FileSet, n ast.Node) int {
	switch n.(type) {
	case *ast.FuncDecl, *ast.FuncLit:
	default:
		return 0
	}
	lines := span(files, n)
	ast.Inspect(n, func(n ast.Node) bool {
		if !isTable(n) {
			return true
		}
		lines -= span(files, n) - 1
		return false
	})
	return lines
}

// span returns how many lines a node covers.
func span(files *token.FileSet, n ast.Node) int {
	return files.Position(n.End()).Line - files.Position(n.Pos()).Line + 1
}

func isTable(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CompositeLit:
		return true
	case *ast.SwitchStmt:
		for _, c := range n.Body.List {
			if body := c.(*ast.CaseClause).Body; len(body) > 1 || len(body) == 1 && !isPlain(body[0]) {
				return false
			}
		}
		return true
	}
	return false
}

// isPlain reports whether a statement contains no other statements.
func isPlain(s ast.Stmt) bool {
	plain := true
	ast.Inspect(s, func(n ast.Node) bool {
		_, block := n.(*ast.BlockStmt)
		_, cases := n.(*ast.CaseClause)
		plain = plain && !block && !cases
		return plain
	})
	return plain
}

func TestTablesAreOneLineOfAFunction(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       int // length of the longest function
	}{
		{"statements", "a()\nb()", 4},
		{"literal", "return []int{\n1,\n2,\n3,\n}", 3},
		{"literal with a long function", "return []func(){\nfunc() {\na()\nb()\nc()\n},\n}", 5},
		{"switch of plain statements", "switch n {\ncase 1:\nreturn 1\ncase 2:\nn = 2\ndefault:\n}", 3},
		{"switch with two statements in a case", "switch n {\ncase 1:\na()\nb()\ncase 2:\n}", 8},
		{"switch with a condition in a case", "switch n {\ncase 1:\nif n > 0 {\na()\n}\n}", 8},
		{"switch with a function in a case", "switch n {\ncase 1:\ngo func() {\na()\n}()\n}", 8},
		{"function in a function", "f := func() {\na()\n}\nf()", 6},
	} {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, "", "package p\n\n// f does.\nfunc f() {\n"+c.body+"\n}\n", parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		longest := 0
		for n := range ast.Preorder(f) {
			longest = max(longest, linesOfFunction(files, n))
		}
		if longest != c.want {
			t.Errorf("%s: %d lines, want %d", c.name, longest, c.want)
		}
	}
}

// TestArchitectureIsAPage checks the limit for ARCHITECTURE.md; details belong into the documentation of packages.
func TestArchitectureIsAPage(t *testing.T) {
	const most = 130
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(page, []byte("\n")); lines > most {
		t.Errorf("ARCHITECTURE.md has %d lines, at most %d are allowed", lines, most)
	}
}
