package sm_test

import (
	"context"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// TestHangsAreReportedAsWithoutAClock: whatever the lanes of a kernel wait for, a launch with a clock ends with the
// report of one without, under each model of divergence.
func TestHangsAreReportedAsWithoutAClock(t *testing.T) {
	for i, c := range kerneltest.Cases(t, "testdata/hangs.txt", "hang", "grid", "block", "cluster") {
		for j, model := range kerneltest.Models {
			if short.Skips(i*len(kerneltest.Models)+j) || short.Waits(i*len(kerneltest.Models)+j, 4) {
				continue
			}
			t.Run(c.Name+"/"+model.String(), func(t *testing.T) {
				k := c.Kernel(t)
				k.Words, k.Config = []int{16}, interp.Config{GPU: few(t, "h100", 2), Divergence: model}
				if !c.Has("grid") {
					k.Grid = kerneltest.Dim(2, 1)
				}
				if !c.Has("block") {
					k.Block = kerneltest.Dim(64, 1)
				}
				_, _, want := k.Run(t)
				kerneltest.WantHang(t, want, c.Values("hang")...)
				k.Driver = proving
				if _, _, got := k.Run(t); got == nil || got.Error() != want.Error() {
					t.Errorf("with a clock:\n%v\nwithout:\n%v", got, want)
				}
			})
		}
	}
}

// proving runs a launch with a clock and proofs of hangs.
func proving(m *interp.Machine, l interp.Launch) (stats interp.Stats, err error) {
	s, err := sm.Begin(m, l, sm.Options{Prove: new(functional.Prover).Prove})
	if err == nil {
		err = s.Continue(context.Background())
		stats = s.Stats()
	}
	return stats, err
}

// TestConcurrentLaunchesHangTogether: launches that share the GPU hang if none of them can make progress, even if one
// polls memory that another could write, and not as long as another can.
func TestConcurrentLaunchesHangTogether(t *testing.T) {
	spin := kerneltest.Source(t, "testdata/kernels/hang.txt", "polls")
	for _, c := range []struct {
		name   string
		second string
		hangs  bool
	}{
		{"both poll", "poll", true},
		{"the second one sets the flag after a while", "late", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := sm.Options{Prove: provers()}
			_, _, err := sideBySide(t, few(t, "h100", 2), 1, spin, o, of("poll", 1, "a"), of(c.second, 1, "b"))
			switch {
			case c.hangs:
				kerneltest.WantHang(t, err, "livelock: every spinning warp", "block (0,0,0) warp 0")
			case err != nil:
				t.Error(err)
			}
		})
	}
}

// provers returns Options.Prove for several launches.
func provers() func(g *interp.Grid, ctas []*interp.CTA, waiting int64, steps uint64) error {
	all := make(map[*interp.Grid]*functional.Prover)
	return func(g *interp.Grid, ctas []*interp.CTA, waiting int64, steps uint64) error {
		if all[g] == nil {
			all[g] = new(functional.Prover)
		}
		return all[g].Prove(g, ctas, waiting, steps)
	}
}
