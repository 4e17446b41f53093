package sm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// fails runs a kernel that must fail, and returns the error.
func fails(t *testing.T, cfg interp.Config, threads uint32, source string) error {
	t.Helper()
	_, _, err := kerneltest.Kernel{Source: source, Block: kerneltest.Dim(threads, 1), Words: []int{4}, Config: cfg,
		Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			s, err := sm.Begin(m, l, sm.Options{Prove: new(functional.Prover).Prove})
			if err != nil {
				return interp.Stats{}, err
			}
			err = s.Continue(context.Background())
			if again := s.Continue(context.Background()); !s.Done() || again != err {
				t.Errorf("after the end Continue returns %v, before %v", again, err)
			}
			if timing := s.Timing(); timing.Check() != nil || !timing.Partial || timing.Cycles <= 0 {
				t.Errorf("%v, %d cycles, partial %v", timing.Check(), timing.Cycles, timing.Partial)
			}
			return s.Stats(), err
		}}.Run(t)
	if err == nil {
		t.Fatal("it ends")
	}
	return err
}

// TestErrorsAreThoseWithoutClock: launches that fail give the same error with and without a clock.
func TestErrorsAreThoseWithoutClock(t *testing.T) {
	const spins = `
	ld.param.u64 %rd1, [out];
L:
	ld.volatile.global.u32 %r1, [%rd1];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra L;
	ret;
}`
	for _, c := range []struct {
		name    string
		cfg     interp.Config
		threads uint32
		body    string
		want    string
	}{
		{"deadlock", interp.Config{}, 64, kerneltest.Source(t, "testdata/kernels/errors.txt", "deadlock"), "no warp of the block can go on"},
		{"livelock", interp.Config{}, 64, spins, "livelock: every spinning warp"},
		{"livelock of one lane", interp.Config{Divergence: divergence.ReconvergenceStack}, 32, kerneltest.Source(t, "testdata/kernels/errors.txt", "livelock of one lane"), "error"},
		{"step limit", interp.Config{MaxSteps: 1000}, 32, `
L:
	add.u32 %r1, %r1, 1;
	bra L;
}`, "step limit: a warp executed 1000"},
		{"step limit of the launch", interp.Config{MaxSteps: 1e6, MaxLaunchSteps: 5000}, 32, `
L:
	add.u32 %r1, %r1, 1;
	bra L;
}`, "step limit: the warps executed"},
		{"bad access", interp.Config{}, 32, kerneltest.Source(t, "testdata/kernels/errors.txt", "bad access"), "past the end"},
		{"bad access before the first cycle", interp.Config{}, 32, `
	trap;
}`, "trap"},
		{"memory", interp.Config{Budget: memory.NewBudget(1 << 20)}, 1024, `
	.local .b8 l[4096];
	ret;
}`, "--memory 1048576 is too small: a resident block needs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := fails(t, c.cfg, c.threads, kerneltest.Entry+c.body); !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestInterruptedLaunchGoesOn: an interrupted launch reports its position, and continues as if it had not been
// interrupted.
func TestInterruptedLaunchGoesOn(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(uniform(t)))
	if err != nil {
		t.Fatal(err)
	}
	var cycles []int64
	for _, every := range []int{1 << 30, 3, 1} {
		m, err := interp.New(mod, interp.Config{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := sm.Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(4, 1), Block: kerneltest.Dim(64, 1)}, sm.Options{})
		for err == nil && !s.Done() {
			err = s.Continue(kerneltest.EndsAfter(every))
			if in, ok := errors.AsType[*interp.Interrupted](err); ok && (!in.Place.Code.IsValid() || s.Done()) {
				t.Fatalf("interrupted at %v, done: %v", in.Place, s.Done())
			}
			if errors.Is(err, context.Canceled) { // also if no warp resides
				err = nil
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		cycles = append(cycles, s.Timing().Cycles)
	}
	if cycles[0] != cycles[1] || cycles[0] != cycles[2] {
		t.Errorf("interrupted launches take %d cycles", cycles)
	}
}

// TestWaitingLanesGiveWay: lanes that wait in a loop for other lanes of their warp let these run, although they
// diverge in the loop, reconverge, and write memory.
func TestWaitingLanesGiveWay(t *testing.T) {
	for _, c := range []struct{ name, loop string }{
		{"reconverge in the loop", kerneltest.Source(t, "testdata/kernels/errors.txt", "reconverge in the loop")},
		{"reconverge at the loop's start", kerneltest.Source(t, "testdata/kernels/errors.txt", "reconverge at the loop's start")},
		{"exchange in the loop", kerneltest.Source(t, "testdata/kernels/errors.txt", "exchange in the loop")},
	} {
		for _, order := range kerneltest.Orders {
			t.Run(fmt.Sprint(c.name, "/", order), func(t *testing.T) {
				_, _, err := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/errors.txt", "waiting lanes give way", "$loop", c.loop), Words: []int{32}, Config: interp.Config{PathOrder: order, MaxSteps: 10000},
					Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
						_, err := run(t, m, l, sm.Options{})
						return interp.Stats{}, err
					}}.Run(t)
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestHangWaitsForPendingStores: no hang is reported while a block that has stores on the way keeps the place of the
// block for which the others wait.
func TestHangWaitsForPendingStores(t *testing.T) {
	g := small(1)
	g.Residency.CTAs = 2
	g.Classes[isa.CostStoreGlobal].Latency = 3_000_000
	timing, _ := timed(t, g, 3, 32, 2, kerneltest.Source(t, "testdata/kernels/errors.txt", "end that waits"), sm.Options{Prove: new(functional.Prover).Prove})
	if timing.Cycles < 3_000_000 {
		t.Errorf("%d cycles", timing.Cycles)
	}
}

// TestFirstSchedulersErrorWins: if two instructions fail in one cycle, the error is that of the first scheduler.
func TestFirstSchedulersErrorWins(t *testing.T) {
	err := fails(t, interp.Config{GPU: small(2)}, 64, kerneltest.Source(t, "testdata/kernels/errors.txt", "first error"))
	if want := "warp 0"; !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestLocalAtomicTakesTimeOfLoad: an atomic on local memory takes as long as a load.
func TestLocalAtomicTakesTimeOfLoad(t *testing.T) {
	g := small(1)
	g.Classes[isa.CostLoadLocal] = gpu.Cost{Pipe: isa.LSU, Latency: 30, Interval: 4}
	timing, _ := timed(t, g, 1, 32, 0, kerneltest.Source(t, "testdata/kernels/errors.txt", "atomic on local memory"), sm.Options{})
	if n := timing.States()[sm.LongScoreboard]; n != 29 {
		t.Errorf("the warp waits %d cycles for it, want 29", n)
	}
}

// TestStatesUntilLaunchFails: the timing of a launch that ends with an error, or with its context, covers the time
// until then. Its two warps either wait for each other at barriers or count; both reside all the time, the second
// from its start on.
func TestStatesUntilLaunchFails(t *testing.T) {
	for _, c := range []struct {
		name, body string
		ctx        context.Context
		mostly     sm.State
	}{
		{"deadlock", kerneltest.Source(t, "testdata/kernels/errors.txt", "deadlock"), context.Background(), sm.AtBarrier},
		{"interrupted", `
L:
	bra L;
}`, kerneltest.EndsAfter(100), sm.BranchResolving},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := kerneltest.Kernel{Source: kerneltest.Entry + c.body, Block: kerneltest.Dim(64, 1), Words: []int{4},
				Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
					s, err := sm.Begin(m, l, sm.Options{WarmCode: true, Prove: new(functional.Prover).Prove})
					if err != nil {
						return interp.Stats{}, err
					}
					err = s.Continue(c.ctx)
					s.Abandon(err)
					timing := s.Timing()
					sum, states := timing.Total(), timing.States()
					want := 2*timing.Cycles - int64(timing.GPU.CTAs.PerWarp)
					if wrong := timing.Check(); wrong != nil || !timing.Partial || sum.Schedulers[0].WarpCycles != want || sum.Active != timing.Cycles || sum.CTAs != 1 {
						t.Errorf("%v: %d cycles of warps in %d, want %d; %d active, %d blocks, partial %v", wrong, sum.Schedulers[0].WarpCycles, timing.Cycles, want, sum.Active, sum.CTAs, timing.Partial)
					}
					if states[c.mostly]*2 < states.Total() {
						t.Errorf("%v of %d cycles: %v", c.mostly, states.Total(), states)
					}
					return s.Stats(), err
				}}.Run(t)
			if err == nil {
				t.Fatal("it ends")
			}
		})
	}
}

// TestClockNeedsTensorMemoryOfGPU: a program with instructions on tensor memory in any function does not run with the
// clock of a GPU that has none.
func TestClockNeedsTensorMemoryOfGPU(t *testing.T) {
	_, _, err := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/errors.txt", "no time of tensor memory"), Words: []int{1}, Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		_, err := sm.Begin(m, l, sm.Options{})
		return interp.Stats{}, err
	}}.Run(t)
	if want := "k.s:3:2: tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned: no time without tensor memory, which NVIDIA H100 SXM5 lacks; --gpu b200 has it, --functional needs none"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}
