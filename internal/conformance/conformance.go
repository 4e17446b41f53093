// Package conformance defines what PTX means, independent of the simulator: claims about kernels, each with an answer
// that is computed one lane at a time, in plain Go and math/big. It launches nothing: the executor of kernels is
// passed to it as a Run, and is right if every claim holds of it. It shares no code with package lanes, so that an
// error in one is not in the other.
package conformance

import "github.com/simtrun/simtrun/internal/isa"

// Launch is one or more launches of the first kernel of a module.
type Launch struct {
	Source      string
	Grid, Block isa.Dim
	Shared      int64 // bytes of dynamic shared memory
	// Buffers are the buffers of the kernel's first parameters, which are addresses of the module's width. They are not
	// written: the kernel gets copies.
	Buffers [][]byte
	Params  []byte // the rest of the parameter block
	Times   int    // number of launches, on one machine
	// Columns is the number of columns of the table in the last buffer, which has words of 8 bytes; 0 if that buffer
	// is not a table. A column holds results of the tested instruction: in the first third of the columns as it is, in
	// the second under a guard, and in the last with a source's register as its destination.
	Columns int
	// Ordered says that the final memory depends on the order in which the lanes of a warp access one place. The claims
	// assume the order of their numbers; PTX leaves it open.
	Ordered bool
}

// Result is the state after the last of some launches.
type Result struct {
	Buffers [][]byte // in the order of the launch's
	Printed string   // by vprintf
}

// Run executes launches, or returns the reason why it does not.
type Run func(l Launch) (Result, error)

// MaxSteps is far more instructions than any warp of a launch executes.
const MaxSteps = 1e6

// Claim is a property of a correct executor of PTX.
type Claim struct {
	Name   string
	Opcode string // of the tested instruction, "" if there are several
	// Try returns nil if the claim holds of run, and else an error.
	Try func(run Run) error
}
