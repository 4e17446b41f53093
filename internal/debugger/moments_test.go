package debugger

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/interp"
)

// TestRecordAgreesWithStates records launches, and then goes to recorded moments in a random order: the warp of each is
// about to execute what was recorded, with the same lanes. It does so with copies and without.
func TestRecordAgreesWithStates(t *testing.T) {
	for _, model := range []divergence.Model{divergence.IndependentThreads, divergence.ReconvergenceStack, divergence.LowestPC} {
		for _, history := range []int64{0, -1} {
			b := newSeveral(t, model, 64, "work", "work")
			b.cfg.History = history
			b.timeline.init(history)
			var all []Passage
			if err := b.Record(t.Context(), 1e6, func(p *Passage) { all = append(all, *p) }); err != nil {
				t.Fatal(err)
			}
			if !b.IsOver() || b.Launch() != 1 || all[0].Launch != 0 || all[len(all)-1].Launch != 1 || b.stats.WarpInstrs*2 != uint64(len(all)) {
				t.Fatalf("%v: %d instructions, want twice %d; over: %v", model, len(all), b.stats.WarpInstrs, b.IsOver())
			}
			random := rand.New(rand.NewPCG(1, uint64(model)))
			for range 30 {
				p := all[random.IntN(len(all))]
				if err := b.Seek(t.Context(), p.Moment); err != nil || b.Now() != p.Moment {
					t.Fatalf("%+v: %v, at %+v", p, err, b.Now())
				}
				w := warpNumbered(b.Debugger, p.Warp)
				if s, ok := Running(w); !ok || s.PC != p.PC || s.Mask != p.Mask || w.Frame(s.Frame).Func != p.Func {
					t.Errorf("%v: %+v was recorded, and %+v is next", model, p, s)
				}
			}
		}
	}
}

func warpNumbered(d *Debugger, number int64) (found interp.Warp) {
	for _, w := range d.Resident() {
		if d.NumberOf(w) == number {
			found = w
		}
	}
	return found
}

// TestRecordWithAClockCountsEveryInstruction records a launch with a clock. At the cycle of each instruction its warp
// has executed as many before as were recorded in earlier cycles.
func TestRecordWithAClockCountsEveryInstruction(t *testing.T) {
	b := newTimedBench(t, timedKernels[0], gpu.H100(), 64, 1)
	b.cfg.Recorded = true
	if err := b.restart(); err != nil {
		t.Fatal(err)
	}
	var all []Passage
	if err := b.Record(t.Context(), 1e6, func(p *Passage) { all = append(all, *p) }); err != nil {
		t.Fatal(err)
	}
	if b.stats.WarpInstrs != uint64(len(all)) {
		t.Fatalf("%d instructions, want %d", len(all), b.stats.WarpInstrs)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		p := all[random.IntN(len(all))]
		if err := b.Seek(t.Context(), p.Moment); err != nil {
			t.Fatal(err)
		}
		before := uint64(0)
		for _, o := range all {
			if o.Warp == p.Warp && o.Step < p.Step {
				before++
			}
		}
		if got := warpNumbered(b.Debugger, p.Warp).Executed(); got != before {
			t.Errorf("before cycle %d warp %d has executed %d instructions, want %d", p.Step, p.Warp, got, before)
		}
	}
}

// TestRecordStopsAtItsLimit records part of a launch, and goes back in it.
func TestRecordStopsAtItsLimit(t *testing.T) {
	b := newSeveral(t, 0, 64, "work")
	n := 0
	if err := b.Record(t.Context(), 10, func(*Passage) { n++ }); err != nil || n != 10 || b.IsOver() || b.Now() != (Moment{0, 10}) {
		t.Errorf("%v: %d instructions, at %+v", err, n, b.Now())
	}
	if err := b.Seek(t.Context(), Moment{0, 4}); err != nil || b.Now() != (Moment{0, 4}) {
		t.Errorf("%v, at %+v", err, b.Now())
	}
	if err := b.Seek(t.Context(), Moment{1, 0}); err == nil {
		t.Error("there is a launch 1")
	}
}

// TestStepBackReachesEarlierLaunch: from the start of a launch, a step back leads to the last instruction of the warp
// in the launch before, also if there is no copy of the machine between the starts of the two.
func TestStepBackReachesEarlierLaunch(t *testing.T) {
	for _, lead := range []string{"continue", "step 3; continue", "step 3; warp 1; step 9; warp 0; continue"} {
		b := newSeveral(t, divergence.IndependentThreads, 64, "work", "work")
		for line := range strings.SplitSeq(lead, "; ") {
			b.do(line)
		}
		if got := b.do("reverse-step"); !strings.HasPrefix(got, "=> 33   ret ") || b.number != 0 {
			t.Errorf("after %s, reverse-step answers %s in launch %d", lead, got, b.number+1)
		}
	}
}

// TestFailedSearchKeepsFocus: a search backwards that finds nothing leaves the focus where it was, also if it has to
// start over because there is no copy of the machine.
func TestFailedSearchKeepsFocus(t *testing.T) {
	for _, history := range []int64{0, -1} {
		b := newSeveral(t, divergence.IndependentThreads, 64, "work", "work")
		b.cfg.History = history
		b.timeline.init(history)
		for _, line := range []string{"warp 1", "lane 7", "step 5"} {
			b.do(line)
		}
		was := b.Prompt()
		if got := b.do("reverse-reconv"); got != "lane 7 has not diverged from others before" || b.Prompt() != was {
			t.Errorf("history %d: %s%s, want %s", history, got, b.Prompt(), was)
		}
	}
}
