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

// TestClock: launches on a machine with a clock follow each other in time, have
// counters of time, and leave in memory what they leave without.
func TestClock(t *testing.T) {
	m := load(t, now, simtrun.Options{Clock: &simtrun.Clock{}})
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

// TestClockErrors: settings that there are not, and what does not go with a clock.
func TestClockErrors(t *testing.T) {
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
