package sm_test

import (
	"context"
	"testing"
	"time"

	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
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
	if err := timing.Check(); err != nil {
		t.Error(err)
	}
	return timing, nil
}

func TestWorkloadsGiveReferenceResults(t *testing.T) {
	mod := workloads.Load(t)
	for i := range workloads.All {
		w := &workloads.All[i]
		if testing.Short() && i%4 != 1 || short.Waits(i, 4) {
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
			t.Logf("%d cycles, %d issued, %.1f ns each", timing.Cycles, all.Schedulers[0].Issued, float64(d.Nanoseconds())/float64(all.Schedulers[0].Issued))
		})
	}
}
