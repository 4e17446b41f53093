package divergence

import (
	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/lanes"
)

// Frame is one activation of a function by lanes of a warp: where they go back
// to, and their window of registers. Two lanes are at the same place if both
// their PC, which counts from the function's start, and their frame are the
// same.
type Frame struct {
	Parent *Frame      // the caller's; nil for the kernel
	Ret    int         // PC in the caller where its lanes go on
	Func   int         // number of the function in the program
	Graph  *flow.Graph // of the function
	Depth  int         // number of callers
	// Serial is a number of the activation, which no other activation of the
	// launch has: the frame serves one after the other.
	Serial uint64
	// Lanes are those in this activation or in one that it called.
	Lanes lanes.Mask
	// Pool gets the frame back when its last lane has left; nil for the kernel.
	Pool *[]*Frame

	// What the activation owns; the models do not look at it.
	File   *lanes.File
	Params []byte // .param variables: an equal part for each lane in turn
	Local  uint64 // where its local variables start in a lane's local memory
	// ParamsAbove is the bytes of .param variables in the activations that led
	// here, for one lane.
	ParamsAbove uint64
}

// leave takes the lanes of m out of the activation.
func (f *Frame) leave(m lanes.Mask) {
	if f.Lanes == 0 {
		return
	}
	if f.Lanes &^= m; f.Lanes == 0 && f.Pool != nil {
		*f.Pool = append(*f.Pool, f)
	}
}

// leaveAll takes the lanes of m out of the activation and of those that called
// it.
func (f *Frame) leaveAll(m lanes.Mask) {
	for ; f != nil; f = f.Parent {
		f.leave(m)
	}
}

// Activation is the lanes that call one function together.
type Activation struct {
	Frame *Frame
	Mask  lanes.Mask
}
