package sm

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sass"
	"github.com/simtrun/simtrun/interp"
)

// Options are how a launch is timed.
type Options struct {
	Policy Policy
	Order  Order
	Cost   cost.Mode
	// SASS is machine code of an assembler, which decides the number and order of the machine instructions of the
	// functions that it has code for, in mode Lowered.
	SASS []*sass.Function
	// DualIssue lets a scheduler issue two instructions of a warp in one cycle, to two pipes in pairs.
	DualIssue bool
	// InOrder makes warps issue machine instructions in the order of the PTX instead of an assembler's order, so that a
	// debugger finds every instruction executed when it is issued.
	InOrder bool
	// Window is the number of cycles that SMs run without an exchange, at most. Windows are never longer than the
	// shortest time in which anything from outside can reach an SM; 0 stands for that time.
	Window int64
	// Prove, unless it is nil, is sometimes called to prove that the launch can never end, as functional.Prover.Prove
	// does. An error that it returns ends the launch.
	Prove func(g *interp.Grid, ctas []*interp.CTA, waiting int64, steps uint64) error
	// Progress, unless it is nil, is updated while the session runs.
	Progress *Progress
	// Recorder, unless it is nil, is notified of what warps do, and when.
	Recorder Recorder
	// Since is the time in cycles at which the launch starts, as clock registers show it.
	Since int64
	// L2 is the GPU's L2 with the lines that earlier launches have left in it; nil for an empty one.
	L2 *L2
	// Instructions are the SMs' instruction caches, with what earlier launches have left in them; nil for empty ones.
	Instructions *InstructionCaches
	// WarmCode lets caches of instructions and constants begin with the launch's own, as far as they have room.
	WarmCode bool
}

// DefaultOptions returns the options of launches on a GPU whose users ask for no others.
func DefaultOptions(on *gpu.Config) (o Options) {
	var policyErr, orderErr error
	o.Policy, policyErr = ParsePolicy(on.Policy)
	o.Order, orderErr = ParseOrder(on.CTAs.Order)
	if err := cmp.Or(policyErr, orderErr); err != nil {
		panic("simtrun bug: " + on.Name + ": " + err.Error())
	}
	return o
}

// checkSASS returns an error if there is machine code, and none for a kernel, or it cannot be used.
func (o *Options) checkSASS(kernel string) error {
	if len(o.SASS) == 0 {
		return nil
	}
	if o.InOrder {
		return &interp.LaunchError{Kernel: kernel, Msg: "machine code of a listing (sass) is not supported yet with PTX instructions in order, as in the debugger"}
	}
	if sass.Find(o.SASS, kernel) != nil {
		return nil
	}
	var names []string
	for _, f := range o.SASS {
		names = append(names, f.Name)
	}
	return &interp.LaunchError{Kernel: kernel, Msg: "the listing of machine code (sass) does not have it, but " + strings.Join(names, ", ")}
}

// icaches are the words for whether Options.WarmCode is set.
var icaches = []string{"cold", "warm"}

// ParseICache returns WarmCode for the state of the instruction caches: cold or warm.
func ParseICache(state string) (warm bool, err error) {
	i := slices.Index(icaches, state)
	if i < 0 {
		return false, isa.Unknown("state of instruction caches", state, icaches)
	}
	return i == 1, nil
}

// Progress counts the cycles and instructions of a running session. Any goroutine may read it.
type Progress struct{ cycles, instrs atomic.Int64 }

// Cycles returns the cycles that the session has run, up to the latest exchange of its SMs.
func (p *Progress) Cycles() int64 { return p.cycles.Load() }

// Instructions returns the warp instructions executed in these cycles.
func (p *Progress) Instructions() int64 { return p.instrs.Load() }

// pairs are the pairs of pipes that a scheduler can issue to in one cycle with DualIssue.
var pairs = [][2]isa.Unit{{isa.FMA, isa.ALU}, {isa.FMA, isa.FMAHeavy}, {isa.FMA, isa.LSU}}
