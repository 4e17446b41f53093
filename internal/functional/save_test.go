package functional_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// haltAt is a Stepper that halts before the instruction of a number.
type haltAt struct{ n, at int }

func (h *haltAt) Step(interp.Warp, divergence.Split) bool {
	if h.n == h.at {
		h.at = -1
		return true
	}
	h.n++
	return false
}

// TestRestoredLaunchHasOldMemory restores a launch to before malloc and free: regions allocated since are gone, freed
// ones exist again, the heap and the budget of the host's memory have their old counts.
func TestRestoredLaunchHasOldMemory(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/save.txt", "restore memory")))
	if err != nil {
		t.Fatal(err)
	}
	budget := memory.NewBudget(0)
	m, err := interp.New(mod, interp.Config{Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	one := isa.Dim{X: 1, Y: 1, Z: 1}
	const barrier = 6 // the number of bar.sync
	s, err := functional.Begin(m, interp.Launch{Kernel: "k", Grid: one, Block: one, Observers: []interp.Observer{&haltAt{at: barrier}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Continue(t.Context()); err != nil || s.Done() {
		t.Fatalf("%v, done: %v", err, s.Done())
	}
	var st functional.State
	if err := s.Save(&st); err != nil {
		t.Fatal(err)
	}
	taken := budget.Taken()
	kept := m.Var("kept").Data
	first := binary.LittleEndian.Uint64(kept[:8])
	for range 3 { // each time with the same addresses, though the heap holds two such blocks at most
		if err := s.Continue(context.Background()); err != nil || !s.Done() {
			t.Fatalf("%v, done: %v", err, s.Done())
		}
		second := binary.LittleEndian.Uint64(kept[8:])
		if m.Region(first) != nil || m.Region(second) == nil || m.Region(second).Data[0] != 9 {
			t.Errorf("after the end: %v at the first address, %v at the second", m.Region(first), m.Region(second))
		}
		s.Restore(&st)
		if s.Done() || m.Region(second) != nil || m.Region(first) == nil || m.Region(first).Data[0] != 7 {
			t.Errorf("restored: done %v, %v at the first address, %v at the second", s.Done(), m.Region(first), m.Region(second))
		}
		if got := budget.Taken(); got != taken {
			t.Errorf("%d bytes of the budget are taken, %d when the state was saved", got, taken)
		}
		if done, total := m.Progress(); done != 0 || total != 1 {
			t.Errorf("%d of %d blocks are done", done, total)
		}
	}
}
