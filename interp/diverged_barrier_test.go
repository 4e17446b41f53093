package interp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestUndefinedDivergentBarriersAreReported reports in all orders of the paths which barriers of testdata/barriers are
// undefined.
func TestUndefinedDivergentBarriersAreReported(t *testing.T) {
	for _, file := range []string{"testdata/barriers/diverged.txt", "testdata/barriers/called.txt"} {
		for _, c := range kerneltest.Cases(t, file, "finds") {
			for _, order := range kerneltest.Orders {
				k := kerneltest.Kernel{Source: c.Body, Block: kerneltest.Dim(64, 1), Words: []int{1},
					Config: interp.Config{PathOrder: order, Divergence: divergence.IndependentThreads}}
				_, stats, err := k.Run(t)
				if err != nil {
					t.Errorf("%s, %s: %v", c.Name, order, err)
					continue
				}
				want, found := c.Value(t, "finds"), false
				for _, w := range stats.Warnings {
					if w.Rule != interp.RuleDiverged || !w.Error || want == "" {
						t.Errorf("%s, %s: %+v", c.Name, order, w)
					}
					found = found || strings.Contains(w.Msg, want)
				}
				if want != "" && !found {
					t.Errorf("%s, %s: nothing says %q: %+v", c.Name, order, want, stats.Warnings)
				}
			}
		}
	}
}

// TestBarriersOfExitedThreadsAreReported reports which barriers of testdata/barriers wait for threads that have exited.
func TestBarriersOfExitedThreadsAreReported(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/barriers/exited.txt", "finds") {
		_, stats, err := kerneltest.Kernel{Source: c.Body, Block: kerneltest.Dim(64, 1), Words: []int{4}}.Run(t)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		var got []string
		for _, w := range stats.Warnings {
			got = append(got, fmt.Sprintf("%s %d", w.Rule, w.Place.Code.Line))
			if !w.Error || w.Count != 1 {
				t.Errorf("%s: %+v", c.Name, w)
			}
		}
		if text, want := strings.Join(got, ", "), c.Value(t, "finds"); text != want {
			t.Errorf("%s: %q, expected %q", c.Name, text, want)
		}
	}
}
