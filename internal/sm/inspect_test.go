package sm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// byCycle runs a launch cycle by cycle, and calls look between cycles.
func byCycle(t testing.TB, m *interp.Machine, l interp.Launch, o sm.Options, look func(s *sm.Session)) *sm.Timing {
	t.Helper()
	o.Window = 1
	s, err := sm.Begin(m, l, o)
	if err != nil {
		t.Fatal(err)
	}
	for cycle := s.Cycle(); !s.Done(); cycle++ {
		if s.Cycle() != cycle {
			t.Fatalf("cycle %d is next, want %d", s.Cycle(), cycle)
		}
		look(s)
		if err := s.Advance(context.Background(), cycle+1); err != nil {
			t.Fatal(err)
		}
	}
	timing := s.Timing()
	if err := timing.Check(); err != nil {
		t.Error(err)
	}
	return timing
}

// shown formats what an inspection says of the warps of SM 0: for each its state, until when, and the registers that
// its next instruction waits for.
func shown(v *sm.SMView) string {
	var words []string
	for i := range v.Schedulers {
		for _, r := range v.Schedulers[i].Warps {
			until := "?"
			if r.Until != sm.Unknown {
				until = fmt.Sprint(r.Until)
			}
			text := fmt.Sprintf("w%d.%d %s %s", r.Warp.ID(), r.PC, r.State, until)
			for _, w := range r.Waits {
				if !w.Needed {
					continue
				}
				at := "?"
				if w.Until != sm.Unknown {
					at = fmt.Sprint(w.Until)
				}
				text += fmt.Sprintf(" %s:%s@%s", w.Register, w.State, at)
			}
			words = append(words, text)
		}
	}
	slices.Sort(words)
	return strings.Join(words, "; ")
}

// TestInspectShowsWarpsBeforeEachCycle: what an inspection says of warps before each cycle, for pipelines calculated
// by hand in testdata/pipelines.
func TestInspectShowsWarpsBeforeEachCycle(t *testing.T) {
	for _, c := range []struct {
		name  string
		on    *gpu.Config
		warps uint32
		body  string
		want  string // "CYCLE TEXT", a line for each cycle in which the text changes
	}{
		{"chain of dependent additions", small(1), 1, kerneltest.Source(t, "testdata/kernels/inspect.txt", "chain of dependent additions"), `
	0 w0.0 selected 0
	1 w0.1 wait 4 %f1:wait@4
	4 w0.1 selected 4
	5 w0.2 selected 5
	6`},
		{"two warps that want one pipe", small(1), 2, `
	add.u32 %r1, %r0, 1;
	ret;`, `
	0 w0.0 selected 0; w1.0 selected 0
	1 w0.0 math_pipe_throttle 2; w1.1 selected 1
	2 w0.0 selected 2
	3 w0.1 selected 3
	4`},
		{"shared memory", small(1), 1, kerneltest.Source(t, "testdata/kernels/inspect.txt", "shared memory"), `
	0 w0.0 selected 0
	1 w0.1 short_scoreboard 23 %r1:short_scoreboard@23
	23 w0.1 selected 23
	24 w0.2 selected 24
	25`},
		{"barrier: the unit takes warp 1 in 0 and warp 0 in 2, and releases in 26", small(1), 2, `
	bar.sync 0;
	ret;`, `
	0 w0.0 selected 0; w1.0 selected 0
	1 w0.0 selected 1; w1.0 barrier ?
	2 w0.1 barrier 26; w1.1 barrier 26
	26 w0.1 selected 26; w1.1 selected 26
	27 w1.1 selected 27
	28`},
	} {
		t.Run(c.name, func(t *testing.T) {
			policy, err := sm.ParsePolicy("gty")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			last := ""
			_, _, err = kerneltest.Kernel{Source: ".entry k()\n{\n" + c.body + "}\n", Grid: kerneltest.Dim(1, 1), Block: kerneltest.Dim(32*c.warps, 1),
				Config: interp.Config{GPU: c.on},
				Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
					byCycle(t, m, l, sm.Options{Policy: policy, Cost: cost.PTX}, func(s *sm.Session) {
						text := shown(s.Inspect(0))
						// A warp that can issue goes on being able to.
						if now := strings.ReplaceAll(text, fmt.Sprintf("selected %d", s.Cycle()), "selected"); now != last {
							got = append(got, strings.TrimSpace(fmt.Sprintf("%d %s", s.Cycle(), text)))
							last = now
						}
					})
					return interp.Stats{}, nil
				}}.Run(t)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for line := range strings.Lines(strings.TrimSpace(c.want)) {
				want = append(want, strings.TrimSpace(line))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestInspectChangesNothing: launches that run cycle by cycle, with an inspection before each cycle, take as long and
// do the same as others. What an inspection predicts happens.
func TestInspectChangesNothing(t *testing.T) {
	mod := workloads.Load(t)
	for i := range workloads.All {
		w := &workloads.All[i]
		if i%4 != 1 || testing.Short() && i != 1 || short.Waits(i/4, 6) {
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			var timings []*sm.Timing
			for _, steps := range []bool{false, true} {
				p := w.Prepare(t, mod, interp.Config{})
				p.Fill()
				if !steps {
					timing, err := run(t, p.Machine, p.Launch, sm.Options{})
					if err != nil {
						t.Fatal(err)
					}
					timings = append(timings, timing)
					continue
				}
				checked := &prophecies{t: t}
				timings = append(timings, byCycle(t, p.Machine, p.Launch, sm.Options{Recorder: checked}, checked.look))
			}
			a, b := timings[0], timings[1]
			if at, bt := a.Total(), b.Total(); a.Cycles != b.Cycles || at.States != bt.States || a.Memory != b.Memory || at.L1 != bt.L1 {
				t.Errorf("%d cycles %v %v, by cycles %d %v %v", a.Cycles, at.States, a.Memory, b.Cycles, bt.States, b.Memory)
			}
		})
	}
}

// prophecies are what an inspection predicted for warps, and what they did in the next cycle.
type prophecies struct {
	t     *testing.T
	cycle int64
	can   map[[2]int]bool // by scheduler and slot of SM 0: warps that can issue
}

func (p *prophecies) look(s *sm.Session) {
	p.cycle, p.can = s.Cycle(), make(map[[2]int]bool)
	v := s.Inspect(0)
	for i := range v.Schedulers {
		for _, r := range v.Schedulers[i].Warps {
			if r.State == sm.Selected {
				p.can[[2]int{i, r.Slot}] = true
			} else if r.Until != sm.Unknown && r.Until <= p.cycle {
				p.t.Errorf("cycle %d: warp %d is to be %s until %d", p.cycle, r.Warp.ID(), r.State, r.Until)
			}
		}
	}
}

func (p *prophecies) Begin([]sm.Launch, *gpu.Config) {}
func (p *prophecies) Observer(int) sm.Observer       { return p }
func (p *prophecies) Passed(int64)                   {}
func (p *prophecies) Started(*sm.Residence)          {}
func (p *prophecies) Left(*sm.Leaving)               {}
func (p *prophecies) Issued(i *sm.Issue) {
	if i.SM == 0 && (i.Cycle != p.cycle || !p.can[[2]int{i.Scheduler, i.Slot}]) {
		p.t.Errorf("scheduler %d slot %d issues in cycle %d, which was not predicted before cycle %d", i.Scheduler, i.Slot, i.Cycle, p.cycle)
	}
}
