package interp_test

import (
	"context"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestSharedSlotsKeepValues runs code in which a register looks like a copy of a value that never changes, or like one
// that is not needed any more, and is not. The expected results are worked out by hand; registers that can be inspected
// have their own slots, and must give the same results.
func TestSharedSlotsKeepValues(t *testing.T) {
	precise := func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		l.Precise = true
		return functional.Run(context.Background(), m, l)
	}
	for _, driver := range []func(*interp.Machine, interp.Launch) (interp.Stats, error){nil, precise} {
		kerneltest.Launches(t, "testdata/slots.txt", func(k *kerneltest.Kernel) { k.Driver = driver })
	}
}
