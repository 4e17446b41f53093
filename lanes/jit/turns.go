package jit

import "unsafe"

// Turn is a warp of a CTA whose warps execute in turn within compiled code: each up to a barrier, where the next one
// has its turn, or up to its end. When all have arrived the first one goes on. Most time between barriers is so short that to come
// back for each warp would take longer.
//
// Code copies File, Local and Params to the Context without write barriers: whoever makes turns keeps what they point to.
type Turn struct {
	File   unsafe.Pointer // as in Context
	Budget int64          // when the warp's turn begins
	Resume uintptr        // where its code goes on
	// Leave writes what is scalar there to its slots, and comes back by Exit; if the warp has had a turn and not ended.
	Leave  uintptr
	Local  Hint
	Params Hint
	Mask   uint32 // all lanes of the warp that have not ended
	// What the warp's latest turn came to, and the number of the exit of Leave. Event is 0 before its first turn.
	Event, Exit uint32
}

// What warps have come to at the ends of their turns, in one pass over the CTA: a barrier, by number, or the end.
const (
	noEvent    = 0
	EventEnded = 1
	barrierBit = 32
)

// EventBarrier is the event of a barrier.
func EventBarrier(id int) uint32 { return barrierBit | uint32(id) }

// Numbers of exits between turns.
const (
	ExitTurn  = NoExit - 1 - iota // the turn of Context.Turn is not begun, as its time slice ends soon
	ExitPass                      // all warps have had their turn, and wait no longer; the first is to go on
	ExitEnded                     // all warps have ended
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
)

// TurnEnd is where a warp's turn ends.
type TurnEnd struct {
	Event  uint32
	Number int   // of the exit of Leave
	Count  int   // instructions that are not counted yet
	Resume Label // where the warp goes on; unless it ends
	Leave  Label // writes scalars to slots, for who goes on elsewhere
	Exit   Label // if no turns are taken, or this is not what other warps have come to
	Masked bool
}

// EndTurn ends the turn of a warp.
func (e *Emit) EndTurn(routine Label, t *TurnEnd) {
	e.OpStoreImm(CMP, W64, At(regCtx, ctxTurn), 0)
	e.Jcc(CondE, t.Exit)
	if t.Masked {
		e.Load(W32, RCX, At(regCtx, ctxMask))
		e.OpLoad(CMP, W32, RCX, At(regCtx, ctxLive))
		e.Jcc(CondNE, t.Exit)
	}
	if t.Event == EventEnded {
		e.MovImm(RSI, 0)
		e.MovImm(RDI, 0)
	} else {
		e.Lea(RSI, AtLabel(t.Resume, 0))
		e.Lea(RDI, AtLabel(t.Leave, 0))
	}
	e.MovImm(RCX, uint64(t.Count))
	e.MovImm(RDX, uint64(t.Number)<<32|uint64(t.Event))
	e.Lea(R15, AtLabel(t.Exit, 0))
	e.Jmp(routine)
}

// ResumeTurn is where a warp goes on behind the end of a turn, n instructions behind where
// its block starts.
func (e *Emit) ResumeTurn(n int, masked bool) {
	e.OpImm(ADD, W64, regBudget, int32(n))
	if masked {
		e.laneMasks()
	}
}

// LeaveTurn goes to an exit for a warp that waits for its turn.
func (e *Emit) LeaveTurn(exit Label) {
	e.Load(W64, regFile, At(regCtx, ctxFile))
	e.Jmp(exit)
}

// TurnRoutine writes what EndTurn goes to, at l, and at begin where the turns are entered.
func (e *Emit) TurnRoutine(l, begin Label) {
	ok, start, pass, out, leave := e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel()
	e.Align(32)
	e.Bind(l)
	e.Mov(W64, R12, regBudget)
	e.OpLoad(ADD, W64, R12, At(regCtx, ctxWithheld))
	e.Op(SUB, W64, R12, RCX) // what is left of the time slice
	e.Jcc(CondL, leave)
	e.Load(W32, R13, At(regCtx, ctxEvent))
	e.Op(CMP, W32, R13, RDX)
	e.Jcc(CondE, ok)
	e.Test(W32, R13, R13)
	e.Jcc(CondNE, leave)
	e.Store(W32, At(regCtx, ctxEvent), RDX)

	e.Bind(ok) // the turn has ended
	e.Op(SUB, W64, regBudget, RCX)
	e.countLanes()
	e.StoreImm(W64, At(regCtx, ctxWithheld), 0)
	e.Load(W64, RCX, At(regCtx, ctxLaneInstrs))
	e.OpStore(ADD, W64, At(regCtx, ctxPastLanes), RCX)
	e.StoreImm(W64, At(regCtx, ctxLaneInstrs), 0)
	e.Load(W32, RCX, At(regCtx, ctxDiverged))
	e.OpStore(ADD, W32, At(regCtx, ctxPastDiverged), RCX)
	e.StoreImm(W32, At(regCtx, ctxDiverged), 0)
	e.Load(W64, RAX, At(regCtx, ctxTurn))
	e.Load(W64, RCX, At(RAX, turnBudget))
	e.Op(SUB, W64, RCX, R12)
	e.OpStore(SUB, W64, At(regCtx, ctxLeft), RCX)
	e.Store(W64, At(RAX, turnBudget), R12)
	e.Store(W64, At(RAX, turnResume), RSI)
	e.Store(W64, At(RAX, turnLeave), RDI)
	e.Store(W64, At(RAX, turnEvent), RDX)
	e.OpImm(ADD, W64, RAX, turnBytes)
	e.OpLoad(CMP, W64, RAX, At(regCtx, ctxTurnsEnd))
	e.Jcc(CondE, pass)

	e.Bind(start) // the turn of RAX
	e.Store(W64, At(regCtx, ctxTurn), RAX)
	e.Load(W64, regBudget, At(RAX, turnBudget))
	e.Store(W64, At(regCtx, ctxBudget), regBudget)
	e.Store(W64, At(regCtx, ctxCounted), regBudget)
	e.Load(W64, regFile, At(RAX, turnFile))
	e.Store(W64, At(regCtx, ctxFile), regFile)
	e.Load(W32, RCX, At(RAX, turnMask))
	e.Store(W32, At(regCtx, ctxMask), RCX)
	e.Store(W32, At(regCtx, ctxLive), RCX)
	for _, hint := range [...][2]int32{{ctxLocal, turnLocal}, {ctxParams, turnParams}} {
		e.V2M(VMOVDQU, L128, 1, At(RAX, hint[1]+hintLen)) // Len and Data
		e.VStore(VMOVDQU, L128, At(regCtx, hint[0]+hintLen), 1)
	}
	e.MovImm(RDI, ExitTurn)
	e.OpLoad(CMP, W64, regBudget, At(regCtx, ctxLeast))
	e.Jcc(CondL, out)
	e.Load(W64, RCX, At(RAX, turnResume))
	e.JmpReg(RCX)

	e.Bind(pass)
	e.MovImm(RDI, ExitEnded)
	e.OpStoreImm(CMP, W32, At(regCtx, ctxEvent), EventEnded)
	e.Jcc(CondE, out)
	e.StoreImm(W32, At(regCtx, ctxEvent), noEvent)
	e.OpStoreImm(ADD, W32, At(regCtx, ctxPasses), 1)
	e.MovImm(RDI, ExitPass)
	e.OpStoreImm(CMP, W64, At(regCtx, ctxLeft), 0)
	e.Jcc(CondLE, out)
	e.Bind(begin)
	e.setMaskUpper()
	e.Load(W64, RAX, At(regCtx, ctxFirstTurn))
	e.Jmp(start)

	e.Bind(out)
	e.Store(W32, At(regCtx, ctxExit), RDI)
	e.Vzeroupper()
	e.Ret()

	e.Bind(leave)
	e.JmpReg(R15)
}
