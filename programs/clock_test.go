package programs_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/launch"
	"github.com/simtrun/simtrun/profile"
)

// TestClock runs every program with a clock and without one under all models of
// divergence: they end alike and leave the same in memory. Unless their threads look
// again and again at what others write, the counters are the same, too.
func TestClock(t *testing.T) {
	for i, file := range sources(t) {
		if short.Skips(i) {
			continue
		}
		for _, model := range []string{"its", "stack", "minpc"} {
			t.Run(file+" "+model, func(t *testing.T) {
				functional, want := ended(t, file, model, false)
				timed, got := ended(t, file, model, true)
				if want != got {
					t.Fatalf("functional: %q, timed: %q", want, got)
				}
				if want != "" { // a launch that hangs may have been at other places
					return
				}
				compareMemory(t, functional, timed)
				for i := range timed.Launches {
					l := &timed.Launches[i]
					if err := l.Timing.Check(); err != nil {
						t.Error(err)
					}
					if spinning[file] {
						continue
					}
					if diff := cmp.Diff(countersOf(functional, i), countersOf(timed, i)); diff != "" {
						t.Errorf("counters (-functional +timed):\n%s", diff)
					}
				}
			})
		}
	}
}

// ended is what a run of a program leaves, and the rule of the hang that it ends by.
func ended(t *testing.T, file, model string, timed bool) (*launch.Result, string) {
	t.Helper()
	p := plan(t, file, []directive{{"divergence", model}})
	if p.Profile = true; timed {
		p.UseClock()
	}
	res, err := p.Run(t.Context())
	if hang, ok := errors.AsType[*interp.Hang](err); ok {
		return res, string(hang.Rule)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return res, ""
}

// countersOf are the counters of a launch: in all, and of each instruction.
func countersOf(res *launch.Result, i int) (all []profile.Counts) {
	p := res.Launches[i].Profile
	all = append(all, p.Total)
	for _, f := range p.Funcs {
		all = append(all, f.Instrs...)
	}
	for i := range all {
		all[i].Time = nil
	}
	return all
}

func compareMemory(t *testing.T, want, got *launch.Result) {
	t.Helper()
	for i := range want.Buffers {
		if a, b := &want.Buffers[i], &got.Buffers[i]; !bytes.Equal(a.Data, b.Data) {
			t.Errorf("%s differs:\n%s", a.Name, cmp.Diff(a.Data, b.Data))
		}
	}
}
