package jit

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Context is the input and the output of compiled code: one for each thread of the host.
type Context struct {
	File   unsafe.Pointer // the register file of the warp
	Budget int64          // instructions until code exits after a branch
	Stop   int64          // PC at which the path ends, or -1
	Hints  unsafe.Pointer // *Hint of the function's first PC
	Mask   uint32         // executing lanes
	Exit   uint32         // number of the exit that code took

	// By subvector, or with AVX-512 by pair of subvectors in 64 bits: the lanes of Mask. It is in the first bytes, because
	// a load waits for earlier stores with addresses that differ by a multiple of 4 KiB, and there are no slots at these
	// addresses of the register file.
	subvectors [subvectors]uint32

	// Scratch memory of code. Memory that code accesses in vectors begins at cache lines: 56 bytes are before it, and
	// Go's allocator places the Context eight bytes after the beginning of one.
	laneMasks [lanes.Width]uint32 // with AVX2: all ones for lanes of Mask; with AVX-512 zeros
	laneBits  [lanes.Width]uint32 // 1<<lane; set by Init
	pointers  [MaxPointers * subvectors]uint64
	scalars   [MaxScalars * subvectors]uint64
	spills    [MaxSpills * maxVectorLanes]uint64
	offsets   [MaxGathers * lanes.Width]uint32
	published [MaxAcross * lanes.Width]uint32

	Shared Hint // the CTA's shared memory
	Window Hint // shared memory at its generic addresses
	Local  Hint // local memory: Len is the size of one lane's part
	Params Hint // parameters of calls that are in memory: Len is the size of one lane's part

	// Sides are addresses of code, by number: the continuations of lanes that diverge in code for full warps. If it is
	// nil, code exits there.
	Sides unsafe.Pointer
	// Quantum is the number of instructions that a split has after its lanes diverge, if it may wait for others; if it
	// is 0, code exits there. Live has the lanes of the warp that have not ended.
	Quantum int64
	Live    uint32
	// Diverged counts the branches at which lanes have diverged in code.
	Diverged uint32
	// Withheld is the part of Budget that was withheld so that at most Quantum is left.
	Withheld int64
	// LaneInstrs counts instructions by lane until the budget was Counted.
	LaneInstrs, Counted int64
	// Depth is the number of bytes of Frames in use: for lanes that have diverged and not reconverged.
	Depth  int64
	Frames [maxDepth]Frame

	// deferred is the table of scalars that are only in their spill slots although lanes have diverged, or 0;
	// see Emit.Defer.
	deferred uintptr

	// For warps of a CTA that take turns; see Turn. FirstTurn and TurnsEnd are the addresses at which their Turns begin
	// and end, and Turn is that of the executing warp; 0 without turns. Event is the event at which warps have ended
	// their turns in this round.
	Turn, FirstTurn, TurnsEnd uintptr
	Event                     uint32
	Passes                    uint32 // complete rounds
	// Least is the smallest budget with which a turn begins. Left is how many instructions code executes before it exits
	// after a round.
	Least, Left int64
	// PastLanes and PastDiverged count instructions by lane, and Diverged, in time slices that have ended; PastLanes is
	// the difference from instructions by all lanes.
	PastLanes    int64
	PastDiverged uint32

	// For CTAs that start in turns, one in the place of the other; see Starts. CTA is the position of the executing one,
	// and Grid the extent of the grid. CTAs is how many are still to be executed, including this one, and Instrs how
	// many instructions remain before no further one is started. Both are without the CTAs that have ended.
	CTA, Grid    [3]uint32
	CTAs, Instrs int64
	// NextLeft is Left for each CTA except the first. Started is the value of Left at the start of the executing CTA.
	NextLeft, Started int64
	// SharedFill is the initial value of each eight bytes of shared memory when a CTA starts.
	SharedFill uint64

	Asked Request // of code, if Exit is AskExit or LanesExit
	// ReadsNoted is not 0 if a Hint of a load has Notes.
	ReadsNoted uint32
	// ReadsAbsent is set to 1 by code in which a lane reads the value of a lane that does not execute; see NoteAbsent.
	ReadsAbsent uint32
	// Called is not 0 if code for any mask has executed a call and its return.
	Called uint32
	// outer has the lanes at the branch, while one Side of it is executed.
	outer uint32
	// For the access that is being recorded: the first of the Hint's pages, and the memory.
	noted, notedData uintptr
	// shadowAt is the distance of the shadow from the memory, or its address, for the store that is being executed.
	shadowAt uintptr

	// Divergences is the first of the function's bytes, one for each PC. Code that was compiled to do so sets the byte
	// of a branch at which lanes diverge; see NoteDivergence.
	Divergences unsafe.Pointer

	// TrailAt is where code adds the next entry to its trail, and TrailEnd is an address from which on it must exit
	// before it adds more; see TrailEntry.
	TrailAt, TrailEnd uintptr

	undo [MaxUndo * lanes.Width]uint64 // values of slots at the start of a run; see Undo
	// bases are, by subvector, the memory to which the offsets of areas with LocalAt belong.
	bases [MaxGathers * subvectors]uint64

	_       [beforeProduct]byte // so that the following begins at a cache line
	product [productBytes]byte  // see ProductRoutine
}

// beforeProduct is a number of bytes that depends on the fields before; a test checks the place of the one after it.
const beforeProduct = 8

// maxVectorLanes is the largest number of lanes of a value.
const maxVectorLanes = 2 * SubvectorLanes

// Frame is a divergence at a branch: the lanes that diverged and execute now are in Context.Mask, or in later frames.
type Frame struct {
	Outer     uint32 // the lanes that diverged
	Arrived   uint32 // those that have arrived at the reconvergence PC
	Pending   uint32 // those that will execute from the branch on
	RPC       int32  // the reconvergence PC
	Branch    int32  // PC of the branch
	_         int32
	outerStop int64
	// Continuations: of the lanes Pending; of all lanes together, in code for any mask or for full warps; and where
	// their path ends.
	pending, some, full, stop uintptr
}

// Limits of one run of code in a Context.
const (
	maxDepth    = 32
	MaxPointers = 48  // addresses of affine accesses
	MaxScalars  = 176 // scalars without a slot
	MaxSpills   = 88
	MaxGathers  = 8  // accesses that are not affine
	MaxUndo     = 16 // slots of an Undo
)

// Hint is the memory that the lanes of an access used last; compiled code can access that memory directly. The zero
// Hint is no memory.
type Hint struct {
	Base uint64 // address of the first byte
	Len  uint64 // bytes
	Data unsafe.Pointer
	// Notes is the first of the pages in which code records accesses: pointers, nil for pages that do not exist yet. If
	// it is nil, nothing is recorded. See Note.
	Notes unsafe.Pointer
	// Shadow is the first byte of the memory's shadow, which code keeps if it was compiled to do so; nil if all bytes are
	// defined. See CheckShadow.
	Shadow unsafe.Pointer
}

// Init prepares a Context.
func (c *Context) Init() {
	for i := range c.laneBits {
		c.laneBits[i] = 1 << i
	}
}

const hintBytes = int32(unsafe.Sizeof(Hint{}))

// Offsets of the fields.
const (
	ctxFile       = int32(unsafe.Offsetof(Context{}.File))
	ctxBudget     = int32(unsafe.Offsetof(Context{}.Budget))
	ctxStop       = int32(unsafe.Offsetof(Context{}.Stop))
	ctxHints      = int32(unsafe.Offsetof(Context{}.Hints))
	ctxShared     = int32(unsafe.Offsetof(Context{}.Shared))
	ctxWindow     = int32(unsafe.Offsetof(Context{}.Window))
	ctxLocal      = int32(unsafe.Offsetof(Context{}.Local))
	ctxParams     = int32(unsafe.Offsetof(Context{}.Params))
	ctxMask       = int32(unsafe.Offsetof(Context{}.Mask))
	ctxExit       = int32(unsafe.Offsetof(Context{}.Exit))
	ctxMasks      = int32(unsafe.Offsetof(Context{}.laneMasks))
	ctxBits       = int32(unsafe.Offsetof(Context{}.laneBits))
	ctxSubvectors = int32(unsafe.Offsetof(Context{}.subvectors))
	ctxPointers   = int32(unsafe.Offsetof(Context{}.pointers))
	ctxScalars    = int32(unsafe.Offsetof(Context{}.scalars))
	ctxSpills     = int32(unsafe.Offsetof(Context{}.spills))
	ctxOffsets    = int32(unsafe.Offsetof(Context{}.offsets))
	ctxUndo       = int32(unsafe.Offsetof(Context{}.undo))

	ctxBases     = int32(unsafe.Offsetof(Context{}.bases))
	ctxProduct   = int32(unsafe.Offsetof(Context{}.product))
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
	ctxFill     = int32(unsafe.Offsetof(Context{}.SharedFill))

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
	ctxAbsent     = int32(unsafe.Offsetof(Context{}.ReadsAbsent))
	ctxCalled     = int32(unsafe.Offsetof(Context{}.Called))
	ctxOuter      = int32(unsafe.Offsetof(Context{}.outer))
	ctxNoted      = int32(unsafe.Offsetof(Context{}.noted))
	ctxNotedData  = int32(unsafe.Offsetof(Context{}.notedData))
	ctxShadowAt   = int32(unsafe.Offsetof(Context{}.shadowAt))

	ctxDivergences = int32(unsafe.Offsetof(Context{}.Divergences))
	ctxTrailAt     = int32(unsafe.Offsetof(Context{}.TrailAt))
	ctxTrailEnd    = int32(unsafe.Offsetof(Context{}.TrailEnd))

	ctxAsked      = int32(unsafe.Offsetof(Context{}.Asked))
	ctxAskedAt    = ctxAsked + int32(unsafe.Offsetof(Request{}.Off))
	ctxAskedPC    = ctxAsked + int32(unsafe.Offsetof(Request{}.PC))
	ctxAskedEnd   = ctxAsked + int32(unsafe.Offsetof(Request{}.End))
	ctxAskedLanes = ctxAsked + int32(unsafe.Offsetof(Request{}.Lanes))
	ctxResume     = ctxAsked + int32(unsafe.Offsetof(Request{}.resume))
	ctxKept       = ctxAsked + int32(unsafe.Offsetof(Request{}.kept))

	hintBase  = int32(unsafe.Offsetof(Hint{}.Base))
	hintLen   = int32(unsafe.Offsetof(Hint{}.Len))
	hintData  = int32(unsafe.Offsetof(Hint{}.Data))
	hintNotes = int32(unsafe.Offsetof(Hint{}.Notes))

	hintShadow = int32(unsafe.Offsetof(Hint{}.Shadow))
)
