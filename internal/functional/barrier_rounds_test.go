package functional_test

import (
	"errors"
	"flag"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

var (
	roundsPrograms = flag.Int("rounds", 160, "`N` kernels of the tests of random loops around barriers")
	roundsFirst    = flag.Uint64("rounds-first", 0, "`SEED` of the first kernel")
)

// TestRandomBarrierLoopsThatEndAreNoHangs: random loops around barriers leave what a scalar reference computes, and no
// proof that they hang succeeds, wherever it is tried.
func TestRandomBarrierLoopsThatEndAreNoHangs(t *testing.T) {
	for seed := range uint64(*roundsPrograms) {
		if short.Skips(int(seed)) || short.Waits(int(seed), 8) {
			continue
		}
		seed += *roundsFirst
		r := kerneltest.RandomRounds(seed, false)
		out, tried, err := runRounds(t, &r, seed, 1<<12, 1<<30)
		if err != nil {
			t.Fatalf("seed %d: after %d attempts: %v\n%s", seed, tried, err, r.Source)
		}
		if diff := kerneltest.Diff(r.Want, out); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%.1000s\n%s", seed, diff, r.Source)
		}
	}
}

// TestRandomEndlessBarrierLoopsAreProved: a random loop around barriers that never ends is a hang, by a proof.
func TestRandomEndlessBarrierLoopsAreProved(t *testing.T) {
	for seed := range uint64(*roundsPrograms) {
		if short.Skips(int(seed)) || short.Waits(int(seed), 8) {
			continue
		}
		seed += *roundsFirst
		r := kerneltest.RandomRounds(seed, true)
		_, tried, err := runRounds(t, &r, seed, 1<<17, 400)
		if hang, ok := errors.AsType[*interp.Hang](err); !ok || hang.Rule == interp.RuleSteps {
			t.Fatalf("seed %d: after %d attempts: %v\n%s", seed, tried, err, r.Source)
		}
	}
}

// runRounds runs a kernel with pauses. At up to most of them it tries to prove that the kernel hangs, each time within
// a number of steps.
func runRounds(t *testing.T, r *kerneltest.Rounds, seed, steps uint64, most int) (out []uint32, tried int, err error) {
	t.Helper()
	k := kerneltest.Kernel{Source: r.Source, Grid: kerneltest.Dim(r.Blocks, 1), Block: kerneltest.Dim(r.Threads, 1), Words: []int{len(r.Want)},
		Config: interp.Config{Divergence: kerneltest.Models[seed%3], PathOrder: kerneltest.Orders[seed/3%3], Lanes: kerneltest.LevelOf(seed),
			Compile: kerneltest.CompilationOf(seed), MaxSteps: 1e7}}
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		s, err := functional.BeginWithSlice(m, l, 64)
		for n := 1 + seed%97; err == nil && !s.Done(); n = s.Stats().WarpInstrs + 1 + (seed+uint64(tried))%223 {
			s.PauseAt(n)
			if err = s.Continue(t.Context()); err == nil && !s.Done() && tried < most {
				tried++
				err = s.ProveNow(steps)
			}
		}
		return s.Stats(), err
	}
	all, _, err := k.Run(t)
	return all[0], tried, err
}

// TestPausesBetweenTurnsLoseNothing: wherever a launch pauses, in compiled code too, it then continues where it was.
func TestPausesBetweenTurnsLoseNothing(t *testing.T) {
	for seed := range uint64(48) {
		if short.Skips(int(seed)) || short.Waits(int(seed), 8) {
			continue
		}
		r := kerneltest.RandomRounds(seed, false)
		k := kerneltest.Kernel{Source: r.Source, Grid: kerneltest.Dim(r.Blocks, 1), Block: kerneltest.Dim(r.Threads, 1), Words: []int{len(r.Want)},
			Config: interp.Config{Lanes: kerneltest.LevelOf(seed), Compile: interp.CompileAlways}}
		for first := uint64(1); first < 200; first += 7 {
			k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
				s, err := functional.Begin(m, l)
				for n := first; err == nil && !s.Done(); n = s.Stats().WarpInstrs + 1 + first*first%61 {
					s.PauseAt(n)
					err = s.Continue(t.Context())
				}
				return s.Stats(), err
			}
			out, _, err := k.Run(t)
			if diff := kerneltest.Diff(r.Want, out[0]); err != nil || diff != "" {
				t.Fatalf("seed %d, first paused after %d instructions: %v (-want +got):\n%.1000s\n%s", seed, first, err, diff, r.Source)
			}
		}
	}
}
