package simtrun_test

import (
	"errors"
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestFilesOfOneSystemAreSelfContained checks that files for every system, tests as well, use nothing that is declared
// only in files for other systems. The command is built for Windows and macOS, and no test runs there; go vet would
// find the same, but compiles all that a package imports first.
func TestFilesOfOneSystemAreSelfContained(t *testing.T) {
	type folder struct{ everywhere, some []string } // paths of files for all systems and CPUs, and of others
	folders := map[string]*folder{}
	eachGoFile(t, func(path string) {
		dir := filepath.Dir(path)
		if folders[dir] == nil {
			folders[dir] = &folder{}
		}
		if f := folders[dir]; matches(t, path, "none/none") {
			f.everywhere = append(f.everywhere, path)
		} else {
			f.some = append(f.some, path)
		}
	})
	delete(folders, filepath.Join("cuda", "driver")) // a library for Linux
	for _, f := range folders {
		for _, system := range []string{"windows/amd64", "darwin/arm64"} {
			for _, use := range usesOfOtherSystems(t, f.everywhere, f.some, system) {
				t.Errorf("for %s: %s", system, use)
			}
		}
	}
}

// usesOfOtherSystems returns a message for each identifier that a folder's files for a system use, but that only files
// for other systems declare. The paths in everywhere are of files for all systems, those in some of files for some.
func usesOfOtherSystems(t *testing.T, everywhere, some []string, system string) (uses []string) {
	var ours, others []string
	for _, path := range some {
		if matches(t, path, system) {
			ours = append(ours, path)
		} else {
			others = append(others, path)
		}
	}
	here := slices.Concat(everywhere, ours)
	uses = systemCalls(t, here, system)
	only := declared(parsed(t, token.NewFileSet(), others))
	for name := range declared(parsed(t, token.NewFileSet(), ours)) {
		delete(only, name)
	}
	if !mentioned(t, here, only) {
		return uses
	}
	files := token.NewFileSet()
	packages := map[string][]*ast.File{} // a folder has that of external tests as well
	for _, f := range parsed(t, files, here) {
		packages[f.Name.Name] = append(packages[f.Name.Name], f)
	}
	for name, all := range packages {
		uses = append(uses, undefined(files, name, all, only)...)
	}
	slices.Sort(uses)
	return uses
}

// systemCalls returns a message for each name of package syscall that files use, but that a system does not have.
func systemCalls(t *testing.T, paths []string, system string) (uses []string) {
	importing := slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		text, err := os.ReadFile(path)
		return err != nil || !strings.Contains(string(text), "syscall.")
	})
	if len(importing) == 0 {
		return nil
	}
	root, err := exec.Command("go", "env", "GOROOT").Output() // a test that is built with -trimpath does not know it
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", "syscall", "*.go"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("%d files of package syscall, %v", len(sources), err)
	}
	has := declared(parsed(t, token.NewFileSet(), slices.DeleteFunc(sources, func(path string) bool { return !matches(t, path, system) })))
	files := token.NewFileSet()
	for _, f := range parsed(t, files, importing) {
		for n := range ast.Preorder(f) {
			if use, ok := n.(*ast.SelectorExpr); ok && !has[use.Sel.Name] {
				if p, ok := use.X.(*ast.Ident); ok && p.Name == "syscall" {
					uses = append(uses, fmt.Sprintf("%s: undefined: syscall.%s", files.Position(use.Pos()), use.Sel.Name))
				}
			}
		}
	}
	return uses
}

// matches reports whether a file is for a system and CPU, without cgo.
func matches(t *testing.T, path, system string) bool {
	c := gobuild.Default
	c.CgoEnabled = false
	c.GOOS, c.GOARCH, _ = strings.Cut(system, "/")
	on, err := c.MatchFile(filepath.Split(path))
	if err != nil {
		t.Fatal(err)
	}
	return on
}

func parsed(t *testing.T, files *token.FileSet, paths []string) (all []*ast.File) {
	for _, path := range paths {
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

// declared returns the functions, types, variables and constants that files declare, without methods.
func declared(files []*ast.File) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name != "init" {
					names[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, name := range s.Names {
							names[name.Name] = name.Name != "_"
						}
					}
				}
			}
		}
	}
	return names
}

// mentioned reports whether one of names is a word of files, in any sense.
func mentioned(t *testing.T, paths []string, names map[string]bool) bool {
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if names[word] {
				return true
			}
		}
	}
	return false
}

// undefined returns the type checker's messages on undeclared identifiers of names. Of imported packages it knows
// nothing, which gives other messages.
func undefined(files *token.FileSet, name string, parsed []*ast.File, names map[string]bool) (messages []string) {
	check := types.Config{Importer: noImports{}, FakeImportC: true, Error: func(err error) {
		var at types.Error
		errors.As(err, &at)
		if id, found := strings.CutPrefix(at.Msg, "undefined: "); found && names[id] {
			messages = append(messages, fmt.Sprintf("%s: %s", files.Position(at.Pos), at.Msg))
		}
	}}
	check.Check(name, files, parsed, nil)
	return messages
}

// noImports finds no package.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not imported") }
