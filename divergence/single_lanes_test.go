package divergence

import (
	"testing"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/flowcode"
	"github.com/simtrun/simtrun/internal/lanes"
)

// TestApartLanesRunAndWaitAlone: each lane is a split with its own PC, Ready finds each lane by name, and a parked lane
// wakes when all lanes of its group are named.
func TestApartLanesRunAndWaitAlone(t *testing.T) {
	f := flowcode.Assemble(t, "exit").Func
	w := New(SingleLanes, flow.New(f), Taken)
	w.Start(0, 0b1101)
	var s Split
	for _, lane := range []int{0, 2, 3} {
		if !w.Ready(^lanes.Mask(1<<lane), &s) || s.Mask != 1<<lane || s.PC != 0 {
			t.Fatalf("lane %d: %+v", lane, s)
		}
		w.Advance(s.ID, lane)
	}
	if w.Ready(^lanes.Mask(0b10), &s) {
		t.Error("a lane runs that was not started")
	}
	w.Ready(^lanes.Mask(0b100), &s)
	w.Park(s.ID, []lanes.Mask{0b100}, 7)
	if w.Ready(^lanes.Mask(0b100), &s) {
		t.Error("a parked lane runs")
	}
	w.Wake(0b1011)
	if w.Ready(^lanes.Mask(0b100), &s) {
		t.Error("a parked lane runs after others were named")
	}
	w.Wake(0b1111)
	if !w.Ready(^lanes.Mask(0b100), &s) || s.PC != 7 {
		t.Errorf("%+v", s)
	}
	w.Exit(s.ID, 0b100, 8)
	if w.Live() != 0b1001 || w.Depth() != 2 {
		t.Errorf("live %v, depth %d", w.Live(), w.Depth())
	}
	n := 0
	for split := range w.Splits() {
		n += split.Mask.Count()
	}
	if n != 2 {
		t.Errorf("splits of %d lanes", n)
	}
}
