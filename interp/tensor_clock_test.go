package interp_test

import (
	"context"
	"math/rand/v2"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/gpu"
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
