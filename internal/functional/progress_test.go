package functional_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// waiter is a kernel of testdata/waiting.txt.
type waiter struct {
	kerneltest.Case
	grid, block isa.Dim
	want        uint32 // final value of word 0 of the buffer
}

func waiters(t *testing.T) (all []waiter) {
	t.Helper()
	for _, c := range kerneltest.Cases(t, "testdata/waiting.txt", "grid", "block", "leaves", "hangs", "says") {
		w := waiter{Case: c, grid: c.Dim(t, "grid"), block: kerneltest.Dim(32, 1)}
		if c.Values("block") != nil {
			w.block = c.Dim(t, "block")
		}
		if _, err := fmt.Sscan(c.Value(t, "leaves"), &w.want); err != nil {
			t.Fatal(c.Name, err)
		}
		all = append(all, w)
	}
	return all
}

// hangs reports whether the launch never ends under a model and an order.
func (w *waiter) hangs(model divergence.Model, order divergence.Order) bool {
	under := w.Values("hangs")
	return slices.Contains(under, model.String()) || slices.Contains(under, fmt.Sprint(model, " ", order))
}

// TestWaitingThreadsProgressOrHang: threads that wait for each other make progress under independent thread scheduling,
// and launches under the other models either end, too, or are reported as hanging, with the reason. Launches with a
// clock do the same.
func TestWaitingThreadsProgressOrHang(t *testing.T) {
	testWaiting(t, nil)
}

func TestWaitingThreadsProgressWithClock(t *testing.T) {
	short.Alternates(t, 1, 3)
	testWaiting(t, func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		s, err := sm.Begin(m, l, sm.Options{Prove: new(functional.Prover).Prove})
		if err == nil {
			err = s.Continue(t.Context())
		}
		if err == nil {
			err = s.Timing().Check()
		}
		if err != nil {
			return interp.Stats{}, err
		}
		return s.Stats(), nil
	})
}

func testWaiting(t *testing.T, driver func(m *interp.Machine, l interp.Launch) (interp.Stats, error)) {
	n := 0
	for _, c := range waiters(t) {
		for _, model := range kerneltest.Models {
			for _, order := range kerneltest.Orders {
				if n++; short.Skips(n) || short.Waits(n, 12) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v/%v", c.Name, model, order), func(t *testing.T) {
					k := kerneltest.Kernel{Source: kerneltest.Entry + "\n" + c.Body, Grid: c.grid, Block: c.block, Words: []int{8},
						Config: interp.Config{Divergence: model, PathOrder: order, MaxSteps: 1e6}, Driver: driver}
					out, stats, err := k.Run(t)
					if c.hangs(model, order) {
						kerneltest.WantHang(t, err, c.Values("says")...)
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					if out[0][0] != c.want {
						t.Errorf("word 0 is %d, want %d", out[0][0], c.want)
					}
					t.Logf("%d warp instructions", stats.WarpInstrs)
				})
			}
		}
	}
}

// TestBarrierEndsTimeSlice has lanes that wait for each other in a chain, in the order E, C, A, D, and meet at
// barriers. A barrier ends the time slice of a warp before all splits have had their quantum, so that not all of them
// see a change of memory in the next slice.
func TestBarrierEndsTimeSlice(t *testing.T) {
	for _, order := range kerneltest.Orders {
		kerneltest.Kernel{Words: []int{4}, Config: interp.Config{PathOrder: order}, Source: kerneltest.Source(t, "testdata/kernels/progress.txt", "slices ended by a barrier")}.Want(t, func(int) uint32 { return 1 })
	}
}
