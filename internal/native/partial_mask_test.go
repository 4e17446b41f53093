package native_test

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/interp"
)

// hotLoop is a loop in which all lanes do the same, until the kernel is compiled.
const hotLoop = `
	mov.u32 %r1, 0;
	mov.u32 %r2, %tid.x;
LOOP:
	add.u32 %r1, %r1, 3;
	setp.lt.u32 %p1, %r1, 6000;
	@%p1 bra LOOP;
`

// TestPartialCodeIsCompiledWhereWanted: code for diverged lanes and for partial masks is compiled for kernels that need
// it; if only hot functions are compiled, not for the few warps at the end of a grid.
func TestPartialCodeIsCompiledWhereWanted(t *testing.T) {
	if kerneltest.Levels()[0] == jit.None || jit.Verifies() {
		t.Skip("no compiled code, or compiled always")
	}
	const (
		two      = "\t@%p2 bra SIDE;\n\tadd.u32 %r1, %r1, 1;\n\tbra JOIN;\nSIDE:\n\tadd.u32 %r1, %r1, 2;\nJOIN:\n\tadd.u32 %r1, %r1, 1;\n"
		few      = "\tsetp.lt.u32 %p2, %r2, 5;\n"
		split    = few + two
		last     = "\tmov.u32 %r3, %ctaid.x;\n\tsetp.eq.u32 %p2, %r3, 6;\n\tsetp.lt.and.u32 %p2, %r2, 5, %p2;\n" + two
		together = "\tsetp.lt.u32 %p2, %r2, 64;\n" + two
		short    = few + "\tand.b32 %r4, %r2, 3;\n\tadd.u32 %r1, %r1, %r4;\n\t@%p2 bra SIDE;\n\tadd.u32 %r1, %r1, 1;\nSIDE:\n\tadd.u32 %r1, %r1, 1;\n"
	)
	for _, c := range []struct {
		name, code  string
		threads     uint32
		hot, wanted bool // all code is made
	}{
		{"all lanes go one way", together, 64, false, false},
		{"lanes of each CTA diverge", split, 64, true, true},
		{"lanes of one CTA diverge", last, 64, false, true},
		{"lanes pass over one side, which the others execute under a mask", short, 64, false, false},
		{"each CTA has a warp of eight lanes", together, 40, true, true},
	} {
		for _, threads := range []int{1, 3} {
			run := func(compile interp.Compilation) (out [][]uint32, stats interp.Stats, funcs, whole int) {
				k := kerneltest.Kernel{Source: wholeKernel(hotLoop + c.code), Grid: kerneltest.Dim(60, 1), Block: kerneltest.Dim(c.threads, 1), Words: []int{60 * 64}, Config: interp.Config{Compile: compile, Threads: threads}}
				k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
					s, err := functional.Begin(m, l)
					if err != nil {
						return interp.Stats{}, err
					}
					s.WorthHelp = 0
					m.BeforeCompiling(func(_ native.Subject, partial bool) {
						if partial {
							whole++
						} else {
							funcs++
						}
					})
					err = s.Continue(context.Background())
					for _, u := range s.Uncompiled() {
						t.Errorf("%s: %v", c.name, &u)
					}
					return s.Stats(), err
				}
				out, stats, err := k.Run(t)
				if err != nil {
					t.Fatal(err)
				}
				return out, stats, funcs, whole
			}
			want, counted, _, _ := run(interp.CompileNever)
			always := os.Getenv("SIMTRUN_COMPILE") == "always"
			for _, on := range []struct {
				compile interp.Compilation
				whole   bool
			}{{interp.CompileHot, c.hot || always}, {interp.CompileWanted, c.wanted || always}, {interp.CompileAlways, true}} {
				out, stats, funcs, whole := run(on.compile)
				if !cmp.Equal(want, out) || !cmp.Equal(counted, stats) {
					t.Errorf("%s, compilation %d, %d threads: memory or counters are not those of lane functions", c.name, on.compile, threads)
				}
				if threads == 1 && (funcs != 1 || (whole == 1) != on.whole) {
					t.Errorf("%s, compilation %d: %d functions were compiled, %d of them wholly", c.name, on.compile, funcs, whole)
				}
			}
		}
	}
}
