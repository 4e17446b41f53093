package jit

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Turn is a warp of a CTA whose warps execute in turn within compiled code: each executes up to a barrier, or its
// end, and then the next one has its turn. When all have arrived the first one continues. Barriers are often so close
// that an exit for each warp would take longer than the code between them. Package functional has the rule that ties
// turns to Go ("Who runs next").
//
// Code copies File, Local and Params to the Context without write barriers: the caller that makes turns must keep
// what they point to alive.
type Turn struct {
	File   unsafe.Pointer // as in Context
	Budget int64          // at the start of the warp's turn
	Resume uintptr        // address at which its code resumes
	// Leave writes scalars to their slots and exits by Exit; it is valid if the warp has had a turn and not ended.
	Leave  uintptr
	Local  Hint
	Params Hint
	Mask   uint32 // lanes of the warp that have not ended
	// The event at the end of the warp's latest turn, and the number of the exit of Leave. Event is 0 before its first
	// turn.
	Event, Exit uint32
	// First and Entry are Budget and Resume of the warp when its CTA starts, if the CTA starts in compiled code.
	First int64
	Entry uintptr
}

// Starts describes the differences between CTAs in the register file of a starting warp.
//
// A CTA that replaces one that has ended starts in code: with zeros in shared memory, its position in registers, and
// turns as they were for the previous CTA. As long as all of its warps end in turns, another one can follow.
type Starts struct {
	CTA   [3]uint32 // offsets of the slots with the CTA's coordinates in the grid; 0 if the function does not use one
	Carry uint32    // offset of the carry flag
}

// Events at the ends of the turns in one round over the CTA: a barrier, by number, or the end.
const (
	noEvent    = 0
	EventEnded = 1
	barrierBit = 32
)

// EventBarrier is the event of a barrier.
func EventBarrier(id int) uint32 { return barrierBit | uint32(id) }

// Barrier is the number of the barrier of an event.
func Barrier(event uint32) int { return int(event - barrierBit) }

// Numbers of exits between turns.
const (
	ExitTurn  = NoExit - 1 - iota // the turn of Context.Turn does not begin, because its time slice ends soon
	ExitPass                      // all warps have had their turn, and the barrier has released them; the first is next
	ExitEnded                     // all warps have ended, and no further CTA starts
)

const (
	turnBytes  = int32(unsafe.Sizeof(Turn{}))
	turnFile   = int32(unsafe.Offsetof(Turn{}.File))
	turnBudget = int32(unsafe.Offsetof(Turn{}.Budget))
	turnResume = int32(unsafe.Offsetof(Turn{}.Resume))
	turnLeave  = int32(unsafe.Offsetof(Turn{}.Leave))
	turnLocal  = int32(unsafe.Offsetof(Turn{}.Local))
	turnParams = int32(unsafe.Offsetof(Turn{}.Params))
	turnMask   = int32(unsafe.Offsetof(Turn{}.Mask))
	turnEvent  = int32(unsafe.Offsetof(Turn{}.Event)) // and Exit
	turnFirst  = int32(unsafe.Offsetof(Turn{}.First))
	turnEntry  = int32(unsafe.Offsetof(Turn{}.Entry))
)

// TurnEnd is the end of a warp's turn.
type TurnEnd struct {
	Event  uint32
	Number int   // of the exit of Leave; of a warp that ends, of its exit, if there is a trail
	Count  int   // instructions that are not counted yet
	Resume Label // where the warp resumes; unless it ends
	Leave  Label // spills scalars so that Go can resume the warp
	Exit   Label // target if there are no turns, or if other warps stopped at another event
	Masked bool
}

// EndTurn ends the turn of a warp.
func (e *Emit) EndTurn(l *TurnLabels, t *TurnEnd) {
	e.opStoreImm(cmp, W64, memAt(regCtx, ctxTurn), 0)
	e.jcc(condE, t.Exit)
	if t.Masked {
		e.Load(W32, RCX, memAt(regCtx, ctxMask))
		e.opLoad(cmp, W32, RCX, memAt(regCtx, ctxLive))
		e.jcc(condNE, t.Exit)
	}
	if t.Event == EventEnded {
		e.movImm(RSI, 0)
		e.movImm(RDI, 0)
	} else {
		e.lea(RSI, atLabel(t.Resume, 0))
		e.lea(RDI, atLabel(t.Leave, 0))
	}
	e.movImm(RCX, uint64(t.Count))
	e.movImm(RDX, uint64(t.Number)<<32|uint64(t.Event))
	e.lea(R15, atLabel(t.Exit, 0))
	if t.Masked {
		e.Jmp(l.Some)
	} else {
		e.Jmp(l.Full)
	}
}

// ResumeTurn writes the resumption of a warp after the end of a turn, n instructions after the start of its block.
func (e *Emit) ResumeTurn(n int, masked bool) {
	e.opImm(add, W64, regBudget, int32(n))
	if masked {
		e.laneMasks()
	}
}

// LeaveTurn exits for a warp that waits for its turn. Code is entered here.
func (e *Emit) LeaveTurn(exit Label) {
	e.setMaskUpper()
	e.Load(W64, regFile, memAt(regCtx, ctxFile))
	e.Jmp(exit)
}

// TurnLabels are places in the code of turns.
type TurnLabels struct {
	Full, Some Label // targets of EndTurn, for full warps and for others
	Begin      Label // entry of turns
	Next, Out  Label // see StartRoutine
}

// NewTurnLabels makes labels.
func (e *Emit) NewTurnLabels() *TurnLabels {
	return &TurnLabels{Full: e.NewLabel(), Some: e.NewLabel(), Begin: e.NewLabel(), Next: e.NewLabel(), Out: e.NewLabel()}
}

// TurnRoutine writes the end of a turn, the begin of the next one, and the end of a round. own says that the function
// has memory of which each lane owns a part. When all warps have ended it continues at Next, with ExitEnded in RDI.
//
// With trails, the end of each turn is part of the trail, and code exits after a round if the trail is nearly full.
//
// Between two barriers a warp often executes no more instructions than this code. Usually its lanes did not diverge
// in the turn: then all lanes executed the instructions, which Context.PastLanes assumes.
func (e *Emit) TurnRoutine(l *TurnLabels, own, trails bool) {
	ok, event, ended, start, pass, early, leave := e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.Align(32)
	e.Bind(l.Full)
	e.opStoreImm(cmp, W32, memAt(regCtx, ctxDiverged), 0)
	e.jcc(condNE, l.Some)
	e.mov(W64, R12, regBudget)
	e.op(sub, W64, R12, RCX) // rest of the time slice
	e.jcc(condL, leave)
	e.opStore(cmp, W32, memAt(regCtx, ctxEvent), RDX)
	e.jcc(condNE, event)
	e.Bind(ok)
	e.Load(W64, RAX, memAt(regCtx, ctxTurn))
	e.Load(W64, RCX, memAt(RAX, turnBudget))
	e.op(sub, W64, RCX, R12)
	e.opStore(sub, W64, memAt(regCtx, ctxLeft), RCX)

	e.Bind(ended) // the turn of RAX
	if trails {
		e.trailTurn()
	}
	e.store(W64, memAt(RAX, turnBudget), R12)
	e.store(W64, memAt(RAX, turnResume), RSI)
	e.store(W64, memAt(RAX, turnLeave), RDI)
	e.store(W64, memAt(RAX, turnEvent), RDX)
	e.opImm(add, W64, RAX, turnBytes)
	e.opLoad(cmp, W64, RAX, memAt(regCtx, ctxTurnsEnd))
	e.jcc(condE, pass)

	e.Bind(start)
	e.startTurn(own, early)

	e.Bind(event) // no warp of this pass has stopped at an event, or one stopped at another event
	e.opStoreImm(cmp, W32, memAt(regCtx, ctxEvent), noEvent)
	e.jcc(condNE, leave)
	e.store(W32, memAt(regCtx, ctxEvent), RDX)
	e.Jmp(ok)

	e.endTurnOfSome(l.Some, ended, leave)

	e.Bind(pass)
	e.endPass(l, start, trails)

	e.Bind(early)
	e.movImm(RDI, ExitTurn)
	e.Bind(l.Out)
	e.store(W32, memAt(regCtx, ctxExit), RDI)
	e.vzeroupper()
	e.Ret()

	e.Bind(leave)
	e.jmpReg(R15)
}

// startTurn enters code for the turn of RAX; early is the target if a turn is too short to begin.
func (e *Emit) startTurn(own bool, early Label) {
	e.store(W64, memAt(regCtx, ctxTurn), RAX)
	e.Load(W64, regBudget, memAt(RAX, turnBudget))
	e.store(W64, memAt(regCtx, ctxBudget), regBudget)
	e.store(W64, memAt(regCtx, ctxCounted), regBudget)
	e.Load(W64, regFile, memAt(RAX, turnFile))
	e.store(W64, memAt(regCtx, ctxFile), regFile)
	e.Load(W32, RCX, memAt(RAX, turnMask))
	e.store(W32, memAt(regCtx, ctxMask), RCX)
	e.store(W32, memAt(regCtx, ctxLive), RCX)
	if own {
		for _, hint := range [...][2]int32{{ctxLocal, turnLocal}, {ctxParams, turnParams}} {
			e.v2M(vmovdqu, l128, 1, memAt(RAX, hint[1]+hintLen)) // Len and Data
			e.vStore(vmovdqu, l128, memAt(regCtx, hint[0]+hintLen), 1)
		}
	}
	e.opLoad(cmp, W64, regBudget, memAt(regCtx, ctxLeast))
	e.jcc(condL, early)
	e.jmpMem(memAt(RAX, turnResume))
}

// endPass continues after a round over all warps: with the next one at start, or out.
func (e *Emit) endPass(l *TurnLabels, start Label, trails bool) {
	e.movImm(RDI, ExitEnded)
	e.opStoreImm(cmp, W32, memAt(regCtx, ctxEvent), EventEnded)
	e.jcc(condE, l.Next)
	e.storeImm(W32, memAt(regCtx, ctxEvent), noEvent)
	e.opStoreImm(add, W32, memAt(regCtx, ctxPasses), 1)
	e.movImm(RDI, ExitPass)
	e.opStoreImm(cmp, W64, memAt(regCtx, ctxLeft), 0)
	e.jcc(condLE, l.Out)
	if trails {
		e.trailNearlyFull(l.Out)
	}
	e.Bind(l.Begin)
	e.setMaskUpper()
	e.Load(W64, RAX, memAt(regCtx, ctxFirstTurn))
	e.Jmp(start)
}

// endTurnOfSome writes, at l, the end of a turn in which not all lanes may have executed each instruction.
func (e *Emit) endTurnOfSome(l, ended, leave Label) {
	ok := e.NewLabel()
	e.Bind(l)
	e.mov(W64, R12, regBudget)
	e.opLoad(add, W64, R12, memAt(regCtx, ctxWithheld))
	e.op(sub, W64, R12, RCX)
	e.jcc(condL, leave)
	e.opStore(cmp, W32, memAt(regCtx, ctxEvent), RDX)
	e.jcc(condE, ok)
	e.opStoreImm(cmp, W32, memAt(regCtx, ctxEvent), noEvent)
	e.jcc(condNE, leave)
	e.store(W32, memAt(regCtx, ctxEvent), RDX)
	e.Bind(ok)
	e.op(sub, W64, regBudget, RCX)
	e.countLanes()
	e.Load(W64, RAX, memAt(regCtx, ctxTurn))
	e.Load(W64, RCX, memAt(RAX, turnBudget))
	e.op(sub, W64, RCX, R12)
	e.opStore(sub, W64, memAt(regCtx, ctxLeft), RCX)
	e.Load(W64, R10, memAt(regCtx, ctxLaneInstrs))
	e.imulImm(W64, RCX, RCX, lanes.Width)
	e.op(sub, W64, R10, RCX)
	e.opStore(add, W64, memAt(regCtx, ctxPastLanes), R10)
	e.Load(W32, RCX, memAt(regCtx, ctxDiverged))
	e.opStore(add, W32, memAt(regCtx, ctxPastDiverged), RCX)
	e.storeImm(W64, memAt(regCtx, ctxLaneInstrs), 0)
	e.storeImm(W64, memAt(regCtx, ctxWithheld), 0)
	e.storeImm(W32, memAt(regCtx, ctxDiverged), 0)
	e.Jmp(ended)
}

// StartRoutine writes, at l, the entry of code that starts a CTA at Context.CTA and executes it in turns; and, at
// Next, the code after it has ended: the next CTA starts, or code exits at Out. With shadow, it makes shared memory
// undefined.
func (e *Emit) StartRoutine(l Label, t *TurnLabels, s *Starts, shadow bool) {
	placed := e.NewLabel()
	e.Align(32)
	e.Bind(t.Next)
	e.Load(W64, RCX, memAt(regCtx, ctxStarted))
	e.opLoad(sub, W64, RCX, memAt(regCtx, ctxLeft))
	e.opStore(sub, W64, memAt(regCtx, ctxInstrs), RCX)
	e.opStoreImm(sub, W64, memAt(regCtx, ctxCTAs), 1)
	e.jcc(condLE, t.Out)
	e.opStoreImm(cmp, W64, memAt(regCtx, ctxInstrs), 0)
	e.jcc(condLE, t.Out)
	e.Load(W64, RCX, memAt(regCtx, ctxNextLeft))
	e.store(W64, memAt(regCtx, ctxLeft), RCX)
	for k := int32(0); k < 3; k++ {
		if k > 0 {
			e.storeImm(W32, memAt(regCtx, ctxCTA+4*(k-1)), 0)
		}
		e.Load(W32, RCX, memAt(regCtx, ctxCTA+4*k))
		e.opImm(add, W32, RCX, 1)
		e.store(W32, memAt(regCtx, ctxCTA+4*k), RCX)
		e.opLoad(cmp, W32, RCX, memAt(regCtx, ctxGrid+4*k))
		e.jcc(condNE, placed)
	}
	e.Bind(l)
	e.Bind(placed)
	e.Load(W64, RCX, memAt(regCtx, ctxLeft))
	e.store(W64, memAt(regCtx, ctxStarted), RCX)
	e.storeImm(W32, memAt(regCtx, ctxEvent), noEvent)
	e.storeImm(W32, memAt(regCtx, ctxPasses), 0)
	e.fillShared(hintData, false)
	if shadow {
		e.fillShared(hintShadow, true)
	}
	e.startWarps(s)
	e.Jmp(t.Begin)
}

// fillShared fills the CTA's shared memory or its shadow, by the field of the Hint, up to a multiple of SharedUnit:
// with Context.SharedFill, or with ones.
func (e *Emit) fillShared(field int32, ones bool) {
	top, done := e.NewLabel(), e.NewLabel()
	e.Load(W64, RCX, memAt(regCtx, ctxShared+hintLen))
	e.test(W64, RCX, RCX)
	e.jcc(condE, done)
	e.Load(W64, RAX, memAt(regCtx, ctxShared+field))
	e.op(add, W64, RCX, RAX)
	if ones {
		e.v3(vpcmpeqd, l256, 0, 0, 0)
	} else {
		e.v2M(vpbroadcastq, l256, 0, memAt(regCtx, ctxFill))
	}
	e.Bind(top)
	for at := int32(0); at < SharedUnit; at += 32 {
		e.vStore(vmovdqu, l256, memAt(RAX, at), 0)
	}
	e.opImm(add, W64, RAX, SharedUnit)
	e.op(cmp, W64, RAX, RCX)
	e.jcc(condB, top)
	e.Bind(done)
}

// SharedUnit is the unit in bytes of the memory for Context.Shared.
const SharedUnit = 64

// startWarps writes a loop over the turns that prepares the warps.
func (e *Emit) startWarps(s *Starts) {
	l, bytes := l256, int32(32)
	if e.Level == AVX512 {
		l, bytes = l512, 64
	}
	for k, slot := range s.CTA {
		if slot != 0 {
			e.v2M(vpbroadcastd, l, Vec(k), memAt(regCtx, ctxCTA+4*int32(k)))
		}
	}
	e.Load(W64, RAX, memAt(regCtx, ctxFirstTurn))
	top := e.NewLabel()
	e.Bind(top)
	e.Load(W64, RDX, memAt(RAX, turnFile))
	for k, slot := range s.CTA {
		for at := int32(0); slot != 0 && at < 4*lanes.Width; at += bytes {
			e.vStore(vmovdqu, l, memAt(RDX, int32(slot)+at), Vec(k))
		}
	}
	e.storeImm(W32, memAt(RDX, int32(s.Carry)), 0)
	e.Load(W64, RCX, memAt(RAX, turnFirst))
	e.store(W64, memAt(RAX, turnBudget), RCX)
	e.Load(W64, RCX, memAt(RAX, turnEntry))
	e.store(W64, memAt(RAX, turnResume), RCX)
	e.storeImm(W64, memAt(RAX, turnEvent), 0)
	e.opImm(add, W64, RAX, turnBytes)
	e.opLoad(cmp, W64, RAX, memAt(regCtx, ctxTurnsEnd))
	e.jcc(condNE, top)
}
