package sm_test

import (
	"slices"
	"testing"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// events are all notifications of a launch, by SM.
type events struct{ sms []eventsOfSM }

type eventsOfSM struct {
	residences []sm.Residence
	issues     []sm.Issue
	endings    []sm.Leaving
}

func (e *events) Begin(_ []sm.Launch, on *gpu.Config) { e.sms = make([]eventsOfSM, on.SMs) }
func (e *events) Observer(id int) sm.Observer         { return &e.sms[id] }
func (e *events) Passed(int64)                        {}

func (e *eventsOfSM) Started(r *sm.Residence) {
	e.residences = append(e.residences, *r)
}

func (e *eventsOfSM) Issued(i *sm.Issue) {
	e.issues = append(e.issues, *i)
	e.issues[len(e.issues)-1].Func = nil // of this run's module
}

func (e *eventsOfSM) Left(l *sm.Leaving) {
	e.endings = append(e.endings, *l)
	e.endings[len(e.endings)-1].Func = nil
}

// traced runs the launch and returns what it shows, and what its observers were notified of.
func (r *racing) traced(t *testing.T, window int64, threads int) (trace, *events) {
	notified := new(events)
	r.options.Recorder = notified
	return r.run(t, window, threads), notified
}

// sameAsEveryCycle compares a launch in which idle cycles and SMs are skipped and compiled code computes, in several
// windows and on several threads, with one in which no cycle is skipped and lane functions compute.
func (r *racing) sameAsEveryCycle(t *testing.T) {
	t.Helper()
	r.everyCycle, r.cfg.Compile = true, interp.CompileNever
	want, wantEvents := r.traced(t, 1, 1)
	r.everyCycle = false
	if want.Error != "" {
		t.Fatalf("%s\nof %s", want.Error, r.source)
	}
	for _, c := range []struct {
		window  int64
		threads int
	}{{0, 1}, {1, 2}, {50, 4}, {0, 2}} {
		if r.cfg.Compile = interp.CompileHot; c.window != 0 {
			r.cfg.Compile = interp.CompileAlways
		}
		r.cfg.Verify = c.window == 50
		got, gotEvents := r.traced(t, c.window, c.threads)
		if diff := kerneltest.Diff(want, got); diff != "" {
			t.Fatalf("windows of %d cycles, %d threads (-every cycle +these):\n%.3000s\nof %s", c.window, c.threads, diff, r.source)
		}
		for id := range wantEvents.sms {
			want, got := &wantEvents.sms[id], &gotEvents.sms[id]
			if n := firstDifference(want.issues, got.issues); n >= 0 {
				t.Fatalf("windows of %d cycles, %d threads: issue %d on SM %d differs (-every cycle +these):\n%s\nof %s", c.window, c.threads, n, id,
					kerneltest.Diff(want.issues[n:min(n+1, len(want.issues))], got.issues[n:min(n+1, len(got.issues))]), r.source)
			}
			if diff := kerneltest.Diff(*want, *got); diff != "" {
				t.Fatalf("windows of %d cycles, %d threads (-every cycle +these):\n%.3000s\nof %s", c.window, c.threads, diff, r.source)
			}
		}
	}
}

// firstDifference returns the index of the first elements that differ, or that only one of the slices has; -1 if the
// slices are equal.
func firstDifference[T comparable](a, b []T) int {
	if slices.Equal(a, b) {
		return -1
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// TestNothingDependsOnShortcuts: random kernels, half of them with clusters, give the same memory, times, counters
// and notifications whether the clock skips cycles without events or visits every scheduler in every cycle, and whether
// warps execute compiled code.
func TestNothingDependsOnShortcuts(t *testing.T) {
	short.Alternates(t, 0, 3)
	const kernels = 40
	policies, gpus := sm.PolicyNames(), []string{"h100", "a100", "v100"}
	for seed := range uint64(short.Of(kernels)) {
		r := racing{ctas: 1 + uint32(seed%5), block: 32 * (1 + uint32(seed/2%3)), words: []int{16, 256, 1 << 14}[seed%3],
			cfg:     interp.Config{GPU: few(t, gpus[seed/3%3], 1+int(seed%4)), Divergence: kerneltest.Models[seed%3], MaxSteps: 1e6},
			options: sm.Options{Cost: cost.Mode(seed / 2 % 2), Order: sm.Order(seed % 3), DualIssue: seed%5 == 0, WarmCode: seed%4 == 1}, unobserved: seed/2%3 > 0}
		if r.source = grow(seed, r.words); seed%2 == 1 {
			r.cfg.GPU = few(t, "h100", 4)
			r.ctas = 2 * r.ctas
			r.source = growCluster(seed, r.words, 2)
		}
		if seed%8 >= 4 {
			r.source = generically(r.source)
		}
		r.options.Policy, _ = sm.ParsePolicy(policies[seed%uint64(len(policies))])
		r.sameAsEveryCycle(t)
	}
}
