package divergence

import (
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes"
)

// FrameID is the index of an activation in the Frames of its warp.
type FrameID int32

const (
	Root    FrameID = 0  // of the kernel
	NoFrame FrameID = -1 // the caller of the kernel
)

// Frame is one activation of a function by lanes of a warp. Two lanes are at the same place if they have the same PC,
// which counts from the function's start, and the same frame.
type Frame struct {
	Graph  *flow.Graph // of the function
	Func   int         // number of the function in the program
	Parent FrameID     // of the caller
	Ret    int         // PC in the caller where its lanes continue
	Depth  int         // number of callers
	// Serial is the number of the activation, unique in the warp since it started, whereas several activations use a
	// FrameID one after the other.
	Serial uint64
	// Lanes is the set of lanes in this activation or in one that it called.
	Lanes lanes.Mask
}

// Frames are the activations of a warp. Other state of an activation, such as registers, is kept elsewhere by
// FrameID: a FrameID is used for one function only, so that the layout need not change.
type Frames struct {
	all    []Frame
	free   [][]FrameID // by function: frames without lanes
	serial uint64      // of the latest activation
}

func newFrames(kernel *flow.Graph) Frames {
	return Frames{all: []Frame{{Graph: kernel, Parent: NoFrame}}}
}

// At returns the frame with an ID. It is valid until the next Add.
func (fs *Frames) At(id FrameID) *Frame { return &fs.all[id] }

// Len returns the number of IDs in use or for reuse: all are lower.
func (fs *Frames) Len() int { return len(fs.all) }

// Spare reports whether Add for a function would reuse an ID.
func (fs *Frames) Spare(fn int) bool { return fn < len(fs.free) && len(fs.free[fn]) > 0 }

// Add makes a frame of function fn, with the flow graph g; its lanes continue at ret of the caller. It has no lanes
// until Control.Call adds some.
func (fs *Frames) Add(fn int, g *flow.Graph, caller FrameID, ret int) FrameID {
	fs.serial++
	f := Frame{Graph: g, Func: fn, Parent: caller, Ret: ret, Depth: fs.all[caller].Depth + 1, Serial: fs.serial}
	if fs.Spare(fn) {
		last := len(fs.free[fn]) - 1
		id := fs.free[fn][last]
		fs.free[fn] = fs.free[fn][:last]
		fs.all[id] = f
		return id
	}
	fs.all = append(fs.all, f)
	return FrameID(len(fs.all) - 1)
}

// start makes a new activation of the kernel with the lanes m.
func (fs *Frames) start(m lanes.Mask) {
	fs.serial = 1
	fs.all[Root].Serial, fs.all[Root].Lanes = fs.serial, m
}

// leave removes the lanes of m from an activation.
func (fs *Frames) leave(id FrameID, m lanes.Mask) {
	f := &fs.all[id]
	if f.Lanes == 0 {
		return
	}
	if f.Lanes &^= m; f.Lanes == 0 && id != Root {
		for len(fs.free) <= f.Func {
			fs.free = append(fs.free, nil)
		}
		fs.free[f.Func] = append(fs.free[f.Func], id)
	}
}

// leaveAll removes the lanes of m from an activation and from those that called it.
func (fs *Frames) leaveAll(id FrameID, m lanes.Mask) {
	for ; id != NoFrame; id = fs.all[id].Parent {
		fs.leave(id, m)
	}
}

func (fs *Frames) copyTo(to *Frames) {
	to.all, to.serial = append(to.all[:0], fs.all...), fs.serial
	to.free = slices.Grow(to.free, max(0, len(fs.free)-len(to.free)))[:len(fs.free)]
	for fn, ids := range fs.free {
		to.free[fn] = append(to.free[fn][:0], ids...)
	}
}
