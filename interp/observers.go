package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/lanes"
)

// Observers are told the same, in order.
type Observers []Observer

var _ Observer = Observers(nil)

// Started implements Observer.
func (os Observers) Started(at *Place, m lanes.Mask) {
	for _, o := range os {
		o.Started(at, m)
	}
}

// Ran implements Observer.
func (os Observers) Ran(at *Place, first, end int, m lanes.Mask) {
	for _, o := range os {
		o.Ran(at, first, end, m)
	}
}

// Accessed implements Observer.
func (os Observers) Accessed(at *Place, pc int, m lanes.Mask, acc *lanes.Access, more bool) {
	for _, o := range os {
		o.Accessed(at, pc, m, acc, more)
	}
}

// Diverged implements Observer.
func (os Observers) Diverged(at *Place, pc int, to []divergence.Group) {
	for _, o := range os {
		o.Diverged(at, pc, to)
	}
}

// Exited implements Observer.
func (os Observers) Exited(at *Place, pc int, m lanes.Mask) {
	for _, o := range os {
		o.Exited(at, pc, m)
	}
}

// Arrived implements Observer.
func (os Observers) Arrived(at *Place, pc int, id int, m lanes.Mask) {
	for _, o := range os {
		o.Arrived(at, pc, id, m)
	}
}

// Released implements Observer.
func (os Observers) Released(at *Place, id int) {
	for _, o := range os {
		o.Released(at, id)
	}
}

// Met implements Observer.
func (os Observers) Met(at *Place, m lanes.Mask) {
	for _, o := range os {
		o.Met(at, m)
	}
}

// Fenced implements Observer.
func (os Observers) Fenced(at *Place, pc int, m lanes.Mask) {
	for _, o := range os {
		o.Fenced(at, pc, m)
	}
}
