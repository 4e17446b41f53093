package jit

import (
	"unsafe"

	"github.com/simtrun/simtrun/lanes"
)

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
	// First and Entry are Budget and Resume of the warp when its CTA starts, if that starts in turns.
	First int64
	Entry uintptr
}

// Starts is what differs from CTA to CTA in the register file of a warp that starts.
//
// A CTA that takes the place of one that has ended starts in code: zeros in shared memory, its place in
// registers, and turns as they were for the CTA before. As long as all of its warps end in turns, another one can follow.
type Starts struct {
	CTA   [3]uint32 // offsets of the slots that have the coordinates of the CTA in the grid; 0 for one that the function does not use
	Carry uint32    // offset of the carry flag
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

// TurnRoutine writes what EndTurn goes to, at l, and at begin where the turns are entered; at next what is to be done when
// all warps have ended, with ExitEnded in RDI, which goes to out where nothing is.
func (e *Emit) TurnRoutine(l, begin, next, out Label) {
	ok, start, pass, leave := e.NewLabel(), e.NewLabel(), e.NewLabel(), e.NewLabel()
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
	e.Jcc(CondE, next)
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

// StartRoutine writes, at l, where code is entered that starts a CTA, of which Context.CTA is the place, and executes it in turns; and at
// next and out what those of TurnRoutine are.
func (e *Emit) StartRoutine(l, begin, next, out Label, s *Starts) {
	placed := e.NewLabel()
	e.Align(32)
	e.Bind(next)
	e.Load(W64, RCX, At(regCtx, ctxStarted))
	e.OpLoad(SUB, W64, RCX, At(regCtx, ctxLeft))
	e.OpStore(SUB, W64, At(regCtx, ctxInstrs), RCX)
	e.OpStoreImm(SUB, W64, At(regCtx, ctxCTAs), 1)
	e.Jcc(CondLE, out)
	e.OpStoreImm(CMP, W64, At(regCtx, ctxInstrs), 0)
	e.Jcc(CondLE, out)
	e.Load(W64, RCX, At(regCtx, ctxNextLeft))
	e.Store(W64, At(regCtx, ctxLeft), RCX)
	for k := int32(0); k < 3; k++ {
		if k > 0 {
			e.StoreImm(W32, At(regCtx, ctxCTA+4*(k-1)), 0)
		}
		e.Load(W32, RCX, At(regCtx, ctxCTA+4*k))
		e.OpImm(ADD, W32, RCX, 1)
		e.Store(W32, At(regCtx, ctxCTA+4*k), RCX)
		e.OpLoad(CMP, W32, RCX, At(regCtx, ctxGrid+4*k))
		e.Jcc(CondNE, placed)
	}
	e.Bind(l)
	e.Bind(placed)
	e.Load(W64, RCX, At(regCtx, ctxLeft))
	e.Store(W64, At(regCtx, ctxStarted), RCX)
	e.StoreImm(W32, At(regCtx, ctxEvent), noEvent)
	e.StoreImm(W32, At(regCtx, ctxPasses), 0)
	e.Load(W64, RDI, At(regCtx, ctxShared+hintData))
	e.Load(W64, RCX, At(regCtx, ctxShared+hintLen))
	e.Op(XOR, W32, RAX, RAX)
	e.RepStosb()
	e.startWarps(s)
	e.Jmp(begin)
}

// startWarps writes a loop over the turns that makes the warps ready.
func (e *Emit) startWarps(s *Starts) {
	l, bytes := L256, int32(32)
	if e.Level == AVX512 {
		l, bytes = L512, 64
	}
	for k, slot := range s.CTA {
		if slot != 0 {
			e.V2M(VPBROADCASTD, l, Vec(k), At(regCtx, ctxCTA+4*int32(k)))
		}
	}
	e.Load(W64, RAX, At(regCtx, ctxFirstTurn))
	top := e.NewLabel()
	e.Bind(top)
	e.Load(W64, RDX, At(RAX, turnFile))
	for k, slot := range s.CTA {
		for at := int32(0); slot != 0 && at < 4*lanes.Width; at += bytes {
			e.VStore(VMOVDQU, l, At(RDX, int32(slot)+at), Vec(k))
		}
	}
	e.StoreImm(W32, At(RDX, int32(s.Carry)), 0)
	e.Load(W64, RCX, At(RAX, turnFirst))
	e.Store(W64, At(RAX, turnBudget), RCX)
	e.Load(W64, RCX, At(RAX, turnEntry))
	e.Store(W64, At(RAX, turnResume), RCX)
	e.StoreImm(W64, At(RAX, turnEvent), 0)
	e.OpImm(ADD, W64, RAX, turnBytes)
	e.OpLoad(CMP, W64, RAX, At(regCtx, ctxTurnsEnd))
	e.Jcc(CondNE, top)
}
