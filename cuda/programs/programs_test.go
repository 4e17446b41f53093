// Package programs_test compiles CUDA programs, runs them on the libraries that make -C cuda builds, and checks what
// they print.
package programs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/short"
)

func TestMain(m *testing.M) { cudatest.Main(m) }

// otherClangs are the programs that run with each tested version of clang, because the versions treat them differently.
var otherClangs = []string{"lenient", "const_parameters", "local_alignment"}

// TestEveryTestedClangPasses runs programs with each version of clang that Find prefers, except the one that
// TestProgramsPassInEveryMode uses. If cases take turns, one program runs with each commit.
func TestEveryTestedClangPasses(t *testing.T) {
	for i, name := range otherClangs {
		if !short.Skips(i) && !short.Waits(i, 6) {
			cudatest.WithOtherClangs(t, "^TestProgramsPassInEveryMode$/^"+name+`\.cu$`)
		}
	}
}

// TestProgramsPassInEveryMode checks that each program of testdata/programs, which verifies its own results, prints ok
// at the end, also with a check for races, which must not find an error, with a clock, and with forced divergence. The
// runtime's own calls before main must not fail.
// Under -short every eighth program runs; if cases take turns, a sixth of the programs, each in a twelfth of the other
// modes.
func TestProgramsPassInEveryMode(t *testing.T) {
	library := cudatest.Library(t)
	files, err := filepath.Glob("testdata/programs/*.cu")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for i, file := range files {
		if testing.Short() && i%8 != 0 || short.Waits(i, 6) {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "program")
			cudatest.Build(t, append(cudatest.OwnOptions(t, file), file, "-L"+library, "-o", program)...)
			for j, mode := range cudatest.Modes {
				if j > 0 && short.Waits(i+j, 12) {
					continue
				}
				got := cudatest.ExecuteIn(t, []string{"LD_LIBRARY_PATH=" + library, mode}, program)
				if !strings.HasSuffix(got, "ok\n") || strings.Contains(got, ": error: race") || strings.Contains(got, "__cuda_module_ctor") {
					t.Errorf("%s: printed %q", mode, got)
				}
			}
		})
	}
}

// TestOrderDependenceIsReported: a program that races, and is right on every GPU, is right here, and a line says that
// the results may depend on the order of warps.
func TestOrderDependenceIsReported(t *testing.T) {
	library := cudatest.Library(t)
	program := filepath.Join(t.TempDir(), "program")
	cudatest.Build(t, "testdata/two_reductions.cu", "-L"+library, "-o", program)
	got := cudatest.Execute(t, library, program)
	if !strings.HasSuffix(got, ": right\n") || !strings.Contains(got, "results may depend on the order of warps: ") || !strings.Contains(got, "--check race reports more [sync-order]") {
		t.Errorf("printed %q", got)
	}
}
