package interp_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// b200 is a GPU with tensor memory.
var b200 = func() interp.Config {
	on, err := gpu.Preset("b200")
	if err != nil {
		panic(err)
	}
	return interp.Config{GPU: on}
}()

// sometimesTimed runs a launch with a clock or without one, at random: both do the same to memory.
func sometimesTimed(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
	if rand.IntN(2) == 0 {
		return withClock(m, l)
	}
	return functional.Run(context.Background(), m, l)
}

// TestTensorLaunches launches the kernels of testdata/tensor, with a clock or without one.
func TestTensorLaunches(t *testing.T) {
	files, err := filepath.Glob("testdata/tensor/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			kerneltest.Launches(t, file, func(_ *testing.T, _ *kerneltest.Case, k *kerneltest.Kernel) {
				k.Config, k.Driver = b200, sometimesTimed
			})
		})
	}
}
