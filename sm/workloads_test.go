package sm_test

import (
	"context"
	"testing"
	"time"

	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/sm"
)

// run runs a launch with a clock.
func run(t testing.TB, m *interp.Machine, l interp.Launch, o sm.Options) (*sm.Timing, error) {
	t.Helper()
	s, err := sm.Begin(m, l, o)
	if err != nil {
		return nil, err
	}
	if err := s.Continue(context.Background()); err != nil {
		return nil, err
	}
	timing := s.Timing()
	checkIdentities(t, timing)
	return timing, nil
}

// checkIdentities checks what holds of every launch: each warp is in one state in
// every cycle, and a scheduler issues one instruction a cycle at most.
func checkIdentities(t testing.TB, timing *sm.Timing) {
	t.Helper()
	states, all := timing.States(), timing.Total()
	if got, want := states.Total(), uint64(all.WarpCycles); got != want {
		t.Errorf("the states sum to %d, and warps resided for %d cycles", got, want)
	}
	if got, want := states[sm.Selected], all.Issued-all.Paired; got != want {
		t.Errorf("selected for %d cycles, and %d instructions issued", got, want)
	}
	if got, want := states[sm.Selected]+states[sm.NotSelected], all.Eligible; got != want {
		t.Errorf("selected or not selected for %d cycles, and eligible for %d", got, want)
	}
	for id, m := range timing.SMs {
		if most := uint64(m.Active) * uint64(timing.GPU.Schedulers); m.Issued-m.Paired > most {
			t.Errorf("SM %d issued %d in %d cycles", id, m.Issued, m.Active)
		}
	}
}

func TestWorkloads(t *testing.T) {
	mod := workloads.Load(t)
	for i := range workloads.All {
		w := &workloads.All[i]
		if testing.Short() && i%4 != 1 {
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			p := w.Prepare(t, mod, interp.Config{})
			p.Fill()
			begin := time.Now()
			timing, err := run(t, p.Machine, p.Launch, sm.Options{})
			if err != nil {
				t.Fatal(err)
			}
			d := time.Since(begin)
			if err := p.Check(); err != nil {
				t.Error(err)
			}
			all := timing.Total()
			t.Logf("%d cycles, %d issued, %.1f ns each", timing.Cycles, all.Issued, float64(d.Nanoseconds())/float64(all.Issued))
		})
	}
}
