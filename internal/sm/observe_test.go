package sm_test

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// issues calls issued for each machine instruction that warps of a GPU with one SM issue.
type issues struct{ issued func(*sm.Issue) }

func (issues) Begin([]sm.Launch, *gpu.Config) {}
func (i issues) Observer(int) sm.Observer     { return i }
func (issues) Passed(int64)                   {}
func (issues) Started(*sm.Residence)          {}
func (i issues) Issued(event *sm.Issue)       { i.issued(event) }
func (issues) Left(*sm.Leaving)               {}

// record is a recorder that checks whether its notifications are consistent.
type record struct {
	t      *testing.T
	began  int
	passed int64
	sms    []observed
}

// observed is an observer of an SM, with what it was notified of.
type observed struct {
	t      *testing.T
	lines  []string
	warps  map[string]*stay
	ends   map[string]int64 // of CTAs: the latest end of their warps
	states sm.States
	sites  map[string]map[int]*sm.States // by function and PC
	last   int64                         // cycle in which a warp has issued
}

// stay is the residence of a warp.
type stay struct {
	place sm.Place
	next  int64 // first cycle that no notification covers yet
}

func (r *record) Begin([]sm.Launch, *gpu.Config) { r.began++ }

func (r *record) Observer(id int) sm.Observer {
	if id != len(r.sms) {
		r.t.Errorf("SM %d is observed after %d others", id, len(r.sms))
	}
	r.sms = append(r.sms, observed{t: r.t, warps: make(map[string]*stay), ends: make(map[string]int64), sites: make(map[string]map[int]*sm.States), last: -1})
	return smOf{r, id}
}

func (r *record) Passed(cycle int64) {
	for i := range r.sms {
		if o := &r.sms[i]; o.last >= cycle {
			r.t.Errorf("SM %d has issued in cycle %d, but Passed says %d", i, o.last, cycle)
		}
	}
	r.passed = cycle
}

// smOf is an observer that refers to its SM by index, because the elements of record.sms move.
type smOf struct {
	*record
	id int
}

func (s smOf) Started(c *sm.Residence) {
	o := &s.sms[s.id]
	for w, at := range c.Warps {
		o.warps[fmt.Sprintf("%d.%d.%d", c.Launch, c.CTA, w)] = &stay{at, at.Start}
	}
	o.lines = append(o.lines, fmt.Sprintf("%+v", *c))
}

// site returns the states at an instruction.
func (o *observed) site(function string, pc int) *sm.States {
	if o.sites[function] == nil {
		o.sites[function] = make(map[int]*sm.States)
	}
	if o.sites[function][pc] == nil {
		o.sites[function][pc] = new(sm.States)
	}
	return o.sites[function][pc]
}

func (s smOf) Issued(i *sm.Issue) {
	o := &s.sms[s.id]
	w := o.warps[fmt.Sprintf("%d.%d.%d", i.Launch, i.CTA, i.Warp)]
	switch {
	case i.SM != s.id || i.Scheduler != w.place.Scheduler || i.Slot != w.place.Slot:
		s.t.Errorf("%+v is not at %+v of SM %d", *i, w.place, s.id)
	case i.First() != w.next:
		s.t.Errorf("%+v begins at %d, but the previous one ended at %d", *i, i.First(), w.next)
	case i.Cycle < o.last || i.Cycle < s.passed:
		s.t.Errorf("%+v comes after one at %d, and after Passed(%d)", *i, o.last, s.passed)
	case i.Held < 0 || i.Held > 0 && i.State == sm.AtBarrier || i.Waited < 0 || i.Throttled < 0 || i.NotSelected < 0 || i.Op >= i.Ops:
		s.t.Errorf("%+v", *i)
	}
	w.next, o.last = i.Cycle+1, i.Cycle
	for _, states := range []*sm.States{&o.states, o.site(i.Func.Name, i.PC)} {
		states[sm.AtBarrier] += uint64(i.Held)
		states[i.State] += uint64(i.Waited)
		states[i.Throttle] += uint64(i.Throttled)
		states[sm.NotSelected] += uint64(i.NotSelected)
		if !i.Paired {
			states[sm.Selected]++
		}
	}
	printed := *i
	printed.Func = nil
	o.lines = append(o.lines, fmt.Sprintf("%s %+v", i.Func.Name, printed))
}

func (s smOf) Left(l *sm.Leaving) {
	o := &s.sms[s.id]
	warp := fmt.Sprintf("%d.%d.%d", l.Launch, l.CTA, l.Warp)
	if w := o.warps[warp]; w.next != l.End-l.Drained || l.Scheduler != w.place.Scheduler || l.Slot != w.place.Slot {
		s.t.Errorf("%+v, but the last notification was at %+v", *l, *w)
	}
	delete(o.warps, warp)
	cta := fmt.Sprintf("%d.%d", l.Launch, l.CTA)
	if o.ends[cta] = max(o.ends[cta], l.End); l.EndsCTA && l.CTAEnd != o.ends[cta] {
		s.t.Errorf("%+v, but the last warp of the CTA ends at %d", *l, o.ends[cta])
	}
	o.states[sm.Drain] += uint64(l.Drained)
	o.site(l.Func.Name, l.PC)[sm.Drain] += uint64(l.Drained)
	printed := *l
	printed.Func = nil
	o.lines = append(o.lines, fmt.Sprintf("%s %+v", l.Func.Name, printed))
}

// check compares the notifications with the counters.
func (r *record) check(counted *trace) {
	sites := make(map[int]sm.States) // by PC
	for id := range r.sms {
		o := &r.sms[id]
		if o.states != counted.SMs[id].States {
			r.t.Errorf("SM %d: states are %v, counted %v", id, o.states, counted.SMs[id].States)
		}
		if len(o.warps) > 0 {
			r.t.Errorf("SM %d: %d warps have not left", id, len(o.warps))
		}
		for _, states := range o.sites {
			for pc, s := range states {
				sum := sites[pc]
				sum.Add(s)
				sites[pc] = sum
			}
		}
	}
	for pc, got := range sites {
		var want sm.States
		for _, f := range counted.States {
			if pc < len(f) {
				want.Add(&f[pc])
			}
		}
		if got != want {
			r.t.Errorf("instructions %d: states are %v, counted %v", pc, got, want)
		}
	}
}

// TestObserversSeeWhatIsCounted: the notifications of observers of random kernels account for every cycle of every
// warp as the counters do, and are the same for several windows and numbers of threads.
func TestObserversSeeWhatIsCounted(t *testing.T) {
	short.Alternates(t, 1, 3)
	const kernels = 40
	gpus := []string{"h100", "a100", "v100"}
	for seed := range uint64(short.Of(kernels)) {
		r := racing{ctas: 1 + uint32(seed%7), block: 32 * (1 + uint32(seed%3)), words: 256, cfg: interp.Config{GPU: few(t, gpus[seed%3], 1+int(seed%4)), Divergence: kerneltest.Models[seed%3], MaxSteps: 1e6},
			options: sm.Options{DualIssue: seed%2 == 0, Since: int64(seed) * 1000}}
		r.source = grow(seed, r.words)
		observe := func(window int64, threads int) [][]string {
			rec := &record{t: t}
			r.options.Recorder = rec
			counted := r.run(t, window, threads)
			rec.check(&counted)
			var lines [][]string
			for i := range rec.sms {
				lines = append(lines, rec.sms[i].lines)
			}
			if rec.began != 1 || len(lines) != r.cfg.GPU.SMs {
				t.Errorf("began %d times, with %d SMs of %d", rec.began, len(lines), r.cfg.GPU.SMs)
			}
			return lines
		}
		want := observe(0, 1)
		for _, c := range windowCases {
			if diff := kerneltest.Diff(want, observe(c.window, c.threads)); diff != "" {
				t.Fatalf("seed %d, windows of %d cycles, %d threads (-longest, 1 +these):\n%.2000s\nof %s", seed, c.window, c.threads, diff, r.source)
			}
		}
	}
}
