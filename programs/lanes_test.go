package programs_test

import (
	"path/filepath"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/interp"
)

// TestLanesAgree runs kernels that compiled code once executed wrongly, with Go lane functions and as machine code for
// each instruction set of the host: their expectations hold, and all runs leave the same bytes.
func TestLanesAgree(t *testing.T) {
	files, err := filepath.Glob("testdata/lanes/*.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			p := plan(t, file, nil)
			p.Config.Compile = interp.CompileNever
			want, err := p.Run(t.Context())
			if err != nil || len(want.Failed) > 0 || want.Passed == 0 {
				t.Fatalf("in Go: %v; %d expectations hold, these do not: %v", err, want.Passed, want.Failed)
			}
			for level := jit.AVX2; level <= jit.Best(); level++ {
				p := plan(t, file, nil)
				p.Config.Compile, p.Config.Lanes = interp.CompileAlways, level
				got, err := p.Run(t.Context())
				if err != nil || len(got.Failed) > 0 {
					t.Fatalf("%v: %v; these expectations do not hold: %v", level, err, got.Failed)
				}
				compareMemory(t, want, got)
			}
		})
	}
}
