package interp_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// grid prepares the launch of a kernel on a buffer of a number of words.
func grid(t testing.TB, cfg interp.Config, src string, shape, block isa.Dim, words int) (*interp.Grid, *memory.Region) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := kerneltest.New(mod, cfg)
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Alloc("out", int64(4*words))
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Prepare(interp.Launch{Kernel: "k", Grid: shape, Block: block, Params: binary.LittleEndian.AppendUint64(nil, out.Base)})
	if err != nil {
		t.Fatal(err)
	}
	return g, out
}

// runToEnd executes a CTA until all its warps have ended.
func runToEnd(e *interp.Engine, c *interp.CTA) error {
	for c.Live > 0 {
		for _, w := range c.Warps {
			var s divergence.Split
			for w.Control.Ready(0, &s) {
				why, err := e.Run(c, w, &s, math.MaxUint64)
				if err != nil {
					return err
				}
				if why == interp.Executed || why == interp.Branched {
					w.Control.Advance(s.ID, s.PC)
				}
			}
		}
	}
	return nil
}

// onThreads executes CTA i of the launch by engine i modulo the number of engines, each on its own goroutine, and
// returns the first error of each.
func onThreads(t *testing.T, g *interp.Grid, engines []*interp.Engine) []error {
	t.Helper()
	n := len(engines)
	ctas, errs := make([]*interp.CTA, n), make([]error, n)
	for i := range ctas {
		var err error
		if ctas[i], err = g.NewCTA(); err != nil {
			t.Fatal(err)
		}
	}
	total := int(g.Launch.Grid.Count())
	for first := 0; first < total; first += n {
		var wait sync.WaitGroup
		for i, e := range engines[:min(n, total-first)] {
			if errs[i] != nil {
				continue
			}
			e.Start(ctas[i], g.Launch.Grid.At(int64(first+i)))
			wait.Go(func() { errs[i] = runToEnd(e, ctas[i]) })
		}
		wait.Wait()
		for i, e := range engines[:min(n, total-first)] {
			e.End(ctas[i])
		}
	}
	return errs
}

// TestManyEnginesEqualOne: memory, counts and warnings of several engines do not depend on their number, and are those
// of one engine that executes the CTAs in turn.
func TestManyEnginesEqualOne(t *testing.T) {
	const ctas, threads = 24, 64
	want := make([]uint32, ctas*threads)
	for i := range want {
		cta, tid := uint32(i/threads), uint32(i%threads)
		n := tid & 7
		want[i] = (63-tid+cta)*100 + n*(n+1)/2 + 5
		if cta%2 == 1 {
			want[i] -= 6 // a quotient by zero has all bits set
		}
	}
	var first interp.Stats
	for _, n := range []int{1, 2, 5, 8} {
		g, out := grid(t, interp.Config{Divergence: divergence.IndependentThreads}, kerneltest.Source(t, "testdata/kernels/engines.txt", "many things"), kerneltest.Dim(ctas, 1), kerneltest.Dim(threads, 1), ctas*threads)
		engines := g.NewEngines(n, int64(n))
		for _, err := range onThreads(t, g, engines) {
			if err != nil {
				t.Fatal(err)
			}
		}
		got := make([]uint32, len(want))
		binary.Decode(out.Data, binary.LittleEndian, got)
		if !slices.Equal(got, want) {
			t.Fatalf("%d engines: %s", n, cmp.Diff(want, got))
		}
		stats := interp.Total(engines)
		if n == 1 {
			first = stats
			wantWarnings(t, &stats)
			continue
		}
		if diff := cmp.Diff(first, stats); diff != "" {
			t.Errorf("%d engines instead of one:\n%s", n, diff)
		}
		if done, _ := g.Machine().Progress(); done != ctas {
			t.Errorf("%d engines: %d CTAs are done", n, done)
		}
	}
}

// wantWarnings: the barriers come first, in CTA 0, then the division, in CTA 1. In 8 CTAs warp 0 diverges at the
// barrier, and 12 CTAs divide by zero.
func wantWarnings(t *testing.T, s *interp.Stats) {
	t.Helper()
	var got []string
	for _, w := range s.Warnings {
		got = append(got, string(w.Rule))
		cta := uint32(0)
		warps := int64(8)
		if w.Rule == interp.RuleDivZero {
			cta, warps = 1, 24
		}
		if w.Where.CTA.X != cta || w.Warps != warps || w.Count < warps {
			t.Errorf("%+v", w)
		}
	}
	if !slices.Contains(got, string(interp.RuleDivZero)) || got[len(got)-1] != string(interp.RuleDivZero) || !slices.Contains(got, string(interp.RuleDiverged)) {
		t.Errorf("warnings %v", got)
	}
}

// endless is manyRegisters for a buffer.
func endless() string { return strings.Replace(manyRegisters(), "k()", "k(.param .u64 out)", 1) }

// TestRecursionIsFoundAtSameDepth: endless recursion is found at the same depth in each engine, independent of the
// progress of the others, and all of its memory is returned.
func TestRecursionIsFoundAtSameDepth(t *testing.T) {
	const engines = 4
	var first string
	for range 3 {
		budget := memory.NewBudget(64 << 20)
		g, _ := grid(t, interp.Config{Budget: budget}, endless(), kerneltest.Dim(engines, 1), kerneltest.Dim(64, 1), 1)
		before := budget.Taken()
		all := g.NewEngines(engines, engines)
		if got, want := budget.Taken()-before, int64(64<<20/4); got != want {
			t.Errorf("engines take %d bytes for calls, want %d", got, want)
		}
		for i, err := range onThreads(t, g, all) {
			var fault *interp.Fault
			if !errors.As(err, &fault) || fault.Rule != interp.RuleCallDepth || fault.Where.CTA.X != uint32(i) {
				t.Fatalf("engine %d: %v", i, err)
			}
			if first == "" {
				first = fault.Err.Error()
			}
			if got := fault.Err.Error(); got != first {
				t.Errorf("engine %d: %s, another one: %s", i, got, first)
			}
		}
		if !strings.Contains(first, "they may take 4194304, a quarter of --memory for 4 SMs") {
			t.Errorf("%s", first)
		}
		if g.Close(); budget.Taken() > before {
			t.Errorf("%d bytes are still taken", budget.Taken()-before)
		}
	}
}

// TestLittleStackMemoryIsExplained: if buffers leave less than a quarter of the budget, the error says so.
func TestLittleStackMemoryIsExplained(t *testing.T) {
	g, _ := grid(t, interp.Config{Budget: memory.NewBudget(8 << 20)}, endless(), kerneltest.Dim(2, 1), kerneltest.Dim(32, 1), 7<<18)
	for i, err := range onThreads(t, g, g.NewEngines(2, 2)) {
		if _, ok := errors.AsType[*memory.BudgetError](err); !ok || !strings.Contains(err.Error(), "call stacks") {
			t.Errorf("engine %d: %v", i, err)
		}
	}
}

// TestKernelWithoutCallsTakesNoStack: a kernel without calls takes nothing from the budget.
func TestKernelWithoutCallsTakesNoStack(t *testing.T) {
	budget := memory.NewBudget(0)
	g, _ := grid(t, interp.Config{Budget: budget}, kerneltest.Entry+"ret; }", kerneltest.Dim(2, 1), kerneltest.Dim(32, 1), 1)
	before := budget.Taken()
	if g.NewEngines(132, 2); budget.Taken() != before {
		t.Errorf("%d bytes are taken", budget.Taken()-before)
	}
}
