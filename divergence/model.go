package divergence

import (
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// Model is a model of how the lanes of a warp diverge and reconverge.
type Model uint8

const (
	IndependentThreads Model = iota // ITS: Volta and later
	ReconvergenceStack              // Stack: before Volta
	LowestPC                        // MinPC: research machines
	numModels

	// SingleLanes keeps each lane in a split of its own, for drivers that choose the order of threads; users cannot
	// choose it.
	SingleLanes = numModels
)

var modelNames = [numModels]string{"its", "stack", "minpc"}

// String returns the model's name, as for --divergence.
func (m Model) String() string {
	if m == SingleLanes {
		return "single lanes"
	}
	return modelNames[m]
}

// ModelNames are the names of all models, the default first.
func ModelNames() []string { return slices.Clone(modelNames[:]) }

// ParseModel returns the model with a name. Its error lists the names.
func ParseModel(name string) (Model, error) {
	if i := slices.Index(modelNames[:], name); i >= 0 {
		return Model(i), nil
	}
	return 0, isa.Unknown("divergence model", name, modelNames[:])
}

// New returns the state of a warp without lanes, for a kernel with flow graph g.
func New(m Model, g *flow.Graph, order Order) Control {
	switch m {
	case ReconvergenceStack:
		return NewStack(g, order)
	case LowestPC:
		return newMinPC(g)
	case SingleLanes:
		return newSingleLanes(g)
	}
	return NewITS(g, order)
}
