package functional_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestRepeatingLoopsMayEnd runs programs that reach the same PC repeatedly with the same registers, and end.
func TestRepeatingLoopsMayEnd(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      uint32 // in %r1 of every thread
		itsOnly   bool
	}{
		{name: "the leaves of a tree", want: 4 << 14, src: kerneltest.Source(t, "testdata/kernels/livelock.txt", "the leaves of a tree")},
		{name: "work between two recursive calls", want: 1<<10 - 1, src: kerneltest.Source(t, "testdata/kernels/livelock.txt", "work between two recursive calls")},
		{name: "many calls in a straight line", want: 4, src: kerneltest.Source(t, "testdata/kernels/livelock.txt", "many calls in a straight line", "$calls", strings.Repeat("\tcall (%r1), leaf, (%r1);\n", 2000))},
		// One side of a branch spins, and the other makes progress whenever both are at
		// a bar.warp.sync.
		{name: "many warp barriers in a straight line", want: 7, itsOnly: true, src: kerneltest.Source(t, "testdata/kernels/livelock.txt", "many warp barriers in a straight line", "$barriers", strings.Repeat("\tbar.warp.sync -1;\n", 2000))},
	} {
		for _, model := range kerneltest.Models {
			if c.itsOnly && model != divergence.IndependentThreads {
				continue // only one of the sides ever runs
			}
			for _, order := range kerneltest.Orders {
				t.Run(fmt.Sprintf("%s/%v/%v", c.name, model, order), func(t *testing.T) {
					kerneltest.Kernel{Source: kerneltest.Entry + c.src, Words: []int{32}, Config: interp.Config{Divergence: model, PathOrder: order}}.
						Want(t, func(int) uint32 { return c.want })
				})
			}
		}
	}
}

// TestEndlessLoopsAreProven: loops that repeat their state are found, long before the step limit, independent of
// their body.
func TestEndlessLoopsAreProven(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/endless.txt") {
		for _, model := range kerneltest.Models {
			t.Run(fmt.Sprintf("%s/%v", c.Name, model), func(t *testing.T) {
				_, stats, err := kerneltest.Kernel{Source: kerneltest.Entry + c.Body, Block: kerneltest.Dim(64, 1), Grid: kerneltest.Dim(3, 1), Words: []int{1}, Config: interp.Config{Divergence: model, MaxSteps: 1e6}}.Run(t)
				var hang *interp.Hang
				if !errors.As(err, &hang) || hang.Rule != interp.RuleLivelock {
					t.Fatalf("got %v after %d instructions, want a proof", err, stats.WarpInstrs)
				}
			})
		}
	}
}

// TestActiveMaskIsNoConstant: lanes that have diverged may reconverge, so that a repeated state does not determine
// the next result of activemask. There is then no proof, and a limit ends the run.
func TestActiveMaskIsNoConstant(t *testing.T) {
	_, _, err := kerneltest.Kernel{Words: []int{1}, Config: interp.Config{MaxSteps: 1e6}, Source: kerneltest.Source(t, "testdata/kernels/livelock.txt", "active mask is no constant")}.Run(t)
	if err == nil || !strings.Contains(err.Error(), "[sync-steps]") {
		t.Errorf("got %v, want the step limit", err)
	}
}

// meddler halts a launch every few instructions.
type meddler struct{ n int }

func (m *meddler) Step(interp.Warp, divergence.Split) bool {
	m.n++
	return m.n%7 == 0
}

// TestObserverCanEndLoop: a loop that looks endless ends if an observer halts the launch at intervals and changes
// memory.
func TestObserverCanEndLoop(t *testing.T) {
	k := kerneltest.Kernel{Words: []int{1}, Source: kerneltest.Source(t, "testdata/kernels/livelock.txt", "changes from outside")}
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		l.Observe(&meddler{})
		changes := uint32(0)
		s, err := functional.Begin(m, l)
		for err == nil && !s.Done() {
			if err = s.Continue(t.Context()); err == nil && !s.Done() {
				changes++
				binary.LittleEndian.PutUint32(m.Region(binary.LittleEndian.Uint64(l.Params)).Data, changes)
				s.Warps()[0].Touched()
			}
		}
		return s.Stats(), err
	}
	if _, _, err := k.Run(t); err != nil {
		t.Error(err)
	}
}
