package simtrun_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/simtrun/simtrun/"

// line is a package or module in a table of ARCHITECTURE.md, and the packages that it imports or that import it.
type line struct {
	of       string
	packages []string
}

// architecture holds the tables of ARCHITECTURE.md.
type architecture struct{ packages, modules []line }

// ground reports whether all other packages may import a package. internal/conformance checks package lanes, and so
// may not import it.
func ground(imported, by string) bool {
	switch imported {
	case "internal/lanes":
		return by != "internal/conformance"
	case "internal/isa":
		return by != "internal/lanes"
	case "internal/sorted":
		return true
	}
	return false
}

// readArchitecture reads the tables of ARCHITECTURE.md. Under a heading with internal/, and in the last column of
// every table, package names lack that prefix. A row of several packages or modules has as many lists in the last
// column, with semicolons between them, or one that is that of each.
func readArchitecture(t *testing.T) *architecture {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	a, heading := new(architecture), ""
	for text := range strings.Lines(string(page)) {
		if strings.HasPrefix(text, "## ") {
			heading = text
		}
		cells := strings.Split(text, "|")
		if !strings.HasPrefix(text, "| `") {
			continue
		}
		if len(cells) != 5 {
			t.Errorf("ARCHITECTURE.md: a row of %d cells: %s", len(cells)-2, text)
			continue
		}
		all, lists := quoted(cells[1]), strings.Split(cells[3], ";")
		if len(lists) != 1 && len(lists) != len(all) {
			t.Errorf("ARCHITECTURE.md: %d lists for %v", len(lists), all)
			continue
		}
		for i, of := range all {
			l := line{of, quoted(lists[min(i, len(lists)-1)])}
			switch {
			case strings.HasPrefix(heading, "## Modules"):
				a.modules = append(a.modules, l)
				continue
			case strings.Contains(heading, "`internal/`"):
				l.of = "internal/" + of
			}
			a.packages = append(a.packages, l)
		}
	}
	if len(a.packages) == 0 || len(a.modules) == 0 {
		t.Fatal("ARCHITECTURE.md has no tables of packages and modules")
	}
	for _, l := range slices.Concat(a.packages, a.modules) {
		for i, name := range l.packages {
			if a.lineOf("internal/"+name) != nil {
				l.packages[i] = "internal/" + name
			} else if a.lineOf(name) == nil {
				t.Errorf("ARCHITECTURE.md has no line for package %s", name)
			}
		}
	}
	return a
}

// quoted returns the words of a cell that are in backquotes.
func quoted(cell string) (words []string) {
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		words = append(words, m[1])
	}
	return words
}

// lineOf returns the line of a package; nil if there is none.
func (a *architecture) lineOf(pkg string) *line {
	i := slices.IndexFunc(a.packages, func(l line) bool { return l.of == pkg })
	if i < 0 {
		return nil
	}
	return &a.packages[i]
}

// TestImportsMatchArchitecture checks that each package imports exactly what ARCHITECTURE.md says.
func TestImportsMatchArchitecture(t *testing.T) {
	a, imports := readArchitecture(t), importsOf(t)
	for pkg, all := range imports {
		l := a.lineOf(pkg)
		if l == nil {
			t.Errorf("ARCHITECTURE.md has no line for package %s", pkg)
			continue
		}
		for _, imported := range all {
			if ours, ok := pathOf(imported); ok && !ground(ours, pkg) && !slices.Contains(l.packages, ours) {
				t.Errorf("%s may not import %s", pkg, ours)
			}
		}
	}
	for _, l := range a.packages {
		for _, ours := range l.packages {
			imported := func(path string) bool { p, ok := pathOf(path); return ok && p == ours }
			if !slices.ContainsFunc(imports[l.of], imported) {
				t.Errorf("ARCHITECTURE.md: %s does not import %s", l.of, ours)
			}
		}
		if _, err := os.Stat(l.of); err != nil {
			t.Errorf("ARCHITECTURE.md: there is no package %s", l.of)
		}
	}
}

// public are the packages that other modules can import.
var public = []string{".", "asm", "cuda", "divergence", "interp", "memory", "warp"}

// TestOnlyPublicPackagesAreImportable checks that other modules can import only the packages of public: all others are
// commands, tests alone, or in a folder internal.
func TestOnlyPublicPackagesAreImportable(t *testing.T) {
	commands, found := make(map[string]bool), []string{}
	eachGoFile(t, func(path string) {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name.Name == "main" {
			commands[filepath.ToSlash(filepath.Dir(path))] = true
		}
	})
	for pkg := range importsOf(t) {
		if !commands[pkg] && !slices.Contains(strings.Split(pkg, "/"), "internal") {
			found = append(found, pkg)
		}
	}
	if slices.Sort(found); !slices.Equal(found, public) {
		t.Errorf("other modules can import %v, want %v", found, public)
	}
}

// pathOf returns the folder of an imported package, if it is in this module.
func pathOf(imported string) (path string, ours bool) {
	if imported+"/" == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module)
}

// importsOf returns the imports of each package, without those of tests and of nested modules.
func importsOf(t *testing.T) map[string][]string {
	all := make(map[string][]string)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		if len(f.Comments) > 0 && strings.HasPrefix(f.Comments[0].List[0].Text, "//go:build ignore") {
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		all[pkg] = append(all[pkg], []string(nil)...)
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			all[pkg] = append(all[pkg], imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestModulesAreExplained checks that ARCHITECTURE.md names the packages that use each module in go.mod, and that
// RATIONALE.md says why it is there.
func TestModulesAreExplained(t *testing.T) {
	a, imports := readArchitecture(t), importsOf(t)
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	reasons, err := os.ReadFile("RATIONALE.md")
	if err != nil {
		t.Fatal(err)
	}
	var required []string
	// direct dependencies only: those have no comment
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(text), -1) {
		required = append(required, m[1])
		if !slices.ContainsFunc(a.modules, func(l line) bool { return l.of == m[1] }) {
			t.Errorf("ARCHITECTURE.md has no line for module %s", m[1])
		}
		if !regexp.MustCompile("(?m)^- (`[^`]+`, )?`" + shortName(m[1]) + "`[:,]").Match(reasons) {
			t.Errorf("RATIONALE.md does not say why module %s is there: a line that begins with %s", m[1], shortName(m[1]))
		}
	}
	for _, l := range a.modules {
		var users []string
		for pkg, all := range imports {
			if slices.ContainsFunc(all, func(path string) bool { return within(path, l.of) }) {
				users = append(users, pkg)
			}
		}
		slices.Sort(users)
		slices.Sort(l.packages)
		if !slices.Equal(users, l.packages) {
			t.Errorf("%s: imported by %v; ARCHITECTURE.md says %v", l.of, users, l.packages)
		}
		if !slices.Contains(required, l.of) {
			t.Errorf("ARCHITECTURE.md: go.mod does not require %s", l.of)
		}
	}
}

// TestDriverModulesAreExplained: cuda/RATIONALE.md says why each module is there that the driver library alone
// requires.
func TestDriverModulesAreExplained(t *testing.T) {
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`)
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	shared, reasons := read("go.mod"), read("cuda/RATIONALE.md")
	for _, m := range direct.FindAllStringSubmatch(read("cuda/driver/go.mod"), -1) {
		if strings.Contains(shared, m[1]+" v") || m[1] == "github.com/simtrun/simtrun" {
			continue
		}
		if !strings.Contains(reasons, "\n- `"+shortName(m[1])+"`: ") {
			t.Errorf("cuda/RATIONALE.md does not say why module %s is there: a line that begins with - `%s`:", m[1], shortName(m[1]))
		}
	}
}

// shortName returns the name by which RATIONALE.md lists a module: its last element without a version, with the owner
// if two modules have that element.
func shortName(module string) string {
	words := strings.Split(regexp.MustCompile(`/v[0-9]+$`).ReplaceAllString(module, ""), "/")
	last := words[len(words)-1]
	switch {
	case last == "jsonschema":
		return words[len(words)-2] + "/" + last
	case words[0] == "golang.org":
		return "x/" + last
	}
	return last
}

// within reports whether a package belongs to a module.
func within(path, module string) bool { return path == module || strings.HasPrefix(path, module+"/") }
