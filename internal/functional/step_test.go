package functional_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// halter halts a launch before every instruction, once.
type halter struct {
	halted bool
	steps  uint64 // instructions before which it was asked
}

func (h *halter) Step(w interp.Warp, s divergence.Split) bool {
	if h.halted = !h.halted; !h.halted {
		h.steps++
	}
	return h.halted
}

// run runs a launch, and continues it whenever it was halted.
func (h *halter) run(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
	l.Observe(h)
	s, err := functional.Begin(m, l)
	for err == nil && !s.Done() {
		err = s.Continue(context.Background())
	}
	return s.Stats(), err
}

// TestHaltingChangesNothing: launches that are halted before every instruction have the same memory, instructions and
// end as those that are not, and the same order, on which the kernels of TestWaitingThreadsProgressOrHang depend.
func TestHaltingChangesNothing(t *testing.T) {
	for _, c := range waiters(t) {
		for _, model := range kerneltest.Models {
			t.Run(fmt.Sprintf("%s/%v", c.Name, model), func(t *testing.T) {
				k := kerneltest.Kernel{Source: kerneltest.Entry + "\n" + c.Body, Grid: c.grid, Block: c.block, Words: []int{8},
					Config: interp.Config{Divergence: model, MaxSteps: 1e5}}
				out, stats, err := k.Run(t)
				h := &halter{}
				k.Driver = h.run
				haltedOut, halted, haltedErr := k.Run(t)
				if diff := cmp.Diff(stats, halted); diff != "" {
					t.Errorf("counts (-run +halted):\n%s", diff)
				}
				if diff := cmp.Diff(out, haltedOut); diff != "" {
					t.Errorf("memory (-run +halted):\n%s", diff)
				}
				if fmt.Sprint(err) != fmt.Sprint(haltedErr) {
					t.Errorf("ends with %v, halted with %v", err, haltedErr)
				}
				if h.steps != stats.WarpInstrs {
					t.Errorf("asked for %d instructions of %d", h.steps, stats.WarpInstrs)
				}
			})
		}
	}
}

// TestStepRunsOneWarpAlone steps the second warp of a CTA through a kernel alone.
func TestStepRunsOneWarpAlone(t *testing.T) {
	k := kerneltest.Kernel{Block: kerneltest.Dim(64, 1), Words: []int{64}, Source: kerneltest.Source(t, "testdata/kernels/step.txt", "step out of turn")}
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		l.Observe(&halter{})
		s, err := functional.Begin(m, l)
		if err != nil {
			return interp.Stats{}, err
		}
		if err := s.Continue(t.Context()); err != nil {
			return s.Stats(), err
		}
		w := s.Warps()[1]
		type where struct {
			pc   int
			mask lanes.Mask
		}
		var path []where
		for {
			var split divergence.Split
			if w.Control().Ready(0, &split) {
				path = append(path, where{split.PC, split.Mask})
			}
			ok, err := s.Step(w)
			if err != nil {
				return s.Stats(), err
			}
			if !ok {
				break
			}
		}
		const all, low, high = lanes.AllLanes, 0xff, 0xffffff00
		want := []where{{0, all}, {1, all}, {2, all}, {3, high}, {4, all}, {5, all}}
		if diff := cmp.Diff(want, path, cmp.AllowUnexported(where{})); diff != "" {
			t.Errorf("path (-want +got):\n%s", diff)
		}
		waiting := []interp.Waiting{{Lanes: all, PC: 5}}
		if diff := cmp.Diff(waiting, w.Waiting()); diff != "" {
			t.Errorf("waiting (-want +got):\n%s", diff)
		}
		fn := w.Func(divergence.Root)
		for id, r := range fn.Regs {
			if r.Name != "%r1" {
				continue
			}
			values := w.Reg(divergence.Root, isa.RegID(id))
			if values[7] != 32+7+1 || values[8] != 32+8+1001 {
				t.Errorf("%%r1 is %d", values)
			}
			w.SetReg(divergence.Root, isa.RegID(id), low, 5)
		}
		if clock := w.Special(isa.Clock); clock[31] != 6 {
			t.Errorf("%%clock is %d, want the 6 instructions executed", clock[31])
		}
		s2 := s.Stats()
		if s2.WarpInstrs != 6 {
			t.Errorf("%d instructions executed, want 6", s2.WarpInstrs)
		}
		for !s.Done() {
			if err := s.Continue(t.Context()); err != nil {
				return s.Stats(), err
			}
		}
		return s.Stats(), nil
	}
	k.Want(t, func(i int) uint32 {
		switch {
		case i < 32:
			return uint32(i + 1)
		case i < 40:
			return 5
		}
		return uint32(i + 1001)
	})
}

// asked is a Stepper that records its name, and halts once if it should.
type asked struct {
	name  string
	halts bool
	names *[]string
}

func (a *asked) Step(interp.Warp, divergence.Split) bool {
	*a.names = append(*a.names, a.name)
	halt := a.halts
	a.halts = false
	return halt
}

// TestSteppersAreAskedInOrder: they are asked in order, up to the first that halts, and all again when the launch
// continues.
func TestSteppersAreAskedInOrder(t *testing.T) {
	k := kerneltest.Kernel{Source: kerneltest.Entry + "ret;\n}", Words: []int{1}}
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		var names []string
		l.Observers = []interp.Observer{&asked{"a", false, &names}, &asked{"b", true, &names}, &asked{"c", false, &names}}
		s, err := functional.Begin(m, l)
		if err != nil {
			return interp.Stats{}, err
		}
		for _, want := range []string{"a b", "a b a b c"} {
			if err := s.Continue(t.Context()); err != nil {
				return s.Stats(), err
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("asked %s, want %s", got, want)
			}
		}
		if !s.Done() {
			t.Error("the launch has not ended")
		}
		return s.Stats(), nil
	}
	if _, _, err := k.Run(t); err != nil {
		t.Error(err)
	}
}

// TestRegistersAreSetOnlyIfPrecise: in a launch that is not Precise, setting a register might also set other registers
// that share its slot.
func TestRegistersAreSetOnlyIfPrecise(t *testing.T) {
	k := kerneltest.Kernel{Source: kerneltest.Entry + kerneltest.StoreR1, Words: []int{32}}
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		s, err := functional.Begin(m, l)
		if err != nil {
			return interp.Stats{}, err
		}
		defer func() {
			if recover() == nil {
				t.Error("it took a Stepper")
			}
		}()
		s.SetObservers() // that is fine
		s.SetObservers(never{})
		return interp.Stats{}, nil
	}
	k.Run(t)
}

// never is a Stepper that does not halt.
type never struct{}

func (never) Step(interp.Warp, divergence.Split) bool { return false }
