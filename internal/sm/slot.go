package sm

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// slot is a place for a warp on a scheduler. What each issue needs comes first.
type slot struct {
	nextIssue
	launchShare

	split divergence.Split // that issues
	cta   *cta
	warp  *warp.State
	frame divergence.FrameID // of the split
	code  *code              // of the frame's function
	warpStatus

	number int    // of the SM's slots
	starts uint32 // warps that have started here
	start  int64  // cycle

	prologue []op // machine instructions that are issued before those of in, and execute nothing
	pendingResults
	asyncWork

	unsent int   // stores in the memory queue
	sent   int64 // cycle in which its latest store has left the SM

	atBarrier lanes.Mask // that wait at a barrier, or have not gone on since
	released  moment     // when those go on that the latest barrier released

	slice timeSlice
}

// nextIssue is the machine instruction that a warp issues next, and since when it can.
type nextIssue struct {
	op           *op         // that is issued next
	in           *instr      // of which it is one
	nextOp       int         // index of op in in.ops; negative for those of the prologue, the last of which is -1
	wake         moment      // when it was to be ready
	issuedAt     int64       // cycle of the latest issue
	closedAtWake int64       // what closedBefore was at wake, of the pipe of op
	scoreboard   *scoreboard // of the frame
	younger      uint64      // slots of the scheduler whose warp started later
}

// launchShare is what a warp's launch has on its SM and scheduler.
type launchShare struct {
	engine  *interp.Engine
	journal *memory.Journal
	share   *share
	did     *SchedulerTiming
	sites   []States // by PC of code: those of warps that the thread of the host has run
}

// warpStatus is why a warp does not issue, if it does not.
type warpStatus struct {
	blocked bool // no split can run until lanes of other warps arrive or end
	parked  bool // it is not known when the sources of the next instruction can be read
	ends    bool // it has ended, and waits for its stores to leave
	failed  bool // it has an error, and stays where it is
}

// pendingResults are the scoreboards of a warp, and the flights that its registers wait for.
type pendingResults struct {
	scoreboards   []*scoreboard // by divergence.FrameID
	scoreboardsOf *launch       // whose functions they are for

	flights  []int32 // for whose results registers wait
	absent   int     // of them, those whose results are not there either
	late     moment  // when such a result came last
	earliest moment  // when a parked warp is to issue, but for its sources
}

// asyncWork is the work of a warp in groups for which it may wait.
type asyncWork struct {
	copies             asyncGroups // asynchronous copies
	stored, sourceRead asyncGroups // bulk copies to global memory: those that have arrived, and those whose sources were read
	products           asyncGroups // products of its warpgroup
}

// reuse returns the work of a warp that has none, with the memory of w.
func (w *asyncWork) reuse() asyncWork {
	return asyncWork{
		copies:     asyncGroups{done: w.copies.done[:0]},
		stored:     asyncGroups{done: w.stored.done[:0]},
		sourceRead: asyncGroups{done: w.sourceRead.done[:0]},
		products:   asyncGroups{done: w.products.done[:0]},
	}
}
