package sm

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// slot is a place for a warp on a scheduler. Fields that each issue needs come first.
type slot struct {
	seat
	nextIssue
	launchShare
	ahead

	split     divergence.Split // the split that issues
	atBarrier lanes.Mask       // lanes that wait at a barrier, or have not continued since
	warpStatus
	prologue []op // ops that are issued before those of in and execute nothing
	pendingResults
	cta   *cta
	warp  *warp.State
	code  *code              // of the frame's function
	frame divergence.FrameID // of the split
	slice timeSlice
	kept  kept // of the region that it has executed ahead

	unsent   int    // stores in the memory queue
	sent     int64  // cycle in which its latest store has left the SM
	released moment // when lanes continue that the latest barrier released

	number int    // index among the SM's slots
	starts uint32 // number of warps that have started here
	start  int64  // cycle
	undispatched
	asyncWork
}

// seat is where a slot is.
type seat struct {
	scheduler *scheduler
	place     int    // index of the scheduler among those of its SM
	index     int    // in the scheduler's slots
	bit       uint64 // of the slot in the scheduler's masks
}

// undispatched are lanes that an indirect branch or call has sent to places other than the issuing split's, and the
// ops with which they go there: one place comes after the other.
type undispatched struct {
	awaiting lanes.Mask
	dispatch []op
}

// nextIssue is the op that a warp issues next, and since when it can.
type nextIssue struct {
	op           *op        // issued next
	in           *instr     // instruction that op belongs to
	nextOp       int        // index of op in in.ops; negative in the prologue, where the last one is -1
	wake         moment     // when it is to be ready
	line         int32      // of machine code, of the latest op
	pipe         isa.Unit   // of the latest op
	closedAtWake int64      // closedBefore of op's pipe at wake, unless it issues then
	issuedAt     int64      // cycle of the latest issue
	freed        int64      // when the latest barrier lets it go on, at which it is until then
	pipeFree     int64      // cycle from which on it takes another op of the warp: the assembler spaces them
	replays      int        // how often op is to be issued again
	fixed        int64      // cycle from which on all results of fixed latency can be read
	behind       int64      // how much later the loads of a skipped arm are, because of work ahead of them
	memoryNext   int64      // cycle from which on it may issue another memory instruction
	scoreboard   scoreboard // of the frame
}

// launchShare is the state of a warp's launch on the warp's SM and scheduler.
type launchShare struct {
	engine  *interp.Engine
	journal *memory.Journal
	share   *share
	stable  *uint64 // lines of its machine code that stay in the scheduler's instruction cache
	did     *SchedulerTiming
	sites   []States // by PC of code: cycles of warps that the host thread has run
}

// warpStatus is why a warp does not issue.
type warpStatus struct {
	blocked bool // no split can run until lanes of other warps arrive or end
	parked  bool // the time at which the sources of the next instruction can be read is not known
	ends    bool // it has ended, and waits until its stores leave the SM
	failed  bool // it has an error, and does not continue
}

// pendingResults are the scoreboards of a warp, and the flights that its registers wait for.
type pendingResults struct {
	flights  []int32 // flights that registers wait for
	absent   int     // number of flights with results that have yet to be written to registers
	late     moment  // when the latest of these results came
	earliest moment  // earliest issue of a parked warp, apart from its sources

	scoreboards   []*scoreboard // by divergence.FrameID
	scoreboardsOf *launch       // launch of their functions
}

// asyncWork is the asynchronous work of a warp, in groups that it can wait for.
type asyncWork struct {
	copies asyncGroups // asynchronous copies
	// bulk copies to global memory: those that have arrived, and those that have read their sources
	stored, sourceRead asyncGroups
	products           asyncGroups // products of its warpgroup
	tensor             tensorWork
}

// reuse returns work without groups that uses the memory of w.
func (w *asyncWork) reuse() asyncWork {
	return asyncWork{
		copies:     asyncGroups{done: w.copies.done[:0]},
		stored:     asyncGroups{done: w.stored.done[:0]},
		sourceRead: asyncGroups{done: w.sourceRead.done[:0]},
		products:   asyncGroups{done: w.products.done[:0]},
	}
}
