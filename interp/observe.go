package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// Observer is told what a launch does. Nobody observing costs a launch nothing
// to speak of. What it is given it must not change, nor keep beyond the call.
type Observer interface {
	// Started tells that a warp starts, with the lanes of m.
	Started(at *Place, m lanes.Mask)
	// Ran tells that the lanes of m executed the instructions from PC first up
	// to, but without, end: one after the other, none of which parted them. Those
	// whose guard did not hold are among them.
	Ran(at *Place, first, end int, m lanes.Mask)
	// Accessed tells that the lanes of m, not none, read or wrote memory, where
	// acc says. Lanes of one instruction that go to different regions are told
	// one region after the other; more says that another follows. What acc.Mem
	// holds is as it was before, and acc.Values what a store writes, if
	// Launch.Values asks for that.
	Accessed(at *Place, pc int, m lanes.Mask, acc *lanes.Access, more bool)
	// Diverged tells that the branch at pc parted its lanes.
	Diverged(at *Place, pc int, to []divergence.Group)
	// Exited tells that the lanes of m ended at pc.
	Exited(at *Place, pc int, m lanes.Mask)
	// Arrived tells that the lanes of m came to the CTA's barrier id.
	Arrived(at *Place, pc int, id int, m lanes.Mask)
	// Released tells that the CTA's barrier id is complete: whoever waited at it,
	// of all warps, goes on. Of at only the CTA counts.
	Released(at *Place, id int)
	// Met tells that the lanes of m met at a bar.warp.sync.
	Met(at *Place, m lanes.Mask)
	// Fenced tells that the lanes of m execute the fence at pc.
	Fenced(at *Place, pc int, m lanes.Mask)
}

// Stepper is asked before a warp executes an instruction. It sees the warp as it
// is, may change it, and may halt the launch, which Session.Continue then takes
// up again: Step is asked anew for the instruction that was not executed.
type Stepper interface {
	Step(w Warp, s divergence.Split) (halt bool)
}

// Place is where something happens: in which warp of which CTA, and in which
// function of those that Machine.Functions lists.
type Place struct {
	CTA  isa.Dim
	Warp int // in the CTA
	Func int
	// Split is the lanes that run together there.
	Split lanes.Mask
}

// Functions are the kernel of that name and the functions that it can reach, as
// Place counts them. Errors are those of Run.
func (m *Machine) Functions(kernel string) ([]*isa.Func, error) {
	p, err := m.program(kernel, false)
	if err != nil {
		return nil, err
	}
	var fns []*isa.Func
	for _, f := range p.funcs {
		fns = append(fns, f.fn)
	}
	return fns, nil
}
