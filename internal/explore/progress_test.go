package explore

import (
	"context"
	"testing"
	"time"
)

// increments is a program of three threads that add to a word with atomics whose old values they need, so that it has
// many orders with one result.
const increments = `.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 out)
{
	.reg .u32 %r<4>; .reg .u64 %m; .reg .pred %p;
	ld.param.u64 %m, [out];
	mov.u32 %r2, 6;
L:
	atom.global.add.u32 %r1, [%m], 1;
	setp.eq.u32 %p, %r1, 1000;
	@%p st.global.u32 [%m], 0;
	sub.u32 %r2, %r2, 1;
	setp.ne.u32 %p, %r2, 0;
	@%p bra L;
	ret;
}`

// TestInterruptedSearchReportsWhatItHasDone cancels a search that is not exhausted for long.
func TestInterruptedSearchReportsWhatItHasDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	progress := &Progress{}
	go func() {
		for progress.executions.Load() < 3*batch {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	r, err := Explore(ctx, programOf(t, increments, 1, 3, 2), Options{Preemptions: -1, Executions: 1 << 30, Progress: progress})
	if err != context.Canceled || r == nil {
		t.Fatalf("%v, %v", r, err)
	}
	if r.Ended != Interrupted || r.Exhausted || r.Executions < batch || r.Known == 0 || r.Complete < 0 || r.Complete > r.Preemptions || len(r.Outcomes) != 1 {
		t.Errorf("%+v", r)
	}
}

// TestRandomOrdersAreMixedIn: after mixedAfter transitions, a fourth of the executions is random, in the same number
// for any number of workers, and the limits hold.
func TestRandomOrdersAreMixedIn(t *testing.T) {
	for _, c := range []struct{ mixedAfter, executions, random int }{
		{1 << 30, 401, 100}, // the last quarter
		{1, 401, 100},
		{1, 3, 0},
	} {
		for _, workers := range []int{1, 2} {
			r, err := Explore(context.Background(), programOf(t, increments, 1, 3, 2),
				Options{Preemptions: -1, Executions: c.executions, Workers: workers, mixedAfter: c.mixedAfter})
			if err != nil {
				t.Fatal(err)
			}
			if r.Executions != c.executions || r.Random != c.random || r.Ended != Limited || r.Known == 0 {
				t.Errorf("%+v: %d executions, %d random, ended %d, %d known", c, r.Executions, r.Random, r.Ended, r.Known)
			}
		}
	}
	r, err := Explore(context.Background(), programOf(t, increments, 1, 2, 2), Options{Preemptions: -1, mixedAfter: 1})
	if err != nil || !r.Exhausted || r.Ended != Exhausted {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestProgressTextFollowsPhases is on what a progress line says in each phase.
func TestProgressTextFollowsPhases(t *testing.T) {
	var none *Progress
	none.made()
	none.enter(randomly, 1)
	for _, c := range []struct {
		phase  phase
		detail uint64
		want   string
	}{
		{systematically, 0, "1 execution  systematic, within 0 preemptions"},
		{systematically, 1, "1 execution  systematic, within 1 preemption"},
		{randomly, 17, "1 execution  random, seed 17"},
		{shortening, 4, "1 execution  shortening the schedule, try 4"},
	} {
		p := &Progress{}
		p.made()
		p.enter(c.phase, c.detail)
		if got := p.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
