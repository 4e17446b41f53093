package simtrun_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// writtenGlobals are the package-level variables that may be written after initialisation, with the reason.
var writtenGlobals = map[string]string{
	"cuda/driver.dev": "the CUDA driver API is functions of C without a handle for the driver, so a process has one",
}

// TestNoGlobalIsWritten checks that no function, other than init, writes a package-level variable, so that two machines
// in a process share no state. Tests may not write those of other files than tests either.
func TestNoGlobalIsWritten(t *testing.T) {
	g, files := newGlobals(), token.NewFileSet()
	var parsed []*globalsFile
	eachGoFile(t, func(name string) {
		f, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Comments) > 0 && strings.HasPrefix(f.Comments[0].List[0].Text, "//go:build ignore") {
			return
		}
		parsed = append(parsed, g.add(filepath.ToSlash(filepath.Dir(name)), strings.HasSuffix(name, "_test.go"), f))
	})
	places := make(map[string][]string) // by variable
	for name, at := range g.stateful {
		places[name] = append(places[name], files.Position(at).String()+": its type is for values that change")
	}
	for _, f := range parsed {
		g.writes(f, func(name string, at token.Pos) {
			places[name] = append(places[name], files.Position(at).String())
		})
	}
	for _, name := range slices.Sorted(maps.Keys(places)) {
		if _, allowed := writtenGlobals[name]; !allowed {
			t.Errorf("%s is written after initialisation; make it a field of what owns it, or pass it:\n\t%s", name, strings.Join(places[name][:min(5, len(places[name]))], "\n\t"))
		}
	}
	for name := range writtenGlobals {
		if places[name] == nil {
			t.Errorf("nothing writes %s: delete it from writtenGlobals", name)
		}
	}
}

// globals are the package-level variables of a module, without those of tests.
type globals struct {
	vars     map[string]bool // by folder, a dot and the name
	specs    map[*ast.ValueSpec]bool
	stateful map[string]token.Pos // those with a type of sync or sync/atomic
}

// globalsFile is a file with the folder of its package.
type globalsFile struct {
	*ast.File
	dir string
}

func newGlobals() *globals {
	return &globals{map[string]bool{}, map[*ast.ValueSpec]bool{}, map[string]token.Pos{}}
}

// add adds the variables of a file.
func (g *globals) add(dir string, test bool, f *ast.File) *globalsFile {
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.VAR || test {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.ValueSpec)
			g.specs[spec] = true
			for _, name := range spec.Names {
				g.vars[dir+"."+name.Name] = spec.Values != nil
				if isStateful(spec) {
					g.stateful[dir+"."+name.Name] = name.Pos()
				}
			}
		}
	}
	return &globalsFile{f, dir}
}

// isStateful reports whether a variable has, or contains, a type of sync or sync/atomic. Functions such as
// sync.OnceValue compute a table when it is first used.
func isStateful(spec *ast.ValueSpec) (found bool) {
	nodes := []ast.Node{spec.Type}
	for _, v := range spec.Values {
		if l, ok := v.(*ast.CompositeLit); ok {
			nodes = append(nodes, l.Type)
		}
	}
	for _, n := range nodes {
		if n == nil || n == ast.Expr(nil) {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				owner, _ := s.X.(*ast.Ident)
				found = found || owner != nil && (owner.Name == "sync" || owner.Name == "atomic")
			}
			return true
		})
	}
	return found
}

// writes calls found for each place outside of init at which a file writes a package-level variable.
func (g *globals) writes(f *globalsFile, found func(name string, at token.Pos)) {
	unresolved, imports := make(map[*ast.Ident]bool), f.ours()
	for _, id := range f.Unresolved {
		unresolved[id] = true
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Recv == nil && fn.Name.Name == "init" {
			continue
		}
		for n := range ast.Preorder(fn.Body) {
			_, address := n.(*ast.UnaryExpr)
			for _, e := range written(n) {
				if name := g.variable(f, e, unresolved, imports); name != "" && !(address && g.vars[name]) {
					found(name, e.Pos())
				}
			}
		}
	}
}

// written returns the expressions to which a node assigns, the variable of which it takes the address, and the map or
// slice that delete, clear or copy change. The address of a variable with a value is that of a table.
func written(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	case *ast.UnaryExpr:
		if _, whole := n.X.(*ast.Ident); n.Op == token.AND && whole {
			return []ast.Expr{n.X}
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"delete", "clear", "copy"}, f.Name) {
			return n.Args[:1]
		}
	}
	return nil
}

func (g *globals) has(name string) bool {
	_, known := g.vars[name]
	return known
}

// variable returns the package-level variable that an expression is a part of; "" if it is none.
func (g *globals) variable(f *globalsFile, e ast.Expr, unresolved map[*ast.Ident]bool, imports map[string]string) string {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok && unresolved[id] && imports[id.Name] != "" {
				if name := imports[id.Name] + "." + x.Sel.Name; g.has(name) {
					return name
				}
				return ""
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			name := f.dir + "." + x.Name
			if x.Obj != nil {
				if spec, ok := x.Obj.Decl.(*ast.ValueSpec); !ok || !g.specs[spec] {
					return ""
				}
			} else if !unresolved[x] {
				return ""
			}
			if g.has(name) {
				return name
			}
			return ""
		default:
			return ""
		}
	}
}

// ours returns the folders of the packages of this module that a file imports, by the names that it gives them.
func (f *globalsFile) ours() map[string]string {
	all := make(map[string]string)
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic(err)
		}
		dir, ok := pathOf(imported)
		if !ok {
			continue
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		all[name] = dir
	}
	return all
}

// TestWritesOfGlobalsAreFound: in each body x, or p.V, is written, or not.
func TestWritesOfGlobalsAreFound(t *testing.T) {
	for body, want := range map[string]string{
		"x = 1":                         "[a.x]",
		"x.f = 1":                       "[a.x]",
		"x[1].f++":                      "[a.x]",
		"*x = 1":                        "[a.x]",
		"for x = range 3 {}":            "[a.x]",
		"delete(x, 1)":                  "[a.x]",
		"f(&x)":                         "[a.x]",
		"p.V = 1":                       "[cuda.V]",
		"other = 1":                     "[a.other]", // declared in another file
		"x := 1; x = 2":                 "[]",
		"f := func(x int) { x = 2 }":    "[]",
		"y := &x[1]":                    "[]",
		"p := struct{ V int }{}; p.V++": "[]",
		"y = x":                         "[]",
	} {
		g := newGlobals()
		one, err := parser.ParseFile(token.NewFileSet(), "", "package a\nimport p \""+module+"cuda\"\nvar x int\nfunc g(y int) {\n"+body+"\n}\nfunc init() { x = 1 }\n", 0)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		two, err := parser.ParseFile(token.NewFileSet(), "", "package a\nvar other int\nvar table = []int{1}\n", 0)
		if err != nil {
			t.Fatal(err)
		}
		three, err := parser.ParseFile(token.NewFileSet(), "", "package p\nvar V int\n", 0)
		if err != nil {
			t.Fatal(err)
		}
		f := g.add("a", false, one)
		g.add("a", false, two)
		g.add("cuda", false, three)
		found := []string{}
		g.writes(f, func(name string, _ token.Pos) { found = append(found, name) })
		if got := fmt.Sprint(found); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
