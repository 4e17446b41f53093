package simtrun_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// calledByOthers are methods that only packages of others call: errors, fmt, encoding, flags, heap, fonts.
var calledByOthers = []string{"As", "Error", "Format", "Glyph", "GlyphAdvance", "GlyphBounds", "GoString", "Is", "Kern", "Less", "MarshalJSON", "MarshalText", "Pop", "Push", "Set", "String", "Type", "UnmarshalJSON", "UnmarshalText", "Unwrap"}

// namesUsed are the names after a dot, and of methods in interfaces, in the files of a package.
type namesUsed struct {
	imports  map[string]bool // folders of this module
	selected map[string]bool
}

// TestExportsAreUsed checks that another package, or a test of another package, uses each function, variable and method
// that a package outside of public exports. Methods count as used if another package selects one of that name, or an
// interface has it. What only one package calls begins with a lower-case letter.
func TestExportsAreUsed(t *testing.T) {
	used, exported := make(map[string]*namesUsed), make(map[string][]*ast.Ident) // by package
	methods, files := make(map[*ast.Ident]bool), token.NewFileSet()
	inInterfaces := make(map[string]bool)
	eachGoFile(t, func(path string) {
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		if f.Name.Name == "main" {
			pkg += " main" // a generator is not part of the package in its folder
		}
		if used[pkg] == nil {
			used[pkg] = &namesUsed{make(map[string]bool), make(map[string]bool)}
		}
		used[pkg].add(f, inInterfaces)
		if f.Name.Name == "main" || strings.HasSuffix(path, "_test.go") || slices.Contains(public, pkg) {
			return
		}
		exported[pkg] = append(exported[pkg], exportsOf(f, methods)...)
	})
	for _, pkg := range slices.Sorted(maps.Keys(exported)) {
		for _, id := range exported[pkg] {
			found := methods[id] && (inInterfaces[id.Name] || slices.Contains(calledByOthers, id.Name))
			for other, names := range used {
				found = found || other != pkg && names.selected[id.Name] && (methods[id] || names.imports[pkg])
			}
			if !found {
				t.Errorf("%s: no other package uses %s; begin it with a lower-case letter", files.Position(id.Pos()), id.Name)
			}
		}
	}
}

// add adds the names of a file.
func (u *namesUsed) add(f *ast.File, inInterfaces map[string]bool) {
	for _, spec := range f.Imports {
		if path, ours := pathOf(strings.Trim(spec.Path.Value, `"`)); ours {
			u.imports[path] = true
		}
	}
	for n := range ast.Preorder(f) {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			u.selected[n.Sel.Name] = true
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, name := range m.Names {
					inInterfaces[name.Name] = true
				}
			}
		}
	}
}

// exportsOf returns the names of functions, methods and variables that a file exports, and marks methods.
func exportsOf(f *ast.File, methods map[*ast.Ident]bool) (all []*ast.Ident) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			methods[d.Name] = d.Recv != nil
			all = append(all, d.Name)
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, s := range d.Specs {
				all = append(all, s.(*ast.ValueSpec).Names...)
			}
		}
	}
	return slices.DeleteFunc(all, func(id *ast.Ident) bool { return !id.IsExported() })
}

// TestExportedTypesAreNamed checks that each type that a package outside of public exports is named by another package,
// or shown by another exported declaration of its own: by a function, a field, a type or a variable. Constants are not
// looked at: those of an enumeration are exported together.
func TestExportedTypesAreNamed(t *testing.T) {
	files := token.NewFileSet()
	exported, shown := make(map[string][]*ast.Ident), make(map[string]map[string]bool) // by package
	named := make(map[string]bool)                                                     // package.name
	eachGoFile(t, func(path string) {
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		addNamed(named, f)
		pkg := filepath.ToSlash(filepath.Dir(path))
		if f.Name.Name == "main" || strings.HasSuffix(path, "_test.go") || slices.Contains(public, pkg) {
			return
		}
		if shown[pkg] == nil {
			shown[pkg] = make(map[string]bool)
		}
		for _, d := range f.Decls {
			exported[pkg] = append(exported[pkg], addShown(shown[pkg], d)...)
		}
	})
	for _, pkg := range slices.Sorted(maps.Keys(exported)) {
		for _, id := range exported[pkg] {
			if !named[pkg+"."+id.Name] && !shown[pkg][id.Name] {
				t.Errorf("%s: no other package names type %s, and no export shows it; begin it with a lower-case letter", files.Position(id.Pos()), id.Name)
			}
		}
	}
}

// addNamed adds what a file names of other packages of this module.
func addNamed(named map[string]bool, f *ast.File) {
	folders := make(map[string]string)
	for _, spec := range f.Imports {
		if folder, ours := pathOf(strings.Trim(spec.Path.Value, `"`)); ours {
			name := filepath.Base(folder)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			folders[name] = folder
		}
	}
	for n := range ast.Preorder(f) {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				named[folders[id.Name]+"."+s.Sel.Name] = true
			}
		}
	}
}

// addShown adds the names in what a declaration exports, and returns the types that it declares.
func addShown(shown map[string]bool, d ast.Decl) (types []*ast.Ident) {
	add := func(n ast.Node) {
		for n := range ast.Preorder(n) {
			if id, ok := n.(*ast.Ident); ok {
				shown[id.Name] = true
			}
		}
	}
	isExported := func(id *ast.Ident) bool { return id.IsExported() }
	if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() {
		add(f.Type)
	}
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return nil
	}
	for _, s := range g.Specs {
		switch s := s.(type) {
		case *ast.ValueSpec:
			if s.Type != nil && slices.ContainsFunc(s.Names, isExported) {
				add(s.Type)
			}
		case *ast.TypeSpec:
			if !s.Name.IsExported() {
				continue
			}
			types = append(types, s.Name)
			fields, ok := s.Type.(*ast.StructType)
			if !ok {
				add(s.Type)
				continue
			}
			for _, f := range fields.Fields.List {
				if len(f.Names) == 0 || slices.ContainsFunc(f.Names, isExported) {
					add(f.Type)
				}
			}
		}
	}
	return types
}
