package jit

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Context is what compiled code is given, and what it leaves: one for each thread of the host.
type Context struct {
	File   unsafe.Pointer // the register file of the warp
	Budget int64          // instructions until code comes back behind a branch
	Stop   int64          // PC at which the path ends, or -1
	Hints  unsafe.Pointer // *Hint of the function's first PC
	Mask   uint32         // the lanes that execute
	Exit   uint32         // number of the exit by which code came back

	// By strip, or with AVX-512 by pair of them in 64 bits: lanes of Mask. It is in the first bytes, as those of the register
	// file beside which no slots are: a load waits for stores whose addresses differ by a multiple of 4 KiB.
	strips [strips]uint32

	// For use by code. What it reads and writes in vectors begins cache lines, as 56 bytes are before, and Go's allocator
	// places the Context eight bytes behind the beginning of one.
	laneMasks [lanes.Width]uint32 // with AVX2: all ones for lanes of Mask; with AVX-512 zeros
	laneBits  [lanes.Width]uint32 // 1<<lane; set by Init
	pointers  [MaxPointers * strips]uint64
	quads     [MaxQuads * strips]uint64
	spills    [MaxSpills * maxVectorLanes]uint64
	offsets   [MaxGathers * lanes.Width]uint32
	published [MaxAcross * lanes.Width]uint32

	Shared Hint // the CTA's shared memory
	Window Hint // the same at generic addresses
	Local  Hint // local memory: Len is what one lane has of it
	Params Hint // parameters of calls that are in memory, likewise

	// Sides are addresses of code, by number: where lanes go that diverge in code for all lanes of a warp. If it is nil, code is left there.
	Sides unsafe.Pointer
	// Quantum is how many instructions a split has from where its lanes diverge, if it may wait for others; if it is 0,
	// code is left there. Live is the lanes of the warp that have not ended.
	Quantum int64
	Live    uint32
	// Diverged counts the branches at which lanes have diverged in code.
	Diverged uint32
	// Withheld is the part of Budget that was taken away from it since Quantum is less.
	Withheld int64
	// LaneInstrs counts what lanes have executed until the budget was Counted.
	LaneInstrs, Counted int64
	// Depth is the bytes of Frames in use: lanes that have diverged and not come together yet.
	Depth  int64
	Frames [maxDepth]Frame

	// deferred is the table of scalars that are in their homes alone though lanes have diverged, or 0; see Emit.Defer.
	deferred uintptr

	// Of the warps of a CTA that take turns; see Turn. FirstTurn and TurnsEnd are where their Turns begin and end in memory, and Turn is that
	// of the warp that executes; 0 if none are taken. Event is what warps have come to in this pass over them.
	Turn, FirstTurn, TurnsEnd uintptr
	Event                     uint32
	Passes                    uint32 // complete ones
	// Least is the least budget with which a turn begins. Left is how many instructions code executes before it comes back
	// behind a pass.
	Least, Left int64
	// PastLanes and PastDiverged are what lanes have executed, and Diverged, in turns that have ended; of the former the
	// difference from all lanes.
	PastLanes    int64
	PastDiverged uint32

	// Of CTAs that start in turns, one in the place of the other; see Starts. CTA is the place of the one that executes, and Grid the
	// extent of the grid. CTAs is how many are to be executed, with that one, and Instrs how many instructions before no further one is started: what
	// was executed for CTAs that have ended is no longer in them.
	CTA, Grid    [3]uint32
	CTAs, Instrs int64
	// NextLeft is Left for each CTA but the first. Started is what Left was at the start of the one that executes.
	NextLeft, Started int64

	Asked Asked // why code came back, if Exit is AskExit
	// ReadsNoted is not 0 if a Hint of a load has Notes.
	ReadsNoted uint32
	// outer is the lanes that are at a branch of which one Side is executed.
	outer uint32
	// Of the access that is noted: the first of the Hint's pages, and the memory.
	noted, notedData uintptr

	undo [MaxUndo * lanes.Width]uint64 // what slots held where a run starts; see Undo
}

// maxVectorLanes is the most lanes that a value has.
const maxVectorLanes = 2 * StripLanes

// Frame is lanes that have diverged at a branch: those that execute are in Context.Mask, or in the frames behind this
// one.
type Frame struct {
	Outer     uint32 // the lanes that diverged
	Arrived   uint32 // those that have arrived at the reconvergence PC
	Pending   uint32 // those that are to execute from behind the branch
	RPC       int32  // the reconvergence PC
	Branch    int32  // PC of the branch
	_         int32
	outerStop int64
	// Where code goes on: with Pending; with all, if they are some lanes of the warp, or all; and where their path ends.
	pending, some, full, stop uintptr
}

// What one run of code may use of a Context.
const (
	maxDepth    = 32
	MaxPointers = 48 // addresses of accesses that are affine
	MaxQuads    = 96 // scalars that are in no slot
	MaxSpills   = 48
	MaxGathers  = 8  // accesses at any addresses
	MaxUndo     = 16 // slots of an Undo
)

// Hint is the memory in which the lanes of an access were last: compiled code makes those that
// go there too. The zero Hint is none.
type Hint struct {
	Base uint64 // address of the first byte
	Len  uint64 // bytes
	Data unsafe.Pointer
	// Notes is the first of the pages in which code that notes accesses does so: pointers, of which those to pages that
	// are not there yet are nil. Without it there is nothing to note. See Note.
	Notes unsafe.Pointer
}

// Init prepares a Context.
func (c *Context) Init() {
	for i := range c.laneBits {
		c.laneBits[i] = 1 << i
	}
}

const hintBytes = int32(unsafe.Sizeof(Hint{}))

// Where the fields are.
const (
	ctxFile     = int32(unsafe.Offsetof(Context{}.File))
	ctxBudget   = int32(unsafe.Offsetof(Context{}.Budget))
	ctxStop     = int32(unsafe.Offsetof(Context{}.Stop))
	ctxHints    = int32(unsafe.Offsetof(Context{}.Hints))
	ctxShared   = int32(unsafe.Offsetof(Context{}.Shared))
	ctxWindow   = int32(unsafe.Offsetof(Context{}.Window))
	ctxLocal    = int32(unsafe.Offsetof(Context{}.Local))
	ctxParams   = int32(unsafe.Offsetof(Context{}.Params))
	ctxMask     = int32(unsafe.Offsetof(Context{}.Mask))
	ctxExit     = int32(unsafe.Offsetof(Context{}.Exit))
	ctxMasks    = int32(unsafe.Offsetof(Context{}.laneMasks))
	ctxBits     = int32(unsafe.Offsetof(Context{}.laneBits))
	ctxStrips   = int32(unsafe.Offsetof(Context{}.strips))
	ctxPointers = int32(unsafe.Offsetof(Context{}.pointers))
	ctxQuads    = int32(unsafe.Offsetof(Context{}.quads))
	ctxSpills   = int32(unsafe.Offsetof(Context{}.spills))
	ctxOffsets  = int32(unsafe.Offsetof(Context{}.offsets))
	ctxUndo     = int32(unsafe.Offsetof(Context{}.undo))

	ctxPublished = int32(unsafe.Offsetof(Context{}.published))

	ctxQuantum    = int32(unsafe.Offsetof(Context{}.Quantum))
	ctxLive       = int32(unsafe.Offsetof(Context{}.Live))
	ctxSides      = int32(unsafe.Offsetof(Context{}.Sides))
	ctxDiverged   = int32(unsafe.Offsetof(Context{}.Diverged))
	ctxWithheld   = int32(unsafe.Offsetof(Context{}.Withheld))
	ctxLaneInstrs = int32(unsafe.Offsetof(Context{}.LaneInstrs))
	ctxCounted    = int32(unsafe.Offsetof(Context{}.Counted))
	ctxDepth      = int32(unsafe.Offsetof(Context{}.Depth))
	ctxFrames     = int32(unsafe.Offsetof(Context{}.Frames))
	ctxDeferred   = int32(unsafe.Offsetof(Context{}.deferred))

	ctxTurn         = int32(unsafe.Offsetof(Context{}.Turn))
	ctxFirstTurn    = int32(unsafe.Offsetof(Context{}.FirstTurn))
	ctxTurnsEnd     = int32(unsafe.Offsetof(Context{}.TurnsEnd))
	ctxEvent        = int32(unsafe.Offsetof(Context{}.Event))
	ctxPasses       = int32(unsafe.Offsetof(Context{}.Passes))
	ctxLeast        = int32(unsafe.Offsetof(Context{}.Least))
	ctxLeft         = int32(unsafe.Offsetof(Context{}.Left))
	ctxPastLanes    = int32(unsafe.Offsetof(Context{}.PastLanes))
	ctxPastDiverged = int32(unsafe.Offsetof(Context{}.PastDiverged))

	ctxCTA      = int32(unsafe.Offsetof(Context{}.CTA))
	ctxGrid     = int32(unsafe.Offsetof(Context{}.Grid))
	ctxCTAs     = int32(unsafe.Offsetof(Context{}.CTAs))
	ctxInstrs   = int32(unsafe.Offsetof(Context{}.Instrs))
	ctxNextLeft = int32(unsafe.Offsetof(Context{}.NextLeft))
	ctxStarted  = int32(unsafe.Offsetof(Context{}.Started))

	frameBytes     = int32(unsafe.Sizeof(Frame{}))
	frameOuter     = int32(unsafe.Offsetof(Frame{}.Outer))
	frameArrived   = int32(unsafe.Offsetof(Frame{}.Arrived))
	framePending   = int32(unsafe.Offsetof(Frame{}.Pending))
	frameRPC       = int32(unsafe.Offsetof(Frame{}.RPC))
	frameBranch    = int32(unsafe.Offsetof(Frame{}.Branch))
	frameOuterStop = int32(unsafe.Offsetof(Frame{}.outerStop))
	framePendingAt = int32(unsafe.Offsetof(Frame{}.pending))
	frameSomeAt    = int32(unsafe.Offsetof(Frame{}.some))
	frameFullAt    = int32(unsafe.Offsetof(Frame{}.full))
	frameStopAt    = int32(unsafe.Offsetof(Frame{}.stop))

	ctxReadsNoted = int32(unsafe.Offsetof(Context{}.ReadsNoted))
	ctxOuter      = int32(unsafe.Offsetof(Context{}.outer))
	ctxNoted      = int32(unsafe.Offsetof(Context{}.noted))
	ctxNotedData  = int32(unsafe.Offsetof(Context{}.notedData))
	ctxAsked      = int32(unsafe.Offsetof(Context{}.Asked))
	ctxAskedAt    = ctxAsked + int32(unsafe.Offsetof(Asked{}.Off))
	ctxAskedPC    = ctxAsked + int32(unsafe.Offsetof(Asked{}.PC))
	ctxResume     = ctxAsked + int32(unsafe.Offsetof(Asked{}.resume))
	ctxKept       = ctxAsked + int32(unsafe.Offsetof(Asked{}.kept))

	hintBase  = int32(unsafe.Offsetof(Hint{}.Base))
	hintLen   = int32(unsafe.Offsetof(Hint{}.Len))
	hintData  = int32(unsafe.Offsetof(Hint{}.Data))
	hintNotes = int32(unsafe.Offsetof(Hint{}.Notes))
)
