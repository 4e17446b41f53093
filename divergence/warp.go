// Package divergence answers where the lanes of a warp are: the control state of
// a warp whose lanes disagree, under three models of how they go apart and
// reconverge. It knows nothing of instructions; where lanes are to reconverge it
// asks package flow.
package divergence

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/lanes"
)

// Split is lanes of one warp that run together: the PC of each is the split's.
type Split struct {
	PC    int
	Frame *Frame
	Mask  lanes.Mask
	Stop  int // PC in the same frame where the split waits for other lanes, or flow.None
	Turns int // that its lanes have given up since the warp started, was woken or waited
	Pace  Pace
}

// spend ends a turn. What waits is expected to go its way soon, so that its
// turns count anew.
func (s *Split) spend(pace Pace) {
	s.Turns++
	if s.Pace = pace; pace != Busy {
		s.Turns = 1
	}
}

// Pace says whether a split got on in its latest turn.
type Pace uint8

const (
	Busy     Pace = iota // for all that is known
	Idle                 // it polled and found nothing new
	Spinning             // its state repeats: it will get on when memory changes, and not before
)

// Group is the lanes that a branch sends to one target.
type Group struct {
	PC   int
	Mask lanes.Mask
}

// Warp is the control state of one warp: a set of splits, of which one is
// current.
//
// The run loop takes the current split from Next and keeps its PC and mask to
// itself. It tells the Warp of the events below, always about the current
// split, and after each asks Next how to go on. A branch that all lanes take
// alike is no event. None of the calls allocates in the long run.
type Warp interface {
	// Start makes m the live lanes, as one split at pc of the kernel. Lanes of
	// an earlier Start are forgotten.
	Start(pc int, m lanes.Mask)
	// Root is the frame of the kernel.
	Root() *Frame
	// Next sets s to the split to run, which is not at its Stop. It is false when
	// none can: no lane is live, or those that are wait to be woken.
	Next(s *Split) bool
	// Diverge tells that the branch at pc sends lanes to several places: at
	// least two groups with lanes, which partition the split's mask, in text
	// order of the targets and with the fall-through last.
	Diverge(pc int, to []Group)
	// LeaveRegion tells that all lanes of the split go on at pc, in a later exit
	// region than that of the branch which sends them there. They cannot come back.
	LeaveRegion(pc int)
	// Arrive tells that the split has got to its Stop. It must not execute the
	// instruction there.
	Arrive()
	// Call tells that lanes of the split call functions, to run from PC 0 in
	// frames of their own. All of them, and the lanes stay, which do not call,
	// go on at next in the end.
	Call(to []Activation, stay lanes.Mask, next int)
	// Return tells that the lanes m of the split, which is in a function, go
	// back to its caller. Those left over, if any, go on at next.
	Return(m lanes.Mask, next int)
	// Exit ends the lanes m of the split. Those left over, if any, go on at
	// next.
	Exit(m lanes.Mask, next int)
	// Suspend tells where the split is to go on. It stays current.
	Suspend(pc int)
	// Yield ends the split's turn, which it spent at the given pace; it is to go
	// on at pc. Yield reports whether another split has not had its turn yet.
	Yield(pc int, pace Pace) (more bool)
	// Park makes lanes of the split wait until they are woken, each part for
	// itself. All of them, and those left over, go on at next. Park is false, and
	// has done nothing, if the model could not run the lanes that they wait for.
	Park(parts []lanes.Mask, next int) bool
	// Wake lets parked parts go on, those that make up m.
	Wake(m lanes.Mask)
	// Relieve lets lanes go on that wait at a join for others of the warp, which
	// do not get on without them. It is false if there are none, or if the model
	// cannot.
	Relieve() bool
	// Pace is that of the liveliest split that can run; Spinning if none can.
	Pace() Pace
	// Strict reports whether the model must be told of every branch, with Suspend,
	// although it parts no lanes.
	Strict() bool
	// Live is the lanes that have not ended.
	Live() lanes.Mask
	// Depth is how many entries the model keeps, or joins that lanes are to meet
	// at, for reports; 0 when no lane is live.
	Depth() int
	// Splits gives the splits that partition the live lanes: first the current
	// one, at the PC where it last was told to be, then those that wait, in the
	// order in which they would run. A PC of a waiting one is where its lanes
	// are.
	Splits() iter.Seq[Split]
}

// Order says which side of a divergent branch runs first.
type Order uint8

const (
	Taken       Order = iota // the targets in text order, then the fall-through
	FallThrough              // the fall-through, then the targets, last one first
	Majority                 // the side with most lanes; of equals, the lower PC
	numOrders
)

var orderNames = [numOrders]string{"taken", "fallthrough", "majority"}

// String is the order's name, as --path-order takes it.
func (o Order) String() string { return orderNames[o] }

// ParseOrder is the order of that name. Its error lists the names.
func ParseOrder(name string) (Order, error) {
	if i := slices.Index(orderNames[:], name); i >= 0 {
		return Order(i), nil
	}
	return 0, fmt.Errorf("no path order %q; there are %s", name, strings.Join(orderNames[:], ", "))
}

// arrange sorts groups, which are in text order, such that the one to run first
// comes last.
func (o Order) arrange(groups []Group) {
	switch o {
	case Taken:
		slices.Reverse(groups)
	case Majority:
		slices.SortFunc(groups, func(a, b Group) int {
			return cmp.Or(cmp.Compare(a.Mask.Count(), b.Mask.Count()), cmp.Compare(b.PC, a.PC))
		})
	}
}
