package debugger

import (
	"math"
	"testing"
	"time"

	"github.com/simtrun/simtrun/internal/gpu"
)

// climbs makes every part of a search long enough for a rung.
func (b *bench) climbs() { b.timeline.perCycle, b.timeline.took = time.Second, 0 }

// slow makes no copy due.
func (b *bench) slow() { b.timeline.spacing = math.MaxInt64 }

// rungs returns the steps of the rungs.
func (b *bench) rungs() (steps []int64) {
	for _, w := range b.timeline.all {
		if w.rung {
			steps = append(steps, w.step)
		}
	}
	return steps
}

// TestRungsLeadToThePresent: a step back with a clock leaves copies that are ever closer to where it began, and later
// steps reach the states of a fresh run from them.
func TestRungsLeadToThePresent(t *testing.T) {
	on := gpu.H100()
	on.SMs = 2
	b := newTimedBench(t, timedKernels[2], on, 64, 1)
	b.cfg.History = -1
	b.slow()
	b.do("goto 9000")
	for range 30 {
		b.climbs()
		now := b.now()
		b.do("reverse-step")
		steps := b.rungs()
		if len(steps) == 0 || steps[0] < 4000 || steps[0] > 4500 {
			t.Fatalf("rungs at %v, want the first halfway to %v", steps, now)
		}
		if b.now().step >= now.step || b.stateText() != b.fresh() {
			t.Fatalf("a step back from %v leads to %v, in another state than a fresh run", now, b.now())
		}
	}
	b.timeline.thin()
	if steps := b.rungs(); len(steps) > 0 || b.timeline.all[0].step != 0 {
		t.Errorf("rungs at %v are kept when copies are dropped", steps)
	}
}

// TestRungsStayWithinTheHistory: without memory for rungs steps back work as well.
func TestRungsStayWithinTheHistory(t *testing.T) {
	b := newTimedBench(t, timedKernels[2], gpu.H100(), 64, 1)
	b.slow()
	b.do("goto 9000")
	one := b.timeline.store.Bytes()
	b.timeline.limit = one + one/64
	b.climbs()
	b.do("reverse-step")
	if len(b.rungs()) > 0 || b.stateText() != b.fresh() || b.timeline.store.Bytes() > b.timeline.limit {
		t.Errorf("rungs at %v, %d bytes of %d", b.rungs(), b.timeline.store.Bytes(), b.timeline.limit)
	}
}
