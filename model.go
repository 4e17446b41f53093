package simtrun

import "github.com/simtrun/simtrun/divergence"

// Model is the way in which the lanes of a warp diverge and reconverge.
type Model uint8

// The models: independent thread scheduling, the reconvergence stack of GPUs
// before Volta, and lowest PC first.
const (
	ITS   = Model(divergence.IndependentThreads)
	Stack = Model(divergence.ReconvergenceStack)
	MinPC = Model(divergence.LowestPC)
)

// String is the model's name, as --divergence takes it.
func (m Model) String() string { return divergence.Model(m).String() }

// Order is which side of a divergent branch runs first.
type Order uint8

// The orders.
const (
	Taken       = Order(divergence.Taken)
	FallThrough = Order(divergence.FallThrough)
	Majority    = Order(divergence.Majority)
)

// String is the order's name, as --path-order takes it.
func (o Order) String() string { return divergence.Order(o).String() }
