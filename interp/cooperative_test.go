package interp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestGridSyncNeedsCooperativeLaunch: grid.sync() of NVIDIA's compiler works three times in a cooperative launch, with
// and without a clock, and traps in a launch that is not cooperative.
func TestGridSyncNeedsCooperativeLaunch(t *testing.T) {
	cooperative := func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		l.Cooperative = true
		return functional.Run(context.Background(), m, l)
	}
	timed := func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		l.Cooperative = true
		return withClock(m, l)
	}
	k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/cooperative.txt", "grid sync"), Grid: kerneltest.Dim(8, 1), Block: kerneltest.Dim(64, 1), Words: []int{1025}}
	for name, driver := range map[string]func(*interp.Machine, interp.Launch) (interp.Stats, error){"functional": cooperative, "timed": timed, "again": func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		if _, err := cooperative(m, l); err != nil {
			return interp.Stats{}, err
		}
		clear(m.Regions()[len(m.Regions())-2].Data) // the buffer; the last is the workspace, which each launch initialises
		return cooperative(m, l)
	}} {
		t.Run(name, func(t *testing.T) {
			k.Driver = driver
			k.Want(t, func(i int) uint32 {
				switch {
				case i < 8*64:
					return 3 * 8 * 64
				case i == 1024:
					return 3 * 8 * 64
				}
				return 0
			})
		})
	}
	k.Driver = nil
	_, _, err := k.Run(t)
	if fault, ok := errors.AsType[*interp.Fault](err); !ok || fault.Rule != interp.RuleTrap || !strings.Contains(err.Error(), "use cudaLaunchCooperativeKernel") {
		t.Errorf("not cooperative: got %v, want a trap", err)
	}
	k.Driver, k.Grid, k.Block = cooperative, kerneltest.Dim(265, 1), kerneltest.Dim(1024, 1)
	if _, _, err := k.Run(t); err == nil || !strings.Contains(err.Error(), "a cooperative launch of 265 blocks: the GPU holds 264 of these at once") {
		t.Errorf("too many blocks: %v", err)
	}
}
