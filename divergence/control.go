// Package divergence answers where the lanes of a warp are: the control state of a warp with diverged lanes, under
// three models of divergence and reconvergence. It knows neither instructions nor time: a driver decides which warp
// split runs when. Package flow finds reconvergence PCs.
//
// # The life of one divergence
//
// A branch whose guard holds in some of the lanes goes to Engine.branch (interp/branch.go), which groups the lanes by
// target and calls Control.Diverge. The model (its.go) adds a convergence barrier at the branch's reconvergence PC,
// and makes a split of each group. Run returns Diverged, and the driver asks Ready for the next split: the first in
// the model's order that still has a quantum in this round (internal/functional/schedule.go). When a split reaches
// its Stop, the reconvergence PC, Control.Advance makes its lanes wait at the barrier until all participants have
// arrived, and they are one split again. When no lane can run, or none makes progress, the driver breaks a barrier
// (Control.Break).
package divergence

import (
	"iter"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Split is a warp split (Meng, Tarjan and Skadron, Dynamic Warp Subdivision, 2010): lanes of one warp that run
// together and share one PC.
type Split struct {
	PC    int
	Stop  int // PC in the same frame where the split waits for other lanes, or flow.None
	Mask  lanes.Mask
	Frame FrameID
	ID    SplitID
}

// SplitID identifies a split to its Control. It is valid until the next call that changes the control state.
type SplitID int32

// Group is the lanes that a branch sends to one target.
type Group struct {
	PC   int
	Mask lanes.Mask
}

// Activation is the lanes that call one function together, and its frame.
type Activation struct {
	Frame FrameID
	Mask  lanes.Mask
}

// Control is the control state of one warp: a set of splits, some of which can
// run.
//
// A driver takes a split from Ready and executes it as long as its lanes stay together, keeping its PC, and then
// makes the call that says what happened. A branch that all lanes take the same way needs no call, unless Strict says
// so or the branch leaves its exit region. After a while no call allocates.
type Control interface {
	// Start makes m the live lanes, as one split at pc of the kernel. Lanes of
	// an earlier Start are forgotten.
	Start(pc int, m lanes.Mask)
	// Frames are the warp's activations.
	Frames() *Frames
	// Ready sets s to the first split, in the model's order, that can run and has lanes outside except. It returns false
	// if there is none: the live lanes are all in except, or wait. It changes nothing.
	Ready(except lanes.Mask, s *Split) bool
	// Advance says that the split continues at pc. If that is its Stop, it waits there, or its lanes reconverge with all
	// that have arrived.
	Advance(id SplitID, pc int)
	// Defer is Advance for a split that should run after the others from now on, in models with a choice.
	Defer(id SplitID, pc int)
	// Diverge says that the branch at pc sends the split's lanes to several
	// places: at least two groups with lanes, which partition the split's mask, in
	// text order of the targets and with the fall-through last.
	Diverge(id SplitID, pc int, to []Group)
	// Rejoined says that lanes of the split have diverged and reconverged in its activation. It returns the split's new
	// ID.
	Rejoined(id SplitID) SplitID
	// Called says that the lanes of the split have called functions, one after the other, and returned: it is Call and
	// Return of all of them together. It returns the split's new ID.
	Called(id SplitID) SplitID
	// LeaveRegion says that all lanes of the split continue at pc, in a later exit region (see flow.Graph.Region) than
	// that of the branch which sends them there. They cannot come back.
	LeaveRegion(id SplitID, pc int)
	// Call says that lanes of the split call functions, which run from PC 0 in frames that were added for the call. When
	// they have returned, they continue at next, as do the lanes stay, which do not call.
	Call(id SplitID, to []Activation, stay lanes.Mask, next int)
	// Return says that the lanes m of the split, which is in a function, return to its caller. The other lanes of the
	// split, if any, continue at next.
	Return(id SplitID, m lanes.Mask, next int)
	// Exit ends the lanes m of the split. The others, if any, continue at next.
	Exit(id SplitID, m lanes.Mask, next int)
	// Park makes groups of lanes of the split wait, each until Wake names it, and then continue at next. The other lanes
	// of the split continue at next at once. Park returns false, and changes nothing, if the model could not run the
	// lanes for which the groups wait.
	Park(id SplitID, groups []lanes.Mask, next int) bool
	// Wake lets parked groups continue if all their lanes are in m.
	Wake(m lanes.Mask)
	// Break breaks one convergence barrier: lanes that wait there for others of the warp continue without them. It
	// returns false if no lane waits, or if the model has no such barriers.
	Break() bool
	// Shatter lets the lanes m of the split, which is at its PC, run separately from its others until the end of the
	// basic block, as independent threads may: divergence without a branch. It returns false, and does nothing, if m is
	// not a proper subset of the split, if the block ends here or the split reconverges before its end, or if the
	// model's lanes only diverge at branches.
	Shatter(id SplitID, m lanes.Mask) bool
	// Shattered returns the lanes that would be in one split without Shatter, including those of the split; 0 if Shatter
	// keeps none separate from it.
	Shattered(id SplitID) lanes.Mask
	// Strict reports whether every branch needs a call of Advance, even if no lanes diverge at it.
	Strict() bool
	// Live returns the lanes that have not ended.
	Live() lanes.Mask
	// Depth returns, for reports, the nesting depth of control flow: the entries of a stack, the convergence barriers at
	// which lanes must arrive one after the other, or the number of splits; 0 when no lane is live.
	Depth() int
	// Splits yields the splits that partition the live lanes: first those that can run, in the model's order, then those
	// that wait, with the PC where they continue.
	Splits() iter.Seq[Split]
	// CopyTo copies the control state to another one of the same model, kernel and order. They share nothing.
	CopyTo(to Control)
}
