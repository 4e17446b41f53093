package simtrun_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun"
)

// sums is a kernel of n sums on lines 3 and following, each of which waits for the one before.
func sums(n int) string {
	return ".entry k(.param .f32 x)\n{\n\tld.param.f32 %f1, [x];\n" + strings.Repeat("\tadd.f32 %f1, %f1, %f1;\n", n) + "\tret;\n}\n"
}

// timed launches a kernel of a source with a clock, in blocks of 64 threads.
func timed(t *testing.T, source string, grid uint32, o simtrun.Options, args ...any) *simtrun.Timing {
	t.Helper()
	p, err := simtrun.Load("k.s", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	if o.Clock == nil {
		o.Clock = &simtrun.Clock{}
	}
	m, err := p.NewMachine(o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Launch(t.Context(), simtrun.Launch{Kernel: "k", Grid: simtrun.Dim{X: grid}, Block: simtrun.Dim{X: 64}, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	return r.Timing
}

// TestTimingOfLines: a sum that waits for the one before it is issued 4 cycles after it (docs/clock.md): each of two warps, on
// schedulers of their own, is in the state wait for 3 of them. All lines sum to the whole.
func TestTimingOfLines(t *testing.T) {
	timing := timed(t, sums(10), 1, simtrun.Options{}, 1.0)
	var total, wait uint64
	for i := range timing.Lines {
		l := &timing.Lines[i]
		total += l.Cycles()
		wait += l.State("wait")
		if l.File != "k.s" {
			t.Errorf("a line of %s", l.File)
		}
		if l.Line > 4 && l.Line < 14 && (l.State("selected") != 2 || l.State("wait") != 6 || l.Cycles() != 8) {
			t.Errorf("line %d: selected %d, wait %d, %d cycles in all, want 2, 6, 8", l.Line, l.State("selected"), l.State("wait"), l.Cycles())
		}
	}
	sum := uint64(0)
	for _, name := range simtrun.StateNames() {
		sum += timing.State(name)
	}
	if sum != total || timing.State("wait") != wait || timing.State("selected") != timing.Issued || timing.State("none") != 0 {
		t.Errorf("lines have %d cycles, states %d; wait %d and %d; selected %d, %d instructions", total, sum, wait, timing.State("wait"), timing.State("selected"), timing.Issued)
	}
	if longer := timed(t, sums(30), 1, simtrun.Options{}, 1.0); longer.Cycles-timing.Cycles != 80 {
		t.Errorf("20 sums more take %d cycles more, want 80", longer.Cycles-timing.Cycles)
	}
}

// TestTimingOfSMs: 264 blocks are half a wave of 4 on each SM, which shared memory allows: 228 KB over 48 and 1.
func TestTimingOfSMs(t *testing.T) {
	source := strings.Replace(sums(10), "{\n", "{ .shared .b8 room[49152];\n", 1)
	timing := timed(t, source, 264, simtrun.Options{}, 1.0)
	if diff := cmp.Diff([]string{"shared"}, timing.Limits); diff != "" || timing.CTAsPerSM != 4 || timing.Waves != 0.5 || timing.WaveEfficiency != 0.5 || timing.Theoretical != 0.125 {
		t.Errorf("%+v", timing)
	}
	var ctas, active int64
	var issued uint64
	for _, m := range timing.SMs {
		ctas += m.CTAs
		active += m.Active
		issued += m.Issued
	}
	if len(timing.SMs) != 132 || ctas != 264 || issued != timing.Issued || timing.IPC != float64(issued)/float64(active) {
		t.Errorf("%d SMs ran %d blocks; %d instructions of %d", len(timing.SMs), ctas, issued, timing.Issued)
	}
	if states := float64(timing.State("selected") + timing.State("not_selected")); timing.EligibleWarps != states/float64(4*active) || timing.SlotsUsed != float64(issued)/float64(4*active) {
		t.Errorf("%v eligible warps, %v of the slots used", timing.EligibleWarps, timing.SlotsUsed)
	}
}

// TestNoTiming: a launch that fails, and one without a clock, has none.
func TestNoTiming(t *testing.T) {
	for clock, source := range map[*simtrun.Clock]string{
		{}:  ".entry k(.param .f32 x)\n{\n\tmov.u64 %rd1, 16;\n\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n",
		nil: sums(3),
	} {
		m := load(t, source, simtrun.Options{Clock: clock})
		r, err := m.Launch(t.Context(), simtrun.Launch{Kernel: "k", Args: []any{1.0}})
		if (err != nil) != (clock != nil) || r == nil || r.Timing != nil {
			t.Errorf("clock %v: %v, %+v", clock, err, r)
		}
	}
}
