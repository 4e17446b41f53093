// Package conformance says what PTX means, without any of the simulator: claims
// about kernels, each with an answer that is worked out one lane at a time, in
// plain Go and math/big. It launches nothing: whoever executes kernels is given
// to it as a Run, and is right if every claim holds of it. It shares nothing with
// package lanes, so that no error is in both.
package conformance

import "github.com/simtrun/simtrun/internal/isa"

// Launch is launches of the first kernel of a module.
type Launch struct {
	Source      string
	Grid, Block isa.Dim
	Shared      int64 // bytes of dynamic shared memory
	// Buffers are what the kernel's first parameters point to, with addresses as
	// wide as those of the module. They are not written: the kernel has copies.
	Buffers [][]byte
	Params  []byte // the rest of the parameter block
	Times   int    // how often it is launched, on one machine
	// Columns, if there are any, are those of the table of 8-byte words that the last
	// buffer is: results, first of the instruction alone, then as many under a guard,
	// then with the result in a source's register.
	Columns int
	// Ordered says that what is left depends on the order in which the lanes of a
	// warp come to one place in memory. The claims have them come by their numbers;
	// PTX leaves it open.
	Ordered bool
}

// Result is what the last of some launches left.
type Result struct {
	Buffers [][]byte // in the order of the launch's
	Printed string   // by vprintf
}

// Run executes launches, or says why it does not.
type Run func(l Launch) (Result, error)

// MaxSteps is far more instructions than any warp of a launch needs.
const MaxSteps = 1e6

// Claim is something that holds of whatever executes PTX.
type Claim struct {
	Name   string
	Opcode string // of the instruction that it is about, "" if there are several
	// Try is nil if the claim holds of run, and else says what is wrong.
	Try func(run Run) error
}
