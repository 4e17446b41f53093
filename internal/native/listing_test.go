package native_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/workloads"
)

var update = flag.Bool("update", false, "rewrite the listings in testdata")

// levels are the levels for which code can be written on any machine.
var levels = []jit.Level{jit.AVX2, jit.AVX512}

// list compiles the first kernel of a module.
func list(t *testing.T, mod *isa.Module, kernel *isa.Func, level jit.Level) *native.Listing {
	t.Helper()
	m, err := program.NewModule(mod, true)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Lower(kernel, program.Env{Address: func(string) (uint64, bool) { return 1 << 32, true }})
	if err != nil {
		t.Fatal(err)
	}
	var c native.Compiler
	l, err := c.List(native.Subject{Program: p, Func: p.Kernel(), Shape: native.ShapeOf(isa.Dim{X: 128, Y: 1, Z: 1}), Level: level})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestStagesAreAsListed compares each stage of the kernels in testdata/stages with its listing, at each level. The
// listings do not check results, which other tests compare with those of lane functions; they show what a change
// of the compiler does to its code.
func TestStagesAreAsListed(t *testing.T) {
	files, err := filepath.Glob("testdata/stages/*.s")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels: ", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		mod, err := asm.Parse(file, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, level := range levels {
			l := list(t, mod, mod.Entries()[0], level)
			for stage, text := range map[string]string{"plan": l.Plan, "regions": l.Regions, "code": l.Code, "exits": l.Exits} {
				compareListing(t, fmt.Sprintf("%s.%v.%s.txt", strings.TrimSuffix(file, ".s"), level, stage), text)
			}
		}
	}
}

func compareListing(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-golden +now; go test ./internal/native -run Listed -update rewrites it):\n%s", golden, diff)
	}
}

// TestAllCodeIsListed: in the code of the benchmark's kernels only tables and constants are listed as bytes, every
// jump goes to an instruction, and each instruction that is not a copy has code.
func TestAllCodeIsListed(t *testing.T) {
	mod := workloads.Load(t)
	for _, kernel := range mod.Entries() {
		for _, level := range levels {
			t.Run(fmt.Sprintf("%s/%v", kernel.Name, level), func(t *testing.T) { checkListing(t, list(t, mod, kernel, level).Code) })
		}
	}
}

func checkListing(t *testing.T, code string) {
	part, offsets, targets := "", map[string]bool{}, map[string]string{}
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "; ") {
			part = line
			continue
		}
		at, text, ok := strings.Cut(line, "  ")
		if !ok {
			continue
		}
		data := strings.HasSuffix(part, "constants") || strings.Contains(part, "table")
		if strings.HasPrefix(text, ".byte") != data {
			t.Fatalf("%s: %s %s", part, at, text)
		}
		offsets[at] = !data
		if name, target, _ := strings.Cut(text, " "); (name[0] == 'j' || name == "call") && len(target) > 0 && strings.Trim(target, "0123456789abcdef") == "" {
			targets[at+" "+text] = target
		}
	}
	for jump, target := range targets {
		if !offsets[target] {
			t.Errorf("%s: no instruction is there", jump)
		}
	}
}
