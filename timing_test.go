package simtrun_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/simtrun/simtrun"
)

// sums returns a kernel of n additions, from line 3 on, each of which depends on the one before.
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

// TestTimingHasStatesOfLines checks the states of dependent additions, which issue 4 cycles apart (docs/clock.md): each
// of two warps, on separate schedulers, is in the state wait for 3 of the 4 cycles. The lines sum to the whole launch.
func TestTimingHasStatesOfLines(t *testing.T) {
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

// TestTimingHasWavesOfSMs checks 264 blocks, which are half a wave at 4 blocks per SM. Shared memory sets the limit:
// 228 KB over 48 + 1.
func TestTimingHasWavesOfSMs(t *testing.T) {
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

// TestFailedLaunchHasNoTiming checks that a failed launch, and one without a clock, have no timing.
func TestFailedLaunchHasNoTiming(t *testing.T) {
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

// now stores the clock of its block's first instruction.
const now = `.entry now(.param .u64 out)
{
	mov.u64 %rd1, %clock64;
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %ctaid.x;
	mad.wide.u32 %rd3, %r1, 8, %rd2;
	st.global.u64 [%rd3], %rd1;
	ret;
}`

func ExampleClock() {
	p, err := simtrun.LoadFiles("programs/relu.s")
	if err != nil {
		log.Fatal(err)
	}
	for _, gpu := range []string{"h100", "minimal"} {
		out, err := p.Run(context.Background(), simtrun.RunOptions{Options: simtrun.Options{GPU: gpu, Clock: &simtrun.Clock{Sched: "gto"}}, Profile: true})
		if err != nil {
			log.Fatal(err)
		}
		r := out.Launches[0]
		slots, _ := r.Metric("issue_active")
		fmt.Println(gpu, r.Timing.Cycles > 0, r.Timing.Microseconds > 0, slots > 0, len(out.Failed))
	}
	// Output:
	// h100 true true true 0
	// minimal true true true 0
}

// TestClockKeepsResults checks that launches on a machine with a clock follow each other in time, have counters of
// time, and leave the same memory as without a clock.
func TestClockKeepsResults(t *testing.T) {
	m := load(t, now, simtrun.Options{Clock: &simtrun.Clock{ICache: "warm"}})
	var read [2][]uint64
	var results [2]*simtrun.Result
	for i := range results {
		out, err := m.Alloc("out", 2*8)
		if err != nil {
			t.Fatal(err)
		}
		results[i], err = m.Launch(context.Background(), simtrun.Launch{Kernel: "now", Grid: simtrun.Dim{X: 2}, Args: []any{out}, Profile: true})
		if err != nil {
			t.Fatal(err)
		}
		read[i] = simtrun.Read[uint64](out)
	}
	if diff := cmp.Diff(results[0].Timing.Cycles, results[1].Timing.Cycles); diff != "" || results[0].Timing.Cycles <= 0 || results[0].Timing.Microseconds != float64(results[0].Timing.Cycles)/1980 {
		t.Errorf("%+v and %+v", results[0], results[1])
	}
	if later := int64(read[1][0] - read[0][0]); later <= results[0].Timing.Cycles {
		t.Errorf("the second launch starts %d cycles after the first, which takes %d", later, results[0].Timing.Cycles)
	}
	if cycles, ok := results[0].Metric("elapsed_cycles"); !ok || int64(cycles) != results[0].Timing.Cycles {
		t.Errorf("elapsed_cycles %v, %v", cycles, ok)
	}
	if _, ok := results[0].MetricOfLine("cycles_selected", 3); !ok {
		t.Error("a line has no cycles")
	}
	without := load(t, now, simtrun.Options{})
	out, err := without.Alloc("out", 2*8)
	if err != nil {
		t.Fatal(err)
	}
	r, err := without.Launch(context.Background(), simtrun.Launch{Kernel: "now", Grid: simtrun.Dim{X: 2}, Args: []any{out}, Profile: true})
	if _, ok := r.Metric("elapsed_cycles"); err != nil || ok || r.Timing != nil {
		t.Errorf("without a clock: %+v, %v", r, err)
	}
}

// TestClockErrorsAreExplained checks the errors for unknown settings, and for options that cannot be used with a clock.
func TestClockErrorsAreExplained(t *testing.T) {
	p, err := simtrun.Load("k.s", []byte("//sim:arg out = zeros:2:u64\n"+now))
	if err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]simtrun.Options{
		`Clock.Sched: no warp scheduler "gtx"`:           {Clock: &simtrun.Clock{Sched: "gtx"}},
		`Clock.CTAOrder: no order of blocks "any"`:       {Clock: &simtrun.Clock{CTAOrder: "any"}},
		`Clock.Cost: no cost mode "sass"`:                {Clock: &simtrun.Clock{Cost: "sass"}},
		`no GPU "h1000"`:                                 {GPU: "h1000"},
		`Options.Split is for machines without a clock`:  {Split: 1, Clock: &simtrun.Clock{}},
		`Options.Split is for divergence its, not stack`: {Split: 1, GPU: "minimal"},
	} {
		_, err := p.NewMachine(o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("NewMachine: %v, want %s", err, want)
		}
		if _, err := p.Run(context.Background(), simtrun.RunOptions{Options: o}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Run: %v, want %s", err, want)
		}
	}
	m, err := p.NewMachine(simtrun.Options{Clock: &simtrun.Clock{DualIssue: true}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Alloc("out", 8)
	if err != nil {
		t.Fatal(err)
	}
	for want, l := range map[string]simtrun.Launch{
		"races are looked for without a clock":        {Races: true},
		"Launch.Step is for machines without a clock": {Step: func(*simtrun.Step) bool { return true }},
	} {
		l.Kernel, l.Args = "now", []any{out}
		if _, err := m.Launch(context.Background(), l); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := p.Run(context.Background(), simtrun.RunOptions{Options: simtrun.Options{Clock: &simtrun.Clock{}}, Races: true}); err == nil || err.Error() != "races are looked for without a clock" {
		t.Error(err)
	}
	// A run that its header or script makes functional has no clock.
	res, err := p.Run(context.Background(), simtrun.RunOptions{Options: simtrun.Options{Clock: &simtrun.Clock{}}, Script: "functional"})
	if err != nil || res.Launches[0].Timing != nil {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := p.Run(context.Background(), simtrun.RunOptions{Options: simtrun.Options{Clock: &simtrun.Clock{Sched: "lrr"}}, Script: "functional"}); err == nil {
		t.Error("a scheduler without a clock")
	}
}
