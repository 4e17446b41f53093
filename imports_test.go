package simtrun_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/simtrun/simtrun/"

// allowed is who may import whom, by package: the architecture in one table.
// ARCHITECTURE.md draws it. A missing edge is a design question: answer it
// there before adding it here. Every package may import lanes and isa, but for
// internal/conformance, which is to know nothing of lanes.
var allowed = map[string][]string{
	"lanes":        {},
	"lanes/jit":    {},
	"isa":          {"lanes/jit"},
	"asm":          {},
	"libdevice/fn": {},
	"libdevice":    {"asm", "libdevice/fn"},
	"flow":         {},
	"divergence":   {"flow"},
	"hazard":       {"flow"},
	"memory":       {},
	"texture":      {},
	"tensor":       {},
	"gpu":          {},
	"cost":         {"flow", "libdevice"},
	"program":      {"flow", "hazard", "libdevice"},
	"native":       {"lanes/jit", "flow", "program"},
	"warp":         {"divergence", "program"},
	"interp":       {"lanes/jit", "divergence", "memory", "texture", "tensor", "gpu", "libdevice", "program", "native", "warp"},
	"functional":   {"divergence", "memory", "warp", "program", "interp", "splitmix"},
	"sm/cache":     {"gpu", "splitmix"},
	"sm":           {"divergence", "memory", "gpu", "program", "warp", "cost", "interp", "sm/cache", "splitmix"},
	"profile":      {"divergence", "memory", "gpu", "interp", "sm", "sm/cache"},
	"check":        {"flow", "divergence", "memory", "program", "interp"},
	"splitmix":     {},
	"wholefile":    {},
	"cxx":          {},
	"launch":       {"asm", "divergence", "memory", "texture", "tensor", "gpu", "cost", "interp", "functional", "sm", "profile", "check", "splitmix", "cxx"},
	"plot":         {},
	"occupancy":    {"gpu", "plot", "cxx"},
	"sweep":        {"memory", "gpu", "interp", "profile", "launch", "plot", "wholefile"},
	"report":       {"asm", "flow", "divergence", "memory", "gpu", "interp", "sm", "sm/cache", "profile", "check", "launch"},
	"report/pprof": {"sm", "report"},
	"report/html":  {"profile", "sm", "report", "cxx"},
	"flowgraph":    {"flow"},
	"trace":        {"flow", "divergence", "gpu", "interp", "sm"},
	"timeline":     {"gpu", "sm", "trace"},
	"golden":       {"asm", "divergence", "gpu", "functional", "launch", "profile", "report", "trace", "wholefile"},
	"debugger":     {"flow", "divergence", "memory", "warp", "interp", "functional", "sm", "sm/cache"},
	".":            {"asm", "divergence", "memory", "texture", "tensor", "gpu", "cost", "interp", "functional", "sm", "launch", "profile", "check"},
	"docs":         {},
	"cuda":         {}, // it makes text, which others read
	"validate":     {}, // what it compares it has from the command alone
	"cmd/simtrun":  {"lanes/jit", "docs", "cuda", "asm", "divergence", "memory", "gpu", "cost", "interp", "sm", "launch", "profile", "check", "report", "report/pprof", "report/html", "flowgraph", "trace", "timeline", "golden", "debugger", "plot", "occupancy", "sweep", "validate", "wholefile", "cxx"},

	"bench": {"workloads", "interp"},

	// For tests.
	"kerneltest":  {"asm", "divergence", "memory", "interp", "functional"},
	"workloads":   {"asm", "memory", "interp", "functional"},
	"conformance": {"short", "tensorcase"}, // and apart from lanes
	"flowcode":    {},
	"needs":       {},
	"short":       {},
	"silicon":     {},
	"tensorcase":  {},
	"jsondoc":     {},
}

// owned are the modules that only one package may import, beside tests and kerneltest, which is part of them.
var owned = map[string]string{
	"github.com/alecthomas/participle/v2": "asm",
	"github.com/BurntSushi/toml":          "gpu",
	"github.com/spf13/cobra":              "cmd/simtrun",
	"github.com/google/go-cmp":            "launch",
	"golang.org/x/sys":                    "lanes/jit",
	"golang.org/x/term":                   "cmd/simtrun",
	"github.com/chzyer/readline":          "cmd/simtrun",
	"github.com/mattn/go-shellwords":      "cmd/simtrun",
	"gonum.org/v1/plot":                   "plot",
	"github.com/google/pprof":             "report/pprof",
	"golang.org/x/tools":                  "golden",
	"github.com/ianlancetaylor/demangle":  "cxx",
}

func TestImports(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != "." {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return fs.SkipDir // a module of its own
			}
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
		pkg := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "internal/")
		if _, known := allowed[pkg]; !known {
			t.Errorf("%s: package %s is not in the table", path, pkg)
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			checkImport(t, path, pkg, imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkImport(t *testing.T, path, pkg, imported string) {
	if ours, ok := strings.CutPrefix(imported, module); ok {
		ours = strings.TrimPrefix(ours, "internal/")
		ground := ours == "lanes" && pkg != "lanes" && pkg != "conformance" || ours == "isa" && pkg != "lanes" && pkg != "isa"
		if !ground && !slices.Contains(allowed[pkg], ours) {
			t.Errorf("%s: %s may not import %s", path, pkg, ours)
		}
	}
	for theirs, owner := range owned {
		if (imported == theirs || strings.HasPrefix(imported, theirs+"/")) && pkg != owner && pkg != "kerneltest" {
			t.Errorf("%s: only %s may import %s", path, owner, theirs)
		}
	}
}
