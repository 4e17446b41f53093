package functional

import (
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/flowcode"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/warp"
)

// sides is an if with an else, with loops as its sides, and the code after it.
const sides = `
	@p bra A
B:	@q bra B
	bra J
A:	@q bra A
J:	op
	exit`

// The PCs of sides.
const (
	atBranchPC = 0
	bPC        = 1
	aPC        = 3
	joinPC     = 4
)

// Lanes of either side.
const (
	aLanes lanes.Mask = 0xff
	bLanes            = ^aLanes
)

// scheduled is a warp with all its lanes at the start of sides, and its schedule.
type scheduled struct {
	t *testing.T
	*warp.State
	schedule
}

func newScheduled(t *testing.T) *scheduled {
	c := divergence.NewITS(flow.New(flowcode.Assemble(t, sides).Func), divergence.Taken)
	c.Start(0, lanes.AllLanes)
	w := &scheduled{t: t, State: &warp.State{Control: c, Threads: lanes.AllLanes, Live: lanes.AllLanes}}
	w.start()
	return w
}

// diverge sends aLanes to one side and bLanes to the other.
func (w *scheduled) diverge() {
	w.Control.Diverge(w.ready().ID, atBranchPC, []divergence.Group{{PC: aPC, Mask: aLanes}, {PC: bPC, Mask: bLanes}})
}

// ready returns the split to run next in the round, which must exist.
func (w *scheduled) ready() *divergence.Split {
	w.t.Helper()
	var s divergence.Split
	if !w.Control.Ready(w.served, &s) {
		w.t.Fatalf("no split can run that had no quantum; those of %v had theirs", w.served)
	}
	return &s
}

// quantumOf ends the quantum of the next split, which must be that of the lanes m, at its PC, and checks whether
// there are more in the round.
func (w *scheduled) quantumOf(m lanes.Mask, p progress, wantMore bool) {
	w.t.Helper()
	s := w.ready()
	if s.Mask != m {
		w.t.Fatalf("the split of %v is next, want %v", s.Mask, m)
	}
	if more := w.endQuantum(w.State, s, p); more != wantMore {
		w.t.Errorf("behind the quantum of %v there are more: %v, want %v", m, more, wantMore)
	}
}

// round begins the next round; its first split must be that of the lanes m.
func (w *scheduled) round(m lanes.Mask) {
	w.t.Helper()
	var s divergence.Split
	if !w.nextRound(w.State, &s) || s.Mask != m || w.served != 0 {
		w.t.Fatalf("a round begins with %v when %v had their quantum, want %v", s.Mask, w.served, m)
	}
}

// TestRoundsGiveEachSplitOneQuantum: in a round each split has one quantum, in the same order every time.
func TestRoundsGiveEachSplitOneQuantum(t *testing.T) {
	w := newScheduled(t)
	w.diverge()
	for range 3 {
		w.quantumOf(aLanes, progressing, true)
		w.quantumOf(bLanes, progressing, false)
		w.round(aLanes)
	}
}

// TestQuantaGrowWithProgress: a split's quanta double three times; they are short again after a quantum without
// progress, and when its lanes have waited for others.
func TestQuantaGrowWithProgress(t *testing.T) {
	w := newScheduled(t)
	w.diverge()
	for i, want := range []uint64{64, 128, 256, 512, 512} {
		if got := w.quantum(aLanes); got != want {
			t.Errorf("quantum %d has %d instructions, want %d", i, got, want)
		}
		w.quantumOf(aLanes, progressing, true)
		w.quantumOf(bLanes, polling, false)
		w.round(aLanes)
	}
	if got := w.quantum(bLanes); got != 128 {
		t.Errorf("the quantum of a split that polls has %d instructions, want 128", got)
	}
	w.resetQuanta(aLanes)
	if got := w.quantum(aLanes); got != 64 {
		t.Errorf("the quantum of lanes that were woken has %d instructions, want 64", got)
	}
	if got := w.spentBy(bLanes); got != 1 {
		t.Errorf("waking others leaves %d spent quanta, want 1", got)
	}
}

// TestSpentQuantaPassToLanes: the quanta that a split has spent are passed to its lanes when they diverge, and are
// those of its lowest lane when they reconverge.
func TestSpentQuantaPassToLanes(t *testing.T) {
	w := newScheduled(t)
	for range 3 {
		w.quantumOf(lanes.AllLanes, progressing, false)
		w.round(lanes.AllLanes)
	}
	w.diverge()
	if a, b := w.spentBy(aLanes), w.spentBy(bLanes); a != 3 || b != 3 {
		t.Errorf("the sides have spent %d and %d quanta, want 3", a, b)
	}
	w.quantumOf(aLanes, progressing, true)
	w.quantumOf(bLanes, polling, false)
	if a, b, all := w.spentBy(aLanes), w.spentBy(bLanes), w.spentBy(lanes.AllLanes); a != 4 || b != 1 || all != 4 {
		t.Errorf("the sides have spent %d and %d quanta, and together %d; want 4, 1 and 4", a, b, all)
	}
}

// TestReconvergedHaveSpentNothing: a split that reaches its reconvergence PC waits there, and had no quantum in this
// round.
func TestReconvergedHaveSpentNothing(t *testing.T) {
	w := newScheduled(t)
	w.diverge()
	s := w.ready()
	s.PC = joinPC
	if !w.endQuantum(w.State, s, progressing) || w.served != 0 || w.spentBy(aLanes) != 0 {
		t.Errorf("%v had their quantum, and %d are spent", w.served, w.spentBy(aLanes))
	}
	w.quantumOf(bLanes, progressing, false)
	w.round(bLanes)
}

// TestRoundEndsAfterManyQuanta: because lanes may diverge without end, a round ends after many splits had a quantum,
// and the progress found for them is forgotten.
func TestRoundEndsAfterManyQuanta(t *testing.T) {
	w := newScheduled(t)
	w.diverge()
	w.quantumOf(aLanes, livelocked, true)
	w.quanta = quantaPerRound
	w.quantumOf(bLanes, polling, false)
	if w.served != 0 || w.quanta != 0 {
		t.Errorf("behind %d quanta the round goes on: %v had theirs", quantaPerRound, w.served)
	}
	if p := w.progress(w.State); p != progressing {
		t.Errorf("the warp's progress is %d, want that nothing is known of it", p)
	}
}

// TestWarpProgressesIfSplitDoes: a split makes no progress if none of its lanes does, and a warp
// if none of its splits does.
func TestWarpProgressesIfSplitDoes(t *testing.T) {
	for _, c := range []struct{ a, b, together progress }{
		{progressing, progressing, progressing},
		{polling, progressing, progressing},
		{livelocked, polling, polling},
		{livelocked, livelocked, livelocked},
	} {
		w := newScheduled(t)
		w.diverge()
		w.quantumOf(aLanes, c.a, true)
		w.quantumOf(bLanes, c.b, false)
		if a, b := w.progressOf(aLanes), w.progressOf(bLanes); a != c.a || b != c.b {
			t.Errorf("the splits' progress is %d and %d, want %d and %d", a, b, c.a, c.b)
		}
		if all, warp := w.progressOf(lanes.AllLanes), w.progress(w.State); all != c.together || warp != c.together {
			t.Errorf("with %d and %d, reconverged lanes have progress %d and the warp %d, want %d", c.a, c.b, all, warp, c.together)
		}
	}
}

// TestOnlyBlockedBarrierIsBroken: a barrier is broken only if lanes wait, in a round in which no split had a quantum;
// the detector then observes the next quantum of every split.
func TestOnlyBlockedBarrierIsBroken(t *testing.T) {
	w := newScheduled(t)
	w.diverge()
	if w.breakBarrier(w.State) || w.hasSpent != 0 {
		t.Error("a barrier was broken at which no lane waits")
	}
	s := w.ready()
	w.Control.Advance(s.ID, joinPC)
	w.Control.Park(w.ready().ID, []lanes.Mask{bLanes}, bPC)
	w.round(aLanes) // now they are past the branches' reconvergence PC
	if s := w.ready(); s.PC != joinPC {
		t.Errorf("lanes go on at %d, want %d", s.PC, joinPC)
	}
	if a, b := w.spentBy(aLanes), w.spentBy(bLanes); a != 1 || b != 1 {
		t.Errorf("behind it %d and %d quanta are spent, want 1, with which the detector observes the next quantum", a, b)
	}
	w.Control.Exit(w.ready().ID, aLanes, joinPC)
	if w.nextRound(w.State, s) {
		t.Error("a round begins though all lanes wait for others than their warp's")
	}
}

// TestJitterIsBelowAnEighth: time slices and quanta are up to an eighth longer than their length, depending on the warp
// and on what it has executed.
func TestJitterIsBelowAnEighth(t *testing.T) {
	seen := map[uint64]bool{}
	for steps := range uint64(1000) {
		w := &warp.State{ID: int(steps % 3), Steps: steps}
		j := jitter(w, sliceLength)
		if j >= sliceLength/8 || j != jitter(w, sliceLength) {
			t.Fatalf("jitter %d of %d", j, sliceLength)
		}
		seen[j] = true
	}
	if len(seen) < 400 {
		t.Errorf("1000 time slices have %d lengths", len(seen))
	}
}

// TestSplitGoesOnInAnothersQuantum: a split that was found livelocked, and runs in the rest of another's quantum, may
// make progress there, for example by getting a lock. It does not count as livelocked until a quantum of its own has
// shown it again.
func TestSplitGoesOnInAnothersQuantum(t *testing.T) {
	w := newScheduled(t)
	w.diverge()
	w.setProgress(lanes.AllLanes, livelocked)
	if got := w.progress(w.State); got != livelocked {
		t.Fatalf("both sides are livelocked, and the warp is %v", got)
	}
	s := &Session{}
	w.quantumBegins = false
	s.prepareQuantum(w.State, &w.schedule, w.ready())
	if got := w.progress(w.State); got != progressing {
		t.Errorf("a side has run since, and the warp is %v", got)
	}
}
