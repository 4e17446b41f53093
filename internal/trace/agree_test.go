package trace_test

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/trace"
	"github.com/simtrun/simtrun/interp"
)

// switches sends lane i to target i%4 of four, two of which are the same; the other lanes of a fifth fall through.
const switches = `.entry k()
{
	mov.u32 %r1, %laneid;
	and.b32 %r2, %r1, 3;
	setp.lt.u32 %p1, %r1, 16;
T:	.branchtargets A, B, B, END;
	@%p1 brx.idx %r2, T;
	add.u32 %r3, %r1, 5;
A:	add.u32 %r3, %r1, 1;
B:	add.u32 %r3, %r1, 2;
END:	ret;
}
`

// The trace names all targets of a branch. The lanes that go from A to B reconverge with the others only at the end.
func TestBranchTableNamesAllTargets(t *testing.T) {
	got, err := traced(t, switches, interp.Config{}, one(1), one(32), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
b0.w0  diverge     L7    ffffffff  00001111 to L9  00006666 to L10  00008888 to L11  fall-through ffff0000 to L8  reconverge at L11  depth 1  @%p1 brx.idx %r2, T;
b0.w0  reconverge  L11   ffffffff  from 00001111 00006666 00008888 ffff0000  depth 0
b0.w0  exit        L11   ffffffff  left 00000000  ret;
`, got)
}

// Forced divergence is not a divergence of a branch.
func TestForcedDivergenceIsNoBranchEvent(t *testing.T) {
	forced := 0
	for seed := range uint64(16) {
		got, err := traced(t, arms, interp.Config{Split: seed + 1}, one(1), one(32), trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		forced += strings.Count(got, "  split  ")
		if n := strings.Count(got, "  diverge  "); n != 1 {
			t.Errorf("seed %d: %d divergent branches, want 1", seed+1, n)
		}
	}
	if forced == 0 {
		t.Error("no seed of 16 forced a divergence")
	}
}

// counter counts events.
type counter struct {
	warps, instructions, exits int
}

func (c *counter) Started(*interp.Place, lanes.Mask)                 { c.warps++ }
func (c *counter) Ran(_ *interp.Place, first, end int, _ lanes.Mask) { c.instructions += end - first }
func (c *counter) Exited(*interp.Place, int, lanes.Mask)             { c.exits++ }

// TestTraceAgreesWithRun compares a trace with the counts of a run without one, and checks that another observer is
// notified in addition to the trace.
func TestTraceAgreesWithRun(t *testing.T) {
	for name, src := range map[string]string{"arms": arms, "sheds": sheds, "calls": calls, "switches": switches, "halves": halves} {
		for _, model := range []divergence.Model{divergence.IndependentThreads, divergence.ReconvergenceStack, divergence.LowestPC} {
			if name == "halves" && model == divergence.ReconvergenceStack {
				continue // deadlock
			}
			t.Run(fmt.Sprint(name, " ", model), func(t *testing.T) {
				mod, err := asm.Parse("k.s", []byte(src))
				if err != nil {
					t.Fatal(err)
				}
				m, err := interp.New(mod, interp.Config{Divergence: model, Compile: interp.CompileAlways})
				if err != nil {
					t.Fatal(err)
				}
				l := interp.Launch{Kernel: "k", Grid: dim(3, 2), Block: one(100)}
				want, err := functional.Run(context.Background(), m, l)
				if err != nil {
					t.Fatal(err)
				}
				traceOf := func(kind trace.Kind) string {
					c, l := &counter{}, l
					l.Observe(c)
					var b strings.Builder
					tr, err := trace.Attach(m, &l, &b, trace.Options{Kind: kind})
					if err != nil {
						t.Fatal(err)
					}
					stats, err := functional.Run(context.Background(), m, l)
					if err != nil || tr.End() != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, stats); diff != "" {
						t.Errorf("%s (-run +traced):\n%s", kind, diff)
					}
					if c.warps != 24 || uint64(c.instructions) != want.WarpInstrs || c.exits < c.warps {
						t.Errorf("the observer was notified of %d warps, %d instructions, %d exits", c.warps, c.instructions, c.exits)
					}
					return b.String()
				}
				instr, active := strings.Split(strings.TrimSpace(traceOf(trace.Instr)), "\n"), 0
				for _, line := range instr {
					mask, err := strconv.ParseUint(strings.Fields(line)[3], 16, 32)
					if err != nil {
						t.Fatal(err)
					}
					active += bits.OnesCount64(mask)
				}
				if uint64(len(instr)) != want.WarpInstrs || uint64(active) != want.LaneInstrs {
					t.Errorf("the trace has %d instructions of %d lanes, the run %d of %d", len(instr), active, want.WarpInstrs, want.LaneInstrs)
				}
				if n := strings.Count(traceOf(trace.Mask), "  diverge  "); uint64(n) != want.DivergentBranches {
					t.Errorf("the trace has %d divergent branches, the run %d", n, want.DivergentBranches)
				}
			})
		}
	}
}

// full is a writer with space for a number of bytes.
type full struct{ bytes int }

func (f *full) Write(text []byte) (int, error) {
	if f.bytes += len(text); f.bytes > 100 {
		return 0, errFull
	}
	return len(text), nil
}

var errFull = errors.New("no space left")

// A trace that cannot be written halts the launch; End returns the error.
func TestWriteErrorHaltsLaunch(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(arms))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	l := interp.Launch{Kernel: "k", Grid: one(1), Block: one(32)}
	tr, err := trace.Attach(m, &l, &full{}, trace.Options{Kind: trace.Instr})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := functional.Run(context.Background(), m, l)
	// The second line does not fit in 100 bytes; the error shows after that instruction.
	if err != nil || stats.WarpInstrs != 2 {
		t.Errorf("%d instructions, %v; want 2", stats.WarpInstrs, err)
	}
	if err := tr.End(); !errors.Is(err, errFull) {
		t.Errorf("End gives %v", err)
	}
	l.Kernel = "none"
	if _, err := trace.Attach(m, &l, &full{}, trace.Options{}); err == nil {
		t.Error("a kernel that is not there is traced")
	}
}
