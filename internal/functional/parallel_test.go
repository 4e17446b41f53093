package functional_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// manyCTAs are enough for kernels that do little, so that one thread does not finish them before others begin.
const manyCTAs = 1500

// parallelCases returns the kernels of testdata/parallel.txt.
func parallelCases(t *testing.T) []kerneltest.Case {
	t.Helper()
	return kerneltest.Cases(t, "testdata/parallel.txt", "ctas", "on", "races", "again", "memory", "max-steps", "max-launch-steps")
}

// ranOn runs a kernel on a number of threads of the host and returns its results as text, and whether it ran on
// several.
func ranOn(t *testing.T, k kerneltest.Kernel, threads int) (text string, parallel bool) {
	t.Helper()
	k.Config.Threads = threads
	k.Config.Budget = memory.NewBudget(k.Config.Budget.Limit())
	var printed bytes.Buffer
	k.Config.Stdout = &printed
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		s, err := functional.Begin(m, l)
		if err != nil {
			return interp.Stats{}, err
		}
		if s.WorthHelp = 0; threads == 2 {
			s.Kept = 0
		}
		err = s.Continue(context.Background())
		parallel = s.InParallel()
		for _, name := range []string{"tall", "tickets", "flags"} {
			if r := m.Var(name); r != nil {
				fmt.Fprintf(&printed, "%s %x\n", name, r.Data)
			}
		}
		done, total := m.Progress()
		fmt.Fprintf(&printed, "%d of %d CTAs\n", done, total)
		for _, w := range s.Warps() {
			fmt.Fprintf(&printed, "%v %d: %d\n", w.CTA(), w.ID(), w.Executed())
		}
		return s.Stats(), err
	}
	out, stats, err := k.Run(t)
	fmt.Fprintf(&printed, "%v\n%+v\n", err, stats)
	for _, words := range out {
		for line := range slices.Chunk(words, 64) {
			var text []byte
			for _, word := range line {
				text = strconv.AppendUint(append(text, ' '), uint64(word), 10)
			}
			printed.Write(append(text, '\n'))
		}
	}
	return printed.String(), parallel
}

// parallelCase runs a case under a model of divergence, on a number of threads.
func parallelCase(t *testing.T, c *kerneltest.Case, model divergence.Model, threads int, compile interp.Compilation) (text string, parallel bool) {
	t.Helper()
	ctas := c.Number(t, "ctas", manyCTAs)
	cfg := interp.Config{
		MaxSteps: uint64(c.Number(t, "max-steps", 0)), MaxLaunchSteps: uint64(c.Number(t, "max-launch-steps", 0)),
		Divergence: model, Budget: memory.NewBudget(int64(c.Number(t, "memory", 0))), Compile: compile,
	}
	return ranOn(t, kerneltest.Kernel{Source: c.Body, Grid: kerneltest.Dim(uint32(ctas), 1), Block: kerneltest.Dim(64, 1),
		Words: []int{64 * (ctas + 1)}, Config: cfg}, threads)
}

// differences are those of two texts, line by line.
func differences(a, b string) string { return cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n")) }

// TestThreadsChangeNothing: the results of a kernel are the same, to the byte, on any number of threads, whether or
// not its CTAs depend on each other.
func TestThreadsChangeNothing(t *testing.T) {
	kerneltest.SkipVerified(t)
	for i, c := range parallelCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			if c.Has("races") && raceDetector {
				t.Skip("threads of the host race as the CTAs do, and nothing comes of it")
			}
			models := kerneltest.Models
			if testing.Short() {
				models = models[i%len(models):][:1]
			}
			for j, model := range models {
				if short.Waits(i+j, 12) {
					continue
				}
				want, parallel := parallelCase(t, &c, model, 1, interp.CompileNever)
				if parallel {
					t.Error("one thread counts as several")
				}
				for n, on := range []struct {
					threads int
					compile interp.Compilation
				}{{2, interp.CompileNever}, {2, interp.CompileAlways}, {3, interp.CompileWanted}, {5, interp.CompileHot}} {
					if testing.Short() && n == i%3 {
						continue
					}
					got, parallel := parallelCase(t, &c, model, on.threads, on.compile)
					if got != want {
						t.Errorf("%v (-1 +%d threads, compilation %d):\n%s", model, on.threads, on.compile, differences(want, got))
					}
					if used := c.Value(t, "on"); used != "either" && parallel != (used == "several") {
						t.Errorf("%v, %d threads, compilation %d: in parallel: %v", model, on.threads, on.compile, parallel)
					}
				}
			}
		})
	}
}

// TestRacingCTAsGiveSameResult runs four kernels with racing CTAs a hundred times each.
func TestRacingCTAsGiveSameResult(t *testing.T) {
	short.Alternates(t, 0, 3)
	if raceDetector {
		t.Skip("threads of the host race as the CTAs do, and nothing comes of it")
	}
	racing := 0
	for _, c := range parallelCases(t) {
		if !c.Has("again") {
			continue
		}
		racing++
		t.Run(c.Name, func(t *testing.T) {
			want, _ := parallelCase(t, &c, divergence.IndependentThreads, 1, interp.CompileNever)
			for n := range short.Of(100) {
				if got, _ := parallelCase(t, &c, divergence.IndependentThreads, 2+n%4, interp.Compilation(n%3)); got != want {
					t.Fatalf("run %d:\n%s", n, differences(want, got))
				}
			}
		})
	}
	if racing != 4 {
		t.Errorf("%d kernels, want 4", racing)
	}
}

// TestInterruptedParallelLaunchRestarts: the error of a launch with a context that ends says where its threads are, and
// the launch can restart.
func TestInterruptedParallelLaunchRestarts(t *testing.T) {
	short.Alternates(t, 1, 3)
	k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/parallel.txt", "interrupted in parallel"), Grid: kerneltest.Dim(16, 1), Block: kerneltest.Dim(64, 1), Words: []int{16 * 64}, Config: interp.Config{Threads: 2, Compile: interp.CompileNever}}
	counts := func() (s interp.Stats) {
		t.Helper()
		out, s, err := k.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range out[0] {
			if v != 20000 {
				t.Fatalf("word %d is %d", i, v)
			}
		}
		return s
	}
	whole, places := counts(), 0
	for _, asks := range []int{2, 5, 10, 20, 40} {
		k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			s, err := functional.Begin(m, l)
			if err != nil {
				return interp.Stats{}, err
			}
			err = s.Continue(kerneltest.EndsAfter(asks))
			if !errors.Is(err, context.Canceled) || s.Done() {
				t.Fatalf("asked %d times: got %v, want that it was interrupted", asks, err)
			}
			if interrupted, ok := errors.AsType[*interp.Interrupted](err); ok { // else no warp was resident
				if places++; !strings.Contains(err.Error(), "block (") || s.Stats().WarpInstrs == 0 {
					t.Errorf("asked %d times: %v, and %d instructions before %v", asks, err, s.Stats().WarpInstrs, interrupted.Where)
				}
			}
			err = s.Continue(t.Context())
			return s.Stats(), err
		}
		if diff := cmp.Diff(whole, counts()); diff != "" {
			t.Errorf("asked %d times: counts (-undisturbed +interrupted):\n%s", asks, diff)
		}
	}
	if places == 0 {
		t.Error("it is never said where the threads are")
	}
}

// TestManyBuffersNeedNoRestart: buffers that are read and written one after the other do not make a launch restart for
// each.
func TestManyBuffersNeedNoRestart(t *testing.T) {
	kerneltest.SkipVerified(t)
	var src, vars strings.Builder
	for i := range 20 {
		src.WriteString(kerneltest.Source(t, "testdata/kernels/parallel.txt", "one buffer of many", "$i", fmt.Sprint(i)))
		fmt.Fprintf(&vars, ".global .u32 v%d[6400];\n", i)
	}
	k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/parallel.txt", "many buffers in place", "$vars", vars.String(), "$src", src.String()),
		Grid: kerneltest.Dim(100, 1), Block: kerneltest.Dim(64, 1), Words: []int{64 * 100}, Config: interp.Config{Budget: memory.NewBudget(0)}}
	want, _ := ranOn(t, k, 1)
	got, parallel := ranOn(t, k, 3)
	if got != want || !parallel {
		t.Errorf("in parallel: %v\n%s", parallel, differences(want, got))
	}
}

// TestLittleMemoryRunsInOrder: if the budget does not suffice for several threads, a launch runs in order.
func TestLittleMemoryRunsInOrder(t *testing.T) {
	for _, limit := range []int64{40 << 10, 300 << 10, 900 << 10} {
		k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/parallel.txt", "threads in little memory"), Grid: kerneltest.Dim(100, 1), Block: kerneltest.Dim(64, 1),
			Words: []int{64 * 100}, Config: interp.Config{Budget: memory.NewBudget(limit)}}
		want, _ := ranOn(t, k, 1)
		if got, _ := ranOn(t, k, 5); got != want {
			t.Errorf("%d bytes: %s", limit, differences(want, got))
		}
	}
}

// TestShortLaunchesStayOnOneThread: the part that one thread has executed first is kept if help is not worth it for
// the rest, which then continues in order; the results are the same.
func TestShortLaunchesStayOnOneThread(t *testing.T) {
	kerneltest.SkipVerified(t)
	var want []uint32
	for _, worth := range []time.Duration{0, time.Hour} {
		k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/parallel.txt", "short launches stay on one thread"), Grid: kerneltest.Dim(32, 1), Block: kerneltest.Dim(64, 1), Words: []int{32 * 64},
			Config: interp.Config{Threads: 2, Compile: interp.CompileNever}}
		parallel := false
		k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			s, err := functional.Begin(m, l)
			if err != nil {
				return interp.Stats{}, err
			}
			s.WorthHelp = worth
			err = s.Continue(t.Context())
			parallel = s.InParallel()
			return s.Stats(), err
		}
		out, stats, err := k.Run(t)
		if err != nil || parallel != (worth == 0) || stats.WarpInstrs < 32*2*4*1000 {
			t.Errorf("worth %v: in parallel: %v, %d instructions, %v", worth, parallel, stats.WarpInstrs, err)
		}
		if want == nil {
			want = out[0]
		} else if diff := cmp.Diff(want, out[0]); diff != "" {
			t.Errorf("-in parallel +in order:\n%s", diff)
		}
	}
}
