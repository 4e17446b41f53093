package sm

import (
	"sync/atomic"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
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
	// Progress, unless it is nil, is updated while the session runs.
	Progress *Progress
	// Recorder, unless it is nil, is told what warps do when.
	Recorder Recorder
	// Since is the time at which the launch starts, in cycles: what clocks show.
	Since int64
	// L2 is the GPU's, in which the launch finds what those before it have left; nil for one
	// that is empty.
	L2 *L2
}

// Progress counts the cycles and instructions of a running session. Any goroutine may read it.
type Progress struct{ cycles, instrs atomic.Int64 }

// Cycles returns the cycles that the session has run, up to the latest exchange of its SMs.
func (p *Progress) Cycles() int64 { return p.cycles.Load() }

// Instructions returns the warp instructions executed in these cycles.
func (p *Progress) Instructions() int64 { return p.instrs.Load() }

// pairs are the pipes that DualIssue lets a scheduler issue to in one cycle.
var pairs = [][2]isa.Unit{{isa.FMA, isa.ALU}, {isa.FMA, isa.FMAHeavy}, {isa.FMA, isa.LSU}}
