package sm

import (
	"github.com/simtrun/simtrun/cost"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
)

// Options are how a launch is timed.
type Options struct {
	Policy Policy
	Order  Order
	Cost   cost.Mode
	// DualIssue lets a scheduler issue two instructions of a warp in one cycle, to pipes
	// that Pairs has.
	DualIssue bool
	// Window is for how many cycles SMs run without an exchange, at most. It is never
	// longer than nothing can reach an SM in, which 0 stands for.
	Window int64
	// Prove, unless it is nil, is asked now and then whether the launch can never end, as
	// functional.Prover.Prove is. What it returns ends the launch.
	Prove func(g *interp.Grid, ctas []*interp.CTA, waiting int64, steps uint64) error
	// Recorder, unless it is nil, is told what warps do when.
	Recorder Recorder
	// Since is the time at which the launch starts, in cycles: what clocks show.
	Since int64
	// L2 is the GPU's, in which the launch finds what those before it have left; nil for one
	// that is empty.
	L2 *L2
}

// Pairs are the pipes that DualIssue lets a scheduler issue to in one cycle.
var Pairs = [][2]isa.Unit{{isa.FMA, isa.ALU}, {isa.FMA, isa.FMAHeavy}, {isa.FMA, isa.LSU}}
