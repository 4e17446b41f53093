package interp_test

import (
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/interp"
)

// TestLaunchesOnSeveralThreadsGetHot: a kernel that executes little in each launch, on several threads, is compiled
// after as many executions as on one.
func TestLaunchesOnSeveralThreadsGetHot(t *testing.T) {
	if kerneltest.Levels()[0] == jit.None {
		t.Skip("no compiled code")
	}
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/heat.txt", "launches on several threads get hot")))
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 4} {
		m, err := kerneltest.New(mod, interp.Config{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		launches := 0
		for compiled := 0; compiled == 0; launches++ {
			if launches == 100 {
				t.Fatalf("%d threads: not compiled after %d launches", threads, launches)
			}
			s, err := functional.Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(16, 1), Block: kerneltest.Dim(32, 1)})
			if err != nil {
				t.Fatal(err)
			}
			s.Alone, s.WorthHelp = 0, 0
			if err := s.Continue(t.Context()); err != nil {
				t.Fatal(err)
			}
			compiled, _ = m.Compiled()
		}
		t.Logf("%d threads: compiled in launch %d", threads, launches)
	}
}
