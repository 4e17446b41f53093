package native_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/interp"
)

// onBothBodies runs a launch by lane functions alone, and compiled from the first instruction on, and
// says how what comes of it differs, or "".
func onBothBodies(t testing.TB, k kerneltest.Kernel) string {
	t.Helper()
	type outcome struct {
		Out   [][]uint32
		Stats interp.Stats
		Err   string
	}
	run := func(c interp.Compilation, level jit.Level) outcome {
		k.Config.Compile, k.Config.Lanes = c, level
		out, stats, err := k.Run(t)
		return outcome{out, stats, fmt.Sprint(err)}
	}
	want := run(interp.CompileNever, jit.None)
	for _, level := range kerneltest.Levels() {
		if diff := kerneltest.Diff(want, run(interp.CompileAlways, level), cmpopts.EquateEmpty()); diff != "" {
			return fmt.Sprintf("%v: %s", level, diff)
		}
	}
	return ""
}

// wholeKernel is code as a kernel with a buffer, in which it stores what is in %r1 at the end.
func wholeKernel(code string) string { return kerneltest.Entry + code + kerneltest.StoreR1 }

// TestCompiledBodiesAgree runs the kernels of testdata/bodies, which compiled code could easily get wrong. The second
// CTA finds compiled code that knows where accesses go.
func TestCompiledBodiesAgree(t *testing.T) {
	files, err := filepath.Glob("testdata/bodies/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range strings.Split("\n"+string(text), "\n== ")[1:] {
			name, code, _ := strings.Cut(c, "\n")
			t.Run(name, func(t *testing.T) { agreeInAllModels(t, code) })
		}
	}
}

// agreeInAllModels runs code, below comments and the line "block X Y" if there is one, on both bodies.
func agreeInAllModels(t *testing.T, code string) {
	t.Helper()
	for strings.HasPrefix(code, "#") {
		_, code, _ = strings.Cut(code, "\n")
	}
	var block isa.Dim
	if dim, rest, _ := strings.Cut(code, "\n"); strings.HasPrefix(dim, "block ") {
		block.Z, code = 1, rest
		if _, err := fmt.Sscanf(dim, "block %d %d", &block.X, &block.Y); err != nil {
			t.Fatal(err)
		}
	}
	for _, model := range kerneltest.Models {
		k := kerneltest.Kernel{Source: wholeKernel("\n" + code), Grid: kerneltest.Dim(3, 1), Block: block, Words: []int{256},
			Config: interp.Config{Divergence: model}}
		if diff := onBothBodies(t, k); diff != "" {
			t.Errorf("%v (-lane functions +compiled):\n%s", model, diff)
		}
	}
}
