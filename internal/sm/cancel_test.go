package sm_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// TestCanceledCTAsDoNotStart: with a clock, too, the work of each CTA is done once, canceled CTAs do not start, and
// windows and host threads make no difference.
func TestCanceledCTAsDoNotStart(t *testing.T) {
	short.Alternates(t, 2, 3)
	const blocks = 9000 // more than reside
	for _, c := range []struct {
		source  string
		cluster isa.Dim
	}{{kerneltest.Stealing, isa.Dim{}}, {kerneltest.StealingClusters, kerneltest.Dim(2, 1)}} {
		var first *sm.Timing
		for i, o := range []sm.Options{{}, {Window: 7}, {}} {
			var timing *sm.Timing
			out, _, err := kerneltest.Kernel{Source: c.source, Grid: kerneltest.Dim(blocks, 1), Cluster: c.cluster, Words: []int{blocks + 1}, Config: interp.Config{Threads: 1 + i},
				Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
					s, err := sm.Begin(m, l, o)
					if err != nil {
						return interp.Stats{}, err
					}
					err = s.Continue(context.Background())
					timing = s.Timing()
					return s.Stats(), err
				}}.Run(t)
			if err != nil {
				t.Fatal(err)
			}
			if err := timing.Check(); err != nil {
				t.Error(err)
			}
			for n, times := range out[0][:blocks] {
				if times != 1 {
					t.Fatalf("the work of %d was done %d times", n, times)
				}
			}
			if started := out[0][blocks]; c.cluster == (isa.Dim{}) && (started == 0 || started >= blocks) {
				t.Errorf("%d blocks have started", started)
			}
			if i == 0 {
				first = timing
			} else if diff := cmp.Diff(first.Cycles, timing.Cycles); diff != "" {
				t.Errorf("%+v: %s", o, diff)
			}
		}
	}
}
