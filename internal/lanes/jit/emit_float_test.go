package jit

import (
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
)

// TestControlRegisterMatchesManual has the values of MXCSR by the fields in Intel's manual (volume 1, 10.2.3): masks in
// bits 7 to 12, DAZ in 6, the rounding in 13 and 14, FTZ in 15.
func TestControlRegisterMatchesManual(t *testing.T) {
	for _, c := range []struct {
		control Control
		want    uint32
	}{
		{Nearest, 0x1f80},
		{ControlOf(lanes.RoundDown), 0x3f80},
		{ControlOf(lanes.RoundUp), 0x5f80},
		{ControlOf(lanes.RoundZero | lanes.SAT), 0x7f80},
		{ControlOf(lanes.FTZ), 0x9fc0},
		{FlushSources(lanes.FTZ | lanes.RoundUp), 0x5fc0},
	} {
		if got := c.control.register(); got != c.want {
			t.Errorf("%#x: register %#x, want %#x", c.control, got, c.want)
		}
	}
}

// TestUnneededModeIsKept: a mode that a template does not need stays as it is, except that flushing of sources follows
// that of results.
func TestUnneededModeIsKept(t *testing.T) {
	flushed, down := ControlOf(lanes.FTZ), ControlOf(lanes.RoundDown)
	for _, c := range []struct {
		name            string
		need, now, want Control
	}{
		{"nothing is needed", AnyControl, down, down},
		{"all is needed", flushed, down, flushed},
		{"a rounding alone", RoundingOf(lanes.RoundDown), flushed, ControlOf(lanes.FTZ | lanes.RoundDown)},
		{"sources flushed", SourcesOf(lanes.FTZ), down, ControlOf(lanes.FTZ | lanes.RoundDown)},
		{"sources kept", SourcesOf(0), flushed, Nearest},
		{"sources kept, as they were", SourcesOf(0), down, down},
	} {
		if got := c.need.After(c.now); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
	if both, ok := RoundingOf(lanes.RoundUp).And(SourcesOf(lanes.FTZ)); !ok || both.After(Nearest) != ControlOf(lanes.FTZ|lanes.RoundUp) {
		t.Errorf("rounding and flushing: %#x, %t", both, ok)
	}
	if _, ok := flushed.And(SourcesOf(0)); ok {
		t.Error("sources are both flushed and kept")
	}
}
