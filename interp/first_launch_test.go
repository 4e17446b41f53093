package interp_test

import (
	"context"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/interp"
)

// runKernel launches kernel k, which may store a word for each thread.
func runKernel(tb testing.TB, m *interp.Machine, grid, block isa.Dim, observers ...interp.Observer) interp.Stats {
	tb.Helper()
	out, err := m.Alloc("out", 4*grid.Count()*block.Count())
	if err != nil {
		tb.Fatal(err)
	}
	stats, err := functional.Run(context.Background(), m, interp.Launch{Kernel: "k", Grid: grid, Block: block, Params: binary.LittleEndian.AppendUint64(nil, out.Base), Observers: observers})
	if err != nil {
		tb.Fatal(err)
	}
	return stats
}

// startCount counts warps that start.
type startCount struct{ n int }

func (c *startCount) Started(*interp.Place, lanes.Mask) { c.n++ }

// TestCodeIsMadeWhenItPays: a function is compiled when lane functions have executed it about fifty times, or
// earlier if the launch has enough CTAs left.
func TestCodeIsMadeWhenItPays(t *testing.T) {
	if kerneltest.Levels()[0] == jit.None || os.Getenv("SIMTRUN_COMPILE") != "" || jit.Verifies() {
		t.Skip("no compiled code, or compiled always")
	}
	early := strings.Replace(kerneltest.StraightHash(2400), "ld.param", "setp.ne.u32 %p1, %ctaid.x, 99999;\n\t@%p1 ret;\n\tld.param", 1)
	loop := kerneltest.Source(t, "testdata/kernels/first_launch.txt", "code is made when it pays, loop")
	for _, c := range []struct {
		name          string
		src           string
		ctas, threads uint32
		launches      int
		least, most   int // warps that have started by then
	}{
		{"a large grid", kerneltest.StraightHash(300), 256, 256, 1, 8, 8}, // 2 of the first CTA have executed it
		{"a grid of 8 blocks", kerneltest.StraightHash(300), 8, 256, 1, 8, 8},
		{"a single block", kerneltest.StraightHash(300), 1, 1024, 2, 32, 64},
		{"a grid of 50 warps", kerneltest.StraightHash(300), 50, 32, 2, 51, 52},
		{"a grid of 200 warps", kerneltest.StraightHash(300), 200, 32, 1, 3, 4},
		{"small grids, again and again", kerneltest.StraightHash(300), 4, 32, 40, 51, 52},
		{"warps that end at once", early, 300, 32, 1, 0, 0},
		{"a loop in one warp", loop, 1, 32, 1, 1, 1},
	} {
		mod, err := asm.Parse("k.s", []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		m, err := kerneltest.New(mod, interp.Config{Lanes: kerneltest.Levels()[0]})
		if err != nil {
			t.Fatal(err)
		}
		var started startCount
		compiled := 0
		m.BeforeCompiling(func(_ native.Subject, rest bool) {
			if !rest {
				compiled = started.n
			}
		})
		for range c.launches {
			runKernel(t, m, kerneltest.Dim(c.ctas, 1), kerneltest.Dim(c.threads, 1), &started)
		}
		if compiled < c.least || compiled > c.most {
			t.Errorf("%s: compiled when %d warps had started, want %d to %d", c.name, compiled, c.least, c.most)
		}
	}
}
